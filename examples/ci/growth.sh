#!/bin/sh
# SPDX-License-Identifier: MIT
#
# growth.sh BASELINE NEW: compares a heap snapshot with one that was stored, and fails when the heap grew. The two may be of
# different processes: only sums are compared.
#
#     sh growth.sh baseline.heapsnapshot new.heapsnapshot
#
# CONDITION says what is too much; UBIHEAP is how the tool is called. Exit status: 0 no growth, 1 growth, above that: this
# could not be judged. A job must fail then, too.
set -u
condition=${CONDITION:-growth > 5%}
ubiheap=${UBIHEAP:-ubiheap}

cannot_judge() { # why, status
    echo "growth: could not be judged: $1" >&2
    exit "$2"
}

[ $# -eq 2 ] || cannot_judge "usage: growth.sh BASELINE NEW" 2
[ -e "$1" ] || cannot_judge "there is no baseline; to store one: cp $2 $1" 3

# shellcheck disable=SC2086 # UBIHEAP may have more than one word, such as npx ubiheap
$ubiheap diff --fail-on "$condition" "$1" "$2"
status=$?
case $status in
0) echo "growth: passed; too much would be: $condition" ;;
1) echo "growth: failed; if this is how it should be, store a new baseline: cp $2 $1" >&2 ;;
*) cannot_judge "ubiheap ended with status $status" "$status" ;;
esac
exit "$status"
