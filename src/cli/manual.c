/* SPDX-License-Identifier: MIT
 *
 * manual.c: the parts of the manual that belong to no single command.
 */
#include "cli/manual.h"

const ubi__manual_row ubi__manual_usage[] = {
    { "ubiheap FILE", "say on one page what fills FILE, and what to do next" },
    { "ubiheap COMMAND FILE", "run one of the commands below" },
    { "ubiheap help COMMAND", "say what it is for, with examples" },
    { "ubiheap --version", "print the version" },
    { NULL, NULL },
};

const char ubi__manual_about[] =
    "ubiheap opens heap snapshots and says what is in them: how much memory, in what kinds of things, who keeps it "
    "alive, and what leaks. It reads the .heapsnapshot files of Node.js and Chrome, the .fxsnapshot files of Firefox, "
    "compressed or not, and its own recordings of programs. FILE is a path, or - for standard input.\n"
    "\n"
    "Results go to standard output, everything else to standard error. With --json every command prints one "
    "JSON document whose schema is named in it. When the reader of a pipe goes away, the command stops "
    "without complaint and with status 0.";

const ubi__manual_row ubi__manual_exit_codes[] = {
    { "0", "done" },
    { "1", "a condition given with --fail-on holds" },
    { "2", "wrong usage" },
    { "3", "bad input file, or it cannot be told whether a condition holds" },
    { "4", "input/output, memory or system error" },
    { "130", "interrupted" },
    { NULL, NULL },
};

const ubi__manual_row ubi__manual_environment[] = {
    { "NO_COLOR", "when set and not empty, no colour unless --color=always" },
    { "COLUMNS", "width of the output; default: the terminal's, 100 without one" },
    { "LC_ALL, LC_CTYPE, LANG", "the first that is set names the charset; other than UTF-8: plain ASCII output" },
    { NULL, NULL },
};
