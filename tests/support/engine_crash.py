# SPDX-License-Identifier: MIT
"""Who crashes? Some engines do not look whether they got memory, above all while they compile. Where a test refuses memory, a crash in
such code is the engine's, and any other is ours. The same for what runs in circles: a program that needs a thousandth of what it may
take of a processor ends with a signal, too.

A library that is loaded before the tool prints the frames of a crash; from the tool's symbols follows whose the innermost one is.
Sanitizers print them by themselves.
"""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

REPORTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char stack[1 << 16];
static void stack_report(int number) {
    void *frames[32];
    char line[4200];
    int n = backtrace(frames, 32);
    for (int i = 0; i < n; i++) {
        Dl_info module;
        if (dladdr(frames[i], &module) && module.dli_fname) {
            int length = snprintf(line, sizeof line, "crash: %s %lx\n", module.dli_fname, (char *)frames[i] - (char *)module.dli_fbase);
            if (write(2, line, length) < 0)
                break;
        }
    }
    signal(number, SIG_DFL);
    raise(number);
}
__attribute__((constructor)) static void begin(void) {
    stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
    struct sigaction action = { .sa_handler = stack_report, .sa_flags = SA_ONSTACK | SA_NODEFER };
    void *none[1];
    backtrace(none, 1); /* what it loads is loaded before */
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGXCPU, &action, NULL);
}
"""
ENGINE = pathlib.Path(os.environ["UBI_QUICKJS_DIR"]).resolve()
EXIT_CODES = (-signal.SIGSEGV, -signal.SIGXCPU, 99)  # the last: a sanitizer's
PROCESSOR_SECONDS = 30


def limit_processor():
    """In a process that may run in circles."""
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, 2 * PROCESSOR_SECONDS))


def library(folder):
    """What goes into LD_PRELOAD."""
    (folder / "reporter.c").write_text(REPORTER)
    path = folder / "reporter.so"
    subprocess.run(["cc", "-O1", "-w", "-shared", "-fPIC", folder / "reporter.c", "-o", path, "-ldl"], check=True)
    return str(path)


def innermost(errors):
    """(function, file or "??") of the innermost frame that is the tool's, or None: there is none."""
    for function, file in re.findall(r"^\s*#\d+ 0x\w+ in (\S+) (/\S+?):\d+", errors, re.MULTILINE):
        if "sanitizer" not in file:
            return function, file
    tool = os.path.realpath(shutil.which(os.environ["UBIHEAP"]))
    for module, offset in re.findall(r"^crash: (\S+) (\w+)$", errors, re.MULTILINE):
        if os.path.basename(module) == os.path.basename(tool):
            said = subprocess.run(["addr2line", "-i", "-f", "-e", tool, offset], capture_output=True, text=True, check=True).stdout
            function, file = said.splitlines()[:2]
            return function, file.split(":")[0]
    return None


def is_of_engine(errors):
    found = innermost(errors)
    if not found:
        return False
    function, file = found
    if file not in ("", "??"):
        return ENGINE in pathlib.Path(file).resolve().parents
    name = re.escape(function.split(".")[0])
    return any(re.search(rf"^\w.*\b{name}\(", source.read_text(errors="replace"), re.MULTILINE) for source in ENGINE.glob("*.c"))
