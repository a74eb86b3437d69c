/* SPDX-License-Identifier: MIT
 *
 * report_document.c: the report as JSON.
 *
 * Without --detail it is short, whatever the heap: the document is written with ever tighter limits until it fits; the
 * first leave out little, the last nearly everything.
 */
#include <stdio.h>

#include "base/bits.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/report/report_page.h"
#include "render/heap_labels.h"
#include "render/result_json.h"

/* How much of everything is written. */
typedef struct report_limits {
    size_t name_bytes; /* of a name, as written */
    size_t kinds, keepers, functions, findings;
    unsigned path_columns;
    bool with_steps; /* paths step by step too */
} report_limits;

static const report_limits all_of_it = { SIZE_MAX, 1000, UBI__REPORT_KEEPERS, 1000, 1000, 400, true };
static const report_limits brief[] = {
    { 96, 10, UBI__REPORT_KEEPERS_SHOWN, 5, 12, 140, false },
    { 72, 8, 4, 4, 10, 100, false },
    { 56, 6, 3, 3, 8, 80, false },
    { 40, 5, 3, 2, 5, 60, false },
    { 32, 3, 2, 1, 3, 40, false },
    { 24, 2, 1, 1, 1, 30, false },
};
#define N_BRIEF (sizeof brief / sizeof *brief)

typedef struct document {
    ubi__json *j;
    const ubi__report_facts *facts;
    const report_limits *limits;
    uint64_t n_cut;
} document;

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* Bytes that JSON needs for the character at `at`, at most; *n: those that it has. */
static size_t written_bytes(size_t *n, ubi_text text, size_t at) {
    uint32_t c;
    *n = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, &c);
    if (*n == 0) {
        *n = 1;
        return 5;
    }
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000))
        return 6;
    return c == '"' || c == '\\' ? 2 : *n;
}

#define LONGEST_NAME 512

/* A name or sentence of at most `max` bytes as written, with an ellipsis where it was cut. NULL text gives null. */
static void put_cut(document *d, const char *key, ubi_text text, size_t max) {
    char cut[LONGEST_NAME + 4];
    size_t used = 0, at = 0, n;
    ubi__json_key(d->j, key);
    while (text.ptr && at < text.len && max != SIZE_MAX) {
        used += written_bytes(&n, text, at);
        if (used > max)
            break;
        at += n;
    }
    if (!text.ptr || max == SIZE_MAX || at == text.len || at > LONGEST_NAME) {
        ubi__json_text(d->j, text);
        return;
    }
    memcpy(cut, text.ptr, at);
    memcpy(cut + at, "\xe2\x80\xa6", 3);
    ubi__json_text(d->j, (ubi_text){ cut, at + 3 });
    d->n_cut++;
}

static void put_name(document *d, const char *key, ubi_text text) {
    put_cut(d, key, text, d->limits->name_bytes);
}

/* ---- parts ---------------------------------------------------------------------------------------------------------- */

static void put_tally(ubi__json *j, const ubi__tally *tally) {
    ubi__json_member_u64(j, "count", tally->count);
    ubi__json_member_u64(j, "bytes", tally->bytes);
}

static void put_heap(document *d) {
    uint64_t time_us = 0;
    ubi__json *j = d->j;
    const ubi__report_facts *f = d->facts;
    ubi__json_member_string(j, "producer", ubi__producer_title(f->graph));
    bool has_time = ubi_graph_creation_time_us(f->graph, &time_us);
    ubi__json_member_u64_or_null(j, "creationTimeUs", has_time, time_us);
    ubi__json_member_u64(j, "nodeCount", ubi_graph_node_count(f->graph));
    ubi__json_member_u64(j, "edgeCount", ubi_graph_edge_count(f->graph));
    ubi__json_member_u64(j, "totalSize", f->total_bytes);
    ubi__json_member_object(j, "reachable");
    put_tally(j, &f->sums->summary.reachable);
    ubi__json_object_end(j);
    ubi__json_member_u64(j, "nodesWithStack", f->sums->summary.n_with_stack);
}

static void put_coarse(document *d) {
    static const struct {
        const char *key;
        ubi_coarse_type type;
    } order[] = { { "objects", UBI_COARSE_OBJECT },
                  { "scripts", UBI_COARSE_SCRIPT },
                  { "strings", UBI_COARSE_STRING },
                  { "other", UBI_COARSE_OTHER },
                  { "domNode", UBI_COARSE_DOM_NODE } };
    ubi__json_member_object(d->j, "coarseTypes");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        ubi__json_member_object(d->j, order[i].key);
        put_tally(d->j, &d->facts->sums->summary.coarse[order[i].type]);
        ubi__json_object_end(d->j);
    }
    ubi__json_object_end(d->j);
}

