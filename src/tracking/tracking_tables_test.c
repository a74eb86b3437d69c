/* SPDX-License-Identifier: MIT
 *
 * The tables of tracking, each beside a plain model: sites, frames, texts, the log's ring.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "damage.h"
#include "fail_allocator.h"
#include "tracking/sampler.h"
#include "tracking/tracking_tables.h"

#define UNUSED_STATE(state) (void)(state)

/* ---- sites ---------------------------------------------------------------------------------------------------------- */

/* Few addresses, so that they come again and collide; a model knows each by its number. */
enum { ADDRESSES = 3000 };

static void sites_are_those_of_a_plain_table(void **state) {
    UNUSED_STATE(state);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        fail_allocator memory;
        fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
        ubi__site_table t;
        static uint32_t model[ADDRESSES];
        uint64_t random = seed, stride = seed % 2 ? 16 : 80;
        uint32_t count = 0;
        memset(model, 0, sizeof model);
        ubi__site_table_init(&t, &memory.allocator);
        for (uint32_t step = 1; step < 60000; step++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            uint32_t i = (uint32_t)(random >> 33) % ADDRESSES;
            const void *address = (const void *)(uintptr_t)(0x555500001000 + i * stride);
            ubi__tracked *found = ubi__site_table_find(&t, address);
            assert_int_equal(found != NULL, model[i] != 0);
            if (found)
                assert_int_equal(found->value, model[i]);
            bool shrinking = step / 10000 % 2;
            if (found && (shrinking || step % 3 == 0)) {
                ubi__site_table_remove(&t, found);
                model[i] = 0;
                count--;
            } else if (!shrinking) {
                assert_true(ubi__site_table_put(&t, address, step, step));
                count += !model[i];
                model[i] = step;
            }
            assert_int_equal(t.count, count);
        }
        for (uint32_t i = 0; i < ADDRESSES; i++) {
            ubi__tracked *found = ubi__site_table_find(&t, (const void *)(uintptr_t)(0x555500001000 + i * stride));
            assert_int_equal(found ? found->value : 0, model[i]);
        }
        ubi__site_table_fini(&t);
        fail_allocator_fini(&memory);
    }
}

static void a_site_table_without_memory_stays_as_it_is(void **state) {
    UNUSED_STATE(state);
    for (uint64_t n = 0; n < 3; n++) {
        fail_allocator memory;
        fail_allocator_init(&memory, n);
        ubi__site_table t;
        ubi__site_table_init(&t, &memory.allocator);
        uintptr_t put = 0;
        for (uintptr_t i = 1; i < 3000; i++) {
            bool ok = ubi__site_table_put(&t, (const void *)(i * 16), (uint32_t)i, 1);
            assert_int_equal(ok, ubi__site_table_find(&t, (const void *)(i * 16)) != NULL);
            put += ok;
        }
        assert_int_equal(t.count, put);
        assert_int_equal(put, n == 0 ? 0 : n == 1 ? 512 : 1024);
        ubi__site_table_fini(&t);
        fail_allocator_fini(&memory);
    }
}

/* ---- texts and frames ----------------------------------------------------------------------------------------------- */

static void texts_live_while_they_are_marked(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    ubi__tracked_texts t;
    ubi__tracked_texts_init(&t, &memory.allocator);
    char text[32];
    ubi__text_ix kept[300];
    for (uint32_t i = 0; i < 300; i++) {
        int n = snprintf(text, sizeof text, "text %u", i);
        kept[i] = ubi__tracked_texts_intern(&t, text, (size_t)n);
        assert_int_equal(ubi__tracked_texts_intern(&t, text, (size_t)n), kept[i]);
    }
    assert_int_equal(ubi__tracked_texts_get(&t, ubi__tracked_texts_intern(&t, "", 0)).len, 0);
    assert_non_null(ubi__tracked_texts_get(&t, ubi__tracked_texts_intern(&t, "", 0)).ptr);
    assert_null(ubi__tracked_texts_get(&t, UBI_NONE).ptr);
    for (int round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 300; i += 3)
            ubi__tracked_texts_mark(&t, kept[i]);
        ubi__tracked_texts_sweep(&t);
        assert_int_equal(t.table.n, 100);
        for (uint32_t i = 0; i < 200; i++)
            ubi__tracked_texts_intern(&t, text, (size_t)snprintf(text, sizeof text, "other %d %u", round, i));
        assert_int_equal(t.table.n, 300);
        assert_true(t.n <= 301);
        for (uint32_t i = 0; i < 300; i += 3) {
            int n = snprintf(text, sizeof text, "text %u", i);
            ubi_text got = ubi__tracked_texts_get(&t, kept[i]);
            assert_int_equal(got.len, n);
            assert_memory_equal(got.ptr, text, (size_t)n);
        }
    }
    ubi__tracked_texts_fini(&t);
    fail_allocator_fini(&memory);
}

