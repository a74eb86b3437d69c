/* SPDX-License-Identifier: MIT
 *
 * path_tree.c: what is kept of a walk, and paths read from it (path_tree.h).
 *
 * A step's rank is above that of the step before it. Hence one pass in order of rank can renumber the steps that some path
 * uses: the new place of a step is written where its reference to the step before was, which is no longer needed.
 */
#include <string.h>

#include "analyses/paths/path_tree.h"

#include "base/bits.h"

/* Marks every step that is on a path. Ways are followed only up to the first mark, so each step costs once. */
static uint32_t mark_used(uint64_t *marks, const ubi__path_ranks *ranks, const ubi__path_finds *finds) {
    uint32_t n = 0;
    memset(marks, 0, ((size_t)ranks->n + 63) / 64 * sizeof *marks);
    for (size_t i = 0; i < finds->n; i++)
        for (uint32_t r = finds->at[i].rank; r != 0 && !ubi__has_bit(marks, r); r = ranks->before[r]) {
            marks[r >> 6] |= UINT64_C(1) << (r & 63);
            n++;
        }
    return n;
}

/* A step behind the one of rank `before`, which has its new place already. */
static ubi__path_end end_behind(const ubi_paths *paths, const ubi__path_ranks *ranks, ubi_edge_ix edge,
                                uint32_t before) {
    if (before == 0)
        return (ubi__path_end){ edge, UBI_NONE, 1 };
    uint32_t place = ranks->before[before];
    return (ubi__path_end){ edge, place, paths->tree[place].length + 1 };
}

static void fill_tree(ubi_paths *paths, ubi__path_ranks *ranks, const uint64_t *marks) {
    uint32_t n = 0;
    for (size_t w = 0; w < ((size_t)ranks->n + 63) / 64; w++)
        for (uint64_t left = marks[w]; left; left &= left - 1) {
            uint32_t r = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
            paths->tree[n] = end_behind(paths, ranks, ranks->edge[r], ranks->before[r]);
            ranks->before[r] = n++;
        }
}

/* Sorts finds by target, keeping their order: first_path[t + 1] counts, then points, and ends as what it is called. */
static void fill_paths(ubi_paths *paths, const ubi__path_ranks *ranks, const ubi__path_finds *finds) {
    uint64_t *next = paths->first_path + 1;
    memset(paths->first_path, 0, ((size_t)paths->n_targets + 1) * sizeof *paths->first_path);
    for (size_t i = 0; i < finds->n; i++)
        next[finds->at[i].target]++;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < paths->n_targets; t++) {
        uint64_t n = next[t];
        next[t] = sum;
        sum += n;
    }
    for (size_t i = 0; i < finds->n; i++) {
        const ubi__path_find *find = &finds->at[i];
        paths->paths[next[find->target]++] = end_behind(paths, ranks, find->edge, find->rank);
    }
}

/* An edge of the node that the step before leads to, one step longer. */
static void assert_follows(const ubi_paths *paths, const ubi__path_end *step, uint32_t place) {
    const uint64_t *first_edge = paths->graph->first_edge.at;
    UBI_ASSERT(step->before == UBI_NONE || step->before < place);
    UBI_ASSERT(step->length == (step->before == UBI_NONE ? 1 : paths->tree[step->before].length + 1));
    ubi_node_ix source = ubi__path_source(paths, step);
    UBI_ASSERT(step->edge >= first_edge[source] && step->edge < first_edge[source + 1]);
}

void ubi__paths_check(const ubi_paths *paths, bool shortest_first) {
    UBI_ASSERT(paths->first_path[0] == 0);
    if (!UBI_CHECKS)
        return;
    for (uint32_t i = 0; i < paths->n_tree; i++)
        assert_follows(paths, &paths->tree[i], i);
    for (uint32_t t = 0; t < paths->n_targets; t++) {
        const uint64_t *first = &paths->first_path[t];
        UBI_ASSERT(first[0] <= first[1]);
        for (uint64_t i = first[0]; i < first[1]; i++) {
            assert_follows(paths, &paths->paths[i], paths->n_tree);
            UBI_ASSERT(paths->graph->target.at[paths->paths[i].edge] == paths->targets[t]);
            UBI_ASSERT(!shortest_first || paths->paths[first[0]].length <= paths->paths[i].length);
        }
    }
}

