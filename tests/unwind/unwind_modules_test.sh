#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Libraries that are closed and opened again, with other code at the same place or the same code elsewhere, and one without call
# frame information, are walked through rightly (unwind_modules_driver.c).
set -eu

if [ "$(uname -m)" != x86_64 ]; then
    echo "the walker that reads call frame information is for x86-64"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/library.c" <<'END'
void call(void (*back)(void *), void *payload);
void call(void (*back)(void *), void *payload) {
    volatile char block[BYTES];
    block[0] = 1;
    back(payload);
    (void)block[0];
}
END
library="${CC:-cc} -shared -fPIC -O2 -fomit-frame-pointer"
$library -DBYTES=40 -o "$work/small.so" "$work/library.c"
$library -DBYTES=900 -o "$work/large.so" "$work/library.c"
$library -DBYTES=40 -fno-asynchronous-unwind-tables -fno-unwind-tables -o "$work/bare.so" "$work/library.c"
"$UBI_BUILD_DIR/tests/unwind_modules_driver" "$work/small.so" "$work/large.so" "$work/bare.so"
