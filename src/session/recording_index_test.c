/* SPDX-License-Identifier: MIT
 *
 * recording_index_test.c: an index of a recording is used when it is of it and of what was recorded with it; else the files are read.
 */
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

#include "base/text.h"
#include "fail_allocator.h"
#include "index_place.h"
#include "packed_recording.h"
#include "session/cache_folder.h"
#include "session/kept_answers.h"
#include "session/recording_parts.h"
#include "small_recording.h"

#define SERVER "tests/data/ubirec/server.ubirec"
#define SMALL "tests/data/ubirec/few.ubirec"

static const ubi__recording_choice plain = { .process = NULL };

static const ubi__sites *places_of(ubi_session_use *use, ubi__site_order order) {
    const ubi__recording_choice usual = { .with_symbols = true, .with_wrappers = true };
    const ubi__sites *sites;
    must(ubi__session_sites_get(&sites, use, &usual, order));
    return sites;
}

static const ubi__session_recording *recording_of(ubi_session_use *use) {
    const ubi__session_recording *r;
    must(ubi__session_recording_get(&r, use, &plain));
    return r;
}

/* Files of processes, as they are and in the same state. */
static void assert_processes_equal(const ubi__recording_processes *a, const ubi__recording_processes *b) {
    assert_int_equal(a->rows.n, b->rows.n);
    assert_int_equal(a->missing.n, b->missing.n);
    assert_int_equal(a->are_summed, b->are_summed);
    for (size_t i = 0; i < a->rows.n; i++) {
        assert_string_equal(a->rows.at[i].path, b->rows.at[i].path);
        assert_true(a->rows.at[i].bytes == b->rows.at[i].bytes && a->rows.at[i].count == b->rows.at[i].count);
        assert_true(a->rows.at[i].freed_bytes == b->rows.at[i].freed_bytes);
        assert_int_equal(a->rows.at[i].n_samples, b->rows.at[i].n_samples);
    }
}

/* What a session has, whatever its index is, is what one without has. */
static void assert_recording_right(ubi_session_use *use, const index_place *p) {
    opened_heap reading = open_with(p, UBI_SESSION_INDEX_NONE);
    const ubi__session_recording *is = recording_of(use), *shall = recording_of(reading.use);
    for (ubi__site_order order = 0; order < UBI__SITE_ORDER_COUNT; order++) {
        packed_bytes first, second;
        must(recording_pack(&first, &is->summary, places_of(use, order), NULL));
        must(recording_pack(&second, &shall->summary, places_of(reading.use, order), NULL));
        assert_int_equal(first.n, second.n);
        assert_memory_equal(first.at, second.at, first.n);
        packed_free(first);
        packed_free(second);
    }
    assert_processes_equal(&is->processes, &shall->processes);
    opened_end(&reading);
}

/* Whether a session uses its index; what it has is right in either case. */
static bool index_serves(const index_place *p, ubi_session_index index) {
    opened_heap o = open_with(p, index);
    assert_recording_right(o.use, p);
    ubi_session_index_info info = index_about(o.use);
    opened_end(&o);
    return info.is_in_use && !info.is_damaged;
}

/* Two processes that were recorded together. */
static index_place place_of_processes(void) {
    index_place p = place_of(SMALL);
    char second[450];
    snprintf(second, sizeof second, "%s.11", p.heap);
    write_process_recording(p.heap, 10, 100);
    write_process_recording(second, 11, 200);
    return p;
}

/* ---- it serves ------------------------------------------------------------------------------------------------------- */

