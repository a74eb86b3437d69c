#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh UBIHEAP: what `make demo` shows: the tool on real Firefox heap snapshots of tests/data/fx. To show more, add a
# `show`.
set -eu
cd "$(dirname "$0")/.."
ubiheap=$1
before=tests/data/fx/tiny-before.fxsnapshot
unreachable=tests/data/fx/unreachable.fxsnapshot

bold=
plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m')
    plain=$(printf '\033[0m')
fi

# Says what is coming, prints the command as a user types it, runs it.
show() { # what it shows, arguments of ubiheap
    printf '\n%s== %s%s\n' "$bold" "$1" "$plain"
    shift
    printf '$ ubiheap'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./=:,-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n\n'
    "$ubiheap" "$@"
}

show "What is in this file?" info "$before"
show "One screen about the heap of a web page" report "$before"
show "What fills it, by kind of thing" census --limit 6 --depth 2 "$before"
show "Which functions allocated it, and who called them" census -b invertedAllocationStack --limit 4 --depth 1 "$before"
show "The path to one function" census -b allocationStack --filter makePoints "$before"
show "The largest single nodes, as a table for other programs" nodes --sort selfSize --limit 5 "$before"
show "Another snapshot: the browser's own process; half of it cannot be reached" info "$unreachable"

cat <<EOF

${bold}== Try next${plain}
  $ubiheap help
      what else it can do
  $ubiheap report FILE
      the same of your own: the Memory panel of Firefox's developer tools saves .fxsnapshot files
  $ubiheap census --json FILE
      the numbers for a program
  make install PREFIX=\$HOME/.local
      tool, library, headers, manual pages
EOF
