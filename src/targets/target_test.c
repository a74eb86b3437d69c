/* SPDX-License-Identifier: MIT
 *
 * What can be done with a target follows from its operations: on a target made up of a drawing, which counts what is asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/extension/console.h>
#include <ubiheap/extension/target.h>

#include "base/status.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "saving.h"

typedef struct fake {
    drawing *heap;
    bool is_part;        /* there is an edge filter, which leaves "hidden" out */
    ubi_status freezing; /* what freeze and thaw say */
    ubi_status thawing;
    unsigned freezes, thaws, collections, cycles, measurements, requests;
    const ubi_target_scope *scope; /* what freeze or observe was given */
    ubi_status observing;          /* what observe says */
    bool has_later_observers;
    unsigned observers;
    ubi_target_observer_state observed;
} fake;

static ubi_edge_verdict leave_out_hidden(void *payload, ubi_node from, ubi_node to) {
    (void)payload, (void)from;
    return strcmp(drawing_name(to), "hidden") == 0 ? UBI_EDGE_SKIP : UBI_EDGE_FOLLOW;
}

static ubi_status freeze(void *payload, const ubi_target_scope *scope, ubi_frozen_heap *out) {
    fake *f = payload;
    f->freezes++;
    f->scope = scope;
    if (f->freezing != UBI_OK)
        return ubi_error(f->freezing, "cannot be frozen");
    out->root = drawing_node(f->heap, "root");
    if (f->is_part)
        out->edge_filter = leave_out_hidden;
    return UBI_OK;
}
static ubi_status thaw(void *payload) {
    fake *f = payload;
    f->thaws++;
    return f->thawing == UBI_OK ? UBI_OK : ubi_error(f->thawing, "it was touched");
}
static ubi_status collect_garbage(void *payload) {
    ((fake *)payload)->collections++;
    return UBI_OK;
}
static ubi_status collect_cycles(void *payload) {
    ((fake *)payload)->cycles++;
    return UBI_OK;
}
static ubi_status measure(void *payload, ubi_measure_fn fn, void *fn_payload) {
    const ubi_measure_row row = { { "size", 4 }, 7, true };
    ((fake *)payload)->measurements++;
    fn(fn_payload, &row);
    return UBI_OK;
}
static ubi_status run_at_safe_point(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    ((fake *)payload)->requests++;
    fn(fn_payload);
    return UBI_OK;
}

/* ---- its observer: remembers what it was asked ------------------------------------------------------------------------ */

static void observer_free(void *payload) {
    ((fake *)payload)->observers--;
}
static ubi_status observer_set_tracking(void *payload, bool on) {
    ((fake *)payload)->observed.is_tracking = on;
    return UBI_OK;
}
static ubi_status observer_set_probability(void *payload, double probability) {
    ((fake *)payload)->observed.probability = probability;
    return UBI_OK;
}
static ubi_status observer_set_log_limit(void *payload, uint32_t entries) {
    ((fake *)payload)->observed.log_limit = entries;
    return UBI_OK;
}
static void observer_state(void *payload, ubi_target_observer_state *out) {
    *out = ((fake *)payload)->observed;
}
static ubi_status observer_drain(void *payload, ubi_logged_allocation_fn fn, void *fn_payload) {
    const ubi_logged_allocation allocation = { .size_bytes = 16 };
    return fn(fn_payload, &allocation) && ((fake *)payload)->observed.is_tracking ? UBI_OK : UBI_ESTATE;
}
static void observer_on_collection(void *payload, ubi_collection_fn fn, void *fn_payload) {
    const ubi_collection collection = { .cycle_number = 5 };
    (void)payload;
    fn(fn_payload, &collection);
}

#define OBSERVER_OPS(number)                                                                                           \
    {                                                                                                                  \
        .version = (number), .free = observer_free, .set_tracking = observer_set_tracking,                             \
        .set_probability = observer_set_probability, .set_log_limit = observer_set_log_limit, .state = observer_state, \
        .drain = observer_drain, .on_collection = observer_on_collection                                               \
    }
static const ubi_target_observer_ops observer_ops = OBSERVER_OPS(UBI_TARGET_OBSERVER_OPS_VERSION);
static const ubi_target_observer_ops later_observer_ops = OBSERVER_OPS(UBI_TARGET_OBSERVER_OPS_VERSION + 1);

