#!/usr/bin/env python3
"""Reports on folders of many ledgers in each of some formats, and prints time, memory and size.

Usage: fleet.py HULLMARK FORMATS OUT LEDGERS... [-- ARGUMENTS...]

FORMATS have commas between, and each is a run of its own; what stands behind -- is given to every run (--letters,
--baseline, --config). `cargo run --release --example ledgers` makes the ledgers. OUT is removed before each run and
behind the last, because ten million objects are ten gigabytes of CSV.
"""

import json
import pathlib
import shutil
import sys

from measured import run


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main(hullmark, formats, out, *rest):
    cut = rest.index("--") if "--" in rest else len(rest)
    out, arguments = pathlib.Path(out), rest[cut + 1 :]
    print("| objects | ledgers | format | s | processor, s | peak, MB | report, MB |\n|---|---|---|---|---|---|---|")
    for folder in map(pathlib.Path, rest[:cut]):
        ledgers = sum(path.suffix == ".ledger" for path in folder.iterdir())
        for format in formats.split(","):
            report = [hullmark, "report", folder, "--out", out, "--format", format, "-q", *arguments]
            took = run(report, [out])
            totals = json.loads((out / "audit.json").read_text())["totals"]
            objects = totals["objects"] + totals["nested_objects"] + totals["loose_objects"]
            print(
                f"| {objects:,} | {ledgers:,} | {format} | {took.seconds:.0f} | {took.cpu:.0f} "
                f"| {took.peak / 1e6:.0f} | {size(out) / 1e6:.0f} |",
                flush=True,
            )
            shutil.rmtree(out)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
