/* SPDX-License-Identifier: MIT
 *
 * timeline_checks_test.c: the invariants of timelines, from what threads mark to what is shown, are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "damage.h"
#include "timeline/marker_pairing.h"
#include "timeline/markers_storage.h"
#include "timeline/timeline_nest.h"
#include "timeline/timeline_target.h"

/* ---- timelines in memory --------------------------------------------------------------------------------------------- */

static void check_data(void *data) {
    ubi__timeline_data_check(data, true);
}
static void check_nest(void *nest) {
    ubi__timeline_nest_check(nest);
}

/* Two markers on one thread, the second inside of the first. */
static void make_data(ubi__timeline_data *data) {
    ubi_str_ix name;
    uint32_t thread;
    ubi__timeline_data_init(data, NULL);
    assert_int_equal(ubi__timeline_add_text(data, &name, ubi__text("Styles")), UBI_OK);
    assert_int_equal(ubi__timeline_add_thread(data, &thread, 7, ubi__text("main")), UBI_OK);
    for (uint64_t i = 0; i < 2; i++) {
        ubi__timeline_frame frame = { UBI_NONE, name, UBI_NONE, 1, (uint32_t)i, i ? 0 : UBI_NONE, UBI_NONE };
        ubi__timeline_row row = { .start_ns = 10 + i, .end_ns = 20 - i, .name = name, .thread = thread };
        ubi__timeline_detail detail = { .key = name, .type = UBI__TIMELINE_BOOL };
        assert_int_equal(ubi__timeline_add_frame(data, &row.stack, &frame), UBI_OK);
        row.end_stack = UBI_NONE;
        row.flags = UBI__TIMELINE_HAS_END | UBI__TIMELINE_HAS_THREAD;
        assert_int_equal(ubi__timeline_add_detail(data, &detail), UBI_OK);
        assert_int_equal(ubi__timeline_add_row(data, &row), UBI_OK);
    }
    assert_int_equal(ubi__timeline_data_sort(data), UBI_OK);
}

static void damaged_data_is_seen(void **state) {
    (void)state;
    ubi__timeline_data data;
    make_data(&data);
    check_data(&data);
    data.frames.at[0].parent = 0;
    assert_damage_seen(check_data, &data, "is_index(frame->parent, i)");
    data.frames.at[0].parent = UBI_NONE;
    data.rows.at[1].end_ns = 3;
    assert_damage_seen(check_data, &data, "row->start_ns <= row->end_ns");
    data.rows.at[1].end_ns = 19;
    data.rows.at[0].start_ns = 15;
    assert_damage_seen(check_data, &data, "data->rows.at[i - 1].start_ns <= row->start_ns");
    data.rows.at[0].start_ns = 10;
    data.rows.at[1].n_details = 9;
    assert_damage_seen(check_data, &data, "row->n_details <= data->n_given_details");
    data.rows.at[1].n_details = 1;
    data.rows.at[0].stack = 2;
    assert_damage_seen(check_data, &data, "is_index(row->stack, data->frames.n)");
    data.rows.at[0].stack = 0;
    data.end_ns = 12;
    assert_damage_seen(check_data, &data, "row->end_ns <= data->end_ns");
    ubi__timeline_data_fini(&data);
}

static void damaged_nests_are_seen(void **state) {
    (void)state;
    ubi__timeline_data data;
    ubi__timeline_nest nest;
    make_data(&data);
    assert_int_equal(ubi__timeline_nest_init(&nest, &data, false), UBI_OK);
    check_nest(&nest);
    assert_int_equal(nest.parent[1], 0);
    nest.depth[1] = 0;
    assert_damage_seen(check_nest, &nest, "nest->depth[i] == nest->depth[parent] + 1");
    nest.depth[1] = 1;
    nest.self_ns[1] = 9;
    assert_damage_seen(check_nest, &nest, "nest->self_ns[i] <=");
    nest.self_ns[1] = 8;
    nest.sums.at[0].count++;
    assert_damage_seen(check_nest, &nest, "n_rows == nest->n");
    nest.sums.at[0].count--;
    nest.by_thread[1] = 0;
    assert_damage_seen(check_nest, &nest, "nest->by_thread[k - 1] < nest->by_thread[k]");
    nest.by_thread[1] = 1;
    ubi__timeline_nest_fini(&nest);
    ubi__timeline_data_fini(&data);
}

/* ---- markers --------------------------------------------------------------------------------------------------------- */

static void check_tables(void *tables) {
    ubi__marker_tables_check(tables);
}

static void damaged_tables_are_seen(void **state) {
    (void)state;
    ubi__marker_tables *t = ubi__marker_tables_new(ubi_allocator_default());
    ubi__marker_frame frame = { .source = UBI_NONE, .async_cause = UBI_NONE, .parent = UBI_NONE };
    uint32_t i;
    frame.async_parent = UBI_NONE;
    assert_int_equal(ubi__marker_tables_text(&frame.function_name, t, ubi__text("f")), UBI_OK);
    assert_int_equal(ubi__marker_tables_frame(&i, t, &frame), UBI_OK);
    check_tables(t);
    t->frames[0][0].parent = 0;
    assert_damage_seen(check_tables, t, "frame->parent < i");
    t->frames[0][0].parent = UBI_NONE;
    t->n_texts++;
    assert_damage_seen(check_tables, t, "t->text_table.n == t->n_texts");
    t->n_texts--;
    ubi__marker_tables_unref(t);
}

