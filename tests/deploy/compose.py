#!/usr/bin/env python3
"""Checks deploy/compose: its schema by docker-compose, and its command by running it here, two nights long.

Usage: compose.py [HULLMARK]

Needs PyYAML; docker-compose for the schema. No container is started.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import jobs
import yaml

COMPOSE = jobs.ROOT / "deploy" / "compose"


def schema():
    if not shutil.which("docker-compose"):
        return print("SKIPPED, schema of compose.yaml: there is no docker-compose.")
    file = COMPOSE / "compose.yaml"
    checked = subprocess.run(["docker-compose", "--file", file, "config", "--quiet"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    print("compose: compose.yaml is as docker-compose wants it.")


def nights(hullmark):
    """Runs the command in place of the container: /exports and /work are folders here."""
    service = yaml.safe_load((COMPOSE / "compose.yaml").read_text())["services"]["audit"]
    lines = (COMPOSE / "hullmark.env").read_text().splitlines()
    variables = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    with tempfile.TemporaryDirectory() as desk:
        places = {"/exports": str(jobs.ROOT / "sample_data" / "regions"), "/work": desk}
        # A path is a word, or follows the name of a flag.
        inside = re.compile(r"(^|=)(/exports|/work)(?=/|$)")
        command = [inside.sub(lambda found: found[1] + places[found[2]], word) for word in service["command"]]
        mounted = {volume.split(":")[1] for volume in (one.replace(":-", "-") for one in service["volumes"])}
        assert mounted == set(places), mounted
        for night in range(2):
            ended = subprocess.run([hullmark, *command], env=os.environ | variables, capture_output=True, text=True, check=False)
            assert ended.returncode == 0, ended.stderr
            audit = json.loads(pathlib.Path(desk, "report", "audit.json").read_text())
            assert ("changes" in audit) == (night > 0), "each night is compared with the one before"
            assert "ubODE" in audit["manifest"]["profile"]["description"], "hullmark.env names the target"
        assert pathlib.Path(desk, "hullmark.prom").is_file()
    print("compose: its command, run here on two nights, gives a report that is compared with the one before.")


if __name__ == "__main__":
    schema()
    nights(jobs.program())
