# SPDX-License-Identifier: MIT
#
# common.sh: what the scripts that measure share; they read it with `.`, from the top of the source tree.
#
#   build, data           where programs are and where generated and raw files are kept (BENCH_BUILD, BENCH_DATA)
#   need PROGRAM...       ends with a message unless all of these are built; makes the folders for results
#   generated SHAPE EDGES PATH [OPTIONS]   makes a file below $data that is missing or older than what makes it, and notes how in $files
# shellcheck shell=sh
build=${BENCH_BUILD:-build/release}
data=${BENCH_DATA:-build/bench-data}

need() { # programs, below $build
    for program in "$@"; do
        [ -x "$build/$program" ] || {
            echo "bench: $build/$program is missing; \`make bench\` builds it" >&2
            exit 1
        }
    done
    mkdir -p "$data" bench/results
}

generated() { # shape, edges, path, further options
    if [ ! "$3" -nt "$build/bench/generate" ]; then
        need bench/generate
        echo "bench: making ${3##*/}" >&2
        # shellcheck disable=SC2086 # options are several words
        "$build/bench/generate" --shape "$1" --edges "$2" ${4:-} "$data/part.${3##*/}" 2>/dev/null
        mv "$data/part.${3##*/}" "$3"
    fi
    # shellcheck disable=SC2154 # $files is the script's that reads this
    printf '%s\tbuild/release/bench/generate --shape %s --edges %s %s%s\n' "$3" "$1" "$2" "${4:+$4 }" "${3##*/}" >>"$files"
}
