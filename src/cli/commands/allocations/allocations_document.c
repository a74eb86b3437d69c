/* SPDX-License-Identifier: MIT
 *
 * allocations_document.c: who allocated, and when, as JSON.
 */
#include "cli/commands/allocations/allocations_page.h"

#include "base/status.h"

static void put_place(ubi__json *j, const ubi_allocations *a, ubi_function_ix function) {
    ubi_allocation_function f;
    ubi_allocations_function(a, function, &f);
    ubi__json_key(j, "name");
    ubi__json_text(j, f.name);
    ubi__json_key(j, "scriptName");
    ubi__json_text(j, f.script_name);
    ubi__document_u64(j, "line", f.line);
    ubi__document_u64(j, "column", f.column);
}

static void put_tally(ubi__json *j, const ubi_allocation_tally *tally) {
    ubi__document_u64(j, "count", tally->count);
    ubi__document_u64(j, "size", tally->size_bytes);
    ubi__document_u64(j, "liveCount", tally->live_count);
    ubi__document_u64(j, "liveSize", tally->live_size_bytes);
}

/* Rows below the first, which is the function itself; a row's parent is an earlier one, or null. */
static ubi_status put_callers(ubi__json *j, const ubi__allocations_answer *answer, ubi_function_ix function) {
    ubi_allocation_caller *rows;
    uint32_t n;
    UBI_TRY(ubi_allocations_callers(&rows, &n, answer->allocations, function, answer->caller_levels));
    ubi__json_key(j, "callers");
    ubi__json_array_begin(j);
    for (uint32_t i = 1; i < n && !j->failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_key(j, "calls");
        if (rows[i].parent)
            ubi__json_u64(j, rows[i].parent - 1);
        else
            ubi__json_null(j);
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
    ubi__document_u64(j, "functionCount", n);
    ubi__json_key(j, "functions");
    ubi__json_array_begin(j);
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
    ubi__json_key(j, "samples");
    ubi__json_array_begin(j);
    for (uint32_t i = 0; i < n && !j->failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_key(j, "timestamp");
        ubi__json_double(j, (double)samples[i].time_us / 1000);
        ubi__json_key(j, "lastAssignedId");
        ubi__json_node_id(j, samples[i].last_id);
        ubi__document_u64(j, "liveCount", samples[i].live_count);
        ubi__document_u64(j, "size", samples[i].size_bytes);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

ubi_status ubi__allocations_document(ubi__cli *cli, const ubi__snapshot *snapshot,
                                     const ubi__allocations_answer *answer) {
    ubi__json j;
    ubi__document_begin(&j, cli, "ubiheap.allocations/1", snapshot->path);
    ubi__document_bool(&j, "hasHistory", ubi_allocations_has_history(answer->allocations));
    UBI_TRY(put_tops(&j, answer));
    put_samples(&j, answer->allocations);
    ubi__document_end(&j);
    return UBI_OK;
}
