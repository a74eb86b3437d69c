# SPDX-License-Identifier: MIT
"""A control group with a limit of memory, for tests as root."""
import os
import pathlib


def group_new():
    """A group of this test and the file for its limit, or None twice."""
    for base, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(base, f"ubiheap-test-{os.getpid()}")
        try:
            group.mkdir()
        except OSError:
            continue
        if os.access(group / name, os.W_OK):
            return group, group / name
        group.rmdir()
    return None, None
