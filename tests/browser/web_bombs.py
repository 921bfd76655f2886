"""Drops the bombs of tests/scripts/bombs.py on the page of web/dist in Chromium.

python3 tests/browser/web_bombs.py target/release/hullmark [--all]

Each must give the codes of the command, or a sentence. Afterwards the page must audit a sample. Without --all, bombs that
take a browser more than a few seconds are left out. Needs about 200 MB in the temporary folder.
"""

import sys

# Behind the standard library, because this folder has a file named html.py.
sys.path.append(sys.path.pop(0))

import argparse
import csv
import io
import itertools
import pathlib
import tempfile
import time

from audit_page import ROOT, SAMPLES, Page, Server, tables_in, told_by_command
from chromium import Browser

sys.path.append(str(ROOT / "tests/scripts"))
import bombs

SECONDS = 300  # until an audit counts as endless
SLOW = ["3 GB", "60,000,000", "9,000,000 triangles"]


def codes_of(tables):
    rows = csv.DictReader(io.StringIO(tables["findings.csv"].decode()))
    return {row["code"] for row in rows} - {"RUN003"}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("--all", action="store_true")
    given = arguments.parse_args()
    program = given.program.resolve()
    server = Server()
    wrong = 0
    print("| bomb | s | in the page |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page = Page(browser, server.address)
        folder = pathlib.Path(folder)
        is_wanted = lambda name: given.all or not any(word in name for word in SLOW)
        crowds = (crowd[:3] for crowd in bombs.crowds(folder / "crowd")) if given.all else []
        for name, path, expected in itertools.chain(bombs.make(folder, is_wanted), bombs.containers(folder, is_wanted), crowds):
            begun = time.monotonic()
            told = page.audit([path], "folder-input" if path.is_dir() else "file-input", SECONDS)
            seconds = time.monotonic() - begun
            if browser.run("at('report').hidden"):
                right, words = len(told) > 20, told
            else:
                codes, others = codes_of(page.tables()), codes_of(told_by_command(program, [path]))
                right = codes == others and (not expected or codes & set(expected))
                words = ", ".join(sorted(codes)) + ("" if right else f" instead of {', '.join(sorted(others))}")
            page.audits([SAMPLES / "regions/over-the-cap.oar"])
            wrong += not right
            print(f"| {name}{'' if right else ' **wrong**'} | {seconds:.1f} | {words} |", flush=True)
    sys.exit(f"{wrong} are wrong" if wrong else 0)


main()
