/* SPDX-License-Identifier: MIT
 *
 * session_index_thread_test.c: an index is used when it is of the heap and sound; else everything is computed, and it is made again.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/extension/session.h>

#include "base/column_file_layout.h"
#include "fail_allocator.h"
#include "index_place.h"
#include "random_numbers.h"
#include "saving.h"
#include "session/cache_folder.h"
#include "session/kept_answers.h"
#include "session/session_index.h"

#define V8_FILE "tests/data/v8/node20-after.heapsnapshot.gz"
#define FX_FILE "tests/data/fx/tiny-before.fxsnapshot"

static ubi_status parts_get(packed_heap *out, ubi_session_use *use) {
    const ubi_look *look;
    const ubi_dominators *dominators;
    const uint32_t *distances;
    const ubi_retaining *retaining;
    const ubi_summary *summary;
    *out = (packed_heap){ 0 };
    UBI_TRY(ubi_session_graph(&out->graph, use));
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    UBI_TRY(ubi_session_distances(&distances, use));
    UBI_TRY(ubi_session_retaining(&retaining, use));
    UBI_TRY(ubi_session_summary(&summary, use));
    out->look = (ubi_look *)(uintptr_t)look;
    out->dominators = (ubi_dominators *)(uintptr_t)dominators;
    out->distances = (uint32_t *)(uintptr_t)distances;
    out->retaining = (ubi_retaining *)(uintptr_t)retaining;
    out->summary = (ubi_summary *)(uintptr_t)summary;
    return UBI_OK;
}

/* All parts of a session, whatever its index is, are those of one without. */
static void assert_parts_right(opened_heap *o, const index_place *p) {
    opened_heap plain = open_with(p, UBI_SESSION_INDEX_NONE);
    packed_heap is, shall;
    assert_int_equal(parts_get(&shall, plain.use), UBI_OK);
    if (parts_get(&is, o->use) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    const char *what = packed_heaps_differ(&is, &shall);
    if (what)
        fail_msg("%s differ", what);
    assert_string_equal(ubi_session_read_info(o->session)->format, ubi_session_read_info(plain.session)->format);
    assert_string_equal(ubi_session_read_info(o->session)->compression,
                        ubi_session_read_info(plain.session)->compression);
    assert_int_equal(ubi_session_read_info(o->session)->input_bytes, ubi_session_read_info(plain.session)->input_bytes);
    opened_end(&plain);
}

/* Whether a session uses its index; its parts are right in either case. */
static bool index_serves(const index_place *p, ubi_session_index index) {
    opened_heap o = open_with(p, index);
    assert_parts_right(&o, p);
    ubi_session_index_info info = index_about(o.use);
    opened_end(&o);
    return info.is_in_use && !info.is_damaged;
}

/* ---- it serves ------------------------------------------------------------------------------------------------------- */

static void what_was_computed_is_mapped(void **state) {
    static const char *const files[] = { V8_FILE, FX_FILE, "tests/data/jsc/bun-gcdebugging.json.gz" };
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        index_place p = place_of(files[i / 2]);
        ubi_session_index index = i % 2 ? UBI_SESSION_INDEX_BESIDE : UBI_SESSION_INDEX_CACHE;
        assert_false(index_serves(&p, index));
        index_write(&p, index);
        assert_true(index_serves(&p, index));
        opened_heap o = open_with(&p, index), plain = open_with(&p, UBI_SESSION_INDEX_NONE);
        packed_heap heap;
        assert_int_equal(parts_get(&heap, o.use), UBI_OK);
        assert_int_equal(parts_get(&heap, plain.use), UBI_OK);
        assert_true(ubi_session_pool_held_bytes(o.pool) < ubi_session_pool_held_bytes(plain.pool) / 2);
        assert_true(index_about(o.use).resident_bytes <= index_about(o.use).size_bytes + 4096);
        ubi_session_pool_drop_unused(o.pool); /* parts in use stay */
        assert_parts_right(&o, &p);
        ubi_session_use_end(o.use);
        o.use = NULL;
        ubi_session_pool_drop_unused(o.pool); /* and come back */
        assert_int_equal(ubi_session_use_begin(&o.use, o.session, NULL), UBI_OK);
        assert_parts_right(&o, &p);
        opened_end(&plain);
        opened_end(&o);
        place_remove(&p);
    }
}

static void a_second_writing_leaves_what_is_there(void **state) {
    index_place p = place_of(FX_FILE);
    struct stat first, second;
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_int_equal(stat(cached_path(&p), &first), 0);
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_int_equal(stat(cached_path(&p), &second), 0);
    assert_true(first.st_ino == second.st_ino);
    place_remove(&p);
}

