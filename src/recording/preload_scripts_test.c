/* SPDX-License-Identifier: MIT
 *
 * Tests of what preload_stream.c makes of functions and frames of scripts, which a program wrote well or not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "fail_allocator.h"
#include "recording/preload_collector.h"

/* ---- what comes out ----------------------------------------------------------------------------------------------- */

typedef struct world {
    char told[2048]; /* "function(file:line:column)<caller ", "+size@trace " */
    size_t n;
    uint32_t n_traces, n_threads;
} world;

static void world_note(world *w, const char *format, ...) {
    va_list more;
    va_start(more, format);
    int n = vsnprintf(w->told + w->n, sizeof w->told - w->n, format, more);
    va_end(more);
    if (n > 0 && (size_t)n < sizeof w->told - w->n)
        w->n += (size_t)n;
}

static ubi_status world_module(void *payload, uint32_t *out, const ubi__preload_module *module) {
    (void)payload, (void)module;
    *out = 0;
    return UBI_OK;
}

static ubi_status world_trace(void *payload, uint32_t *out, ubi__trace_kind kind, uint32_t caller, uint32_t module,
                              uint64_t address) {
    world *w = payload;
    (void)module;
    assert_true(kind < UBI__TRACE_KINDS && kind != UBI__TRACE_SCRIPT && caller <= w->n_traces);
    world_note(w, "%d<%u ", (int)address, caller);
    *out = ++w->n_traces;
    return UBI_OK;
}

static ubi_status world_script(void *payload, uint32_t *out, uint32_t caller, const ubi__preload_script *frame) {
    world *w = payload;
    assert_true(caller <= w->n_traces);
    assert_true(frame->function.len <= UBI__WIRE_FUNCTION_BYTES && frame->file.len <= UBI__WIRE_PATH_BYTES);
    world_note(w, "%.*s(%.*s:%u:%u)<%u ", (int)frame->function.len, frame->function.ptr, (int)frame->file.len,
               frame->file.ptr, frame->line, frame->column, caller);
    *out = ++w->n_traces;
    return UBI_OK;
}

static ubi_status world_thread(void *payload, uint32_t *out, uint64_t tid) {
    (void)tid;
    *out = ((world *)payload)->n_threads++;
    return UBI_OK;
}

static ubi_status world_alloc(void *payload, const ubi__preload_alloc *e) {
    world_note(payload, "+%d@%u ", (int)e->size_bytes, e->trace);
    if (e->script_class)
        world_note(payload, "class %u ", e->script_class);
    return UBI_OK;
}

static ubi_status world_class(void *payload, uint32_t *out, ubi_text name) {
    world_note(payload, "is(%.*s) ", (int)name.len, name.ptr);
    *out = name.len % 10; /* of ten bytes: not distinguished */
    return UBI_OK;
}

static ubi_status world_free(void *payload, const ubi__preload_free *e) {
    (void)payload, (void)e;
    return UBI_OK;
}

static ubi_status world_cut(void *payload, const ubi__preload_cut *e) {
    (void)payload, (void)e;
    return UBI_OK;
}

/* ---- a program that writes --------------------------------------------------------------------------------------- */

typedef struct chunk {
    uint8_t bytes[512];
    size_t n;
    uint32_t n_traces;
} chunk;

static void chunk_number_put(chunk *c, uint64_t number) {
    c->n = (size_t)(ubi__wire_put(c->bytes + c->n, number) - c->bytes);
}

static void put_function(chunk *c, uint64_t number, const char *name, const char *file) {
    chunk_number_put(c, UBI__OP_CONTROL | UBI__CONTROL_FUNCTION << UBI__OP_KIND_SHIFT);
    chunk_number_put(c, number);
    chunk_number_put(c, strlen(name));
    chunk_number_put(c, strlen(file));
    memcpy(c->bytes + c->n, name, strlen(name));
    memcpy(c->bytes + c->n + strlen(name), file, strlen(file));
    c->n += strlen(name) + strlen(file);
}

