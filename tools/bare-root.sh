# SPDX-License-Identifier: MIT
#
# bare-root.sh: roots of Debian with nothing in them, to be sourced by scripts that try things there as root.
#
#     bare_root_make SUITE FOLDER    FOLDER becomes a root of its own; the one that it is copied from stays in build/roots
#     bare_root_enter FOLDER USER COMMAND
#
# Mirror, proxy, certificates and keys are those of this machine's apt, the registry is that of its npm.

bare_root_die() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
}

bare_root_need() {
    [ "$(id -u)" -eq 0 ] || bare_root_die "needs root (for debootstrap and chroot)"
    command -v debootstrap >/dev/null || bare_root_die "needs debootstrap (Debian package debootstrap)"
}

# Where this machine gets a suite of Debian from: the first source of the suite that carries `main`, else where it gets its own.
bare_root_mirror() { # suite
    found=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v suite="$1" '$3 == "main" { if (!any) any = $1; if ($2 == suite && !found) found = $1 }
            END { print found ? found : any }')
    found=${MIRROR:-$found}
    [ -n "$found" ] || bare_root_die "apt of this machine has no source for $1; say MIRROR=URI"
    echo "$found"
}

# The network and apt settings of this machine.
bare_root_settings() { # root, suite, mirror
    cp /etc/hosts "$1/etc/hosts"
    [ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|AllowInsecure)' |
        grep -v -i auto-detect >"$1/etc/apt/apt.conf.d/99host" || :
    for file in auth.conf auth.conf.d keyrings trusted.gpg trusted.gpg.d; do
        [ ! -e "/etc/apt/$file" ] || cp -rL "/etc/apt/$file" "$1/etc/apt/"
    done
    [ ! -d /usr/share/keyrings ] || cp -rL /usr/share/keyrings "$1/usr/share/"
    [ ! -e /etc/ssl/certs/ca-certificates.crt ] || {
        mkdir -p "$1/etc/ssl/certs"
        cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
    }
    # All sources that this machine has from the same mirror (updates, for one), if it is of that suite; others may need packages
    # that are not there.
    sources=$(grep -rlF "${3%/}" /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | xargs -r grep -lw "$2" || :)
    if [ -n "$sources" ] && [ -z "${MIRROR:-}" ]; then
        rm -f "$1/etc/apt/sources.list"
        for file in $sources; do
            case $file in
            */sources.list) cp "$file" "$1/etc/apt/" ;;
            *) cp "$file" "$1/etc/apt/sources.list.d/" ;;
            esac
        done
    fi
    # The same for npm, which fetches the source of the JavaScript engine.
    if command -v npm >/dev/null; then
        echo "registry=$(npm config get registry 2>/dev/null)" >"$1/etc/npmrc"
        certificates=$(npm config get cafile 2>/dev/null)
        if [ -f "$certificates" ]; then
            cp -L "$certificates" "$1/etc/npm-certificates.crt"
            echo "cafile=/etc/npm-certificates.crt" >>"$1/etc/npmrc"
        fi
    fi
}

bare_root_make() { # suite, folder
    mirror=$(bare_root_mirror "$1") || exit 1
    kept=build/roots/$1
    if [ ! -d "$kept" ]; then
        mkdir -p build/roots
        include=
        case $mirror in https:*) include=--include=ca-certificates ;; esac
        echo "$(basename "$0" .sh): $1 from $mirror in $kept"
        rm -rf "$kept.part"
        # shellcheck disable=SC2086 # no word or one
        debootstrap --variant=minbase $include "$1" "$kept.part" "$mirror" >"$kept.log" 2>&1 || {
            tail -n 20 "$kept.log"
            bare_root_die "debootstrap of $1 failed"
        }
        mv "$kept.part" "$kept"
    fi
    cp -a "$kept/." "$2/"
    bare_root_settings "$2" "$1" "$mirror"
}

# Runs a command in the root with /proc and /dev, which go away with its mount namespace.
bare_root_enter() { # root, user, command
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 ${CI:+CI="$CI"} \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        unshare --mount sh -c '
            mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
            exec chroot "$1" su "$2" -c "$3"' sh "$1" "$2" "$3" </dev/null
}
