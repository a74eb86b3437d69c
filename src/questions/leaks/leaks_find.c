/* SPDX-License-Identifier: MIT
 *
 * leaks_find.c: comparing heaps: each earlier one with the newest, which stays.
 *
 * The newest heap of a comparison is held, and the others are looked at one at a time, so at most two are needed at once.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/leaks/leaks_answer.h"

/* One comparison: of the series, or of the control. */
typedef struct comparison {
    const ubi__leaks_answer *answer;
    const ubi__asked *asked;
    const ubi__leaks_series *series;
    uint32_t newest;      /* index of asked->heaps */
    const ubi_look *look; /* of the newest heap */
} comparison;

/* ---- which nodes count -------------------------------------------------------------------------------------------- */

static size_t words_of(const comparison *c) {
    return ubi_graph_node_count(ubi_look_view(c->look)->graph) / 64 + 1;
}

static ubi_status choose_by_filter(uint64_t *bits, const comparison *c) {
    const ubi_view *view = ubi_look_view(c->look);
    ubi__node_table table = { .graph = view->graph, .view = view, .look = c->look };
    ubi__vec_u32 nodes = { 0 };
    table.progress = ubi__asked_progress(c->asked);
    ubi_status status = ubi__node_filter_select(&nodes, c->answer->filter, &table, 0);
    for (size_t i = 0; i < nodes.n && status == UBI_OK; i++)
        bits[nodes.at[i] / 64] |= UINT64_C(1) << (nodes.at[i] % 64);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__node_table_fini(&table);
    return status;
}

/* What leads a page from outside has objects in it, which are not the page's. */
static ubi_status leave_out_console(uint64_t *bits, const comparison *c) {
    const ubi_allocator *a = c->answer->memory;
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.allocator = a;
    options.progress = ubi__asked_progress(c->asked);
    uint64_t *console = ubi__calloc_array(a, words_of(c), sizeof *console);
    if (!console)
        return ubi__fail_nomem();
    ubi_status status = ubi_look_filter_apply(console, c->look, "console", &options);
    for (size_t i = 0; i < words_of(c); i++)
        bits[i] &= ~console[i];
    ubi__free_array(a, console, words_of(c), sizeof *console);
    return status;
}

static ubi_status choose_into(uint64_t *bits, const comparison *c) {
    if (c->answer->filter)
        UBI_TRY(choose_by_filter(bits, c));
    else
        memset(bits, 0xff, words_of(c) * sizeof *bits);
    return c->answer->values->script ? leave_out_console(bits, c) : UBI_OK;
}

/* A bit per node that `where` lets pass, and that is of the page if a script led one; NULL: all are. */
static ubi_status nodes_choose(uint64_t **out, const comparison *c) {
    const ubi_allocator *a = c->answer->memory;
    *out = NULL;
    if (!c->answer->filter && !c->answer->values->script)
        return UBI_OK;
    uint64_t *bits = ubi__calloc_array(a, words_of(c), sizeof *bits);
    if (!bits)
        return ubi__fail_nomem();
    ubi_status status = choose_into(bits, c);
    if (status == UBI_OK)
        *out = bits;
    else
        ubi__free_array(a, bits, words_of(c), sizeof *bits);
    return status;
}

/* ---- one comparison ----------------------------------------------------------------------------------------------- */

static void classes_report(const ubi__asked *asked, const ubi_class_scheme *classes) {
    ubi_class class;
    for (uint32_t i = 0; asked->class_met && i < classes->n_classes; i++) {
        classes->describe(classes, i, &class);
        asked->class_met(asked->class_payload, class.name);
    }
}

static ubi_status classes_compare(ubi_leak_finder *finder, const comparison *c, uint32_t step,
                                  const ubi_class_scheme *classes) {
    UBI_TRY(ubi__asked_about(c->asked, c->series->heaps[step], ubi_leak_finder_compare(finder, step, classes)));
    classes_report(c->asked, classes);
    return UBI_OK;
}

static ubi_status format_check(const comparison *c, const ubi_session *past) {
    if (c->answer->values->may_be_other_process)
        return UBI_OK;
    return ubi__leaks_check_format(past, ubi_session_use_session(c->asked->heaps[c->newest]));
}

/* Of a heap of which ids and classes are left: they are put together for the time of the comparison. */
static ubi_status recorded_compare(ubi_leak_finder *finder, const comparison *c, uint32_t step,
                                   const ubi_graph *token) {
    ubi_graph *heap;
    UBI_TRY(ubi__leak_record_heap(&heap, token));
    ubi_status status = classes_compare(finder, c, step, ubi__leak_record_classes(ubi__leak_record_of(heap)));
    ubi_graph_unref(heap);
    return status;
}

static ubi_status past_compare(ubi_leak_finder *finder, const comparison *c, uint32_t step, ubi_session_use *past) {
    const ubi_session *session = ubi_session_use_session(past);
    const ubi_look *look;
    if (ubi__leaks_recorded_heap(session)) {
        UBI_TRY(format_check(c, session));
        return recorded_compare(finder, c, step, ubi__session_given_graph(session));
    }
    UBI_TRY(ubi__asked_about(c->asked, c->series->heaps[step], ubi_session_look(&look, past)));
    UBI_TRY(format_check(c, session));
    const ubi_class_scheme classes = ubi_look_class_scheme(look);
    return classes_compare(finder, c, step, &classes);
}

static ubi_status step_compare(ubi_leak_finder *finder, const comparison *c, uint32_t step) {
    ubi_session_use *past;
    UBI_TRY(ubi__asked_use_begin(&past, c->asked, c->series->heaps[step], c->newest));
    ubi_status status = past_compare(finder, c, step, past);
    ubi__asked_use_end(past, c->asked);
    return status;
}

