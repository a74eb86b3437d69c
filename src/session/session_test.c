/* SPDX-License-Identifier: MIT
 *
 * session_test.c: parts are computed once, dropped at the limit in the order of their use, and computed again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/extension/session.h>

#include "damage.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "session/session_inside.h"

#define V8_FILE "tests/data/v8/node20-after.heapsnapshot.gz"
#define FX_FILE "tests/data/fx/tiny-before.fxsnapshot"

static ubi_session_pool *pool_of(uint64_t limit_bytes) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_pool *pool;
    options.limit_bytes = limit_bytes;
    assert_int_equal(ubi_session_pool_new(&pool, &options), UBI_OK);
    return pool;
}

static ubi_session *session_of(ubi_session_pool *pool, const char *path) {
    ubi_session *session;
    if (ubi_session_open_path(&session, pool, path, NULL) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    return session;
}

static ubi_session_use *use_of(ubi_session *session) {
    ubi_session_use *use;
    assert_int_equal(ubi_session_use_begin(&use, session, NULL), UBI_OK);
    return use;
}

/* False: never asked for. */
static bool part_find(ubi_session_part_row *row, ubi_session *session, const char *name) {
    for (size_t i = 0; ubi_session_part_at(row, session, i); i++)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

static ubi_session_part_row part_of(ubi_session *session, const char *name) {
    ubi_session_part_row row;
    if (!part_find(&row, session, name))
        fail_msg("no part %s", name);
    return row;
}

static uint64_t summary_retained(ubi_session *session) {
    const ubi_summary *summary;
    uint64_t sum = 0;
    ubi_session_use *use = use_of(session);
    assert_int_equal(ubi_session_summary(&summary, use), UBI_OK);
    for (uint32_t i = 0; i < ubi_summary_row_count(summary); i++)
        sum += ubi_summary_row_at(summary, i)->retained_bytes;
    ubi_session_use_end(use);
    return sum;
}

/* ---- once ----------------------------------------------------------------------------------------------------------- */

static void parts_are_computed_once(void **state) {
    static const char *const names[] = { "graph", "look", "dominators with sets", "distances", "summary" };
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session = session_of(pool, V8_FILE);
    (void)state;
    uint64_t retained = summary_retained(session);
    for (int i = 0; i < 3; i++)
        assert_int_equal(summary_retained(session), retained);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ubi_session_part_row row = part_of(session, names[i]);
        assert_int_equal(row.n_builds, 1);
        assert_true(row.is_present);
        assert_true(row.bytes > 0);
        assert_int_equal(row.is_in_use, strcmp(names[i], "summary") != 0);
    }
    assert_string_equal(ubi_session_name(session), V8_FILE);
    assert_string_equal(ubi_session_read_info(session)->format, "heapsnapshot");
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

static void all_that_ask_get_the_same(void **state) {
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session = session_of(pool, FX_FILE);
    ubi_session_use *a = use_of(session), *b = use_of(session);
    const ubi_dominators *plain, *sets, *again;
    const ubi_strings *strings;
    const ubi_retaining *retaining;
    const ubi_retainers *retainers;
    const uint32_t *distances;
    (void)state;
    assert_int_equal(ubi_session_dominators(&plain, a, false), UBI_OK);
    assert_int_equal(ubi_session_dominators(&sets, b, true), UBI_OK);
    assert_ptr_not_equal(plain, sets);
    ubi_session_use_end(a);
    ubi_session_pool_drop_unused(pool); /* the plain ones, which have no user */
    a = use_of(session);
    assert_int_equal(ubi_session_dominators(&again, a, false), UBI_OK);
    assert_ptr_equal(again, sets); /* they serve both */
    assert_int_equal(ubi_session_strings(&strings, a), UBI_OK);
    assert_int_equal(ubi_session_retaining(&retaining, a), UBI_OK);
    assert_int_equal(ubi_session_retainers(&retainers, a), UBI_OK);
    assert_int_equal(ubi_session_distances(&distances, a), UBI_OK);
    ubi_session_use_end(a);
    ubi_session_use_end(b);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

static void keepers_are_those_that_are_found_alone(void **state) {
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session = session_of(pool, FX_FILE);
    ubi_session_use *use = use_of(session), *other = use_of(session);
    const ubi_keeper *keepers, *again;
    const ubi_dominators *dominators;
    ubi_keeper alone[UBI_SESSION_KEEPERS];
    ubi_graph *graph;
    uint32_t n, n_again, n_alone;
    (void)state;
    assert_int_equal(ubi_session_keepers(&keepers, &n, use), UBI_OK);
    assert_int_equal(ubi_session_keepers(&again, &n_again, other), UBI_OK);
    assert_ptr_equal(keepers, again);
    assert_int_equal(part_of(session, "keepers").n_builds, 1);
    assert_int_equal(ubi_session_graph(&graph, use), UBI_OK);
    assert_int_equal(ubi_session_dominators(&dominators, use, true), UBI_OK);
    assert_int_equal(ubi_keepers_find(alone, &n_alone, UBI_SESSION_KEEPERS, dominators, graph, NULL), UBI_OK);
    assert_true(n > 0);
    assert_int_equal(n, n_alone);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(keepers[i].node, alone[i].node);
        assert_int_equal(keepers[i].held_bytes, alone[i].held_bytes);
    }
    ubi_session_use_end(use);
    ubi_session_use_end(other);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

static void censuses_are_kept_by_breakdown(void **state) {
    static const char json[] = "{\"by\":\"objectClass\"}";
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session = session_of(pool, FX_FILE);
    ubi_session_use *use = use_of(session), *other = use_of(session);
    const ubi_census *standard, *classes, *firefox, *again;
    ubi_session_part_row row;
    (void)state;
    assert_int_equal(ubi_session_census(&standard, use, (ubi_text){ NULL, 0 }, UBI_COMPAT_NONE), UBI_OK);
    assert_int_equal(ubi_session_census(&classes, use, (ubi_text){ json, strlen(json) }, UBI_COMPAT_NONE), UBI_OK);
    assert_int_equal(ubi_session_census(&firefox, use, (ubi_text){ json, strlen(json) }, UBI_COMPAT_FIREFOX), UBI_OK);
    assert_int_equal(ubi_session_census(&again, other, (ubi_text){ json, strlen(json) }, UBI_COMPAT_NONE), UBI_OK);
    assert_ptr_equal(classes, again);
    assert_ptr_not_equal(classes, firefox);
    assert_int_equal(ubi_census_node_count(standard), ubi_census_node_count(classes));
    assert_int_equal(ubi_session_census(&again, other, (ubi_text){ "{\"by\":\"x\"}", 10 }, UBI_COMPAT_NONE),
                     UBI_EINVAL);
    assert_int_equal(ubi_session_census(&again, other, (ubi_text){ "{}\0", 3 }, UBI_COMPAT_NONE), UBI_EINVAL);
    ubi_session_use_end(use);
    ubi_session_use_end(other);
    ubi_session_pool_drop_unused(pool);
    assert_false(part_find(&row, session, "census")); /* forgotten, with its key */
    assert_true(part_find(&row, session, "look"));
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

/* ---- dropped -------------------------------------------------------------------------------------------------------- */

static void what_is_used_is_not_dropped(void **state) {
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session = session_of(pool, V8_FILE);
    ubi_session_use *use = use_of(session);
    const ubi_dominators *dominators;
    (void)state;
    uint64_t retained = summary_retained(session);
    assert_int_equal(ubi_session_dominators(&dominators, use, true), UBI_OK);
    ubi_session_pool_drop_unused(pool);
    assert_false(part_of(session, "summary").is_present);
    assert_false(part_of(session, "distances").is_present);
    assert_true(part_of(session, "dominators with sets").is_present);
    assert_true(part_of(session, "look").is_present); /* the dominators were made of it */
    assert_true(ubi_dominators_node_count(dominators) > 0);
    ubi_session_use_end(use);
    ubi_session_pool_drop_unused(pool);
    assert_int_equal(ubi_session_pool_held_bytes(pool), 0);
    assert_int_equal(summary_retained(session), retained); /* read again, computed again */
    assert_int_equal(part_of(session, "graph").n_builds, 2);
    assert_int_equal(part_of(session, "distances").n_builds, 2);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

/* A limit that a whole summary fits into, but not those of three heaps. */
static void a_pool_keeps_its_limit(void **state) {
    ubi_session_pool *pool = pool_of(0);
    ubi_session *sessions[3];
    (void)state;
    sessions[0] = session_of(pool, V8_FILE);
    uint64_t retained = summary_retained(sessions[0]);
    uint64_t one_bytes = ubi_session_pool_peak_bytes(pool);
    ubi_session_unref(sessions[0]);
    ubi_session_pool_unref(pool);

    uint64_t limit_bytes = one_bytes + one_bytes / 8;
    pool = pool_of(limit_bytes);
    assert_int_equal(ubi_session_pool_limit_bytes(pool), limit_bytes);
    for (int i = 0; i < 3; i++)
        sessions[i] = session_of(pool, V8_FILE);
    for (int i = 0; i < 6; i++)
        assert_int_equal(summary_retained(sessions[i % 3]), retained);
    assert_true(ubi_session_pool_peak_bytes(pool) <= limit_bytes + limit_bytes / 10);
    assert_true(part_of(sessions[0], "graph").n_builds > 1);
    assert_false(part_of(sessions[0], "summary").is_present); /* used longest ago */
    assert_true(part_of(sessions[2], "summary").is_present);
    for (int i = 0; i < 3; i++)
        ubi_session_unref(sessions[i]);
    ubi_session_pool_unref(pool);
}

static void too_small_a_limit_is_an_error(void **state) {
    ubi_session_pool *pool = pool_of(3 << 20);
    ubi_session *session = NULL, *small;
    (void)state;
    assert_int_equal(ubi_session_open_path(&session, pool, V8_FILE, NULL), UBI_ENOMEM);
    assert_null(session);
    assert_int_equal(ubi_session_pool_held_bytes(pool), 0);
    small = session_of(pool, FX_FILE); /* the pool is as it was */
    ubi_session_unref(small);
    ubi_session_pool_unref(pool);
}

static void answers_count(void **state) {
    ubi_session_pool *pool = pool_of(1 << 20);
    ubi_graph *graph = graph_from_drawing("root -> a;");
    ubi_session *session;
    (void)state;
    assert_int_equal(ubi_session_open_graph(&session, pool, graph, "a capture", NULL), UBI_OK);
    ubi_graph_unref(graph);
    ubi_session_use *use = use_of(session);
    const ubi_allocator *a = ubi_session_use_allocator(use);
    void *p = a->alloc(a->ctx, 1000);
    uint64_t held_bytes = ubi_session_pool_held_bytes(pool);
    assert_true(held_bytes >= 1000);
    assert_null(a->alloc(a->ctx, 2 << 20));
    assert_null(a->resize(a->ctx, p, 1000, 2 << 20));
    assert_null(a->alloc(a->ctx, SIZE_MAX));
    assert_int_equal(ubi_session_pool_held_bytes(pool), held_bytes);
    p = a->resize(a->ctx, p, 1000, 100);
    assert_int_equal(ubi_session_pool_held_bytes(pool), held_bytes - 900);
    a->free(a->ctx, p, 100);
    assert_int_equal(ubi_session_pool_held_bytes(pool), held_bytes - 1000);
    ubi_session_use_end(use);
    ubi_session_pool_drop_unused(pool);
    ubi_session_part_row row = part_of(session, "graph");
    assert_true(row.is_present && row.n_builds == 1); /* there is nothing to read it from */
    assert_string_equal(ubi_session_name(session), "a capture");
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

/* ---- files that change ----------------------------------------------------------------------------------------------- */

static void file_copy(const char *to, const char *from) {
    char command[512];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

static void a_changed_file_is_not_mixed_up(void **state) {
    char path[] = "/tmp/ubiheap-session-XXXXXX";
    ubi_session_pool *pool = pool_of(0);
    const ubi_look *look;
    (void)state;
    close(mkstemp(path));
    file_copy(path, FX_FILE);
    ubi_session *session = session_of(pool, path);
    ubi_session_pool_drop_unused(pool);
    file_copy(path, "tests/data/fx/tiny-after.fxsnapshot");
    ubi_session_use *use = use_of(session);
    assert_int_equal(ubi_session_look(&look, use), UBI_EMISMATCH);
    assert_non_null(strstr(ubi_error_message(), "has changed since it was opened"));
    unlink(path);
    assert_int_equal(ubi_session_look(&look, use), UBI_EIO);
    ubi_session_use_end(use);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

static void standard_input_is_kept(void **state) {
    ubi_session_pool *pool = pool_of(0);
    int saved = dup(STDIN_FILENO);
    FILE *pipe = popen("cat " FX_FILE, "r");
    (void)state;
    dup2(fileno(pipe), STDIN_FILENO);
    ubi_session *session = session_of(pool, "-");
    dup2(saved, STDIN_FILENO);
    close(saved);
    pclose(pipe);
    ubi_session_pool_drop_unused(pool);
    assert_true(part_of(session, "graph").is_present);
    assert_true(summary_retained(session) > 0);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

static void errors_of_files_are_reported(void **state) {
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session;
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    (void)state;
    assert_int_equal(ubi_session_open_path(&session, pool, "tests/data/absent", NULL), UBI_EIO);
    assert_int_equal(ubi_session_open_path(&session, pool, "README.md", NULL), UBI_EFORMAT);
    options.version = UBI_SESSION_OPTIONS_VERSION + 1;
    assert_int_equal(ubi_session_open_path(&session, pool, FX_FILE, &options), UBI_EINVAL);
    ubi_session_pool_unref(pool);
}

/* ---- cancelled ------------------------------------------------------------------------------------------------------- */

static bool progress_countdown(void *payload, const char *stage, uint64_t done, uint64_t total) {
    uint32_t *n_left = payload;
    (void)stage, (void)done, (void)total;
    return (*n_left)-- > 0;
}

/* At each report in turn; what is whole by then is kept, and nothing else. */
static void cancelling_leaves_nothing_half_done(void **state) {
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session = session_of(pool, V8_FILE);
    uint32_t n = 0;
    (void)state;
    for (ubi_status status = UBI_ECANCELLED; status != UBI_OK; n++) {
        uint32_t n_left = n;
        ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
        ubi_session_use *use;
        const ubi_summary *summary;
        options.progress = (ubi_progress){ progress_countdown, &n_left };
        assert_int_equal(ubi_session_use_begin(&use, session, &options), UBI_OK);
        status = ubi_session_summary(&summary, use);
        assert_true(status == UBI_OK || status == UBI_ECANCELLED);
        ubi_session_use_end(use);
    }
    assert_true(n > 3);
    assert_int_equal(part_of(session, "summary").n_builds, 1);
    assert_int_equal(part_of(session, "dominators with sets").n_builds, 1);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

/* ---- allocations ----------------------------------------------------------------------------------------------------- */

static ubi_status asked_with(ubi_graph *graph, const ubi_allocator *allocator,
                             ubi_status (*ask)(ubi_session_use *use)) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_options one_thread = UBI_SESSION_OPTIONS_INIT; /* with two, some memory is only for speed */
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session_use *use;
    options.allocator = allocator;
    one_thread.threads = 1;
    UBI_TRY(ubi_session_pool_new(&pool, &options));
    ubi_status status = ubi_session_open_graph(&session, pool, graph, "drawing", &one_thread);
    ubi_session_pool_unref(pool); /* the session has a reference */
    UBI_TRY(status);
    status = ubi_session_use_begin(&use, session, NULL);
    ubi_session_unref(session);
    UBI_TRY(status);
    status = ask(use);
    ubi_session_use_end(use);
    return status;
}

static ubi_status summary_ask(ubi_session_use *use) {
    const ubi_summary *summary;
    const ubi_retaining *retaining;
    UBI_TRY(ubi_session_summary(&summary, use));
    return ubi_session_retaining(&retaining, use);
}

static ubi_status summary_with(void *graph, const ubi_allocator *allocator) {
    return asked_with(graph, allocator, summary_ask);
}

static ubi_status census_ask(ubi_session_use *use) {
    const ubi_census *census;
    return ubi_session_census(&census, use, (ubi_text){ "{\"by\":\"count\"}", 14 }, UBI_COMPAT_NONE);
}

static void every_allocation_may_fail(void **state) {
    ubi_graph *graph =
        graph_from_drawing("root -> a \"x\", b; a(class=A coarse=object) -> b; b(class=B coarse=object);");
    uint64_t n = 0;
    (void)state;
    assert_true(fail_each_allocation(summary_with, graph) > 10);
    for (bool is_refused = true; is_refused; n++) { /* a census may be refused what would only save memory */
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_status status = asked_with(graph, &f.allocator, census_ask);
        assert_true(status == UBI_OK || (status == UBI_ENOMEM && f.n_refused > 0));
        is_refused = f.n_refused > 0;
        fail_allocator_fini(&f);
    }
    ubi_graph_unref(graph);
}

/* ---- checks ---------------------------------------------------------------------------------------------------------- */

static void check_pool(void *pool) {
    ubi__session_pool_check(pool);
}

static void damaged_pools_are_seen(void **state) {
    ubi_session_pool *pool = pool_of(0);
    ubi_session *session = session_of(pool, FX_FILE);
    (void)state;
    summary_retained(session);
    ubi__session_slot *slot = session->slots;
    check_pool(pool);
    slot->used_at += 1000;
    assert_damage_seen(check_pool, pool, "slot->used_at <= pool->clock");
    slot->used_at -= 1000;
    uint32_t n_holders = slot->n_holders;
    slot->n_holders = 0; /* the look was made of the graph */
    assert_damage_seen(check_pool, pool, "n_holders > 0");
    slot->n_holders = n_holders;
    void *value = slot->value;
    slot->value = NULL;
    assert_damage_seen(check_pool, pool, "(slot->value != NULL) == is_ready");
    slot->value = value;
    session->pool = NULL;
    assert_damage_seen(check_pool, pool, "s->pool == pool");
    session->pool = pool;
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_computed_once),
        cmocka_unit_test(all_that_ask_get_the_same),
        cmocka_unit_test(keepers_are_those_that_are_found_alone),
        cmocka_unit_test(censuses_are_kept_by_breakdown),
        cmocka_unit_test(what_is_used_is_not_dropped),
        cmocka_unit_test(a_pool_keeps_its_limit),
        cmocka_unit_test(too_small_a_limit_is_an_error),
        cmocka_unit_test(answers_count),
        cmocka_unit_test(a_changed_file_is_not_mixed_up),
        cmocka_unit_test(standard_input_is_kept),
        cmocka_unit_test(errors_of_files_are_reported),
        cmocka_unit_test(cancelling_leaves_nothing_half_done),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(damaged_pools_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
