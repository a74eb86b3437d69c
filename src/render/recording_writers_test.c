/* SPDX-License-Identifier: MIT
 *
 * recording_writers_test.c: writers of recordings when memory or the output fails. Their output is checked by
 * tests/record/export_recording_test.py, by other programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "fail_allocator.h"
#include "render/event_export.h"
#include "render/flame_graph.h"
#include "render/recording_export.h"
#include "small_recording.h"
#include "written_text.h"

typedef struct job job;
typedef ubi_status writer(text *to, const job *j, const ubi_allocator *allocator);

struct job {
    writer *write;
    const char *path;
    const ubi__sites *sites;
    text to;
};

static ubi__stack_choice choice_of(const job *j) {
    return (ubi__stack_choice){ .sites = j->sites, .of_class = UBI__UBIREC_HEAP };
}

static ubi_status pprof_write(text *to, const job *j, const ubi_allocator *allocator) {
    const ubi__stack_choice choice = choice_of(j);
    return ubi__render_pprof(text_write, to, &choice, true, allocator);
}

static ubi_status tree_write(text *to, const job *j, const ubi_allocator *allocator, bool is_picture) {
    const ubi__stack_choice choice = choice_of(j);
    ubi__flame_tree tree;
    UBI_TRY(ubi__flame_tree_init(&tree, &choice, (ubi__stack_measure){ UBI__MEASURE_PEAK, false }, false, allocator));
    const ubi__flame_picture picture = { .tree = &tree, .title = "<server>", .subtitle = "" };
    ubi_status status = is_picture ? ubi__render_flame_svg(text_write, to, &picture, allocator)
                                   : ubi__render_collapsed(text_write, to, &tree, allocator);
    ubi__flame_tree_fini(&tree);
    return status;
}

static ubi_status collapsed_write(text *to, const job *j, const ubi_allocator *allocator) {
    return tree_write(to, j, allocator, false);
}

static ubi_status svg_write(text *to, const job *j, const ubi_allocator *allocator) {
    return tree_write(to, j, allocator, true);
}

static ubi_status events_give(const ubi__event_format *format, void *state, const ubi__event_export *what,
                              const char *path) {
    const ubi__event_stream stream = { .event = format->event, .resident = format->resident, .payload = state };
    ubi__vec_u64 none = { 0 };
    ubi__source source;
    UBI_TRY(format->begin(state, what));
    UBI_TRY(ubi__source_open_path(&source, path, what->allocator));
    ubi_status status = ubi__event_stream_read(&stream, &none, &source, NULL, what->allocator);
    ubi__source_close(&source);
    return status == UBI_OK ? format->end(state) : status;
}

static ubi_status events_write(text *to, const job *j, const ubi_allocator *allocator,
                               const ubi__event_format *format) {
    static ubi__out out; /* large */
    ubi__json json;
    ubi__out_init(&out, text_write, to);
    ubi__json_init(&json, ubi__out_write, &out, false);
    ubi__json_object_begin(&json);
    const ubi__stack_choice choice = choice_of(j);
    const ubi__event_export what = {
        .out = &out, .json = &json, .choice = &choice, .allocator = allocator, .is_extended = true
    };
    void *state = calloc(1, format->state_bytes);
    assert_non_null(state);
    ubi_status status = events_give(format, state, &what, j->path);
    format->release(state);
    free(state);
    if (status == UBI_OK) {
        ubi__json_object_end(&json);
        status = ubi__json_flush(&json);
    }
    return status == UBI_OK ? ubi__out_flush(&out) : status;
}

static ubi_status tables_write(text *to, const job *j, const ubi_allocator *allocator) {
    return events_write(to, j, allocator, &ubi__event_format_tables);
}

static ubi_status heaptrack_write(text *to, const job *j, const ubi_allocator *allocator) {
    return events_write(to, j, allocator, &ubi__event_format_heaptrack);
}

static ubi_status firefox_write(text *to, const job *j, const ubi_allocator *allocator) {
    return events_write(to, j, allocator, &ubi__event_format_firefox);
}

static ubi_status chrome_write(text *to, const job *j, const ubi_allocator *allocator) {
    (void)allocator;
    return ubi__render_memory_chrome(text_write, to, j->sites->summary);
}

static writer *const writers[] = { pprof_write,     collapsed_write, svg_write,   tables_write,
                                   heaptrack_write, firefox_write,   chrome_write };
#define WRITERS (sizeof writers / sizeof *writers)

static ubi_status job_do(void *payload, const ubi_allocator *allocator) {
    job *j = payload;
    j->to.bytes.n = 0;
    return j->write(&j->to, j, allocator);
}

typedef struct opened {
    char path[4096];
    ubi__recording_summary summary;
    ubi__sites sites;
} opened;

static void recording_open(opened *o, const char *name) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    ubi__source source;
    snprintf(o->path, sizeof o->path, "%s/tests/data/ubirec/%s", source_dir ? source_dir : ".", name);
    must(ubi__source_open_path(&source, o->path, NULL));
    must(ubi__recording_summary_read(&o->summary, &source, NULL, NULL));
    ubi__source_close(&source);
    must(ubi__sites_init(&o->sites, &o->summary, true, NULL));
}

static void recording_close(opened *o) {
    ubi__sites_fini(&o->sites);
    ubi__recording_summary_fini(&o->summary);
}

static void without_memory_nothing_is_left(void **state) {
    opened o;
    (void)state;
    recording_open(&o, "few.ubirec");
    for (size_t i = 0; i < WRITERS; i++) {
        job j = { writers[i], o.path, &o.sites, { .room = SIZE_MAX } };
        fail_each_allocation(job_do, &j);
        text_fini(&j.to);
    }
    recording_close(&o);
}

static void refused_writes_are_errors(void **state) {
    opened o;
    (void)state;
    recording_open(&o, "server.ubirec");
    for (size_t i = 0; i < WRITERS; i++) {
        job j = { writers[i], o.path, &o.sites, { .room = SIZE_MAX } };
        must(job_do(&j, ubi_allocator_default()));
        for (size_t whole = j.to.bytes.n, part = 0; part < 8; part++) {
            j.to.room = whole * part / 8;
            assert_int_equal(job_do(&j, ubi_allocator_default()), UBI_EIO);
        }
        text_fini(&j.to);
    }
    recording_close(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(refused_writes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
