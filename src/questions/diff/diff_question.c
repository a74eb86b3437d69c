/* SPDX-License-Identifier: MIT
 *
 * diff_question.c: what changed between two heaps.
 */
#include "base/alloc.h"
#include "base/assert.h"
#include "base/text.h"
#include "questions/diff/diff_recordings.h"
#include "questions/recording/recording_suppressed.h"

#define AT(field) offsetof(ubi__diff_values, field)

enum { OLD, NEW };

static const char *const member_sides[] = { "created", "deleted", NULL };

void ubi__diff_answer_check(const ubi__diff_answer *a) {
    UBI_ASSERT((a->classes == NULL) == (a->diff != NULL));
    UBI_ASSERT(!a->tree || a->diff);
    UBI_ASSERT(a->n_changed <= a->n_rows && (!a->n_rows || a->changed));
    UBI_ASSERT(!a->classes || !a->changed || a->n_rows == ubi_class_diff_count(a->classes));
    UBI_ASSERT((a->sites.tree != NULL) == (a->sites.diff != NULL));
    UBI_ASSERT(a->old_side.graph && a->new_side.graph);
    UBI_ASSERT((a->old_side.look != NULL) == (a->new_side.look != NULL) && (a->new_side.look || a->diff));
    UBI_ASSERT(!a->old_side.look || ubi_look_view(a->old_side.look)->graph == a->old_side.graph);
    UBI_ASSERT(!a->new_side.look || ubi_look_view(a->new_side.look)->graph == a->new_side.graph);
}

/* ---- by class --------------------------------------------------------------------------------------------------- */

static ubi_class_diff_options options_of(const ubi__diff_answer *a, const ubi__asked *asked) {
    ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
    options.allocator = ubi__asked_allocator(asked);
    options.progress = ubi__asked_progress(asked);
    options.order = a->is_net ? UBI_CLASS_ORDER_NET : UBI_CLASS_ORDER_CHANGE;
    if (a->values->sort && strcmp(a->values->sort, "growth") == 0)
        options.order = UBI_CLASS_ORDER_GROWTH;
    return options;
}

static ubi_status classes_compare(ubi_class_diff **out, const ubi__diff_answer *a, const ubi__asked *asked) {
    ubi_class_diff_options options = options_of(a, asked);
    ubi_class_scheme start = ubi_look_class_scheme(a->old_side.look);
    ubi_class_scheme end = ubi_look_class_scheme(a->new_side.look);
    return ubi_class_diff_new(out, &start, &end, &options);
}

static ubi_status members_find(ubi__diff_answer *a, const ubi__asked *asked) {
    ubi_class_diff_options options = options_of(a, asked);
    ubi_class_scheme start = ubi_look_class_scheme(a->old_side.look);
    ubi_class_scheme end = ubi_look_class_scheme(a->new_side.look);
    uint64_t row = a->values->individuals;
    if (row > ubi_class_diff_count(a->classes))
        return ubi__fail(UBI_ENOTFOUND, "individuals: there are only %u classes", ubi_class_diff_count(a->classes));
    const ubi_class_change *change = ubi_class_diff_row(a->classes, (uint32_t)row - 1);
    return ubi__class_members_find(&a->members, &change->name, &start, &end, &options);
}

/* Of one side, in its heap. */
static ubi_status members_list(ubi__diff_answer *a, const ubi__asked *asked) {
    bool is_new = strcmp(a->values->side, member_sides[0]) == 0;
    uint32_t side = is_new ? NEW : OLD;
    const ubi__vec_u64 *ids = is_new ? &a->members.created : &a->members.deleted;
    const ubi_dominators *dominators;
    const ubi_look *look;
    UBI_TRY(ubi__asked_about(asked, side, ubi_session_dominators(&dominators, asked->heaps[side], true)));
    UBI_TRY(ubi__asked_about(asked, side, ubi_session_look(&look, asked->heaps[side])));
    ubi__counted_nodes_init(&a->nodes, ubi__asked_allocator(asked));
    UBI_TRY(ubi__counted_nodes_find(&a->nodes, ubi_look_view(look)->graph, ids->at, ids->n));
    return ubi__counted_nodes_list(&a->nodes, dominators, look, a->labels.json, a->values->by.offset,
                                   a->values->by.rows);
}