static ubi_status observe(void *payload, const ubi_target_scope *scope, ubi_target_observer *out) {
    fake *f = payload;
    f->scope = scope;
    if (f->observing != UBI_OK)
        return ubi_error(f->observing, "cannot be observed now");
    f->observers++;
    *out = (ubi_target_observer){ f->has_later_observers ? &later_observer_ops : &observer_ops, f };
    return UBI_OK;
}

/* ---- targets ---------------------------------------------------------------------------------------------------------- */

static const ubi_target_ops all_ops = {
    .version = UBI_TARGET_OPS_VERSION,
    .kind = "fake",
    .capabilities = UBI_TARGET_WALK | UBI_TARGET_COLLECT_GARBAGE | UBI_TARGET_COLLECT_CYCLES | UBI_TARGET_MEASURE |
                    UBI_TARGET_SAFE_POINT | UBI_TARGET_OBSERVE,
    .observe = observe,
    .freeze = freeze,
    .thaw = thaw,
    .collect_garbage = collect_garbage,
    .collect_cycles = collect_cycles,
    .measure = measure,
    .run_at_safe_point = run_at_safe_point,
};
/* As programs were compiled before there were observers. */
static const ubi_target_ops first_ops = {
    .version = 1,
    .kind = "first",
    .capabilities = UBI_TARGET_WALK | UBI_TARGET_OBSERVE, /* which meant nothing then */
    .freeze = freeze,
    .thaw = thaw,
};
static const ubi_target_ops no_ops = { .version = UBI_TARGET_OPS_VERSION, .kind = "mute" };
static const ubi_target_ops later_ops = { .version = UBI_TARGET_OPS_VERSION + 1, .kind = "later" };

static const char drawn[] = "root -> a, b; a(size=10) -> b, hidden; b(size=20); hidden(size=40)";

static fake fake_new(void) {
    return (fake){ .heap = drawing_new(drawn) };
}
static void fake_free(fake *f) {
    drawing_free(f->heap);
}

/* ---- what is done --------------------------------------------------------------------------------------------------- */

static void looking_freezes_and_thaws(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    const ubi_target_scope part = { &f };
    ubi_census *census;
    ubi_graph *graph;
    assert_int_equal(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_OK);
    assert_null(f.scope);
    assert_int_equal(ubi_census_node_count(census), 3);
    assert_int_equal(ubi_census_size_bytes(census), 70);
    ubi_census_free(census);
    assert_int_equal(ubi_target_capture(&graph, target, &part, NULL), UBI_OK);
    assert_ptr_equal(f.scope, &part);
    assert_int_equal(ubi_graph_node_count(graph), 4);
    ubi_graph_unref(graph);
    assert_int_equal(f.freezes, 2);
    assert_int_equal(f.thaws, 2);
    fake_free(&f);
}

