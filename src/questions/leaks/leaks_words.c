/* SPDX-License-Identifier: MIT
 *
 * leaks_words.c: clusters and their holders in words.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/leaks/leaks_answer.h"
#include "render/heap_labels.h"
#include "render/path_words.h"

/* Columns of a name within a sentence. */
#define NAME_COLUMNS 40

/* ---- paths -------------------------------------------------------------------------------------------------------- */

void ubi__leak_path_check(const ubi__leak_path *path) {
    UBI_ASSERT(path->view.steps == path->steps && path->view.n_steps == path->n);
    UBI_ASSERT(path->n_to_holder <= path->n);
    UBI_ASSERT(path->n_to_new <= path->n && !path->n_to_new == !path->n); /* the root was always there */
    ubi__path_view_check(&path->view);
}

ubi_status ubi__leak_path_init_to(ubi__leak_path *out, const ubi__leaks_answer *answer, ubi_node_ix node) {
    const ubi_leaks *leaks = answer->leaks;
    uint32_t n = ubi_leaks_path_length(leaks, node);
    ubi_path_step *steps = ubi__alloc_array(answer->memory, n, sizeof *steps);
    if (n && !steps)
        return ubi__fail_nomem();
    ubi_leaks_path(steps, leaks, node);
    *out = (ubi__leak_path){ .allocator = answer->memory, .steps = steps, .n = n, .n_to_holder = n, .n_to_new = n };
    for (uint32_t i = 1; i < n && out->n_to_new == n; i++)
        if (!ubi_leaks_was_there(leaks, steps[i].predecessor))
            out->n_to_new = i;
    out->scopes = &answer->scopes;
    out->view = (ubi__path_view){ answer->graph, steps, n, node, answer->look };
    ubi__leak_path_check(out);
    return UBI_OK;
}

ubi_status ubi__leak_path_init(ubi__leak_path *out, const ubi__leaks_answer *answer, const ubi_leak_cluster *c) {
    UBI_TRY(ubi__leak_path_init_to(out, answer, c->example));
    for (uint32_t i = 0; i < out->n; i++)
        if (out->steps[i].predecessor == c->holder)
            out->n_to_holder = i;
    ubi__leak_path_check(out);
    return UBI_OK;
}

