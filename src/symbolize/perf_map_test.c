/* SPDX-License-Identifier: MIT
 *
 * Tests of perf_map.c: maps as Node.js and CPython write them, and anything else.
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

#include "base/status.h"
#include "fail_allocator.h"
#include "symbolize/perf_map.h"

/* Addresses, and how much of the map was there when each was seen. */
static void push(ubi__vec_perf_address *v, const ubi_allocator *a, uint64_t address, uint64_t map_bytes) {
    assert_int_equal(ubi__vec_perf_address_push(
                         v, a, (ubi__perf_address){ .address = address, .map_bytes = map_bytes, .payload = 7 }),
                     UBI_OK);
}

static void assert_named(const ubi__perf_map *m, uint64_t address, const char *name) {
    for (size_t i = 0; i < m->addresses->n; i++)
        if (m->addresses->at[i].address == address) {
            ubi_text found = ubi__perf_map_name(m, &m->addresses->at[i]);
            assert_int_equal(found.len, strlen(name));
            assert_memory_equal(found.ptr, name, found.len);
            return;
        }
    fail();
}

static void test_the_line_of_the_time_counts(void **state) {
    (void)state;
    static const char map[] = "1000 100 first\n" /* up to byte 15 */
                              "1000 80 second\n" /* 30 */
                              "1000 100 third\n" /* 45 */
                              "0x2000 0x10 other\n";
    const ubi_allocator *a = ubi_allocator_default();
    for (size_t piece = 1; piece < sizeof map; piece++) {
        ubi__vec_perf_address v = { 0 };
        ubi__perf_map m;
        push(&v, a, 0x2010, 0); /* at the end of code: a call that never returns */
        push(&v, a, 0x1001, 0); /* nothing was there yet */
        push(&v, a, 0x1002, 15);
        push(&v, a, 0x1003, 30);
        push(&v, a, 0x1081, 30); /* the second one has ended */
        push(&v, a, 0x1004, 999);
        push(&v, a, 0x1000, 999); /* no call was before it */
        push(&v, a, 0x1101, 999);
        ubi__perf_map_init(&m, &v, a);
        for (size_t at = 0; at < sizeof map - 1; at += piece)
            assert_int_equal(
                ubi__perf_map_feed(&m, map + at, piece < sizeof map - 1 - at ? piece : sizeof map - 1 - at), UBI_OK);
        assert_named(&m, 0x1001, "first");
        assert_named(&m, 0x1002, "first");
        assert_named(&m, 0x1003, "second");
        assert_named(&m, 0x1081, "first");
        assert_named(&m, 0x1004, "third");
        assert_named(&m, 0x1000, "");
        assert_named(&m, 0x1101, "");
        assert_named(&m, 0x2010, "other");
        ubi__perf_map_fini(&m);
        ubi__vec_perf_address_fini(&v, a);
    }
}

static void assert_name(const char *text, const char *function, const char *file, uint32_t line, uint32_t column) {
    ubi__perf_name name = ubi__perf_name_read(ubi__text(text));
    assert_true(ubi__text_is(name.function, function));
    assert_true(ubi__text_is(name.file, file));
    assert_int_equal(name.line, line);
    assert_int_equal(name.column, column);
}

static void test_what_names_say(void **state) {
    (void)state;
    assert_name("JS:~outer /app/app.js:7:15", "outer", "/app/app.js", 7, 15);
    assert_name("JS:*get size /app/a b.js:7:15", "get size", "/app/a b.js", 7, 15);
    assert_name("JS:^ node:buffer:414:50", "", "node:buffer", 414, 50);
    assert_name("JS:~m file:///app/app.mjs:1:2", "m", "/app/app.mjs", 1, 2);
    assert_name("Eval:~ /app/app.js:1:1", "", "/app/app.js", 1, 1);
    assert_name("LazyCompile:*f /app/app.js:12", "f", "/app/app.js", 12, 0);
    assert_name("JS:~f [eval]:1:2", "f", "[eval]", 1, 2);
    assert_name("JS:~native", "native", "", 0, 0);
    assert_name("Builtin:ArrayMap", "Builtin:ArrayMap", "", 0, 0);
    assert_name("py::work:/app/app.py", "work", "/app/app.py", 0, 0);
    assert_name("Lcom/app/Main;::run", "Lcom/app/Main;::run", "", 0, 0);
    assert_name("JS:", "", "", 0, 0);
    assert_name("JS:~f /app/app.js:99999999999:1", "f", "/app/app.js:99999999999", 1, 0);
    assert_name("py::", "py::", "", 0, 0);
    assert_name("", "", "", 0, 0);
}

