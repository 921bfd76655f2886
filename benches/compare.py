#!/usr/bin/env python3
"""Times hullmark beside programs that do only what cannot be left out, in turns, and prints a table.

Usage: compare.py HULLMARK REFERENCE_PROGRAMS DATA FOLDER [ROUNDS [WORD]]

compare.sh builds the programs and calls this. FOLDER keeps the inputs, which are made once. Each pair runs once to
warm the page cache and then in ROUNDS (5) rounds, A B A B, on two cores; the ratio is the median of the rounds' ratios.
Reports and ledgers are removed before each run. WORD chooses the rows that have it.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile

import nights
from measured import run

CORES = 2
COPIES, SMALL = 20, 64
# What the largest archive needs while it is made, and leaves free for others.
FREE = 15_000_000_000
MB = 1_000_000


def once(path, make):
    """Makes a file or a folder where there is none; one that is half made has another name."""
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        partial = path.with_name(path.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        make(partial)
        partial.rename(path)
    return path


def members_of(archive):
    with tarfile.open(archive) as tar:
        return [(member.name, tar.extractfile(member).read()) for member in tar if member.isfile()]


def meshes(archive):
    def make(folder):
        folder.mkdir()
        for name, content in members_of(archive):
            if name.endswith("_mesh.llmesh"):
                (folder / pathlib.Path(name).name).write_bytes(content)

    return make


def packed(archive, count):
    """So many archives in each of which all UUIDs are others."""

    def make(folder):
        folder.mkdir()
        members, tail = members_of(archive), nights.textures(0)
        for number in range(1, count + 1):
            (folder / f"region{number}.oar").write_bytes(nights.copy(members, number, tail))

    return make


def unpacked(archives):
    def make(folder):
        for archive in archives.iterdir():
            for name, content in members_of(archive):
                path = folder / archive.stem / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    return make


def textured(data, megabytes):
    script = pathlib.Path(__file__).with_name("textured.py")
    source, scripts = data / "franzinha-no-textures.oar", data / "oar-0.2"
    return lambda path: subprocess.run([sys.executable, script, source, scripts, path, str(megabytes)], check=True)


def pairs(hullmark, reference, data, folder):
    """What is timed, against what, what the ratio should be, and the two commands."""
    out, ledgers = folder / "report", folder / "ledgers"
    audit = lambda path, *more: [hullmark, "audit", path, "--out", out, "--format", "csv", "-q", *more]
    scan = lambda path: [hullmark, "scan", path, "--ledgers", ledgers, "-q"]
    igzip = lambda path: ["igzip", "-dc", path]
    franzinha, playground = data / "franzinha-no-textures.oar", data / "pathfindplayground.oar"
    large = once(folder / "textured-400.oar", textured(data, 400))
    loose = once(folder / "meshes", meshes(franzinha))
    archives = once(folder / "packed", packed(playground, COPIES))
    trees = once(folder / "trees", unpacked(archives))
    small = once(folder / "small", packed(data / "India.oar" / "India.oar", SMALL))
    xml = lambda path: [reference / "read-xml", CORES, path]
    return [
        ("audit of a region, 80 MB", "igzip", "≤ 3.0, then 2.0", audit(franzinha), igzip(franzinha)),
        ("audit of it with textures, 480 MB", "igzip", "≤ 1.3, then 1.0", audit(large), igzip(large)),
        ("scan of 1,024 loose meshes", "libdeflate", "≤ 1.4", scan(loose), [reference / "inflate-meshes", CORES, loose]),
        (f"scan of {COPIES} unpacked archives", "quick-xml", "≤ 1.5", scan(trees), xml(trees)),
        (f"scan of {COPIES} packed archives", "quick-xml", "≤ 1.5", scan(archives), xml(archives)),
        (f"audit of {SMALL} small archives, one thread", "two threads", "≥ 1.9",
         audit(small, "--threads", "1"), audit(small, "--threads", "2")),
    ], [out, ledgers]


def compare(pair, fresh, rounds):
    """The row of a pair."""
    work, against, aim, *commands = pair
    for command in commands:
        run(command, fresh)
    took = [[run(command, fresh) for command in commands] for _ in range(rounds)]
    ratio = statistics.median(ours.seconds / theirs.seconds for ours, theirs in took)
    column = lambda side, what: statistics.median(getattr(sides[side], what) for sides in took)
    seconds, cpu = (" / ".join(f"{column(side, what):.2f}" for side in (0, 1)) for what in ("seconds", "cpu"))
    print(f"| {work} | {against} | {ratio:.2f} | {aim} | {seconds} | {cpu} |", flush=True)


def compare_memory(hullmark, data, folder, rounds):
    """The rows of peak memory: the median of the rounds, the greatest, and how much more ten times as much takes."""
    out, medians = folder / "report", []
    for megabytes in (400, 4000):
        path = folder / f"textured-{megabytes}.oar"
        if not path.exists() and shutil.disk_usage(folder).free < FREE:
            print(f"| peak memory with {megabytes} MB of textures | – | not measured: the disk is too full | | | |")
            return
        once(path, textured(data, megabytes))
        audit = [hullmark, "audit", path, "--out", out, "--format", "csv", "-q"]
        peaks = [run(audit, [out]).peak / MB for _ in range(rounds)]
        medians.append(statistics.median(peaks))
        size, told = path.stat().st_size / MB, f"{medians[-1]:.0f} MB, at most {max(peaks):.0f}"
        if len(medians) == 1:
            print(f"| peak memory, {size:.0f} MB | – | {told} | ≤ 150 MB | | |", flush=True)
        else:
            ratio = medians[1] / medians[0]
            print(f"| peak memory, {size:.0f} MB | the row above | {ratio:.2f} ({told}) | ≤ 1.1 | | |")


def main(hullmark, reference, data, folder, rounds="5", word=""):
    hullmark, reference, data, folder = map(pathlib.Path, (hullmark, reference, data, folder))
    if not data.is_dir():
        sys.exit(f"There are no real exports in {data}, and nothing else is large enough to be timed.")
    # What is run inherits this.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    folder.mkdir(parents=True, exist_ok=True)
    chosen, fresh = pairs(hullmark, reference, data, folder)
    print("| work | against | measured | aim | median, s | processor, s |\n|---|---|---|---|---|---|", flush=True)
    for pair in chosen:
        if word in pair[0]:
            compare(pair, fresh, int(rounds))
    if word in "peak memory":
        compare_memory(hullmark, data, folder, int(rounds))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