void ubi__leak_path_fini(ubi__leak_path *path) {
    ubi__free_array(path->allocator, path->steps, path->n, sizeof *path->steps);
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static size_t write_class(ubi__out *out, const ubi__style *style, const ubi_leak_cluster *c, size_t columns) {
    ubi_text name = c->class_name.name.len ? c->class_name.name : ubi__text("(empty name)");
    size_t used = ubi__display_text(out, style, name, columns);
    if (!c->name.len || used + 4 > columns)
        return used;
    ubi__out_char(out, ' ');
    used += 3 + ubi__display_text(out, style, c->name, columns - used - 3);
    ubi__out_string(out, "()");
    return used;
}

/* " of tick()": what a timer calls, or a bound function. */
static void write_called(ubi__out *out, const ubi__style *style, const ubi_graph *g, ubi_node_ix code, size_t columns) {
    ubi_text name = ubi_graph_string(g, ubi_graph_node_name(g, code));
    if (!name.len || columns < 8)
        return;
    ubi__out_string(out, " of ");
    ubi__display_text(out, style, name, columns - 6);
    ubi__out_string(out, "()");
}

/* " and k": a class that is named by fields has only those to which edges lead. */
static void write_other_fields(ubi__out *out, const ubi__style *style, const ubi_graph *g, const ubi_leak_cluster *c,
                               size_t columns) {
    ubi_text fields[UBI__MOST_FIELDS_WITHOUT_EDGES];
    bool is_by_fields = c->class_name.name.len && c->class_name.name.ptr[0] == '{';
    size_t n = is_by_fields ? ubi__fields_without_edges(fields, g, c->example) : 0;
    for (size_t i = 0; i < n && columns > 12; i++) {
        ubi__out_string(out, i ? ", " : " and ");
        columns -= 5 + ubi__display_text(out, style, fields[i], columns - 6);
    }
}

void ubi__leak_write_name(ubi__out *out, const ubi__style *style, const ubi__leaks_answer *answer,
                          const ubi_leak_cluster *c, size_t columns) {
    char place[UBI__FUNCTION_WORDS], count[UBI__HUMAN_TEXT], elsewhere[UBI__HUMAN_TEXT + 20] = "";
    const ubi_graph *g = answer->graph;
    ubi_node_ix code = ubi__code_of(answer->look, c->example);
    size_t used = write_class(out, style, c, columns);
    if (code == UBI_NONE) {
        write_other_fields(out, style, g, c, columns - used);
        return;
    }
    if (code != c->example)
        write_called(out, style, g, code, columns - used);
    ubi__function_place(place, g, code);
    if (c->n_elsewhere)
        snprintf(elsewhere, sizeof elsewhere, "; %s elsewhere", ubi__human_count(count, c->n_elsewhere));
    if (!*place)
        return;
    ubi__out_string(out, " (");
    ubi__display_text(out, style, ubi__text(place), sizeof place);
    ubi__out_printf(out, "%s)", elsewhere);
}

/* ---- holders ------------------------------------------------------------------------------------------------------ */

/* What the program that embeds the engine has, such as a page's window with its listeners. 0: nothing of the kind. */
static uint32_t embedder_node(const ubi__leak_path *path) {
    const ubi_graph *g = path->view.graph;
    for (uint32_t i = 1; i < path->n_to_new && i < path->n; i++) {
        ubi_node_ix node = ubi__path_node(&path->view, i);
        if (!ubi__node_is_root(g, node) && !ubi__node_is_engine(g, node))
            return i;
    }
    return 0;
}

/*
 * The scope that has the node after n_to_node steps in a variable, if functions share it; NULL: another one, or nothing of the kind.
 * `n_others`: beside the function on the path.
 */
static const ubi__code_scope *shared_scope(uint32_t *n_others, const ubi__leak_path *path, uint32_t n_to_node) {
    uint32_t holder = ubi__holder_of(&path->view, n_to_node);
    const ubi__code_scope *s = ubi__code_scopes_find(path->scopes, ubi__path_node(&path->view, n_to_node - 1));
    bool is_of_function = n_to_node == holder + 2; /* or of one around it */
    *n_others = s ? s->n_functions - is_of_function : 0;
    return *n_others && ubi__words_to_held(&path->view, n_to_node, holder).how == UBI__EDGE_VARIABLE ? s : NULL;
}

/*
 * A variable of a scope that functions share is that of the function or file that declared it, "variable sessions of app.js": which of them the path comes
 * through is chance. False, with nothing written: it is unknown who did.
 */
static bool write_declared(ubi__out *out, const ubi__style *style, const ubi__leak_path *path, uint32_t n_to_node,
                           const char *before) {
    char whose[UBI__FUNCTION_WORDS];
    uint32_t n_others, holder = ubi__holder_of(&path->view, n_to_node);
    const ubi__code_scope *s = shared_scope(&n_others, path, n_to_node);
    if (!s)
        return false;
    ubi__producer_of(path->view.graph)->code.scope_words(whose, path->view.graph, s);
    if (!*whose)
        return false;
    ubi__out_string(out, before);
    ubi__display_edge_words(out, style, ubi__words_to_held(&path->view, n_to_node, holder), NAME_COLUMNS);
    ubi__out_string(out, " of ");
    ubi__display_text(out, style, ubi__text(whose), sizeof whose);
    return true;
}

/* "add() (app.js:7) and 2 others": those that share a scope, where it is unknown who declared it. */
static void write_others(ubi__out *out, const ubi__leak_path *path, uint32_t n_to_node) {
    char count[UBI__HUMAN_TEXT];
    uint32_t n_others;
    if (shared_scope(&n_others, path, n_to_node))
        ubi__out_printf(out, " and %s", ubi__human_things(count, n_others, "other function"));
}

/* "variable registry of add() (app.js:7)", after `before`. False, with nothing written: it has no name. */
static bool write_held(ubi__out *out, const ubi__style *style, const ubi__leak_path *path, uint32_t n_to_node,
                       const char *before) {
    if (write_declared(out, style, path, n_to_node, before))
        return true;
    if (!ubi__display_held(out, style, &path->view, n_to_node, before))
        return false;
    write_others(out, path, n_to_node);
    return true;
}

/* No older object holds it; a variable may, such as one in a chain of closures. */
static void write_variable(ubi__out *out, const ubi__style *style, const ubi__leak_path *path) {
    if (path->n_to_new && write_held(out, style, path, path->n_to_new, ""))
        return;
    uint32_t node = embedder_node(path);
    if (node)
        ubi__display_path_node(out, style, &path->view, node);
    else
        ubi__out_string(out, "nothing but roots of the engine");
}

/* What a function holds in a variable: "variable last of ". True: it is that of others, too, and the sentence is complete. */
static bool write_held_variable(ubi__out *out, const ubi__style *style, const ubi__leak_path *path) {
    uint32_t next = path->n_to_holder + 1;
    while (next < path->n && ubi__node_is_engine(path->view.graph, ubi__path_node(&path->view, next)))
        next++;
    if (write_declared(out, style, path, next, ""))
        return true;
    ubi__edge_words words = ubi__words_to_held(&path->view, next, path->n_to_holder);
    if (words.how != UBI__EDGE_VARIABLE)
        return false;
    ubi__display_edge_words(out, style, words, NAME_COLUMNS);
    ubi__out_string(out, " of ");
    return false;
}

/* How far up the function of an object may be. */
#define MOST_OBJECTS_TO_SCOPE 3

static bool is_function(const ubi_graph *g, ubi_node_ix node) {
    return ubi__kind_is_function(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node)));
}

