/* SPDX-License-Identifier: MIT
 *
 * native_stacks.c: see ubiheap/extension/native_stacks.h.
 *
 * Stacks are traces of the memory profiler without frames of scripts: an address is its own name until it is asked for.
 */
#include <ubiheap/extension/native_stacks.h>

#include <pthread.h>

#include "base/assert.h"
#include "recording/mixed_stack.h"
#include "recording/recording.h"

struct ubi_native_stacks {
    const ubi_allocator *allocator;
    ubi__mixed_stack walk;
    ubi__trace_table traces;
    pthread_t thread; /* whose stack the walk knows */
    bool knows_stack;
};

ubi_status ubi_native_stacks_new(ubi_native_stacks **out, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi_native_stacks *stacks = UBI_NEW(a, ubi_native_stacks);
    if (!stacks)
        return ubi__fail_nomem();
    stacks->allocator = a;
    ubi_status status = ubi__trace_table_init(&stacks->traces, a);
    if (status != UBI_OK) {
        UBI_DELETE(a, stacks);
        return status;
    }
    status = ubi__mixed_stack_init(&stacks->walk, a);
    if (status != UBI_OK) {
        ubi__trace_table_fini(&stacks->traces);
        UBI_DELETE(a, stacks);
        return status;
    }
    *out = stacks;
    return UBI_OK;
}

void ubi_native_stacks_free(ubi_native_stacks *stacks) {
    if (!stacks)
        return;
    ubi__mixed_stack_fini(&stacks->walk);
    ubi__trace_table_fini(&stacks->traces);
    UBI_DELETE(stacks->allocator, stacks);
}

/* ---- capturing ---------------------------------------------------------------------------------------------------- */

static void stacks_find_thread(ubi_native_stacks *stacks) {
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size_bytes = 0;
    if (stacks->knows_stack && pthread_equal(stacks->thread, pthread_self()))
        return;
    stacks->thread = pthread_self();
    stacks->knows_stack = true;
    if (pthread_getattr_np(stacks->thread, &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &low, &size_bytes) != 0)
            size_bytes = 0;
        pthread_attr_destroy(&attributes);
    }
    ubi__mixed_stack_set_stack(&stacks->walk, size_bytes ? (uintptr_t)low : 0,
                               size_bytes ? (uintptr_t)low + size_bytes : 0);
}

static ubi_status no_scripts(void *payload, ubi_profiler_frame_fn fn, void *fn_payload) {
    (void)payload, (void)fn, (void)fn_payload;
    return UBI_OK;
}

uint32_t ubi_native_stacks_capture(ubi_native_stacks *stacks, uintptr_t hook_frame) {
    static const ubi_profiler_source source = { .frames = no_scripts };
    ubi__trace_ix trace;
    stacks_find_thread(stacks);
    if (ubi__mixed_stack_trace(&stacks->walk, &source, hook_frame, &stacks->traces, &trace) != UBI_OK)
        return 0;
    return trace;
}

/* ---- naming ------------------------------------------------------------------------------------------------------- */

/* The names of one address come outermost first. */
typedef struct inner_names {
    const ubi_allocator *allocator;
    ubi__strtab texts;
    ubi__vec_u32 order;
} inner_names;

static ubi_status inner_names_take(void *payload, ubi_text name) {
    inner_names *inner = payload;
    ubi_str_ix number;
    UBI_TRY(ubi__strtab_intern(&inner->texts, &number, name));
    return ubi__vec_u32_push(&inner->order, inner->allocator, number);
}

static ubi_status report_frame(inner_names *inner, uintptr_t address, const ubi_native_names *names,
                               ubi_profiler_name_fn fn, void *payload) {
    char text[UBI__MODULE_NAME_BYTES];
    inner->order.n = 0;
    if (names && names->name_address)
        UBI_TRY(names->name_address(names->payload, address, inner_names_take, inner));
    for (size_t i = inner->order.n; i > 0; i--)
        UBI_TRY(fn(payload, ubi__strtab_get(&inner->texts, inner->order.at[i - 1])));
    return inner->order.n ? UBI_OK : fn(payload, ubi__address_in_module(text, address));
}

static ubi_status report_frames(const ubi_native_stacks *stacks, uint32_t stack, inner_names *inner,
                                const ubi_native_names *names, ubi_profiler_name_fn fn, void *payload) {
    for (ubi__trace_ix at = stack; at != UBI__TRACE_ROOT;) {
        ubi__trace row = stacks->traces.rows.at[UBI_INDEX(at, stacks->traces.rows.n)];
        uintptr_t address;
        if (ubi__address_of_name(&address, ubi__strtab_get(&stacks->traces.names, row.name)))
            UBI_TRY(report_frame(inner, address, names, fn, payload));
        at = row.parent;
    }
    return UBI_OK;
}

ubi_status ubi_native_stacks_frames(const ubi_native_stacks *stacks, uint32_t stack, const ubi_native_names *names,
                                    ubi_profiler_name_fn fn, void *payload) {
    inner_names inner = { .allocator = stacks->allocator };
    if (stack >= ubi__trace_table_count(&stacks->traces))
        return ubi__fail(UBI_EINVAL, "there is no stack %u", (unsigned)stack);
    ubi__strtab_init(&inner.texts, stacks->allocator);
    ubi_status status = report_frames(stacks, stack, &inner, names, fn, payload);
    ubi__vec_u32_fini(&inner.order, stacks->allocator);
    ubi__strtab_fini(&inner.texts);
    return status;
}

uintptr_t ubi_native_function_of(uintptr_t return_address) {
    return ubi__unwind_function_of(return_address);
}
