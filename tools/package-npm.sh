#!/bin/sh
# SPDX-License-Identifier: MIT
#
# package-npm.sh TREE FOLDER: makes the npm package ubiheap-VERSION.tgz in FOLDER, of an installed TREE with bin/ubiheap and
# lib/ubiheap, or a tar ball of one: the portable one, which runs on other machines too.
set -eu
cd "$(dirname "$0")/.." || exit 1
tree=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
version=$(sed -n 's/^#define UBI_VERSION_STRING "\(.*\)"/\1/p' include/ubiheap/core/base.h)
work=$(mktemp -d "$folder/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

if [ -f "$tree" ]; then
    mkdir "$work/tree"
    tar -xzf "$tree" -C "$work/tree" --strip-components=1
    tree=$work/tree
fi
mkdir "$work/bin" "$work/lib"
cp "$tree/bin/ubiheap" "$work/bin/"
cp -r "$tree/lib/ubiheap" "$work/lib/"
cp packaging/npm/ubiheap.js packaging/npm/documents.d.ts packaging/npm/README.md LICENSE "$work/"
chmod 755 "$work/bin/ubiheap" "$work/ubiheap.js"
[ ! -d "$tree/share/doc/ubiheap/licences" ] || cp -r "$tree/share/doc/ubiheap/licences" "$work/"
sed "s/@VERSION@/$version/" packaging/npm/package.json.in >"$work/package.json"
npm pack --silent --ignore-scripts --pack-destination "$folder" "$work" >/dev/null || {
    echo "package-npm: npm pack failed" >&2
    exit 1
}
echo "package-npm: $folder/ubiheap-$version.tgz"
