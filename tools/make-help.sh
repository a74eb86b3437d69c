#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make-help.sh UBIHEAP DIRECTORY: writes man1/ubiheap.1, man1/ubiheap-COMMAND.1 and ubiheap.bash, which the tool prints from
# its own option tables. The file `made` says that all of it was written.
set -eu
tool=$1
directory=$2

rm -rf "$directory"
mkdir -p "$directory/man1"
"$tool" help --man >"$directory/man1/ubiheap.1"
"$tool" help --commands >"$directory/commands"
while read -r command; do
    "$tool" help --man "$command" >"$directory/man1/ubiheap-$command.1"
done <"$directory/commands"
"$tool" help --bash-completion >"$directory/ubiheap.bash"
touch "$directory/made"
