/* SPDX-License-Identifier: MIT
 *
 * v8_fields.c: fields of V8's nodes, and words for functions.
 */
#include "lenses/v8/v8_fields.h"

#include <stdio.h>

ubi_node_ix ubi__v8_field(const ubi_graph *g, ubi_node_ix node, ubi_edge_kind kind, const char *name) {
    if (node == UBI_NONE)
        return UBI_NONE;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (ubi__v8_edge_is(g, e, kind, name))
            return g->target.at[e];
    return UBI_NONE;
}

bool ubi__v8_slot(uint32_t *out, const ubi_graph *g, ubi_edge_ix e) {
    uint32_t slot = 0;
    if (ubi__graph_edge_kind(g, e) != UBI_EDGE_INTERNAL)
        return false;
    ubi_text name = ubi_graph_string(g, g->name.at[e]);
    if (name.len == 0 || name.len > 9)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
        slot = slot * 10 + (uint32_t)(name.ptr[i] - '0');
    }
    *out = slot;
    return true;
}

bool ubi__v8_number_field(int64_t *out, const ubi_graph *g, ubi_node_ix node, const char *name) {
    ubi_node_ix number = ubi__v8_field(g, node, UBI_EDGE_INTERNAL, name);
    ubi_node_ix value = ubi__v8_field(g, number, UBI_EDGE_INTERNAL, "value");
    ubi_text text = value == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi_graph_string(g, ubi__graph_node_name(g, value));
    bool negative = text.len && text.ptr[0] == '-';
    int64_t result = 0;
    if (text.len == negative || text.len > 18)
        return false;
    for (size_t i = negative; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        result = result * 10 + (text.ptr[i] - '0');
    }
    *out = negative ? -result : result;
    return true;
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

ubi_node_ix ubi__v8_script_of(const ubi_graph *g, ubi_node_ix closure) {
    ubi_node_ix shared = ubi__v8_field(g, closure, UBI_EDGE_INTERNAL, "shared");
    ubi_node_ix script = ubi__v8_field(g, shared, UBI_EDGE_INTERNAL, "script");
    return script != UBI_NONE ? script : ubi__v8_field(g, shared, UBI_EDGE_INTERNAL, "script_or_debug_info");
}

/* The last part of a script's path: "app.js". Empty: not known. */
static ubi_text script_name(const ubi_graph *g, ubi_node_ix script) {
    static const char prefix[] = "system / Script";
    ubi_text name = script == UBI_NONE ? (ubi_text){ "", 0 } : ubi_graph_string(g, ubi__graph_node_name(g, script));
    if (!name.ptr)
        return (ubi_text){ "", 0 };
    if (name.len >= sizeof prefix - 1 && memcmp(name.ptr, prefix, sizeof prefix - 1) == 0) {
        size_t n = name.len >= sizeof prefix + 2 ? sizeof prefix + 2 : name.len; /* " / " behind it */
        name = (ubi_text){ name.ptr + n, name.len - n };
    }
    for (size_t i = name.len; i-- > 0;)
        if (name.ptr[i] == '/' && i + 1 < name.len)
            return (ubi_text){ name.ptr + i + 1, name.len - i - 1 };
    return name;
}

bool ubi__v8_is_of_runtime(const ubi_graph *g, ubi_node_ix closure) {
    static const char *const prefixes[] = { "node:", "internal/", "extensions::" };
    ubi_node_ix script = ubi__v8_script_of(g, closure);
    ubi_text name = script == UBI_NONE ? ubi__text("") : ubi_graph_string(g, ubi__graph_node_name(g, script));
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (name.len >= strlen(prefixes[i]) && memcmp(name.ptr, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* At most `max` bytes, whole characters, an ellipsis where something is missing. */
static void shorten(char *out, size_t room, ubi_text text, size_t max) {
    size_t n = text.len;
    if (n > max) {
        n = max;
        while (n > 0 && ((uint8_t)text.ptr[n] & 0xc0) == 0x80)
            n--;
    }
    snprintf(out, room, "%.*s%s", (int)n, text.ptr ? text.ptr : "", n < text.len ? "..." : "");
}

void ubi__v8_function_words(char out[UBI__V8_FUNCTION_WORDS], const ubi__v8_facts *facts, const ubi_graph *g,
                            ubi_node_ix closure) {
    char function[64], script[64];
    const ubi__v8_location *at = ubi__v8_location_of(facts, closure);
    ubi_node_ix file = ubi__v8_script_of(g, closure);
    ubi_text name = ubi_graph_string(g, ubi__graph_node_name(g, closure));
    if (file == UBI_NONE && at)
        file = at->script;
    shorten(function, sizeof function, name.len ? name : ubi__text("a function"), 48);
    shorten(script, sizeof script, script_name(g, file), 48);
    if (*script && at)
        snprintf(out, UBI__V8_FUNCTION_WORDS, "%s (%s:%llu)", function, script, (unsigned long long)at->line + 1);
    else if (*script)
        snprintf(out, UBI__V8_FUNCTION_WORDS, "%s (%s)", function, script);
    else
        snprintf(out, UBI__V8_FUNCTION_WORDS, "%s", function);
}