static void a_part_ends_where_its_filter_says(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    char *folder = new_directory(), path[300];
    ubi_census *census;
    ubi_graph *graph;
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    f.is_part = true;
    snprintf(path, sizeof path, "%s/part.fxsnapshot", folder);
    assert_int_equal(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_census_size_bytes(census), 30);
    assert_int_equal(ubi_target_capture(&graph, target, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_graph_node_count(graph), 3);
    assert_int_equal(ubi_target_save(target, NULL, path, NULL, &info), UBI_OK);
    assert_int_equal(info.node_count, 3);
    ubi_census_free(census);
    ubi_graph_unref(graph);
    remove_directory(folder);
    fake_free(&f);
}

static void note_row(void *payload, const ubi_measure_row *row) {
    *(uint64_t *)payload += row->value;
}
static void note_call(void *payload) {
    ++*(unsigned *)payload;
}

static void requests_reach_the_target(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    uint64_t measured = 0;
    unsigned calls = 0;
    assert_int_equal(ubi_target_collect_garbage(target), UBI_OK);
    assert_int_equal(ubi_target_collect_cycles(target), UBI_OK);
    assert_int_equal(ubi_target_measure(target, note_row, &measured), UBI_OK);
    assert_int_equal(ubi_target_run_at_safe_point(target, note_call, &calls), UBI_OK);
    assert_int_equal(f.collections, 1);
    assert_int_equal(f.cycles, 1);
    assert_int_equal(measured, 7);
    assert_int_equal(calls, 1);
    assert_int_equal(f.freezes, 0);
    fake_free(&f);
}

static bool add_size(void *payload, const ubi_logged_allocation *allocation) {
    *(uint64_t *)payload += allocation->size_bytes;
    return true;
}
static void add_cycle(void *payload, const ubi_collection *collection) {
    *(uint64_t *)payload += collection->cycle_number;
}

static void an_observer_is_asked_what_its_functions_say(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    const ubi_target_scope part = { &f };
    ubi_target_observer observer;
    ubi_target_observer_state now;
    uint64_t sum = 0;
    assert_int_equal(ubi_target_observe(&observer, target, &part), UBI_OK);
    assert_ptr_equal(f.scope, &part);
    assert_int_equal(ubi_target_observer_set_tracking(observer, true), UBI_OK);
    assert_int_equal(ubi_target_observer_set_probability(observer, .5), UBI_OK);
    assert_int_equal(ubi_target_observer_set_log_limit(observer, 9), UBI_OK);
    ubi_target_observer_get_state(observer, &now);
    assert_true(now.is_tracking && now.probability == .5 && now.log_limit == 9);
    assert_int_equal(ubi_target_observer_drain(observer, add_size, &sum), UBI_OK);
    ubi_target_observer_on_collection(observer, add_cycle, &sum);
    assert_int_equal(sum, 16 + 5);
    ubi_target_observer_free(observer);
    assert_int_equal(f.observers, 0);
    fake_free(&f);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------ */

static void assert_refused(ubi_status got, ubi_status expected, const char *message) {
    assert_int_equal(got, expected);
    assert_string_equal(ubi_error_message(), message);
}

static void a_target_is_asked_for_nothing_that_it_cannot_do(void **state) {
    (void)state;
    ubi_target target = { &no_ops, NULL };
    ubi_census *census = NULL;
    ubi_graph *graph = NULL;
    uint64_t measured = 0;
    const char *walk = "a target of kind mute cannot be walked";
    assert_refused(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_ESTATE, walk);
    assert_refused(ubi_target_capture(&graph, target, NULL, NULL), UBI_ESTATE, walk);
    assert_refused(ubi_target_save(target, NULL, "/nonexistent/file", NULL, NULL), UBI_ESTATE, walk);
    assert_refused(ubi_target_collect_garbage(target), UBI_ESTATE, "a target of kind mute cannot collect garbage");
    assert_refused(ubi_target_collect_cycles(target), UBI_ESTATE, "a target of kind mute cannot collect cycles");
    assert_refused(ubi_target_measure(target, note_row, &measured), UBI_ESTATE,
                   "a target of kind mute cannot be measured");
    assert_refused(ubi_target_run_at_safe_point(target, note_call, NULL), UBI_ESTATE,
                   "a target of kind mute cannot run requests at a safe point");
    assert_null(census);
    assert_null(graph);
}

static void operations_of_another_version_are_refused(void **state) {
    (void)state;
    ubi_target target = { &later_ops, NULL };
    ubi_census *census = NULL;
    const char *message = "target operations of version 4, expected 1 to 3";
    assert_refused(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_EINVAL, message);
    assert_refused(ubi_target_collect_garbage(target), UBI_EINVAL, message);
    assert_false(ubi_target_can(target, 0));
}

static void operations_of_the_first_version_do_what_they_could(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &first_ops, &f };
    ubi_target_observer observer;
    ubi_census *census;
    assert_int_equal(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_OK);
    ubi_census_free(census);
    assert_refused(ubi_target_observe(&observer, target, NULL), UBI_ESTATE,
                   "a target of kind first cannot be observed");
    ubi_console console = { NULL, NULL };
    assert_refused(ubi_target_open_console(&console, target, NULL, NULL), UBI_ESTATE,
                   "a target of kind first cannot evaluate texts");
    assert_null(console.ops);
    assert_true(ubi_target_can(target, UBI_TARGET_WALK));
    assert_false(ubi_target_can(target, UBI_TARGET_WALK | UBI_TARGET_OBSERVE));
    assert_false(ubi_target_can((ubi_target){ NULL, NULL }, 0));
    fake_free(&f);
}

static void an_observer_that_is_refused_is_not_there(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    ubi_target_observer observer = { NULL, NULL };
    f.observing = UBI_EBUSY;
    assert_refused(ubi_target_observe(&observer, target, NULL), UBI_EBUSY, "cannot be observed now");
    f.observing = UBI_OK;
    f.has_later_observers = true;
    assert_refused(ubi_target_observe(&observer, target, NULL), UBI_EINVAL,
                   "observer operations of version 2, expected 1");
    assert_null(observer.ops);
    assert_int_equal(f.observers, 0);
    fake_free(&f);
}

/* ---- what goes wrong ------------------------------------------------------------------------------------------------ */

static void a_heap_that_does_not_freeze_is_not_thawed(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    ubi_census *census = NULL;
    f.freezing = UBI_ESTATE;
    assert_refused(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_ESTATE, "cannot be frozen");
    assert_int_equal(f.thaws, 0);
    assert_null(census);
    fake_free(&f);
}

static void a_heap_that_was_touched_gives_no_result(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    ubi_census *census = NULL;
    ubi_graph *graph = NULL;
    f.thawing = UBI_ESTATE;
    assert_refused(ubi_target_census(&census, target, NULL, NULL, NULL), UBI_ESTATE, "it was touched");
    assert_refused(ubi_target_capture(&graph, target, NULL, NULL), UBI_ESTATE, "it was touched");
    assert_null(census);
    assert_null(graph);
    assert_int_equal(f.thaws, 2);
    fake_free(&f);
}

static void an_old_file_outlives_a_heap_that_was_touched(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    char path[] = "/tmp/ubiheap-target-XXXXXX", text[4] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "old", 3), 3);
    f.thawing = UBI_ESTATE;
    assert_refused(ubi_target_save(target, NULL, path, NULL, NULL), UBI_ESTATE, "it was touched");
    assert_int_equal(f.thaws, 1);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 3);
    assert_string_equal(text, "old");
    fclose(file);
    close(fd);
    unlink(path);
    fake_free(&f);
}

