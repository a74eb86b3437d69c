/* SPDX-License-Identifier: MIT
 *
 * browser_model.c: the numbers of browser_model.h.
 */
#include "browser_model.h"

#define ANY_SLOT UBI__NAME(UBI__NAME_SLOT, UBI__NAME_DRAWN)
#define NEXT_ELEMENT UBI__NAME(UBI__NAME_ELEMENT, UBI__NAME_DRAWN)
#define SOME_PROPERTY UBI__NAME(UBI__NAME_PROPERTY, UBI__NAME_DRAWN)
#define ONCE UBI__NAME(UBI__NAME_ONCE, UBI__NAME_DRAWN)

#define AS_TEXT(name, text) [UBI__N_##name] = text,
const char *const ubi__fixed_names[UBI__FIXED_NAME_COUNT] = { UBI__FIXED_NAMES(AS_TEXT) };

const ubi__kind_model ubi__kind_models[UBI__KIND_COUNT] = {
    [UBI__KIND_FUNCTION] = {
        .type_name = "JSObject",
        .class_name = "Function",
        .coarse_type = UBI_COARSE_OBJECT,
        .share = 22578,
        .cell_bytes = 56,
        .malloc_percent = 3,
        .mean_fill_tenths = 2,
        .always = {
            { UBI__N_SHAPE, UBI__KIND_SHAPE, 1000 },
            { UBI__NAME(UBI__NAME_SLOT, 3), UBI__KIND_STRING, 884 },
            { UBI__N_SCRIPT, UBI__KIND_SCRIPT, 735 },
            { UBI__NAME(UBI__NAME_SLOT, 1), UBI__KIND_OTHER_OBJECT, 420 },
        },
        .fill = {
            { SOME_PROPERTY, UBI__KIND_OBJECT, 5 },
            { SOME_PROPERTY, UBI__KIND_FUNCTION, 3 },
            { SOME_PROPERTY, UBI__KIND_STRING, 2 },
        },
    },
    [UBI__KIND_OBJECT] = {
        .type_name = "JSObject",
        .class_name = "Object",
        .coarse_type = UBI_COARSE_OBJECT,
        .share = 5903,
        .cell_bytes = 56,
        .malloc_percent = 25,
        .mean_fill_tenths = 45,
        .always = { { UBI__N_SHAPE, UBI__KIND_SHAPE, 1000 } },
        .fill = {
            { SOME_PROPERTY, UBI__KIND_STRING, 28 },
            { SOME_PROPERTY, UBI__KIND_FUNCTION, 24 },
            { SOME_PROPERTY, UBI__KIND_GETTER_SETTER, 22 },
            { SOME_PROPERTY, UBI__KIND_OBJECT, 14 },
            { SOME_PROPERTY, UBI__KIND_ARRAY, 6 },
            { SOME_PROPERTY, UBI__KIND_OTHER_OBJECT, 6 },
        },
    },
    [UBI__KIND_ARRAY] = {
        .type_name = "JSObject",
        .class_name = "Array",
        .coarse_type = UBI_COARSE_OBJECT,
        .share = 2590,
        .cell_bytes = 40,
        .malloc_percent = 60,
        .mean_fill_tenths = 45,
        .always = { { UBI__N_SHAPE, UBI__KIND_SHAPE, 1000 } },
        .fill = {
            { NEXT_ELEMENT, UBI__KIND_OBJECT, 40 },
            { NEXT_ELEMENT, UBI__KIND_STRING, 40 },
            { NEXT_ELEMENT, UBI__KIND_OTHER_OBJECT, 15 },
            { NEXT_ELEMENT, UBI__KIND_ARRAY, 5 },
        },
    },
    [UBI__KIND_CALL] = {
        .type_name = "JSObject",
        .class_name = "Call",
        .coarse_type = UBI_COARSE_OBJECT,
        .share = 766,
        .cell_bytes = 72,
        .mean_fill_tenths = 40,
        .always = {
            { UBI__N_SHAPE, UBI__KIND_SHAPE, 1000 },
            { UBI__N_ENVIRONMENT, UBI__KIND_OTHER_OBJECT, 1000 },
            { UBI__N_CALLEE, UBI__KIND_FUNCTION, 1000 },
        },
        .fill = {
            { SOME_PROPERTY, UBI__KIND_FUNCTION, 50 },
            { SOME_PROPERTY, UBI__KIND_OBJECT, 30 },
            { SOME_PROPERTY, UBI__KIND_STRING, 20 },
        },
    },
    [UBI__KIND_OTHER_OBJECT] = {
        .type_name = "JSObject",
        .class_name = "",
        .coarse_type = UBI_COARSE_OBJECT,
        .share = 4700,
        .cell_bytes = 88,
        .malloc_percent = 20,
        .mean_fill_tenths = 40,
        .always = { { UBI__N_SHAPE, UBI__KIND_SHAPE, 1000 }, { UBI__N_ENVIRONMENT, UBI__KIND_CALL, 300 } },
        .fill = {
            { ANY_SLOT, UBI__KIND_OBJECT, 25 },
            { SOME_PROPERTY, UBI__KIND_FUNCTION, 20 },
            { UBI__N_HASHABLE, UBI__KIND_STRING, 15 },
            { ANY_SLOT, UBI__KIND_DOM_NODE, 8 },
            { SOME_PROPERTY, UBI__KIND_GETTER_SETTER, 20 },
            { SOME_PROPERTY, UBI__KIND_SYMBOL, 2 },
            { ANY_SLOT, UBI__KIND_ARRAY, 9 },
            { ANY_SLOT, UBI__KIND_REG_EXP, 1 },
        },
    },
    [UBI__KIND_STRING] = {
        .type_name = "JSString",
        .coarse_type = UBI_COARSE_STRING,
        .share = 27017,
        .cell_bytes = 24,
        .malloc_percent = 46,
        .always = {
            { UBI__N_BASE, UBI__KIND_STRING, 8 },
            { UBI__N_LEFT, UBI__KIND_STRING, 4 },
            { UBI__N_RIGHT, UBI__KIND_STRING, 4 },
        },
    },
    [UBI__KIND_SCOPE] = {
        .type_name = "js::Scope",
        .coarse_type = UBI_COARSE_SCRIPT,
        .share = 14040,
        .cell_bytes = 64,
        .malloc_percent = 30,
        .mean_fill_tenths = 11,
        .always = {
            { UBI__N_SCOPE_ENCLOSING, UBI__KIND_SCOPE, 1000 },
            { UBI__N_SCOPE_FUNCTION, UBI__KIND_FUNCTION, 580 },
            { UBI__N_SCOPE_ENV_SHAPE, UBI__KIND_SHAPE, 168 },
        },
        .fill = { { UBI__N_SCOPE_NAME, UBI__KIND_STRING, 1 } },
    },
    [UBI__KIND_SCRIPT] = {
        .type_name = "js::BaseScript",
        .coarse_type = UBI_COARSE_SCRIPT,
        .share = 8148,
        .cell_bytes = 96,
        .malloc_percent = 90,
        .mean_fill_tenths = 79,
        .always = {
            { UBI__N_SOURCE_OBJECT, UBI__KIND_OTHER_OBJECT, 1000 },
            { UBI__N_FUNCTION, UBI__KIND_FUNCTION, 1000 },
        },
        .fill = {
            { UBI__N_GC_THING, UBI__KIND_STRING, 716 },
            { UBI__N_GC_THING, UBI__KIND_SCOPE, 204 },
            { UBI__N_GC_THING, UBI__KIND_SHAPE, 44 },
            { UBI__N_GC_THING, UBI__KIND_FUNCTION, 35 },
            { UBI__N_STUB, UBI__KIND_JIT_CODE, 1 },
        },
    },
    [UBI__KIND_PROP_MAP] = {
        .type_name = "js::PropMap",
        .coarse_type = UBI_COARSE_OTHER,
        .share = 4614,
        .cell_bytes = 104,
        .malloc_percent = 33,
        .mean_fill_tenths = 69,
        .always = { { UBI__N_MAP_PARENT, UBI__KIND_PROP_MAP, 550 }, { UBI__N_MAP_PREVIOUS, UBI__KIND_PROP_MAP, 280 } },
        .fill = {
            { UBI__N_MAP_KEY, UBI__KIND_STRING, 55 },
            { UBI__N_MAP_TABLE, UBI__KIND_PROP_MAP, 42 },
            { UBI__N_MAP_KEY, UBI__KIND_SYMBOL, 1 },
        },
    },
    [UBI__KIND_SHAPE] = {
        .type_name = "js::Shape",
        .coarse_type = UBI_COARSE_OTHER,
        .share = 4069,
        .cell_bytes = 32,
        .always = { { UBI__N_BASE, UBI__KIND_BASE_SHAPE, 1000 }, { UBI__N_PROPERTY_MAP, UBI__KIND_PROP_MAP, 975 } },
    },
    [UBI__KIND_GETTER_SETTER] = {
        .type_name = "js::GetterSetter",
        .coarse_type = UBI_COARSE_OTHER,
        .share = 3490,
        .cell_bytes = 16,
        .always = { { UBI__N_GETTER, UBI__KIND_FUNCTION, 997 }, { UBI__N_SETTER, UBI__KIND_FUNCTION, 499 } },
    },
    [UBI__KIND_DOM_NODE] = {
        .type_name = "nsIContent",
        .coarse_type = UBI_COARSE_DOM_NODE,
        .share = 1070,
        .cell_bytes = 128,
        .malloc_percent = 80,
        .mean_fill_tenths = 10,
        .always = { { UBI__N_PARENT, UBI__KIND_DOM_NODE, 970 } },
        .fill = { { UBI__N_CHILD, UBI__KIND_DOM_NODE, 1 } },
    },
    [UBI__KIND_BASE_SHAPE] = {
        .type_name = "js::BaseShape",
        .coarse_type = UBI_COARSE_OTHER,
        .share = 516,
        .cell_bytes = 24,
        .always = { { UBI__N_GLOBAL, UBI__KIND_OTHER_OBJECT, 1000 }, { UBI__N_PROTO, UBI__KIND_OBJECT, 950 } },
    },
    [UBI__KIND_SYMBOL] = {
        .type_name = "JS::Symbol",
        .coarse_type = UBI_COARSE_OTHER,
        .share = 429,
        .cell_bytes = 16,
        .always = { { UBI__N_DESCRIPTION, UBI__KIND_STRING, 866 } },
    },
    [UBI__KIND_REG_EXP] = {
        .type_name = "js::RegExpShared",
        .coarse_type = UBI_COARSE_OTHER,
        .share = 53,
        .cell_bytes = 128,
        .malloc_percent = 30,
        .always = { { UBI__N_SOURCE, UBI__KIND_STRING, 960 } },
    },
    [UBI__KIND_JIT_CODE] = {
        .type_name = "js::jit::JitCode",
        .coarse_type = UBI_COARSE_SCRIPT,
        .share = 16,
        .cell_bytes = 72,
        .malloc_percent = 60,
    },
    [UBI__KIND_DOCUMENT] = {
        .type_name = "Document",
        .coarse_type = UBI_COARSE_DOM_NODE,
        .share = 1,
        .cell_bytes = 4400,
        .malloc_percent = 60,
        .mean_fill_tenths = 10,
        .always = { { UBI__N_CHILD, UBI__KIND_DOM_NODE, 1000 } },
        .fill = { { UBI__N_CHILD, UBI__KIND_DOM_NODE, 1 } },
    },
};

