#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include whom: reads every #include of the sources and fails on a breach of the layers.

Also: engines are known through src/lenses/producer.h alone, so code outside of an engine's own folders may not name it, a few
places excepted; C file names are unique across the tree, so that a name alone says which file is meant, and the public headers
include public headers and the C standard library only.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

# The layers, from docs/explanation/architecture.md. A module may include every layer below its own. Within a layer a
# module may include itself; it may include its neighbours only where `together` says so.
LAYERS = [
    {"modules": ["base", "unwind"], "together": False},
    {"modules": ["stacks"], "together": False},
    {"modules": ["graph", "recording", "timeline", "symbolize", "tracking"], "together": False},
    {"modules": ["formats", "analyses"], "together": False},
    {"modules": ["lenses", "targets"], "together": True},
    {"modules": ["engines", "render"], "together": False},
    {"modules": ["session"], "together": False},
    {"modules": ["questions"], "together": False},
    {"modules": ["jobs"], "together": False},
    {"modules": ["rdp", "cdp", "http", "mcp"], "together": False},
    {"modules": ["cli"], "together": False},
]
# Modules whose folders keep to themselves: formats/x never includes formats/y. Files directly in formats/ (the registry)
# may include all of theirs.
SEPARATE_FOLDERS = {"formats", "analyses", "lenses", "engines", "questions"}
# What several folders of a module share, and includes none of them.
SHARED_FOLDERS = {("questions", "recording")}
# Engines are reached through targets only; the tool lists them in one file, by their runners.
FORBIDDEN = {(module, "engines") for module in ("session", "questions", "jobs", "rdp", "cdp", "http", "mcp", "cli")}
ENGINE_REGISTRY = "src/cli/script_runners.c"
RUNNER_HEADER = re.compile(r"engines/\w+/host/\w+_runner\.h")
# Folders of public headers: each includes itself and those before it.
RINGS = ["core", "views", "extension", "server"]
# A public header belongs to the module that defines its functions in .c files, or else to the one whose name it bears. These have neither.
HEADERS_WITHOUT_FUNCTIONS = {
    "classes.h": "analyses",
    "marker.h": "base",
    "recorder.h": "base",
    "quickjs_references.h": "engines",  # all in the adapter's headers
    "ubiheap.h": "cli",  # all of them: for users, and for us only at the very top
}
# interpose runs inside other programs: the walker, and leaf headers of other modules, by name.
INTERPOSE_MAY_INCLUDE = {"interpose", "unwind"}
INTERPOSE_LEAF_HEADERS = {"base/assert.h", "base/bits.h", "base/clock.h", "base/script_source.h", "recording/attach_wire.h",
                          "recording/preload_wire.h", "recording/script_places.h", "recording/unrecorded.h", "ubiheap/core/marker.h",
                          "ubiheap/core/recorder.h"}
# nodewatch runs inside of Node.js, with two leaf headers of ours.
NODEWATCH_LEAF_HEADERS = {"base/assert.h", "base/memory_limits.h"}
# Modules in no layer: each is the inside of other programs, and a library of its own.
INSIDE_OTHERS = {"interpose": INTERPOSE_MAY_INCLUDE, "nodewatch": {"nodewatch"}}
# Invariants of the walker run in the tool, and are compiled out in what runs inside other programs.
UNWIND_LEAF_HEADERS = {"base/assert.h"}
# What is compiled with an engine, by users as well, has of ours the public headers, itself, tracking, and four leaf headers.
INSTALLED_AS_SOURCE = ("tracking", "engines")
SOURCE_MAY_INCLUDE = {"tracking": {"tracking"}, "engines": {"engines", "tracking"}}
SOURCE_LEAF_HEADERS = {"base/assert.h", "base/bits.h", "base/script_source.h", "base/table.h"}
# Folders of engines that are not installed: they run scripts for the tool.
NOT_INSTALLED = {"host"}
# Scripts ask through the library's call for programs, as what embeds the engine does.
SCRIPTS_DOOR = ("src/engines/quickjs/js_ask.c", {"ubiheap/extension/ask.h"})
# Tracking has no layer's insides, and of the profiler's module plain values only.
TRACKING_MAY_INCLUDE = {"ubiheap/core/base.h", "ubiheap/core/stacks.h", "ubiheap/core/profiler.h", "ubiheap/extension/tracking.h"}
# Made by the build.
MADE_HEADERS = {"ubi_features.h"}
# What a public header of an engine may include besides.
ENGINE_HEADERS = {("quickjs.h", "quickjs.h"), ("quickjs_leaks.h", "quickjs.h"), ("quickjs_references.h", "quickjs.h")}
C_STANDARD_HEADERS = {
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h", "limits.h", "locale.h",
    "math.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h",
    "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h",
    "wctype.h",
}

