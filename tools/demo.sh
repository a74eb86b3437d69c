#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh UBIHEAP: what `make demo` shows: the tool on real Firefox heap snapshots of tests/data/fx. To show more, add a
# `show`.
set -eu
cd "$(dirname "$0")/.."
ubiheap=$1
before=tests/data/fx/tiny-before.fxsnapshot
after=tests/data/fx/tiny-after.fxsnapshot

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
show "A little later: what changed?" diff "$before" "$after"
show "The block of 64 KiB that is new: why is it alive?" paths "$after" 1810879599552
show "Who keeps how much: the dominator tree" dominators --depth 3 --siblings 4 "$after"
show "What fills it, by kind of thing" census --limit 6 --depth 2 "$after"
show "Which functions allocated it, and who called them" census -b invertedAllocationStack --limit 4 --depth 1 "$after"
show "Any nodes, any columns, for other programs" \
    nodes --where 'retainedSize > 1% and className != null' --sort retainedSize --limit 5 \
    -c id,className,rawSize,retainedSize "$after"
mkdir -p build/demo
show "The heap as a picture; open it in a browser" treemap -o build/demo/tiny-after.svg "$after"
show "A copy without names, URLs and paths, to send to somebody" convert --anonymize "$after" build/demo/anonymous.fxsnapshot

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
