#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh [DIR]: installs the rivals from npm in DIR (default build/rivals), in exactly the versions of
# package-lock.json, and bundles the two parts of Chrome's developer tools that are needed, which come as TypeScript. Needs
# Node.js 20 or later, npm and the network; nothing is done when DIR has them already.
set -eu
cd "$(dirname "$0")/../.." || exit 1
directory=${1:-build/rivals}
for program in node npm; do
    command -v "$program" >/dev/null 2>&1 || {
        echo "rivals: $program is missing" >&2
        exit 1
    }
done

mkdir -p "$directory"
if ! cmp -s bench/rivals/package-lock.json "$directory/package-lock.json" || [ ! -f "$directory/installed" ]; then
    echo "rivals: installing in $directory" >&2
    rm -f "$directory/installed"
    cp bench/rivals/package.json bench/rivals/package-lock.json bench/rivals/.npmrc "$directory"
    (cd "$directory" && npm ci --silent)
    front_end=$directory/node_modules/chrome-devtools-frontend/front_end
    # The package's own build makes this file; the worker never translates anything.
    cat >"$front_end/core/i18n/locales.js" <<'END'
export const LOCALES = ['en-US'], BUNDLED_LOCALES = ['en-US'], DEFAULT_LOCALE = 'en-US';
export const REMOTE_FETCH_PATTERN = '', LOCAL_FETCH_PATTERN = '';
END
    # Node.js 20 is too old for Promise.withResolvers.
    with_resolvers='Promise.withResolvers ??= function () {
        const it = {}; it.promise = new this((resolve, reject) => Object.assign(it, {resolve, reject})); return it; };'
    bundle() { # module below front_end, what it becomes
        "$directory/node_modules/.bin/esbuild" --log-level=error --bundle --format=esm --platform=node \
            "--banner:js=$with_resolvers" \
            "--outfile=$directory/devtools/$2" "$front_end/$1"
    }
    bundle entrypoints/heap_snapshot_worker/heap_snapshot_worker-entrypoint.ts worker.mjs
    bundle models/heap_snapshot/heap_snapshot.ts proxy.mjs
    touch "$directory/installed"
fi