ubi__change ubi__diff_bytes_of(const ubi__diff_answer *a, const ubi_class_change *row) {
    return a->is_net ? (ubi__change){ row->deleted.bytes, row->created.bytes }
                     : (ubi__change){ row->start.bytes, row->end.bytes };
}

static bool has_changed(const ubi__diff_answer *a, const ubi_class_change *row) {
    return ubi__change_size(ubi__diff_bytes_of(a, row)) || row->start.count != row->end.count || row->created.count ||
           row->deleted.count;
}

static ubi_status changed_find(ubi__diff_answer *a, const ubi__asked *asked) {
    uint32_t n = ubi_class_diff_count(a->classes);
    a->changed = ubi__alloc_array(ubi__asked_allocator(asked), n, sizeof *a->changed);
    if (n && !a->changed)
        return ubi__fail_nomem();
    a->n_rows = n;
    for (uint32_t i = 0; i < n; i++)
        if (has_changed(a, ubi_class_diff_row(a->classes, i)))
            a->changed[a->n_changed++] = i;
    return UBI_OK;
}

/* ---- by breakdown ----------------------------------------------------------------------------------------------- */

/* Of raw sizes, as CensusUtils.diff has them. */
static ubi_status side_count(ubi__diff_side *side, const ubi__asked *asked, uint32_t i, ubi_text breakdown,
                             ubi_compat compat) {
    UBI_TRY(ubi__asked_about(asked, i, ubi__session_graph_census(&side->census, asked->heaps[i], breakdown, compat)));
    side->total = (ubi_tally){ ubi_census_node_count(side->census), ubi_census_size_bytes(side->census) };
    return UBI_OK;
}

/* Ids give the order only for heaps of one process. Checked only if they contradict the given order. */
static ubi_status process_check(ubi__diff_answer *a, const ubi__asked *asked) {
    ubi_class_diff *diff;
    a->is_one_process = true;
    if (!ubi__diff_doubts_order(a))
        return UBI_OK;
    UBI_TRY(classes_compare(&diff, a, asked));
    a->is_one_process = ubi_class_diff_is_same_process(diff, !a->is_net);
    ubi_class_diff_free(diff);
    return UBI_OK;
}

static ubi_status breakdown_compare(ubi__diff_answer *a, const ubi__asked *asked) {
    ubi_census_tree_options options = ubi__breakdown_tree_options(&a->values->by, &a->chosen);
    UBI_TRY(side_count(&a->old_side, asked, OLD, a->chosen.json, asked->compat));
    UBI_TRY(side_count(&a->new_side, asked, NEW, a->chosen.json, asked->compat));
    UBI_TRY(ubi_census_diff_new(&a->diff, a->old_side.census, a->new_side.census));
    if (asked->is_for_page || ubi__breakdown_wants_tree(&a->values->by))
        UBI_TRY(ubi_census_diff_tree_new(&a->tree, a->diff, &options));
    if (a->tree)
        UBI_TRY(ubi__breakdown_rows(&a->rows, &a->values->by, a->tree));
    return asked->is_for_page ? process_check(a, asked) : UBI_OK;
}

/* ---- what changed most, and where it was allocated -------------------------------------------------------------- */

static ubi_status sites_find(ubi__diff_sites *sites, const ubi__asked *asked) {
    static const char json[] = "{\"by\":\"allocationStack\"}";
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi__diff_side sides[2] = { { .census = NULL }, { .census = NULL } };
    options.is_inverted = true;
    for (uint32_t i = 0; i < 2; i++)
        UBI_TRY(side_count(&sides[i], asked, i, ubi__text(json), UBI_COMPAT_NONE));
    UBI_TRY(ubi_census_diff_new(&sites->diff, sides[OLD].census, sides[NEW].census));
    ubi_status status = ubi_census_diff_tree_new(&sites->tree, sites->diff, &options);
    if (status != UBI_OK) {
        ubi_census_diff_free(sites->diff);
        sites->diff = NULL;
    }
    return status;
}

