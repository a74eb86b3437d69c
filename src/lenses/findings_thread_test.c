/* SPDX-License-Identifier: MIT
 *
 * findings_thread_test.c: rules that are checked side by side find what they find one after the other, in the same order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "lenses/finding_facts.h"

static const char *const files[] = {
    "tests/data/v8/chromium-detached.heapsnapshot.gz",
    "tests/data/v8/node20-after.heapsnapshot.gz",
    "tests/data/v8/chromium-alloc.heapsnapshot.gz",
    "tests/data/fx/tiny-after.fxsnapshot",
};

static ubi_look *look_at(const char *path) {
    ubi_graph *graph;
    ubi_look *look;
    assert_int_equal(ubi_graph_read_path(&graph, path, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_look_open(&look, NULL, graph, NULL), UBI_OK);
    ubi_graph_unref(graph); /* the look has a reference of its own */
    return look;
}

static ubi_findings *findings_by(const ubi_look *look, unsigned threads) {
    ubi_findings *findings;
    assert_int_equal(ubi__findings_by_threads(&findings, look, NULL, threads), UBI_OK);
    return findings;
}

static void two_threads_find_what_one_finds(void **state) {
    uint32_t n_all = 0;
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ubi_look *look = look_at(files[i]);
        ubi_findings *one = findings_by(look, 1), *two = findings_by(look, 2);
        assert_int_equal(ubi_findings_count(one), ubi_findings_count(two));
        for (uint32_t k = 0; k < ubi_findings_count(one); k++) {
            const ubi_finding *a = ubi_findings_get(one, k), *b = ubi_findings_get(two, k);
            assert_string_equal(a->rule, b->rule);
            assert_string_equal(a->text, b->text);
            assert_int_equal(a->bytes, b->bytes);
            assert_int_equal(a->n_nodes, b->n_nodes);
            assert_memory_equal(a->nodes, b->nodes, a->n_nodes * sizeof *a->nodes);
        }
        n_all += ubi_findings_count(one);
        ubi_findings_free(two);
        ubi_findings_free(one);
        ubi_look_close(look);
    }
    assert_true(n_all >= 3);
}

static ubi_status findings_make(void *look, const ubi_allocator *allocator) {
    ubi_findings_options options = UBI_FINDINGS_OPTIONS_INIT;
    ubi_findings *findings;
    options.allocator = allocator;
    UBI_TRY(ubi__findings_by_threads(&findings, look, &options, 2));
    ubi_findings_free(findings);
    return UBI_OK;
}

static void refused_memory_is_an_error_on_either_thread(void **state) {
    ubi_look *look = look_at(files[0]);
    (void)state;
    assert_true(fail_each_allocation(findings_make, look) > 10);
    ubi_look_close(look);
}

static bool refuse_at(void *payload, const char *stage, uint64_t done, uint64_t total) {
    int *left = payload;
    (void)stage, (void)done, (void)total;
    return (*left)-- > 0;
}

static void every_report_may_cancel(void **state) {
    ubi_look *look = look_at(files[0]);
    ubi_status status = UBI_ECANCELLED;
    int n_reports = 0;
    (void)state;
    for (; status == UBI_ECANCELLED; n_reports++) {
        int left = n_reports;
        ubi_findings_options options = UBI_FINDINGS_OPTIONS_INIT;
        ubi_findings *findings = NULL;
        options.progress = (ubi_progress){ refuse_at, &left };
        status = ubi__findings_by_threads(&findings, look, &options, 2);
        assert_true(status == UBI_OK || status == UBI_ECANCELLED);
        ubi_findings_free(findings);
    }
    assert_true(n_reports > 10);
    ubi_look_close(look);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_find_what_one_finds),
        cmocka_unit_test(refused_memory_is_an_error_on_either_thread),
        cmocka_unit_test(every_report_may_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
