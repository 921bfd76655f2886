#!/usr/bin/env python3
"""Measures the page of web/dist: its time beside that of the command, and the memory of the browser.

Usage: page.py HULLMARK ARCHIVE [--runs N] [--most MEGABYTES]

Audits ARCHIVE N times (5) in the page and by the command with one thread, in turn. Prints the median of each, and their
ratio. The memory is that of the browser's process of the page, as the system divides shared pages (PSS). Fails if its peak is over MEGABYTES. Needs Chromium and a built page.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests/browser"))

from audit_page import Page, Server
from chromium import Browser


def of_command(program, archive):
    """Returns the seconds of the command, with the report of the page."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        subprocess.run([program, "audit", archive, "--out", folder, "--format", "html", "--threads", "1", "-q"],
                       capture_output=True)
        return time.perf_counter() - begun


def bytes_of(process):
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024


class Memory:
    """The memory of a process, watched from the first call of `begin`."""

    def __init__(self, process):
        self.process, self.peak, self.ended = process, 0, False

    def __enter__(self):
        self.before = bytes_of(self.process)
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while not self.ended:
            self.peak = max(self.peak, bytes_of(self.process))
            time.sleep(0.1)

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()


def of_page(archive):
    """Returns the seconds of the page, and its bytes at the peak, after the report was shown, and before."""
    with Browser() as browser:
        server = Server()
        page = Page(browser, server.address)
        browser.run("compiled.then(() => 1)")
        time.sleep(2)
        processes = browser.send("SystemInfo.getProcessInfo", session=None)["processInfo"]
        # There may be a spare one without a page.
        process = max((process["id"] for process in processes if process["type"] == "renderer"), key=bytes_of)
        with Memory(process) as memory:
            begun = time.perf_counter()
            page.audits([archive], seconds=1000)
            seconds = time.perf_counter() - begun
            time.sleep(1)
            after = bytes_of(process)
        server.shutdown()
        server.server_close()
        return seconds, memory.peak, after, memory.before


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("archive", type=pathlib.Path)
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--most", type=float, default=400)
    given = arguments.parse_args()
    program, archive = given.program.resolve(), given.archive.resolve()
    command, page = [], []
    for _ in range(given.runs):
        command.append(of_command(program, archive))
        page.append(of_page(archive))
    seconds, peak, after, before = zip(*page)
    own, others = statistics.median(seconds), statistics.median(command)
    print(f"{archive.name}: {own:.1f} s in the page, {others:.1f} s by the command, ratio {own / others:.1f}")
    told = [f"{max(bytes) / 1e6:.0f}" for bytes in (before, peak, after)]
    print(f"memory: {told[0]} MB before, {told[1]} MB at the peak, {told[2]} MB after the report was shown")
    sys.exit(max(peak) > given.most * 1e6)


if __name__ == "__main__":
    main()