static ubi_status class_compare(ubi__diff_answer *a, const ubi__asked *asked) {
    UBI_TRY(classes_compare(&a->classes, a, asked));
    a->old_side.total = ubi_class_diff_total(a->classes)->start;
    a->new_side.total = ubi_class_diff_total(a->classes)->end;
    a->is_one_process = ubi_class_diff_is_same_process(a->classes, !a->is_net);
    if (a->values->individuals)
        UBI_TRY(members_find(a, asked));
    if (a->values->side)
        UBI_TRY(members_list(a, asked));
    if (!asked->is_for_page)
        return UBI_OK;
    UBI_TRY(changed_find(a, asked));
    bool has_stacks = ubi_graph_frame_count(a->old_side.graph) || ubi_graph_frame_count(a->new_side.graph);
    return has_stacks && a->n_changed && !a->values->view ? sites_find(&a->sites, asked) : UBI_OK;
}

/* ---- question --------------------------------------------------------------------------------------------------- */

/* Rows are of nodes, with a side. */
static bool is_about_breakdown(const ubi__diff_values *v) {
    ubi__breakdown_arguments by = v->by;
    by.rows = v->side ? 0 : by.rows;
    return by.breakdown.text || by.inverted || ubi__breakdown_wants_tree(&by);
}

static ubi_status members_check(const ubi__diff_values *v) {
    if (v->individuals && !(v->view && strcmp(v->view, "class") == 0))
        return ubi__fail(UBI_EINVAL, "individuals are those of a class: they need --by class");
    if (v->side && !(v->individuals && v->by.rows))
        return ubi__fail(UBI_EINVAL, "--side goes with --individuals and --rows");
    if (v->side && (v->by.parent || v->by.order))
        return ubi__fail(UBI_EINVAL, "%s does not go with --side", v->by.parent ? "--parent" : "--order");
    return UBI_OK;
}

static bool compares_classes(const ubi__diff_values *v, const ubi__asked *asked) {
    if (v->view)
        return strcmp(v->view, "class") == 0;
    return asked->is_for_page && !is_about_breakdown(v) && asked->compat != UBI_COMPAT_FIREFOX;
}

static ubi_session_kind kind_at(const ubi__asked *asked, uint32_t i) {
    return ubi_session_kind_of(ubi_session_use_session(asked->heaps[i]));
}

/* Timelines, which are refused later on, count as heaps. */
static ubi_status kinds_agree(const ubi__asked *asked) {
    bool is_recording = kind_at(asked, OLD) == UBI_SESSION_RECORDING;
    uint32_t recording = is_recording ? OLD : NEW, other = is_recording ? NEW : OLD;
    if (is_recording == (kind_at(asked, NEW) == UBI_SESSION_RECORDING))
        return UBI_OK;
    return ubi__asked_about(asked, recording,
                            ubi__fail(UBI_EFORMAT,
                                      "this is a recording of allocations, and %s is none: they cannot be compared",
                                      ubi__asked_name_at(asked, other)));
}

static ubi_status diff_prepare(void *answer_of, const ubi__asked *asked) {
    ubi__diff_answer *a = answer_of;
    const ubi__diff_values *v = a->values = asked->values;
    ubi__breakdown_spec none = { 0 }, labels_spec = ubi__labels_spec(&none);
    UBI_TRY(kinds_agree(asked));
    if (ubi__asked_kind(asked) == UBI_SESSION_RECORDING)
        return ubi__diff_recordings_check(v);
    UBI_TRY(ubi__diff_heaps_check(v));
    if (v->view && strcmp(v->view, "class") == 0 && is_about_breakdown(v))
        return ubi__fail(UBI_EINVAL, "--by class does not go with --breakdown, --tree, --inverted%s or --filter",
                         v->by.rows ? ", --rows" : "");
    UBI_TRY(members_check(v));
    UBI_TRY(ubi__breakdown_check_rows(&v->by));
    if (v->side)
        UBI_TRY(ubi__breakdown_choose(&a->labels, &labels_spec, "diff", UBI_COMPAT_NONE));
    return ubi__breakdown_choose(&a->chosen, &v->by.breakdown, "diff", asked->compat);
}

/*
 * A census knows no look, and that of a heap like another one takes seconds. A page and a condition have more to say, by the
 * classes of V8's heaps.
 */
static bool needs_looks(const ubi__diff_values *v, const ubi__asked *asked) {
    return asked->is_for_page || v->fail_on || compares_classes(v, asked);
}

static ubi_status side_look(ubi__diff_side *side, const ubi__asked *asked, uint32_t i, ubi_session_use *heap) {
    return ubi__asked_about(asked, i, ubi_session_look(&side->look, heap));
}