# Producers of heaps are those of the two registries: each line X(name) has folders called `name`, which alone may name it: by an
# identifier, an included folder, or a text that a name is compared with. Comments, and texts for people, may.
REGISTRIES = ("src/formats/recognize.c", "src/lenses/producers.c")
REGISTRY_LINE = re.compile(r"\bX\((\w+)\)")
WITHOUT_ENGINE = {"plain"}
# Formats that are not called as their producer is.
PRODUCER_OF = {"fxsnapshot": "firefox"}
# Names of types that give a producer away.
TYPE_NAMES = {"firefox": r"\"js::", "v8": r"\"system / ", "quickjs": r"\"JS(VarRef|Context|Runtime|Shape)\""}
# What formats, producers and lenses call themselves.
OWN_NAME = re.compile(r"const (?:ubi__format|ubi__producer|ubi_lens) \w+ = \{\s*\.name = \"(\w+)\"")
# What is written for the tools of a producer is no knowledge of its heaps.
OUTPUT = r"ubi__(render_timeline|timeline|save_format|event_format)_"
# Folders of what runs inside of an engine and calls it by its own names.
INSIDE_ENGINES = {"v8": ("src/nodewatch/",)}
# (producer, file): how many lines of code may name it there, and why.
NAMED_ELSEWHERE = {
    ("firefox", "src/cli/commands/convert/convert_command.c"): (1, "an option of the format that is written"),
}

DECLARED = re.compile(r"^UBI_API\b[^;(]*?\b(ubi_\w+)\(", re.MULTILINE)
DEFINED = re.compile(r"^(?!static\b|typedef\b)\w[^;{}()=]*?\b(ubi_\w+)\(", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer["modules"]}


def includes(path):
    """(line number, "<" or '"', name) of every include."""
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def allowed(source, target):
    """Whether module `source` may include module `target`."""
    if source == target:
        return True
    if source in INSIDE_OTHERS:
        return target in INSIDE_OTHERS[source]
    if (source, target) in FORBIDDEN or source not in RANK or target not in RANK:
        return False
    if RANK[source] == RANK[target]:
        return LAYERS[RANK[source]]["together"]
    return RANK[source] > RANK[target]


def folder_breach(source_parts, target_parts):
    """Whether a folder of a module reaches into its neighbour: formats/x into formats/y."""
    return (
        source_parts[0] == target_parts[0]
        and source_parts[0] in SEPARATE_FOLDERS
        and len(source_parts) > 2
        and len(target_parts) > 2
        and source_parts[1] != target_parts[1]
        and target_parts[:2] not in SHARED_FOLDERS
    )


def is_test_code(path):
    return path.stem.endswith(("_test", "_fuzz", "_bench"))


def is_installed_as_source(path, parts):
    """Whether users compile this file with their engine (cmake/Install.cmake)."""
    return parts[0] in INSTALLED_AS_SOURCE and not is_test_code(path) and not NOT_INSTALLED & set(parts)


def source_breach(path, parts, name):
    """Whether a file that is installed as source includes something of ours that is not there."""
    if name in MADE_HEADERS | SOURCE_LEAF_HEADERS or not is_installed_as_source(path, parts):
        return False
    if name.startswith("ubiheap/"):
        return parts[0] == "tracking" and name not in TRACKING_MAY_INCLUDE
    return Path(name).parts[0] not in SOURCE_MAY_INCLUDE[parts[0]] and not path.stem.endswith(("_testing", "_for_tests"))


