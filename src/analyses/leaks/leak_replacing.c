/* SPDX-License-Identifier: MIT
 *
 * leak_replacing.c: which new objects took the place of another one.
 *
 * Where each of many objects holds the latest of something by a name, such as the time of a user's last visit, new ones come with each
 * step and none of them leaks: an older one went for each. That shows in the holder: in the earlier heap it held something by that
 * name, too.
 */
#include "analyses/leaks/leak_finder.h"

#include "base/text.h"

/* Of an object with more edges than these in the earlier heap it is not known what each name meant: it is a dictionary. */
#define MOST_EDGES 32
/* Longer names are not looked at: a file may have one of megabytes on each edge. */
#define MOST_NAME_BYTES 256

static bool is_object(const ubi_graph *g, ubi_node_ix node) {
    ubi_coarse_type type = g->kinds.rows.at[g->kind.at[node]].coarse_type;
    return type != UBI_COARSE_OTHER && type != UBI_COARSE_SCRIPT;
}

/* The name of a property or variable; NULL text: there is none, or a long one. */
static ubi_text name_of(const ubi_graph *g, ubi_edge_ix e) {
    ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
    ubi_str_ix name = kind == UBI_EDGE_WEAK || kind == UBI_EDGE_SHORTCUT ? UBI_NONE : ubi__graph_edge_name(g, e);
    ubi_text text = name == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi__strtab_get(&g->strings, name);
    return text.len <= MOST_NAME_BYTES ? text : (ubi_text){ NULL, 0 };
}

static bool held_something(const ubi_graph *past, ubi_node_ix holder, ubi_text name) {
    ubi_edge_ix first = past->first_edge.at[holder], end = past->first_edge.at[holder + 1];
    if (end - first > MOST_EDGES)
        return false;
    for (ubi_edge_ix e = first; e < end; e++)
        if (is_object(past, past->target.at[e]) && ubi__text_equal(name_of(past, e), name))
            return true;
    return false;
}

static void mark_of(ubi_leak_finder *f, const ubi_graph *past, ubi_node_ix holder) {
    const ubi_graph *g = f->graph;
    ubi_node_ix before = UBI_NONE;
    for (ubi_edge_ix e = g->first_edge.at[holder]; e < g->first_edge.at[holder + 1]; e++) {
        ubi_node_ix node = g->target.at[e];
        if (f->flags[node] & (UBI__LEAK_THERE | UBI__LEAK_REPLACES) || !is_object(g, node) || !name_of(g, e).ptr)
            continue;
        if (before == UBI_NONE)
            before = ubi__id_index_find(&past->ids, past->id.at, g->id.at[holder]);
        if (held_something(past, before, name_of(g, e)))
            f->flags[node] |= UBI__LEAK_REPLACES;
    }
}

void ubi__leak_mark_replacing(ubi_leak_finder *f, const ubi_graph *past) {
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (f->flags[node] & UBI__LEAK_THERE)
            mark_of(f, past, node);
}