static void test_what_is_no_line_is_skipped(void **state) {
    (void)state;
    const ubi_allocator *a = ubi_allocator_default();
    ubi__vec_perf_address v = { 0 };
    ubi__perf_map m;
    char longest[UBI__PERF_NAME_BYTES + 200];
    push(&v, a, 0x1010, 0);
    push(&v, a, 0x3010, 0);
    ubi__perf_map_init(&m, &v, a);
    static const char strange[] =
        "\n\n 1000 20 space\nzz 20 f\n1000 zz f\n1000 20\n1000 20 \n1000\n"
        "0 ffffffffffffffff all\nfffffffffffffff0 20 over\n10000000000000000 20 long\n1000 0 none\n";
    assert_int_equal(ubi__perf_map_feed(&m, strange, sizeof strange - 1), UBI_OK);
    assert_named(&m, 0x1010, "");
    int n = snprintf(longest, sizeof longest, "3000 20 ");
    memset(longest + n, 'x', sizeof longest - (size_t)n);
    longest[sizeof longest - 1] = '\n';
    assert_int_equal(ubi__perf_map_feed(&m, longest, 50), UBI_OK);
    assert_int_equal(ubi__perf_map_feed(&m, longest + 50, sizeof longest - 50), UBI_OK);
    assert_int_equal(v.at[1].name_bytes, UBI__PERF_NAME_BYTES);
    ubi__perf_map_fini(&m);
    ubi__vec_perf_address_fini(&v, a);
}

static ubi_status read_a_little(void *payload, const ubi_allocator *allocator) {
    ubi__vec_perf_address v = { 0 };
    ubi__perf_map m;
    ubi_status status = ubi__vec_perf_address_push(&v, allocator, (ubi__perf_address){ .address = 0x1010 });
    ubi__perf_map_init(&m, &v, allocator);
    if (status == UBI_OK)
        status = ubi__perf_map_read_file(&m, payload, 0);
    if (status == UBI_OK)
        assert_named(&m, 0x1010, "f");
    ubi__perf_map_fini(&m);
    ubi__vec_perf_address_fini(&v, allocator);
    return status;
}

static void test_files(void **state) {
    (void)state;
    char path[] = "/tmp/ubi-perf-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1000 20 f", 9), 9); /* a line without an end */
    assert_true(fail_each_allocation(read_a_little, path) > 2);
    ubi__vec_perf_address v = { 0 };
    ubi__perf_map m;
    push(&v, ubi_allocator_default(), 0x1010, 0);
    ubi__perf_map_init(&m, &v, ubi_allocator_default());
    assert_int_equal(ubi__perf_map_read_file(&m, path, UINT64_MAX), UBI_OK); /* of a process before */
    assert_named(&m, 0x1010, "");
    assert_int_equal(ubi__perf_map_read_file(&m, "/dev/null", 0), UBI_OK);
    assert_int_equal(ubi__perf_map_read_file(&m, "/no/such/file", 0), UBI_OK);
    assert_int_equal(ubi__perf_map_read_file(&m, "/tmp", 0), UBI_OK);
    assert_named(&m, 0x1010, "");
    ubi__perf_map_fini(&m);
    ubi__vec_perf_address_fini(&v, ubi_allocator_default());
    close(fd);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_line_of_the_time_counts),
        cmocka_unit_test(test_what_names_say),
        cmocka_unit_test(test_what_is_no_line_is_skipped),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
