/* SPDX-License-Identifier: MIT
 *
 * census.c: the ten classes of JavaScript objects that take the most memory in a heap snapshot.
 *
 *     census FILE
 *
 * Shows how a program uses the library: check every status, print ubi_error_message() once, at the top, and free what
 * you own on one path. Everything that a report gives is borrowed from its census.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/ubiheap.h>

#define SHOWN 10

typedef struct row {
    ubi_text class_name; /* borrowed from the census */
    uint64_t count, bytes;
} row;

static int larger_first(const void *left, const void *right) {
    const row *a = left, *b = right;
    return a->bytes < b->bytes ? 1 : a->bytes > b->bytes ? -1 : 0;
}

/* Prints the entries of {"by": "objectClass"}, whose last one is "other": all that is no object. */
static ubi_status print_classes(const ubi_report *report) {
    uint32_t n = ubi_report_entry_count(report) - 1;
    row *rows = malloc((n + 1) * sizeof *rows);
    if (!rows)
        return UBI_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        ubi_report_key key;
        ubi_report_count numbers;
        ubi_report_get_count(ubi_report_entry(report, i, &key), &numbers);
        rows[i] = (row){ key.text, numbers.count, numbers.bytes };
    }
    qsort(rows, n, sizeof *rows, larger_first);
    printf("%10s %8s  class\n", "bytes", "count");
    for (uint32_t i = 0; i < n && i < SHOWN; i++)
        printf("%10" PRIu64 " %8" PRIu64 "  %.*s\n", rows[i].bytes, rows[i].count, (int)rows[i].class_name.len,
               rows[i].class_name.ptr);
    free(rows);
    return UBI_OK;
}

static ubi_status print_biggest_classes(const char *path) {
    static const char json[] = "{\"by\": \"objectClass\"}";
    ubi_graph *graph = NULL;
    ubi_breakdown *breakdown = NULL;
    ubi_census *census = NULL;
    ubi_status status = ubi_graph_read_path(&graph, path, NULL, NULL);
    if (status == UBI_OK)
        status = ubi_breakdown_parse(&breakdown, (ubi_text){ json, strlen(json) }, UBI_COMPAT_NONE, NULL);
    if (status == UBI_OK)
        status = ubi_census_take(&census, graph, breakdown, NULL);
    if (status == UBI_OK)
        status = print_classes(ubi_census_report(census));
    ubi_census_free(census); /* all of these take NULL */
    ubi_breakdown_unref(breakdown);
    ubi_graph_unref(graph);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: census FILE\n");
        return 2;
    }
    ubi_status status = print_biggest_classes(argv[1]);
    if (status != UBI_OK) {
        const char *why = status == UBI_ENOMEM ? ubi_status_name(status) : ubi_error_message();
        fprintf(stderr, "census: %s: %s\n", argv[1], why);
        return 1;
    }
    return 0;
}
