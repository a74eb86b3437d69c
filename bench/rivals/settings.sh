# SPDX-License-Identifier: MIT
#
# settings.sh: the first lines of scripts that run ubiheap beside memlab; they source it in the root of the project, with `kind` set
# to what their result is of. Sets name, rivals and build, and installs the rivals.
#
#   RIVALS_NAME=NAME      name of the result without "-$kind" (default rivals-latest)
#   RIVALS_DIR=DIR        where the rivals are installed (default build/rivals)
#   BENCH_BUILD=DIR       build directory (default build/release)
name=${RIVALS_NAME:-rivals-latest}-$kind
rivals=${RIVALS_DIR:-build/rivals}
build=${BENCH_BUILD:-build/release}
[ -x "$build/bin/ubiheap" ] || {
    echo "rivals: $build/bin/ubiheap is missing; \`make\` builds it" >&2
    exit 1
}
sh bench/rivals/install.sh "$rivals"

# The result that was written beside the rivals, whole or not at all.
keep_result() {
    mkdir -p bench/results
    mv "$rivals/$name.json" "bench/results/$name.json"
}
