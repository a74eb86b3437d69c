#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the library shows to programs, and what it needs of them."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from interpose_harness import LIBRARY  # noqa: E402

C_HOOKS = """malloc calloc free realloc reallocarray posix_memalign aligned_alloc memalign valloc pvalloc free_sized
    free_aligned_sized mmap mmap64 munmap mremap brk sbrk dlopen dlmopen dlclose
    ubi_recorder_join_port ubi_recorder_leave_port""".split()
CXX_HOOKS = [f"_Z{new}m{how}" for new in ("nw", "na")
             for how in ("", "RKSt9nothrow_t", "St11align_val_t", "St11align_val_tRKSt9nothrow_t")]
CXX_HOOKS += [f"_Z{delete}Pv{how}" for delete in ("dl", "da")
              for how in ("", "m", "RKSt9nothrow_t", "St11align_val_t", "mSt11align_val_t",
                          "St11align_val_tRKSt9nothrow_t")]


class PreloadSymbols(unittest.TestCase):
    def test_nothing_is_exported_but_the_hooks(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", str(LIBRARY)], stdout=subprocess.PIPE,
                                text=True, check=True).stdout
        self.assertEqual(sorted(line.split()[0] for line in listed.splitlines()), sorted(C_HOOKS + CXX_HOOKS))

    def test_nothing_is_needed_but_the_c_library(self):
        listed = subprocess.run(["readelf", "-dW", str(LIBRARY)], stdout=subprocess.PIPE, text=True, check=True).stdout
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", listed))
        self.assertLessEqual(needed, {"libc.so.6", "ld-linux-x86-64.so.2"})
        self.assertIn("STATIC_TLS", listed)  # initial-exec: no access calls the loader

    def test_it_calls_nothing_that_allocates(self):
        listed = subprocess.run(["nm", "-D", "--undefined-only", "--format=posix", str(LIBRARY)],
                                stdout=subprocess.PIPE, text=True, check=True).stdout
        used = {line.split()[0].split("@")[0] for line in listed.splitlines()}
        self.assertFalse(used & {"printf", "fprintf", "snprintf", "fopen", "getline", "syscall", "mmap", "malloc",
                                 "__tls_get_addr", "log", "log1p"})


if __name__ == "__main__":
    unittest.main()