static void a_heap_is_carried_with_its_index(void **state) {
    index_place from = place_of(V8_FILE), to = place_of(FX_FILE);
    char index[420], carried[420];
    (void)state;
    index_write(&from, UBI_SESSION_INDEX_BESIDE);
    snprintf(index, sizeof index, "%s.ubindex", from.heap);
    snprintf(carried, sizeof carried, "%s.ubindex", to.heap);
    file_copy(carried, index);
    assert_false(index_serves(&to, UBI_SESSION_INDEX_BESIDE)); /* of another heap */
    file_copy(to.heap, from.heap);
    assert_true(index_serves(&to, UBI_SESSION_INDEX_BESIDE));
    place_remove(&from);
    place_remove(&to);
}

/* ---- it does not ----------------------------------------------------------------------------------------------------- */

static void an_index_of_an_earlier_state_is_not_used(void **state) {
    index_place p = place_of(FX_FILE);
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    struct timespec times[2] = { { 0, UTIME_OMIT }, { 1000, 0 } };
    assert_int_equal(utimensat(AT_FDCWD, p.heap, times, 0), 0);
    assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    opened_heap o = open_with(&p, UBI_SESSION_INDEX_CACHE);
    assert_non_null(strstr(index_about(o.use).why, "an earlier state"));
    opened_end(&o);
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    (void)cached_path(&p); /* instead of the old one */
    file_copy(p.heap, "tests/data/fx/tiny-after.fxsnapshot");
    assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    place_remove(&p);
}

static void an_index_of_another_version_is_not_used(void **state) {
    index_place p = place_of(FX_FILE);
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    note_change(cached_path(&p), offsetof(ubi__index_note, library), 1);
    assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    note_change(cached_path(&p), offsetof(ubi__index_note, library), 1);
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    note_change(cached_path(&p), offsetof(ubi__index_note, parts_version), 1);
    assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    place_remove(&p);
}

/* Whatever byte is damaged, all parts are right, and writing replaces the index. */
static void damage_costs_time_only(void **state) {
    static const size_t steps = 61;
    index_place p = place_of("tests/data/fx/unreachable.fxsnapshot");
    size_t n_damaged = 0;
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    packed_bytes sound = file_read(cached_path(&p));
    for (size_t i = 0; i < steps; i++) {
        packed_bytes content = packed_copy(sound);
        content.at[content.n / steps * i + i] ^= 0x10;
        file_write(cached_path(&p), content);
        packed_free(content);
        opened_heap o = open_with(&p, UBI_SESSION_INDEX_CACHE);
        assert_parts_right(&o, &p);
        bool is_unused = !index_about(o.use).is_in_use || index_about(o.use).is_damaged;
        n_damaged += is_unused;
        assert_int_equal(ubi_session_write_index(o.use), UBI_OK);
        opened_end(&o);
        if (is_unused)
            assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    }
    assert_true(n_damaged > steps / 4);
    packed_free(sound);
    place_remove(&p);
}

static void where_others_may_write_nothing_is_kept(void **state) {
    index_place p = place_of(FX_FILE);
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_int_equal(chmod(p.cache, 0777), 0);
    assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    opened_heap o = open_with(&p, UBI_SESSION_INDEX_CACHE);
    assert_int_equal(ubi_session_write_index(o.use), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), "others may write"));
    opened_end(&o);
    assert_int_equal(chmod(p.cache, 0700), 0);
    assert_int_equal(chmod(cached_path(&p), 0606), 0);
    assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    place_remove(&p);
}

static void what_is_not_a_file_has_no_index(void **state) {
    index_place p = place_of(FX_FILE);
    ubi_session *session;
    ubi_session_use *use;
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    opened_heap o = open_with(&p, UBI_SESSION_INDEX_NONE);
    ubi_graph *graph;
    (void)state;
    options.index = UBI_SESSION_INDEX_CACHE;
    options.cache_folder = p.cache;
    assert_int_equal(ubi_session_graph(&graph, o.use), UBI_OK);
    assert_int_equal(ubi_session_open_graph(&session, o.pool, graph, "live", &options), UBI_OK);
    assert_int_equal(ubi_session_use_begin(&use, session, NULL), UBI_OK);
    assert_int_equal(ubi_session_write_index(use), UBI_OK);
    assert_false(index_about(use).is_in_use);
    ubi_session_use_end(use);
    ubi_session_unref(session);
    opened_end(&o);
    assert_int_equal(access(p.cache, F_OK), -1); /* nothing was made */
    place_remove(&p);
}

