/* SPDX-License-Identifier: MIT
 *
 * words.c: what the words of several producers share (words.h).
 */
#include "lenses/words.h"

#include "base/text.h"

ubi__edge_words ubi__edge_told(const char *text) {
    return ubi__edge_says(text ? UBI__EDGE_TOLD : UBI__EDGE_SILENT, NULL, ubi__text(text));
}

bool ubi__text_is_identifier(ubi_text name) {
    size_t begin = name.len > 1 && name.ptr[0] == '#'; /* a private one */
    if (name.len > UBI__LONGEST_IDENTIFIER)
        return false;
    for (size_t i = begin; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i], lower = c | 0x20;
        bool letter = (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' || c >= 0x80;
        if (!letter && (i == begin || c < '0' || c > '9'))
            return false;
    }
    return name.len > begin;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* Classes that every program has. */
static bool is_built_in(ubi_text name) {
    static const char *const names[] = { "Object",  "Array",   "Function", "Map",         "Set",       "WeakMap",
                                         "WeakSet", "WeakRef", "Promise",  "native_bind", "Generator", "Window",
                                         "Proxy",   "Error",   "global",   "ArrayBuffer" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return false;
}

ubi__path_rank ubi__rank_of_name(ubi_text name) {
    return name.len == 0 || is_built_in(name) ? UBI__RANK_UNNAMED : UBI__RANK_PROGRAM;
}

static bool is_plain_name(ubi_text name) {
    return ubi__text_is(name, "Object") || ubi__text_is(name, "Array");
}

/* Some producers call every object that scripts make an Object; its constructor tells more. */
bool ubi__kind_is_plain(const ubi_graph *graph, const ubi_kind *kind) {
    if (kind->coarse_type != UBI_COARSE_OBJECT || !is_plain_name(ubi_graph_string(graph, kind->class_name)))
        return false;
    return kind->descriptive_name == UBI_NONE || is_plain_name(ubi_graph_string(graph, kind->descriptive_name));
}

/* ---- fields --------------------------------------------------------------------------------------------------------- */

void ubi__fields_init(ubi__fields *fields, const ubi_graph *g, const ubi_allocator *allocator) {
    *fields = (ubi__fields){ .graph = g, .status = UBI_OK };
    ubi__u64_map_init(&fields->found, allocator);
}

void ubi__fields_fini(ubi__fields *fields) {
    ubi__u64_map_fini(&fields->found);
}
