/* SPDX-License-Identifier: MIT
 *
 * diff.c: which classes of JavaScript objects became more or less between two heap snapshots.
 *
 *     diff OLD NEW
 *
 * Takes the same census of both and subtracts them. Everything that a delta gives is borrowed from the diff and from the two
 * censuses, which must live as long.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ubiheap/ubiheap.h>

/* A snapshot and its census. All zero: nothing to free. */
typedef struct side {
    ubi_graph *graph;
    ubi_census *census;
} side;

static ubi_status side_open(side *s, const char *path, const ubi_breakdown *breakdown) {
    ubi_status status = ubi_graph_read_path(&s->graph, path, NULL, NULL);
    return status == UBI_OK ? ubi_census_take(&s->census, s->graph, breakdown, NULL) : status;
}

static void side_close(side *s) {
    ubi_census_free(s->census); /* these take NULL */
    ubi_graph_unref(s->graph);
}

/* Prints the entries of {"by": "objectClass"} that changed, in the order of the reports. */
static void print_changes(const ubi_delta *delta) {
    printf("%10s %8s  class\n", "bytes", "count");
    for (uint32_t i = 0; i < ubi_delta_entry_count(delta); i++) {
        ubi_report_key key;
        ubi_delta_count change;
        ubi_delta_get_count(ubi_delta_entry(delta, i, &key), &change);
        if (change.bytes || change.count)
            printf("%+10" PRId64 " %+8" PRId64 "  %.*s\n", change.bytes, change.count, (int)key.text.len, key.text.ptr);
    }
}

static ubi_status subtract(const side *old, const side *new) {
    ubi_census_diff *diff = NULL;
    ubi_status status = ubi_census_diff_new(&diff, old->census, new->census);
    if (status == UBI_OK)
        print_changes(ubi_census_diff_delta(diff));
    ubi_census_diff_free(diff);
    return status;
}

/* `at`: which file an error is about. */
static ubi_status compare(const char **at, const char *old_path, const char *new_path) {
    static const char json[] = "{\"by\": \"objectClass\"}";
    ubi_breakdown *breakdown = NULL;
    side old = { NULL, NULL }, new = { NULL, NULL };
    ubi_status status = ubi_breakdown_parse(&breakdown, (ubi_text){ json, strlen(json) }, UBI_COMPAT_NONE, NULL);
    if (status == UBI_OK)
        status = side_open(&old, *at = old_path, breakdown);
    if (status == UBI_OK)
        status = side_open(&new, *at = new_path, breakdown);
    if (status == UBI_OK)
        status = subtract(&old, &new);
    side_close(&old);
    side_close(&new);
    ubi_breakdown_unref(breakdown);
    return status;
}

int main(int argc, char **argv) {
    const char *at = "";
    if (argc != 3) {
        fprintf(stderr, "usage: diff OLD NEW\n");
        return 2;
    }
    if (compare(&at, argv[1], argv[2]) != UBI_OK) {
        fprintf(stderr, "diff: %s: %s\n", at, ubi_error_message());
        return 1;
    }
    return 0;
}
