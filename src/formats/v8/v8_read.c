/* SPDX-License-Identifier: MIT
 *
 * v8_read.c: a .heapsnapshot file from its first brace to its last.
 *
 * One JSON object. V8 writes its sections in one order, but any is taken; unknown keys are skipped. Errors name the
 * byte in the inflated stream and the section. Rules: docs/formats/heapsnapshot.md.
 */
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/line_facts.h"
#include "formats/recognize.h"
#include "formats/v8/v8_reader.h"

extern const ubi__format ubi__format_v8;
extern const ubi__line_facts ubi__v8_line_facts; /* v8_facts.c */

/* ---- sections -------------------------------------------------------------------------------------------------------- */

static ubi_status read_value(ubi__v8_reader *r) {
    switch (r->section) {
    case UBI__V8_SNAPSHOT:
        return ubi__v8_read_snapshot(r);
    case UBI__V8_STRINGS:
        /* Kinds need some entries of their own. */
        return ubi__scan_strings(&r->scan, &r->graph->strings, UBI_NONE - UBI__V8_MAX_TYPES * 4);
    case UBI__V8_TRACE_TREE:
        return ubi__v8_read_trace_tree(r);
    default:
        return ubi__v8_read_rows(r);
    }
}

static ubi_status begin_section(ubi__v8_reader *r, uint64_t key_offset) {
    uint8_t c;
    if (r->was_seen[r->section])
        return ubi__scan_fail_at(&r->scan, key_offset, "this section is here a second time");
    r->was_seen[r->section] = true;
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "a value"));
    r->offset[r->section] = ubi__scan_offset(&r->scan, r->scan.window.at);
    return UBI_OK;
}

static void marks_check(const ubi__vec_v8_mark *marks) {
    for (size_t i = marks->n < 16 ? 1 : marks->n - 8; i < marks->n; i++)
        UBI_ASSERT(marks->at[i - 1].number < marks->at[i].number && marks->at[i - 1].offset < marks->at[i].offset);
}

void ubi__v8_reader_check(const ubi__v8_reader *r) {
    const ubi_graph *g = r->graph;
    UBI_ASSERT(g->kind.n == g->id.n && g->node_name.n == g->id.n && g->size_bytes.n == g->id.n);
    UBI_ASSERT(g->first_edge.n == g->id.n + r->are_nodes_ready);
    UBI_ASSERT(g->stack.n <= g->id.n);
    UBI_ASSERT(g->name.n == g->target.n && g->edge_kind.n == g->target.n);
    UBI_ASSERT(r->n_numbers[UBI__V8_NODES] == (uint64_t)g->id.n * r->meta.layout[UBI__V8_NODES].stride);
    UBI_ASSERT(r->n_numbers[UBI__V8_EDGES] == (uint64_t)g->target.n * r->meta.layout[UBI__V8_EDGES].stride);
    UBI_ASSERT(r->trace_parent.n == r->facts->traces.n || r->trace_parent.n == 0);
    UBI_ASSERT(!r->are_nodes_ready || r->is_complete[UBI__V8_NODES]);
    for (int i = 0; UBI_CHECKS && i < UBI__V8_SECTION_COUNT; i++)
        UBI_ASSERT(!r->is_complete[i] || r->was_seen[i]);
    if (UBI_CHECKS) {
        marks_check(&r->marks[0]);
        marks_check(&r->marks[1]);
    }
}

static ubi_status section_ended(ubi__v8_reader *r) {
    r->is_complete[r->section] = r->meta.is_known || r->section == UBI__V8_STRINGS || r->section == UBI__V8_TRACE_TREE;
    if (r->section == UBI__V8_NODES && r->meta.is_known)
        return ubi__v8_nodes_ended(r);
    if (r->section == UBI__V8_EDGES && r->meta.is_known)
        return ubi__v8_edges_ended(r);
    return UBI_OK;
}

static ubi_status read_section(ubi__v8_reader *r) {
    ubi_text key;
    uint8_t c;
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "a key"));
    uint64_t key_offset = ubi__scan_offset(&r->scan, r->scan.window.at);
    UBI_TRY(ubi__scan_key(&r->scan, &key));
    ubi__v8_section section = ubi__v8_section_of(key);
    if (section == UBI__V8_NO_SECTION)
        return ubi__scan_skip_value(&r->scan);
    ubi__v8_enter(r, section);
    UBI_TRY(begin_section(r, key_offset));
    UBI_TRY(read_value(r));
    r->end_offset[r->section] = ubi__scan_offset(&r->scan, r->scan.window.at);
    UBI_TRY(section_ended(r));
    ubi__v8_reader_check(r);
    ubi__v8_leave(r);
    return UBI_OK;
}