static void put_script(chunk *c, uint32_t caller, uint64_t function, uint64_t line) {
    chunk_number_put(c, UBI__OP_TRACE | UBI__TRACE_SCRIPT << UBI__OP_KIND_SHIFT);
    chunk_number_put(c, ++c->n_traces - caller);
    chunk_number_put(c, function);
    chunk_number_put(c, line);
    chunk_number_put(c, 3);
}

static void put_native(chunk *c, uint32_t caller, uint64_t pc) {
    chunk_number_put(c, UBI__OP_TRACE);
    chunk_number_put(c, ++c->n_traces - caller);
    chunk_number_put(c, ubi__wire_zigzag(pc));
}

static void put_alloc(chunk *c, uint64_t size) {
    chunk_number_put(c, UBI__OP_ALLOC);
    chunk_number_put(c, ubi__wire_zigzag(0x1000));
    chunk_number_put(c, size);
    chunk_number_put(c, ubi__wire_zigzag(c->n_traces));
}

static void operation_put(chunk *c, unsigned operation) {
    c->bytes[c->n++] = (uint8_t)operation;
}

static void put_class(chunk *c, uint64_t number, const char *name) {
    operation_put(c, UBI__OP_CONTROL | UBI__CONTROL_CLASS << UBI__OP_KIND_SHIFT);
    chunk_number_put(c, number);
    chunk_number_put(c, strlen(name));
    memcpy(c->bytes + c->n, name, strlen(name));
    c->n += strlen(name);
}

/* Addresses are those of put_alloc, plus 16 for each before. */
static void put_block(chunk *c, unsigned kind, uint64_t size) {
    operation_put(c, UBI__OP_ALLOC | kind << UBI__OP_KIND_SHIFT);
    chunk_number_put(c, ubi__wire_zigzag(16));
    chunk_number_put(c, size);
    chunk_number_put(c, ubi__wire_zigzag(0));
}

/* The last block is given to realloc, which makes another one. */
static void put_grown(chunk *c, uint64_t size) {
    operation_put(c, UBI__OP_FREE | UBI__FREE_REALLOC << UBI__OP_KIND_SHIFT);
    chunk_number_put(c, ubi__wire_zigzag(0));
    put_block(c, UBI__ALLOC_SCRIPT_REALLOC, size);
}

static chunk usual_chunk(void) {
    chunk c = { .n = 0 };
    put_native(&c, 0, 5);
    put_function(&c, 1, "outer", "a.js");
    put_script(&c, 1, 1, 10);
    put_function(&c, 2, "", "b.js");
    put_script(&c, 2, 2, 20);
    put_script(&c, 2, 1, 11);
    put_alloc(&c, 100);
    return c;
}
#define USUAL "5<0 outer(a.js:10:3)<1 (b.js:20:3)<2 outer(a.js:11:3)<2 +100@4 "

static void write_chunk(ubi__preload_area *area, const uint8_t *bytes, size_t n) {
    const ubi__wire_preface preface = { .next_trace = 1, .tid = 1 };
    ubi__wire_chunk *at = ubi__wire_chunk_at(area->header, 0);
    memcpy(ubi__wire_chunk_data(area->header, 0), &preface, sizeof preface);
    memcpy(ubi__wire_chunk_data(area->header, 0) + sizeof preface, bytes, n);
    atomic_store(&at->committed, (uint32_t)(sizeof preface + n));
    atomic_store(&at->sequence, 1);
    atomic_store(&at->state, UBI__CHUNK_FULL);
    atomic_store(&area->header->chunks_seen, 1);
}

