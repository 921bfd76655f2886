#!/usr/bin/env python3
"""Times hullmark beside programs that do only what cannot be left out, in turns, and prints a table.

Usage: compare.py HULLMARK REFERENCE_PROGRAMS DATA FOLDER [ROUNDS [WORD]]

compare.sh builds the programs and calls this. FOLDER keeps the inputs, which are made once. Each pair runs once to
warm the page cache and then in ROUNDS (5) rounds, A B A B, on two cores; the ratio is the median of the rounds' ratios.
Reports and ledgers are removed before each run. WORD chooses the rows that have it.
"""

import collections
import functools
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
COPIES, SMALL, MIXED = 20, 64, 300
MB = 1_000_000

# Against what, what the ratio should be, and two sides: what comes before the timing, and the command.
Pair = collections.namedtuple("Pair", "against aim ours theirs")


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


def packed(archives, count):
    """So many archives, in turns of these, in each of which all UUIDs are others."""

    def make(folder):
        folder.mkdir()
        sources, tail = [members_of(archive) for archive in archives], nights.textures(0)
        for number in range(1, count + 1):
            members = sources[number % len(sources)]
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


def textured(data, *options):
    script = pathlib.Path(__file__).with_name("textured.py")
    return lambda path: subprocess.run([sys.executable, script, data, path, *options], check=True)


class Rows:
    """The rows of the table."""

    def __init__(self, hullmark, reference, data, folder):
        self.hullmark, self.reference, self.data, self.folder = hullmark, reference, data, folder
        self.out, self.kept, self.night = folder / "report", folder / "ledgers", folder / "night.oar"

    def audit(self, path, *more, formats=("csv",)):
        chosen = [word for format in formats for word in ("--format", format)]
        return [self.hullmark, "audit", path, "--out", self.out, *chosen, "-q", *more]

    def fresh(self):
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.rmtree(self.kept, ignore_errors=True)

    def night_before(self, archive):
        """Ledgers of last night, and this archive in place of last night's."""
        self.fresh()
        last = once(self.folder / "last-night", self.make_last_night)
        shutil.copytree(last, self.kept)
        shutil.copy2(archive, self.night)

    def make_last_night(self, kept):
        shutil.copy2(self.objects_first, self.night)
        subprocess.run([*map(str, self.audit(self.night, "--ledgers", kept))], check=False)

    @functools.cached_property
    def objects_first(self):
        return once(self.folder / "textures.oar", textured(self.data))

    def all(self):
        """The pairs. An input is made when its row is chosen."""
        data, audit, fresh = self.data, self.audit, self.fresh
        igzip = lambda path: (fresh, ["igzip", "-dc", path])
        region = data / "franzinha-no-textures.oar"
        assets_first = lambda: once(self.folder / "textures-first.oar", textured(data, "--assets-first"))
        changed = lambda: once(self.folder / "changed.oar", textured(data, "--changed"))
        loose = lambda: once(self.folder / "meshes", meshes(region))
        archives = lambda: once(self.folder / "packed", packed([data / "pathfindplayground.oar"], COPIES))
        trees = lambda: once(self.folder / "trees", unpacked(archives()))
        small = lambda: once(self.folder / "small", packed([data / "India.oar" / "India.oar"], SMALL))
        sources = ["India.oar/India.oar", "faraway.oar", "ElfEars.iar", "clothing-library.iar", "pathfindplayground.oar"]
        mixed = lambda: once(self.folder / "mixed", packed([data / source for source in sources], MIXED))
        xml = lambda path: (fresh, [self.reference / "read-xml", CORES, path])
        scan = lambda path, *more: (fresh, [self.hullmark, "scan", path, "--ledgers", self.kept, "-q", *more])
        threads = lambda work, path, *more: (work(path, *more, "--threads", "1"), work(path, *more, "--threads", "2"))
        audited = lambda path, *more, **options: (fresh, audit(path, *more, **options))
        every = {"formats": ()}
        scanned = lambda: once(self.folder / "mixed-ledgers", self.scan_into(mixed()))
        report = lambda path, *more: (fresh, [self.hullmark, "report", path, "--out", self.out, "--format", "csv", "-q", *more])
        kept = lambda path: ("--ledgers", self.kept)

        yield "region of 80 MB, csv", lambda: Pair("igzip", "≤ 3.4", audited(region), igzip(region))
        yield "region of 80 MB, default formats", lambda: Pair("igzip", "≤ 3.8", audited(region, **every), igzip(region))
        for name, archive in [("objects first", lambda: self.objects_first), ("assets first", assets_first)]:
            yield f"with textures, {name}, csv", lambda archive=archive: Pair(
                "igzip", "≤ 3.0", audited(archive()), igzip(archive()))
            yield f"with textures, {name}, default formats", lambda archive=archive: Pair(
                "igzip", "≤ 3.2", audited(archive(), **every), igzip(archive()))
        yield "night: one object changed", lambda: Pair(
            "igzip", "≤ 1.6", (lambda: self.night_before(changed()), audit(self.night, *kept(self.night))),
            igzip(changed()))
        yield "night: unchanged, new folder", lambda: Pair(
            "first night", "≤ 0.25",
            (lambda: self.night_before(self.objects_first), audit(self.night, *kept(self.night))),
            (lambda: (self.fresh(), shutil.copy2(self.objects_first, self.night)), audit(self.night, *kept(self.night))))
        yield "scan of 1,024 loose meshes", lambda: Pair(
            "libdeflate", "≤ 1.4", scan(loose()), (fresh, [self.reference / "inflate-meshes", CORES, loose()]))
        yield f"scan of {COPIES} unpacked archives", lambda: Pair("quick-xml", "≤ 1.5", scan(trees()), xml(trees()))
        yield f"scan of {COPIES} packed archives", lambda: Pair("quick-xml", "≤ 1.5", scan(archives()), xml(archives()))
        yield f"{SMALL} small archives, default formats", lambda: Pair(
            "csv", "≤ 1.35", audited(small(), **every), audited(small()))
        yield f"{MIXED} mixed archives, scan", lambda: Pair("two threads", "≥ 1.75", *threads(scan, mixed()))
        yield f"{MIXED} mixed archives, audit", lambda: Pair("two threads", "≥ 1.7", *threads(audited, mixed()))
        yield f"{MIXED} mixed archives, report", lambda: Pair("two threads", "≥ 1.6", *threads(report, scanned()))

    def scan_into(self, archives):
        def make(kept):
            subprocess.run([str(self.hullmark), "scan", str(archives), "--ledgers", str(kept), "-q"], check=True)

        return make


