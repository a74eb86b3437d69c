/* SPDX-License-Identifier: MIT
 *
 * event_stacks.c: stacks that an event meets for the first time, or that have to be walked: they get numbers, and the reader learns of
 * them and of the modules that they are in (event.h).
 */
#include <string.h>

#include "base/assert.h"
#include "interpose/chunk_writer.h"
#include "interpose/event.h"
#include "interpose/pages.h"
#include "interpose/process_maps.h"
#include "interpose/python.h"
#include "interpose/scripts.h"

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t n) {
    memcpy(at, bytes, n);
    return at + n;
}

static void write_module(ubi__context *c, const ubi__unwind_module *module) {
    size_t path_bytes = strnlen(module->path, UBI__WIRE_PATH_BYTES);
    size_t id_bytes = module->build_id_bytes <= UBI__WIRE_BUILD_ID_BYTES ? module->build_id_bytes : 0;
    if (!ubi__chunk_has_room(c, UBI__WIRE_MODULE_BYTES))
        return;
    uint8_t *at = c->at;
    *at++ = UBI__OP_CONTROL | UBI__CONTROL_MODULE << UBI__OP_KIND_SHIFT;
    at = ubi__wire_put(at, module->low);
    at = ubi__wire_put(at, module->high - module->low);
    at = ubi__wire_put(at, module->bias);
    at = ubi__wire_put(at, path_bytes);
    at = ubi__wire_put(at, id_bytes);
    at = put_bytes(at, module->path, path_bytes);
    at = put_bytes(at, module->build_id, id_bytes);
    ubi__chunk_commit(c, at);
}

/* A library that was asked for by a relative path is recorded with its absolute one. */
static void write_relative_module(ubi__context *c, ubi__unwind_module *module) {
    char *path = ubi__pages(UBI__WIRE_PATH_BYTES);
    if (path && ubi__mapped_path(module->low, path, UBI__WIRE_PATH_BYTES))
        module->path = path;
    write_module(c, module);
    if (path)
        ubi__pages_free(path, UBI__WIRE_PATH_BYTES);
}

