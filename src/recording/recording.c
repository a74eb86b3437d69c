/* SPDX-License-Identifier: MIT
 *
 * recording.c: see recording.h.
 *
 * While recording, a native frame is named by its address, for names are costly. Afterwards each address is named
 * once. Two addresses may have one name, and one address several (inlined functions), so traces are rebuilt.
 */
#include "recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "recording/recording.h"
#include "unwind/unwind.h"

/* ---- traces ------------------------------------------------------------------------------------------------------ */

void ubi__trace_table_check(const ubi__trace_table *t) {
    UBI_ASSERT(t->rows.n > 0 && t->rows.at[UBI__TRACE_ROOT].parent == UBI__TRACE_ROOT);
    UBI_ASSERT(ubi__text_is(ubi__strtab_get(&t->names, t->rows.at[UBI__TRACE_ROOT].name), UBI__TRACE_ROOT_NAME));
    if (UBI_CHECKS)
        for (ubi__trace_ix i = 0; i < t->rows.n; i++) {
            UBI_ASSERT(i == UBI__TRACE_ROOT || t->rows.at[i].parent < i);
            UBI_ASSERT(t->rows.at[i].name < ubi__strtab_count(&t->names));
            UBI_ASSERT(ubi__u64_map_get(&t->index, ubi__u64_pair(t->rows.at[i].parent, t->rows.at[i].name)) == i);
        }
}

static ubi_status add_root_trace(ubi__trace_table *t) {
    ubi_str_ix name;
    ubi__trace_ix root;
    UBI_TRY(ubi__trace_table_name(t, &name, ubi__text(UBI__TRACE_ROOT_NAME)));
    return ubi__trace_table_child(t, &root, UBI__TRACE_ROOT, name);
}

ubi_status ubi__trace_table_init(ubi__trace_table *t, const ubi_allocator *allocator) {
    *t = (ubi__trace_table){ .allocator = ubi__allocator_or_default(allocator) };
    ubi__strtab_init(&t->names, t->allocator);
    ubi__u64_map_init(&t->index, t->allocator);
    ubi_status status = add_root_trace(t);
    if (status != UBI_OK)
        ubi__trace_table_fini(t);
    return status;
}

void ubi__trace_table_fini(ubi__trace_table *t) {
    ubi__strtab_fini(&t->names);
    ubi__vec_trace_fini(&t->rows, t->allocator);
    ubi__u64_map_fini(&t->index);
}

ubi_status ubi__trace_table_name(ubi__trace_table *t, ubi_str_ix *out, ubi_text name) {
    return ubi__strtab_intern(&t->names, out, name);
}

ubi_status ubi__trace_table_child(ubi__trace_table *t, ubi__trace_ix *out, ubi__trace_ix parent, ubi_str_ix name) {
    UBI_ASSERT(name < ubi__strtab_count(&t->names) && (parent < t->rows.n || t->rows.n == 0));
    uint64_t key = ubi__u64_pair(parent, name);
    ubi__trace_ix known = ubi__u64_map_get(&t->index, key);
    if (known != UBI_NONE) {
        *out = known;
        return UBI_OK;
    }
    if (t->rows.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "a recording has at most %u traces", UBI_NONE - 1);
    UBI_TRY(ubi__vec_trace_reserve(&t->rows, t->allocator, 1));
    UBI_TRY(ubi__u64_map_put(&t->index, key, (uint32_t)t->rows.n));
    *out = (ubi__trace_ix)t->rows.n;
    t->rows.at[t->rows.n++] = (ubi__trace){ .name = name, .parent = parent };
    return UBI_OK;
}

ubi_status ubi__trace_table_stack(ubi__trace_table *t, ubi__trace_ix *out, const ubi_text *names, size_t n) {
    ubi__trace_ix trace = UBI__TRACE_ROOT;
    for (size_t i = 0; i < n; i++) {
        ubi_str_ix name;
        UBI_TRY(ubi__trace_table_name(t, &name, names[i]));
        UBI_TRY(ubi__trace_table_child(t, &trace, trace, name));
    }
    *out = trace;
    return UBI_OK;
}

/* ---- recordings -------------------------------------------------------------------------------------------------- */

void ubi__recording_check(const ubi__recording *r) {
    ubi__trace_table_check(&r->traces);
    UBI_ASSERT(r->period_bytes >= 1 && r->period_bytes <= UINT64_C(1) << 48);
    if (UBI_CHECKS)
        for (size_t i = 0; i < r->events.n; i++) {
            UBI_ASSERT(r->events.at[i].allocation != 0);
            UBI_ASSERT(r->events.at[i].trace < r->traces.rows.n && r->events.at[i].kind < ubi__strtab_count(&r->kinds));
        }
}

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