static const ubi__v8_section needed[] = { UBI__V8_SNAPSHOT, UBI__V8_NODES, UBI__V8_EDGES, UBI__V8_STRINGS };

static bool has_any_section(const ubi__v8_reader *r) {
    for (size_t i = 0; i < 4; i++)
        if (r->was_seen[needed[i]])
            return true;
    return false;
}

static ubi_status need_sections(ubi__v8_reader *r) {
    if (!has_any_section(r))
        return ubi__fail(UBI_EFORMAT, "this is JSON, but no heap snapshot: it has none of the sections \"snapshot\", "
                                      "\"nodes\", \"edges\" and \"strings\"");
    for (size_t i = 0; i < 4; i++)
        if (!r->was_seen[needed[i]])
            return ubi__scan_fail_at(&r->scan, r->scan.window.end_offset, "the file ends, and there was no \"%s\"",
                                     ubi__v8_section_name(needed[i]));
    return UBI_OK;
}

static ubi_status expect_end(ubi__v8_reader *r) {
    bool clean;
    UBI_TRY(ubi__scan_end(&r->scan, &clean));
    if (clean)
        return UBI_OK;
    return has_any_section(r) ? ubi__scan_fail_expected(&r->scan, "the end of the file behind the last '}'")
                              : need_sections(r);
}

static ubi_status read_sections(ubi__v8_reader *r) {
    bool more;
    UBI_TRY(ubi__scan_skip_mark(&r->scan));
    UBI_TRY(ubi__scan_expect(&r->scan, '{', "'{', with which a heap snapshot begins"));
    for (bool first = true;; first = false) {
        UBI_TRY(ubi__scan_next_item(&r->scan, '}', first, &more));
        if (!more)
            return expect_end(r);
        UBI_TRY(read_section(r));
    }
}

static ubi_status replay_sections(ubi__v8_reader *r) {
    bool nodes = r->is_complete[UBI__V8_NODES], edges = r->is_complete[UBI__V8_EDGES];
    UBI_TRY(ubi__v8_replay_rows(r));
    if (!nodes)
        UBI_TRY(ubi__v8_nodes_ended(r));
    return edges ? UBI_OK : ubi__v8_edges_ended(r);
}

/* ---- entry point ----------------------------------------------------------------------------------------------------- */

static ubi_status read_all(ubi__v8_reader *r) {
    r->graph = ubi__graph_new(r->allocator);
    r->facts = ubi__v8_facts_new(r->allocator);
    if (!r->graph || !r->facts)
        return ubi__fail_nomem();
    UBI_TRY(read_sections(r));
    r->input->info->inflated_bytes = r->scan.window.end_offset;
    UBI_TRY(need_sections(r));
    UBI_TRY(replay_sections(r));
    return ubi__v8_finish(r);
}

static void free_reader(ubi__v8_reader *r) {
    const ubi_allocator *a = r->allocator;
    for (size_t i = 0; i < UBI__V8_SECTION_COUNT; i++) {
        ubi__vec_u32_fini(&r->raw[i].numbers, a);
        ubi__vec_v8_raw_wide_fini(&r->raw[i].wide, a);
    }
    ubi__vec_v8_mark_fini(&r->marks[0], a);
    ubi__vec_v8_mark_fini(&r->marks[1], a);
    ubi__vec_u32_fini(&r->trace_parent, a);
    ubi__v8_scripts_free(r->scripts);
    ubi__strtab_fini(&r->meta.type_names);
    if (r->facts)
        ubi__v8_facts_free(r->facts, a);
    ubi_graph_unref(r->graph);
    UBI_DELETE(a, r);
}

