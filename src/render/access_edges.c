/* SPDX-License-Identifier: MIT
 *
 * access_edges.c: properties and elements between given nodes, found by reading the edges of each source once.
 */
#include "render/access_edges.h"

#include "base/alloc.h"
#include "base/merge_sort.h"
#include "render/edge_words.h"

typedef struct wanted {
    ubi__node_pair pair;
    size_t place; /* in the caller's arrays */
} wanted;

static bool pair_before(void *unused, wanted a, wanted b) {
    (void)unused;
    return a.pair.from != b.pair.from ? a.pair.from < b.pair.from : a.pair.to < b.pair.to;
}
UBI_SORT_DEFINE(sort_wanted, wanted, void *, pair_before);

/* First of list[0..n) whose target is `to` or greater. */
static size_t lower_bound(const wanted *list, size_t n, ubi_node_ix to) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle].pair.to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_access(ubi__edge_words words) {
    return words.how >= UBI__EDGE_VARIABLE && (words.text.len > 0 || words.how == UBI__EDGE_INDEX);
}

/* list[0..n) has one source. */
static void find_accesses_of(ubi__edge_words *out, const ubi_graph *g, const wanted *list, size_t n) {
    ubi_node_ix from = list[0].pair.from;
    size_t n_missing = n;
    for (ubi_edge_ix e = ubi_graph_first_edge(g, from); n_missing && e < ubi_graph_first_edge(g, from + 1); e++) {
        ubi_node_ix to = ubi_graph_edge_target(g, e);
        size_t i = lower_bound(list, n, to);
        if (i == n || list[i].pair.to != to || out[list[i].place].how != UBI__EDGE_SILENT)
            continue;
        ubi__edge_words words = ubi__edge_words_of(g, from, e);
        words.before = NULL; /* a variable is called by its name alone */
        for (; is_access(words) && i < n && list[i].pair.to == to; i++, n_missing--)
            out[list[i].place] = words;
    }
}

ubi_status ubi__find_accesses(ubi__edge_words *out, const ubi_graph *graph, const ubi__node_pair *pairs, size_t n) {
    const ubi_allocator *a = ubi_allocator_default();
    if (n == 0)
        return UBI_OK;
    wanted *list = ubi__alloc_array(a, n, sizeof *list), *spare = ubi__alloc_array(a, n, sizeof *spare);
    if (list && spare) {
        for (size_t i = 0; i < n; i++) {
            list[i] = (wanted){ pairs[i], i };
            out[i] = (ubi__edge_words){ .how = UBI__EDGE_SILENT };
        }
        sort_wanted(list, spare, n, NULL);
        for (size_t first = 0, i = 1; i <= n; i++)
            if (i == n || list[i].pair.from != list[first].pair.from) {
                if (list[first].pair.from != UBI_NONE)
                    find_accesses_of(out, graph, list + first, i - first);
                first = i;
            }
    }
    bool complete = list && spare;
    ubi__free_array(a, list, n, sizeof *list);
    ubi__free_array(a, spare, n, sizeof *spare);
    return complete ? UBI_OK : ubi__fail_nomem();
}
