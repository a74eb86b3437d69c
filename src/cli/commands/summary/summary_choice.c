/* SPDX-License-Identifier: MIT
 *
 * summary_choice.c: which nodes a summary is about, as bits.
 *
 * Filters by id need another option; they are not among those that --filter takes.
 */
#include "cli/commands/summary/summary_choice.h"

#include "base/human.h"
#include "base/text.h"
#include "cli/options.h"
#include "lenses/lens.h"

/* ---- filters by name --------------------------------------------------------------------------------------------- */

static bool needs_more(const char *name) {
    static const char *const names[] = { "allocated", "native-context", "shared-contexts", "no-context" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The i-th filter of any lens that has a name; NULL after the last. */
static const ubi_lens_filter *filter_at(size_t i) {
    for (size_t l = 0; ubi_lens_at(l); l++)
        for (const ubi_lens_filter *f = ubi_lens_filters(ubi_lens_at(l)); f->name; f++)
            if (!needs_more(f->name) && i-- == 0)
                return f;
    return NULL;
}

static bool filter_entry(size_t i, const char **word, const char **help) {
    const ubi_lens_filter *f = filter_at(i);
    if (!f)
        return false;
    *word = f->name;
    *help = f->title;
    return true;
}

const ubi__glossary ubi__summary_filters_glossary = { "Filters of V8 snapshots", filter_entry };

static ubi_status check_filter(const char *name) {
    ubi__suggestion best = ubi__suggestion_for(name);
    for (size_t i = 0; filter_at(i); i++) {
        if (strcmp(filter_at(i)->name, name) == 0)
            return UBI_OK;
        ubi__suggestion_try(&best, filter_at(i)->name);
    }
    if (best.word)
        return ubi__fail(UBI_EINVAL, "--filter: there is no filter '%s'; did you mean %s?", name, best.word);
    return ubi__fail(UBI_EINVAL, "--filter: there is no filter '%s'; 'ubiheap help summary' lists them", name);
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

static ubi_status parse_context(ubi__summary_choice *c, const char *text) {
    if (strcmp(text, "shared") == 0)
        c->context = "shared-contexts";
    else if (strcmp(text, "none") == 0)
        c->context = "no-context";
    else if (ubi__node_id_parse(&c->context_id, text, "--context") == UBI_OK)
        c->context = "native-context";
    else
        return ubi__fail(
            UBI_EINVAL,
            "--context: expected the id of a native context, as 'ubiheap statistics' lists them, or shared, "
            "or none, not '%s'",
            text);
    return UBI_OK;
}

static bool is_standard_input(const char *path) {
    return path && strcmp(path, "-") == 0;
}

ubi_status ubi__summary_choice_parse(ubi__summary_choice *c, const ubi__summary_choice_arguments *a, const char *file) {
    c->arguments = a;
    if (is_standard_input(a->since) + is_standard_input(a->until) + is_standard_input(file) > 1)
        return ubi__fail(UBI_EINVAL, "only one file can be standard input");
    if (a->filter)
        UBI_TRY(check_filter(a->filter));
    if (a->context)
        UBI_TRY(parse_context(c, a->context));
    return a->where ? ubi__node_filter_new(&c->where, a->where) : UBI_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

typedef struct making {
    ubi__summary_choice *choice;
    ubi__cli *cli;
    const ubi__snapshot *snapshot;
    uint64_t *bits; /* of what is being asked, the same size as choice->only */
} making;

/* Ids show when their nodes were made. */
static bool ids_tell_time(const ubi__snapshot *snapshot) {
    return ubi_look_lens(snapshot->look)->id_mark;
}

/* Only nodes whose bit is set are left. */
static void keep_marked(making *m) {
    for (size_t i = 0; i < m->choice->n_words; i++)
        m->choice->only[i] &= m->bits[i];
}

static ubi_status keep_filtered(making *m, const char *name, uint64_t id_above, uint64_t id_upto) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&m->cli->progress);
    options.id_above = id_above;
    options.id_upto = id_upto;
    UBI_TRY(ubi_look_filter_apply(m->bits, m->snapshot->look, name, &options));
    keep_marked(m);
    return UBI_OK;
}

/* NULL: the lens has no such filter. */
static const ubi_lens_filter *find_filter(const making *m, const char *name) {
    const ubi_lens_filter *f = ubi_lens_filters(ubi_look_lens(m->snapshot->look));
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    return f->name ? f : NULL;
}

static ubi_status keep_named(making *m, const char *name) {
    m->choice->filter = find_filter(m, name);
    if (!m->choice->filter)
        return ubi__fail(UBI_EINVAL, "--filter %s is for heap snapshots of V8", name);
    return keep_filtered(m, name, 0, 0);
}

static ubi_status keep_where(making *m) {
    ubi__vec_u32 nodes = { 0 };
    ubi__node_table table = { .graph = m->snapshot->graph,
                              .view = ubi__snapshot_view(m->snapshot),
                              .look = m->snapshot->look };
    table.progress = ubi__progress_line_callbacks(&m->cli->progress);
    ubi_status status = ubi__node_filter_select(&nodes, m->choice->where, &table, 0);
    memset(m->bits, 0, m->choice->n_words * sizeof *m->bits);
    for (size_t i = 0; status == UBI_OK && i < nodes.n; i++)
        m->bits[nodes.at[i] / 64] |= UINT64_C(1) << (nodes.at[i] % 64);
    keep_marked(m);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__node_table_fini(&table);
    return status;
}

/* Ids are given in order, so the largest says when the snapshot was taken. */
static ubi_status largest_id_in(uint64_t *out, making *m, const char *path) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    const char *subject = m->cli->subject;
    ubi_graph *older;
    options.progress = ubi__progress_line_callbacks(&m->cli->progress);
    options.threads = ubi__cli_threads(m->cli);
    m->cli->subject = is_standard_input(path) ? "standard input" : path;
    UBI_TRY(ubi_graph_read_path(&older, path, &options, NULL));
    bool tells_time = ubi_lens_for(older)->id_mark;
    *out = ubi_lens_id_mark(older);
    ubi_graph_unref(older);
    if (!tells_time)
        return ubi__fail(UBI_EINVAL, "this is no heap snapshot of V8");
    m->cli->subject = subject;
    return UBI_OK;
}

static ubi_status keep_allocated(making *m) {
    const ubi__summary_choice_arguments *a = m->choice->arguments;
    uint64_t above = 0, upto = ubi_lens_id_mark(m->snapshot->graph);
    if (!ids_tell_time(m->snapshot))
        return ubi__fail(UBI_EINVAL, "--since and --until are for heap snapshots of V8: other ids say nothing of time");
    if (a->since)
        UBI_TRY(largest_id_in(&above, m, a->since));
    if (above > upto)
        return ubi__fail(UBI_EINVAL, "--since %s: that snapshot was taken later, or of another process", a->since);
    if (a->until)
        UBI_TRY(largest_id_in(&upto, m, a->until));
    return keep_filtered(m, "allocated", above, upto);
}

static ubi_status keep_context(making *m) {
    m->choice->context_filter = find_filter(m, m->choice->context);
    if (!m->choice->context_filter)
        return ubi__fail(UBI_EINVAL, "--context is for heap snapshots of V8");
    return keep_filtered(m, m->choice->context, 0, m->choice->context_id);
}

static ubi_status keep_all_asked(making *m) {
    const ubi__summary_choice_arguments *a = m->choice->arguments;
    if (a->filter)
        UBI_TRY(keep_named(m, a->filter));
    if (a->context)
        UBI_TRY(keep_context(m));
    if (a->since || a->until)
        UBI_TRY(keep_allocated(m));
    return a->where ? keep_where(m) : UBI_OK;
}

ubi_status ubi__summary_choice_make(ubi__summary_choice *c, ubi__cli *cli, const ubi__snapshot *snapshot) {
    const ubi__summary_choice_arguments *a = c->arguments;
    const ubi_allocator *allocator = ubi_allocator_default();
    if (!a->filter && !a->context && !a->since && !a->until && !a->where)
        return UBI_OK;
    c->n_words = ubi_graph_node_count(snapshot->graph) / 64 + 1;
    c->only = ubi__alloc_array(allocator, c->n_words, sizeof *c->only);
    making m = { c, cli, snapshot, ubi__alloc_array(allocator, c->n_words, sizeof *m.bits) };
    ubi_status status = c->only && m.bits ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        memset(c->only, 0xff, c->n_words * sizeof *c->only);
        status = keep_all_asked(&m);
    }
    ubi__free_array(allocator, m.bits, c->n_words, sizeof *m.bits);
    return status;
}

void ubi__summary_choice_fini(ubi__summary_choice *c) {
    ubi__node_filter_free(c->where);
    ubi__free_array(ubi_allocator_default(), c->only, c->n_words, sizeof *c->only);
}