const ubi__edge_rule ubi__root_rules[UBI__FILL_MAX + 1] = {
    { ONCE, UBI__KIND_OTHER_OBJECT, 30 },       { ONCE, UBI__KIND_FUNCTION, 25 },
    { UBI__N_MEMBERS, UBI__KIND_STRING, 20 },   { UBI__N_PINNED, UBI__KIND_STRING, 3 },
    { UBI__N_CALLBACK, UBI__KIND_FUNCTION, 6 }, { UBI__N_EXACT, UBI__KIND_OBJECT, 6 },
    { UBI__N_EXACT, UBI__KIND_DOCUMENT, 1 },    { ONCE, UBI__KIND_SCRIPT, 1 },
};

const ubi__reuse_model ubi__reuse_models[UBI__KIND_COUNT] = {
    [UBI__KIND_FUNCTION] = { .hot = 20, .local = 50 },      [UBI__KIND_OBJECT] = { .hot = 40, .local = 30 },
    [UBI__KIND_ARRAY] = { .hot = 10, .local = 50 },         [UBI__KIND_CALL] = { .hot = 20, .local = 60 },
    [UBI__KIND_OTHER_OBJECT] = { .hot = 60, .local = 20 },  [UBI__KIND_STRING] = { .hot = 65, .local = 12 },
    [UBI__KIND_SCOPE] = { .hot = 20, .local = 60 },         [UBI__KIND_SCRIPT] = { .hot = 10, .local = 70 },
    [UBI__KIND_PROP_MAP] = { .hot = 30, .local = 40 },      [UBI__KIND_SHAPE] = { .hot = 92, .local = 4 },
    [UBI__KIND_GETTER_SETTER] = { .hot = 10, .local = 40 }, [UBI__KIND_DOM_NODE] = { .hot = 20, .local = 70 },
    [UBI__KIND_BASE_SHAPE] = { .hot = 60, .local = 10 },    [UBI__KIND_SYMBOL] = { .hot = 60, .local = 10 },
};
