/* SPDX-License-Identifier: MIT
 *
 * format_pass.c: a graph that was read from a file, to an index and back (format.h).
 */
#include <string.h>

#include "base/column_file.h"
#include "base/status.h"
#include "formats/format.h"
#include "graph/graph_columns.h"

#define NAME_BYTES 32

static const ubi__format *format_named(const char *name) {
    const ubi__format *format;
    for (size_t i = 0; (format = ubi__format_at(i)); i++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

static ubi_status parts_pass(ubi__columns *c, ubi_graph *graph) {
    char name[NAME_BYTES] = "";
    if (c->writer)
        strncpy(name, graph->format, sizeof name - 1);
    UBI_TRY(ubi__columns_value(c, "format", name, sizeof name));
    const ubi__format *format = memchr(name, 0, sizeof name) ? format_named(name) : NULL;
    UBI_TRY(ubi__columns_expect(c, format != NULL, "format"));
    if (!c->writer)
        graph->format = format->name;
    UBI_TRY(ubi__graph_pass(c, graph));
    return format->pass_facts ? format->pass_facts(c, graph) : UBI_OK;
}

ubi_status ubi__format_pass(ubi__columns *c, ubi_graph **graph) {
    if (c->writer)
        return parts_pass(c, *graph);
    ubi_graph *made = ubi__graph_new(c->allocator);
    if (!made)
        return ubi__fail_nomem();
    ubi_status status = parts_pass(c, made);
    if (status == UBI_OK)
        *graph = made;
    else
        ubi_graph_unref(made);
    return status;
}
