/* SPDX-License-Identifier: MIT
 *
 * event.h: how a marker gets into the stream of all events (events.c), and stacks of events (event_stacks.c, scripts.c).
 *
 *     ubi__context *c = ubi__event_begin();
 *     if (!c)
 *         return;
 *     uint32_t trace = ubi__event_stack(c, &registers, caller);
 *     bool has_room = ubi__chunk_has_room(c, ...);
 *     if (has_room)
 *         ubi__chunk_commit(c, ...ubi__event_put(c, control)...);
 *     ubi__event_end(has_room);
 */
#ifndef UBI_INTERPOSE_EVENT_H
#define UBI_INTERPOSE_EVENT_H

#include "interpose/context.h"

/** From here to ubi__event_end the thread's context is ours. @return NULL: nothing is recorded now, and nothing is to be ended. */
ubi__context *ubi__event_begin(void);
/** @param is_recorded  false: it counts as lost. */
void ubi__event_end(bool is_recorded);
/**
 * The number of a stack; 0: there is none. May take another chunk.
 * @param from    the innermost frame that may be part of it.
 * @param caller  a return address: when that frame was called from there, it is left out.
 */
uint32_t ubi__event_stack(ubi__context *c, const ubi__unwind_registers *from, uintptr_t caller);
/** The number of a stack that has to be walked, and is remembered if it was walked lately. 0: no room. */
uint32_t ubi__event_walked_stack(ubi__context *c, const ubi__unwind_registers *caller);
/** Modules went away, or there are interpreters. @return the stack has frames of scripts, and this number. */
bool ubi__event_is_mixed(ubi__context *c, uint32_t generation, const ubi__unwind_registers *caller, uint32_t *out);
/** Modules were unloaded: stacks restart. */
void ubi__event_renew_stacks(ubi__context *c, uint32_t generation);
/** Walks the stack; tags of its new frames are the prints of the stacks up to there. @return the print of the whole. */
uint64_t ubi__event_walk(ubi__context *c, const ubi__unwind_registers *from, ubi__walk *out);
/** A new stack gets a number, and is announced to the reader. 0: no room. @param caller  number of the stack that called. */
uint32_t ubi__event_new_trace(ubi__context *c, ubi__trace_kind kind, uint32_t caller, uintptr_t pc, uint64_t print);
/**
 * Time, stamp and operation. There is room: two times UBI__WIRE_RECORD_BYTES, with what the caller puts after it.
 * @return where to continue, to commit in the end.
 */
uint8_t *ubi__event_put(ubi__context *c, ubi__wire_control control);

#endif
