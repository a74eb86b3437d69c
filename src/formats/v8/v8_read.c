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
extern const ubi__line_facts ubi__v8_line_facts; /* v8_line_facts.c */

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
    if (r->seen[r->section])
        return ubi__scan_fail_at(&r->scan, key_offset, "this section is here a second time");
    r->seen[r->section] = true;
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
    UBI_ASSERT(g->first_edge.n == g->id.n + r->nodes_ready);
    UBI_ASSERT(g->stack.n <= g->id.n);
    UBI_ASSERT(g->name.n == g->target.n && g->edge_kind.n == g->target.n);
    UBI_ASSERT(r->n_numbers[UBI__V8_NODES] == (uint64_t)g->id.n * r->meta.layout[UBI__V8_NODES].stride);
    UBI_ASSERT(r->n_numbers[UBI__V8_EDGES] == (uint64_t)g->target.n * r->meta.layout[UBI__V8_EDGES].stride);
    UBI_ASSERT(r->trace_parent.n == r->facts->traces.n || r->trace_parent.n == 0);
    UBI_ASSERT(!r->nodes_ready || r->complete[UBI__V8_NODES]);
    for (int i = 0; UBI_CHECKS && i < UBI__V8_SECTION_COUNT; i++)
        UBI_ASSERT(!r->complete[i] || r->seen[i]);
    if (UBI_CHECKS) {
        marks_check(&r->marks[0]);
        marks_check(&r->marks[1]);
    }
}

static ubi_status section_ended(ubi__v8_reader *r) {
    r->complete[r->section] = r->meta.known || r->section == UBI__V8_STRINGS || r->section == UBI__V8_TRACE_TREE;
    if (r->section == UBI__V8_NODES && r->meta.known)
        return ubi__v8_nodes_ended(r);
    if (r->section == UBI__V8_EDGES && r->meta.known)
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
        if (r->seen[needed[i]])
            return true;
    return false;
}

static ubi_status need_sections(ubi__v8_reader *r) {
    if (!has_any_section(r))
        return ubi__fail(UBI_EFORMAT, "this is JSON, but no heap snapshot: it has none of the sections \"snapshot\", "
                                      "\"nodes\", \"edges\" and \"strings\"");
    for (size_t i = 0; i < 4; i++)
        if (!r->seen[needed[i]])
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
    bool nodes = r->complete[UBI__V8_NODES], edges = r->complete[UBI__V8_EDGES];
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

/* V8 does not tell the text of a concatenated or sliced string. */
static bool string_has_text(const ubi_kind *kind) {
    return kind->raw_type != UBI__V8_CONS_STRING && kind->raw_type != UBI__V8_SLICED_STRING;
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
    ubi__helper_start(&r->helper, input->threads);
    ubi_status status = read_all(r);
    ubi__v8_stop_jobs(r);
    if (status == UBI_OK) {
        r->graph->format = ubi__format_v8.name;
        r->graph->facts = r->facts;
        r->graph->free_facts = ubi__v8_facts_free;
        r->graph->string_has_text = string_has_text;
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
                                     .line_facts = &ubi__v8_line_facts };
