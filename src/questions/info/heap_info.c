/* SPDX-License-Identifier: MIT
 *
 * heap_info.c: see heap_info.h.
 */
#include "questions/info/heap_info.h"

#include <string.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "lenses/lens.h"
#include "lenses/producer.h"

typedef ubi__heap_info facts;

static uint64_t total_memory(const ubi_graph_memory *m) {
    return m->nodes_bytes + m->edges_bytes + m->index_bytes + m->strings_bytes + m->stacks_bytes;
}

static double per_item(uint64_t bytes, uint64_t n) {
    return n ? (double)bytes / (double)n : 0;
}

#define MOST_CARRIED (6 + UBI__MOST_CARRIED)

static size_t carried_list(ubi__carried out[MOST_CARRIED], const facts *f) {
    const ubi__heap_summary *s = f->summary;
    const ubi__producer *producer = ubi__producer_of(f->graph);
    out[0] = (ubi__carried){ "edgeNames", "edge names", s->has_edge_names };
    out[1] = (ubi__carried){ "classNames", "class names", s->names.classes > 0 };
    out[2] = (ubi__carried){ "constructorNames", "constructor names", s->names.constructors > 0 };
    out[3] = (ubi__carried){ "domNames", "DOM names", s->names.dom > 0 };
    out[4] = (ubi__carried){ "scriptFilenames", "script file names", s->names.scripts > 0 };
    out[5] = (ubi__carried){ "allocationStacks", "allocation stacks", s->n_with_stack > 0 };
    return 6 + (producer->carried ? producer->carried(out + 6, f->graph) : 0);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

#define LABEL_COLUMNS 14

static void fact_begin(const ubi__page *page, const char *name) {
    ubi__write_label(page, UBI__INK_BOLD, name, LABEL_COLUMNS);
}

static void fact_write(const ubi__page *page, const char *name, const char *text) {
    ubi__write_fact(page, name, ubi__text(text), LABEL_COLUMNS);
}

static void count_write(const ubi__page *page, const char *name, uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    fact_write(page, name, ubi__human_count(count, n));
}

static void file_write(const ubi__page *page, const facts *f) {
    char input[UBI__HUMAN_TEXT], inflated[UBI__HUMAN_TEXT];
    const ubi_read_info *info = f->info;
    fact_write(page, "File", f->name);
    fact_begin(page, "Format");
    if (!info->format)
        ubi__out_string(page->out, "none: it was not read from a file");
    else if (info->compression && strcmp(info->compression, "none") != 0)
        ubi__out_printf(page->out, "%s, %s, %s (%s inflated)", info->format, info->compression,
                        ubi__human_size(input, info->input_bytes), ubi__human_size(inflated, info->inflated_bytes));
    else
        ubi__out_printf(page->out, "%s, not compressed, %s", info->format, ubi__human_size(input, info->input_bytes));
    ubi__out_char(page->out, '\n');
    if (info->has_ended_early)
        fact_write(page, "Ended early", info->end_note);
    if (*info->note)
        fact_write(page, "Note", info->note);
}

static void origin_write(const ubi__page *page, const facts *f) {
    char time[UBI__HUMAN_TEXT];
    const char *writer = f->info->writer;
    fact_write(page, "Producer", f->producer ? f->producer : "unknown");
    fact_write(page, "Created", f->has_creation_time ? ubi__human_time(time, f->creation_time_us) : "unknown");
    if (*writer)
        fact_write(page, "Written by", writer);
}

static void tally_write(const ubi__page *page, const char *name, const ubi__tally *tally) {
    char nodes[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    fact_begin(page, name);
    if (tally->count == 0)
        ubi__out_string(page->out, "none\n");
    else
        ubi__out_printf(page->out, "%s, %s\n", ubi__human_things(nodes, tally->count, "node"),
                        ubi__human_size(size, tally->bytes));
}

/* "14 of classes, 503 of constructors, 4 of scripts". */
static void names_write(const ubi__page *page, const ubi__name_counts *names) {
    char text[UBI__HUMAN_TEXT];
    const struct {
        uint32_t n;
        const char *things;
    } all[] = { { names->classes, "classes" },
                { names->constructors, "constructors" },
                { names->dom, "DOM nodes" },
                { names->scripts, "scripts" } };
    bool any = false;
    fact_begin(page, "Names");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].n == 0)
            continue;
        ubi__out_printf(page->out, "%s%s of %s", any ? ", " : "", ubi__human_count(text, all[i].n), all[i].things);
        any = true;
    }
    ubi__out_string(page->out, any ? "\n" : "none\n");
}