static ubi_status read_v8(ubi_graph **out, ubi__format_input *input) {
    ubi__v8_reader *r = UBI_NEW(input->allocator, ubi__v8_reader);
    if (!r)
        return ubi__fail_nomem();
    r->allocator = input->allocator;
    r->input = input;
    ubi__scan_begin(&r->scan, input);
    r->rows.scan = &r->scan;
    ubi__v8_leave(r);
    ubi__strtab_init(&r->meta.type_names, r->allocator);
    ubi__v8_meta_init(&r->meta);
    r->pulse = ubi__pulse_of(&input->options->progress);
    ubi__helper_start(&r->helper, input->threads);
    ubi_status status = read_all(r);
    ubi__v8_stop_jobs(r);
    if (status == UBI_OK) {
        r->graph->format = ubi__format_v8.name;
        ubi__v8_facts_give(r->graph, r->facts);
        *out = r->graph;
        r->graph = NULL;
        r->facts = NULL;
    }
    free_reader(r);
    return status;
}

/* Any JSON that is no other format. */
static bool guess_v8(const uint8_t *head, size_t n) {
    return ubi__json_may_begin(head, n);
}

static bool is_json(const ubi__beginning *b) {
    return ubi__json_may_begin(b->at, b->n);
}

static bool is_v8(const ubi__beginning *b) {
    return ubi__json_begin_has(&b->json, 1, "snapshot") && is_json(b);
}

static const ubi__file_type file_types[] = {
    { UBI__FILE_HEAP, "a heap snapshot of V8", "JSON, `snapshot`", "use ubiheap report", .output = "heapsnapshot",
      .is = is_v8, .is_sure = true },
    { UBI__FILE_HEAP, "JSON", "JSON", UBI__TAKE_HEAP, .is = is_json },
    { .what = NULL },
};

const ubi__format ubi__format_v8 = { .name = "heapsnapshot",
                                     .guess = guess_v8,
                                     .read = read_v8,
                                     .file_types = file_types,
                                     .line_facts = &ubi__v8_line_facts,
                                     .pass_facts = ubi__v8_facts_pass };

/* ---- the section "snapshot" --------------------------------------------------------------------------------------- */

/*
 * Fields are looked up by name. Versions of V8 differ in which there are: the sixth of a node is trace_node_id in old files and
 * detachedness in new ones.
 */

static const char *const section_names[UBI__V8_SECTION_COUNT] = {
    [UBI__V8_SNAPSHOT] = "snapshot",
    [UBI__V8_NODES] = "nodes",
    [UBI__V8_EDGES] = "edges",
    [UBI__V8_FUNCTIONS] = "trace_function_infos",
    [UBI__V8_TRACE_TREE] = "trace_tree",
    [UBI__V8_SAMPLES] = "samples",
    [UBI__V8_LOCATIONS] = "locations",
    [UBI__V8_SCOPES] = "scopes",
    [UBI__V8_SCOPE_VARIABLES] = "scope_context_vars",
    [UBI__V8_SCOPE_USES] = "scope_uses",
    [UBI__V8_STRINGS] = "strings",
};

const char *ubi__v8_section_name(ubi__v8_section section) {
    return section_names[section];
}

ubi__v8_section ubi__v8_section_of(ubi_text key) {
    for (int i = 0; i < UBI__V8_SECTION_COUNT; i++)
        if (ubi__text_is(key, section_names[i]))
            return (ubi__v8_section)i;
    return UBI__V8_NO_SECTION;
}

/* ---- fields ---------------------------------------------------------------------------------------------------------- */

typedef struct fields {
    const char *key; /* in meta; NULL: the section has no fields */
    uint32_t n_needed;
    bool has_default; /* files that do not say have `name` in this order; else their rows mean nothing to us */
    const char *name[UBI__V8_MAX_PLACES];
} fields;

/* In the order of the enums of v8_reader.h; the first n_needed must be there. */
static const fields all_fields[UBI__V8_SECTION_COUNT] = {
    [UBI__V8_NODES] = { "node_fields",
                        5,
                        false,
                        { "type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness" } },
    [UBI__V8_EDGES] = { "edge_fields", 3, false, { "type", "name_or_index", "to_node" } },
    [UBI__V8_FUNCTIONS] = { "trace_function_info_fields",
                            6,
                            true,
                            { "function_id", "name", "script_name", "script_id", "line", "column" } },
    [UBI__V8_TRACE_TREE] = { "trace_node_fields",
                             5,
                             true,
                             { "id", "function_info_index", "count", "size", "children" } },
    [UBI__V8_SAMPLES] = { "sample_fields", 2, true, { "timestamp_us", "last_assigned_id" } },
    [UBI__V8_LOCATIONS] = { "location_fields",
                            4,
                            false,
                            { "object_index", "script_id", "line", "column", "script_object_index" } },
    [UBI__V8_SCOPES] = { "scope_fields",
                         5,
                         false,
                         { "script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count" } },
    [UBI__V8_SCOPE_VARIABLES] = { "scope_context_var_fields", 1, true, { "name" } },
    [UBI__V8_SCOPE_USES] = { "scope_use_fields", 2, true, { "declaring_scope_id", "slot_index" } },
};