static ubi_str_ix role_of(const void *look, ubi_node_ix node) {
    return ubi_look_node_role(look, node);
}

static uint64_t site_of(const void *look, ubi_node_ix node) {
    return ubi__code_site(look, node);
}

static ubi_leak_options options_of(const comparison *c) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.allocator = c->answer->memory;
    options.progress = ubi__asked_progress(c->asked);
    options.threads = ubi__asked_threads(c->asked);
    options.may_reuse_ids = ubi_look_reuses_ids(c->look);
    options.with_engine = c->answer->values->with_engine;
    options.control = c->answer->control;
    options.verdicts = c->answer->verdicts;
    options.id_mark_of = ubi_lens_id_mark;
    options.name_of = role_of;
    options.name_payload = c->look;
    options.site_of = site_of;
    options.is_rope = ubi__node_is_rope;
    options.is_value = ubi__kind_is_value;
    options.template_of = ubi__template_of;
    options.is_passing_edge = ubi__edge_is_passing;
    options.is_round_trip = c->answer->values->script != NULL;
    return options;
}

static ubi_status leaks_search(ubi_leaks **out, ubi_leak_finder *finder, const comparison *c) {
    for (uint32_t i = 0; i + 1 < c->series->n; i++)
        UBI_TRY(step_compare(finder, c, i));
    return ubi_leak_finder_run(out, finder);
}

static ubi_status chosen_compare(ubi_leaks **out, const comparison *c, const uint64_t *chosen) {
    ubi_class_scheme classes = ubi_look_class_scheme(c->look);
    ubi_leak_options options = options_of(c);
    ubi_leak_finder *finder;
    options.chosen = chosen;
    classes_report(c->asked, &classes);
    UBI_TRY(ubi__asked_about(c->asked, c->newest,
                             ubi_leak_finder_new(&finder, ubi_look_view(c->look), &classes, &options)));
    ubi_status status = leaks_search(out, finder, c);
    ubi_leak_finder_free(finder);
    return status;
}

/* @param newest  a use of the newest heap, which holds its look. */
static ubi_status series_compare(ubi_leaks **out, comparison *c, ubi_session_use *newest) {
    uint64_t *chosen;
    c->newest = c->series->heaps[c->series->n - 1];
    UBI_TRY(ubi__asked_about(c->asked, c->newest, ubi_session_look(&c->look, newest)));
    UBI_TRY(ubi__asked_about(c->asked, c->newest, nodes_choose(&chosen, c)));
    ubi_status status = chosen_compare(out, c, chosen);
    ubi__free_array(c->answer->memory, chosen, words_of(c), sizeof *chosen);
    return status;
}

/* ---- the control -------------------------------------------------------------------------------------------------- */

static ubi_status control_check(const ubi__leaks_answer *a, const ubi_leaks *leaks) {
    char reason[UBI__LEAKS_REASON];
    bool allows = a->values->may_be_other_process;
    ubi_leak_fit fit = ubi__leaks_worst_fit(leaks, allows);
    UBI_TRY(ubi__leaks_check_order(&a->controls, leaks, allows, "--control"));
    return fit == UBI_LEAK_FITS
               ? UBI_OK
               : ubi__fail(UBI_EFORMAT, "--control: %.440s", ubi__leaks_reason(reason, &a->controls, leaks, fit));
}

static ubi_status control_make(ubi__leaks_answer *a, comparison *c, ubi_session_use *newest) {
    ubi_leaks *leaks;
    UBI_TRY(series_compare(&leaks, c, newest));
    ubi_status status = control_check(a, leaks);
    if (status == UBI_OK)
        status = ubi_leak_control_new(&a->control, leaks);
    ubi_leaks_free(leaks);
    return status;
}

static ubi_status control_take(ubi__leaks_answer *a, const ubi__asked *asked) {
    comparison c = { .answer = a, .asked = asked, .series = &a->controls };
    ubi_session_use *newest;
    if (a->controls.n == 0)
        return UBI_OK;
    if (a->values->must_reorder)
        UBI_TRY(ubi__leaks_reorder(&a->controls));
    UBI_TRY(ubi__asked_use_begin(&newest, asked, a->controls.heaps[a->controls.n - 1], UBI_NONE));
    ubi_status status = control_make(a, &c, newest);
    ubi__asked_use_end(newest, asked);
    return status;
}

/* ---- the answer --------------------------------------------------------------------------------------------------- */

ubi_status ubi__leaks_compute(void *answer_of, const ubi__asked *asked) {
    ubi__leaks_answer *a = answer_of;
    comparison c = { .answer = a, .asked = asked, .series = &a->series };
    a->series.is_of_one_program = a->values->every != NULL;
    bool allows = a->values->may_be_other_process;
    UBI_TRY(control_take(a, asked));
    if (a->values->must_reorder)
        UBI_TRY(ubi__leaks_reorder(&a->series));
    UBI_TRY(series_compare(&a->leaks, &c, asked->heaps[a->series.heaps[a->series.n - 1]]));
    a->look = c.look;
    a->graph = ubi_look_view(c.look)->graph;
    if (ubi__producer_of(a->graph)->code.scopes_init)
        UBI_TRY(ubi__producer_of(a->graph)->code.scopes_init(&a->scopes, a->graph, a->memory));
    a->fit = ubi__leaks_worst_fit(a->leaks, allows);
    if (a->fit != UBI_LEAK_FITS)
        ubi__leaks_reason(a->misfit, &a->series, a->leaks, a->fit);
    return ubi__leaks_check_order(&a->series, a->leaks, allows, NULL);
}