static ubi__stack_ix add_frame(ubi__frame_trie *t, ubi__stack_ix parent, uint32_t script, uint32_t pc) {
    ubi__frame_place place = { script, pc };
    ubi__stack_ix found = ubi__frame_trie_find(t, parent, place);
    ubi__trie_frame facts = { .line = pc, .function_name = UBI_NONE, .source = UBI_NONE };
    return found != UBI_NONE ? found : ubi__frame_trie_add(t, parent, place, &facts);
}

static void frames_live_while_marked_or_pinned(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    ubi__tracked_texts texts;
    ubi__frame_trie t;
    ubi__tracked_texts_init(&texts, &memory.allocator);
    ubi__frame_trie_init(&t, &memory.allocator);
    ubi__stack_ix pinned = 0, marked = 0;
    for (uint32_t i = 1; i < 50; i++)
        pinned = add_frame(&t, pinned, 1, i);
    ubi__frame_trie_pin(&t, pinned);
    for (uint32_t round = 2; round < 50; round++) {
        marked = 0;
        for (uint32_t i = 1; i < 20; i++) {
            marked = add_frame(&t, marked, round, i);
            assert_int_equal(add_frame(&t, t.at[marked].parent, round, i), marked);
        }
        for (uint32_t i = 1; i < 500; i++)
            add_frame(&t, 0, round, 1000 + i);
        ubi__frame_trie_mark(&t, marked);
        ubi__frame_trie_sweep(&t, &texts);
        assert_int_equal(t.table.n, 49 + 19);
        uint32_t depth = 0;
        for (ubi__stack_ix ix = marked; ix; ix = t.at[ix].parent, depth++)
            assert_int_equal(t.at[ix].line, 19 - depth);
        assert_int_equal(depth, 19);
    }
    assert_true(t.n < 700);
    uint32_t depth = 0;
    for (ubi__stack_ix ix = pinned; ix; ix = t.at[ix].parent, depth++)
        assert_int_equal(t.at[ix].line, 49 - depth);
    assert_int_equal(depth, 49);
    ubi__frame_trie_fini(&t);
    ubi__tracked_texts_fini(&texts);
    fail_allocator_fini(&memory);
}

/* ---- the ring ------------------------------------------------------------------------------------------------------- */

static void the_ring_is_a_queue_with_a_limit(void **state) {
    UNUSED_STATE(state);
    fail_allocator memory;
    fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
    ubi__allocation_log log;
    ubi__allocation_log_init(&log, 1, &memory.allocator);
    uint32_t next = 0, oldest = 0; /* entries are numbered; those from oldest to next are kept */
    static const uint32_t limits[] = { 1, 3, 100, 64, 65, 1000, 7, 1000, 999, 1, 500 };
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        ubi__allocation_log_set_limit(&log, limits[k]);
        oldest = next - oldest > limits[k] ? next - limits[k] : oldest;
        for (uint32_t i = 0; i < 2 * limits[k] + 3; i++) {
            ubi__log_entry entry = { .stack = next++ };
            bool was_full = log.count == limits[k];
            log.has_overflowed = false;
            assert_true(ubi__allocation_log_append(&log, &entry));
            assert_int_equal(log.has_overflowed, was_full);
            oldest += was_full;
            assert_int_equal(log.count, next - oldest);
            assert_int_equal(ubi__allocation_log_at(&log, 0)->stack, oldest);
            assert_int_equal(ubi__allocation_log_at(&log, log.count - 1)->stack, next - 1);
            if (i % 5 == 4) {
                ubi__allocation_log_drop_oldest(&log);
                oldest++;
            }
        }
    }
    uint64_t number = log.first_number;
    assert_int_equal(number, oldest);
    ubi__allocation_log_clear(&log);
    assert_int_equal(log.first_number, next);
    fail_allocator_fini(&memory);
}

