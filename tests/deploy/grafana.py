#!/usr/bin/env python3
"""Checks the dashboard of deploy/grafana: its layout, and each query against a real Prometheus.

    grafana.py HULLMARK

The numbers are those of two runs over samples. Needs `pip install jsonschema`, and `prometheus` with `promtool` (Debian
has a package). Without these the queries are not run, and the script says so.
"""

import http.server
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "deploy/grafana/hullmark.json"

TEXT = {"type": "string", "minLength": 1}
SOURCE = {
    "type": "object",
    "properties": {"type": {"const": "prometheus"}, "uid": {"const": "${source}"}},
    "required": ["type", "uid"],
    "additionalProperties": False,
}
CELL = {"type": "integer", "minimum": 0, "maximum": 1000}
# The part of Grafana's model of dashboards that this one uses: an unknown key is a mistake.
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "uid", "schemaVersion", "panels", "templating", "time"],
    "properties": {
        "title": TEXT,
        "uid": {"type": "string", "pattern": "^[a-z0-9-]{1,40}$"},
        "description": TEXT,
        "tags": {"type": "array", "items": TEXT},
        "schemaVersion": {"type": "integer", "minimum": 36},
        "version": {"type": "integer"},
        "editable": {"type": "boolean"},
        "timezone": {"type": "string"},
        "refresh": {"type": "string", "pattern": "^[0-9]+[smh]$"},
        "time": {"type": "object", "required": ["from", "to"]},
        "annotations": {"type": "object"},
        "templating": {
            "type": "object",
            "required": ["list"],
            "properties": {
                "list": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name", "type", "query"],
                        "properties": {"type": {"enum": ["datasource", "query"]}},
                    },
                }
            },
        },
        "panels": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "type", "title", "description", "datasource", "gridPos", "targets", "fieldConfig"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1},
                    "type": {"enum": ["stat", "bargauge", "timeseries"]},
                    "title": TEXT,
                    "description": TEXT,
                    "datasource": SOURCE,
                    "options": {"type": "object"},
                    "gridPos": {
                        "type": "object",
                        "required": ["x", "y", "w", "h"],
                        "properties": {"x": CELL, "y": CELL, "w": {"maximum": 24}, "h": CELL},
                        "additionalProperties": False,
                    },
                    "fieldConfig": {
                        "type": "object",
                        "required": ["defaults", "overrides"],
                        "properties": {
                            "defaults": {
                                "type": "object",
                                "properties": {
                                    "unit": {"enum": ["none", "short", "s", "bytes", "percentunit"]},
                                    "min": {"type": "number"},
                                    "max": {"type": "number"},
                                    "mappings": {"type": "array"},
                                    "thresholds": {
                                        "type": "object",
                                        "required": ["mode", "steps"],
                                        "properties": {"mode": {"const": "absolute"}},
                                    },
                                },
                                "additionalProperties": False,
                            }
                        },
                    },
                    "targets": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["refId", "datasource", "expr"],
                            "properties": {"expr": TEXT, "datasource": SOURCE},
                        },
                    },
                },
            },
        },
    },
}


def check_layout(dashboard: dict) -> None:
    errors = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(dashboard)]
    assert not errors, "\n".join(errors)
    panels = dashboard["panels"]
    numbers = [panel["id"] for panel in panels]
    assert len(set(numbers)) == len(numbers), "two panels have one id"
    cells = set()
    for panel in panels:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24, f"{panel['title']} leaves the grid"
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                assert (x, y) not in cells, f"{panel['title']} covers another panel"
                cells.add((x, y))


def metrics(hullmark: str, folder: Path) -> Path:
    """Returns the metrics of the second of two runs, so that it has changes."""
    exports = folder / "exports"
    shutil.copytree(ROOT / "sample_data/regions", exports)
    file = folder / "hullmark.prom"
    for _ in range(2):
        command = [hullmark, "audit", exports, "--out", folder / "report", "--ledgers", folder / "ledgers"]
        command += ["--baseline", folder / "report", "--baseline-if-there", "--metrics", file, "--format", "csv", "-q"]
        # Findings are no failure, and neither are damaged samples.
        assert subprocess.run(command, check=False).returncode in (0, 1, 3)
    return file


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def serve(file: Path) -> int:
    """Serves the metrics as node_exporter would, and returns the port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(file.read_bytes())

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def query(port: int, expression: str) -> list:
    """Returns the samples of an instant query."""
    words = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?{words}", timeout=10) as answer:
        return json.load(answer)["data"]["result"]


def check_queries(dashboard: dict, file: Path, folder: Path) -> int:
    subprocess.run(["promtool", "check", "metrics"], stdin=file.open(), check=True)
    port = free_port()
    target = json.dumps([f"127.0.0.1:{serve(file)}"])
    (folder / "prometheus.yml").write_text(
        f"scrape_configs: [{{job_name: node, scrape_interval: 1s, static_configs: [{{targets: {target}}}]}}]\n"
    )
    command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    server = subprocess.Popen(command)
    try:
        deadline = time.monotonic() + 60
        while True:
            assert server.poll() is None and time.monotonic() < deadline, "Prometheus does not answer"
            try:
                if query(port, "hullmark_run_complete"):
                    break
            except OSError:
                pass
            time.sleep(0.3)
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        for expression in expressions:
            samples = query(port, expression.replace("$instance", ".*"))
            assert samples, f"No sample: {expression}"
        fills = query(port, "topk(1, hullmark_region_load / hullmark_region_capacity)")
        lines = file.read_text(encoding="utf-8").splitlines()
        region = fills[0]["metric"]["region"]
        numbers = [
            float(line.rsplit(" ", 1)[1])
            for name in ("load", "capacity")
            for line in lines
            if line.startswith(f"hullmark_region_{name}{{") and json.dumps(region, ensure_ascii=False) in line
        ]
        assert abs(float(fills[0]["value"][1]) - numbers[0] / numbers[1]) < 1e-12, (fills, numbers)
        return len(expressions)
    finally:
        server.terminate()
        server.wait()


def main(hullmark: str) -> None:
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    check_layout(dashboard)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = metrics(hullmark, folder)
        known = set(re.findall(r"^# TYPE (\S+)", file.read_text(encoding="utf-8"), re.MULTILINE))
        used = set(re.findall(r"hullmark_\w+", json.dumps(dashboard)))
        assert used <= known, f"The program writes no {', '.join(sorted(used - known))}"
        print(f"grafana: the layout is right, and the program writes all {len(used)} metrics of the dashboard.")
        if shutil.which("prometheus") and shutil.which("promtool"):
            count = check_queries(dashboard, file, folder)
            print(f"grafana: Prometheus answers all {count} queries of the dashboard.")
        else:
            print("SKIPPED, queries of the dashboard: there is no prometheus.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