static ubi_status sides_look(ubi__diff_answer *a, const ubi__asked *asked) {
    /* NEW first: what its lens infers about classes holds for OLD too. */
    UBI_TRY(side_look(&a->new_side, asked, NEW, asked->heaps[NEW]));
    UBI_TRY(side_look(&a->old_side, asked, OLD, a->old_heap));
    a->is_net = !ubi_look_reuses_ids(a->new_side.look);
    return UBI_OK;
}

static ubi_status side_open(ubi__diff_side *side, const ubi__asked *asked, uint32_t i) {
    ubi_graph *graph = NULL;
    side->name = ubi__asked_name_at(asked, i);
    UBI_TRY(ubi__asked_about(asked, i, ubi_session_graph(&graph, asked->heaps[i])));
    side->graph = graph;
    return UBI_OK;
}

static ubi_status recordings_compare(ubi__diff_answer *a, const ubi__asked *asked) {
    a->recordings = UBI_NEW(ubi__asked_allocator(asked), ubi__diff_recordings);
    return a->recordings ? ubi__diff_recordings_compute(a->recordings, asked) : ubi__fail_nomem();
}

static ubi_status diff_compute(void *answer_of, const ubi__asked *asked) {
    ubi__diff_answer *a = answer_of;
    if (ubi__asked_kind(asked) == UBI_SESSION_RECORDING)
        return recordings_compare(a, asked);
    UBI_TRY(ubi__asked_use_begin(&a->old_heap, asked, OLD, NEW));
    UBI_TRY(side_open(&a->new_side, asked, NEW));
    UBI_TRY(side_open(&a->old_side, asked, OLD));
    if (needs_looks(a->values, asked))
        UBI_TRY(sides_look(a, asked));
    UBI_TRY(compares_classes(a->values, asked) ? class_compare(a, asked) : breakdown_compare(a, asked));
    ubi__diff_answer_check(a);
    return UBI_OK;
}

static void diff_release(void *answer_of, const ubi__asked *asked) {
    ubi__diff_answer *a = answer_of;
    ubi__diff_recordings_free(a->recordings, ubi__asked_allocator(asked));
    ubi_census_tree_free(a->sites.tree);
    ubi_census_diff_free(a->sites.diff);
    ubi_census_tree_free(a->tree);
    ubi_census_diff_free(a->diff);
    ubi__free_array(ubi__asked_allocator(asked), a->changed, a->n_rows, sizeof *a->changed);
    ubi__class_members_fini(&a->members, ubi__asked_allocator(asked));
    ubi__counted_nodes_fini(&a->nodes);
    ubi__breakdown_choice_fini(&a->labels);
    ubi_class_diff_free(a->classes);
    ubi__breakdown_choice_fini(&a->chosen);
    ubi__asked_use_end(a->old_heap, asked);
}

static void diff_facts(ubi__question_facts *out, const void *answer_of) {
    const ubi__diff_answer *a = answer_of;
    if (a->recordings) {
        out->own = ubi__diff_recordings_estimates(a->recordings);
        return;
    }
    *out = (ubi__question_facts){
        .graph = a->new_side.graph, .old = a->old_side.graph, .look = a->new_side.look, .old_look = a->old_side.look
    };
}

static void diff_remark(ubi__remarks *remarks, const void *answer_of) {
    const ubi__diff_answer *a = answer_of;
    if (a->recordings)
        ubi__recording_pair_remark(remarks, &a->recordings->pair);
}

static const char *const views[] = { "class", "breakdown", "leaked", "peak", "total", "count", "temporary", NULL };
static const char *const wholes[] = { "second", "allocation", NULL };
static const char *const sorts[] = { "change", "growth", NULL };