/* Announces the module that has this code. Code of no module is looked for each time: it is rare, and may get one. */
static __attribute__((noinline)) void introduce_module(ubi__context *c, uintptr_t pc) {
    ubi__unwind_module module;
    if (!ubi__unwind_module_of(pc, &module))
        return;
    ubi__python_look(&module);
    if (module.path[0] == '/' || !module.path[0]) /* "": the program */
        write_module(c, &module);
    else
        write_relative_module(c, &module);
    ubi__context_learn(c, module.low, module.high);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

uint32_t ubi__event_new_trace(ubi__context *c, ubi__trace_kind kind, uint32_t caller, uintptr_t pc, uint64_t print) {
    if (kind != UBI__TRACE_TRUNCATED && !ubi__context_knows(c, pc - 1))
        introduce_module(c, pc);
    if (!ubi__chunk_has_room(c, UBI__WIRE_RECORD_BYTES))
        return 0;
    uint32_t number = ubi__trace_tree_add(&c->tree, print);
    if (!number)
        return 0;
    uint8_t *at = c->at;
    *at++ = (uint8_t)(UBI__OP_TRACE | (unsigned)kind << UBI__OP_KIND_SHIFT);
    UBI_ASSERT(caller < number);
    at = ubi__wire_put(at, kind == UBI__TRACE_FRAME ? number - caller : 0);
    at = ubi__wire_put(at, ubi__wire_zigzag(pc - c->last_pc));
    c->last_pc = pc;
    ubi__chunk_commit(c, at);
    return number;
}

/* The print of what replaces frames that could not be found. */
static uint64_t print_of_root(const ubi__walk *walk) {
    switch (walk->end) {
    case UBI__UNWIND_COMPLETE:
        break;
    case UBI__UNWIND_TRUNCATED:
        return UBI__TRACE_ROOT_TRUNCATED;
    case UBI__UNWIND_FAILED:
        return ubi__trace_print(UBI__TRACE_ROOT_FAILED, walk->failed_pc);
    }
    return UBI__TRACE_ROOT_OUTERMOST;
}

/* The number of what called the outermost new frame. False: no room. @param out  0: no caller */
static bool number_of_base(ubi__context *c, const ubi__walk *walk, uint32_t *out) {
    bool is_failed = walk->end == UBI__UNWIND_FAILED;
    uint64_t print = walk->base_tag ? walk->base_tag : print_of_root(walk);
    *out = 0;
    if (print == UBI__TRACE_ROOT_OUTERMOST)
        return true;
    *out = ubi__trace_tree_find(&c->tree, print);
    if (!*out && !walk->base_tag)
        *out = ubi__event_new_trace(c, is_failed ? UBI__TRACE_FAILED : UBI__TRACE_TRUNCATED, 0,
                                    is_failed ? walk->failed_pc : 0, print);
    return *out != 0;
}

/* Numbers for a stack that has none, and for those that called it, as far as they have none either. 0: no room. */
static __attribute__((noinline)) uint32_t new_stack(ubi__context *c, const ubi__walk *walk) {
    uint32_t number = 0;
    size_t i = 1;
    while (i < walk->n && !(number = ubi__trace_tree_find(&c->tree, walk->tags[i])))
        i++;
    if (i >= walk->n && !number_of_base(c, walk, &number))
        return 0;
    do {
        i--;
        number = ubi__event_new_trace(c, UBI__TRACE_FRAME, number, walk->pcs[i], walk->tags[i]);
    } while (number && i > 0);
    return number;
}

/* The preface of the next chunk says so. */
__attribute__((noinline)) void ubi__event_renew_stacks(ubi__context *c, uint32_t generation) {
    c->module_generation = generation;
    ubi__context_renew(c);
    (void)ubi__chunk_next(c);
}

uint64_t ubi__event_walk(ubi__context *c, const ubi__unwind_registers *from, ubi__walk *out) {
    ubi__unwind(&c->unwinder, from, out);
    uint64_t print = out->base_tag ? out->base_tag : print_of_root(out);
    for (size_t i = out->n; i-- > 0;)
        out->tags[i] = print = ubi__trace_print(print, out->pcs[i]);
    return print;
}

/* What called the new frames was walked for a stack with frames of scripts, and has no number as a native one. */
static bool is_base_strange(const ubi__context *c, const ubi__walk *walk) {
    return walk->base_tag && !ubi__trace_tree_find(&c->tree, walk->base_tag);
}

/* Whether a stack was walked lately: only then it is likely to come again, and worth remembering. Sometimes it says so of another. */
static inline bool was_walked_lately(ubi__context *c, uint64_t print) {
    uint16_t *lately = &c->walked[print % UBI__WALKED_LATELY], part = (uint16_t)(print >> 48);
    bool was_walked = *lately == part;
    *lately = part;
    return was_walked;
}

/* Walks, and has the stack remembered while its number comes from memory. @param place  out: where that goes; NULL: nowhere */
static inline uint32_t walk_and_find(ubi__context *c, const ubi__unwind_registers *caller, ubi__walk *walk,
                                     uint32_t **place) {
    uint64_t print = ubi__event_walk(c, caller, walk);
    ubi__trace_tree_prefetch(&c->tree, print);
    /* Samples are too rare to be worth the memory. */
    bool is_worth_it = ubi__process_state.is_exact && was_walked_lately(c, print);
    *place = is_worth_it ? ubi__unwind_remember_as(&c->unwinder, caller) : NULL;
    return ubi__trace_tree_find(&c->tree, print);
}

__attribute__((noinline)) uint32_t ubi__event_walked_stack(ubi__context *c, const ubi__unwind_registers *caller) {
    ubi__walk walk;
    uint32_t *place, number = walk_and_find(c, caller, &walk, &place);
    if (ubi__unlikely(!number) && is_base_strange(c, &walk)) {
        ubi__unwinder_forget_walk(&c->unwinder);
        number = walk_and_find(c, caller, &walk, &place);
    }
    if (!walk.base_tag && walk.end == UBI__UNWIND_FAILED)
        atomic_fetch_add_explicit(&c->area->failed_walks, 1, memory_order_relaxed);
    if (ubi__unlikely(!number) && !(number = new_stack(c, &walk))) {
        ubi__unwinder_forget_walk(&c->unwinder); /* nothing of it may be taken for known */
        return 0;
    }
    if (place && !(number & UBI__SCRIPTS_NUMBER))
        *place = number;
    return number;
}

__attribute__((noinline)) bool ubi__event_is_mixed(ubi__context *c, uint32_t generation,
                                                   const ubi__unwind_registers *caller, uint32_t *out) {
    if ((generation & ~UBI__SCRIPTS_THERE) != c->module_generation)
        ubi__event_renew_stacks(c, generation & ~UBI__SCRIPTS_THERE);
    return generation & UBI__SCRIPTS_THERE && ubi__scripts_stack(c, caller, out);
}
