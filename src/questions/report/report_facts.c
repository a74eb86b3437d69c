/* SPDX-License-Identifier: MIT
 *
 * report_facts.c: see report_facts.h.
 */
#include "questions/report/report_facts.h"

#include "base/status.h"
#include "base/text.h"
#include "render/path_words.h"

ubi_status ubi__report_facts_get(ubi__report_facts *f, ubi_session_use *heap) {
    f->name = ubi_session_name(ubi_session_use_session(heap));
    UBI_TRY(ubi_session_look(&f->look, heap));
    f->graph = ubi_look_view(f->look)->graph;
    UBI_TRY(ubi__report_sums_get(&f->sums, heap));
    UBI_TRY(ubi_session_dominators(&f->dominators, heap, true));
    UBI_TRY(ubi__report_findings_get(&f->findings, heap));
    UBI_TRY(ubi__report_holders_get(&f->holders, heap));
    f->outside_bytes = ubi_look_outside_bytes(f->look);
    f->total_bytes = f->sums->summary.reachable.bytes + f->outside_bytes;
    return UBI_OK;
}

ubi__path_view ubi__report_finding_path(const ubi__report_facts *f, const ubi_finding *finding) {
    return finding->n_nodes ? ubi__report_path_to(f, finding->path_to) : (ubi__path_view){ .graph = f->graph };
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

typedef struct buffer {
    char *bytes;
    size_t n, capacity;
} buffer;

static bool put_bytes(void *payload, const void *data, size_t n) {
    buffer *b = payload;
    if (n > b->capacity - 1 - b->n)
        n = b->capacity - 1 - b->n;
    memcpy(b->bytes + b->n, data, n);
    b->n += n;
    return true;
}

static const ubi__style plain = { .has_unicode = true, .columns = UBI__PATH_LINE_BYTES };

/* Rules about one node, which do not say themselves what holds it. */
static bool asks_for_holder(const ubi_finding *finding) {
    static const char *const rules[] = { "growingCollection", "largeNode", "wideNode" };
    for (size_t i = 0; finding->n_nodes && i < sizeof rules / sizeof *rules; i++)
        if (strcmp(finding->rule, rules[i]) == 0)
            return true;
    return false;
}

/* Of plain objects and global ones the path says more than the last property. */
static bool says_little(const ubi__report_facts *f, ubi_node_ix holder) {
    ubi_text name = ubi_look_node_name(f->look, holder);
    return ubi__kind_is_plain(f->graph, ubi_graph_kind(f->graph, ubi_graph_node_kind(f->graph, holder))) ||
           ubi__text_is(name, "global") || ubi__text_contains(name, ubi__text("[JSGlobalObject]"));
}

bool ubi__report_held_by(char out[UBI__REPORT_HELD_BY], const ubi__report_facts *f, const ubi_finding *finding) {
    ubi__path_view path = ubi__report_finding_path(f, finding);
    buffer b = { out, 0, UBI__REPORT_HELD_BY };
    ubi__out o;
    *out = 0;
    if (path.n_steps == 0 || !asks_for_holder(finding))
        return false;
    ubi_node_ix holder = ubi__path_node(&path, ubi__holder_of(&path, path.n_steps));
    if (says_little(f, holder))
        return false;
    ubi__out_init(&o, put_bytes, &b);
    bool is_named = ubi__display_held(&o, &plain, &path, path.n_steps, "");
    ubi__out_flush(&o);
    out[b.n] = 0;
    return is_named;
}

void ubi__report_path_words(char out[UBI__PATH_LINE_BYTES], const ubi__report_facts *f, ubi_node_ix node,
                            unsigned columns) {
    ubi__path_view view = ubi__report_path_to(f, node);
    ubi__path_line(out, &view, columns);
}
