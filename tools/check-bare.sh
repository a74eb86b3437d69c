#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check-bare.sh [TARGET...]: tries what the README promises on a machine that has nothing: makes a fresh Debian 12 root with
# debootstrap, adds git and make, clones this checkout into it, and runs `make demo` and `make test` (or the targets given)
# as root, then the release tests as an ordinary user. A package that is missing from packaging/debian-packages.txt shows.
# Without targets, the packages are tried after that (tools/check-packages.sh).
#
# Needs root and debootstrap. Only what is committed is tried. KEEP=1 keeps the root directory.
set -eu
cd "$(dirname "$0")/.."
. tools/bare-root.sh
packages=no
[ $# -gt 0 ] || {
    set -- demo test
    packages=yes
}

bare_root_need
git rev-parse -q --verify HEAD >/dev/null || bare_root_die "there is no commit to clone"
[ -z "$(git status --porcelain)" ] || echo "check-bare: changes that are not committed are not tried"

mkdir -p build
root=$(mktemp -d "$PWD/build/bare.XXXXXX")
chmod 755 "$root"
clean_up() {
    if [ "${KEEP:-}" = 1 ]; then
        echo "check-bare: the root is $root"
    else
        rm -rf "$root"
    fi
}
# Everything is mounted in a mount namespace of its own (bare_root_enter), so nothing is mounted here when this runs.
trap clean_up EXIT
trap 'exit 130' INT TERM

bare_root_make bookworm "$root"
enter() { # user, command
    bare_root_enter "$root" "$1" "$2"
}
enter root "apt-get update && apt-get install -y --no-install-recommends git make" >"$root/apt.log" 2>&1 || {
    tail -n 20 "$root/apt.log"
    bare_root_die "apt-get failed"
}

git clone -q --no-hardlinks "$PWD" "$root/root/ubiheap"
for target in "$@"; do
    echo "check-bare: make $target"
    enter root "cd /root/ubiheap && make $target" || bare_root_die "make $target failed on a bare system"
done
enter root "cd /root/ubiheap && make deps" >"$root/deps.log" 2>&1 || {
    tail -n 20 "$root/deps.log"
    bare_root_die "make deps failed"
}
chroot "$root" useradd --create-home visitor
git clone -q --no-hardlinks "$PWD" "$root/home/visitor/ubiheap"
chroot "$root" chown -R visitor: /home/visitor/ubiheap
echo "check-bare: release tests as an ordinary user"
enter visitor "cd ~/ubiheap && make deps && sh tools/build.sh release && ctest --test-dir build/release --output-on-failure" ||
    bare_root_die "the tests failed as an ordinary user"
echo "check-bare: $* work on a bare Debian 12"
[ "$packages" = no ] || sh tools/check-packages.sh
