"""Uses the page of web/dist in Firefox: samples have the tables of the command, and nothing is requested after load.

python3 tests/browser/web_firefox.py target/release/hullmark [../shared/data]

tests/browser/web.py tests much more, in Chromium. This is the part that depends on the browser.
"""

import sys

# Behind the standard library, because this folder has a file named html.py.
sys.path.append(sys.path.pop(0))

import argparse
import pathlib
import time

from audit_page import FILES, SAMPLES, Page, Server, connects_nowhere, equals_the_command, works_from_the_disk
from firefox import Browser

CHOICES = [
    ["regions/over-the-cap.oar"], ["meshes/bare-mesh.slm"], ["viewers/placeholders.oxp"], ["databases/opensim.sql"],
    ["databases/standalone/OpenSim.db", "databases/standalone/Asset.db"],
    ["objects/saved-scene.xml", "objects/decimal-comma.xml", "objects/mesh-is-missing.xml"],
]
REAL = ["ElfEars.iar", "faraway.oar", "databases/caprica.db"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("real", type=pathlib.Path, nargs="?")
    given = arguments.parse_args()
    program = given.program.resolve()
    choices = [[SAMPLES / name for name in names] for names in CHOICES]
    if given.real and given.real.exists():
        choices += [[given.real.resolve() / name] for name in REAL]
    server = Server()
    with Browser() as browser:
        page = Page(browser, server.address)
        page.until("navigator.serviceWorker.ready.then(() => true)")
        time.sleep(1)
        before = list(server.asked)
        assert all(path.lstrip("/") in FILES for path in before), before
        counts = [equals_the_command(page, program, paths) for paths in choices]
        page.target("opensim-ubode")
        assert not browser.complaints(), browser.complaints()
        connects_nowhere(page, server, before)
        works_from_the_disk(browser, program)
    findings, objects = (sum(column) for column in zip(*counts))
    print(f"The page equals the command in Firefox on {len(counts)} choices: {findings} findings, {objects} objects.")


main()
