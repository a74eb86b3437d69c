/* SPDX-License-Identifier: MIT
 *
 * jsc_read.c: a heap snapshot of JavaScriptCore from its first brace to its last.
 *
 * One JSON object. The engine writes its members in one order, but any is taken as long as "type" comes before "nodes"; unknown
 * members are skipped. Errors name the byte in the inflated stream and the member. Rules:
 * docs/formats/javascriptcore.md.
 */
#include <string.h>

#include "base/text.h"
#include "formats/jsc/jsc_reader.h"
#include "formats/json_beginning.h"
#include "formats/recognize.h"

/* ---- sections --------------------------------------------------------------------------------------------------------- */

#define LATEST_VERSION 3

static ubi_status read_version(ubi__jsc_reader *r) {
    uint64_t version;
    UBI_TRY(ubi__scan_count(&r->scan, &version));
    if (version < 1 || version > LATEST_VERSION)
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__JSC_VERSION], "unknown version %llu, expected 1 to %d",
                                 (unsigned long long)version, LATEST_VERSION);
    r->facts->version = (uint32_t)version;
    return UBI_OK;
}

static ubi_status read_file_type(ubi__jsc_reader *r) {
    ubi_text type;
    UBI_TRY(ubi__scan_name(&r->scan, &type));
    r->facts->is_debugging = ubi__text_is(type, "GCDebugging");
    if (!r->facts->is_debugging && !ubi__text_is(type, "Inspector"))
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__JSC_FILE_TYPE],
                                 "unknown type of snapshot, expected \"Inspector\" or \"GCDebugging\"");
    if (r->facts->is_debugging && r->was_seen[UBI__JSC_NODES])
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__JSC_FILE_TYPE],
                                 "the type comes after \"nodes\", expected before: it says what a node consists of");
    return UBI_OK;
}

/* Kinds need some strings of their own. */
#define MAX_STRINGS (UBI_NONE - 256)

static ubi_status read_texts(ubi__jsc_reader *r) {
    ubi__strtab *t = &r->graph->strings;
    uint32_t first = ubi__strtab_count(t);
    UBI_TRY(ubi__scan_strings(&r->scan, t, MAX_STRINGS));
    r->texts[r->section] = (ubi__jsc_texts){ first, ubi__strtab_count(t) - first };
    return UBI_OK;
}

/* Internal edges say nothing; a type that a later engine adds is taken for one that says nothing either. */
static uint8_t kind_of_edge_type(ubi_text name) {
    if (ubi__text_is(name, "Property"))
        return UBI_EDGE_PROPERTY;
    if (ubi__text_is(name, "Index"))
        return UBI_EDGE_ELEMENT;
    if (ubi__text_is(name, "Variable"))
        return UBI_EDGE_CONTEXT;
    return ubi__text_is(name, "Internal") ? UBI_EDGE_INTERNAL : UBI_EDGE_REFERENCE;
}

static ubi_status read_edge_types(ubi__jsc_reader *r) {
    ubi_text name;
    bool more;
    UBI_TRY(ubi__scan_expect(&r->scan, '[', "an array of strings"));
    for (;;) {
        UBI_TRY(ubi__scan_next_item(&r->scan, ']', r->n_edge_types == 0, &more));
        if (!more)
            return UBI_OK;
        UBI_TRY(ubi__scan_name(&r->scan, &name));
        if (r->n_edge_types == UBI__JSC_MAX_EDGE_TYPES)
            return ubi__scan_fail_at(&r->scan, r->offset[UBI__JSC_EDGE_TYPES], "more than %d types",
                                     UBI__JSC_MAX_EDGE_TYPES);
        r->edge_kind[r->n_edge_types++] = kind_of_edge_type(name);
    }
}

static ubi_status read_value(ubi__jsc_reader *r) {
    switch (r->section) {
    case UBI__JSC_VERSION:
        return read_version(r);
    case UBI__JSC_FILE_TYPE:
        return read_file_type(r);
    case UBI__JSC_NODES:
        return ubi__jsc_read_nodes(r);
    case UBI__JSC_EDGES:
        return ubi__jsc_read_edges(r);
    case UBI__JSC_EDGE_TYPES:
        return read_edge_types(r);
    case UBI__JSC_ROOTS:
        return ubi__jsc_read_roots(r);
    default:
        return read_texts(r);
    }
}

static ubi_status read_section(ubi__jsc_reader *r) {
    ubi_text key;
    uint8_t c;
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "a key"));
    uint64_t key_offset = ubi__scan_offset(&r->scan, r->scan.window.at);
    UBI_TRY(ubi__scan_key(&r->scan, &key));
    ubi__jsc_enter(r, ubi__jsc_section_of(key));
    if (r->section == UBI__JSC_NO_SECTION)
        return ubi__scan_skip_value(&r->scan);
    if (r->was_seen[r->section])
        return ubi__scan_fail_at(&r->scan, key_offset, "this section is here a second time");
    r->was_seen[r->section] = true;
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "a value"));
    r->offset[r->section] = ubi__scan_offset(&r->scan, r->scan.window.at);
    UBI_TRY(read_value(r));
    ubi__jsc_enter(r, UBI__JSC_NO_SECTION);
    return UBI_OK;
}

/* "version" may be missing where "type" says enough, labels and roots in files without them. */
static ubi_status need_sections(const ubi__jsc_reader *r) {
    for (int i = UBI__JSC_NODES; i < UBI__JSC_SECTION_COUNT; i++)
        if (!r->was_seen[i] && (i < UBI__JSC_ROOTS || r->facts->is_debugging))
            return ubi__scan_fail_at(&r->scan, r->scan.window.end_offset, "the file ends, and there was no \"%s\"",
                                     ubi__jsc_section_names[i]);
    return UBI_OK;
}