static void what_was_read_is_mapped(void **state) {
    static const char *const files[] = { SERVER, SMALL, "tests/data/ubirec/sampled.ubirec",
                                         "tests/data/ubirec/crashed.ubirec" };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof files / sizeof *files; i++) {
        index_place p = place_of(files[i / 2]);
        ubi_session_index index = i % 2 ? UBI_SESSION_INDEX_BESIDE : UBI_SESSION_INDEX_CACHE;
        assert_false(index_serves(&p, index));
        index_write(&p, index);
        assert_true(index_serves(&p, index));
        opened_heap o = open_with(&p, index);
        assert_recording_right(o.use, &p);
        ubi_session_use_end(o.use);
        o.use = NULL;
        ubi_session_pool_drop_unused(o.pool); /* and comes back */
        must(ubi_session_use_begin(&o.use, o.session, NULL));
        assert_recording_right(o.use, &p);
        assert_true(index_about(o.use).is_in_use);
        opened_end(&o);
        place_remove(&p);
    }
}

static void an_index_has_all_processes(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        index_place p = place_of_processes();
        ubi_session_index index = i ? UBI_SESSION_INDEX_BESIDE : UBI_SESSION_INDEX_CACHE;
        index_write(&p, index);
        assert_true(index_serves(&p, index));
        opened_heap o = open_with(&p, index);
        assert_int_equal(recording_of(o.use)->processes.rows.n, 2);
        const ubi__recording_choice one = { .process = "11" };
        const ubi__session_recording *second;
        must(ubi__session_recording_get(&second, o.use, &one)); /* is read */
        assert_true(second->summary.classes[UBI__UBIREC_HEAP].bytes == 200);
        opened_end(&o);
        place_remove(&p);
    }
}

/* ---- it does not ----------------------------------------------------------------------------------------------------- */

static void others_that_change_end_it(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        index_place p = place_of_processes();
        ubi_session_index index = i % 2 ? UBI_SESSION_INDEX_BESIDE : UBI_SESSION_INDEX_CACHE;
        char second[450], third[450];
        snprintf(second, sizeof second, "%s.11", p.heap);
        snprintf(third, sizeof third, "%s.12", p.heap);
        index_write(&p, index);
        if (i < 2)
            write_process_recording(second, 11, 30000);
        else
            write_process_recording(third, 12, 400);
        assert_false(index_serves(&p, index));
        opened_heap o = open_with(&p, index);
        assert_non_null(strstr(index_about(o.use).why, "an earlier state"));
        opened_end(&o);
        index_write(&p, index);
        assert_true(index_serves(&p, index));
        place_remove(&p);
    }
}

static void an_index_is_of_its_file(void **state) {
    index_place p = place_of(SMALL);
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    file_copy(p.heap, SERVER);
    assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    (void)cached_path(&p); /* instead of the old one */
    place_remove(&p);
}

/* Whatever byte is damaged, the recording is right, and writing replaces the index. */
static void damage_costs_time_only(void **state) {
    static const size_t steps = 97;
    index_place p = place_of(SMALL);
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
        assert_recording_right(o.use, &p);
        bool is_unused = !index_about(o.use).is_in_use || index_about(o.use).is_damaged;
        n_damaged += is_unused;
        must(ubi_session_write_index(o.use));
        opened_end(&o);
        if (is_unused)
            assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    }
    assert_true(n_damaged > steps / 4);
    packed_free(sound);
    place_remove(&p);
}

/* ---- interruptions ------------------------------------------------------------------------------------------------------ */

static void killed_writing_leaves_none(void **state) {
    index_place p = place_of(SMALL);
    (void)state;
    for (uint32_t at = 1; at < 12; at += 5) {
        index_write_killed(&p, at);
        assert_false(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    }
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    place_remove(&p);
}

static void two_processes_share_a_cache(void **state) {
    index_place p = place_of(SERVER);
    pid_t child = fork();
    int how;
    (void)state;
    assert_true(child >= 0);
    for (int round = 0; round < 12; round++) {
        opened_heap o = open_with(&p, UBI_SESSION_INDEX_CACHE);
        must(ubi_session_write_index(o.use));
        assert_recording_right(o.use, &p);
        opened_end(&o);
        if (child == 0 && round % 3 == 0)
            ubi__cache_folder_trim(p.cache, 0, NULL);
    }
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    assert_true(index_serves(&p, UBI_SESSION_INDEX_CACHE));
    place_remove(&p);
}

static ubi_status everything_do(void *payload, const ubi_allocator *allocator) {
    const ubi__recording_choice named = { .with_symbols = true, .with_wrappers = true };
    const ubi__sites *sites;
    opened_heap o;
    ubi_status status = opened_begin(&o, payload, UBI_SESSION_INDEX_BESIDE, allocator, (ubi_progress){ NULL, NULL });
    if (status == UBI_OK)
        status = ubi__session_sites_get(&sites, o.use, &named, UBI__BY_LEAKED);
    if (status == UBI_OK)
        status = ubi_session_write_index(o.use);
    opened_end(&o);
    return status;
}

static void each_refused_allocation_is_survived(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        index_place p = i ? place_of_processes() : place_of(SMALL);
        if (i == 0)
            index_write(&p, UBI_SESSION_INDEX_BESIDE);
        assert_true(fail_each_allocation(everything_do, &p) > 10);
        assert_true(index_serves(&p, UBI_SESSION_INDEX_BESIDE));
        place_remove(&p);
    }
}