static void put_kinds(document *d) {
    const ubi__groups *groups = &d->facts->sums->labels;
    ubi__json_member_array(d->j, "kinds");
    for (size_t i = 0; i < ubi__smaller(groups->n, d->limits->kinds); i++) {
        ubi__json_object_begin(d->j);
        ubi__json_member_string(d->j, "coarseType", ubi_coarse_type_name(groups->at[i].coarse_type));
        put_name(d, "displayName", groups->at[i].label);
        put_tally(d->j, &groups->at[i].tally);
        ubi__json_object_end(d->j);
    }
    ubi__json_array_end(d->j);
}

static void put_held(document *d, const ubi_keeper *keeper) {
    const ubi_graph *g = d->facts->graph;
    ubi__json_key(d->j, "held");
    if (keeper->held_kind == UBI_NONE) {
        ubi__json_null(d->j);
        return;
    }
    const ubi_kind *kind = ubi_graph_kind(g, keeper->held_kind);
    ubi__json_object_begin(d->j);
    ubi__json_member_string(d->j, "coarseType", ubi_coarse_type_name(kind->coarse_type));
    put_name(d, "displayName", ubi__kind_label(g, kind));
    ubi__json_member_u64(d->j, "count", keeper->n_held);
    ubi__json_member_u64(d->j, "retainedSize", keeper->held_bytes);
    ubi__json_object_end(d->j);
}

static void put_steps(document *d, ubi_node_ix node) {
    const ubi_graph *g = d->facts->graph;
    ubi__path_view path = ubi__report_path_to(d->facts, node);
    ubi__json_member_array(d->j, "path");
    for (uint32_t i = 0; i < path.n_steps && !d->j->has_failed; i++) {
        char digits[UBI_EDGE_LABEL_BYTES];
        ubi__json_object_begin(d->j);
        ubi__json_member_node_id(d->j, "predecessor", ubi_graph_node_id(g, path.steps[i].predecessor));
        ubi__json_member_text(d->j, "edge", ubi_graph_edge_label(g, path.steps[i].edge, digits));
        ubi__json_object_end(d->j);
    }
    ubi__json_array_end(d->j);
}

/* In words, and with --detail step by step. */
static void put_path(document *d, ubi_node_ix node) {
    char words[UBI__PATH_LINE_BYTES];
    ubi__report_path_words(words, d->facts, node, d->limits->path_columns);
    if (*words)
        put_cut(d, "pathText", (ubi_text){ words, strlen(words) },
                d->limits->with_steps ? SIZE_MAX : 2 * (size_t)d->limits->path_columns);
    if (d->limits->with_steps)
        put_steps(d, node);
}

static void put_keeper(document *d, const ubi_keeper *k) {
    const ubi_graph *g = d->facts->graph;
    ubi__json_object_begin(d->j);
    ubi__json_member_node_id(d->j, "nodeId", ubi_graph_node_id(g, k->node));
    ubi__json_member_string(d->j, "coarseType",
                            ubi_coarse_type_name(ubi_graph_kind(g, ubi_graph_node_kind(g, k->node))->coarse_type));
    put_name(d, "displayName", ubi_look_node_name(d->facts->look, k->node));
    ubi__json_member_u64(d->j, "shallowSize", ubi_look_size_bytes(d->facts->look, k->node));
    ubi__json_member_u64(d->j, "retainedSize", k->retained_bytes);
    ubi__json_member_u64(d->j, "exclusiveSize", k->exclusive_bytes);
    ubi__json_member_u64(d->j, "retainedCount", k->n_dominated);
    put_held(d, k);
    put_path(d, k->node);
    ubi__json_object_end(d->j);
}

static void put_keepers(document *d) {
    const ubi__report_keepers *keepers = &d->facts->holders->keepers;
    const ubi_keeper *shown[UBI__REPORT_KEEPERS];
    uint32_t n = (uint32_t)ubi__smaller(keepers->n, d->limits->keepers);
    ubi__report_keepers_shown(shown, keepers, n);
    ubi__json_member_u64(d->j, "keepersShown", ubi__smaller(n, UBI__REPORT_KEEPERS_SHOWN));
    ubi__json_member_array(d->j, "keepers");
    for (uint32_t i = 0; i < n; i++)
        put_keeper(d, shown[i]);
    ubi__json_array_end(d->j);
}

