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

C_HOOKS = """execl execle execlp execv execve execvp execvpe fexecve posix_spawn posix_spawnp system popen
malloc calloc free realloc reallocarray posix_memalign aligned_alloc memalign valloc pvalloc free_sized
    free_aligned_sized mmap mmap64 munmap mremap brk sbrk dlopen dlmopen dlclose prctl syscall
    ubi_recorder_ask ubi_recorder_join_port ubi_recorder_leave_port ubi_recorder_join_scripts ubi_recorder_leave_scripts ubi_recorder_script_blocks
    ubi_recorder_script_class
    ubi_recorder_attachment ubi_recorder_knock ubi_recorder_enter ubi_recorder_leave""".split()
CXX_HOOKS = [f"_Z{new}m{how}" for new in ("nw", "na")
             for how in ("", "RKSt9nothrow_t", "St11align_val_t", "St11align_val_tRKSt9nothrow_t")]
CXX_HOOKS += [f"_Z{delete}Pv{how}" for delete in ("dl", "da")
              for how in ("", "m", "RKSt9nothrow_t", "St11align_val_t", "mSt11align_val_t",
                          "St11align_val_tRKSt9nothrow_t")]

# All that the library takes from the C library, and why that can neither wait for a lock nor allocate. What a hook calls may
# run in the middle of anything: inside an allocator, the loader, or a function that holds a lock of the C library.
CALLED = {
    **dict.fromkeys("memchr memcmp memcpy memmove memset stpcpy strchr strcmp strcpy strcspn strlen strncmp strnlen strrchr "
                    "strspn".split(), "reads and writes memory alone"),
    **dict.fromkeys("__environ environ __errno_location __libc_single_threaded __libc_stack_end _r_debug __progname program_invocation_short_name".split(), "data"),
    **dict.fromkeys("_ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __cxa_finalize __gmon_start__".split(),
                    "of the compiler's start files, when the process ends"),
    "getpid": "a system call",
    "getauxval": "reads a table that the kernel made",
    "pthread_self": "reads a register",
    "pthread_key_create": "compare and swap in a static table",
    "pthread_setspecific": "a store into the thread, for keys below 32; others are not used",
    "_dl_find_object": "promised to be good in signal handlers",
    "dl_iterate_phdr": "the loader's lock, which its holder can take again: in dlclose, which takes it itself; for stacks only "
                       "where there is no _dl_find_object, before glibc 2.35; and where it was attached to a program, to divert calls of "
                       "modules: at the first allocations of a thread after its dlopen",
    "__register_atfork": "a lock, and may allocate: in the library's constructor, never in a hook",
    "abort": "the end",
}


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

    def test_it_calls_nothing_that_locks_or_allocates(self):
        listed = subprocess.run(["nm", "-D", "--undefined-only", "--format=posix", str(LIBRARY)],
                                stdout=subprocess.PIPE, text=True, check=True).stdout
        used = {line.split()[0].split("@")[0] for line in listed.splitlines()}
        self.assertEqual(used - set(CALLED), set(), "say here why it may be called in the middle of anything")


if __name__ == "__main__":
    unittest.main()
