/* SPDX-License-Identifier: MIT
 *
 * report_parts.c: see report_parts.h.
 */
#include "questions/report/report_parts.h"

#include "base/alloc.h"
#include "base/status.h"
#include "lenses/finding_facts.h"

/* ---- sums ---------------------------------------------------------------------------------------------------------- */

static void sums_free(void *value, const ubi_allocator *allocator) {
    ubi__report_sums *sums = value;
    ubi__groups_fini(&sums->functions);
    ubi__groups_fini(&sums->labels);
    ubi__heap_summary_fini(&sums->summary);
    UBI_DELETE(allocator, sums);
}

static ubi_status sums_compute(ubi__report_sums *sums, const ubi_look *look, const ubi_allocator *allocator) {
    UBI_TRY(ubi__heap_summary_of(&sums->summary, look, allocator));
    UBI_TRY(ubi__groups_by_class(&sums->labels, &sums->summary));
    return ubi__groups_by_function(&sums->functions, &sums->summary);
}

static ubi_status sums_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_look *look;
    (void)key;
    UBI_TRY(ubi_session_look(&look, use));
    ubi__report_sums *sums = UBI_NEW(allocator, ubi__report_sums);
    if (!sums)
        return ubi__fail_nomem();
    ubi_status status = sums_compute(sums, look, allocator);
    if (status == UBI_OK)
        *out = sums;
    else
        sums_free(sums, allocator);
    return status;
}

static const ubi__part_type sums_part = { .name = "sums", .build = sums_build, .free = sums_free };

ubi_status ubi__report_sums_get(const ubi__report_sums **out, ubi_session_use *heap) {
    void *value;
    UBI_TRY(ubi__session_part(&value, heap, &sums_part, ""));
    *out = value;
    return UBI_OK;
}

/* ---- findings ------------------------------------------------------------------------------------------------------ */

static void findings_free(void *value, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_findings_free(value);
}

static ubi_status findings_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_findings_options options = UBI_FINDINGS_OPTIONS_INIT;
    const ubi_look *look;
    ubi_findings *findings;
    (void)key;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&options.dominators, use, true));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.info = ubi_session_read_info(ubi_session_use_session(use));
    UBI_TRY(ubi__findings_by_threads(&findings, look, &options, ubi_session_use_threads(use)));
    *out = findings;
    return UBI_OK;
}

static const ubi__part_type findings_part = { .name = "findings", .build = findings_build, .free = findings_free };

ubi_status ubi__report_findings_get(const ubi_findings **out, ubi_session_use *heap) {
    void *value;
    UBI_TRY(ubi__session_part(&value, heap, &findings_part, ""));
    *out = value;
    return UBI_OK;
}

/* ---- holders ------------------------------------------------------------------------------------------------------- */

static void holders_free(void *value, const ubi_allocator *allocator) {
    ubi__report_holders *holders = value;
    ubi__report_paths_fini(&holders->paths);
    UBI_DELETE(allocator, holders);
}

/* The keepers, and the first examples of findings. */
static ubi_status targets_list(ubi__vec_u32 *targets, const ubi__report_keepers *keepers, const ubi_findings *findings,
                               const ubi_allocator *allocator) {
    for (uint32_t i = 0; i < keepers->n; i++)
        UBI_TRY(ubi__vec_u32_push(targets, allocator, keepers->at[i].node));
    for (uint32_t i = 0; i < ubi_findings_count(findings); i++) {
        const ubi_finding *finding = ubi_findings_get(findings, i);
        if (finding->n_nodes)
            UBI_TRY(ubi__vec_u32_push(targets, allocator, finding->path_to));
    }
    return UBI_OK;
}

static ubi_status paths_find(ubi__report_holders *holders, ubi_session_use *use, const ubi_view *view,
                             const ubi_allocator *allocator) {
    ubi__vec_u32 targets = { 0 };
    const ubi_findings *findings;
    UBI_TRY(ubi__report_findings_get(&findings, use));
    ubi_status status = targets_list(&targets, &holders->keepers, findings, allocator);
    if (status == UBI_OK)
        status = ubi__report_paths_init(&holders->paths, view, targets.at, (uint32_t)targets.n,
                                        *ubi_session_use_progress(use), allocator);
    ubi__vec_u32_fini(&targets, allocator);
    return status;
}

static ubi_status holders_compute(ubi__report_holders *holders, ubi_session_use *use, const ubi_allocator *allocator) {
    const ubi_look *look;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi__report_keepers_init(&holders->keepers, use));
    UBI_TRY(paths_find(holders, use, ubi_look_view(look), allocator));
    ubi__report_keepers_sort(&holders->keepers, look, &holders->paths, allocator);
    return UBI_OK;
}

static ubi_status holders_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi__report_holders *holders = UBI_NEW(allocator, ubi__report_holders);
    (void)key;
    if (!holders)
        return ubi__fail_nomem();
    ubi_status status = holders_compute(holders, use, allocator);
    if (status == UBI_OK)
        *out = holders;
    else
        holders_free(holders, allocator);
    return status;
}

static const ubi__part_type holders_part = { .name = "holders", .build = holders_build, .free = holders_free };

ubi_status ubi__report_holders_get(const ubi__report_holders **out, ubi_session_use *heap) {
    void *value;
    UBI_TRY(ubi__session_part(&value, heap, &holders_part, ""));
    *out = value;
    return UBI_OK;
}
