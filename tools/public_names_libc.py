#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the list of C library functions that an anonymized recording keeps.

    python3 tools/public_names_libc.py

asks the C library of this system (nm, of binutils) for the functions it exports, and rewrites
src/analyses/anonymize/public_names_libc.c. Left out are what only old programs call and variants of the same function for
other types of numbers.
"""
import re
import subprocess
import sys

from public_names import FOLDER, group

LIBRARIES = ["libc.so.6", "libm.so.6"]
LEFT_OUT = re.compile(
    r"_.*|.*f(128|32|64)x?(_r)?|(xdr|svc|clnt|auth(unix|none|des)|rpc|pmap|xprt|netname|key_|bdflush|nfs).*|.*64_time"
)


def exported(library):
    paths = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True,
                           env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}).stdout
    match = re.search(rf"^\s*{re.escape(library)} .*=> (\S+)$", paths, re.MULTILINE)
    if not match:
        sys.exit(f"public_names_libc.py: no {library} on this system")
    symbols = subprocess.run(["nm", "-D", "--defined-only", match[1]], capture_output=True, text=True, check=True).stdout
    for line in symbols.splitlines():
        kind, name = line.split()[-2:]
        if kind in "TWi":
            yield name.split("@")[0]


def main():
    names = {name for library in LIBRARIES for name in exported(library) if not LEFT_OUT.fullmatch(name)}
    (FOLDER / "public_names_libc.c").write_text(f"""/* SPDX-License-Identifier: MIT
 *
 * public_names_libc.c: functions of the C library, as that of Debian 12 exports them.
 *
 * Written by tools/public_names_libc.py; do not edit.
 */
#include "analyses/anonymize/public_names.h"

const ubi__name_group ubi__names_libc[] = {{
{group("UBI__NAMES_NATIVE", names)}    {{ 0, NULL }},
}};
""")


if __name__ == "__main__":
    main()