ubi_status ubi__path_tree_build(ubi_paths *paths, ubi__path_ranks *ranks, uint64_t *marks,
                                const ubi__path_finds *finds) {
    const ubi_allocator *a = paths->allocator;
    uint32_t n_tree = mark_used(marks, ranks, finds);
    paths->tree = ubi__alloc_array(a, n_tree, sizeof *paths->tree);
    if (n_tree && !paths->tree)
        return ubi__fail_nomem();
    paths->n_tree = n_tree;
    paths->paths = ubi__alloc_array(a, finds->n, sizeof *paths->paths);
    if (finds->n && !paths->paths)
        return ubi__fail_nomem();
    fill_tree(paths, ranks, marks);
    fill_paths(paths, ranks, finds);
    UBI_ASSERT(paths->first_path[paths->n_targets] == finds->n);
    return UBI_OK;
}

void ubi_paths_free(ubi_paths *paths) {
    if (!paths)
        return;
    const ubi_allocator *a = paths->allocator;
    /* The count of paths is known once they are there; else first_path may hold nothing yet. */
    size_t n_paths = paths->paths ? (size_t)paths->first_path[paths->n_targets] : 0;
    ubi__free_array(a, paths->paths, n_paths, sizeof *paths->paths);
    ubi__free_array(a, paths->tree, paths->n_tree, sizeof *paths->tree);
    ubi__free_array(a, paths->first_path, (size_t)paths->n_targets + 1, sizeof *paths->first_path);
    ubi__free_array(a, paths->targets, paths->n_targets, sizeof *paths->targets);
    ubi_graph_unref(paths->graph);
    UBI_DELETE(a, paths);
}

ubi_node_ix ubi_paths_start(const ubi_paths *paths) {
    return paths->start;
}
uint32_t ubi_paths_target_count(const ubi_paths *paths) {
    return paths->n_targets;
}
ubi_node_ix ubi_paths_target(const ubi_paths *paths, uint32_t target) {
    return paths->targets[UBI_INDEX(target, paths->n_targets)];
}
uint32_t ubi_paths_count(const ubi_paths *paths, uint32_t target) {
    return (uint32_t)(paths->first_path[target + 1] - paths->first_path[target]);
}
uint32_t ubi_paths_length(const ubi_paths *paths, uint32_t target, uint32_t path) {
    return paths->paths[paths->first_path[target] + path].length;
}

/* The step of a path that is `length` steps from the start. */
static const ubi__path_end *step_at(const ubi_paths *paths, const ubi__path_end *end, uint32_t length) {
    while (end->length > length)
        end = &paths->tree[end->before];
    return end;
}

uint32_t ubi_paths_shared(const ubi_paths *paths, uint32_t target, uint32_t path, uint32_t other) {
    const ubi__path_end *a = &paths->paths[paths->first_path[target] + path];
    const ubi__path_end *b = &paths->paths[paths->first_path[target] + other];
    uint32_t length = a->length < b->length ? a->length : b->length;
    a = step_at(paths, a, length);
    b = step_at(paths, b, length);
    /* Where two steps are the same edge, so are the ways to them. */
    while (a->edge != b->edge && a->before != UBI_NONE) {
        a = &paths->tree[a->before];
        b = &paths->tree[b->before];
    }
    return a->edge == b->edge ? a->length : 0;
}

void ubi_paths_steps(ubi_path_step *out, const ubi_paths *paths, uint32_t target, uint32_t path) {
    const ubi__path_end *step = &paths->paths[paths->first_path[target] + path];
    uint32_t i = step->length;
    for (;;) {
        out[--i] = (ubi_path_step){ ubi__path_source(paths, step), step->edge };
        if (i == 0)
            return;
        step = &paths->tree[step->before];
    }
}