static void contents_write(const ubi__page *page, const facts *f) {
    char frames[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT];
    const ubi__heap_summary *s = f->summary;
    count_write(page, "Nodes", ubi_graph_node_count(f->graph));
    count_write(page, "Edges", ubi_graph_edge_count(f->graph));
    count_write(page, "Strings", ubi_graph_string_count(f->graph));
    names_write(page, &s->names);
    fact_begin(page, "Stacks");
    if (s->n_with_stack == 0)
        ubi__out_string(page->out, "none\n");
    else
        ubi__out_printf(page->out, "%s, %s %s a stack\n",
                        ubi__human_things(frames, ubi_graph_frame_count(f->graph), "frame"),
                        ubi__human_things(nodes, s->n_with_stack, "node"), s->n_with_stack == 1 ? "has" : "have");
    tally_write(page, "Reachable", &s->reachable);
    tally_write(page, "Unreachable", &s->unreachable);
}

static void carried_write(const ubi__page *page, const facts *f) {
    ubi__carried all[MOST_CARRIED];
    size_t n_all = carried_list(all, f), n = 0, used = LABEL_COLUMNS;
    fact_begin(page, "Carries");
    for (size_t i = 0; i < n_all; i++) {
        if (!all[i].is_present)
            continue;
        bool wraps = n && used + 2 + strlen(all[i].word) + 1 > page->style.columns;
        ubi__out_string(page->out, !n ? "" : wraps ? ",\n" : ", ");
        ubi__display_pad(page->out, 0, wraps ? LABEL_COLUMNS : 0);
        ubi__out_string(page->out, all[i].word);
        used = (wraps ? LABEL_COLUMNS : used + (n ? 2 : 0)) + strlen(all[i].word);
        n++;
    }
    ubi__out_string(page->out, n ? "\n" : "types and sizes only\n");
}

static void cost_write(const ubi__page *page, const facts *f) {
    char size[UBI__HUMAN_TEXT], time[UBI__HUMAN_TEXT];
    const ubi_graph_memory *m = &f->memory;
    fact_begin(page, "Memory");
    ubi__out_printf(page->out, "%s: %.1f bytes per node, %.1f per edge, the rest strings and stacks\n",
                    ubi__human_size(size, total_memory(m)),
                    per_item(m->nodes_bytes + m->index_bytes, ubi_graph_node_count(f->graph)),
                    per_item(m->edges_bytes, ubi_graph_edge_count(f->graph)));
    if (f->has_load_time)
        fact_write(page, "Loaded in", ubi__human_duration(time, f->load_us));
}

