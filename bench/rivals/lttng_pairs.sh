#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lttng_pairs.sh TURNS: compiles lttng_pairs.c and runs it while an LTTng session records it; prints its row. Nothing, and a
# word on standard error, where LTTng (Debian packages lttng-tools and liblttng-ust-dev) is not installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v lttng >/dev/null || ! command -v lttng-sessiond >/dev/null ||
    ! echo '#include <lttng/tracepoint.h>' | gcc -E - >/dev/null 2>&1; then
    echo "bench: LTTng is not installed (Debian packages lttng-tools, liblttng-ust-dev), and left out" >&2
    exit 0
fi
work=$(mktemp -d)
export LTTNG_HOME="$work" LTTNG_RUNDIR="$work"
daemon=
clean_up() {
    lttng --no-sessiond destroy --all --no-wait >/dev/null 2>&1 || :
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || :
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
gcc -O2 -I"$here" -o "$work/lttng_pairs" "$here/lttng_pairs.c" -llttng-ust -ldl
lttng-sessiond --quiet --no-kernel --daemonize --pidfile "$work/sessiond.pid"
daemon=$(cat "$work/sessiond.pid")
{
    lttng create bench --output="$work/trace"
    lttng enable-channel --userspace --num-subbuf=16 --subbuf-size=4M pairs
    lttng enable-event --userspace --channel=pairs 'ubiheap_bench:*'
    lttng start
} >/dev/null
LTTNG_UST_REGISTER_TIMEOUT=-1 "$work/lttng_pairs" "$1"