/*
 * ", in a scope of add() (app.js:7)": V8 gives no names to variables of a block, but the function says where to look. Nothing, where another
 * function or variable is nearer to the object after n_to_node steps.
 */
static void write_nameless_scope(ubi__out *out, const ubi__style *style, const ubi__leak_path *path,
                                 uint32_t n_to_node) {
    const ubi__path_view *view = &path->view;
    for (unsigned i = 0; i < MOST_OBJECTS_TO_SCOPE && n_to_node > 0; i++) {
        uint32_t holder = ubi__holder_of(view, n_to_node);
        ubi__edge_words words = ubi__words_to_held(view, n_to_node, holder);
        bool is_of_function = is_function(view->graph, ubi__path_node(view, holder));
        if (words.how == UBI__EDGE_VARIABLE || is_function(view->graph, ubi__path_node(view, n_to_node)))
            return;
        if (is_of_function && holder + 1 < n_to_node && ubi__text_is(words.text, "scope")) {
            ubi__out_string(out, ", in a scope of ");
            ubi__display_path_node(out, style, view, holder);
            return;
        }
        n_to_node = holder;
    }
}

void ubi__leak_write_holder(ubi__out *out, const ubi__style *style, const ubi_leak_cluster *c,
                            const ubi__leak_path *path) {
    if (c->holder == UBI_NONE || path->n_to_holder == path->n) {
        write_variable(out, style, path);
        return;
    }
    if (write_held_variable(out, style, path))
        return;
    ubi__display_path_node(out, style, &path->view, path->n_to_holder);
    if (path->n_to_holder == 0)
        return;
    bool is_named = write_held(out, style, path, path->n_to_holder, ", ");
    uint32_t named = is_named ? ubi__holder_of(&path->view, path->n_to_holder) : path->n_to_holder;
    if (!is_named || ubi__words_to_held(&path->view, path->n_to_holder, named).how != UBI__EDGE_VARIABLE)
        write_nameless_scope(out, style, path, named);
}

