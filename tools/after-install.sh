#!/bin/sh
# SPDX-License-Identifier: MIT
#
# after-install.sh PREFIX LIBDIR: what a shell still needs to find what was just installed, as lines to copy: the tool by
# PATH, the library by pkg-config and by the dynamic linker. What this machine finds without, is not printed. `cmake
# --install` runs it at its end, unless DESTDIR says that the files are on their way to another place.
set -eu
prefix=$1
libdir=$2
PATH=$PATH:/usr/sbin:/sbin # ldconfig

# Prints the line that puts a folder before what a variable has. An empty part of the variable would mean the working folder.
before() { # variable, folder
    printf '    export %s="%s${%s:+:$%s}"\n' "$1" "$(printf '%s' "$2" | sed 's/[\\"$`]/\\&/g')" "$1" "$1"
}

# The dynamic linker's folders, without those of LD_LIBRARY_PATH.
linker_folders() {
    ldconfig -v -N -X 2>/dev/null | sed -n 's/^\(\/[^:]*\):.*/\1/p'
}

# Whether the dynamic linker comes to a library of this name through its cache.
is_cached() { # path of the library
    ldconfig -p 2>/dev/null | grep -qF "=> $1"
}

needed_lines() {
    found=$(command -v ubiheap || :)
    [ -n "$found" ] && [ "$found" -ef "$prefix/bin/ubiheap" ] || before PATH "$prefix/bin"
    found=$(pkg-config --variable=pcfiledir ubiheap 2>/dev/null || :)
    [ -n "$found" ] && [ "$found" -ef "$libdir/pkgconfig" ] || before PKG_CONFIG_PATH "$libdir/pkgconfig"
    case ":${LD_LIBRARY_PATH:-}:" in *":$libdir:"*) return ;; esac
    if ! linker_folders | grep -qxF "$libdir"; then
        before LD_LIBRARY_PATH "$libdir"
        return
    fi
    library=$libdir/libubiheap.so.0
    is_cached "$library" || ldconfig 2>/dev/null || :
    is_cached "$library" || echo '    sudo ldconfig'
}

lines=$(needed_lines)
echo
if [ -z "$lines" ]; then
    echo "Installed in $prefix. Nothing is left to do."
else
    echo "Installed in $prefix. For this shell, and in ~/.profile for those to come:"
    echo
    echo "$lines"
fi