static void put_functions(document *d) {
    const ubi__groups *groups = &d->facts->sums->functions;
    ubi__json_member_array(d->j, "allocatedBy");
    for (size_t i = 0; i < ubi__smaller(groups->n, d->limits->functions); i++) {
        const ubi_frame *frame = &groups->at[i].frame;
        ubi__json_object_begin(d->j);
        ubi__json_member_object(d->j, "frame");
        put_name(d, "source", frame->source);
        ubi__json_member_u64(d->j, "line", frame->line);
        ubi__json_member_u64(d->j, "column", frame->column);
        put_name(d, "functionDisplayName", frame->function_name);
        ubi__json_object_end(d->j);
        put_tally(d->j, &groups->at[i].tally);
        ubi__json_object_end(d->j);
    }
    ubi__json_array_end(d->j);
}

#define BRIEF_SENTENCE_BYTES 300

static void put_finding(document *d, const ubi_finding *finding) {
    ubi__json_object_begin(d->j);
    ubi__json_member_string(d->j, "rule", finding->rule);
    put_cut(d, "title", ubi__text(finding->title), d->limits->with_steps ? SIZE_MAX : BRIEF_SENTENCE_BYTES);
    put_cut(d, "text", (ubi_text){ finding->text, strlen(finding->text) },
            d->limits->with_steps ? SIZE_MAX : BRIEF_SENTENCE_BYTES);
    if (finding->bytes)
        ubi__json_member_u64(d->j, "bytes", finding->bytes);
    if (finding->count)
        ubi__json_member_u64(d->j, "count", finding->count);
    if (finding->n_nodes) {
        ubi__json_member_node_id(d->j, "nodeId", ubi_graph_node_id(d->facts->graph, finding->nodes[0]));
        if (finding->path_to != finding->nodes[0]) {
            ubi__json_member_node_id(d->j, "pathTo", ubi_graph_node_id(d->facts->graph, finding->path_to));
        }
        put_path(d, finding->path_to);
        char held_by[UBI__REPORT_HELD_BY];
        if (ubi__report_held_by(held_by, d->facts, finding))
            ubi__json_member_string(d->j, "heldBy", held_by);
    }
    ubi__json_object_end(d->j);
}

static void put_findings(document *d) {
    uint32_t n = ubi_findings_count(d->facts->findings);
    ubi__json_member_u64(d->j, "findingCount", n);
    ubi__json_member_array(d->j, "findings");
    for (uint32_t i = 0; i < ubi__smaller(n, d->limits->findings); i++)
        put_finding(d, ubi_findings_get(d->facts->findings, i));
    ubi__json_array_end(d->j);
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static void put_all(document *d) {
    /* The name of the file may be long, too. */
    put_cut(d, "file", (ubi_text){ d->facts->name, strlen(d->facts->name) },
            d->limits->with_steps ? SIZE_MAX : LONGEST_NAME);
    put_heap(d);
    put_coarse(d);
    put_kinds(d);
    put_findings(d);
    put_keepers(d);
    put_functions(d);
    ubi__json_member_u64(d->j, "namesCut", d->n_cut);
    ubi__json_member_bool(d->j, "detail", d->limits->with_steps);
}

static bool count_bytes(void *payload, const void *data, size_t n) {
    (void)data;
    *(size_t *)payload += n;
    return true;
}

/* Bytes of the document with these limits. */
static size_t document_measure(const ubi__report_facts *facts, const report_limits *limits) {
    ubi__json j;
    size_t n = sizeof "{\"schema\":\"ubiheap.report/1\",}\n";
    document d = { &j, facts, limits, 0 };
    ubi__json_init(&j, count_bytes, &n, false);
    j.is_for_terminal = true; /* never longer than this */
    ubi__json_object_begin(&j);
    put_all(&d);
    ubi__json_object_end(&j);
    ubi__json_flush(&j);
    return n;
}

static const report_limits *choose_limits(const ubi__report_facts *facts) {
    if (facts->with_detail)
        return &all_of_it;
    for (size_t i = 0; i + 1 < N_BRIEF; i++)
        if (document_measure(facts, &brief[i]) < UBI__REPORT_DOCUMENT_BYTES)
            return &brief[i];
    return &brief[N_BRIEF - 1];
}

void ubi__report_document(ubi__json *json, const ubi__report_facts *facts) {
    document d = { json, facts, choose_limits(facts), 0 };
    put_all(&d);
}