/* ---- what became larger ------------------------------------------------------------------------------------------- */

ubi_node_ix ubi__leak_grown_node(const ubi_leak_grown *grown) {
    return grown->content == UBI_NONE ? grown->node : grown->content;
}

/* ", in Map": the nearest object that it is an entry of. */
static void write_container(ubi__out *out, const ubi__style *style, const ubi__leak_path *path) {
    uint32_t i = path->n;
    while (i > 0 && ubi__node_is_engine(path->view.graph, ubi__path_node(&path->view, i - 1)))
        i--;
    if (i == 0)
        return;
    ubi__out_string(out, ", in ");
    ubi__display_text(out, style, ubi_look_node_name(path->view.look, ubi__path_node(&path->view, i - 1)),
                      NAME_COLUMNS);
}

void ubi__leak_write_grown(ubi__out *out, const ubi__style *style, const ubi__leak_path *path) {
    ubi__display_text(out, style, ubi_look_node_name(path->view.look, path->view.target), NAME_COLUMNS);
    if (path->n > 0 && !write_held(out, style, path, path->n, ", "))
        write_container(out, style, path);
}

/* ---- verdicts ----------------------------------------------------------------------------------------------------- */

/* For trees, the place counts only their roots; then the class says more. */
static uint64_t n_more(const ubi_leak_cluster *c) {
    bool trees = (uint64_t)c->n_younger * 10 < c->leaked.count && c->class_count[2] > c->class_count[1];
    return trees ? c->class_count[2] - c->class_count[1] : c->n_younger;
}