void ubi__heap_info_page(const ubi__page *page, const facts *f) {
    file_write(page, f);
    origin_write(page, f);
    contents_write(page, f);
    carried_write(page, f);
    cost_write(page, f);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void tally_put(ubi__json *j, const char *key, const ubi__tally *tally) {
    ubi__json_member_object(j, key);
    ubi__json_member_u64(j, "count", tally->count);
    ubi__json_member_u64(j, "bytes", tally->bytes);
    ubi__json_object_end(j);
}

static void file_put(ubi__json *j, const facts *f) {
    const ubi_read_info *info = f->info;
    ubi__json_member_string(j, "format", info->format);
    ubi__json_member_string(j, "compression", info->compression);
    ubi__json_member_u64(j, "inputBytes", info->input_bytes);
    ubi__json_member_u64(j, "inflatedBytes", info->inflated_bytes);
    ubi__json_member_u64(j, "messageCount", info->message_count);
    ubi__json_member_bool(j, "endedEarly", info->has_ended_early);
    ubi__json_member_string(j, "endNote", info->has_ended_early ? info->end_note : NULL);
    ubi__json_member_string(j, "note", *info->note ? info->note : NULL);
}

static void origin_put(ubi__json *j, const facts *f) {
    char time[UBI__HUMAN_TEXT];
    const char *writer = f->info->writer;
    ubi__json_member_string(j, "producer", f->producer);
    ubi__json_member_string(j, "writer", *writer ? writer : NULL);
    ubi__json_member_string(j, "creationTime", f->has_creation_time ? ubi__iso_time(time, f->creation_time_us) : NULL);
    ubi__json_member_u64_or_null(j, "creationTimeUs", f->has_creation_time, f->creation_time_us);
}

static void contents_put(ubi__json *j, const facts *f) {
    const ubi_graph *g = f->graph;
    ubi__json_member_u64(j, "nodeCount", ubi_graph_node_count(g));
    ubi__json_member_u64(j, "edgeCount", ubi_graph_edge_count(g));
    ubi__json_member_u64(j, "stringCount", ubi_graph_string_count(g));
    ubi__json_member_object(j, "names");
    ubi__json_member_u64(j, "classes", f->summary->names.classes);
    ubi__json_member_u64(j, "constructors", f->summary->names.constructors);
    ubi__json_member_u64(j, "domNodes", f->summary->names.dom);
    ubi__json_member_u64(j, "scripts", f->summary->names.scripts);
    ubi__json_object_end(j);
    ubi__json_member_u64(j, "frameCount", ubi_graph_frame_count(g));
    ubi__json_member_u64(j, "nodesWithStack", f->summary->n_with_stack);
    ubi__json_member_node_id(j, "rootId", ubi_graph_node_id(g, ubi_graph_root(g)));
    tally_put(j, "reachable", &f->summary->reachable);
    tally_put(j, "unreachable", &f->summary->unreachable);
}

static void carried_put(ubi__json *j, const facts *f) {
    ubi__carried all[MOST_CARRIED];
    size_t n = carried_list(all, f);
    ubi__json_member_object(j, "carries");
    for (size_t i = 0; i < n; i++) {
        ubi__json_member_bool(j, all[i].key, all[i].is_present);
    }
    ubi__json_object_end(j);
}

static void memory_put(ubi__json *j, const facts *f) {
    const ubi_graph_memory *m = &f->memory;
    ubi__json_member_object(j, "memory");
    ubi__json_member_u64(j, "totalBytes", total_memory(m));
    ubi__json_member_u64(j, "nodesBytes", m->nodes_bytes);
    ubi__json_member_u64(j, "edgesBytes", m->edges_bytes);
    ubi__json_member_u64(j, "indexBytes", m->index_bytes);
    ubi__json_member_u64(j, "stringsBytes", m->strings_bytes);
    ubi__json_member_u64(j, "stacksBytes", m->stacks_bytes);
    ubi__json_member_double(j, "bytesPerNode",
                            per_item(m->nodes_bytes + m->index_bytes, ubi_graph_node_count(f->graph)));
    ubi__json_member_double(j, "bytesPerEdge", per_item(m->edges_bytes, ubi_graph_edge_count(f->graph)));
    ubi__json_object_end(j);
}

void ubi__heap_info_document(ubi__json *j, const facts *f) {
    file_put(j, f);
    origin_put(j, f);
    contents_put(j, f);
    carried_put(j, f);
    memory_put(j, f);
    if (f->has_load_time)
        ubi__json_member_u64(j, "loadTimeUs", f->load_us);
}

/* ---- the counts, a part of the session ---------------------------------------------------------------------------- */

/*
 * Counts as the lens does, without making a look: sizes that it moves between nodes have the same sum, and it says
 * beforehand whether it adopts nodes that the root does not reach.
 */
static void count_as_lens(ubi__heap_summary *summary) {
    if (ubi_lens_for(summary->graph)->orphans != UBI_ORPHANS_ADOPT)
        return;
    summary->reachable.count += summary->unreachable.count;
    summary->reachable.bytes += summary->unreachable.bytes;
    summary->unreachable = (ubi__tally){ 0, 0 };
}

static ubi_status counts_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_graph *graph;
    (void)key;
    UBI_TRY(ubi_session_graph(&graph, use));
    ubi__heap_summary *summary = UBI_NEW(allocator, ubi__heap_summary);
    if (!summary)
        return ubi__fail_nomem();
    ubi_status status = ubi__heap_summary_init(summary, graph, allocator);
    if (status == UBI_OK) {
        count_as_lens(summary);
        *out = summary;
    } else {
        UBI_DELETE(allocator, summary);
    }
    return status;
}

static void counts_free(void *value, const ubi_allocator *allocator) {
    ubi__heap_summary *summary = value;
    ubi__heap_summary_fini(summary);
    UBI_DELETE(allocator, summary);
}

static const ubi__part_type counts_part = {
    .name = "counts", .build = counts_build, .free = counts_free, .is_of_graph = true
};

/* ---- the facts ------------------------------------------------------------------------------------------------------ */

/* That reading took. */
static uint64_t load_time_us(ubi_session *session) {
    ubi_session_part_row row;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (strcmp(row.name, "graph") == 0)
            return row.time_us;
    return 0;
}

ubi_status ubi__heap_info_get(facts *out, const ubi__asked *asked) {
    ubi_session_use *heap = ubi__asked_heap(asked);
    ubi_session *session = ubi_session_use_session(heap);
    ubi_graph *graph;
    void *counts;
    UBI_TRY(ubi_session_graph(&graph, heap));
    UBI_TRY(ubi__session_part(&counts, heap, &counts_part, ""));
    *out = (facts){ .name = ubi_session_name(session),
                    .info = ubi_session_read_info(session),
                    .graph = graph,
                    .summary = counts,
                    .memory = UBI_GRAPH_MEMORY_INIT,
                    .producer = ubi__producer_title(graph),
                    .load_us = load_time_us(session),
                    .has_load_time = !asked->is_kept };
    out->has_creation_time = ubi_graph_creation_time_us(graph, &out->creation_time_us);
    ubi_graph_memory_use(graph, &out->memory);
    return UBI_OK;
}
