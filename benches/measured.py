"""Runs a program and says what it took."""

import collections
import os
import shutil
import subprocess
import time

Took = collections.namedtuple("Took", "seconds cpu peak")


def run(command, fresh=()):
    """Wall clock and processor time in seconds, and peak memory in bytes. Folders in `fresh` are removed before."""
    for folder in fresh:
        shutil.rmtree(folder, ignore_errors=True)
    begun = time.perf_counter()
    program = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(program.pid, 0)
    seconds = time.perf_counter() - begun
    program.returncode = os.waitstatus_to_exitcode(status)
    assert program.returncode == 0, (command, program.returncode)
    return Took(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
