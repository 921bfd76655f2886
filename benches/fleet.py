#!/usr/bin/env python3
"""Reports on folders of many ledgers in each of some formats, and prints time, memory and size.

Usage: fleet.py HULLMARK FORMATS[/SHARDS] OUT LEDGERS... [-- ARGUMENTS...]

FORMATS have commas between, and each is a run of its own. With SHARDS the report has so many, one after the other: the
rows are the comparison, the longest shard, all shards together, and the last step. What stands behind -- is given to
every run (--letters, --baseline, --config). `cargo run --release --example ledgers` makes the ledgers. OUT is removed
before each run and behind the last, because ten million objects are ten gigabytes of CSV.
"""

import json
import pathlib
import shutil
import sys

from measured import run


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def steps_of(report, shards, out):
    """Runs the steps of a report in shards. Returns what each took."""
    across = run([*report, "--across", str(shards)], [out])
    parts = [run([*report, "--shard", f"{number}/{shards}"]) for number in range(1, shards + 1)]
    joined = run([*report, "--join"])
    longest = max(parts, key=lambda part: part.seconds)
    seconds, cpu = (sum(getattr(part, name) for part in parts) for name in ["seconds", "cpu"])
    together = longest._replace(seconds=seconds, cpu=cpu, peak=max(part.peak for part in parts))
    return {"--across": across, "longest --shard": longest, f"{shards} shards": together, "--join": joined}


def main(hullmark, formats, out, *rest):
    formats, _, shards = formats.partition("/")
    cut = rest.index("--") if "--" in rest else len(rest)
    out, arguments = pathlib.Path(out), rest[cut + 1 :]
    print("| objects | ledgers | format | step | s | processor, s | peak, MB | report, MB |\n" + "|---" * 8 + "|")
    for folder in map(pathlib.Path, rest[:cut]):
        ledgers = sum(path.suffix == ".ledger" for path in folder.iterdir())
        for format in formats.split(","):
            report = [hullmark, "report", folder, "--out", out, "--format", format, "-q", *arguments]
            if shards:
                plan = ["--plan", folder.with_suffix(".plan.json")]
                steps = steps_of([*report, *plan], int(shards), out)
            else:
                steps = {"whole": run(report, [out])}
            totals = json.loads((out / "audit.json").read_text())["totals"]
            objects = totals["objects"] + totals["nested_objects"] + totals["loose_objects"]
            for step, took in steps.items():
                print(
                    f"| {objects:,} | {ledgers:,} | {format} | {step} | {took.seconds:.0f} | {took.cpu:.0f} "
                    f"| {took.peak / 1e6:.0f} | {size(out) / 1e6:.0f} |",
                    flush=True,
                )
            shutil.rmtree(out)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