static ubi_status read_sections(ubi__jsc_reader *r) {
    bool more, clean;
    UBI_TRY(ubi__scan_skip_mark(&r->scan));
    UBI_TRY(ubi__scan_expect(&r->scan, '{', "'{', with which a heap snapshot begins"));
    for (bool first = true;; first = false) {
        UBI_TRY(ubi__scan_next_item(&r->scan, '}', first, &more));
        if (!more)
            break;
        UBI_TRY(read_section(r));
    }
    UBI_TRY(ubi__scan_end(&r->scan, &clean));
    if (!clean)
        return ubi__scan_fail_expected(&r->scan, "the end of the file behind the last '}'");
    return need_sections(r);
}

/* ---- entry point ------------------------------------------------------------------------------------------------------ */

void ubi__jsc_reader_check(const ubi__jsc_reader *r) {
    const ubi_graph *g = r->graph;
    UBI_ASSERT(r->file_id.n == g->id.n && r->flags.n == g->id.n && g->kind.n == g->id.n && g->size_bytes.n == g->id.n);
    UBI_ASSERT(g->node_name.n == (r->facts->is_debugging ? g->id.n : 0));
    UBI_ASSERT(r->from.n == g->target.n && g->name.n == g->target.n && g->edge_kind.n == g->target.n);
    UBI_ASSERT(r->max_edge_type < UBI__JSC_MAX_EDGE_TYPES && r->n_edge_types <= UBI__JSC_MAX_EDGE_TYPES);
    (void)g;
}

static ubi_status read_all(ubi__jsc_reader *r) {
    r->graph = ubi__graph_new(r->allocator);
    r->facts = ubi__jsc_facts_new(r->allocator);
    if (!r->graph || !r->facts)
        return ubi__fail_nomem();
    r->facts->version = 1; /* the only version of the first engine */
    UBI_TRY(read_sections(r));
    r->input->info->inflated_bytes = r->scan.window.end_offset;
    ubi__jsc_reader_check(r);
    return ubi__jsc_finish(r);
}

static void free_reader(ubi__jsc_reader *r) {
    const ubi_allocator *a = r->allocator;
    ubi__vec_u32_fini(&r->file_id, a);
    ubi__vec_u8_fini(&r->flags, a);
    ubi__vec_u32_fini(&r->from, a);
    ubi__vec_jsc_root_row_fini(&r->root_rows, a);
    if (r->facts)
        ubi__jsc_facts_free(r->facts, a);
    ubi_graph_unref(r->graph);
    UBI_DELETE(a, r);
}

extern const ubi__format ubi__format_jsc;

static ubi_status read_jsc(ubi_graph **out, ubi__format_input *input) {
    ubi__jsc_reader *r = UBI_NEW(input->allocator, ubi__jsc_reader);
    if (!r)
        return ubi__fail_nomem();
    r->allocator = input->allocator;
    r->input = input;
    ubi__scan_begin(&r->scan, input);
    r->rows.scan = &r->scan;
    ubi__jsc_enter(r, UBI__JSC_NO_SECTION);
    ubi_status status = read_all(r);
    if (status == UBI_OK) {
        r->graph->format = ubi__format_jsc.name;
        ubi__jsc_facts_give(r->graph, r->facts);
        *out = r->graph;
        r->graph = NULL;
        r->facts = NULL;
    }
    free_reader(r);
    return status;
}

/* The members that only JavaScriptCore writes, among the first; V8's own section decides, whatever else is there. */
static bool guess(const uint8_t *head, size_t n) {
    ubi__json_beginning json;
    ubi__json_begin_read(&json, head, n < UBI__BEGINNING_BYTES ? n : UBI__BEGINNING_BYTES);
    if (json.first != '{' || ubi__json_begin_has(&json, 1, "snapshot"))
        return false;
    ubi_text type = ubi__json_begin_value(&json, 1, "type");
    return ubi__json_begin_has(&json, 1, "nodeClassNames") ||
           (ubi__json_begin_has(&json, 1, "version") &&
            (ubi__text_is(type, "Inspector") || ubi__text_is(type, "GCDebugging") ||
             ubi__json_begin_has(&json, 1, "nodes")));
}

static bool is_jsc(const ubi__beginning *b) {
    return guess(b->at, b->n);
}

static const ubi__file_type file_types[] = {
    { UBI__FILE_HEAP, "a heap snapshot of JavaScriptCore (Safari, Bun)",
      "JSON, `version`, and `type` is `Inspector` or `GCDebugging`; or `nodeClassNames`", "use ubiheap report",
      .is = is_jsc, .is_sure = true },
    { .what = NULL },
};

static const ubi__type_sort type_sorts[] = {
    { "Structure", UBI__SORT_SHAPE },
    { "StructureRareData", UBI__SORT_SHAPE },
    { "StructureChain", UBI__SORT_SHAPE },
    { "PropertyTable", UBI__SORT_SHAPE },
    { NULL, UBI__SORT_OTHER },
};

const ubi__format ubi__format_jsc = { .name = "jscsnapshot",
                                      .guess = guess,
                                      .read = read_jsc,
                                      .file_types = file_types,
                                      .type_sorts = type_sorts,
                                      .pass_facts = ubi__jsc_facts_pass };
