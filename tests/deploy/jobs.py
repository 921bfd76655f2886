"""Runs the commands of an engine's container files on this host, and compares the report with that of an audit."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DONE = 0


def check(engine, hullmark, jobs, index, shares, as_pods=False):
    """`jobs` takes paths of exports, plan, ledgers and report, and returns the commands of plan, scan and report.
    `index` is the variable in which the engine passes a task its number. `as_pods`: each task runs all three commands,
    and the last one writes the report."""
    hullmark = pathlib.Path(hullmark).resolve()
    if not hullmark.is_file():
        return print(f"SKIPPED, {engine}: there is no program {hullmark}, so the commands were not run.")
    with tempfile.TemporaryDirectory() as desk:
        desk = pathlib.Path(desk)
        exports = ROOT / "sample_data"
        commands = jobs(exports, desk / "plan.json", desk / "ledgers", desk / "report")

        def run(command, **variables):
            assert command[0] == "hullmark", command
            ended = subprocess.run([hullmark, *command[1:]], env=os.environ | variables, capture_output=True, text=True, check=False)
            assert ended.returncode == DONE, f"{engine}: {command}: {ended.stderr}"

        if not as_pods:
            run(commands["plan"])
        # In an order that no engine promises.
        for number in sorted(range(shares), key=lambda number: number * 7 % shares):
            for name in ["plan", "scan", "report"] if as_pods else ["scan"]:
                assert not (desk / "report" / "audit.json").exists(), f"{engine}: a report before the last share"
                run(commands[name], **{index: str(number)})
        if not as_pods:
            run(commands["report"])
        subprocess.run([hullmark, "audit", exports, "--out", desk / "alone", "-q"], check=True)
        for alone in (desk / "alone").iterdir():
            # The stamp names the ledgers of a report. It is not part of the report.
            if alone.name != ".hullmark-stamp":
                assert (desk / "report" / alone.name).read_bytes() == alone.read_bytes(), f"{engine}: {alone.name}"
    print(f"{engine}: its commands, run here in {shares} shares, give the report of one machine.")


def check_lake(engine, hullmark, jobs):
    """`jobs` takes paths as in `check`, and returns lists of commands with their variables: those that read, that write a
    report, and that write a lake. The lake has the sums and objects of the report."""
    hullmark = pathlib.Path(hullmark).resolve()
    if not hullmark.is_file():
        return print(f"SKIPPED, {engine}: there is no program {hullmark}, so the steps of a lake were not run.")
    with tempfile.TemporaryDirectory() as desk:
        desk = pathlib.Path(desk)
        for to in ["report", "lake"]:
            lists = dict(jobs(ROOT / "sample_data", desk / "plan.json", desk / "ledgers", desk / to))
            for command, variables in lists["read"] + lists[to] if to == "report" else lists[to]:
                ended = subprocess.run([hullmark, *command[1:], "-q"], env=os.environ | variables, capture_output=True, text=True, check=False)
                assert ended.returncode == DONE, f"{engine}: {command}: {ended.stderr}"
        one, lake = desk / "report", desk / "lake"
        assert (one / "audit.json").read_bytes() == (lake / "audit.json").read_bytes(), f"{engine}: another audit.json"
        lines = lambda paths: sorted(line for path in paths for line in path.read_text("utf-8").splitlines()[1:])
        assert lines([one / "objects.csv"]) == lines((lake / "objects").glob("*.csv")), f"{engine}: other objects"
    print(f"{engine}: its steps, run here, write a lake with the rows of one machine.")


def program():
    return sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "release" / "hullmark"

