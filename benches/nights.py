#!/usr/bin/env python3
"""Times a sequence of nights over many archives, and prints medians and ratios to the cold audit of the same run.

Usage: nights.py HULLMARK ARCHIVE.oar FOLDER [COPIES [TEXTURE_MEGABYTES [ROUNDS]]]

FOLDER gets COPIES (300) of the archive in each of which all UUIDs are others, so that no two regions are one. Each has
so many megabytes (0) of JPEG 2000 textures behind it, as a second gzip member: see textured.py. Reports are CSV. Each
round (3) is cold, warm with nothing changed, warm with one archive in a hundred changed, warm by content, warm into a
folder that holds no report, and the report alone; the page cache is warm.
"""

import gzip
import io
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
import uuid

UUID = re.compile(rb"[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})")


def add(archive, name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def without_end(tar):
    """A tar whose end marker is cut off, so that another may follow."""
    return tar.getvalue().rstrip(b"\0") + b"\0" * (-len(tar.getvalue().rstrip(b"\0")) % 512)


def noise(number):
    """A picture of 512 × 512: a gradient, and noise of a strength of its own."""
    import numpy
    from PIL import Image
    from textured import encoded

    random = numpy.random.default_rng(number)
    down, across = numpy.mgrid[0:512, 0:512] / 512
    tilt = random.uniform(-1, 1, (3, 2))
    plane = numpy.stack([128 + 100 * (a * across + b * down) for a, b in tilt], axis=-1)
    noisy = plane + random.normal(0, random.uniform(4, 24), plane.shape)
    return encoded(Image.fromarray(numpy.clip(noisy, 0, 255).astype("uint8")), 4)


def textures(megabytes):
    """A gzip member with so many textures, and the end of the tar."""
    different = []
    if megabytes:
        different = [noise(number) for number in range(20)]
    tar, size, number = io.BytesIO(), 0, 0
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.GNU_FORMAT) as archive:
        while size < megabytes * 1_000_000:
            picture = different[number % len(different)]
            add(archive, f"assets/{uuid.UUID(int=number + (1 << 100))}_texture.jp2", picture)
            size, number = size + len(picture), number + 1
    return gzip.compress(tar.getvalue(), 6, mtime=0)


def renamed(name, content, number):
    """A member once more, with other UUIDs: the number makes them. Of 0 nothing is changed."""
    other = lambda found: b"%08x" % (int(found.group(), 16) ^ number if int(found.group(), 16) else 0)
    is_text = name.endswith((".xml", ".lsl", ".txt"))
    return UUID.sub(other, name.encode()).decode(), UUID.sub(other, content) if is_text else content


def copy(members, number, tail):
    """The archive once more, with other UUIDs."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for member in members:
            add(archive, *renamed(*member, number))
    return gzip.compress(without_end(tar), 6, mtime=0) + tail


def main(hullmark, source, folder, copies="300", megabytes="0", rounds="3"):
    folder, copies = pathlib.Path(folder), int(copies)
    exports, out, kept = folder / "exports", folder / "report", folder / "kept"
    exports.mkdir(parents=True, exist_ok=True)
    with tarfile.open(source) as archive:
        members = [(m.name, archive.extractfile(m).read()) for m in archive if m.isfile()]
    tail = textures(int(megabytes))
    for number in range(1, copies + 1):
        (exports / f"region{number}.oar").write_bytes(copy(members, number, tail))

    def run(*arguments):
        begun = time.perf_counter()
        ended = subprocess.run([hullmark, *map(str, arguments), "-q"], stdout=subprocess.DEVNULL)
        assert ended.returncode == 0, (arguments, ended.returncode)
        return time.perf_counter() - begun

    audit = ["audit", exports, "--out", out, "--ledgers", kept, "--format", "csv"]
    scan = ["scan", exports, "--ledgers", kept]
    times = {}
    for round in range(int(rounds)):
        note = lambda name, seconds: times.setdefault(name, []).append(seconds)
        shutil.rmtree(kept, ignore_errors=True)
        note("scan, cold", run(*scan))
        note("scan, nothing changed", run(*scan))
        shutil.rmtree(kept)
        shutil.rmtree(out, ignore_errors=True)
        note("audit, cold", run(*audit))
        note("audit, nothing changed", run(*audit))
        for number in range(1, copies + 1, 100):
            (exports / f"region{number}.oar").write_bytes(copy(members, number + 1000 * (round + 1), tail))
        note("audit, one in a hundred changed", run(*audit))
        note("audit by content, nothing changed", run(*audit, "--checksum"))
        shutil.rmtree(out)
        note("audit into a new folder, nothing changed", run(*audit))
        report = ["report", kept, "--out", out, "--format", "csv"]
        note("report alone, nothing changed", run(*report))
        shutil.rmtree(out)
        note("report alone", run(*report))
    size = sum(path.stat().st_size for path in exports.iterdir())
    print(f"{copies} archives, {size / 1e6:.0f} MB")
    for name, seconds in times.items():
        median = statistics.median(seconds)
        against = "scan, cold" if name.startswith("scan") else "audit, cold"
        share = 100 * median / statistics.median(times[against])
        print(f"{name:42} {median:8.2f} s {share:6.1f} % of {against}")


if __name__ == "__main__":
    main(*sys.argv[1:])
