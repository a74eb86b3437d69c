#!/bin/sh
# SPDX-License-Identifier: MIT
#
# portable-root.sh FOLDER: unpacks into FOLDER what programs are compiled against that shall run on Debian 11 and everything
# newer: its C library, and the libraries that ubiheap uses. It is a place to compile against, not a system to run.
#
# Packages come from where this machine's apt gets its own, and are checked by apt. It needs no rights, and when FOLDER is
# there no network.
set -eu
suite=bullseye
packages='libc6-dev libisal-dev zlib1g-dev libsodium-dev libmicrohttpd-dev libuv1-dev libwebsockets-dev libdw-dev libelf-dev liblzma-dev libbz2-dev libiberty-dev'
folder=$1
[ ! -e "$folder/.complete" ] || exit 0

. "$(dirname "$0")/bare-root.sh"
mirror=$(bare_root_mirror "$suite")
rm -rf "$folder"
mkdir -p "$folder"
folder=$(realpath "$folder")
state=$folder/.apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
: >"$state/status"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring] $mirror $suite main" >"$state/sources.list"

run_apt() {
    apt-get -q -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State="$state" \
        -o Dir::State::Status="$state/status" -o Dir::Cache="$state/cache" -o APT::Sandbox::User= "$@" >"$folder/.log" 2>&1 || {
        tail -n 20 "$folder/.log"
        bare_root_die "apt-get $1 failed; is $suite still at $mirror? MIRROR=URI says another place"
    }
}

echo "portable-root: $suite from $mirror in $folder"
run_apt update
# shellcheck disable=SC2086 # a list of words
run_apt install -y --no-install-recommends --download-only $packages
for package in "$state"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$folder"
done
rm -rf "$state"
# Absolute links would lead into the system of this machine.
find "$folder" -type l -lname '/*' | while read -r link; do
    ln -snf "$folder$(readlink "$link")" "$link"
done
touch "$folder/.complete"