static ubi__v8_section section_of_fields(ubi_text key) {
    for (int i = 0; i < UBI__V8_SECTION_COUNT; i++)
        if (all_fields[i].key && ubi__text_is(key, all_fields[i].key))
            return (ubi__v8_section)i;
    return UBI__V8_NO_SECTION;
}

static void clear_layout(ubi__v8_layout *layout) {
    layout->stride = 0;
    for (size_t i = 0; i < UBI__V8_MAX_PLACES; i++)
        layout->place[i] = UBI__V8_NO_FIELD;
}

static void add_field(ubi__v8_layout *layout, const fields *known, ubi_text name) {
    for (size_t i = 0; i < UBI__V8_MAX_PLACES; i++)
        if (known->name[i] && ubi__text_is(name, known->name[i]) && layout->place[i] == UBI__V8_NO_FIELD)
            layout->place[i] = layout->stride;
    layout->stride++;
}

static ubi_status read_fields(ubi__v8_reader *r, ubi__v8_section section) {
    ubi__v8_layout *layout = &r->meta.layout[section];
    bool more;
    clear_layout(layout);
    UBI_TRY(ubi__scan_expect(&r->scan, '[', "an array of field names"));
    for (bool first = true;; first = false) {
        ubi_text name;
        UBI_TRY(ubi__scan_next_item(&r->scan, ']', first, &more));
        if (!more)
            return UBI_OK;
        UBI_TRY(ubi__scan_name(&r->scan, &name));
        if (layout->stride == UBI__V8_MAX_FIELDS)
            return ubi__scan_fail_at(&r->scan, ubi__scan_offset(&r->scan, r->scan.window.at),
                                     "%s has more than %d fields", all_fields[section].key, UBI__V8_MAX_FIELDS);
        add_field(layout, &all_fields[section], name);
    }
}

static void fill_default(ubi__v8_layout *layout, const fields *known) {
    for (uint32_t i = 0; i < known->n_needed; i++)
        add_field(layout, known, ubi__text(known->name[i]));
}

/* Files without a list of fields, or with one that lacks some. */
static ubi_status complete_layout(ubi__v8_reader *r, ubi__v8_section section) {
    ubi__v8_layout *layout = &r->meta.layout[section];
    const fields *known = &all_fields[section];
    if (layout->stride == 0 && known->has_default)
        fill_default(layout, known);
    if (layout->stride == 0 && section != UBI__V8_NODES && section != UBI__V8_EDGES)
        return UBI_OK; /* such a section is for later versions */
    for (uint32_t i = 0; i < known->n_needed; i++)
        if (layout->place[i] == UBI__V8_NO_FIELD)
            return ubi__scan_fail_at(&r->scan, r->offset[UBI__V8_SNAPSHOT], "meta.%s lacks the field \"%s\"",
                                     known->key, known->name[i]);
    if (section == UBI__V8_TRACE_TREE && layout->place[UBI__V8_TRACE_CHILDREN] != layout->stride - 1)
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__V8_SNAPSHOT], "meta.%s: \"children\" is not the last field",
                                 known->key);
    return UBI_OK;
}

/* ---- types ----------------------------------------------------------------------------------------------------------- */

static ubi_edge_kind edge_kind_of(ubi_text name) {
    static const char *const names[UBI_EDGE_KIND_COUNT] = { NULL,       "context", "element",  "property",
                                                            "internal", "hidden",  "shortcut", "weak" };
    for (int i = 1; i < UBI_EDGE_KIND_COUNT; i++)
        if (ubi__text_is(name, names[i]))
            return (ubi_edge_kind)i;
    return UBI_EDGE_REFERENCE;
}

