/* SPDX-License-Identifier: MIT
 *
 * leaks_for_tests.h: a runtime whose leaks are reported to a callback, which releases what a test leaked on purpose, so that the
 * engine's assertion holds where it is compiled in.
 */
#ifndef UBI_QUICKJS_LEAKS_FOR_TESTS_H
#define UBI_QUICKJS_LEAKS_FOR_TESTS_H

#include <stdlib.h>

#include <ubiheap/extension/quickjs_leaks.h>

#include "engines/quickjs/runtime_for_tests.h"

typedef struct expected {
    unsigned calls;
    uint32_t leak_count;
    ubi_quickjs_leak leak; /* the first, whose texts are gone */
    char name[64], contents[160], type[64];
    char text[16384];
    void (*release)(JSRuntime *rt, void *payload);
    void *payload;
} expected;

static inline void copy_text(char *out, size_t room, ubi_text text) {
    snprintf(out, room, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

static inline void take_report(void *payload, JSRuntime *rt, const ubi_quickjs_leaks *leaks) {
    expected *e = payload;
    e->calls++;
    e->leak_count = ubi_quickjs_leaks_count(leaks);
    e->leak = ubi_quickjs_leaks_at(leaks, 0);
    copy_text(e->name, sizeof e->name, e->leak.name);
    copy_text(e->contents, sizeof e->contents, e->leak.contents);
    copy_text(e->type, sizeof e->type, e->leak.type);
    FILE *file = fmemopen(e->text, sizeof e->text, "w");
    ubi_quickjs_leaks_write(leaks, file, 0);
    fclose(file);
    if (e->release)
        e->release(rt, e->payload);
}

typedef struct embedded {
    JSRuntime *rt;
    JSContext *ctx;
    expected report;
} embedded;

static inline embedded *embed(bool references) {
    embedded *e = calloc(1, sizeof *e);
    ubi_quickjs_leak_options options = UBI_QUICKJS_LEAK_OPTIONS_INIT;
    e->rt = JS_NewRuntime();
    options.with_references = references;
    options.fn = take_report;
    options.payload = &e->report;
    assert_int_equal(ubi_quickjs_report_leaks(e->rt, &options), UBI_OK);
    e->ctx = JS_NewContext(e->rt);
    return e;
}

static inline void release_value(JSRuntime *rt, void *payload) {
    JS_FreeValueRT(rt, *(JSValue *)payload);
    JS_RunGC(rt);
}

/* Ends the runtime with this value leaked. */
static inline expected end_with(embedded *e, JSValue *leaked) {
    e->report.release = leaked ? release_value : NULL;
    e->report.payload = leaked;
    JS_FreeContext(e->ctx);
    JS_FreeRuntime(e->rt);
    expected report = e->report;
    free(e);
    return report;
}

static inline bool says(const expected *report, const char *words) {
    if (strstr(report->text, words))
        return true;
    print_error("no \"%s\" in: %s\n", words, report->text);
    return false;
}

#endif