static ubi__event renumbered_event(ubi__event event, const renumbering *numbers) {
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
        ubi__event event = take_first ? first->events.at[a++] : renumbered_event(second->events.at[b++], numbers);
        if (event.weight_bytes)
            out->events.at[out->events.n++] = event;
    }
    UBI_ASSERT(out->events.n <= first->events.n + second->events.n);
}

static ubi_status merge_tables(ubi__recording *out, const ubi__recording *first, const ubi__recording *second,
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
    ubi__recording_check(first);
    ubi__recording_check(second);
    ubi__recording made;
    if (first->period_bytes != second->period_bytes)
        return ubi__fail(UBI_EMISMATCH, "recordings with periods of %" PRIu64 " and %" PRIu64 " bytes cannot be merged",
                         first->period_bytes, second->period_bytes);
    UBI_TRY(ubi__recording_init(&made, first->period_bytes, first->allocator));
    ubi_status status = merge_tables(&made, first, second, &numbers);
    ubi__free_array(made.allocator, numbers.names, ubi__strtab_count(&second->traces.names), sizeof *numbers.names);
    ubi__free_array(made.allocator, numbers.traces, second->traces.rows.n, sizeof *numbers.traces);
    ubi__free_array(made.allocator, numbers.kinds, ubi__strtab_count(&second->kinds), sizeof *numbers.kinds);
    if (status == UBI_OK) {
        ubi__recording_check(&made);
        *out = made;
    } else
        ubi__recording_fini(&made);
    return status;
}

/* ---- names of addresses ------------------------------------------------------------------------------------------- */

void ubi__address_name(char text[UBI__ADDRESS_NAME_BYTES + 1], uintptr_t address) {
    memcpy(text, "0x", 2);
    for (size_t i = UBI__ADDRESS_NAME_BYTES; i-- > 2; address >>= 4)
        text[i] = "0123456789abcdef"[address & 15];
    text[UBI__ADDRESS_NAME_BYTES] = 0;
}