static void the_first_error_counts(void **state) {
    (void)state;
    fake f = fake_new();
    ubi_target target = { &all_ops, &f };
    f.thawing = UBI_ESTATE;
    ubi_status status = ubi_target_save(target, NULL, "/nonexistent/file", NULL, NULL);
    assert_int_equal(status, UBI_EIO);
    assert_non_null(strstr(ubi_error_message(), "No such file or directory"));
    assert_int_equal(f.thaws, 1);
    fake_free(&f);
}

/* Some requests may be refused without harm: they only save time. */
static ubi_status look_without_memory(fake *f, fail_allocator *memory) {
    ubi_target target = { &all_ops, f };
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census *census = NULL;
    ubi_graph *graph = NULL;
    options.allocator = &memory->allocator;
    ubi_status status = ubi_target_census(&census, target, NULL, NULL, &options);
    if (status == UBI_OK)
        status = ubi_target_capture(&graph, target, NULL, &memory->allocator);
    assert_int_equal(f->freezes, f->thaws);
    memory->n_allowed = FAIL_ALLOCATOR_NEVER;
    ubi_census_free(census);
    ubi_graph_unref(graph);
    return status;
}

static void without_memory_the_heap_continues(void **state) {
    (void)state;
    fake f = fake_new();
    uint64_t n_failed = 0;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        fail_allocator memory;
        fail_allocator_init(&memory, n);
        ubi_status status = look_without_memory(&f, &memory);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        n_failed += status == UBI_ENOMEM;
        refused = memory.n_refused;
        fail_allocator_fini(&memory);
    }
    assert_true(n_failed > 5);
    fake_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_freezes_and_thaws),
        cmocka_unit_test(a_part_ends_where_its_filter_says),
        cmocka_unit_test(requests_reach_the_target),
        cmocka_unit_test(an_observer_is_asked_what_its_functions_say),
        cmocka_unit_test(a_target_is_asked_for_nothing_that_it_cannot_do),
        cmocka_unit_test(operations_of_another_version_are_refused),
        cmocka_unit_test(operations_of_the_first_version_do_what_they_could),
        cmocka_unit_test(an_observer_that_is_refused_is_not_there),
        cmocka_unit_test(a_heap_that_does_not_freeze_is_not_thawed),
        cmocka_unit_test(a_heap_that_was_touched_gives_no_result),
        cmocka_unit_test(an_old_file_outlives_a_heap_that_was_touched),
        cmocka_unit_test(the_first_error_counts),
        cmocka_unit_test(without_memory_the_heap_continues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
