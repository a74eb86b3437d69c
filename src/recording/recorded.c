/* SPDX-License-Identifier: MIT
 *
 * recorded.c: see recorded.h.
 *
 * While it is recorded, a native frame is called by its address, for names are costly. Afterwards each address is named
 * once. Two addresses may have one name, and one address several (inlined functions), so traces are put together anew.
 */
#include "recording/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "unwind/unwind.h"

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

/* "libm.so.6+0x1a2b": what is always known. */
static ubi_status name_by_module(naming *n, uintptr_t address) {
    ubi__unwind_module module;
    char text[512];
    if (!ubi__unwind_module_of(address, &module))
        snprintf(text, sizeof text, "0x%" PRIxPTR, address);
    else {
        const char *slash = strrchr(module.path, '/');
        snprintf(text, sizeof text, "%s+0x%" PRIxPTR, *module.path ? slash ? slash + 1 : module.path : "(program)",
                 address - module.bias);
    }
    return take_name(n, ubi__text(text));
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

static ubi_status name_all(naming *n) {
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
    return UBI_OK;
}

static ubi_status copy_events(const naming *n) {
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

static ubi_status rename_into(naming *n) {
    const ubi_allocator *a = n->to->allocator;
    size_t n_names = ubi__strtab_count(&n->from->traces.names), n_traces = n->from->traces.rows.n;
    n->first = ubi__alloc_array(a, n_names + 1, sizeof *n->first);
    n->traces = ubi__alloc_array(a, n_traces, sizeof *n->traces);
    ubi_status status = n->first && n->traces ? name_all(n) : ubi__fail_nomem();
    if (status == UBI_OK)
        status = rebuild_traces(n);
    if (status == UBI_OK)
        status = copy_events(n);
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
    status = rename_into(&n);
    if (status == UBI_OK)
        *out = made;
    else
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