static ubi_status add_type(ubi__v8_reader *r, bool of_nodes, ubi_text name) {
    ubi__v8_meta *m = &r->meta;
    uint32_t *n = of_nodes ? &m->n_node_types : &m->n_edge_types;
    ubi_str_ix ignored;
    if (!name.ptr)
        return ubi__scan_fail_at(&r->scan, ubi__scan_offset(&r->scan, r->scan.window.at),
                                 "the name of a type has more than %d bytes", UBI__SCAN_MAX_NAME);
    if (*n == UBI__V8_MAX_TYPES)
        return ubi__scan_fail_at(&r->scan, ubi__scan_offset(&r->scan, r->scan.window.at), "more than %d types",
                                 UBI__V8_MAX_TYPES);
    if (of_nodes) {
        UBI_TRY(ubi__strtab_append(&m->type_names, &ignored, name));
        m->node_type[*n] = (uint8_t)ubi__v8_type_of(name);
    } else
        m->edge_kind[*n] = (uint8_t)edge_kind_of(name);
    (*n)++;
    return UBI_OK;
}

static ubi_status read_enum(ubi__v8_reader *r, bool of_nodes) {
    bool more;
    UBI_TRY(ubi__scan_expect(&r->scan, '[', "an array of type names"));
    for (bool first = true;; first = false) {
        ubi_text name;
        UBI_TRY(ubi__scan_next_item(&r->scan, ']', first, &more));
        if (!more)
            return UBI_OK;
        UBI_TRY(ubi__scan_name(&r->scan, &name));
        UBI_TRY(add_type(r, of_nodes, name));
    }
}

/*
 * [["hidden", ...], "string", ...]: one entry per field, in some versions more entries than fields. What counts is the one at
 * the place of the field `type`, or the first list while the fields are unknown.
 */
static ubi_status read_types(ubi__v8_reader *r, bool of_nodes) {
    const ubi__v8_layout *layout = &r->meta.layout[of_nodes ? UBI__V8_NODES : UBI__V8_EDGES];
    bool more, found = false;
    UBI_TRY(ubi__scan_expect(&r->scan, '[', "an array of types"));
    for (uint64_t i = 0;; i++) {
        uint8_t c;
        UBI_TRY(ubi__scan_next_item(&r->scan, ']', i == 0, &more));
        if (!more)
            return UBI_OK;
        UBI_TRY(ubi__scan_peek(&r->scan, &c, "a type"));
        if (c == '[' && !found && (layout->stride == 0 || layout->place[UBI__V8_TYPE] == i)) {
            found = true;
            UBI_TRY(read_enum(r, of_nodes));
        } else
            UBI_TRY(ubi__scan_skip_value(&r->scan));
    }
}

/* ---- the section ------------------------------------------------------------------------------------------------------ */

static ubi_status forget_types(ubi__v8_meta *m, bool of_nodes) {
    if (of_nodes)
        ubi__strtab_truncate(&m->type_names, 0);
    *(of_nodes ? &m->n_node_types : &m->n_edge_types) = 0;
    return UBI_OK;
}

static ubi_status read_meta_entry(ubi__v8_reader *r, ubi_text key) {
    ubi__v8_section section = section_of_fields(key);
    bool of_nodes = ubi__text_is(key, "node_types");
    if (section != UBI__V8_NO_SECTION)
        return read_fields(r, section);
    if (!of_nodes && !ubi__text_is(key, "edge_types"))
        return ubi__scan_skip_value(&r->scan);
    UBI_TRY(forget_types(&r->meta, of_nodes));
    return read_types(r, of_nodes);
}

typedef ubi_status entry_fn(ubi__v8_reader *r, ubi_text key);

static ubi_status read_object(ubi__v8_reader *r, const char *expected, entry_fn *entry) {
    bool more;
    UBI_TRY(ubi__scan_expect(&r->scan, '{', expected));
    for (bool first = true;; first = false) {
        ubi_text key;
        UBI_TRY(ubi__scan_next_item(&r->scan, '}', first, &more));
        if (!more)
            return UBI_OK;
        UBI_TRY(ubi__scan_key(&r->scan, &key));
        UBI_TRY(entry(r, key));
    }
}

static ubi_status read_header_number(ubi__v8_reader *r, ubi__v8_header_number *out) {
    uint8_t c;
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "a number"));
    out->offset = ubi__scan_offset(&r->scan, r->scan.window.at);
    out->is_given = true;
    return ubi__scan_count(&r->scan, &out->value);
}

