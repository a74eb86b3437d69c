/* SPDX-License-Identifier: MIT
 *
 * report_facts.c: computes what a report is made from: one dominator tree, one walk for all paths.
 */
#include "cli/commands/report/report_facts.h"

#include "base/alloc.h"
#include "base/text.h"
#include "render/path_words.h"

static ubi_status find_findings(ubi__report_facts *f, ubi_progress progress) {
    ubi_findings_options options = UBI_FINDINGS_OPTIONS_INIT;
    options.progress = progress;
    options.dominators = f->dominators;
    options.info = &f->snapshot->info;
    return ubi_findings_new(&f->findings, f->look, &options);
}

static ubi_status find_paths(ubi__report_facts *f, ubi_progress progress) {
    ubi__vec_u32 targets = { 0 };
    ubi_status status = UBI_OK;
    for (uint32_t i = 0; status == UBI_OK && i < f->keepers.n; i++)
        status = ubi__vec_u32_push(&targets, ubi_allocator_default(), f->keepers.at[i].node);
    for (uint32_t i = 0; status == UBI_OK && i < ubi_findings_count(f->findings); i++) {
        const ubi_finding *finding = ubi_findings_get(f->findings, i);
        if (finding->n_nodes)
            status = ubi__vec_u32_push(&targets, ubi_allocator_default(), finding->path_to);
    }
    if (status == UBI_OK)
        status = ubi__report_paths_init(&f->paths, ubi_look_view(f->look), targets.at, (uint32_t)targets.n, progress);
    ubi__vec_u32_fini(&targets, ubi_allocator_default());
    return status;
}

static ubi__path_view path_to(const void *facts, ubi_node_ix node) {
    return ubi__report_path(facts, node);
}

ubi_status ubi__report_facts_init(ubi__report_facts *f, const ubi__snapshot *snapshot, ubi_progress progress) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    options.progress = progress;
    options.threads = 1;
    f->snapshot = snapshot;
    f->graph = snapshot->graph;
    f->look = snapshot->look;
    UBI_TRY(ubi__heap_summary_of(&f->summary, f->look, ubi_allocator_default()));
    UBI_TRY(ubi__groups_by_class(&f->labels, &f->summary));
    UBI_TRY(ubi__groups_by_function(&f->functions, &f->summary));
    f->outside_bytes = ubi_look_outside_bytes(f->look);
    f->total_bytes = f->summary.reachable.bytes + f->outside_bytes;
    UBI_TRY(ubi_dominators_new(&f->dominators, ubi_look_view(f->look), &options));
    UBI_TRY(ubi__report_keepers_init(&f->keepers, f->dominators, f->graph, progress));
    UBI_TRY(find_findings(f, progress));
    UBI_TRY(find_paths(f, progress));
    ubi__report_keepers_sort(&f->keepers, f->graph, path_to, f);
    return UBI_OK;
}

void ubi__report_facts_fini(ubi__report_facts *f) {
    ubi__report_paths_fini(&f->paths);
    ubi_findings_free(f->findings);
    ubi_dominators_free(f->dominators);
    ubi__groups_fini(&f->functions);
    ubi__groups_fini(&f->labels);
    ubi__heap_summary_fini(&f->summary);
}

ubi__path_view ubi__report_path(const ubi__report_facts *f, ubi_node_ix node) {
    ubi__path_view view = { .graph = f->graph, .target = node, .look = f->look };
    for (uint32_t i = 0; i < f->paths.n; i++)
        if (f->paths.at[i].target == node) {
            view.steps = f->paths.at[i].steps;
            view.n_steps = f->paths.at[i].n_steps;
        }
    return view;
}

ubi__path_view ubi__report_finding_path(const ubi__report_facts *f, const ubi_finding *finding) {
    return finding->n_nodes ? ubi__report_path(f, finding->path_to) : (ubi__path_view){ .graph = f->graph };
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

static const ubi__style plain = { .has_unicode = true, .columns = UBI__REPORT_PATH_BYTES };

/* Rules about one node, which do not say themselves what holds it. */
static bool asks_for_holder(const ubi_finding *finding) {
    static const char *const rules[] = { "growingCollection", "largeNode", "wideNode" };
    for (size_t i = 0; finding->n_nodes && i < sizeof rules / sizeof *rules; i++)
        if (strcmp(finding->rule, rules[i]) == 0)
            return true;
    return false;
}

/* Of plain objects and global ones the path says more than the last property. */
static bool tells_little(const ubi__report_facts *f, ubi_node_ix holder) {
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
    if (tells_little(f, holder))
        return false;
    ubi__out_init(&o, put_bytes, &b);
    bool is_named = ubi__display_held(&o, &plain, &path, path.n_steps, "");
    ubi__out_flush(&o);
    out[b.n] = 0;
    return is_named;
}

void ubi__report_path_words(char out[UBI__REPORT_PATH_BYTES], const ubi__report_facts *f, ubi_node_ix node,
                            unsigned columns) {
    ubi__path_view view = ubi__report_path(f, node);
    buffer b = { out, 0, UBI__REPORT_PATH_BYTES };
    ubi__out o;
    ubi__out_init(&o, put_bytes, &b);
    if (view.n_steps)
        ubi__display_path(&o, &plain, &view, columns);
    ubi__out_flush(&o);
    out[b.n] = 0;
}
