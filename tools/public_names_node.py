#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the list of what Node.js calls its own, which an anonymized snapshot keeps.

    python3 tools/public_names_node.py NODE...

asks each of these programs, say Node.js 18, 20, 22 and 24 (started without environment in an empty folder), for the names in its own
sources and built-in modules (public_names_node.js) and takes snapshots of programs that do nothing, and that load them all, for the
names of V8's fields and built-in functions. It rewrites public_names_node_*.c in src/lenses/v8/. Of a snapshot's strings only
those count that the sources have, that are made of such names, or that the snapshot of each release has and that hold no word of
this machine's name, user, folders and system: so nothing of this machine is in the list. Run it for a new Node.js, with the older
ones beside it; read the diff.
"""
import getpass
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

from public_names import FOLDER, escaped, group

V8_FOLDER = FOLDER.parents[1] / "lenses" / "v8"

HERE = pathlib.Path(__file__).resolve().parent
NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
TEXT = re.compile(r"[ -~\n]{2,200}")  # printable
# Too much a word of people and their accounts; and what looks like a replacement.
LEFT_OUT = re.compile(r"(?i:users?|user_?names?|secrets?|passwords?|passphrases?|tokens?|e?mails?|accounts?|customers?|consumers?|"
                      r"subscribers?|items?|tickets?|reminders?)|x_.*")
NO_TEXT = re.compile(r"[-+0-9.v]+|<symbol .*>|#.*[^A-Za-z].*|(?:get|set|bound) ")  # numbers; what the grammar of names takes apart
MADE_OF_NAMES = re.compile(r"(?:get |set )?[A-Za-z0-9_$.%@:\[\] ]+|#[A-Za-z]+|%[0-9A-F]{2}")
FILE = "some.heapsnapshot"
NOTHING = f"""require("v8").writeHeapSnapshot("{FILE}")"""
EVERYTHING = f"""for (const id of require("module").builtinModules) require(id); {NOTHING}"""


def run_node(program, folder, *arguments):
    done = subprocess.run([program, "--no-warnings", *arguments], cwd=folder, env={}, capture_output=True, check=True,
                          timeout=600)
    return done.stdout.decode()


def take_snapshot(program, folder, source):
    run_node(program, folder, "-e", source)
    return json.loads((pathlib.Path(folder) / FILE).read_text())


def snapshot_names(snapshot):
    """Names of V8's fields and built-in functions: no program gives these."""
    meta, strings = snapshot["snapshot"]["meta"], snapshot["strings"]
    width, kinds = len(meta["edge_fields"]), meta["edge_types"][0]
    kind, name = (meta["edge_fields"].index(field) for field in ("type", "name_or_index"))
    for at in range(0, len(snapshot["edges"]), width):
        if kinds[snapshot["edges"][at + kind]] == "internal":
            text = re.sub(r"^\d+ / ", "", strings[snapshot["edges"][at + name]])
            yield text
            yield text.removesuffix("_string")
    for text in strings:
        if match := re.fullmatch(r"\((\w+) builtin handle\)|(per_(?:realm|isolate)_\w+)", text):
            yield match[1] or match[2]


def known_lists():
    """Names on the lists that other scripts and hands write."""
    src = FOLDER.parents[1]
    for path in [*src.rglob("public_names_*.c"), *src.rglob("*_producer.c")]:
        if path.stem.startswith("public_names_node"):
            continue
        for lists, body in re.findall(r"\{ ([^,]*NAMES_MEMBER[^,]*),\s*((?:\"[^\"\n]*\"\s*)+)\}", path.read_text()):
            yield from "".join(re.findall(r'"([^"\n]*)"', body)).split("|")


class Release:
    """What one release calls its own, and a snapshot of it."""

    def __init__(self, program):
        with tempfile.TemporaryDirectory(prefix="ubiheap-names-") as folder:
            own = json.loads(run_node(program, folder, "--expose-internals", str(HERE / "public_names_node.js")))
            snapshots = [take_snapshot(program, folder, what) for what in (NOTHING, EVERYTHING)]
            self.of_machine = set(re.split(r"\W+", f"{folder} {program} {pathlib.Path.home()} {getpass.getuser()} {' '.join(platform.uname())}"))
        of_v8 = set().union(*map(snapshot_names, snapshots))
        self.strings = {text for snapshot in snapshots for text in snapshot["strings"] if FILE not in text}
        self.sources = set(own["names"]) | set(own["texts"]) | of_v8
        wanted = set(own["names"]) | self.strings | of_v8
        self.names = {text for text in self.sources & wanted if is_name(text)}
        self.symbols = {match[1] for text in self.strings if (match := re.fullmatch("<symbol (.+)>", text))}


def is_name(text):
    return NAME.fullmatch(text) and len(text) > 1  # one letter may be an answer


def is_made_of(known, text):
    return MADE_OF_NAMES.fullmatch(text) and all(part in known or re.fullmatch("%[0-9A-F]{2}", text)
                                                 for part in re.split(r"[^A-Za-z0-9_$]+", text) if part)


def collect(programs):
    releases = [Release(program) for program in programs]
    everywhere = set.intersection(*(r.strings for r in releases)) if len(releases) > 1 else set()
    of_machine = set().union(*(r.of_machine for r in releases)) - {""}
    names = set().union(*(r.names for r in releases), filter(is_name, everywhere - of_machine))
    done = set(known_lists())
    known = names | done
    texts = {text for r in releases for text in r.strings | r.symbols
             if not NAME.fullmatch(text) and TEXT.fullmatch(text) and not NO_TEXT.fullmatch(text)
             and (is_made_of(known, text) or text in r.sources or text in r.symbols
                  or text in everywhere and of_machine.isdisjoint(re.split(r"\W+", text)))}
    return ({name for name in names - done if not LEFT_OUT.fullmatch(name)},
            {text for text in texts - done if not LEFT_OUT.fullmatch(text.lstrip("#"))})


def whole(lists, words):
    """Entries of one name each."""
    return "".join(f'    {{ {lists} | UBI__NAMES_WHOLE,\n      "{escaped(word)}" }},\n' for word in sorted(words))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    names, texts = collect(sys.argv[1:])
    classes = {name for name in names if name[0].isupper() and not name.isupper()
               and not name.endswith(("Prototype", "prototype", "Iterator"))}
    classes.add("global")  # of the global object
    parts = {
        "classes": ("classes and functions of Node.js and V8 that begin with a capital", classes,
                    "UBI__NAMES_CLASS | UBI__NAMES_MEMBER"),
        "names": ("other names of Node.js and V8", names - classes, "UBI__NAMES_MEMBER"),
        "texts": ("strings of Node.js that are no names", texts, "UBI__NAMES_MEMBER"),
    }
    for part, (what, words, lists) in parts.items():
        (V8_FOLDER / f"public_names_node_{part}.c").write_text(f"""/* SPDX-License-Identifier: MIT
 *
 * public_names_node_{part}.c: {what}.
 *
 * Written by tools/public_names_node.py; do not edit.
 */
#include "analyses/anonymize/public_names.h"

const ubi__name_group ubi__names_node_{part}[] = {{
{group(lists, {word for word in words if "|" not in word})}{whole(lists, {word for word in words if "|" in word})}    {{ 0, NULL }},
}};
""")


if __name__ == "__main__":
    main()
