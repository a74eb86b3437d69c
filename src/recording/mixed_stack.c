/* SPDX-License-Identifier: MIT
 *
 * mixed_stack.c: see mixed_stack.h.
 */
#include "recording/mixed_stack.h"

#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "recording/recording.h"

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static void *map_pages(void *payload, size_t size_bytes) {
    (void)payload;
    const ubi_allocator *pages = ubi__allocator_of_pages();
    return pages->alloc(pages->ctx, size_bytes);
}

static void unmap_pages(void *payload, void *p, size_t size_bytes) {
    (void)payload;
    const ubi_allocator *pages = ubi__allocator_of_pages();
    pages->free(pages->ctx, p, size_bytes);
}

ubi_status ubi__mixed_stack_init(ubi__mixed_stack *m, const ubi_allocator *allocator) {
    static const ubi__unwind_memory memory = { map_pages, unmap_pages, NULL };
    *m = (ubi__mixed_stack){ .allocator = ubi__allocator_or_default(allocator) };
    m->has_walker = ubi__unwinder_init(&m->walker, &memory, 1); /* it remembers rules only */
    m->native = ubi__alloc_array(m->allocator, UBI__MIXED_DEPTH, sizeof *m->native);
    m->states = ubi__alloc_array(m->allocator, UBI__MIXED_DEPTH, sizeof *m->states);
    m->known = ubi__calloc_array(m->allocator, UBI__KNOWN_ADDRESSES, sizeof *m->known);
    if (m->has_walker && m->native && m->states && m->known)
        return UBI_OK;
    ubi__mixed_stack_fini(m);
    return ubi__fail_nomem();
}

void ubi__mixed_stack_fini(ubi__mixed_stack *m) {
    if (m->has_walker)
        ubi__unwinder_fini(&m->walker);
    ubi__free_array(m->allocator, m->native, UBI__MIXED_DEPTH, sizeof *m->native);
    ubi__free_array(m->allocator, m->states, UBI__MIXED_DEPTH, sizeof *m->states);
    ubi__free_array(m->allocator, m->known, UBI__KNOWN_ADDRESSES, sizeof *m->known);
    ubi__vec_u32_fini(&m->names, m->allocator);
    m->has_walker = false;
    m->native = NULL;
    m->states = NULL;
    m->known = NULL;
}

/* ---- what is known about addresses ----------------------------------------------------------------------------------- */

static ubi__known_address *known_about(ubi__mixed_stack *m, uintptr_t pc) {
    ubi__known_address *known = &m->known[(pc ^ pc >> 12) % UBI__KNOWN_ADDRESSES];
    if (known->pc != pc)
        *known = (ubi__known_address){ .pc = pc };
    return known;
}

static bool is_in_function(ubi__mixed_stack *m, uintptr_t pc, uintptr_t function) {
    ubi__known_address *known = known_about(m, pc);
    if (function == 0)
        return false;
    if (!known->is_looked_up) {
        known->is_looked_up = true;
        known->function = ubi__unwind_function_of(pc);
    }
    return known->function == function;
}

static bool is_hook(ubi__mixed_stack *m, uintptr_t pc, const ubi_profiler_source *source) {
    bool is = false;
    for (size_t i = 0; i < sizeof source->hooks / sizeof *source->hooks; i++)
        is = is || is_in_function(m, pc, source->hooks[i]);
    return is;
}

void ubi__mixed_stack_forget(ubi__mixed_stack *m) {
    memset(m->known, 0, UBI__KNOWN_ADDRESSES * sizeof *m->known);
    ubi__unwinder_forget_modules(&m->walker);
}

/* ---- both together ------------------------------------------------------------------------------------------------ */

typedef struct merging {
    ubi__mixed_stack *m;
    ubi__trace_table *traces;
    ubi__native_rest rest; /* native frames that are not recorded yet begin at `next` */
} merging;

static ubi_status report_name(merging *g, ubi_str_ix name) {
    if (g->m->names.n == UBI__MIXED_DEPTH) /* the outer ones are not recorded */
        return UBI_OK;
    return ubi__vec_u32_push(&g->m->names, g->m->allocator, name);
}

static ubi_status report_native(merging *g, const ubi__native_frame *frame) {
    ubi__known_address *known = known_about(g->m, frame->pc);
    char text[UBI__ADDRESS_NAME_BYTES + 1];
    if (known->traces != g->traces) {
        ubi__address_name(text, frame->pc);
        UBI_TRY(ubi__trace_table_name(g->traces, &known->name, (ubi_text){ text, UBI__ADDRESS_NAME_BYTES }));
        known->traces = g->traces;
    }
    return report_name(g, known->name);
}

/* A text that is put together; what does not fit is left out. */
typedef struct label {
    char at[1024];
    size_t n;
} label;