def timed(side):
    before, command = side
    before()
    return run(command)


def compare(work, pair, rounds):
    """Prints the row of a pair."""
    sides = (pair.ours, pair.theirs)
    for side in sides:
        timed(side)
    took = [[timed(side) for side in sides] for _ in range(rounds)]
    ratio = statistics.median(ours.seconds / theirs.seconds for ours, theirs in took)
    column = lambda side, what: statistics.median(getattr(pair[side], what) for pair in took)
    seconds, cpu = (" / ".join(f"{column(side, what):.2f}" for side in (0, 1)) for what in ("seconds", "cpu"))
    peak, read = max(ours.peak for ours, _ in took) / MB, column(0, "read") / MB
    print(
        f"| {work} | {pair.against} | {ratio:.2f} | {pair.aim} | {seconds} | {cpu} | {peak:.0f} | {read:.0f} |",
        flush=True,
    )


def compare_memory(rows, rounds):
    """Prints the row of an archive with ten times as many textures, against that of the usual one."""
    large = once(rows.folder / "textures-ten-times.oar", textured(rows.data, "--textures", "51430"))
    peaks = [
        statistics.median(timed((rows.fresh, rows.audit(path))).peak for _ in range(rounds))
        for path in (rows.objects_first, large)
    ]
    told = " and ".join(f"{peak / MB:.0f} MB" for peak in peaks)
    print(f"| peak memory with ten times the textures | one time | {peaks[1] / peaks[0]:.2f} ({told}) | ≤ 1.1 | | | | |")


def main(hullmark, reference, data, folder, rounds="5", word=""):
    hullmark, reference, data, folder = map(pathlib.Path, (hullmark, reference, data, folder))
    if not data.is_dir():
        sys.exit(f"There are no real exports in {data}, and nothing else is large enough to be timed.")
    # What is run inherits this.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    folder.mkdir(parents=True, exist_ok=True)
    rows = Rows(hullmark, reference, data, folder)
    print("| work | against | ratio | goal | median, s | processor, s | peak, MB | read, MB |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for work, pair in rows.all():
        if word in work:
            compare(work, pair(), int(rounds))
    if word in "peak memory":
        compare_memory(rows, int(rounds))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
