/* SPDX-License-Identifier: MIT
 *
 * leaks_words.c: clusters and their holders in words.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/commands/leaks/leaks_page.h"
#include "render/edge_words.h"
#include "render/node_label.h"

/* Columns of a name within a sentence. */
#define NAME_COLUMNS 40

/* ---- paths -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__leak_path_init(ubi__leak_path *out, const ubi__leaks_answer *answer, const ubi_leak_cluster *c) {
    const ubi_leaks *leaks = answer->leaks;
    uint32_t n = ubi_leaks_path_length(leaks, c->example);
    ubi_path_step *steps = ubi__alloc_array(ubi_allocator_default(), n, sizeof *steps);
    if (n && !steps)
        return ubi__fail_nomem();
    ubi_leaks_path(steps, leaks, c->example);
    *out = (ubi__leak_path){ .steps = steps, .n = n, .n_to_holder = n };
    for (uint32_t i = 0; i < n; i++)
        if (steps[i].predecessor == c->holder)
            out->n_to_holder = i;
    out->view = (ubi__path_view){ answer->newest->graph, steps, n, c->example, answer->newest->look };
    return UBI_OK;
}

void ubi__leak_path_fini(ubi__leak_path *path) {
    ubi__free_array(ubi_allocator_default(), path->steps, path->n, sizeof *path->steps);
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

void ubi__leak_write_name(ubi__out *out, const ubi__style *style, const ubi_leak_cluster *c, size_t columns) {
    ubi_text name = c->class_name.name.len ? c->class_name.name : ubi__text("(empty name)");
    size_t used = ubi__display_text(out, style, name, columns);
    if (!c->name.len || used + 4 > columns)
        return;
    ubi__out_char(out, ' ');
    ubi__display_text(out, style, c->name, columns - used - 3);
    ubi__out_string(out, "()");
}

/* An anonymous function goes by the property that it was found in: getSession(). */
static bool write_by_property(ubi__out *out, const ubi__style *style, const ubi__leak_path *path, uint32_t i) {
    const ubi_graph *g = path->view.graph;
    ubi_node_ix node = i < path->n ? path->steps[i].predecessor : path->view.target;
    if (i == 0 || !ubi__text_is(ubi_lens_node_name(path->view.look, node), "Function") ||
        ubi_graph_string(g, ubi_graph_node_name(g, node)).len)
        return false;
    ubi__edge_words words = ubi__edge_words_of(g, path->steps[i - 1].predecessor, path->steps[i - 1].edge);
    if (words.how != UBI__EDGE_PROPERTY)
        return false;
    ubi__display_edge_words(out, style, words, NAME_COLUMNS);
    ubi__out_string(out, "()");
    return true;
}

/* What the i-th node of the path is called. */
static void write_title(ubi__out *out, const ubi__style *style, const ubi__leak_path *path, uint32_t i) {
    const ubi_graph *g = path->view.graph;
    ubi_node_ix node = i < path->n ? path->steps[i].predecessor : path->view.target;
    bool plain = ubi__kind_is_plain(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node)));
    if (write_by_property(out, style, path, i))
        return;
    ubi_lens_name_buffer *buffer = plain ? NULL : UBI_NEW(ubi_allocator_default(), ubi_lens_name_buffer);
    ubi__display_text(out, style,
                      buffer ? ubi__node_title(g, path->view.look, node, buffer)
                             : ubi_lens_node_name(path->view.look, node),
                      NAME_COLUMNS);
    if (buffer)
        UBI_DELETE(ubi_allocator_default(), buffer);
}

/* ---- holders ------------------------------------------------------------------------------------------------------ */

/* The steps before the holder, from the nearest node on that is not the engine's. */
static uint32_t step_of_owner(const ubi__leak_path *path) {
    uint32_t i = path->n_to_holder - 1;
    while (i > 0 && ubi__node_is_engine(path->view.graph, path->steps[i].predecessor))
        i--;
    return i;
}

static ubi__edge_words words_to_holder(const ubi__leak_path *path, uint32_t owner) {
    const ubi_path_step *steps = path->steps;
    uint32_t last = path->n_to_holder - 1;
    if (owner == last)
        return ubi__edge_words_of(path->view.graph, steps[last].predecessor, steps[last].edge);
    return ubi__engine_words(path->view.graph, steps[owner + 1].predecessor, steps[owner + 1].edge,
                             steps[last - 1].edge, steps[last].edge);
}

/* "variable registry of add()", "property items of Store". */
static void write_access(ubi__out *out, const ubi__style *style, const ubi__leak_path *path) {
    uint32_t owner = step_of_owner(path);
    ubi__edge_words words = words_to_holder(path, owner);
    if (words.how != UBI__EDGE_VARIABLE && words.how != UBI__EDGE_PROPERTY && words.how != UBI__EDGE_QUOTED)
        return;
    ubi__out_string(out, words.how == UBI__EDGE_VARIABLE ? ", " : ", property ");
    ubi__display_edge_words(out, style, words, NAME_COLUMNS);
    ubi__out_string(out, " of ");
    write_title(out, style, path, owner);
}

void ubi__leak_write_holder(ubi__out *out, const ubi__style *style, const ubi_leak_cluster *c,
                            const ubi__leak_path *path) {
    if (c->holder == UBI_NONE || path->n_to_holder == path->n) {
        ubi__out_string(out, "nothing but roots of the engine");
        return;
    }
    write_title(out, style, path, path->n_to_holder);
    if (path->n_to_holder > 0)
        write_access(out, style, path);
}

/* ---- verdicts ----------------------------------------------------------------------------------------------------- */

/* Of trees, the place counts their roots alone; then the class says more. */
static uint64_t n_more(const ubi_leak_cluster *c) {
    bool trees = (uint64_t)c->n_younger * 10 < c->leaked.count && c->class_count[2] > c->class_count[1];
    return trees ? c->class_count[2] - c->class_count[1] : c->n_younger;
}

const char *ubi__leak_verdict_words(char buffer[200], const ubi_leak_cluster *c) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    switch (c->verdict) {
    case UBI_LEAK_STEADY:
        snprintf(buffer, 200, "grows steadily: %s more came since", ubi__human_count(a, n_more(c)));
        return buffer;
    case UBI_LEAK_ONCE:
        return "grew once: hardly any came since, so perhaps set up for good";
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

static bool keep(void *payload, const void *data, size_t n) {
    ubi__leak_memo *memo = payload;
    const ubi_allocator *a = ubi_allocator_default();
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

ubi_status ubi__leak_memo_init(ubi__leak_memo *memo) {
    *memo = (ubi__leak_memo){ .out = UBI_NEW(ubi_allocator_default(), ubi__out) };
    if (!memo->out)
        return ubi__fail_nomem();
    ubi__out_init(memo->out, keep, memo);
    return UBI_OK;
}

void ubi__leak_memo_fini(ubi__leak_memo *memo) {
    if (memo->out)
        UBI_DELETE(ubi_allocator_default(), memo->out);
    ubi__free_array(ubi_allocator_default(), memo->text, memo->capacity, 1);
}

ubi_text ubi__leak_memo_take(ubi__leak_memo *memo) {
    ubi__out_flush(memo->out);
    ubi_text text = { memo->text ? memo->text : "", memo->n };
    memo->n = 0;
    return text;
}
