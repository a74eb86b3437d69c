/* SPDX-License-Identifier: MIT
 *
 * ubirec_checks_test.c: the invariants of readers and writers of recordings are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "damage.h"
#include "recording/ubirec_reader.c"
#include "recording/ubirec_writer.c"
#include "small_recording.h"

static void check_reader(void *reader) {
    reader_check(reader);
}
static void check_writer(void *writer) {
    writer_check(writer);
}

static void damaged_writers_are_seen(void **state) {
    recording r;
    (void)state;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_write_time(r.w, 5));
    allocate(&r, r.heap, 10, stack(&r, "main"));
    writer_check(r.w);
    ubi__ubirec_writer *w = r.w;
    size_t n = w->n_raw;
    w->n_raw = sizeof w->raw + 1;
    assert_damage_seen(check_writer, w, "w->n_raw <= sizeof w->raw");
    w->n_raw = n;
    n = w->block_bytes;
    w->block_bytes = 0;
    assert_damage_seen(check_writer, w, "w->block_bytes >= SMALLEST_BLOCK");
    w->block_bytes = n;
    w->time_ns++;
    assert_damage_seen(check_writer, w, "w->block_time_ns == w->time_ns");
    w->time_ns--;
    w->thread = w->n_threads;
    assert_damage_seen(check_writer, w, "w->thread < w->n_threads");
    w->thread = 0;
    writer_check(w);
    finish_recording(&r);
    bytes_free(&r.file);
}

static void damaged_readers_are_seen(void **state) {
    recording written;
    ubi__source source;
    ubi__ubirec_reader *r;
    const ubi__ubirec_record *record;
    (void)state;
    open_recording(&written, 1, 1);
    must(ubi__ubirec_write_time(written.w, 5));
    allocate(&written, written.heap, 10, stack(&written, "main"));
    finish_recording(&written);
    ubi__source_open_memory(&source, written.file.at, written.file.n, ubi_allocator_default());
    must(ubi__ubirec_reader_new(&r, &source, NULL));
    must(ubi__ubirec_next(r, &record));
    assert_true(record && r->block.at < r->block.end);
    reader_check(r);
    const uint8_t *end = r->block.end;
    r->block.end = r->block.at - 1;
    assert_damage_seen(check_reader, r, "r->block.at <= r->block.end");
    r->block.end = r->records + UBI__UBIREC_BLOCK_RAW_MAX + 1;
    assert_damage_seen(check_reader, r, "<= UBI__UBIREC_BLOCK_RAW_MAX");
    r->block.end = end;
    r->torn_bytes = r->position + 1;
    assert_damage_seen(check_reader, r, "r->block_at + r->torn_bytes <= r->position");
    r->torn_bytes = 0;
    r->block_time_ns = r->time_ns + 1;
    assert_damage_seen(check_reader, r, "r->block_time_ns <= r->time_ns");
    r->block_time_ns = r->time_ns;
    r->thread = r->n.threads + 1;
    assert_damage_seen(check_reader, r, "r->thread < r->n.threads");
    r->thread = 0;
    r->block.fault = "a record";
    assert_damage_seen(check_reader, r, "!r->block.fault || r->block.at == r->block.end");
    r->block.fault = UBI__NO_FAULT;
    reader_check(r);
    ubi__ubirec_reader_free(r);
    ubi__source_close(&source);
    bytes_free(&written.file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_writers_are_seen),
        cmocka_unit_test(damaged_readers_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
