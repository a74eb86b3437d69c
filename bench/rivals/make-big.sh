#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make-big.sh OUT [FILES [MIX]]: a real V8 heap snapshot, made by Node.js: syntax trees of FILES source files and MIX users.
# The defaults give about 6.5 million nodes, 27 million edges and 630 MB, and take one minute and 4 GB of memory.
set -eu
cd "$(dirname "$0")/../.." || exit 1
out=$1
files=${2:-820}
mix=${3:-300000}
rivals=${RIVALS_DIR:-build/rivals}
sh bench/rivals/install.sh "$rivals"
case $out in */*) mkdir -p "${out%/*}" ;; esac
NODE_PATH=$PWD/$rivals/node_modules node --expose-gc --max-old-space-size=12000 \
    bench/rivals/big-heap.cjs "$out.part" "$files" "$mix"
mv "$out.part" "$out"