static void check_columns(void *columns) {
    ubi__marker_columns_check(columns);
}
static void check_pairing(void *pairing) {
    ubi__marker_pairing_check(pairing);
}

static void damaged_pairings_are_seen(void **state) {
    (void)state;
    ubi_marker_pairing *p;
    ubi_raw_marker start = { .tracing = UBI_MARKER_START, .stack = UBI_NONE };
    const ubi_timeline_thread thread = { .id = 7, .name = ubi__text("main") };
    assert_int_equal(ubi_marker_pairing_new(&p, NULL), UBI_OK);
    assert_int_equal(ubi_marker_pairing_name(&start.name, p, ubi__text("Paint")), UBI_OK);
    assert_int_equal(ubi_marker_pairing_thread(&start.thread, p, &thread), UBI_OK);
    assert_int_equal(ubi_marker_pairing_add(p, &start), UBI_OK);
    start.key = ubi__text("key");
    assert_int_equal(ubi_marker_pairing_add(p, &start), UBI_OK);
    check_pairing(p);
    p->it.rows.at[0].below = 1;
    assert_damage_seen(check_pairing, p, "row < above");
    p->it.rows.at[0].below = UBI_NONE;
    p->it.rows.at[0].flags = 0;
    assert_damage_seen(check_pairing, p, "UBI__ROW_OPEN");
    p->it.rows.at[0].flags = UBI__ROW_OPEN;
    p->specials.at[1].row = 0;
    assert_damage_seen(check_pairing, p, "");
    p->specials.at[1].row = 1;
    p->n_asking++;
    assert_damage_seen(check_pairing, p, "n_asking == p->n_asking");
    p->n_asking--;

    check_columns(&p->it);
    p->it.rows.at[1].name = 1;
    assert_damage_seen(check_columns, &p->it, "row->name < c->names.n");
    p->it.rows.at[1].name = 0;
    p->it.rows.at[1].flags |= UBI__ROW_END_STACK;
    assert_damage_seen(check_columns, &p->it, "row->n_details > 0");
    p->it.rows.at[1].flags &= (uint8_t)~UBI__ROW_END_STACK;
    ubi_marker_pairing_free(p);
}

static void check_timeline(void *timeline) {
    ubi__timeline_check(timeline);
}

static void damaged_logs_are_seen(void **state) {
    (void)state;
    static ubi__log log;
    static ubi__chunk chunks[2];
    static ubi__timeline t;
    for (size_t i = 0; i < 2; i++) {
        chunks[i].order = i + 1;
        chunks[i].bytes = 100;
        chunks[i].ended = chunks[i].end = chunks[i].records;
    }
    chunks[0].next = &chunks[1];
    log.oldest = &chunks[0];
    log.current = &chunks[1];
    log.n_chunks = 2;
    t.logs = &log;
    t.n_logs = 1;
    t.pending_bytes = 200;
    check_timeline(&t);
    chunks[0].needed = 1;
    assert_damage_seen(check_timeline, &t, "c->needed == n_needed");
    chunks[0].needed = 0;
    chunks[1].order = 1;
    assert_damage_seen(check_timeline, &t, "c->order < c->next->order");
    chunks[1].order = 2;
    t.pending_bytes = 100;
    assert_damage_seen(check_timeline, &t, "pending_bytes == t->pending_bytes");
    t.pending_bytes = 200;
    log.current = &chunks[0];
    assert_damage_seen(check_timeline, &t, "(c->next == NULL) == (c == log->current)");
    log.current = &chunks[1];
    t.n_logs = 2;
    assert_damage_seen(check_timeline, &t, "n_logs == t->n_logs");
}

/* ---- threads --------------------------------------------------------------------------------------------------------- */

static void check_main_thread(void *target) {
    ubi__check_main_thread(target);
}
static void check_other_thread(void *target) {
    ubi__check_other_thread(target);
}

static void the_wrong_thread_is_seen(void **state) {
    ubi_timeline_target target = { .thread = ubi__thread_number() };
    (void)state;
    ubi__check_main_thread(&target);
    assert_damage_seen(check_other_thread, &target, "target->thread != ubi__thread_number()");
    target.thread++;
    ubi__check_other_thread(&target);
    assert_damage_seen(check_main_thread, &target, "target->thread == ubi__thread_number()");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_data_is_seen),    cmocka_unit_test(damaged_nests_are_seen),
        cmocka_unit_test(damaged_tables_are_seen), cmocka_unit_test(damaged_pairings_are_seen),
        cmocka_unit_test(damaged_logs_are_seen),   cmocka_unit_test(the_wrong_thread_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
