#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fetch-quickjs.sh: brings the QuickJS sources of packaging/quickjs.txt into third-party/, which git ignores.
#
# Harmless when run again, and then it needs no network. What is fetched is checked against its sum before anything is
# unpacked; no script of a package is run, and nothing of the system's configuration changes. One source is enough to build
# with: the first that is there. A line says which are missing.
set -eu
cd "$(dirname "$0")/.." || exit 1
mkdir -p third-party
work=$(mktemp -d third-party/fetch.XXXXXX)
trap 'rm -rf "$work"' EXIT

fetch_npm() { # what: into $work/file
    command -v npm >/dev/null 2>&1 || {
        echo "deps: npm is missing (Debian package npm); it fetches a source of the JavaScript engine, $1" >&2
        return 1
    }
    npm pack --silent --ignore-scripts --pack-destination "$work" "$1" >/dev/null && mv "$work"/*.tgz "$work/file"
}

# Lists and cache are of this folder alone, and the signature is checked with Debian's own keys.
fetch_debian() { # what, file: into $work/file
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    { command -v apt-get >/dev/null 2>&1 && [ -f "$keys" ]; } || {
        echo "deps: this is no Debian with apt-get, which fetches a source of the JavaScript engine, $1" >&2
        return 1
    }
    here=$(pwd)/$work
    mkdir -p "$here/lists/partial" "$here/cache/archives/partial"
    echo "deb-src [signed-by=$keys] http://deb.debian.org/debian trixie main" >"$here/sources.list"
    set -- "$1" "$2" -q -o "Dir::Etc::SourceList=$here/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o "Dir::State::Lists=$here/lists" -o "Dir::Cache=$here/cache" -o APT::Sandbox::User=
    what=$1
    file=$2
    shift 2
    if ! apt-get "$@" update >"$here/log" 2>&1 ||
        ! (cd "$here" && apt-get "$@" source --download-only --only-source "$what" >>log 2>&1); then
        tail -n 5 "$here/log" >&2
        return 1
    fi
    mv "$here/$file" "$here/file"
}

has_sum() { # folder, sum
    [ -f "$1/.sum" ] && [ "$(cat "$1/.sum")" = "$2" ]
}

fetch() { # folder, how, what, where, sum
    into=third-party/$1
    ! has_sum "$into" "$5" || return 0
    # Earlier versions of this file had other names for the folders.
    for other in third-party/*/; do
        if has_sum "$other" "$5"; then
            rm -rf "$into"
            mv "$other" "$into"
            return 0
        fi
    done
    echo "deps: fetching $3, a source of the JavaScript engine"
    rm -rf "${work:?}"/*
    case $2 in
    npm) fetch_npm "$3" ;;
    debian) fetch_debian "$3" "$4" ;;
    esac || {
        echo "deps: $3 cannot be fetched with $2" >&2
        return 1
    }
    if [ "$2" = npm ]; then found=$(sha512sum "$work/file"); else found=$(sha256sum "$work/file"); fi
    if [ "${found%% *}" != "$5" ]; then
        echo "deps: $3 has the sum ${found%% *}; expected $5. Nothing was unpacked." >&2
        return 1
    fi
    # With times of now: a build takes what is older than its output for known.
    mkdir "$work/unpacked"
    case $2 in
    npm) tar -xzmf "$work/file" -C "$work/unpacked" --strip-components=3 "$4" ;;
    debian) tar -xJmf "$work/file" -C "$work/unpacked" --strip-components=1 ;;
    esac
    echo "$5" >"$work/unpacked/.sum"
    rm -rf "$into"
    mv "$work/unpacked" "$into"
}

built_with=
first=
missing=
while read -r folder how what where sum; do
    case $folder in '#'* | '') continue ;; esac
    [ -n "$first" ] || first=$folder
    if fetch "$folder" "$how" "$what" "$where" "$sum"; then
        [ -n "$built_with" ] || built_with=$folder
    else
        missing="$missing $folder"
    fi
done <packaging/quickjs.txt
[ -n "$built_with" ] || {
    echo "deps: there is no source of the JavaScript engine to build with; UBI_QUICKJS_DIR can name a folder that has one" >&2
    exit 1
}
if [ "$built_with" != "$first" ]; then
    echo "deps: without $first, ubiheap is built with the older $built_with" >&2
elif [ -n "$missing" ]; then
    echo "deps: the tests with$missing are left out" >&2
fi