/* @param lost  out: bytes that meant nothing; NULL */
static ubi_status collect(world *w, const uint8_t *bytes, size_t n, uint64_t *lost, const ubi_allocator *allocator) {
    const ubi__preload_settings settings = { .period_bytes = 1 };
    const ubi__preload_sink sink = { .payload = w,
                                     .module = world_module,
                                     .trace = world_trace,
                                     .script = world_script,
                                     .script_class = world_class,
                                     .thread = world_thread,
                                     .alloc = world_alloc,
                                     .free = world_free,
                                     .cut = world_cut };
    ubi__preload_area area;
    ubi__preload_collector *c;
    memset(w, 0, sizeof *w);
    UBI_TRY(ubi__preload_area_new(&area, &settings));
    ubi_status status = ubi__preload_collector_new(&c, &area, &sink, allocator);
    if (status == UBI_OK) {
        write_chunk(&area, bytes, n);
        status = ubi__preload_collector_finish(c);
        ubi__preload_counters counters;
        ubi__preload_collector_counters(c, &counters);
        if (lost)
            *lost = counters.lost_bytes;
        ubi__preload_collector_free(c);
    }
    ubi__preload_area_free(&area);
    return status;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_frames_have_the_names_that_were_said_once(void **state) {
    (void)state;
    world w;
    uint64_t lost;
    chunk c = usual_chunk();
    assert_int_equal(collect(&w, c.bytes, c.n, &lost, NULL), UBI_OK);
    assert_string_equal(w.told, USUAL);
    assert_int_equal(lost, 0);
}

static void assert_broken(const chunk *c, const char *told) {
    world w;
    uint64_t lost;
    assert_int_equal(collect(&w, c->bytes, c->n, &lost, NULL), UBI_OK);
    assert_string_equal(w.told, told);
    assert_true(lost > 0);
}

static void test_what_breaks_a_rule_ends_the_chunk(void **state) {
    (void)state;
    chunk c = { .n = 0 };
    put_script(&c, 0, 1, 10); /* no such function */
    assert_broken(&c, "");
    c = (chunk){ .n = 0 };
    put_function(&c, 2, "f", "a.js"); /* 1 comes first */
    assert_broken(&c, "");
    c = (chunk){ .n = 0 };
    put_function(&c, 1, "f", "a.js");
    put_function(&c, 1, "g", "a.js");
    assert_broken(&c, "");
    c = (chunk){ .n = 0 };
    put_function(&c, 1, "f", "a.js");
    put_script(&c, 0, 0, 10); /* functions count from 1 */
    assert_broken(&c, "");
    c = (chunk){ .n = 0 };
    put_function(&c, 1, "f", "a.js");
    put_script(&c, 0, 1, UINT64_C(1) << 32);
    assert_broken(&c, "");
    c = (chunk){ .n = 0 };
    chunk_number_put(&c, UBI__OP_CONTROL | UBI__CONTROL_FUNCTION << UBI__OP_KIND_SHIFT);
    chunk_number_put(&c, 1);
    chunk_number_put(&c, UBI__WIRE_FUNCTION_BYTES + 1);
    chunk_number_put(&c, 0);
    assert_broken(&c, "");
}

static void test_a_chunk_that_ends_anywhere_is_good_up_to_there(void **state) {
    (void)state;
    world w;
    chunk c = usual_chunk();
    for (size_t n = 0; n <= c.n; n++) {
        assert_int_equal(collect(&w, c.bytes, n, NULL, NULL), UBI_OK);
        assert_int_equal(strncmp(w.told, USUAL, w.n), 0);
    }
}

static void test_any_bit_may_be_wrong(void **state) {
    (void)state;
    world w;
    chunk c = usual_chunk();
    for (size_t bit = 0; bit < 8 * c.n; bit++) {
        c.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(collect(&w, c.bytes, c.n, NULL, NULL), UBI_OK);
        c.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static ubi_status collect_usual(void *payload, const ubi_allocator *allocator) {
    chunk c = usual_chunk();
    return collect(payload, c.bytes, c.n, NULL, allocator);
}

static void test_a_refused_allocation_ends_it_cleanly(void **state) {
    (void)state;
    world w;
    assert_true(fail_each_allocation(collect_usual, &w) > 5);
}

static void blocks_of_scripts_have_the_class_that_was_said_last(void **state) {
    chunk c = { .n = 0 };
    world w = { .n = 0 };
    (void)state;
    put_block(&c, UBI__ALLOC_SCRIPT, 1); /* of none */
    put_class(&c, 2, "Array");
    put_block(&c, UBI__ALLOC_SCRIPT, 2);
    put_block(&c, UBI__ALLOC_MALLOC, 3); /* no script's */
    put_block(&c, UBI__ALLOC_SCRIPT, 4);
    put_class(&c, 239, "Map");
    put_block(&c, UBI__ALLOC_SCRIPT_REALLOC, 5); /* of nothing */
    put_class(&c, 2, "");                        /* it was said */
    put_block(&c, UBI__ALLOC_SCRIPT, 6);
    put_class(&c, 1, ""); /* of none again */
    put_block(&c, UBI__ALLOC_SCRIPT, 7);
    put_class(&c, 3, "Tenletters");
    put_block(&c, UBI__ALLOC_SCRIPT, 8);
    put_class(&c, 200, ""); /* its name was lost */
    put_block(&c, UBI__ALLOC_SCRIPT, 9);
    assert_int_equal(collect(&w, c.bytes, c.n, NULL, NULL), UBI_OK);
    assert_string_equal(w.told, "is(Array) is(Map) is(Tenletters) +1@0 +2@0 class 5 +3@0 +4@0 class 5 +5@0 class 3 "
                                "+6@0 class 5 +7@0 +8@0 +9@0 ");
}

static void what_grows_stays_what_it_is(void **state) {
    chunk c = { .n = 0 };
    world w = { .n = 0 };
    (void)state;
    put_class(&c, 2, "Array");
    put_block(&c, UBI__ALLOC_SCRIPT, 1);
    put_class(&c, 3, "Map");
    put_grown(&c, 2);
    put_class(&c, 1, "");
    put_grown(&c, 3);
    put_block(&c, UBI__ALLOC_SCRIPT, 4);
    put_class(&c, 3, "");
    put_grown(&c, 5); /* it was of none: what is said now is all that there is */
    assert_int_equal(collect(&w, c.bytes, c.n, NULL, NULL), UBI_OK);
    assert_string_equal(w.told, "is(Array) is(Map) +1@0 class 5 +2@0 class 5 +3@0 class 5 +4@0 +5@0 class 3 ");
}

static void classes_that_break_the_rules_end_the_chunk(void **state) {
    static const struct {
        uint64_t number, n_name;
    } wrong[] = { { 0, 3 }, { UBI__WIRE_CLASSES, 3 }, { 2, UBI__WIRE_CLASS_BYTES + 1 }, { 2, 400 }, { UINT64_MAX, 1 } };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        chunk c = { .n = 0 };
        world w = { .n = 0 };
        uint64_t lost = 0;
        put_block(&c, UBI__ALLOC_SCRIPT, 1);
        operation_put(&c, UBI__OP_CONTROL | UBI__CONTROL_CLASS << UBI__OP_KIND_SHIFT);
        chunk_number_put(&c, wrong[i].number);
        chunk_number_put(&c, wrong[i].n_name);
        c.n += 100;
        assert_int_equal(collect(&w, c.bytes, c.n, &lost, NULL), UBI_OK);
        assert_string_equal(w.told, "+1@0 ");
        assert_true(lost > 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_have_the_names_that_were_said_once),
        cmocka_unit_test(test_what_breaks_a_rule_ends_the_chunk),
        cmocka_unit_test(test_a_chunk_that_ends_anywhere_is_good_up_to_there),
        cmocka_unit_test(test_any_bit_may_be_wrong),
        cmocka_unit_test(test_a_refused_allocation_ends_it_cleanly),
        cmocka_unit_test(blocks_of_scripts_have_the_class_that_was_said_last),
        cmocka_unit_test(what_grows_stays_what_it_is),
        cmocka_unit_test(classes_that_break_the_rules_end_the_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
