#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The sources are as clang-format 14 (Debian 12) leaves them. To mend: sh tools/format.sh
set -eu
cd "$UBI_SOURCE_DIR"

if ! clang-format --version | grep -q 'version 14\.'; then
    echo "skipped: the sources are formatted with clang-format 14; here is $(clang-format --version)"
    exit 77
fi
sh tools/format.sh --dry-run --Werror
