#!/usr/bin/env python3
"""Runs the programs for other engines in docs/many-machines.md: each block is taken from the page, not copied.

Usage: engines.py [HULLMARK]

Needs the engines themselves, as `pip install dask distributed ray datafusion`; HULLMARK has the feature parquet. Those that
are missing are named. A block of Airflow is only compiled.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jobs

PAGE = jobs.ROOT / "docs" / "many-machines.md"
# What stands for the cluster of the page: one on this machine.
HERE = {
    "Dask": [('Client("tcp://scheduler:8786")', "Client(processes=False, n_workers=1, threads_per_worker=2)")],
    "Ray": [('ray.init("auto")', "ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)")],
    "DataFusion": [],
}
PACKAGES = {"Dask": "distributed", "Ray": "ray", "DataFusion": "datafusion"}


def blocks():
    """Returns the programs of the page, by the name before each."""
    found = re.findall(r"\*\*(\w+)\*\*[^`]*?(?:`[^`\n]+`[^`]*?)*```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert [name for name, _ in found] == ["Dask", "Ray", "Airflow", "DataFusion"], found
    return dict(found)


def audit(hullmark, desk, *words):
    ended = subprocess.run([hullmark, *words], cwd=desk, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def check(name, text, hullmark):
    package = PACKAGES[name]
    if not importlib.util.find_spec(package):
        return print(f"SKIPPED, {name}: there is no {package}.")
    with tempfile.TemporaryDirectory() as folder:
        desk = pathlib.Path(folder)
        # The page calls the program by its name.
        programs = desk / "bin"
        programs.mkdir()
        (programs / "hullmark").symlink_to(hullmark)
        for there, here in HERE[name]:
            assert there in text, f"{name}: {there}"
            text = text.replace(there, here)
        (desk / "program.py").write_text(text)
        exports = jobs.ROOT / "sample_data" / "regions"
        audit(hullmark, desk, "plan", exports, "--out", "plan.json", "-q")
        audit(hullmark, desk, "audit", exports, "--out", "report", "--format", "csv,parquet", "-q")
        variables = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
        ended = subprocess.run(
            [sys.executable, "program.py"], cwd=desk, env=variables, capture_output=True, text=True, check=False, timeout=300
        )
        assert ended.returncode == 0, f"{name}: {ended.stderr[-2000:]}"
        if "scan" in text:
            # Fails if a shard is missing.
            audit(hullmark, desk, "report", "ledgers", "--plan", "plan.json", "--out", "shards", "--format", "csv", "-q")
            for table in (desk / "report").glob("*.csv"):
                assert (desk / "shards" / table.name).read_bytes() == table.read_bytes(), f"{name}: {table.name}"
            print(f"{name}: the program of the page reads all shards, and their report is that of one machine.")
        else:
            regions = len((desk / "report" / "regions.csv").read_text().splitlines()) - 1
            assert ended.stdout.count("|") > regions, ended.stdout
            print(f"{name}: the program of the page reads the tables of a report.")


if __name__ == "__main__":
    for name, text in blocks().items():
        compile(text, name, "exec")
        if name in HERE:
            check(name, text, pathlib.Path(jobs.program()).resolve())
