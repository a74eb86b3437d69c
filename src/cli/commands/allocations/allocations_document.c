/* SPDX-License-Identifier: MIT
 *
 * allocations_document.c: who allocated, and when, as JSON.
 */
#include "cli/commands/allocations/allocations_page.h"

#include "base/status.h"

static void put_place(ubi__json *j, const ubi_allocations *a, ubi_function_ix function) {
    ubi_allocation_function f;
    ubi_allocations_function(a, function, &f);
    ubi__json_member_text(j, "name", f.name);
    ubi__json_member_text(j, "scriptName", f.script_name);
    ubi__json_member_u64(j, "line", f.line);
    ubi__json_member_u64(j, "column", f.column);
}

static void put_tally(ubi__json *j, const ubi_allocation_tally *tally) {
    ubi__json_member_u64(j, "count", tally->count);
    ubi__json_member_u64(j, "size", tally->size_bytes);
    ubi__json_member_u64(j, "liveCount", tally->live_count);
    ubi__json_member_u64(j, "liveSize", tally->live_size_bytes);
}

/* Rows below the first, which is the function itself; a row's parent is an earlier one, or null. */
static ubi_status put_callers(ubi__json *j, const ubi__allocations_answer *answer, ubi_function_ix function) {
    ubi_allocation_caller *rows;
    uint32_t n;
    UBI_TRY(ubi_allocations_callers(&rows, &n, answer->allocations, function, answer->caller_levels));
    ubi__json_member_array(j, "callers");
    for (uint32_t i = 1; i < n && !j->failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_u64_or_null(j, "calls", rows[i].parent, rows[i].parent - 1);
        put_place(j, answer->allocations, rows[i].function);
        put_tally(j, &rows[i].tally);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    ubi_allocations_callers_free(answer->allocations, rows, n);
    return UBI_OK;
}

static ubi_status put_tops(ubi__json *j, const ubi__allocations_answer *answer) {
    uint32_t n;
    const ubi_allocation_top *tops = ubi_allocations_tops(answer->allocations, &n);
    uint32_t shown = answer->limit && answer->limit < n ? (uint32_t)answer->limit : n;
    ubi__json_member_u64(j, "functionCount", n);
    ubi__json_member_array(j, "functions");
    for (uint32_t i = 0; i < shown && !j->failed; i++) {
        ubi__json_object_begin(j);
        put_place(j, answer->allocations, tops[i].function);
        put_tally(j, &tops[i].tally);
        if (answer->caller_levels)
            UBI_TRY(put_callers(j, answer, tops[i].function));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    return UBI_OK;
}

static void put_samples(ubi__json *j, const ubi_allocations *a) {
    uint32_t n;
    const ubi_allocation_sample *samples = ubi_allocations_samples(a, &n);
    ubi__json_member_array(j, "samples");
    for (uint32_t i = 0; i < n && !j->failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_double(j, "timestamp", (double)samples[i].time_us / 1000);
        ubi__json_member_node_id(j, "lastAssignedId", samples[i].last_id);
        ubi__json_member_u64(j, "liveCount", samples[i].live_count);
        ubi__json_member_u64(j, "size", samples[i].size_bytes);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

ubi_status ubi__allocations_document(ubi__cli *cli, const ubi__snapshot *snapshot,
                                     const ubi__allocations_answer *answer) {
    ubi__json j;
    ubi__document_begin(&j, cli, "ubiheap.allocations/1", snapshot->path);
    ubi__json_member_bool(&j, "hasHistory", ubi_allocations_has_history(answer->allocations));
    UBI_TRY(put_tops(&j, answer));
    put_samples(&j, answer->allocations);
    ubi__document_end(&j);
    return UBI_OK;
}
