#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check-packages.sh: tries what `make package` has made in bare systems. Makes the packages first if there are none.
#
# The portable tar ball is unpacked and used in a bare Debian 11, 12 and 13. The Debian packages are installed in a bare Debian 12
# by apt, used and purged, and nothing is left of them.
#
# Needs root and debootstrap.
set -eu
cd "$(dirname "$0")/.."
. tools/bare-root.sh
bare_root_need
folder=build/packages
[ -n "$(ls "$folder"/ubiheap_*.deb "$folder"/ubiheap-*.tar.gz 2>/dev/null)" ] || make package

work=$(mktemp -d "$PWD/build/packages-check.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# What a tool must be able to do in a bare system: read, run a script, record a program.
cat >"$work/use.sh" <<'END'
set -eu
tool=$1
cd /tmp
"$tool" --version
"$tool" info snapshot.fxsnapshot | grep -q '7,199'
"$tool" report snapshot.fxsnapshot >/dev/null
echo 'print(6 * 7)' >six.js
[ "$("$tool" run six.js)" = 42 ]
"$tool" record --exact --output ls.ubirec -- ls -R /etc >/dev/null
"$tool" report ls.ubirec | grep -q 'exit status 0'
"$tool" record --exact --follow-children --output perl.ubirec -- sh -c 'perl -e "my @a = map { [1 .. 100] } 1 .. 1000"; :'
"$tool" report perl.ubirec | grep -q 'exit status 0'
rm -f ls.ubirec perl.ubirec* six.js
END

# A root for one suite, with the snapshot and the script above.
new_root() { # suite
    root=$work/$1
    mkdir "$root"
    chmod 755 "$work" "$root"
    bare_root_make "$1" "$root"
    cp tests/data/fx/tiny-before.fxsnapshot "$root/tmp/snapshot.fxsnapshot"
    cp "$work/use.sh" "$root/root/"
}

in_root() { # what it is, command
    bare_root_enter "$root" root "$2" >"$work/log" 2>&1 || {
        tail -n 30 "$work/log"
        bare_root_die "$1 failed"
    }
}

for suite in bullseye trixie bookworm; do
    new_root "$suite"
    tar -xzf "$folder"/ubiheap-*-linux-x86_64.tar.gz -C "$root/opt"
    in_root "the portable tool in $suite" "sh /root/use.sh /opt/ubiheap-*/bin/ubiheap"
    echo "check-packages: the portable tool works in $suite, with glibc $(chroot "$root" ldd --version | sed -n '1s/.* //p')"
    rm -rf "$root"/opt/ubiheap-*
    [ "$suite" = bookworm ] || rm -rf "$root"
done

cp "$folder"/*.deb "$root/root/"
files() {
    (cd "$root" && find . -xdev \( -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./tmp -o -path ./var/lib/dpkg \) \
        -prune -o ! -type d -print | sort)
}
in_root "apt-get update" "apt-get update"
in_root "installing what the packages need" "apt-get install -y --no-install-recommends \$(dpkg-deb -f /root/ubiheap_*.deb Depends |
    sed 's/([^)]*)//g; s/,//g') pkg-config gcc libc6-dev libisal-dev libsodium-dev zlib1g-dev"
files >"$work/before"
in_root "installing the packages" "apt-get install -y --no-install-recommends /root/ubiheap_*.deb /root/libubiheap*_*.deb"
in_root "using the tool" "sh /root/use.sh ubiheap"
cp tests/package/consumer/consumer.c "$root/tmp/"
in_root "compiling with the library" "cd /tmp && gcc consumer.c \$(pkg-config --cflags --libs ubiheap) -o consumer &&
    ./consumer snapshot.fxsnapshot | grep -q 7199"
in_root "purging the packages" "dpkg --purge \$(dpkg-query -W -f '\${Package}\\n' '*ubiheap*')"
files >"$work/after"
diff "$work/before" "$work/after" || bare_root_die "the files above were left, or were taken"
echo "check-packages: the Debian packages install, work and are purged on a bare Debian 12"
