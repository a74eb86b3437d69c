# SPDX-License-Identifier: MIT
"""Variants of an engine's source that mean the same and look different, or that break one thing.

    moved(text)             members of structures stand in another order, with new ones between them
    renamed(text, keep)     members and static functions that the tools do not name have other names
    with_other_arguments(text)  calls of functions that the tools divert begin with other words
    with_later_structures(text) members and types that later engines have; to be compiled only
    without_hooks(text, names)  what these hooks are about happens in a way that the tools do not hear of
"""
import re

STRUCTURES = """JSRuntime JSClass JSStackFrame JSVarRef JSContext JSClosureVar JSVarDef JSFunctionBytecode JSBoundFunction
    JSForInIterator JSRegExp JSProxyData JSArrayBuffer JSTypedArray JSAsyncFunctionState JSAsyncFunctionData JSExportEntry
    JSImportEntry JSReqModuleEntry JSModuleDef JSJobEntry JSShape JSShapeProperty JSObject JSMapRecord JSMapState
    JSMapIteratorData JSPromiseData JSPromiseFunctionData JSPromiseReactionData JSGeneratorData JSAsyncGeneratorRequest
    JSAsyncGeneratorData JSCFunctionDataRecord JSGCObjectHeader JSString JSBigFloat JSBigDecimal""".split()


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
    return "header;" in code_of(member) or code_of(member) == "int ref_count;"


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


def body_of(text, function):
    """(start, end) of a function's definition."""
    start = re.search(r"^(?:static |void |JSValue )[^\n;]*\b%s\([^;{]*\)\n\{" % function, text, re.M).start()
    return start, text.index("\n}", start)


def with_other_arguments(text):
    """Some functions call their context by another name, with which calls then begin."""
    for function in ("js_array_concat", "js_regexp_exec", "js_map_constructor", "JS_ThrowStackOverflow", "js_proxy_get"):
        start, end = body_of(text, function)
        body = re.sub(r"\bctx\b", "context", text[start:end])
        text = text[:start] + body + text[end:]
    return text


def with_later_structures(text):
    """What later engines have and this one has not, as far as it can be compiled; it does not run."""
    later = """
enum { JS_STRING_KIND_NORMAL, JS_STRING_KIND_SLICE, JS_STRING_KIND_INDIRECT };
typedef struct JSStringSlice { JSString *parent; uint32_t start; } JSStringSlice;
typedef struct JSWeakRefData { JSValue target; } JSWeakRefData;
static JSWeakRefData js_weakref_sentinel;
typedef struct JSFinRecEntry { struct list_head link; JSValue held_val; } JSFinRecEntry;
typedef struct JSFinalizationRegistryData { struct list_head entries; JSValue cb; } JSFinalizationRegistryData;
"""
    changes = [
        ("    uint32_t hash_next; /* atom_index", "    uint8_t kind;\n    uint32_t hash_next; /* atom_index"),
        ("typedef struct JSClosureVar {\n", later + "typedef struct JSClosureVar {\n"),
        ("    JS_CLASS_INIT_COUNT, ", "    JS_CLASS_INIT_COUNT,\n    JS_CLASS_WEAK_REF,\n    JS_CLASS_FINALIZATION_REGISTRY, "),
        ("                JSValue *values; ", "                JSVarRef **var_refs; /* u.array.u.var_refs */\n                JSValue *values; "),
        ("typedef struct JSForInIterator {\n", "typedef struct JSForInIterator {\n    uint32_t atom_count;\n    JSPropertyEnum *tab_atom;\n"),
        ("typedef struct JSVarRef {\n", "typedef struct JSVarRef {\n    void *async_func;\n"),
    ]
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text.replace("JS_ATOM_HASH_SYMBOL", "ATOM_HASH_OF_SYMBOLS")


# ---- hooks that cannot fire ------------------------------------------------------------------------------------------

def called_directly(text, callee, within=None):
    """Calls in a form that no macro with arguments sees: (f)(x). `within`: in this function only."""
    start, end = body_of(text, within) if within else (0, len(text))
    body, n = re.subn(r"\b%s\((?!JS\w+ ?\*)" % callee, "(%s)(" % callee, text[start:end])
    assert n, (callee, within)
    return text[:start] + body + text[end:]


def called_by_another_name(text, callee):
    """An exported function whose callers in the engine call a copy of it."""
    start, end = body_of(text, callee)
    copy = text[start:end + 3].replace(callee, callee + "_copy", 1)
    text, n = re.subn(r"\b%s\((?!JS\w+ ?\*)" % callee, callee + "_copy(", text)
    assert n, callee
    end = body_of(text, callee)[1] + 3
    declaration = copy[:copy.index("\n{")] + ";\n"
    text = text[:end] + copy + text[end:]
    after_types = text.index("\nstatic ", text.index("struct JSObject {"))
    return text[:after_types] + "\n" + declaration + text[after_types:]


def placeless(text):
    for callee in ("JS_NewObject", "JS_NewArray", "js_closure", "js_build_arguments", "js_build_mapped_arguments", "js_build_rest",
                   "js_regexp_constructor_internal", "js_op_define_class", "JS_DefinePropertyValue"):
        text = called_directly(text, callee, "JS_CallInternal")
    return text


# By the self-test's words for the hook.
UNHOOKED = {
    "birth (list_add_tail in add_gc_object)": lambda text: called_directly(text, "list_add_tail", "add_gc_object"),
    "death (free_gc_object)": lambda text: called_directly(text, "free_gc_object"),
    "object made by new (js_create_from_ctor)": lambda text: called_directly(text, "js_create_from_ctor"),
    "death of a realm (list_del in JS_FreeContext)": lambda text: called_directly(text, "list_del", "JS_FreeContext"),
    "collection that the engine starts (JS_RunGC in js_trigger_gc)":
        lambda text: called_directly(text, "JS_RunGC", "js_trigger_gc"),
    "begin of a collection (init_list_head in gc_decref)": lambda text: called_directly(text, "init_list_head", "gc_decref"),
    "end of a collection (init_list_head in gc_free_cycles)":
        lambda text: called_directly(text, "init_list_head", "gc_free_cycles"),
    "mark function of a class (JS_MarkValue)": lambda text: called_by_another_name(text, "JS_MarkValue"),
    "module of a realm (js_mark_module_def)": lambda text: called_directly(text, "js_mark_module_def", "JS_MarkContext"),
    "exhausted memory (JS_ThrowOutOfMemory)": lambda text: called_by_another_name(text, "JS_ThrowOutOfMemory"),
    "script or module (JS_EvalFunctionInternal)": lambda text: called_directly(text, "JS_EvalFunctionInternal"),
    "wait for a promise (perform_promise_then)": lambda text: called_directly(text, "perform_promise_then"),
    "begin of parsing (js_parse_program)": lambda text: called_directly(text, "js_parse_program"),
    "end of parsing (js_create_function in __JS_EvalInternal)":
        lambda text: called_directly(text, "js_create_function", "__JS_EvalInternal"),
}


def without_hooks(text, names):
    for name in names:
        text = UNHOOKED[name](text)
    return text
