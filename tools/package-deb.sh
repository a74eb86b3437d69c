#!/bin/sh
# SPDX-License-Identifier: MIT
#
# package-deb.sh BUILD FOLDER: makes the Debian packages of packaging/debian in FOLDER, of what the release build BUILD has
# built.
#
# Nothing is compiled: a second configuration, for /usr and the library folder of this architecture, takes over the files
# that were built, for they do not depend on where they will be installed. debhelper does the rest.
set -eu
cd "$(dirname "$0")/.." || exit 1
build=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
for tool in dh dpkg-architecture; do
    command -v "$tool" >/dev/null || {
        echo "package-deb: $tool is missing (Debian package debhelper); \`make deps\` installs it" >&2
        exit 1
    }
done
version=$(sed -n 's/^#define UBI_VERSION_STRING "\(.*\)"/\1/p' include/ubiheap/core/base.h)
[ "$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)" = "$version-${DEBIAN_REVISION:-1}" ] || {
    echo "package-deb: the newest entry of packaging/debian/changelog is not one of $version" >&2
    exit 1
}

work=$(mktemp -d "$folder/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
log=$folder/package-deb.log
fail() {
    cat "$log"
    echo "package-deb: failed; the output above is in $log" >&2
    exit 1
}

cmake -S . -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DUBI_BUILD_TESTS=OFF -DUBI_BUILD_BENCH=OFF \
    -DUBI_BUILD_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)" >"$log" 2>&1 || fail
for part in bin lib help; do
    cp -a "$build/$part" "$work/build/"
done
mkdir -p "$work/ubiheap"
cp -r packaging/debian "$work/ubiheap/debian"
chmod 755 "$work/ubiheap/debian/rules"
(cd "$work/ubiheap" && BUILD=$work/build VERSION=$version debian/rules binary) >>"$log" 2>&1 || fail
rm -f "$folder"/*.deb
mv "$work"/*.deb "$folder/"
echo "package-deb: in $folder:"
(cd "$folder" && ls ./*.deb | sed 's/^\.\//    /')
