/* SPDX-License-Identifier: MIT
 *
 * path_walk_part.c: paths from a kept walk.
 */
#include "analyses/paths/path_walk.h"
#include "base/status.h"
#include "lenses/retaining.h"
#include "session/part.h"

static ubi_status path_walk_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_look *look;
    ubi__path_walk *walk;
    (void)key;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi__path_walk_new(&walk, ubi_look_view(look), *ubi_session_use_progress(use), allocator));
    *out = walk;
    return UBI_OK;
}

static void path_walk_free(void *value, const ubi_allocator *allocator) {
    (void)allocator;
    ubi__path_walk_free(value);
}

static const ubi__part_type path_walk_part = { .name = "walk", .build = path_walk_build, .free = path_walk_free };

static ubi_status paths_read(ubi_paths **out, ubi_session_use *use, const ubi_node_ix *targets, uint32_t n_targets,
                             const ubi_paths_options *options) {
    const ubi_retaining *retaining;
    void *walk;
    UBI_TRY(ubi__session_part(&walk, use, &path_walk_part, ""));
    UBI_TRY(ubi_session_retaining(&retaining, use));
    return ubi__path_walk_read(out, walk, retaining->retainers, targets, n_targets, options);
}

ubi_status ubi__session_paths(ubi_paths **out, ubi_session_use *use, const ubi_node_ix *targets, uint32_t n_targets,
                              const ubi_paths_options *options) {
    const ubi_look *look;
    ubi_status status = paths_read(out, use, targets, n_targets, options);
    if (status != UBI_ENOMEM)
        return status;
    UBI_TRY(ubi_session_look(&look, use));
    return ubi_paths_find(out, ubi_look_view(look), targets, n_targets, options);
}