static void label_put(label *l, ubi_text text, size_t most) {
    size_t room = sizeof l->at - l->n, n = text.len < most ? text.len : most;
    n = n < room ? n : room;
    if (n)
        memcpy(l->at + l->n, text.ptr, n);
    l->n += n;
    UBI_ASSERT(l->n <= sizeof l->at);
}

static void label_put_number(label *l, uint32_t number) {
    char digits[10];
    size_t first = sizeof digits;
    do
        digits[--first] = (char)('0' + number % 10);
    while (number /= 10);
    label_put(l, ubi__text(":"), 1);
    label_put(l, (ubi_text){ digits + first, sizeof digits - first }, sizeof digits);
}

/* "function (file:line:column)" */
static ubi_status report_script(merging *g, const ubi_profiler_frame *frame) {
    enum { NAME_BYTES = 512, SOURCE_BYTES = 384 };
    label l = { .n = 0 };
    ubi_str_ix number;
    label_put(&l, frame->function_name.len ? frame->function_name : ubi__text("anonymous"), NAME_BYTES);
    label_put(&l, ubi__text(" ("), 2);
    label_put(&l, frame->source, SOURCE_BYTES);
    if (frame->line)
        label_put_number(&l, frame->line);
    if (frame->line && frame->column)
        label_put_number(&l, frame->column);
    label_put(&l, ubi__text(")"), 1);
    UBI_TRY(ubi__trace_table_name(g->traces, &number, (ubi_text){ l.at, l.n }));
    return report_name(g, number);
}

/* Native frames up to one, without those in which the interpreter runs no script. */
static ubi_status report_natives(merging *g, size_t end) {
    ubi__native_rest *r = &g->rest;
    UBI_ASSERT(r->next <= end && end <= r->n_native);
    for (; r->next < end; r->next++)
        if (!r->native[r->next].is_interpreter)
            UBI_TRY(report_native(g, &r->native[r->next]));
    return UBI_OK;
}

static ubi_status take_script_frame(void *payload, const ubi_profiler_frame *frame) {
    merging *g = payload;
    ubi__script_place place = { frame->stack_address, frame->resumer_address };
    size_t at = ubi__native_of_script(&g->rest, place);
    if (at < g->rest.n_native) {
        UBI_TRY(report_natives(g, at));
        g->rest.next = at + 1;
    } else if (ubi__is_beyond_native(&g->rest, place)) {
        UBI_TRY(report_natives(g, g->rest.n_native));
    }
    return report_script(g, frame);
}

ubi_status ubi__mixed_stack_merge(ubi__mixed_stack *m, const ubi_profiler_source *source,
                                  const ubi__native_frame *native, size_t n_native, ubi__trace_table *traces,
                                  ubi__trace_ix *out) {
    merging g = { .m = m, .traces = traces, .rest = { native, n_native, 0 } };
    ubi__trace_ix trace = UBI__TRACE_ROOT;
    m->names.n = 0;
    UBI_TRY(source->frames(source->payload, take_script_frame, &g));
    UBI_TRY(report_natives(&g, n_native));
    for (size_t i = m->names.n; i > 0; i--)
        UBI_TRY(ubi__trace_table_child(traces, &trace, trace, m->names.at[i - 1]));
    UBI_ASSERT(g.rest.next == n_native && m->names.n <= UBI__MIXED_DEPTH);
    *out = trace;
    return UBI_OK;
}

/* ---- this thread's ------------------------------------------------------------------------------------------------ */

void ubi__mixed_stack_set_stack(ubi__mixed_stack *m, uintptr_t low, uintptr_t high) {
    if (m->walker.stack_low != low || m->walker.stack_high != high)
        ubi__unwinder_set_stack(&m->walker, low, high);
}

/* Native frames, innermost first, without those that end below the hook's, and without hooks that called it. */
static size_t read_native(ubi__mixed_stack *m, const ubi_profiler_source *source, uintptr_t hook_frame) {
    ubi__unwind_registers here = ubi__unwind_here();
    ubi__unwind_end end;
    size_t n = ubi__unwind_states(&m->walker, &here, m->states, UBI__MIXED_DEPTH, &end), told = 0;
    for (size_t i = 0; i < n; i++) {
        uintptr_t low = m->states[i].sp, high = i + 1 < n ? m->states[i + 1].sp : UINTPTR_MAX;
        if (low <= hook_frame || (told == 0 && is_hook(m, m->states[i].pc, source)))
            continue;
        m->native[told++] =
            (ubi__native_frame){ m->states[i].pc, low, high, is_in_function(m, m->states[i].pc, source->interpreter) };
    }
    return told;
}

ubi_status ubi__mixed_stack_trace(ubi__mixed_stack *m, const ubi_profiler_source *source, uintptr_t hook_frame,
                                  ubi__trace_table *traces, ubi__trace_ix *out) {
    size_t n = read_native(m, source, hook_frame);
    return ubi__mixed_stack_merge(m, source, m->native, n, traces, out);
}
