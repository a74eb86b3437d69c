#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deps.sh [build]: installs the packages of packaging/debian-packages.txt that are missing; with `build`, only those that
# building needs. Then fetches the source of the JavaScript engine, unless UBI_QUICKJS_DIR names another.
#
# Harmless when run again, and then it needs neither network nor rights. As root it calls apt-get, otherwise through sudo;
# where that cannot work it prints the command to run. On a system without dpkg it only says what is needed.
set -eu
cd "$(dirname "$0")/.." || exit 1
list=packaging/debian-packages.txt
wanted=${1:-all}

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "deps: this system has no dpkg; make sure that it has these (by their Debian names):"
    grep -v -e '^#' -e '^$' "$list"
    exit 0
fi

missing=
while read -r package need reason; do
    case $package in '#'* | '') continue ;; esac
    [ "$wanted" = all ] || [ "$need" = "$wanted" ] || continue
    # Any Node.js will do, and one that is not Debian's may not get on with Debian's. npm only fetches.
    [ "$package" != nodejs ] || ! command -v node >/dev/null 2>&1 || continue
    [ "$package" != npm ] || ! command -v npm >/dev/null 2>&1 || continue
    [ "$package" != npm ] || [ -z "${UBI_QUICKJS_DIR:-}" ] || continue
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
        echo "deps: missing: $package ($reason)"
        missing="$missing $package"
    fi
done <"$list"
fetch_engine() {
    [ -n "${UBI_QUICKJS_DIR:-}" ] || sh tools/fetch-quickjs.sh
}

if [ -z "$missing" ]; then
    fetch_engine
    echo "deps: nothing is missing"
    exit 0
fi

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=sudo
else
    echo "deps: cannot become root here. Run this as root, then try again:"
    echo "    apt-get update && apt-get install -y --no-install-recommends$missing"
    exit 1
fi

# Quiet unless it fails; apt's own output goes to build/deps.log. A new machine often installs updates just then: apt waits for them.
mkdir -p build
run_apt() {
    echo "deps: ${as_root:+sudo }apt-get $* (may take some minutes; build/deps.log says how far it is)"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@" >build/deps.log 2>&1 || {
        tail -n 20 build/deps.log
        return 1
    }
}

# The package lists are fetched when apt does not know a package, or when what they promise is no longer there.
fresh=no
for package in $missing; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
        run_apt update
        fresh=yes
        break
    fi
done
# shellcheck disable=SC2086 # a list of words
if ! run_apt install -y --no-install-recommends $missing; then
    [ "$fresh" = no ] || exit 1
    run_apt update
    run_apt install -y --no-install-recommends $missing
fi
echo "deps: installed$missing"
fetch_engine