def modules_of_headers(root):
    """Name of each public header: the modules that define its functions; usually one."""
    defined = defaultdict(set)
    for path in (root / "src").rglob("*.c"):
        if not is_test_code(path):
            for name in DEFINED.findall(path.read_text(encoding="utf-8")):
                defined[name].add(path.relative_to(root / "src").parts[0])
    modules = {}
    for header in (root / "include" / "ubiheap").rglob("*.h"):
        found = set().union(*(defined[name] for name in DECLARED.findall(header.read_text(encoding="utf-8"))))
        modules[header.name] = found or {HEADERS_WITHOUT_FUNCTIONS.get(header.name, header.stem)}
    return modules


def check_source(root, path, headers):
    """Breaches of one file of src/; `headers` are those of modules_of_headers."""
    parts = path.relative_to(root / "src").parts
    module = parts[0]
    if module not in RANK and module not in INSIDE_OTHERS:
        yield f"{path}: src/{module} is no module that the layer table knows"
        return
    for line, kind, name in includes(path):
        where = f"{path.relative_to(root)}:{line}"
        if (kind == '"' or name.startswith("ubiheap/")) and source_breach(path, parts, name):
            yield f"{where}: {parts[0]} is installed as source, without {name}"
        elif name.startswith("ubiheap/"):
            header = Path(name)
            target = min(headers.get(header.name, {header.stem}))
            if kind != "<":
                yield f'{where}: a public header is included as <{name}>'
            if target not in RANK:
                yield f"{where}: <{name}> belongs to no module that the layer table knows"
            elif module == "interpose" and name in INTERPOSE_LEAF_HEADERS:
                continue
            elif module == "tracking" and name in TRACKING_MAY_INCLUDE:
                continue
            elif str(path.relative_to(root)) == SCRIPTS_DOOR[0] and name in SCRIPTS_DOOR[1]:
                continue
            elif not allowed(module, target) and not path.stem.endswith("_bench"):
                # A bench measures on real input, so it may use the public interface of any module, as a user does.
                yield f"{where}: {module} may not include <{name}>, which belongs to {target}"
        elif kind == '"':
            if not (root / "src" / name).is_file():
                if name in MADE_HEADERS:
                    continue
                if is_test_code(path) and (root / "tests" / "support" / name).is_file():
                    continue
                yield f'{where}: "{name}" is no file below src/; ours are included by their path from there'
                continue
            target_parts = Path(name).parts
            if name in {"interpose": INTERPOSE_LEAF_HEADERS, "nodewatch": NODEWATCH_LEAF_HEADERS, "unwind": UNWIND_LEAF_HEADERS}.get(module, ()):
                continue
            if str(path.relative_to(root)) == ENGINE_REGISTRY and RUNNER_HEADER.fullmatch(name):
                continue
            if not allowed(module, target_parts[0]):
                yield f'{where}: {module} may not include "{name}"'
            elif folder_breach(parts, target_parts):
                yield f'{where}: {"/".join(parts[:2])} may not include "{name}" of its neighbour'


def check_public_header(root, path):
    ring = path.parent.name
    for line, kind, name in includes(path):
        if (path.name, name) in ENGINE_HEADERS:
            continue
        if kind == "<" and (name in C_STANDARD_HEADERS or (root / "include" / name).is_file()):
            inner = Path(name).parent.name
            if ring in RINGS and inner in RINGS and RINGS.index(inner) > RINGS.index(ring):
                yield f"{path.relative_to(root)}:{line}: the ring {ring} may not include {name}"
            continue
        yield f"{path.relative_to(root)}:{line}: a public header may not include {name}"


COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def code_lines(path):
    """(line number, text) without comments."""
    text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"))
    return enumerate(text.splitlines(), 1)


