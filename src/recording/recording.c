/* SPDX-License-Identifier: MIT
 *
 * recording.c: see recording.h.
 */
#include "recording/recording.h"

#include <inttypes.h>

ubi_status ubi__recording_init(ubi__recording *r, uint64_t period_bytes, const ubi_allocator *allocator) {
    *r = (ubi__recording){ .allocator = ubi__allocator_or_default(allocator), .period_bytes = period_bytes };
    ubi__strtab_init(&r->kinds, r->allocator);
    return ubi__trace_table_init(&r->traces, r->allocator);
}

void ubi__recording_fini(ubi__recording *r) {
    ubi__trace_table_fini(&r->traces);
    ubi__strtab_fini(&r->kinds);
    ubi__vec_event_fini(&r->events, r->allocator);
}

/* ---- merging ------------------------------------------------------------------------------------------------------ */

/* Numbers of the second recording in the merged one. */
typedef struct renumbering {
    ubi_str_ix *names, *kinds;
    ubi__trace_ix *traces;
    uint64_t allocations; /* of the first, which come before */
} renumbering;

/* Every text of `from` in `to`, and its number there if asked for. */
static ubi_status merge_texts(ubi__strtab *to, const ubi__strtab *from, ubi_str_ix *numbers) {
    for (ubi_str_ix i = 0; i < ubi__strtab_count(from); i++) {
        ubi_str_ix number;
        UBI_TRY(ubi__strtab_intern(to, &number, ubi__strtab_get(from, i)));
        if (numbers)
            numbers[i] = number;
    }
    return UBI_OK;
}

static ubi_status merge_traces(ubi__trace_table *to, const ubi__trace_table *from, const ubi_str_ix *names,
                               ubi__trace_ix *numbers) {
    for (ubi__trace_ix i = 0; i < ubi__trace_table_count(from); i++) {
        ubi__trace row = from->rows.at[i];
        ubi__trace_ix parent = numbers && i ? numbers[row.parent] : row.parent, number;
        UBI_TRY(ubi__trace_table_child(to, &number, parent, names ? names[row.name] : row.name));
        if (numbers)
            numbers[i] = number;
    }
    return UBI_OK;
}

static uint64_t count_allocations(const ubi__recording *r) {
    uint64_t n = 0;
    for (size_t i = 0; i < r->events.n; i++)
        if (r->events.at[i].allocation > n)
            n = r->events.at[i].allocation;
    return n;
}

static ubi__event renumbered(ubi__event event, const renumbering *numbers) {
    event.allocation += numbers->allocations;
    event.trace = numbers->traces[event.trace];
    event.kind = numbers->kinds[event.kind];
    return event;
}

static void merge_events(ubi__recording *out, const ubi__recording *first, const ubi__recording *second,
                         const renumbering *numbers) {
    size_t a = 0, b = 0;
    while (a < first->events.n || b < second->events.n) {
        bool take_first = b == second->events.n ||
                          (a < first->events.n && first->events.at[a].time_ns < second->events.at[b].time_ns);
        ubi__event event = take_first ? first->events.at[a++] : renumbered(second->events.at[b++], numbers);
        if (event.weight_bytes)
            out->events.at[out->events.n++] = event;
    }
}

static ubi_status merge(ubi__recording *out, const ubi__recording *first, const ubi__recording *second,
                        renumbering *numbers) {
    size_t n_kinds = ubi__strtab_count(&second->kinds);
    numbers->names = ubi__alloc_array(out->allocator, ubi__strtab_count(&second->traces.names), sizeof *numbers->names);
    numbers->traces = ubi__alloc_array(out->allocator, second->traces.rows.n, sizeof *numbers->traces);
    numbers->kinds = n_kinds ? ubi__alloc_array(out->allocator, n_kinds, sizeof *numbers->kinds) : NULL;
    if (!numbers->names || !numbers->traces || (n_kinds && !numbers->kinds))
        return ubi__fail_nomem();
    UBI_TRY(merge_texts(&out->traces.names, &first->traces.names, NULL));
    UBI_TRY(merge_texts(&out->traces.names, &second->traces.names, numbers->names));
    UBI_TRY(merge_texts(&out->kinds, &first->kinds, NULL));
    UBI_TRY(merge_texts(&out->kinds, &second->kinds, numbers->kinds));
    UBI_TRY(merge_traces(&out->traces, &first->traces, NULL, NULL));
    UBI_TRY(merge_traces(&out->traces, &second->traces, numbers->names, numbers->traces));
    numbers->allocations = count_allocations(first);
    UBI_TRY(ubi__vec_event_reserve(&out->events, out->allocator, first->events.n + second->events.n));
    merge_events(out, first, second, numbers);
    return UBI_OK;
}

ubi_status ubi__recording_merge(ubi__recording *out, const ubi__recording *first, const ubi__recording *second) {
    renumbering numbers = { .names = NULL };
    ubi__recording made;
    if (first->period_bytes != second->period_bytes)
        return ubi__fail(UBI_EMISMATCH, "recordings with periods of %" PRIu64 " and %" PRIu64 " bytes cannot be merged",
                         first->period_bytes, second->period_bytes);
    UBI_TRY(ubi__recording_init(&made, first->period_bytes, first->allocator));
    ubi_status status = merge(&made, first, second, &numbers);
    ubi__free_array(made.allocator, numbers.names, ubi__strtab_count(&second->traces.names), sizeof *numbers.names);
    ubi__free_array(made.allocator, numbers.traces, second->traces.rows.n, sizeof *numbers.traces);
    ubi__free_array(made.allocator, numbers.kinds, ubi__strtab_count(&second->kinds), sizeof *numbers.kinds);
    if (status == UBI_OK)
        *out = made;
    else
        ubi__recording_fini(&made);
    return status;
}
