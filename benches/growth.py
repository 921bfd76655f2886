#!/usr/bin/env python3
"""Audits archives that hold the objects of another 1, 2, 4, 8 and 16 times, and prints time and memory for each object.

Usage: growth.py HULLMARK ARCHIVE.oar FOLDER [ROUNDS]

What is one archive's many times over has other UUIDs each time: objects, and the assets that they name. What a region
has once, it has once. FOLDER gets the archives, which are made once. Times are medians of ROUNDS (3), memory is the
greatest peak; reports are CSV, the page cache is warm.
"""

import gzip
import multiprocessing
import pathlib
import statistics
import sys
import tarfile

from measured import run
from nights import add, renamed

COPIES = (1, 2, 4, 8, 16)
ONCE = ("archive.xml", "settings/", "landdata/", "terrains/")


def write(members, copies, path):
    with gzip.open(path, "wb", 6) as out, tarfile.open(fileobj=out, mode="w|", format=tarfile.GNU_FORMAT) as archive:
        for number in range(copies):
            for member in members:
                if number == 0 or not member[0].startswith(ONCE):
                    add(archive, *renamed(*member, number))


def make(source, paths):
    with tarfile.open(source) as archive:
        members = [(m.name, archive.extractfile(m).read()) for m in archive if m.isfile()]
    for copies, path in paths.items():
        if not path.exists():
            write(members, copies, path)


def main(hullmark, source, folder, rounds="3"):
    source, folder = pathlib.Path(source), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "report"
    with tarfile.open(source) as archive:
        objects = sum(member.isfile() and member.name.startswith("objects/") for member in archive)
    paths = {copies: folder / f"{source.stem}-{copies}.oar" for copies in COPIES}
    # Apart: the peak of a program counts what the one that starts it has in memory.
    maker = multiprocessing.Process(target=make, args=(source, paths))
    maker.start()
    maker.join()
    assert maker.exitcode == 0
    audit = lambda path: run([hullmark, "audit", path, "--out", out, "--format", "csv", "-q"], [out])
    # The first round warms the page cache.
    took = [{copies: audit(path) for copies, path in paths.items()} for _ in range(int(rounds) + 1)][1:]
    print("| objects | s | µs for each object | peak, MB | KB for each object |\n|---|---|---|---|---|")
    each = {}
    for copies in COPIES:
        seconds = statistics.median(round[copies].seconds for round in took)
        peak = max(round[copies].peak for round in took)
        count = objects * copies
        each[copies] = seconds / count
        print(f"| {count:,} | {seconds:.2f} | {1e6 * each[copies]:.0f} | {peak / 1e6:.0f} | {peak / 1e3 / count:.1f} |")
    first, last = COPIES[0], COPIES[-1]
    print(f"\nAn object of {last} times as many takes {each[last] / each[first]:.2f} times as long.")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
