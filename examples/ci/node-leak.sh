#!/bin/sh
# SPDX-License-Identifier: MIT
#
# node-leak.sh FOLDER COMMAND...: runs COMMAND, which leaves heap snapshots of one Node.js process in FOLDER, three or more,
# with the same work between them. Fails when objects pile up. Older snapshots in FOLDER are removed first.
#
#     sh node-leak.sh snapshots node leak-check.js snapshots
#
# CONDITION says what is too much; UBIHEAP is how the tool is called. Exit status: 0 no leak, 1 a leak, above that: this
# could not be judged. A job must fail then, too.
set -u
condition="${CONDITION:-leaked(steady) > 50 or retained(steady) > 1MiB or grown(steady) > 1MiB or unlisted(steady) > 1MiB}"
ubiheap=${UBIHEAP:-ubiheap}

cannot_judge() { # why, status
    echo "node-leak: could not be judged: $1" >&2
    exit "$2"
}

[ $# -ge 2 ] || cannot_judge "usage: node-leak.sh FOLDER COMMAND..." 2
folder=$1
shift
mkdir -p "$folder" || cannot_judge "there is no folder $folder" 4
rm -f "$folder"/*.heapsnapshot
"$@" || cannot_judge "the scenario ended with status $?: $*" 3

set -- "$folder"/*.heapsnapshot
[ $# -ge 3 ] || cannot_judge "$folder has $([ -e "$1" ] && echo $# || echo no) heap snapshots, and three are needed" 3

# shellcheck disable=SC2086 # UBIHEAP may have more than one word, such as npx ubiheap
$ubiheap leaks --reorder --fail-on "$condition" "$@"
status=$?
case $status in
0) echo "node-leak: passed; a leak would be: $condition" ;;
1) echo "node-leak: failed; the snapshots are in $folder" >&2 ;;
*) cannot_judge "ubiheap ended with status $status" "$status" ;;
esac
exit "$status"