const char *ubi__leak_verdict_words(char buffer[200], const ubi_leaks *leaks, const ubi_leak_cluster *c) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    if (ubi__leak_growth_words(buffer, leaks, c))
        return buffer;
    switch (c->verdict) {
    case UBI_LEAK_STEADY:
        snprintf(buffer, 200, "grows steadily: %s more came since", ubi__human_count(a, n_more(c)));
        return buffer;
    case UBI_LEAK_ONCE:
        return "grew once: few came since, so perhaps set up once";
    case UBI_LEAK_LARGE:
        return c->leaked.count == 1 ? "one large object" : "two large objects";
    case UBI_LEAK_BOUNDED:
        return "as a full cache: others went for those that came since";
    case UBI_LEAK_REPLACED:
        snprintf(buffer, 200, "replaced: %s of its class went, there are %s now", ubi__human_count(a, c->class_gone),
                 ubi__human_count(b, c->class_count[2]));
        return buffer;
    case UBI_LEAK_CONTROLLED:
        snprintf(buffer, 200, "in the control, too: %s there", ubi__human_count(a, c->n_control));
        return buffer;
    default:
        if (c->class_gone * 2 < c->leaked.count)
            return NULL;
        snprintf(buffer, 200, "%s of its class went meanwhile", ubi__human_things(a, c->class_gone, "other"));
        return buffer;
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static bool words_keep(void *payload, const void *data, size_t n) {
    ubi__leak_memo *memo = payload;
    const ubi_allocator *a = memo->allocator;
    if (memo->capacity - memo->n < n) {
        size_t capacity = (memo->n + n) * 2;
        char *text = a->resize(a->ctx, memo->text, memo->capacity, capacity);
        if (!text)
            return false;
        memo->text = text;
        memo->capacity = capacity;
    }
    memcpy(memo->text + memo->n, data, n);
    memo->n += n;
    return true;
}

ubi_status ubi__leak_memo_init(ubi__leak_memo *memo, const ubi_allocator *allocator) {
    *memo = (ubi__leak_memo){ .allocator = allocator, .out = UBI_NEW(allocator, ubi__out) };
    if (!memo->out)
        return ubi__fail_nomem();
    ubi__out_init(memo->out, words_keep, memo);
    return UBI_OK;
}

void ubi__leak_memo_fini(ubi__leak_memo *memo) {
    if (memo->out)
        UBI_DELETE(memo->allocator, memo->out);
    ubi__free_array(memo->allocator, memo->text, memo->capacity, 1);
}

ubi_text ubi__leak_memo_take(ubi__leak_memo *memo) {
    ubi__out_flush(memo->out);
    ubi_text text = { memo->text ? memo->text : "", memo->n };
    memo->n = 0;
    return text;
}

uint64_t ubi__leaks_unlisted_growth(const ubi_leaks *leaks) {
    const ubi_leak_summary *s = ubi_leaks_summary(leaks);
    /* What the last step added may still go, and is not listed yet. */
    uint64_t growth_bytes = s->heap[1].bytes > s->heap[0].bytes ? s->heap[1].bytes - s->heap[0].bytes : 0;
    for (uint32_t i = 0; i < ubi_leaks_count(leaks) && growth_bytes > 0; i++) {
        uint64_t kept_bytes = ubi_leaks_cluster(leaks, i)->retained_bytes;
        growth_bytes -= kept_bytes < growth_bytes ? kept_bytes : growth_bytes;
    }
    return growth_bytes;
}

/* Less than this, or less than a tenth of OLD, is the noise of any program. */
#define NOTABLE_UNLISTED_BYTES (UINT64_C(1) << 20)

uint64_t ubi__leaks_remaining_growth(const ubi__leaks_answer *answer) {
    uint64_t bytes = ubi_leaks_unlisted(answer->leaks)->stayed_bytes;
    bool is_notable = bytes > NOTABLE_UNLISTED_BYTES && bytes > ubi_leaks_summary(answer->leaks)->heap[0].bytes / 10;
    return ubi__leaks_same_run(answer) && is_notable ? bytes : 0;
}

/* ---- healthy programs ---------------------------------------------------------------------------------------------- */

/* What came with some of the steps only, and is less than this together, says little. */
#define MOST_STEPWISE_BYTES (UINT64_C(64) << 10)
/* As is what became larger by less than this. */
#define LEAST_GROWTH_BYTES (UINT64_C(4) << 10)

static bool are_clusters_quiet(const ubi_leaks *leaks) {
    uint64_t n_quiet = ubi_leaks_of_verdict(leaks, UBI_LEAK_ONCE)->n_clusters +
                       (uint64_t)ubi_leaks_of_verdict(leaks, UBI_LEAK_STEPWISE)->n_clusters;
    return n_quiet == ubi_leaks_summary(leaks)->n_clusters &&
           ubi_leaks_of_verdict(leaks, UBI_LEAK_STEPWISE)->retained_bytes < MOST_STEPWISE_BYTES;
}

static bool is_growth_quiet(const ubi_leaks *leaks) {
    for (uint32_t i = 0; i < ubi_leaks_grown_count(leaks); i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(leaks, i);
        if (grown->is_counted && grown->verdict == UBI_LEAK_STEADY && grown->grown_bytes >= LEAST_GROWTH_BYTES)
            return false;
    }
    return true;
}

bool ubi__leaks_is_quiet(const ubi__leaks_answer *answer) {
    const ubi_leaks *leaks = answer->leaks;
    bool is_judged = ubi_leaks_heap_count(leaks) > UBI__LEAK_MOST_SIZES && answer->fit == UBI_LEAK_FITS &&
                     ubi_leaks_order_is_known(leaks) && !answer->verdicts && !answer->filter &&
                     !answer->values->script && !answer->values->keeps_ids;
    return is_judged && are_clusters_quiet(leaks) && is_growth_quiet(leaks) && !ubi__leaks_first_grown(answer) &&
           !ubi__leaks_remaining_growth(answer);
}
