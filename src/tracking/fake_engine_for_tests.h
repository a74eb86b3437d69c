/* SPDX-License-Identifier: MIT
 *
 * fake_engine_for_tests.h: an engine of a few lines, under which tracking is tested: objects are numbers, realms two variables, a stack
 * an array of lines. And an observer's log as rows.
 */
#ifndef UBI_TRACKING_FAKE_ENGINE_FOR_TESTS_H
#define UBI_TRACKING_FAKE_ENGINE_FOR_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracking/observer.h"

#define UNUSED_STATE(state) (void)(state)

/* ---- the engine ----------------------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 40, OBJECT_BYTES = 48, GROWN_BYTES = 80, CLASS_OBJECT = 0, CLASS_ARRAY = 9 };

typedef struct fake_frame {
    const char *function;
    uint32_t line;
} fake_frame;

typedef struct fake_engine {
    ubi__tracking tracking;
    fake_frame stack[DEPTH_MAX]; /* outermost first */
    uint32_t depth;
    ubi__stack_ix held; /* a stack that the engine keeps for itself; UBI__STACK_EMPTY: none */
    bool is_watching;
    uint32_t watch_changes, described, named, forgotten;
    uint64_t now_us;
    const double *numbers; /* of the source of random numbers, over and over */
    uint32_t n_numbers, draws;
    uint64_t next_object;
} fake_engine;

static char __attribute__((unused)) realm_a, realm_b, code_of_functions[64];

static inline ubi__text_ix intern(fake_engine *e, const char *text) {
    return ubi__tracked_texts_intern(&e->tracking.texts, text, strlen(text));
}

static inline void watch(void *engine, bool on) {
    fake_engine *e = (fake_engine *)engine;
    assert_int_not_equal(e->is_watching, on);
    e->is_watching = on;
    e->watch_changes++;
}

static inline uint64_t object_bytes(void *engine, const void *object) {
    (void)engine, (void)object;
    return GROWN_BYTES;
}

static inline ubi__text_ix class_name(void *engine, uint32_t class_id) {
    ((fake_engine *)engine)->named++;
    return intern((fake_engine *)engine, class_id == CLASS_ARRAY ? "Array" : "Object");
}

static inline void describe_frame(void *engine, const void *frame, ubi__trie_frame *out) {
    fake_engine *e = (fake_engine *)engine;
    const fake_frame *described = (const fake_frame *)frame;
    e->described++;
    out->function_name = intern(e, described->function);
    out->source = intern(e, "fake.js");
    out->line = described->line;
}

static inline void forget_stacks(void *engine) {
    ((fake_engine *)engine)->forgotten++;
}

static inline void before_sweep(void *engine) {
    fake_engine *e = (fake_engine *)engine;
    ubi__frame_trie_mark(&e->tracking.frames, e->held);
}

static const ubi__tracking_engine fake_ops = { .watch = watch,
                                               .object_bytes = object_bytes,
                                               .class_name = class_name,
                                               .describe_frame = describe_frame,
                                               .forget_stacks = forget_stacks,
                                               .before_sweep = before_sweep };

static inline double draw(void *payload) {
    fake_engine *e = (fake_engine *)payload;
    return e->numbers[e->draws++ % e->n_numbers];
}

static inline uint64_t clock_us(void *payload) {
    return ((fake_engine *)payload)->now_us += 10;
}

static inline void engine_open(fake_engine *e, const ubi_allocator *allocator) {
    *e = (fake_engine){ .held = UBI__STACK_EMPTY, .next_object = 0x1000 };
    const ubi__tracking_options options = {
        .ops = &fake_ops, .engine = e, .allocator = allocator, .clock_us = clock_us, .clock_payload = e
    };
    ubi__tracking_init(&e->tracking, &options);
}

static inline void use_numbers(fake_engine *e, const double *numbers, uint32_t n) {
    e->numbers = numbers;
    e->n_numbers = n;
    ubi__sampler_init(&e->tracking.sampler, draw, e);
}

