/* SPDX-License-Identifier: MIT
 *
 * packed_heap_thread_test.c: heaps as columns and back: equal, whatever engine they are of; and what becomes of damaged bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "base/column_file_layout.h"
#include "damage.h"
#include "fail_allocator.h"
#include "packed_heap.h"
#include "random_numbers.h"
#include "random_v8.h"
#include "random_v8_heap.h"
#include "saving.h"

static ubi_graph *graph_of_file(const char *path) {
    ubi_graph *graph;
    if (ubi_graph_read_path(&graph, path, NULL, NULL) != UBI_OK)
        fail_msg("%s: %s", path, ubi_error_message());
    return graph;
}

static ubi_graph *graph_of_v8(ubi_graph *made) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.format = "heapsnapshot";
    ubi_graph *read = graph_round_trip(made, &options);
    ubi_graph_unref(made);
    return read;
}

static packed_bytes bytes_of(ubi_graph *graph) {
    packed_bytes packed;
    if (heap_pack(&packed, graph, NULL) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    return packed;
}

/* What is unpacked says what was packed, and so does that when it is packed again. */
static void assert_unpacked_equal(ubi_graph *graph, unsigned threads) {
    packed_heap first, second;
    packed_bytes packed = bytes_of(graph);
    if (heap_unpack(&first, packed, threads, NULL) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    assert_string_equal(ubi_graph_format_name(first.graph), ubi_graph_format_name(graph));
    packed_bytes again = bytes_of(graph);
    assert_int_equal(heap_unpack(&second, again, threads, NULL), UBI_OK);
    const char *what = packed_heaps_differ(&first, &second);
    if (what)
        fail_msg("%s", what);
    assert_int_equal(ubi_graph_check(first.graph), UBI_OK);
    heap_release(&second);
    packed_bytes copy = bytes_of(first.graph); /* look and tree are computed from the mapped graph */
    assert_int_equal(heap_unpack(&second, copy, threads, NULL), UBI_OK);
    what = packed_heaps_differ(&first, &second);
    if (what)
        fail_msg("packed again: %s", what);
    assert_true(packed_heap_visit(&first) == packed_heap_visit(&second));
    heap_release(&second);
    heap_release(&first);
    packed_free(packed);
    packed_free(again);
    packed_free(copy);
}

static void heaps_of_all_engines_come_back(void **state) {
    static const char *const paths[] = {
        "tests/data/v8/node20-after.heapsnapshot.gz",
        "tests/data/v8/chromium-alloc.heapsnapshot.gz",
        "tests/data/v8/chromium-detached.heapsnapshot.gz",
        "tests/data/fx/tiny-before.fxsnapshot",
        "tests/data/fx/unreachable.fxsnapshot",
        "tests/data/jsc/bun-gcdebugging.json.gz",
        "tests/data/jsc/bun-inspector.json.gz",
    };
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ubi_graph *graph = graph_of_file(paths[i]);
        assert_unpacked_equal(graph, 1 + i % 3);
        ubi_graph_unref(graph);
    }
}

static void random_heaps_come_back(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < random_cases(300); seed++) {
        random_start(seed);
        ubi_graph *graph = graph_of_v8(
            seed % 3 == 0 ? random_v8_graph()
            : seed % 3 == 1
                ? random_v8_heap(60)
                : random_v8_heap_of(&(random_v8_options){
                      .topic = RANDOM_V8_RULES, .n_nodes = 60, .n_edges_per_node = 4, .cycles_of_strings = true }));
        assert_unpacked_equal(graph, 2);
        ubi_graph_unref(graph);
    }
}

/* ---- damage ---------------------------------------------------------------------------------------------------------- */

/* Damaged bytes are refused, or what they say is what they said. */
static void assert_refused_or_equal(packed_bytes packed, const packed_heap *sound, const char *how, size_t at) {
    packed_heap heap;
    ubi_status status = heap_unpack(&heap, packed, 1, NULL);
    if (status == UBI_OK) {
        const char *what = packed_heaps_differ(sound, &heap);
        if (what)
            fail_msg("%s at %zu: %s differ", how, at, what);
    } else
        assert_int_equal(status, UBI_EFORMAT);
    heap_release(&heap);
}

static ubi_graph *small_graph(bool is_v8) {
    random_start(7);
    return is_v8 ? graph_of_v8(random_v8_heap_of(
                       &(random_v8_options){ .topic = RANDOM_V8_RULES, .n_nodes = 6, .n_edges_per_node = 2 }))
                 : graph_of_file("tests/data/fx/crafted/frame-ok.fxsnapshot");
}

