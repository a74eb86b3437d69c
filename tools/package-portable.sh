#!/bin/sh
# SPDX-License-Identifier: MIT
#
# package-portable.sh FOLDER: makes ubiheap-VERSION-linux-x86_64.tar.gz in FOLDER: the tool and the library that it loads into
# programs that it records, which run wherever there is a C library of GNU that is as old as that of Debian 11 (2.31) or newer.
#
# They are compiled against that one (tools/portable-root.sh), and linked statically with all else but ISA-L, of which Debian has no
# archive and which comes along.
set -eu
cd "$(dirname "$0")/.." || exit 1
mkdir -p "$1"
folder=$(realpath "$1")
log=$folder/package-portable.log
root=$PWD/build/roots/portable
build=build/portable
version=$(sed -n 's/^#define UBI_VERSION_STRING "\(.*\)"/\1/p' include/ubiheap/core/base.h)
name=ubiheap-$version-linux-x86_64
fail() {
    tail -n 40 "$log"
    echo "package-portable: failed; the output is in $log" >&2
    exit 1
}

sh tools/portable-root.sh "$root"
work=$(mktemp -d "$folder/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DUBI_BUILD_TESTS=OFF -DUBI_BUILD_BENCH=OFF -DUBI_BUILD_EXAMPLES=OFF \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/portable-toolchain.cmake" -DUBI_PORTABLE=ON -DUBI_PORTABLE_ROOT="$root" \
    -DCMAKE_INSTALL_LIBDIR=lib >"$log" 2>&1 || fail
cmake --build "$build" ${JOBS:+-j "$JOBS"} --target ubiheap_cli ubiheap_preload ubiheap_watch ubiheap_help ubi_quickjs_selftest >>"$log" 2>&1 || fail
cmake --install "$build" --strip --component tool --prefix "$work/$name" >>"$log" 2>&1 || fail

# The terms of what is linked in, and of what comes along.
mkdir "$work/$name/share/doc/ubiheap/licences"
for package in libisal2 zlib1g libsodium23 libdw1 libelf1 liblzma5 libbz2-1.0 libiberty-dev; do
    cp "$root/usr/share/doc/$package/copyright" "$work/$name/share/doc/ubiheap/licences/$package"
done
cp "$(sed -n 's/^UBI_QUICKJS_CHOSEN:INTERNAL=//p' "$build/CMakeCache.txt")/LICENSE" "$work/$name/share/doc/ubiheap/licences/quickjs"

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$(date -R -r include/ubiheap/core/base.h)" -C "$work" -czf "$work/$name.tar.gz" "$name"
mv "$work/$name.tar.gz" "$folder/"
echo "package-portable: $folder/$name.tar.gz"
