/* SPDX-License-Identifier: MIT
 *
 * saved_frame_fuzz.c: hostile stacks as SavedFrames: names of any bytes, deep ones, many with frames in common.
 *
 * Promises checked: equal stacks are one object; a script that walks it meets as many frames as there are, with their lines and
 * columns; nothing that it calls on a frame throws or changes it; all frames die with the last that holds them.
 */
#include "engines/quickjs/js_saved_frame.h"
#include "engines/quickjs/runtime_for_tests.h"

#include "fuzz_heaps.h"

#define FRAMES_MOST 200
#define STACKS_MOST 6

static const char walk[] =
    "(function (frame) {"
    "    let sum = 0;"
    "    for (let at = frame; at; at = at.parent) {"
    "        sum = (sum * 31 + at.line * 7 + at.column) % 1000003;"
    "        if (typeof at.source !== 'string' || typeof at.toString() !== 'string') throw Error('no text');"
    "        const name = at.functionDisplayName;"
    "        if (name !== null && typeof name !== 'string') throw Error('no name');"
    "        at.line = 5; at.extra = 1; delete at.source;"
    "        if ('extra' in at) throw Error('not frozen');"
    "    }"
    "    return sum;"
    "})";

typedef struct made_frame {
    ubi_text source, name;
    uint32_t line, column;
    uint32_t parent; /* an earlier one, or UBI_NONE */
} made_frame;

static made_frame frames[FRAMES_MOST];

static void describe(ubi_stack stack, ubi_frame *out) {
    const made_frame *f = &frames[stack.ref];
    *out = (ubi_frame){ .source = f->source, .function_name = f->name, .line = f->line, .column = f->column };
}

static bool step_to_parent(ubi_stack stack, ubi_stack *out) {
    uint32_t parent = frames[stack.ref].parent;
    if (parent == UBI_NONE)
        return false;
    *out = (ubi_stack){ stack.ops, stack.owner, parent };
    return true;
}

static const ubi_stack_ops ops = { describe, step_to_parent };

/* Up to 15 bytes of the input, as they are. */
static ubi_text take_text(feeder *f) {
    size_t n = fuzz_take(f) & 15;
    n = n < f->left ? n : f->left;
    ubi_text text = { (const char *)f->at, n };
    f->at += n;
    f->left -= n;
    return text;
}

static uint32_t take_number(feeder *f) {
    uint32_t number = fuzz_take(f);
    return number < 250 ? number : number << 24 | fuzz_take(f);
}

static uint32_t make_frames(feeder *f) {
    uint32_t n = 1 + fuzz_take(f) % FRAMES_MOST;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t back = fuzz_take(f);
        ubi_text nothing = { NULL, 0 };
        frames[i] = (made_frame){ .source = take_text(f),
                                  .name = back & 1 ? take_text(f) : nothing,
                                  .line = take_number(f),
                                  .column = take_number(f),
                                  .parent = back / 2 < i ? i - 1 - back / 2 : UBI_NONE };
    }
    return n;
}

static uint32_t expected_sum(uint32_t frame) {
    uint64_t sum = 0;
    for (uint32_t at = frame; at != UBI_NONE; at = frames[at].parent)
        sum = (sum * 31 + (uint64_t)frames[at].line * 7 + frames[at].column) % 1000003;
    return (uint32_t)sum;
}

static void check(JSContext *ctx, JSValueConst walker, uint32_t frame) {
    ubi_stack stack = { &ops, NULL, frame };
    JSValue one = ubi__saved_frame_of(ctx, stack), again = ubi__saved_frame_of(ctx, stack);
    require(JS_IsObject(one) && JS_IsObject(again), "no frame");
    require(JS_VALUE_GET_PTR(one) == JS_VALUE_GET_PTR(again), "equal stacks are two objects");
    JSValue sum = JS_Call(ctx, walker, JS_UNDEFINED, 1, &one);
    uint32_t number = 0;
    require(!JS_IsException(sum) && JS_ToUint32(ctx, &number, sum) == 0, "a script cannot walk over a frame");
    require(number == expected_sum(frame), "a script meets other frames");
    JS_FreeValue(ctx, one);
    JS_FreeValue(ctx, again);
}

static test_runtime *runtime(void) {
    static test_runtime t;
    if (!t.rt) {
        t = test_runtime_new();
        require(ubi__js_realm_need(t.ctx, t.tools) == 0, "no realm");
    }
    return &t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    test_runtime *t = runtime();
    JSValue walker = JS_Eval(t->ctx, walk, sizeof walk - 1, "walk.js", JS_EVAL_TYPE_GLOBAL);
    require(JS_IsObject(walker), "no script");
    uint32_t n_stacks = 1 + fuzz_take(&f) % STACKS_MOST, n = make_frames(&f);
    for (uint32_t i = 0; i < n_stacks; i++)
        check(t->ctx, walker, fuzz_take(&f) % n);
    JS_FreeValue(t->ctx, walker);
    return 0;
}
