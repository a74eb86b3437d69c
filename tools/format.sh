#!/bin/sh
# SPDX-License-Identifier: MIT
#
# format.sh [arguments of clang-format]: formats all C sources in place; with `--dry-run --Werror` it only checks.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- -i
for folder in include src tests fuzz bench examples; do
    [ ! -d "$folder" ] || find "$folder" -name '*.[ch]' -type f -print0
done | xargs -0 clang-format "$@"