static inline void call(fake_engine *e, const char *function, uint32_t line) {
    e->stack[e->depth++] = (fake_frame){ function, line };
}

/* Functions are distinguished by the first letter of their name. */
static inline const void *code_of(const fake_frame *frame) {
    return &code_of_functions[frame->function[0] & 63];
}

static inline ubi__stack_ix capture(fake_engine *e) {
    ubi__stack_ix stack = UBI__STACK_EMPTY;
    for (uint32_t i = 0; i < e->depth && stack != UBI_NONE; i++)
        stack = ubi__tracking_frame(&e->tracking, stack, code_of(&e->stack[i]), e->stack[i].line, &e->stack[i]);
    return stack;
}

static inline void record(fake_engine *e, ubi__watched_realm *w, const void *object, uint32_t class_id) {
    ubi__birth birth = { .object = object, .stack = capture(e), .bytes = OBJECT_BYTES };
    birth.class_name = ubi__tracking_class_name(&e->tracking, class_id);
    ubi__tracking_record_birth(&e->tracking, w, &birth);
}

/* The hook, as tracking.h says it is to be written. */
static inline const void *birth_of(fake_engine *e, const void *realm, uint32_t class_id) {
    ubi__tracking *t = &e->tracking;
    const void *object = (const void *)(uintptr_t)(e->next_object += 16);
    if (!e->is_watching || !ubi__tracking_looks_at_birth(t))
        return object;
    ubi__tracking_begin_birth(t);
    ubi__watched_realm *w = ubi__watched_realm_of(t, realm);
    if (ubi__tracking_trial(t, w, object))
        record(e, w, object, class_id);
    ubi__tracking_plan_births(t);
    return object;
}

static inline const void *birth(fake_engine *e) {
    return birth_of(e, &realm_a, CLASS_OBJECT);
}

static inline void births(fake_engine *e, uint32_t n) {
    while (n-- > 0)
        ubi__tracking_object_dies(&e->tracking, birth(e));
}

static inline void track(ubi__observer *o, fake_engine *e, const void *realm) {
    ubi__observer_init(o, &e->tracking);
    assert_int_equal(ubi__observer_add_realm(o, realm), UBI_OK);
    assert_int_equal(ubi__observer_set_tracking(o, true), UBI_OK);
}

static inline void collect(fake_engine *e) {
    ubi__tracking_collection_begins(&e->tracking);
    ubi__tracking_collection_ends(&e->tracking, "FAKE", NULL);
}

/* ---- logs as rows --------------------------------------------------------------------------------------------------- */

enum { ROWS = 64 };

typedef struct rows {
    struct {
        char class_name[16], constructor[16], function[16];
        uint32_t line, depth;
        double time_ms;
        uint64_t bytes;
    } at[ROWS];
    uint32_t n, stop_at; /* refuses the row with this number; 0: none */
} rows;

static inline void copy_text(char to[16], ubi_text text) {
    snprintf(to, 16, "%.*s", text.ptr ? (int)text.len : 1, text.ptr ? text.ptr : "-");
}

static inline bool take_row(void *payload, const ubi_logged_allocation *a) {
    rows *all = (rows *)payload;
    if (all->stop_at && all->n == all->stop_at)
        return false;
    assert_true(all->n < ROWS);
    uint32_t i = all->n++;
    copy_text(all->at[i].class_name, a->class_name);
    copy_text(all->at[i].constructor, a->constructor_name);
    all->at[i].time_ms = a->timestamp_ms;
    all->at[i].bytes = a->size_bytes;
    for (ubi_stack stack = a->frame; a->has_frame;) {
        ubi_frame frame;
        ubi_stack_frame(stack, &frame);
        if (all->at[i].depth++ == 0) {
            copy_text(all->at[i].function, frame.function_name);
            all->at[i].line = frame.line;
        }
        if (!ubi_stack_parent(stack, &stack))
            break;
    }
    return true;
}

static inline rows drain(ubi__observer *o) {
    rows all = { .n = 0 };
    assert_int_equal(ubi__observer_drain(o, take_row, &all), UBI_OK);
    return all;
}

#endif
