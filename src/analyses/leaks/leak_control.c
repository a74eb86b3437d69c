/* SPDX-License-Identifier: MIT
 *
 * leak_control.c: what a control leaves behind.
 */
#include "analyses/leaks/leak_finder.h"

static ubi_status add_to_control(ubi_leak_control *control, uint64_t fingerprint, uint64_t count) {
    uint32_t at = ubi__u64_map_get(&control->place_of, fingerprint);
    if (at == UBI_NONE) {
        at = (uint32_t)control->counts.n;
        UBI_TRY(ubi__vec_u64_push(&control->counts, control->allocator, 0));
        UBI_TRY(ubi__u64_map_put(&control->place_of, fingerprint, at));
    }
    UBI_ASSERT(control->place_of.table.n == control->counts.n);
    control->counts.at[at] += count;
    return UBI_OK;
}

ubi_status ubi_leak_control_new(ubi_leak_control **out, const ubi_leaks *leaks) {
    ubi_leak_control *control = UBI_NEW(leaks->allocator, ubi_leak_control);
    ubi_status status = UBI_OK;
    if (!control)
        return ubi__fail_nomem();
    control->allocator = leaks->allocator;
    ubi__u64_map_init(&control->place_of, leaks->allocator);
    for (size_t i = 0; i < leaks->clusters.n && status == UBI_OK; i++)
        status = add_to_control(control, leaks->clusters.at[i].fingerprint, leaks->clusters.at[i].cluster.leaked.count);
    for (size_t i = 0; i < leaks->growing.n && status == UBI_OK; i++)
        status = add_to_control(control, leaks->growing.at[i].fingerprint, leaks->growing.at[i].grown.grown_bytes);
    if (status == UBI_OK)
        *out = control;
    else
        ubi_leak_control_free(control);
    return status;
}

void ubi_leak_control_free(ubi_leak_control *control) {
    if (!control)
        return;
    ubi__u64_map_fini(&control->place_of);
    ubi__vec_u64_fini(&control->counts, control->allocator);
    UBI_DELETE(control->allocator, control);
}

uint64_t ubi__leak_count_in_control(const ubi_leak_control *control, uint64_t fingerprint) {
    uint32_t at = control ? ubi__u64_map_get(&control->place_of, fingerprint) : UBI_NONE;
    return at == UBI_NONE ? 0 : control->counts.at[at];
}
