#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh UBIHEAP: what `make demo` shows: the tool on real heap snapshots of Node.js and Firefox, from tests/data, and on a
# JavaScript program and a native one while they run. To show more, add a `show`.
set -eu
cd "$(dirname "$0")/.."
ubiheap=$1
node_before=tests/data/v8/node20-before.heapsnapshot.gz
node_after=tests/data/v8/node20-after.heapsnapshot.gz
before=tests/data/fx/tiny-before.fxsnapshot
after=tests/data/fx/tiny-after.fxsnapshot

bold=
plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$(printf '\033[1m')
    plain=$(printf '\033[0m')
fi

# A chapter.
part() { # title
    printf '\n%s======== %s ========%s\n' "$bold" "$1" "$plain"
}

# Says what is coming and prints the command as a user types it.
announce() { # what it shows, arguments of ubiheap
    printf '\n%s== %s%s\n' "$bold" "$1" "$plain"
    shift
    printf '$ ubiheap'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./=:,-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

# Announces a command and runs it.
show() { # what it shows, arguments of ubiheap
    announce "$@"
    printf '\n\n'
    shift
    "$ubiheap" "$@"
}

# The same for a command that shall fail; of what it prints only the reason.
show_failure() { # what it shows, arguments of ubiheap
    announce "$@"
    printf ' >/dev/null; echo "status $?"\n\n'
    shift
    status=0
    "$ubiheap" "$@" 2>&1 >/dev/null || status=$?
    echo "status $status"
}

part "A Node.js program that leaks"
show "What is on its heap? The numbers are those of Chrome's DevTools" summary --limit 8 "$node_after"
show "It worked a little between two snapshots. What leaked, how much, and who holds it?" leaks "$node_before" "$node_after"
show "Why is one of them alive?" paths "$node_after" 81779
show_failure "The same for a CI job: a condition, a reason, a status" \
    leaks --fail-on 'count(LeakedThing) > 100' "$node_before" "$node_after"

part "A JavaScript program, live"
rm -rf build/demo/mail
mkdir -p build/demo
if "$ubiheap" --version | grep -q 'QuickJS 2021'; then
    printf '\nThe mail server is left out: QuickJS 2021-03-27 has no top-level await. make deps says why it is the engine.\n'
else
    show "A mail server in QuickJS takes snapshots of itself. No connection is open, but a WeakRef still finds the last one" \
        run --heap-module --sites examples/quickjs/mail-server.js build/demo/mail
    show "What leaked, where was it allocated, line and column, and who holds it?" \
        leaks build/demo/mail/1.fxsnapshot build/demo/mail/2.fxsnapshot build/demo/mail/3.fxsnapshot
fi
show "What does a program do all day? A search service, on a timeline" \
    run --timeline build/demo/search.timeline examples/quickjs/search-service.js
show "It is slow when it answers. Where?" timeline build/demo/search.timeline
show "The same for a trace viewer: chrome://tracing, ui.perfetto.dev" \
    timeline --format chrome --output build/demo/search.trace.json build/demo/search.timeline

part "A native program"
show "Any program, unmodified: here the tool itself, while it reads a snapshot. Every allocation, with its stack" \
    record --exact --output build/demo/self.ubirec -- "$ubiheap" census --limit 3 --depth 1 "$after"
show "What did it allocate, and where?" report --top 2 --stack-depth 4 build/demo/self.ubirec

part "A web page in Firefox"
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
      the same of your own: \`node --heapsnapshot-signal=SIGUSR2\` and the Memory panel of Chrome write .heapsnapshot
      files, the Memory panel of Firefox .fxsnapshot files
  node examples/leaks/chat-server.js build/chat && $ubiheap leaks build/chat/*.heapsnapshot
      a server that leaks, caught in the act
  $ubiheap census --json FILE
      the numbers for a program
  $ubiheap record -- PROGRAM ARGUMENTS...
      what your own C or C++ program allocates
  make install PREFIX=\$HOME/.local
      tool, library, headers, manual pages

${bold}== Look at these heaps in your browser${plain}
  $ubiheap serve $before $after $node_after
      prints an address: open it, or drop files of your own on the page; Ctrl-C ends it
EOF