static ubi_status read_snapshot_entry(ubi__v8_reader *r, ubi_text key) {
    if (ubi__text_is(key, "meta")) {
        r->meta.is_known = true;
        return read_object(r, "an object", read_meta_entry);
    }
    if (ubi__text_is(key, "node_count"))
        return read_header_number(r, &r->meta.node_count);
    if (ubi__text_is(key, "edge_count"))
        return read_header_number(r, &r->meta.edge_count);
    if (ubi__text_is(key, "root_index"))
        return read_header_number(r, &r->meta.root_index);
    if (ubi__text_is(key, "extra_native_bytes")) {
        r->facts->has_extra_native_bytes = true;
        return ubi__scan_count(&r->scan, &r->facts->extra_native_bytes);
    }
    return ubi__scan_skip_value(&r->scan);
}

/* The trace tree is the one section read by its fields at once, so it has the usual ones until others are known. */
void ubi__v8_meta_init(ubi__v8_meta *m) {
    for (size_t i = 0; i < UBI__V8_SECTION_COUNT; i++)
        clear_layout(&m->layout[i]);
    fill_default(&m->layout[UBI__V8_TRACE_TREE], &all_fields[UBI__V8_TRACE_TREE]);
}

static void layout_check(const ubi__v8_layout *layout, const fields *known) {
    uint64_t taken = 0;
    _Static_assert(UBI__V8_MAX_FIELDS <= 64, "a bit per field");
    for (size_t i = 0; layout->stride && i < UBI__V8_MAX_PLACES; i++) {
        uint32_t place = layout->place[i];
        UBI_ASSERT(place != UBI__V8_NO_FIELD || i >= known->n_needed);
        if (place == UBI__V8_NO_FIELD)
            continue;
        UBI_ASSERT(place < layout->stride);
        UBI_ASSERT(!(taken >> place & 1));
        taken |= UINT64_C(1) << place;
    }
}

void ubi__v8_meta_check(const ubi__v8_meta *m) {
    UBI_ASSERT(m->n_node_types == ubi__strtab_count(&m->type_names));
    UBI_ASSERT(m->n_node_types <= UBI__V8_MAX_TYPES && m->n_edge_types <= UBI__V8_MAX_TYPES);
    if (!UBI_CHECKS)
        return;
    for (int i = 0; i < UBI__V8_SECTION_COUNT; i++)
        if (all_fields[i].key)
            layout_check(&m->layout[i], &all_fields[i]);
    for (uint32_t i = 0; i < m->n_node_types; i++)
        UBI_ASSERT(m->node_type[i] > UBI__V8_NONE && m->node_type[i] < UBI__V8_TYPE_COUNT);
    for (uint32_t i = 0; i < m->n_edge_types; i++)
        UBI_ASSERT(m->edge_kind[i] < UBI_EDGE_KIND_COUNT);
}

static ubi_status compare_trace_layout(ubi__v8_reader *r, const ubi__v8_layout *used) {
    if (!r->was_seen[UBI__V8_TRACE_TREE] || memcmp(used, &r->meta.layout[UBI__V8_TRACE_TREE], sizeof *used) == 0)
        return UBI_OK;
    return ubi__scan_fail_at(&r->scan, r->offset[UBI__V8_SNAPSHOT],
                             "meta.trace_node_fields is not the usual list, and \"trace_tree\" came before it");
}

ubi_status ubi__v8_read_snapshot(ubi__v8_reader *r) {
    ubi__v8_meta *m = &r->meta;
    ubi__v8_layout trace_layout = m->layout[UBI__V8_TRACE_TREE];
    clear_layout(&m->layout[UBI__V8_TRACE_TREE]);
    UBI_TRY(read_object(r, "an object", read_snapshot_entry));
    if (!m->is_known)
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__V8_SNAPSHOT], "\"meta\" is missing");
    for (int i = 0; i < UBI__V8_SECTION_COUNT; i++)
        if (all_fields[i].key)
            UBI_TRY(complete_layout(r, (ubi__v8_section)i));
    UBI_TRY(compare_trace_layout(r, &trace_layout));
    if (m->n_node_types == 0 || m->n_edge_types == 0)
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__V8_SNAPSHOT], "meta.%s has no list of types",
                                 m->n_node_types == 0 ? "node_types" : "edge_types");
    ubi__v8_meta_check(m);
    r->facts->stride = m->layout[UBI__V8_NODES].stride;
    r->facts->has_trace_ids = m->layout[UBI__V8_NODES].place[UBI__V8_TRACE_ID] != UBI__V8_NO_FIELD;
    r->facts->has_detachedness = m->layout[UBI__V8_NODES].place[UBI__V8_DETACHED] != UBI__V8_NO_FIELD;
    return UBI_OK;
}