/* ---- answers --------------------------------------------------------------------------------------------------------- */

static const char *name_found; /* NULL: none */

static ubi_status frame_name(ubi__ubirec_tables *tables, ubi__recording_hints *hints, const ubi_progress *progress) {
    (void)progress;
    snprintf(hints->at[0].text, sizeof hints->at[0].text, "a hint");
    hints->n = 1;
    if (!name_found)
        return UBI_OK;
    const ubi__ubirec_symbol symbol = { .function = ubi__text(name_found), .file = ubi__text("") };
    return ubi__ubirec_tables_add_symbols(tables, 0, &symbol, 1);
}

static bool named_answer_is(const index_place *p, const char *expected) {
    opened_heap o = open_with(p, UBI_SESSION_INDEX_CACHE);
    ubi__vec_u8 answer = { NULL, 0, 0 };
    ubi__session_pool_set_namer(o.pool, frame_name);
    must(ubi__kept_answer_find(&answer, o.use, ubi__text("a")));
    bool is_equal = answer.n == strlen(expected) && (!answer.n || memcmp(answer.at, expected, answer.n) == 0);
    ubi__vec_u8_fini(&answer, ubi_session_use_allocator(o.use));
    opened_end(&o);
    return is_equal;
}

static void named_answer_keep(const index_place *p, const char *text) {
    opened_heap o = open_with(p, UBI_SESSION_INDEX_CACHE);
    ubi__session_pool_set_namer(o.pool, frame_name);
    must(ubi__kept_answer_add(o.use, ubi__text("a"), ubi__text(text)));
    opened_end(&o);
}

/* Files with names may be installed after an answer was kept. */
static void answers_are_of_the_names_that_were_found(void **state) {
    index_place p = place_of(SERVER);
    (void)state;
    index_write(&p, UBI_SESSION_INDEX_CACHE);
    must(answer_keep(&p, "a", ubi__text("plain")));
    assert_true(answer_is(&p, "a", "plain"));
    name_found = NULL;
    assert_true(named_answer_is(&p, ""));
    named_answer_keep(&p, "nameless");
    assert_true(named_answer_is(&p, "nameless"));
    name_found = "work";
    assert_true(named_answer_is(&p, ""));
    named_answer_keep(&p, "named");
    assert_true(named_answer_is(&p, "named"));
    name_found = "play";
    assert_true(named_answer_is(&p, ""));
    name_found = NULL;
    assert_true(named_answer_is(&p, "nameless") && answer_is(&p, "a", "plain"));
    place_remove(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_read_is_mapped),
        cmocka_unit_test(an_index_has_all_processes),
        cmocka_unit_test(others_that_change_end_it),
        cmocka_unit_test(an_index_is_of_its_file),
        cmocka_unit_test(damage_costs_time_only),
        cmocka_unit_test(killed_writing_leaves_none),
        cmocka_unit_test(two_processes_share_a_cache),
        cmocka_unit_test(each_refused_allocation_is_survived),
        cmocka_unit_test(answers_are_of_the_names_that_were_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