/* ---- what the checks see -------------------------------------------------------------------------------------------- */

static void check_sites(void *sites) {
    ubi__site_table_check(sites);
}
static void check_texts(void *texts) {
    ubi__tracked_texts_check(texts);
}
static void check_frames(void *frames) {
    ubi__frame_trie_check(frames);
}
static void check_log(void *log) {
    ubi__allocation_log_check(log);
}

static void damaged_sites_are_seen(void **state) {
    UNUSED_STATE(state);
    ubi__site_table t;
    ubi__site_table_init(&t, ubi_allocator_default());
    for (uintptr_t i = 1; i < 100; i++)
        assert_true(ubi__site_table_put(&t, (const void *)(i * 16), (uint32_t)i, 1));
    ubi__tracked *entry = ubi__site_table_find(&t, (const void *)(uintptr_t)160);
    uintptr_t address = entry->address;
    entry->address = 0;
    assert_damage_seen(check_sites, &t, "count == t->count");
    entry->address = address;
    t.count_max = t.mask;
    assert_damage_seen(check_sites, &t, "t->count_max <= slot_count(t) / 2");
    t.count_max = (t.mask + 1) / 2;
    ubi__site_table_fini(&t);
}

static void damaged_texts_and_frames_are_seen(void **state) {
    UNUSED_STATE(state);
    ubi__tracked_texts texts;
    ubi__frame_trie t;
    ubi__tracked_texts_init(&texts, ubi_allocator_default());
    ubi__frame_trie_init(&t, ubi_allocator_default());
    ubi__text_ix text = ubi__tracked_texts_intern(&texts, "one", 3);
    texts.at[text].ptr[0] = 'x';
    assert_damage_seen(check_texts, &texts, "text->hash == text_hash");
    texts.at[text].ptr[0] = 'o';
    texts.free_first = text;
    assert_damage_seen(check_texts, &texts, "!t->at[ix].ptr");
    texts.free_first = UBI_NONE;
    ubi__stack_ix outer = add_frame(&t, UBI__STACK_EMPTY, 1, 1), inner = add_frame(&t, outer, 1, 2);
    t.at[inner].parent = inner;
    assert_damage_seen(check_frames, &t, "f->parent != ix");
    t.at[inner].parent = outer;
    t.at[inner].place.pc = 3;
    assert_damage_seen(check_frames, &t, "ubi__frame_trie_find(t, f->parent, f->place) == ix");
    t.at[inner].place.pc = 2;
    ubi__frame_trie_fini(&t);
    ubi__tracked_texts_fini(&texts);
}

static void a_damaged_log_is_seen(void **state) {
    UNUSED_STATE(state);
    ubi__allocation_log log;
    ubi__allocation_log_init(&log, 10, ubi_allocator_default());
    for (uint64_t time = 1; time < 20; time++)
        assert_true(ubi__allocation_log_append(&log, &(ubi__log_entry){ .time_us = time }));
    ubi__allocation_log_check(&log);
    ubi__allocation_log_at(&log, 3)->time_us = 100;
    assert_damage_seen(check_log, &log, "time_us <=");
    log.limit = 9;
    assert_damage_seen(check_log, &log, "log->count <= log->limit");
    ubi__allocation_log_clear(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_are_those_of_a_plain_table),
        cmocka_unit_test(a_site_table_without_memory_stays_as_it_is),
        cmocka_unit_test(texts_live_while_they_are_marked),
        cmocka_unit_test(frames_live_while_marked_or_pinned),
        cmocka_unit_test(the_ring_is_a_queue_with_a_limit),
        cmocka_unit_test(damaged_sites_are_seen),
        cmocka_unit_test(damaged_texts_and_frames_are_seen),
        cmocka_unit_test(a_damaged_log_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
