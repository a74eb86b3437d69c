/* SPDX-License-Identifier: MIT
 *
 * breakdown_fuzz.c: any bytes as a breakdown, then a census by it of a small heap that has one of everything.
 *
 * Promises checked: no crash and no leak, an error has a message of one line, and what Firefox's grammar accepts ours
 * does too and gives a census of as many nodes. The first bit of the first byte chooses the grammar.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "census_text.h"
#include "drawing.h"

static const char heap[] = "r -> a, b, c, d, e;"
                           "a(coarse=object class=Array size=3 stack=f@a.js:1:1<-@a.js:2:2);"
                           "b(coarse=object class=other size=5); c(coarse=script file=x.js size=7);"
                           "d(coarse=dom desc=div size=11); e(coarse=string type=S size=13)";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static void take(const ubi_graph *graph, const ubi_breakdown *breakdown, ubi_compat compat) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census *census;
    ubi_census_tree *tree;
    options.compat = compat;
    if (ubi_census_take(&census, graph, breakdown, &options) != UBI_OK)
        return;
    require(ubi_census_node_count(census) == 5 && ubi_census_size_bytes(census) == 39);
    free(report_text(ubi_census_report(census)));
    if (ubi_census_tree_new(&tree, census, NULL) == UBI_OK)
        ubi_census_tree_free(tree);
    ubi_census_free(census);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ubi_graph *graph;
    if (!graph)
        graph = graph_from_drawing(heap);
    if (size == 0 || size > 4096)
        return 0;
    ubi_breakdown *breakdown = NULL;
    ubi_compat compat = data[0] & 1 ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
    ubi_text json = { (const char *)data + 1, size - 1 };
    if (ubi_breakdown_parse(&breakdown, json, compat, NULL) != UBI_OK) {
        const char *message = ubi_error_message();
        require(*message && !strchr(message, '\n') && breakdown == NULL);
        return 0;
    }
    ubi_breakdown *ours = NULL;
    require(ubi_breakdown_parse(&ours, json, UBI_COMPAT_NONE, NULL) == UBI_OK);
    take(graph, breakdown, compat);
    ubi_breakdown_unref(ours);
    ubi_breakdown_unref(breakdown);
    return 0;
}