/* ---- answers --------------------------------------------------------------------------------------------------------- */

static void answers_are_kept_by_key(void **state) {
    index_place p = place_of(FX_FILE);
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_true(answer_is(&p, "a", ""));
    assert_int_equal(answer_keep(&p, "a", (ubi_text){ "first", 5 }), UBI_OK);
    assert_int_equal(answer_keep(&p, "b", (ubi_text){ "second", 6 }), UBI_OK);
    assert_true(answer_is(&p, "a", "first") && answer_is(&p, "b", "second") && answer_is(&p, "c", ""));
    assert_int_equal(answer_keep(&p, "a", (ubi_text){ "third", 5 }), UBI_OK);
    assert_true(answer_is(&p, "a", "third") && answer_is(&p, "b", "second"));
    file_copy(p.heap, "tests/data/fx/tiny-after.fxsnapshot"); /* another heap */
    assert_true(answer_is(&p, "a", ""));
    place_remove(&p);
}

static void the_oldest_answers_make_room(void **state) {
    index_place p = place_of(FX_FILE);
    char *large = calloc(UBI__KEPT_ANSWERS_BYTES + 1, 1);
    (void)state;
    assert_non_null(large);
    memset(large, 'x', UBI__KEPT_ANSWERS_BYTES);
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_int_equal(answer_keep(&p, "old", (ubi_text){ large, UBI__KEPT_ANSWERS_BYTES / 2 }), UBI_OK);
    assert_int_equal(answer_keep(&p, "new", (ubi_text){ large, UBI__KEPT_ANSWERS_BYTES / 2 }), UBI_OK);
    assert_false(answer_is(&p, "old", "") || answer_is(&p, "new", ""));
    assert_int_equal(answer_keep(&p, "small", (ubi_text){ "y", 1 }), UBI_OK);
    assert_true(answer_is(&p, "old", "") && answer_is(&p, "small", "y") && !answer_is(&p, "new", ""));
    assert_int_equal(answer_keep(&p, "too long", (ubi_text){ large, UBI__KEPT_ANSWERS_BYTES + 1 }), UBI_OK);
    assert_true(answer_is(&p, "too long", "") && answer_is(&p, "small", "y"));
    free(large);
    place_remove(&p);
}

/* Each bit: the answer is there, or there is none. */
static void damaged_answers_are_not_given(void **state) {
    index_place p = place_of("tests/data/fx/crafted/frame-ok.fxsnapshot");
    char path[800];
    size_t n_lost = 0;
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_int_equal(answer_keep(&p, "a", (ubi_text){ "answer", 6 }), UBI_OK);
    snprintf(path, sizeof path, "%.*s" UBI__ANSWERS_SUFFIX, (int)(strlen(cached_path(&p)) - strlen(UBI__INDEX_SUFFIX)),
             cached_path(&p));
    packed_bytes sound = file_read(path);
    for (size_t bit = 0; bit < sound.n * 8; bit += bit < UBI__COLUMN_HEADER_BYTES * 8 ? 211 : random_bit_step()) {
        sound.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        file_write(path, sound);
        sound.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        bool is_lost = answer_is(&p, "a", "");
        n_lost += is_lost;
        if (!is_lost)
            assert_true(answer_is(&p, "a", "answer"));
    }
    assert_true(n_lost > 100 / random_bit_step());
    packed_free(sound);
    place_remove(&p);
}

/* ---- interruptions ------------------------------------------------------------------------------------------------------ */

static void cancelled_writing_leaves_nothing(void **state) {
    index_place p = place_of(FX_FILE);
    (void)state;
    for (uint32_t at = 1;; at++) {
        ending e = { 0, at, false };
        opened_heap o;
        assert_int_equal(opened_begin(&o, &p, UBI_SESSION_INDEX_CACHE, NULL, (ubi_progress){ report_end, &e }), UBI_OK);
        ubi_status status = ubi_session_write_index(o.use);
        opened_end(&o);
        if (status == UBI_OK)
            break;
        assert_int_equal(status, UBI_ECANCELLED);
        assert_int_equal(files_in(p.cache), 0);
    }
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    place_remove(&p);
}

static void killed_writing_leaves_the_old_one_or_none(void **state) {
    index_place p = place_of(FX_FILE);
    (void)state;
    for (uint32_t at = 1; at < 18; at += 3) {
        index_write_killed(&p, at);
        assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    }
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    place_remove(&p);
}

