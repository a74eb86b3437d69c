# SPDX-License-Identifier: MIT
"""Whole processes, measured as a user starts them: what the kernel says of wall time, processor time and memory.

They are started by a small program (launcher/launch.c), because the kernel counts into a process's peak what it was before it
became the program that is measured: started from here, each would need what Python needs.
"""
import atexit
import mmap
import os
import pathlib
import shutil
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


_launcher = []


def launcher():
    """The path of the small program, compiled at its first use."""
    if not _launcher:
        folder = tempfile.mkdtemp(prefix="ubiheap-launcher-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        program = os.path.join(folder, "launch")
        source = pathlib.Path(__file__).resolve().parent / "launcher" / "launch.c"
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-o", program, source], check=True)
        _launcher.append(program)
    return _launcher[0]


def start(command, **options):
    """(the process, where to read what it needed): to be waited for, and then given to `needed`."""
    reading, writing = os.pipe()
    process = subprocess.Popen([launcher(), str(writing), *map(str, command)], stdin=subprocess.DEVNULL, pass_fds=(writing,),
                               **options)
    os.close(writing)
    return process, reading


def needed(process, reading):
    """Waits for the end. (Exit status as of subprocess; user and system nanoseconds, peak bytes; ticks of itself, of children.)"""
    with os.fdopen(reading, "rb") as pipe:
        words = pipe.readline().split()
    process.wait()
    if len(words) != 6:
        return 127, {"userNs": 0, "systemNs": 0, "peakRssBytes": 0}, (0, 0)
    status, user_us, system_us, peak_kib, own, children = map(int, words)
    return (os.waitstatus_to_exitcode(status),
            {"userNs": user_us * 1000, "systemNs": system_us * 1000, "peakRssBytes": peak_kib * 1024}, (own, children))


def run(command, environment=None, with_output=True, with_errors=False, preexec=None):
    """(what the process prints, with its standard error if wanted, or None; what it needed). Ends the program if that one fails.
    `preexec` is called in the new process."""
    launcher()  # not on the clock
    with tempfile.TemporaryFile() if with_output else open(os.devnull, "wb") as output:
        started = time.monotonic_ns()
        process, reading = start(command, stdout=output, stderr=subprocess.STDOUT if with_errors else None, env=environment,
                                 preexec_fn=preexec)
        status, usage, _ = needed(process, reading)
        wall_ns = time.monotonic_ns() - started
        if status != 0:
            sys.exit(f"bench: `{' '.join(map(str, command))}` ended with status {status}")
        said = None
        if with_output:
            output.seek(0)
            said = output.read()
    return said, {"wallNs": wall_ns, **usage}
