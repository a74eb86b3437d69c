/* SPDX-License-Identifier: MIT
 *
 * summary_choice.c: which nodes a summary is about, as bits.
 *
 * Filters by id need another option; they are not among those that --filter takes.
 */
#include "questions/summary/summary_choice.h"

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
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

static ubi_status filter_check(const char *name) {
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

static ubi_status context_parse(ubi__summary_choice *c, const char *text) {
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

ubi_status ubi__summary_choice_parse(ubi__summary_choice *c, const ubi__summary_values *v) {
    c->values = v;
    if (v->filter)
        UBI_TRY(filter_check(v->filter));
    if (v->context)
        UBI_TRY(context_parse(c, v->context));
    return v->where ? ubi__node_filter_new(&c->where, v->where) : UBI_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

typedef struct making {
    ubi__summary_choice *choice;
    const ubi_look *look;
    const ubi__asked *asked;
    uint64_t *bits; /* of what is being asked, the same size as choice->only */
} making;

/* Only nodes whose bit is set are left. */
static void keep_marked(making *m) {
    for (size_t i = 0; i < m->choice->n_words; i++)
        m->choice->only[i] &= m->bits[i];
}

static ubi_status keep_filtered(making *m, const char *name, uint64_t id_above, uint64_t id_upto) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.progress = ubi__asked_progress(m->asked);
    options.id_above = id_above;
    options.id_upto = id_upto;
    UBI_TRY(ubi_look_filter_apply(m->bits, m->look, name, &options));
    keep_marked(m);
    return UBI_OK;
}

/* NULL: the lens has no such filter. */
static const ubi_lens_filter *find_filter(const making *m, const char *name) {
    const ubi_lens_filter *f = ubi_lens_filters(ubi_look_lens(m->look));
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
    const ubi_allocator *memory = m->choice->memory;
    ubi__vec_u32 nodes = { 0 };
    ubi__node_table table = { .graph = ubi_look_view(m->look)->graph,
                              .view = ubi_look_view(m->look),
                              .look = m->look,
                              .memory = memory,
                              .heap = ubi__asked_heap(m->asked),
                              .progress = ubi__asked_progress(m->asked) };
    ubi_status status = ubi__node_filter_select(&nodes, m->choice->where, &table, 0);
    memset(m->bits, 0, m->choice->n_words * sizeof *m->bits);
    for (size_t i = 0; status == UBI_OK && i < nodes.n; i++)
        m->bits[nodes.at[i] / 64] |= UINT64_C(1) << (nodes.at[i] % 64);
    keep_marked(m);
    ubi__vec_u32_fini(&nodes, memory);
    ubi__node_table_fini(&table);
    return status;
}

/* The limit of ids that a parameter gives: as an id, or by an older snapshot. Untouched if neither. */
static ubi_status id_limit_find(uint64_t *out, const ubi__summary_values *v, const char *older,
                                const ubi__node_id *id) {
    if (id->is_given)
        *out = id->id;
    return older ? v->older_id_find(out, v->payload, older) : UBI_OK;
}

static ubi_status keep_allocated(making *m) {
    const ubi__summary_values *v = m->choice->values;
    uint64_t above = 0, upto = ubi_lens_id_mark(ubi_look_view(m->look)->graph);
    if (!ubi_look_lens(m->look)->id_mark) /* ids do not show when their nodes were made */
        return ubi__fail(UBI_EINVAL, "--since and --until are for heap snapshots of V8: other ids say nothing of time");
    UBI_TRY(id_limit_find(&above, v, v->since, &v->since_id));
    if (above > upto && v->since)
        return ubi__fail(UBI_EINVAL, "--since %s: that snapshot was taken later, or of another process", v->since);
    UBI_TRY(id_limit_find(&upto, v, v->until, &v->until_id));
    return keep_filtered(m, "allocated", above, upto);
}

static ubi_status keep_context(making *m) {
    m->choice->context_filter = find_filter(m, m->choice->context);
    if (!m->choice->context_filter)
        return ubi__fail(UBI_EINVAL, "--context is for heap snapshots of V8");
    return keep_filtered(m, m->choice->context, 0, m->choice->context_id);
}

static bool is_about_time(const ubi__summary_values *v) {
    return v->since || v->until || v->since_id.is_given || v->until_id.is_given;
}

static ubi_status keep_all_asked(making *m) {
    const ubi__summary_values *v = m->choice->values;
    if (v->filter)
        UBI_TRY(keep_named(m, v->filter));
    if (v->context)
        UBI_TRY(keep_context(m));
    if (is_about_time(v))
        UBI_TRY(keep_allocated(m));
    return v->where ? keep_where(m) : UBI_OK;
}

ubi_status ubi__summary_choice_make(ubi__summary_choice *c, const ubi_look *look, const ubi__asked *asked) {
    const ubi__summary_values *v = c->values;
    if (!v->filter && !v->context && !is_about_time(v) && !v->where)
        return UBI_OK;
    c->memory = ubi__asked_allocator(asked);
    c->n_words = ubi_graph_node_count(ubi_look_view(look)->graph) / 64 + 1;
    c->only = ubi__alloc_array(c->memory, c->n_words, sizeof *c->only);
    making m = { c, look, asked, ubi__alloc_array(c->memory, c->n_words, sizeof *m.bits) };
    ubi_status status = c->only && m.bits ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        memset(c->only, 0xff, c->n_words * sizeof *c->only);
        status = keep_all_asked(&m);
    }
    if (m.bits)
        ubi__free_array(c->memory, m.bits, c->n_words, sizeof *m.bits);
    return status;
}

void ubi__summary_choice_fini(ubi__summary_choice *c) {
    ubi__node_filter_free(c->where);
    if (c->only)
        ubi__free_array(c->memory, c->only, c->n_words, sizeof *c->only);
}
