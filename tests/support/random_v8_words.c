/* SPDX-License-Identifier: MIT
 *
 * random_v8_words.c: see random_v8_words.h.
 */
#include "random_v8_words.h"

#include "formats/v8/v8_types.h"
#include "random_v8_heap.h"

static const char *const filter_nodes[] = {
    "Object",
    "Object",
    "Array",
    "Array",
    "system / NativeContext",
    "system / NativeContext / a",
    "Detached system / NativeContext",
    "system / NativeContextual",
    "system / Context",
    "system / Context / scope",
    "system / Contextual",
    "V8EventListener",
    "V8EventListener",
    "<div id=\"a\">",
    "Detached <p>",
    "system / JSArrayBufferData",
    "system / ExternalStringData",
    "(Document DOM trees)",
    "(map descriptors)",
    "",
    "a",
    "ab",
    "b",
};

static const char *const filter_edges[] = {
    "map",
    "map",
    "map",
    "native_context",
    "native_context",
    "elements",
    "elements",
    "code",
    "first",
    "second",
    "1",
    "a",
    "x / DevTools console",
    "value",
    "length",
    "hash",
    "truncated",
    "sloppy_function_map",
    "01",
    "1 / part of key (A @1) -> value (B @3) pair in WeakMap (table @5)",
};

static const char *const rule_nodes[] = { "Object",
                                          "Object",
                                          "Object",
                                          "",
                                          "Foo",
                                          "(string)",
                                          "<div id=\"a\">",
                                          "<div>",
                                          "< a b>",
                                          "Detached <b c",
                                          "Detached Text",
                                          "system / NativeContext",
                                          "system / ExternalStringData",
                                          "(map descriptors)",
                                          "(map descriptors)",
                                          "(Document DOM trees)",
                                          "{a, b}",
                                          "na\xc3\xafve \xf0\x9f\x98\x80" };

static const char *const rule_edges[] = { "a",
                                          "b",
                                          "c",
                                          "d",
                                          "__proto__",
                                          "first",
                                          "second",
                                          "sloppy_function_map",
                                          "",
                                          "1",
                                          "4",
                                          "-5",
                                          " 7x",
                                          "+10",
                                          "x7",
                                          "x, y",
                                          "don't",
                                          "q\"\\\n\x01{}",
                                          "\xed\xa0\x80,",
                                          "na\xc3\xafve\xf0\x9f\x98\x80",
                                          "a_property_with_a_rather_long_name",
                                          "another_property_with_a_name_that_is_even_longer_than_that",
                                          "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80\xf0\x9f\x98\x80" };

static const uint8_t filter_types[] = { UBI__V8_OBJECT,    UBI__V8_NATIVE, UBI__V8_STRING, UBI__V8_CONS_STRING,
                                        UBI__V8_SYNTHETIC, UBI__V8_HIDDEN, UBI__V8_ARRAY,  UBI__V8_CLOSURE };
static const uint8_t rule_types[] = { UBI__V8_OBJECT, UBI__V8_NATIVE,    UBI__V8_HIDDEN,
                                      UBI__V8_ARRAY,  UBI__V8_SYNTHETIC, UBI__V8_CONS_STRING };

#define COUNT(array) (sizeof(array) / sizeof *(array))

const random_v8_words random_v8_topics[] = {
    [RANDOM_V8_FILTERS] = { filter_nodes, filter_edges, COUNT(filter_nodes), COUNT(filter_edges), 8, 3, filter_types,
                            COUNT(filter_types) },
    [RANDOM_V8_RULES] = { rule_nodes, rule_edges, COUNT(rule_nodes), COUNT(rule_edges), 5, 12, rule_types,
                          COUNT(rule_types) },
};

_Static_assert(COUNT(filter_nodes) <= RANDOM_V8_MAX_NAMES && COUNT(filter_edges) <= RANDOM_V8_MAX_NAMES &&
                   COUNT(rule_nodes) <= RANDOM_V8_MAX_NAMES && COUNT(rule_edges) <= RANDOM_V8_MAX_NAMES,
               "room");
