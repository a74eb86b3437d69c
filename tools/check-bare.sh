#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check-bare.sh [TARGET...]: tries what the README promises on a machine that has nothing: makes a fresh Debian 12 root with
# debootstrap, adds git and make, clones this checkout into it, and runs `make demo` and `make test` (or the targets given)
# as root, then the release tests as an ordinary user. A package that is missing from packaging/debian-packages.txt shows.
#
# Needs root and debootstrap. Mirror, proxy, certificates and keys are those of this machine's apt, the registry is that
# of its npm. Only what is committed is tried. KEEP=1 keeps the root directory.
set -eu
cd "$(dirname "$0")/.."
suite=bookworm
[ $# -gt 0 ] || set -- demo test

die() {
    echo "check-bare: $*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || die "needs root (for debootstrap and chroot)"
command -v debootstrap >/dev/null || die "needs debootstrap (Debian package debootstrap)"
git rev-parse -q --verify HEAD >/dev/null || die "there is no commit to clone"
[ -z "$(git status --porcelain)" ] || echo "check-bare: changes that are not committed are not tried"

# Where this machine gets Debian from: the first source of the suite that carries `main`.
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }')}
[ -n "$mirror" ] || die "apt of this machine has no source for $suite; say MIRROR=URI"

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
# Everything below is mounted in a mount namespace of its own (see enter), so nothing is mounted here when this runs.
trap clean_up EXIT
trap 'exit 130' INT TERM

include=git,make
case $mirror in https:*) include=$include,ca-certificates ;; esac
echo "check-bare: $suite from $mirror in $root"
debootstrap --variant=minbase --include="$include" "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log"
    die "debootstrap failed"
}
mv "$root.log" "$root/debootstrap.log"

# The network and apt settings of this machine.
cp /etc/hosts "$root/etc/hosts"
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|AllowInsecure)' |
    grep -v -i auto-detect >"$root/etc/apt/apt.conf.d/99host" || :
for file in auth.conf auth.conf.d keyrings trusted.gpg trusted.gpg.d; do
    [ ! -e "/etc/apt/$file" ] || cp -rL "/etc/apt/$file" "$root/etc/apt/"
done
[ ! -d /usr/share/keyrings ] || cp -rL /usr/share/keyrings "$root/usr/share/"
[ ! -e /etc/ssl/certs/ca-certificates.crt ] || {
    mkdir -p "$root/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
}
# All sources that this machine has from the same mirror (updates, for one); others may need packages that are not there.
sources=$(grep -rlF "${mirror%/}" /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null || :)
if [ -n "$sources" ] && [ -z "${MIRROR:-}" ]; then
    rm -f "$root/etc/apt/sources.list"
    for file in $sources; do
        case $file in
        */sources.list) cp "$file" "$root/etc/apt/" ;;
        *) cp "$file" "$root/etc/apt/sources.list.d/" ;;
        esac
    done
fi

# The same for npm, which fetches the source of the JavaScript engine.
if command -v npm >/dev/null; then
    echo "registry=$(npm config get registry 2>/dev/null)" >"$root/etc/npmrc"
    certificates=$(npm config get cafile 2>/dev/null)
    if [ -f "$certificates" ]; then
        cp -L "$certificates" "$root/etc/npm-certificates.crt"
        echo "cafile=/etc/npm-certificates.crt" >>"$root/etc/npmrc"
    fi
fi

# Runs a command in the root with /proc and /dev, which go away with its mount namespace.
enter() { # user, command
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 ${CI:+CI="$CI"} \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        unshare --mount sh -c '
            mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
            exec chroot "$1" su "$2" -c "$3"' sh "$root" "$1" "$2" </dev/null
}

git clone -q --no-hardlinks "$PWD" "$root/root/ubiheap"
for target in "$@"; do
    echo "check-bare: make $target"
    enter root "cd /root/ubiheap && make $target" || die "make $target failed on a bare system"
done
enter root "cd /root/ubiheap && make deps" >"$root/deps.log" 2>&1 || {
    tail -n 20 "$root/deps.log"
    die "make deps failed"
}
chroot "$root" useradd --create-home visitor
git clone -q --no-hardlinks "$PWD" "$root/home/visitor/ubiheap"
chroot "$root" chown -R visitor: /home/visitor/ubiheap
echo "check-bare: release tests as an ordinary user"
enter visitor "cd ~/ubiheap && make deps && sh tools/build.sh release && ctest --test-dir build/release --output-on-failure" ||
    die "the tests failed as an ordinary user"
echo "check-bare: $* work on a bare Debian 12"