/* Writers replace each other's files and remove them, readers have them mapped: all answers are right. */
static void processes_share_a_cache(void **state) {
    enum { N_PROCESSES = 4, N_ROUNDS = 12 };
    index_place p = place_of(FX_FILE);
    pid_t children[N_PROCESSES];
    (void)state;
    for (int i = 0; i < N_PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] != 0)
            continue;
        for (int round = 0; round < N_ROUNDS; round++) {
            opened_heap o = open_with(&p, UBI_SESSION_INDEX_CACHE);
            if (ubi_session_write_index(o.use) != UBI_OK)
                _exit(1);
            assert_parts_right(&o, &p);
            opened_end(&o);
            if ((round + i) % 3 == 0)
                ubi__cache_folder_trim(p.cache, 0, NULL);
        }
        _exit(0);
    }
    for (int i = 0; i < N_PROCESSES; i++) {
        int how;
        assert_int_equal(waitpid(children[i], &how, 0), children[i]);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    assert_int_equal(files_in(p.cache), 1);
    place_remove(&p);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

static ubi_status everything_do(void *payload, const ubi_allocator *allocator) {
    packed_heap heap;
    opened_heap o;
    ubi_status status = opened_begin(&o, payload, UBI_SESSION_INDEX_BESIDE, allocator, (ubi_progress){ NULL, NULL });
    if (status == UBI_OK)
        status = parts_get(&heap, o.use);
    if (status == UBI_OK)
        status = ubi_session_write_index(o.use);
    opened_end(&o);
    return status;
}

static void each_refused_allocation_is_survived(void **state) {
    index_place p = place_of("tests/data/fx/crafted/frame-ok.fxsnapshot");
    char index[420];
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_BESIDE);
    assert_true(fail_each_allocation(everything_do, &p) > 10);
    snprintf(index, sizeof index, "%s.ubindex", p.heap);
    assert_int_equal(unlink(index), 0);
    place_remove(&p);
}

/* What is there is found, and something is kept beside it. */
static ubi_status answers_do(void *payload, const ubi_allocator *allocator) {
    opened_heap o;
    ubi__vec_u8 answer = { NULL, 0, 0 };
    ubi_status status = opened_begin(&o, payload, UBI_SESSION_INDEX_CACHE, allocator, (ubi_progress){ NULL, NULL });
    if (status == UBI_OK)
        status = ubi__kept_answer_find(&answer, o.use, (ubi_text){ "a", 1 });
    if (status == UBI_OK) {
        assert_true(answer.n == 5 && memcmp(answer.at, "first", 5) == 0);
        ubi__vec_u8_fini(&answer, ubi_session_use_allocator(o.use));
        status = ubi__kept_answer_add(o.use, (ubi_text){ "b", 1 }, (ubi_text){ "second", 6 });
    }
    opened_end(&o);
    return status;
}

static void refused_allocations_lose_no_answer(void **state) {
    index_place p = place_of("tests/data/fx/crafted/frame-ok.fxsnapshot");
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_int_equal(answer_keep(&p, "a", (ubi_text){ "first", 5 }), UBI_OK);
    assert_true(fail_each_allocation(answers_do, &p) > 10);
    assert_true(answer_is(&p, "a", "first") && answer_is(&p, "b", "second"));
    assert_int_equal(files_in(p.cache), 2); /* and no half of one */
    place_remove(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_computed_is_mapped),
        cmocka_unit_test(a_second_writing_leaves_what_is_there),
        cmocka_unit_test(a_heap_is_carried_with_its_index),
        cmocka_unit_test(an_index_of_an_earlier_state_is_not_used),
        cmocka_unit_test(an_index_of_another_version_is_not_used),
        cmocka_unit_test(damage_costs_time_only),
        cmocka_unit_test(where_others_may_write_nothing_is_kept),
        cmocka_unit_test(what_is_not_a_file_has_no_index),
        cmocka_unit_test(answers_are_kept_by_key),
        cmocka_unit_test(the_oldest_answers_make_room),
        cmocka_unit_test(damaged_answers_are_not_given),
        cmocka_unit_test(cancelled_writing_leaves_nothing),
        cmocka_unit_test(killed_writing_leaves_the_old_one_or_none),
        cmocka_unit_test(processes_share_a_cache),
        cmocka_unit_test(each_refused_allocation_is_survived),
        cmocka_unit_test(refused_allocations_lose_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
