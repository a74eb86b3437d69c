#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build-web.sh [install]: builds the web page of `ubiheap serve` in web/dist, if its sources have changed since; with `install`, only
# fetches the packages that building and testing it take, if web/package-lock.json has changed since.
#
# Where that cannot work it says so in one line: a page that was built before is left as it is, and without one ubiheap has a plain page.
# The exit status is 0 then, too, except with `install`.
set -eu
cd "$(dirname "$0")/.." || exit 1
log=build/web.log
mkdir -p build

leave() { # why
    if [ "${wanted:-}" = install ]; then
        echo "web: $1" >&2
        exit 1
    elif [ -f web/dist/index.html ]; then
        echo "web: $1; the page is the one that was built before"
    else
        echo "web: $1; ubiheap will have a plain page"
    fi
    exit 0
}

install_packages() {
    cmp -s web/package-lock.json web/node_modules/.of-lock.json && return 0
    command -v npm >/dev/null 2>&1 || leave "npm is missing (Debian package npm; \`make deps\` installs it)"
    (cd web && npm ci >"../$log" 2>&1) || leave "npm could not fetch what the page is built with (build/web.log says why)"
    cp web/package-lock.json web/node_modules/.of-lock.json
}

# Everything that the page is made of.
sources_sum() {
    find web packaging/npm/documents.d.ts -name node_modules -prune -o -name dist -prune -o -name tests -prune -o -type f -print |
        LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | cksum
}

# Several builds may begin at the same time.
exec 9>build/web.lock
! command -v flock >/dev/null 2>&1 || flock 9

wanted=${1:-}
if [ "$wanted" = install ]; then
    install_packages
    exit 0
fi
sum=$(sources_sum)
[ "$sum" != "$(cat web/dist/.of-sources 2>/dev/null)" ] || exit 0
install_packages
echo "web: the page, in web/dist"
(cd web && node_modules/.bin/vite build >"../$log" 2>&1) || {
    cat "$log"
    echo "web: building the page failed; the output above is in $log" >&2
    exit 1
}
echo "$sum" >web/dist/.of-sources