bool ubi__address_of_name(uintptr_t *out, ubi_text name) {
    uint64_t address = 0;
    if (name.len != UBI__ADDRESS_NAME_BYTES || memcmp(name.ptr, "0x", 2) != 0)
        return false;
    for (size_t i = 2; i < name.len; i++) {
        char c = name.ptr[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        address = address << 4 | digit;
    }
    *out = (uintptr_t)address;
    return true;
}

/* ---- naming ------------------------------------------------------------------------------------------------------- */

/* The names of one old name, outermost first, are named[first[i]] to named[first[i + 1]]. */
typedef struct naming {
    const ubi__recording *from;
    ubi__recording *to;
    const ubi__address_names *names;
    ubi__vec_u32 named;
    uint32_t *first;
    ubi__trace_ix *traces; /* numbers of old traces in `to` */
} naming;

static ubi_status take_name(void *payload, ubi_text name) {
    naming *n = payload;
    ubi_str_ix number;
    UBI_TRY(ubi__trace_table_name(&n->to->traces, &number, name));
    return ubi__vec_u32_push(&n->named, n->to->allocator, number);
}

ubi_text ubi__address_in_module(char text[UBI__MODULE_NAME_BYTES], uintptr_t address) {
    ubi__unwind_module module;
    if (!ubi__unwind_module_of(address, &module))
        snprintf(text, UBI__MODULE_NAME_BYTES, "0x%" PRIxPTR, address);
    else {
        const char *slash = strrchr(module.path, '/');
        snprintf(text, UBI__MODULE_NAME_BYTES, "%s+0x%" PRIxPTR,
                 *module.path ? slash ? slash + 1 : module.path : "(program)", address - module.bias);
    }
    return ubi__text(text);
}

static ubi_status name_by_module(naming *n, uintptr_t address) {
    char text[UBI__MODULE_NAME_BYTES];
    return take_name(n, ubi__address_in_module(text, address));
}

static ubi_status name_again(naming *n, ubi_text name) {
    uintptr_t address;
    size_t before = n->named.n;
    if (!ubi__address_of_name(&address, name))
        return take_name(n, name);
    if (n->names->name)
        UBI_TRY(n->names->name(n->names->payload, address, take_name, n));
    return n->named.n > before ? UBI_OK : name_by_module(n, address);
}

static ubi_status name_all_frames(naming *n) {
    const ubi__strtab *names = &n->from->traces.names;
    for (ubi_str_ix i = 0; i < ubi__strtab_count(names); i++) {
        n->first[i] = (uint32_t)n->named.n;
        UBI_TRY(name_again(n, ubi__strtab_get(names, i)));
    }
    n->first[ubi__strtab_count(names)] = (uint32_t)n->named.n;
    return UBI_OK;
}

static ubi_status rebuild_traces(naming *n) {
    const ubi__trace_table *old = &n->from->traces;
    n->traces[UBI__TRACE_ROOT] = UBI__TRACE_ROOT;
    for (ubi__trace_ix i = 1; i < ubi__trace_table_count(old); i++) {
        ubi__trace row = old->rows.at[i];
        ubi__trace_ix trace = n->traces[row.parent];
        for (uint32_t at = n->first[row.name]; at < n->first[row.name + 1]; at++)
            UBI_TRY(ubi__trace_table_child(&n->to->traces, &trace, trace, n->named.at[at]));
        n->traces[i] = trace;
    }
    UBI_ASSERT(n->first[ubi__strtab_count(&n->from->traces.names)] == n->named.n);
    return UBI_OK;
}

static ubi_status copy_named_events(const naming *n) {
    const ubi__recording *from = n->from;
    ubi__recording *to = n->to;
    for (ubi_str_ix i = 0; i < ubi__strtab_count(&from->kinds); i++) {
        ubi_str_ix same;
        UBI_TRY(ubi__strtab_intern(&to->kinds, &same, ubi__strtab_get(&from->kinds, i)));
    }
    UBI_TRY(ubi__vec_event_reserve(&to->events, to->allocator, from->events.n));
    for (size_t i = 0; i < from->events.n; i++) {
        ubi__event event = from->events.at[i];
        event.trace = n->traces[event.trace];
        to->events.at[to->events.n++] = event;
    }
    return UBI_OK;
}

static ubi_status name_recording(naming *n) {
    const ubi_allocator *a = n->to->allocator;
    size_t n_names = ubi__strtab_count(&n->from->traces.names), n_traces = n->from->traces.rows.n;
    n->first = ubi__alloc_array(a, n_names + 1, sizeof *n->first);
    n->traces = ubi__alloc_array(a, n_traces, sizeof *n->traces);
    ubi_status status = n->first && n->traces ? name_all_frames(n) : ubi__fail_nomem();
    if (status == UBI_OK)
        status = rebuild_traces(n);
    if (status == UBI_OK)
        status = copy_named_events(n);
    ubi__free_array(a, n->first, n_names + 1, sizeof *n->first);
    ubi__free_array(a, n->traces, n_traces, sizeof *n->traces);
    ubi__vec_u32_fini(&n->named, a);
    return status;
}

ubi_status ubi__recorded_new(ubi_recording **out, const ubi__recording *from, const ubi__address_names *names) {
    ubi_recording *made = UBI_NEW(from->allocator, ubi_recording);
    if (!made)
        return ubi__fail_nomem();
    naming n = { .from = from, .to = &made->tables, .names = names };
    ubi_status status = ubi__recording_init(&made->tables, from->period_bytes, from->allocator);
    if (status != UBI_OK) {
        UBI_DELETE(from->allocator, made);
        return status;
    }
    status = name_recording(&n);
    if (status == UBI_OK) {
        ubi__recording_check(&made->tables);
        UBI_ASSERT(made->tables.events.n == from->events.n);
        *out = made;
    } else
        ubi_recording_free(made);
    return status;
}

void ubi_recording_free(ubi_recording *recording) {
    if (!recording)
        return;
    const ubi_allocator *a = recording->tables.allocator;
    ubi__recording_fini(&recording->tables);
    UBI_DELETE(a, recording);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

uint64_t ubi_recording_period_bytes(const ubi_recording *recording) {
    return recording->tables.period_bytes;
}

uint32_t ubi_recording_name_count(const ubi_recording *recording) {
    return ubi__strtab_count(&recording->tables.traces.names);
}

ubi_text ubi_recording_name(const ubi_recording *recording, uint32_t i) {
    return ubi__strtab_get(&recording->tables.traces.names, i);
}

uint32_t ubi_recording_trace_count(const ubi_recording *recording) {
    return ubi__trace_table_count(&recording->tables.traces);
}

ubi_recorded_trace ubi_recording_trace(const ubi_recording *recording, uint32_t i) {
    ubi__trace row = recording->tables.traces.rows.at[i];
    return (ubi_recorded_trace){ row.name, row.parent };
}

uint64_t ubi_recording_event_count(const ubi_recording *recording) {
    return recording->tables.events.n;
}

ubi_recorded_event ubi_recording_event(const ubi_recording *recording, uint64_t i) {
    const ubi__event *e = &recording->tables.events.at[i];
    return (ubi_recorded_event){ .allocation = e->allocation,
                                 .size_bytes = e->size_bytes,
                                 .weight_bytes = e->weight_bytes,
                                 .time_ns = e->time_ns,
                                 .kind = ubi__strtab_get(&recording->tables.kinds, e->kind),
                                 .trace = e->trace,
                                 .thread = e->thread,
                                 .is_free = e->is_free };
}