def registered(root):
    """(name, registry) of every line of the registries."""
    for registry in REGISTRIES:
        if (root / registry).is_file():
            for name in REGISTRY_LINE.findall((root / registry).read_text(encoding="utf-8")):
                if name not in WITHOUT_ENGINE:
                    yield name, registry


def producers(root):
    """Producer: (its folders, what a name of it looks like in code)."""
    names = defaultdict(set)
    for name, _ in registered(root):
        names[PRODUCER_OF.get(name, name)].add(name)
    found = {}
    for producer, called in names.items():
        folders = [folder for name in called for folder in (root / "src").glob(f"*/{name}")]
        texts = {text for folder in folders for path in folder.glob("*.c")
                 for text in OWN_NAME.findall(path.read_text(encoding="utf-8"))} | called
        any_name, any_text = "|".join(sorted(called)), "|".join(sorted(texts))
        patterns = [rf"\bUBI__({any_name.upper()})_", rf"\b(?!{OUTPUT})ubi__(\w+_)?({any_name})(_|\b)",
                    rf"\b(\w+_)?is_({any_name})\b", rf"[\"/]\w+/({any_name})/", rf"str\w*cmp\([^;]*\"(?i:{any_text})\"",
                    *([TYPE_NAMES[producer]] if producer in TYPE_NAMES else [])]
        found[producer] = (tuple(f"{folder.relative_to(root)}/" for folder in folders), re.compile("|".join(patterns)))
    return found


def producers_named(root):
    """(producer, file): lines of code outside of the producer's folders that name it."""
    used = defaultdict(list)
    rules = producers(root)
    for path in sorted((root / "src").rglob("*.[ch]")):
        name = str(path.relative_to(root))
        if is_test_code(path):
            continue
        lines = None
        for producer, (folders, names) in rules.items():
            if name.startswith((*folders, *INSIDE_ENGINES.get(producer, ()))) or name == ENGINE_REGISTRY:
                continue
            lines = lines or list(code_lines(path))
            found = [number for number, text in lines if names.search(text)]
            if found:
                used[producer, name] = found
    return used


def check_producers(root):
    for (producer, name), found in producers_named(root).items():
        if (producer, name) not in NAMED_ELSEWHERE:
            yield f"{name}:{found[0]}: names {producer}; ask src/lenses/producer.h"


def check_exceptions(root):
    """Exceptions that are none any more, or more than they say."""
    used = producers_named(root)
    for (producer, name), (lines, _) in NAMED_ELSEWHERE.items():
        found = used.get((producer, name), [])
        if len(found) != lines:
            yield f"{name} names {producer} in {len(found)} lines of code; NAMED_ELSEWHERE says {lines}"


def check_unique_names(root):
    places = defaultdict(list)
    for folder in ("src", "tests", "fuzz", "bench"):
        for path in (root / folder).rglob("*.c"):
            places[path.name].append(str(path.relative_to(root)))
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield f"{name} is the name of more than one file: {', '.join(sorted(paths))}"


def check_registries(root):
    """A line of a registry has its folder, and a folder its line, except those that have no reader or no engine."""
    for name, registry in registered(root):
        if not (root / registry).with_name(name).is_dir():
            yield f"{registry} lists {name}, which has no folder beside it"


def breaches(root):
    headers = modules_of_headers(root)
    for header, modules in sorted(headers.items()):
        if len(modules) > 1:
            yield f"{header}: its functions are in more than one module: {', '.join(sorted(modules))}"
    for path in sorted((root / "src").rglob("*.[ch]")):
        yield from check_source(root, path, headers)
    for path in sorted((root / "include" / "ubiheap").rglob("*.h")):
        yield from check_public_header(root, path)
    yield from check_producers(root)
    yield from check_registries(root)
    yield from check_unique_names(root)


def main():
    root = Path(__file__).resolve().parents[2]
    found = [*breaches(root), *check_exceptions(root)]
    for breach in found:
        print(breach)
    files = len(list((root / "src").rglob("*.[ch]")))
    if files == 0:
        print("no sources found")
        return 1
    print(f"{files} source files, {len(found)} breaches")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
