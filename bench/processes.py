# SPDX-License-Identifier: MIT
"""Whole processes, measured as a user starts them: what the kernel says of wall time, processor time and memory.

A peak below that of this program itself, some 15 MiB, cannot be told."""
import mmap
import os
import subprocess
import sys
import tempfile
import time

PAGE_BYTES = 4096
# What is touched before the first run of a series.
FIRST_TOUCH_BYTES = 3 << 30


def touch(n_bytes):
    """Touches fresh memory in a process of its own: what a virtual machine must first get from its host is slow."""
    if n_bytes == 0:
        return
    child = os.fork()
    if child == 0:
        memory = mmap.mmap(-1, n_bytes)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, n_bytes, PAGE_BYTES):
            memory[at] = 1
        os._exit(0)
    os.waitpid(child, 0)


def run(command, environment=None, with_output=True, with_errors=False):
    """(what the process prints, with its standard error if wanted, or None; what it needed). Ends the program if that one fails."""
    with tempfile.TemporaryFile() if with_output else open(os.devnull, "wb") as output:
        started = time.monotonic_ns()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT if with_errors else None, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall_ns = time.monotonic_ns() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"bench: `{' '.join(command)}` ended with status {process.returncode}")
        said = None
        if with_output:
            output.seek(0)
            said = output.read()
    return said, {"wallNs": wall_ns, "userNs": round(usage.ru_utime * 1e9), "systemNs": round(usage.ru_stime * 1e9),
                  "peakRssBytes": usage.ru_maxrss * 1024}
