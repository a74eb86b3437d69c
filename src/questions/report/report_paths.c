/* SPDX-License-Identifier: MIT
 *
 * report_paths.c: the shortest ways to all nodes that a report names.
 */
#include "questions/report/report_paths.h"

#include "analyses/paths/paths_outside.h"
#include "base/alloc.h"

static ubi_status path_copy(ubi__report_path_row *row, const ubi_paths *paths, uint32_t target,
                            const ubi_allocator *allocator) {
    row->target = ubi_paths_target(paths, target);
    if (ubi_paths_count(paths, target) == 0)
        return UBI_OK;
    uint32_t n = ubi_paths_length(paths, target, 0);
    row->steps = ubi__alloc_array(allocator, n, sizeof *row->steps);
    if (!row->steps)
        return ubi__fail_nomem();
    row->n_steps = n;
    ubi_paths_steps(row->steps, paths, target, 0);
    return UBI_OK;
}

/* Those that have none are outside, in their order. */
static ubi_status paths_copy(ubi__report_paths *out, const ubi_paths *paths, const ubi_paths *outside) {
    uint32_t n = ubi_paths_target_count(paths), n_outside = 0;
    out->at = ubi__calloc_array(out->allocator, n, sizeof *out->at);
    if (!out->at)
        return ubi__fail_nomem();
    out->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const ubi__target_paths of = ubi__target_paths_next(paths, outside, i, &n_outside);
        UBI_TRY(path_copy(&out->at[i], of.paths, of.target, out->allocator));
    }
    return UBI_OK;
}

ubi_status ubi__report_paths_init(ubi__report_paths *out, const ubi_view *view, const ubi_node_ix *nodes, uint32_t n,
                                  ubi_progress progress, const ubi_allocator *allocator) {
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_paths *paths, *outside = NULL;
    *out = (ubi__report_paths){ .allocator = allocator };
    if (n == 0)
        return UBI_OK;
    options.allocator = allocator;
    options.progress = progress;
    options.max_paths = 1;
    UBI_TRY(ubi_paths_find(&paths, view, nodes, n, &options));
    ubi_status status = ubi__paths_find_outside(&outside, paths, view, &options);
    if (status == UBI_OK)
        status = paths_copy(out, paths, outside);
    ubi_paths_free(paths);
    ubi_paths_free(outside);
    return status;
}

void ubi__report_paths_fini(ubi__report_paths *paths) {
    const ubi_allocator *a = paths->allocator;
    for (uint32_t i = 0; i < paths->n; i++)
        ubi__free_array(a, paths->at[i].steps, paths->at[i].n_steps, sizeof *paths->at[i].steps);
    if (paths->at)
        ubi__free_array(a, paths->at, paths->n, sizeof *paths->at);
    *paths = (ubi__report_paths){ .at = NULL };
}

ubi__path_view ubi__report_path(const ubi__report_paths *paths, const ubi_look *look, ubi_node_ix node) {
    ubi__path_view view = { .graph = ubi_look_view(look)->graph, .target = node, .look = look };
    for (uint32_t i = 0; i < paths->n; i++)
        if (paths->at[i].target == node) {
            view.steps = paths->at[i].steps;
            view.n_steps = paths->at[i].n_steps;
        }
    return view;
}
