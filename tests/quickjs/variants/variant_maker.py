# SPDX-License-Identifier: MIT
"""Variants of an engine's source that mean the same and look different, or that break one thing.

    moved(text)              members of structures stand in another order, with new ones between them
    renamed(text, keep)      members and static functions that the tools do not name have other names
    without_birth_hook(text) things are put on the collector's list in a way that the tools do not hear of
"""
import re

STRUCTURES = """JSRuntime JSClass JSStackFrame JSVarRef JSContext JSClosureVar JSVarDef JSFunctionBytecode JSBoundFunction
    JSForInIterator JSRegExp JSProxyData JSArrayBuffer JSTypedArray JSAsyncFunctionState JSAsyncFunctionData JSExportEntry
    JSImportEntry JSReqModuleEntry JSModuleDef JSJobEntry JSShape JSShapeProperty JSObject JSMapRecord JSMapState
    JSMapIteratorData JSPromiseData JSPromiseFunctionData JSPromiseReactionData JSGeneratorData JSAsyncGeneratorRequest
    JSAsyncGeneratorData JSCFunctionDataRecord""".split()


def structure_body(text, name):
    """(start, end) between the braces of a structure, or None."""
    found = re.search(r"^(?:typedef )?struct %s \{\n" % name, text, re.M)
    if not found:
        return None
    return found.end(), text.index("\n}", found.end()) + 1


def members_of(body):
    """Member declarations with the comments and conditions around them, in order."""
    members, current, depth, conditions = [], "", 0, 0
    for line in body.splitlines(keepends=True):
        current += line
        code = re.sub(r"/\*.*?\*/|//.*", "", line)
        if "/*" in code and "*/" not in code:
            depth += 1  # a comment of several lines
            continue
        if depth and "*/" in code and "/*" not in code:
            depth -= 1
            continue
        conditions += bool(re.match(r"\s*#\s*if", code)) - bool(re.match(r"\s*#\s*endif", code))
        depth += code.count("{") - code.count("}")
        ends = code.rstrip().endswith(";") or re.match(r"\s*#\s*endif", code)
        if depth == 0 and conditions == 0 and ends:
            members.append(current)
            current = ""
    return members, current


def code_of(member):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", member, flags=re.S).strip()


def is_first(member):
    """The count of references has to come first."""
    return "header;" in code_of(member)


def is_last(member):
    """Structures end with arrays of unknown length, and bytecode without debug information ends before it."""
    return "[0];" in code_of(member) or code_of(member).endswith("} debug;")


def moved(text):
    for number, name in enumerate(STRUCTURES):
        place = structure_body(text, name)
        if not place:
            continue
        members, rest = members_of(text[place[0]:place[1]])
        first = [m for m in members if is_first(m)]
        last = [m for m in members if is_last(m)]
        others = [m for m in members if not is_first(m) and not is_last(m)]
        others.reverse()
        others.insert(len(others) // 2, f"    uint32_t variant_{number};\n")
        text = text[:place[0]] + "".join(first + others + last) + rest + text[place[1]:]
    return text


def static_functions(text):
    return set(re.findall(r"^static (?:[A-Za-z_]+ [*]?)+?[*]?([a-z_0-9]{6,})\(", text, re.M | re.I))


def member_names(text):
    names = set()
    for name in STRUCTURES:
        place = structure_body(text, name)
        if place:
            for member in members_of(text[place[0]:place[1]])[0]:
                names.update(re.findall(r"\b([a-z]+_[a-z_0-9]+)(?: : \d+)?;", code_of(member)))
    return names


def renamed(text, keep):
    """`keep`: words that stay as they are. Returns the text and how many names changed."""
    names = (static_functions(text) | member_names(text)) - keep
    pasted = set(re.findall(r"##\s*([A-Za-z_0-9]+)|([A-Za-z_0-9]+)\s*##", text))
    names -= {word for pair in pasted for word in pair}
    pattern = re.compile(r"\b(%s)\b" % "|".join(sorted(map(re.escape, names))))
    return pattern.sub(r"\1_variant", text), len(names)


def without_birth_hook(text):
    start = text.index("static void add_gc_object(JSRuntime *rt, JSGCObjectHeader *h,\n"
                       "                          JSGCObjectTypeEnum type)\n{")
    end = text.index("\n}", start)
    body = text[start:end].replace("list_add_tail(&h->link, &rt->gc_obj_list)",
                                   "__list_add(&h->link, rt->gc_obj_list.prev, &rt->gc_obj_list)")
    assert body != text[start:end]
    return text[:start] + body + text[end:]
