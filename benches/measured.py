"""Runs a program and says what it took."""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import time

Took = collections.namedtuple("Took", "seconds cpu peak read")


def run(command, fresh=()):
    """Wall clock and processor time in seconds, peak memory and read bytes. Folders in `fresh` are removed before."""
    for folder in fresh:
        shutil.rmtree(folder, ignore_errors=True)
    begun = time.perf_counter()
    program = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    # Ended, and not yet removed: the system still knows what it read.
    os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
    seconds = time.perf_counter() - begun
    counts = pathlib.Path(f"/proc/{program.pid}/io").read_text()
    _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    assert program.returncode == 0, (command, program.returncode)
    read = int(re.search(r"rchar: (\d+)", counts)[1])
    return Took(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, read)
