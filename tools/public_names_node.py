#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the list of what Node.js calls its own, which an anonymized snapshot keeps.

    python3 tools/public_names_node.py

asks node (on PATH, started without environment in an empty folder) for the names in its own sources and built-in modules
(public_names_node.js) and takes a snapshot of a program that loads them all and does nothing, for the names of V8's fields and
built-in functions. It rewrites public_names_node_*.c in src/analyses/anonymize/. Of the snapshot's strings only those count that the
sources have, or that are made of such names: so nothing of this machine is in the list. Run it for a new Node.js; read the diff.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from public_names import FOLDER, group

HERE = pathlib.Path(__file__).resolve().parent
NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
TEXT = re.compile(r"[!#-\[\]-z~](?:[ !#-\[\]-z~]{0,98}[!#-\[\]-z~])?")  # printable, without what C escapes, and without the list's |
# Too much a word of people and their accounts; and what looks like a replacement.
LEFT_OUT = re.compile(r"(?i:users?|user_?names?|secrets?|passwords?|passphrases?|tokens?|e?mails?|accounts?|customers?)|x_.*")
MADE_OF_NAMES = re.compile(r"(?:get |set )?[A-Za-z0-9_$.%\[\] ]+|<symbol .+>|#[A-Za-z]+|%[0-9A-F]{2}")
SNAPSHOT = """for (const id of require("module").builtinModules) require(id);
require("v8").writeHeapSnapshot("all.heapsnapshot")"""


def node(folder, *arguments):
    program = shutil.which("node") or sys.exit("public_names_node.py: no node on PATH")
    done = subprocess.run([program, "--no-warnings", *arguments], cwd=folder, env={}, capture_output=True, check=True,
                          timeout=600)
    return done.stdout.decode()


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
    for path in FOLDER.glob("public_names_*.c"):
        if path.stem.startswith("public_names_node"):
            continue
        for lists, body in re.findall(r"\{ ([^,]*NAMES_MEMBER[^,]*),\s*((?:\"[^\"\n]*\"\s*)+)\}", path.read_text()):
            yield from "".join(re.findall(r'"([^"\n]*)"', body)).split("|")


def collect():
    with tempfile.TemporaryDirectory(prefix="ubiheap-names-") as folder:
        own = json.loads(node(folder, "--expose-internals", str(HERE / "public_names_node.js")))
        node(folder, "-e", SNAPSHOT)
        snapshot = json.loads((pathlib.Path(folder) / "all.heapsnapshot").read_text())
    of_v8 = set(snapshot_names(snapshot))
    sources = set(own["names"]) | set(own["texts"]) | of_v8
    wanted = set(own["names"]) | set(snapshot["strings"]) | of_v8
    names = {text for text in sources & wanted if NAME.fullmatch(text) and len(text) > 1}  # one letter may be an answer
    known = names | set(known_lists())
    texts = set()
    for text in snapshot["strings"]:
        made = MADE_OF_NAMES.fullmatch(text) and all(
            part in known or part == "symbol" or re.fullmatch("%[0-9A-F]{2}", text) for part in re.split(r"[^A-Za-z0-9_$]+", text) if part)
        if not NAME.fullmatch(text) and TEXT.fullmatch(text) and (made or text in sources):
            if not re.fullmatch(r"[-+0-9.]+|.", text):
                texts.add(text)
    done = set(known_lists())
    return ({name for name in names - done if not LEFT_OUT.fullmatch(name)},
            {text for text in texts - done if not LEFT_OUT.fullmatch(text.lstrip("#"))})


def main():
    names, texts = collect()
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
        (FOLDER / f"public_names_node_{part}.c").write_text(f"""/* SPDX-License-Identifier: MIT
 *
 * public_names_node_{part}.c: {what}.
 *
 * Written by tools/public_names_node.py; do not edit.
 */
#include "analyses/anonymize/public_names.h"

const ubi__name_group ubi__names_node_{part}[] = {{
{group(lists, words)}    {{ 0, NULL }},
}};
""")


if __name__ == "__main__":
    main()
