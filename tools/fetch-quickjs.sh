#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fetch-quickjs.sh: brings the QuickJS source of packaging/quickjs.txt into third-party/quickjs, which git ignores.
#
# Harmless when run again, and then it needs no network. The package is checked against its SHA-512 before anything is
# unpacked; none of its scripts is run.
set -eu
cd "$(dirname "$0")/.." || exit 1
field() {
    sed -n "s/^$1 //p" packaging/quickjs.txt
}
package=$(field package)@$(field version)
folder=$(field folder)
sha512=$(field sha512)
into=third-party/quickjs

if [ -f "$into/.sha512" ] && [ "$(cat "$into/.sha512")" = "$sha512" ]; then
    exit 0
fi
command -v npm >/dev/null 2>&1 || {
    echo "deps: npm is missing (Debian package npm); it fetches the JavaScript engine's source, $package" >&2
    exit 1
}
echo "deps: fetching $package, the JavaScript engine's source"
mkdir -p third-party
work=$(mktemp -d third-party/fetch.XXXXXX)
trap 'rm -rf "$work"' EXIT
npm pack --silent --ignore-scripts --pack-destination "$work" "$package" >/dev/null || {
    echo "deps: npm cannot fetch $package" >&2
    exit 1
}
found=$(sha512sum "$work"/*.tgz | cut -d ' ' -f 1)
if [ "$found" != "$sha512" ]; then
    echo "deps: $package has SHA-512 $found; expected $sha512. Nothing was unpacked." >&2
    exit 1
fi
tar -xzf "$work"/*.tgz -C "$work" "$folder"
echo "$sha512" >"$work/$folder/.sha512"
rm -rf "$into"
mv "$work/$folder" "$into"
