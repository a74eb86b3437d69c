#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cpp-leak.sh PROGRAM ARGUMENTS...: records a native program, every allocation of it, and fails when it ends without having
# freed all of them. What the C and C++ libraries keep on purpose does not count. Compile with -g, to see lines, and
# install the symbols of the C library (Debian: libc6-dbg): without them, what setenv, localtime, gettext and res_init keep
# counts as the program's.
#
#     sh cpp-leak.sh build/tests --all
#
# CONDITION says what is too much, RECORDING where the recording goes (leak.ubirec), RECORD_OPTIONS how to record (--exact);
# UBIHEAP is how the tool is called. Exit status: 0 no leak, 1 a leak, above that: this could not be judged. A job must fail
# then, too.
set -u
condition=${CONDITION:-leaked > 0}
recording=${RECORDING:-leak.ubirec}
ubiheap=${UBIHEAP:-ubiheap}

cannot_judge() { # why, status
    echo "cpp-leak: could not be judged: $1" >&2
    exit "$2"
}

[ $# -ge 1 ] || cannot_judge "usage: cpp-leak.sh PROGRAM ARGUMENTS..." 2
rm -f "$recording"
# shellcheck disable=SC2086 # UBIHEAP and RECORD_OPTIONS may have more than one word
$ubiheap record ${RECORD_OPTIONS:---exact} --output "$recording" -- "$@" ||
    cannot_judge "the program, or its recording, ended with status $?: $*" 3

# shellcheck disable=SC2086
$ubiheap report --by leaked --fail-on "$condition" "$recording"
status=$?
case $status in
0) echo "cpp-leak: passed; a leak would be: $condition" ;;
1) echo "cpp-leak: failed; the recording is $recording" >&2 ;;
*) cannot_judge "ubiheap ended with status $status" "$status" ;;
esac
exit "$status"
