"""Runs the commands of an engine's container files on this host, and compares the report with that of an audit.
As a program it checks the script that they call."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARE = ROOT / "deploy" / "container" / "hullmark-share"
DONE = 0


def check(engine, hullmark, jobs, index, shares):
    """`jobs` takes paths of exports, plan, ledgers and report, and returns the commands of plan, scan and report.
    `index` is the variable in which the engine passes a task its number."""
    hullmark = pathlib.Path(hullmark).resolve()
    if not hullmark.is_file():
        return print(f"SKIPPED, {engine}: there is no program {hullmark}, so the commands were not run.")
    with tempfile.TemporaryDirectory() as desk:
        desk = pathlib.Path(desk)
        exports = ROOT / "sample_data"
        commands = jobs(exports, desk / "plan.json", desk / "ledgers", desk / "report")

        def run(command, **variables):
            program = {"hullmark": hullmark, "hullmark-share": SHARE}[command[0]]
            environment = os.environ | {"HULLMARK": str(hullmark)} | variables
            ended = subprocess.run([program, *command[1:]], env=environment, capture_output=True, text=True, check=False)
            assert ended.returncode == DONE, f"{engine}: {command}: {ended.stderr}"

        run(commands["plan"])
        for number in range(shares):
            run(commands["scan"], **{index: str(number)})
        run(commands["report"])
        subprocess.run([hullmark, "audit", exports, "--out", desk / "alone", "-q"], check=True)
        for alone in (desk / "alone").iterdir():
            # The stamp names the ledgers of a report. It is not part of the report.
            if alone.name != ".hullmark-stamp":
                assert (desk / "report" / alone.name).read_bytes() == alone.read_bytes(), f"{engine}: {alone.name}"
    print(f"{engine}: its commands, run here in {shares} shares, give the report of one machine.")


def check_share():
    """hullmark-share turns exit code 3 into 0, keeps the others, and forwards SIGTERM."""
    with tempfile.TemporaryDirectory() as desk:
        fake = pathlib.Path(desk, "hullmark")
        environment = os.environ | {"HULLMARK": str(fake)}
        fake.write_text('#!/bin/sh\nexit "$1"\n')
        fake.chmod(0o755)
        for code in range(6):
            ended = subprocess.run([SHARE, str(code)], env=environment, check=False)
            assert ended.returncode == (DONE if code == 3 else code), f"{code} became {ended.returncode}"
        # The program finishes its work after SIGTERM, so it ends some time later.
        fake.write_text("#!/bin/sh\ntrap 'stop=1' TERM\necho ready\nfor _ in $(seq 300); do [ -z \"$stop\" ] || break; sleep 0.1; done\nsleep 0.5\nexit 4\n")
        share = subprocess.Popen([SHARE], env=environment, stdout=subprocess.PIPE)
        share.stdout.readline()
        share.send_signal(signal.SIGTERM)
        assert share.wait(30) == 4, share.returncode
    print("container: hullmark-share takes 3 for a success and nothing else, and hands on SIGTERM.")


def program():
    return sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "release" / "hullmark"


if __name__ == "__main__":
    check_share()