static void each_bit_may_be_flipped(void **state) {
    ubi_graph *graph = small_graph(true);
    packed_bytes packed = bytes_of(graph), copy = packed_copy(packed);
    packed_heap sound;
    (void)state;
    assert_int_equal(heap_unpack(&sound, copy, 1, NULL), UBI_OK);
    for (size_t bit = 0; bit < packed.n * 8; bit += random_bit_step()) {
        packed.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_refused_or_equal(packed, &sound, "bit flipped", bit);
        packed.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    heap_release(&sound);
    packed_free(packed);
    packed_free(copy);
    ubi_graph_unref(graph);
}

static void it_may_end_anywhere(void **state) {
    ubi_graph *graph = small_graph(true);
    packed_bytes whole = bytes_of(graph);
    packed_heap heap;
    (void)state;
    for (size_t n = 0; n < whole.n; n++) {
        packed_bytes part =
            packed_copy((packed_bytes){ whole.at, n }); /* of its own, so that reads after it are seen */
        assert_int_equal(heap_unpack(&heap, part, 1, NULL), UBI_EFORMAT);
        heap_release(&heap);
        packed_free(part);
    }
    packed_free(whole);
    ubi_graph_unref(graph);
}

/* With right checksums, what a number says is up to the rules: it may be another heap, but one that can be walked. */
static void lies_with_right_checksums_are_safe(void **state) {
    ubi_graph *graph = small_graph(true);
    packed_bytes sound = bytes_of(graph);
    uint64_t n_refused = 0, n_taken = 0;
    (void)state;
    random_start(11);
    for (uint32_t i = 0; i < random_cases(20000); i++) {
        packed_bytes packed = packed_copy(sound);
        packed_heap heap;
        for (uint32_t n = random_below(3) + 1; n > 0; n--) {
            size_t at = UBI__COLUMN_HEADER_BYTES + random_below((uint32_t)(packed.n - UBI__COLUMN_HEADER_BYTES));
            packed.at[at] =
                random_below(2) ? (uint8_t)random_below(256) : packed.at[at] ^ (uint8_t)(1 << random_below(8));
        }
        packed_seal(packed);
        ubi_status status = heap_unpack(&heap, packed, 1, NULL);
        if (status == UBI_OK) {
            (void)packed_heap_visit(&heap);
            n_taken++;
        } else {
            assert_int_equal(status, UBI_EFORMAT);
            n_refused++;
        }
        heap_release(&heap);
        packed_free(packed);
    }
    assert_true(n_refused > 0 && n_taken > 0);
    packed_free(sound);
    ubi_graph_unref(graph);
}

static void foreign_bytes_are_no_index(void **state) {
    ubi_graph *graph = small_graph(false);
    packed_bytes packed = bytes_of(graph);
    ubi__column_header *header = (ubi__column_header *)packed.at;
    packed_heap heap;
    (void)state;
    header->version++;
    packed_seal(packed);
    assert_int_equal(heap_unpack(&heap, packed, 1, NULL), UBI_EFORMAT);
    assert_non_null(strstr(ubi_error_message(), "version 2, expected 1"));
    heap_release(&heap);
    header->version--;
    header->byte_order = __builtin_bswap32(header->byte_order);
    packed_seal(packed);
    assert_int_equal(heap_unpack(&heap, packed, 1, NULL), UBI_EFORMAT);
    assert_non_null(strstr(ubi_error_message(), "byte order"));
    heap_release(&heap);
    packed_free(packed);
    ubi_graph_unref(graph);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

static ubi_status unpack_with(void *payload, const ubi_allocator *allocator) {
    packed_heap heap;
    ubi_status status = heap_unpack(&heap, *(const packed_bytes *)payload, 1, allocator);
    heap_release(&heap);
    return status;
}

static ubi_status pack_with(void *payload, const ubi_allocator *allocator) {
    packed_bytes packed;
    UBI_TRY(heap_pack(&packed, payload, allocator));
    packed_free(packed);
    return UBI_OK;
}

static void each_refused_allocation_is_survived(void **state) {
    (void)state;
    for (int is_v8 = 0; is_v8 <= 1; is_v8++) {
        ubi_graph *graph = small_graph(is_v8);
        packed_bytes packed = bytes_of(graph);
        assert_true(fail_each_allocation(unpack_with, &packed) > 4);
        assert_true(fail_each_allocation(pack_with, graph) > 4);
        packed_free(packed);
        ubi_graph_unref(graph);
    }
}

/* ---- invariants ------------------------------------------------------------------------------------------------------ */

static void check_file(void *file) {
    ubi__column_file_check(file);
}

static void a_row_outside_of_the_file_is_seen(void **state) {
    ubi_graph *graph = small_graph(false);
    packed_bytes packed = bytes_of(graph);
    ubi__column_file *file;
    (void)state;
    assert_int_equal(ubi__column_file_of_memory(&file, packed.at, packed.n, NULL), UBI_OK);
    file->n_checksums = 0;
    assert_damage_seen(check_file, file, "row_is_sound");
    ubi__column_file_close(file);
    packed_free(packed);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_of_all_engines_come_back),
        cmocka_unit_test(random_heaps_come_back),
        cmocka_unit_test(each_bit_may_be_flipped),
        cmocka_unit_test(it_may_end_anywhere),
        cmocka_unit_test(lies_with_right_checksums_are_safe),
        cmocka_unit_test(foreign_bytes_are_no_index),
        cmocka_unit_test(each_refused_allocation_is_survived),
        cmocka_unit_test(a_row_outside_of_the_file_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