static const ubi__parameter parameters[] = {
    UBI__CHOICE(
        "by", 0, AT(view), "VIEW", views,
        "class: what came and went, node by node; breakdown: the difference of two censuses. The default is "
        "breakdown with --json or an option that is about one, else a page with what changed most. Of recordings: "
        "bytes leaked, at the peak or in total, or allocations, all or temporary; the default is what matters most",
        NULL),
    UBI__CHOICE(
        "sort", 's', AT(sort), "ORDER", sorts,
        "by class, and of recordings: what changed most first, up or down, or what grew most first; the default "
        "is change, of recordings growth",
        NULL),
    UBI__BREAKDOWN_PARAMETERS(AT(by)),
    UBI__TREE_TEXT_PARAMETERS(AT(by)),
    UBI__TREE_ROWS_PARAMETERS(AT(by)),
    UBI__NUMBER("individuals", 0, AT(individuals), "N",
                "by class: instead of the rows, the ids of what is new and deleted of the Nth of them", "0: of none",
                .scope = UBI__SCOPE_PROGRAM),
    UBI__CHOICE("side", 0, AT(side), "SIDE", member_sides,
                "with individuals and rows: rows of what is new or what is deleted, those first that retain most", NULL,
                .scope = UBI__SCOPE_PROGRAM),
    UBI__CHOICE("per", 0, AT(per), "WHAT", wholes,
                "of recordings: numbers per second or per allocation, for runs of different length", NULL),
    UBI__TEXT("process", 0, AT(process), "PROCESS",
              "of recordings of several processes: only those with this number or name", NULL),
    UBI__SWITCH("symbols", 0, AT(symbols),
                "of recordings: look for names that they lack in the files at hand, or do not; the default is to look"),
    UBI__SWITCH("wrappers", 0, AT(wrappers),
                "of recordings: look behind calls that ask for memory in the name of many callers, or do not; the "
                "default is to look"),
    UBI__SUPPRESS(AT(suppress)),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "diff before.fxsnapshot after.fxsnapshot", "what changed most, and who allocated it" },
    { "diff -b invertedAllocationStack before.fxsnapshot after.fxsnapshot", "who allocated what grew, with callers" },
    { "diff --by class -n 0 before.fxsnapshot after.fxsnapshot", "every class that changed" },
    { "diff --json before.fxsnapshot after.fxsnapshot", "the delta as CensusUtils.diff gives it" },
    { "diff --fail-on 'growth > 1MiB' before.fxsnapshot after.fxsnapshot", "fail a job when the heap grew" },
    { "diff monday.ubirec tuesday.ubirec", "which functions of a program allocate more than they did" },
    { "diff --per allocation --fail-on 'leakedGrowth > 5%' old.ubirec new.ubirec",
      "fail a job when a program leaks more" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_diff = {
    .name = "diff",
    .operands = "OLD NEW",
    .summary = "show what changed between two snapshots or recordings",
    .question = "What changed between two snapshots or recordings?",
    .description =
        "Compares two heaps by groups of nodes. A plus sign (and red) means that NEW has more than OLD, a minus sign "
        "(and green) less. The largest changes come first, and what did not change is left out. Counted is what a "
        "census counts: all that the root reaches.\n"
        "\n"
        "By breakdown, two censuses are subtracted, as Firefox's memory panel does. Stacks of the two files are the "
        "same when their frames are.\n"
        "\n"
        "By class, nodes are compared one by one, by id: how many of each class are new, deleted, and still there. "
        "V8's ids stay with their objects, and rows show what the Comparison view of Chrome's DevTools shows. "
        "Firefox's ids are addresses: within one run they identify objects, unless these were moved or an address was "
        "reused.\n"
        "\n"
        "'ubiheap leaks' shows what is held, and by what.\n"
        "\n"
        "Two recordings of allocations are compared by the names of functions, as programs may have been rebuilt: "
        "places that ask for memory, what grew most first, with the callers of the stack that changed most. Facts of "
        "--fail-on are those of a report on NEW, their growths, such as leakedGrowth and peakGrowth, and newPlaces.\n"
        "\n"
        "With --json the document has the delta report of CensusUtils.diff under \"delta\"; with --tree, --inverted or "
        "--filter its tree under \"tree\"; with --by class a row per class under \"byClass\".\n",
    .parameters = parameters,
    .glossary = &ubi__breakdown_presets_glossary,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(ubi__diff_values),
};

const ubi__question ubi__question_diff = {
    .usage = &ubi__usage_diff,
    .schema = "ubiheap.diff/1",
    .recording_schema = "ubiheap.recording-diff/1",
    .least_heaps = 2,
    .most_heaps = 2,
    .condition = UBI__CONDITION_COMPARISON,
    .recording_facts = ubi__recording_diff_facts,
    .answer_bytes = sizeof(ubi__diff_answer),
    .prepare = diff_prepare,
    .compute = diff_compute,
    .document = ubi__diff_document,
    .page = ubi__diff_page,
    .facts = diff_facts,
    .remark = diff_remark,
    .release = diff_release,
};
