/* SPDX-License-Identifier: MIT
 *
 * leak_heaps.c: see leak_heaps.h.
 */
#include "leak_heaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawing.h"
#include "name_scheme.h"

leak_heaps leak_heaps_draw(const char *old, const char *new, const char *newer) {
    leak_heaps h = { graph_from_drawing(old), NULL, NULL };
    if (newer)
        h.new = graph_from_drawing(new);
    h.newest = graph_from_drawing(newer ? newer : new);
    return h;
}

void leak_heaps_free(leak_heaps *h) {
    ubi_graph_unref(h->old);
    if (h->new)
        ubi_graph_unref(h->new);
    ubi_graph_unref(h->newest);
}

static ubi_status search(ubi_leaks **out, ubi_leak_finder *finder, const leak_heaps *h) {
    ubi_class_scheme old = name_scheme(h->old);
    ubi_status status = ubi_leak_finder_compare(finder, UBI_LEAK_OLD, &old);
    if (status == UBI_OK && h->new) {
        ubi_class_scheme new = name_scheme(h->new);
        status = ubi_leak_finder_compare(finder, UBI_LEAK_NEW, &new);
    }
    return status == UBI_OK ? ubi_leak_finder_run(out, finder) : status;
}

ubi_status leak_heaps_try(ubi_leaks **out, const leak_heaps *h, const ubi_leak_options *options) {
    ubi_view view = ubi_view_of(h->newest);
    ubi_class_scheme classes = name_scheme(h->newest);
    ubi_leak_finder *finder;
    ubi_status status = ubi_leak_finder_new(&finder, &view, &classes, options);
    if (status != UBI_OK)
        return status;
    status = search(out, finder, h);
    ubi_leak_finder_free(finder);
    return status;
}

ubi_leaks *leak_heaps_find(const leak_heaps *h, const ubi_leak_options *options) {
    ubi_leaks *leaks = NULL;
    assert_int_equal(leak_heaps_try(&leaks, h, options), UBI_OK);
    return leaks;
}

ubi_status leak_finder_try(ubi_leak_finder **out, const leak_heaps *h, const ubi_leak_options *options) {
    ubi_view view = ubi_view_of(h->newest);
    ubi_class_scheme classes = name_scheme(h->newest);
    return ubi_leak_finder_new(out, &view, &classes, options);
}

ubi_leak_finder *leak_finder_of(const leak_heaps *h) {
    ubi_leak_finder *finder = NULL;
    assert_int_equal(leak_finder_try(&finder, h, NULL), UBI_OK);
    return finder;
}

void leak_finder_compare_drawing(ubi_leak_finder *finder, uint32_t step, const char *text) {
    ubi_graph *past = graph_from_drawing(text);
    ubi_class_scheme scheme = name_scheme(past);
    assert_int_equal(ubi_leak_finder_compare(finder, step, &scheme), UBI_OK);
    ubi_graph_unref(past);
}

ubi_status leak_finder_compare_old(ubi_leak_finder *finder, uint32_t step, const leak_heaps *h) {
    ubi_class_scheme scheme = name_scheme(h->old);
    return ubi_leak_finder_compare(finder, step, &scheme);
}

ubi_leaks *leak_series_find(ubi_graph **out_newest, const char *const *drawings, uint32_t n,
                            const ubi_leak_options *options) {
    ubi_graph *newest = graph_from_drawing(drawings[n - 1]);
    ubi_view view = ubi_view_of(newest);
    ubi_class_scheme classes = name_scheme(newest);
    ubi_leak_finder *finder;
    ubi_leaks *leaks = NULL;
    assert_int_equal(ubi_leak_finder_new(&finder, &view, &classes, options), UBI_OK);
    for (uint32_t step = 0; step + 1 < n; step++) {
        ubi_graph *past = graph_from_drawing(drawings[step]);
        ubi_class_scheme scheme = name_scheme(past);
        assert_int_equal(ubi_leak_finder_compare(finder, step, &scheme), UBI_OK);
        ubi_graph_unref(past);
    }
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_OK);
    ubi_leak_finder_free(finder);
    *out_newest = newest;
    return leaks;
}

static const char *class_of(const ubi_graph *g, ubi_node_ix node) {
    static char text[64];
    ubi_class_scheme scheme = name_scheme(g);
    ubi_class class;
    scheme.describe(&scheme, ubi_graph_node_kind(g, node), &class);
    snprintf(text, sizeof text, "%.*s", (int)class.name.len, class.name.ptr);
    return text;
}

static void put_cluster(FILE *out, const ubi_graph *g, const ubi_leak_cluster *c) {
    fprintf(out, "%s %.*s %u %u", ubi_leak_verdict_name(c->verdict), (int)c->class_name.name.len,
            c->class_name.name.ptr, (unsigned)c->leaked.count, (unsigned)c->retained_bytes);
    if (c->holder != UBI_NONE)
        fprintf(out, " in %s", class_of(g, c->holder));
    if (c->n_holders > 1)
        fprintf(out, "*%u", c->n_holders);
    if (c->is_holder_new)
        fputs(" new", out);
    if (c->n_older || c->n_younger)
        fprintf(out, " +%u/%u", c->n_older, c->n_younger);
    for (uint32_t i = 0; i < c->n_parts; i++)
        fprintf(out, "%s%.*s %u", i ? ", " : " with ", (int)c->parts[i].name.name.len, c->parts[i].name.name.ptr,
                (unsigned)c->parts[i].tally.count);
}

static char *text_of(const ubi_leaks *leaks, const ubi_graph *g) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < ubi_leaks_count(leaks); i++) {
        fputs(i ? "; " : "", out);
        put_cluster(out, g, ubi_leaks_cluster(leaks, i));
    }
    fclose(out);
    return text;
}

void leak_heaps_assert(const leak_heaps *h, const ubi_leak_options *options, const char *expected) {
    ubi_leaks *leaks = leak_heaps_find(h, options);
    char *text = text_of(leaks, h->newest);
    assert_string_equal(text, expected);
    free(text);
    ubi_leaks_free(leaks);
}

void assert_leaks(const char *old, const char *new, const char *newer, const char *expected) {
    leak_heaps h = leak_heaps_draw(old, new, newer);
    leak_heaps_assert(&h, NULL, expected);
    leak_heaps_free(&h);
}

/** "first item last item last ..." with %d replaced by from .. to - 1: long drawings. */
char *repeat_drawing(const char *before, const char *item, int from, int to, const char *after) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(before, out);
    for (int i = from; i < to; i++)
        for (const char *s = item; *s; s++)
            if (s[0] == '%') {
                fprintf(out, "%d", i);
            } else {
                fputc(*s, out);
            }
    fputs(after, out);
    fclose(out);
    return text;
}
