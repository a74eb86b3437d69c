/* SPDX-License-Identifier: MIT
 *
 * random_heap.c: see random_heap.h.
 */
#include "random_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STRINGS = 24, MAX_FRAMES = 6, MAX_BREAKDOWNS = 64 };

/* ---- heaps ------------------------------------------------------------------------------------------------------- */

static const char *const pool[] = { "A",  "B",   "other",     "noFilename", "3",
                                    "12", "012", "__proto__", "noStack",    "\xc3\xa9" };
enum { POOL = sizeof pool / sizeof *pool };

bool random_heap_is_array_index(const char *text) {
    return strcmp(text, "3") == 0 || strcmp(text, "12") == 0;
}

static void must(ubi_status status) {
    if (status != UBI_OK)
        abort();
}

static void add_strings(ubi_graph_builder *b) {
    for (uint32_t i = 0; i < MAX_STRINGS; i++) {
        ubi_str_ix ix;
        const char *text = pool[i < POOL ? i : random_below(POOL)];
        must(ubi_graph_builder_string(b, &ix, (ubi_text){ text, strlen(text) }));
    }
}

static void add_frames(ubi_graph_builder *b) {
    for (uint32_t i = 0; i < MAX_FRAMES; i++) {
        ubi_frame_ix ix;
        ubi_frame_desc frame = { .id = i, .source = random_below(2), .line = random_below(2) };
        frame.parent = i && random_below(2) ? random_below(i) : UBI_NONE;
        frame.function_name = random_below(2) ? random_below(MAX_STRINGS) : UBI_NONE;
        frame.is_system = random_below(5) == 0;
        must(ubi_graph_builder_frame(b, &ix, &frame));
    }
}

static ubi_str_ix maybe_string(void) {
    return random_below(3) ? random_below(MAX_STRINGS) : UBI_NONE;
}

static void add_nodes(ubi_graph_builder *b, uint32_t n) {
    uint32_t multiplier = 1 + 2 * random_below(500), n_ids = random_below(2) ? 64 : 1024; /* odd: ids are shuffled */
    for (uint32_t i = 0; i < n; i++) {
        ubi_node_desc node = { .id = i * multiplier % n_ids, .size_bytes = random_below(100) };
        node.kind.type_name = random_below(MAX_STRINGS);
        node.kind.class_name = maybe_string();
        node.kind.script_filename = maybe_string();
        node.kind.descriptive_name = maybe_string();
        node.kind.coarse_type = (ubi_coarse_type)random_below(UBI_COARSE_TYPE_COUNT);
        node.stack = random_below(2) ? random_below(MAX_FRAMES) : UBI_NONE;
        must(ubi_graph_builder_node(b, &node));
        for (uint32_t e = random_below(4); e > 0; e--)
            must(ubi_graph_builder_edge(b, random_below(n) * multiplier % n_ids, UBI_NONE));
    }
}

ubi_graph *random_heap(void) {
    ubi_graph *graph;
    ubi_graph_builder *b;
    must(ubi_graph_builder_new(&b, NULL));
    add_strings(b);
    add_frames(b);
    add_nodes(b, 1 + random_below(RANDOM_HEAP_NODES));
    must(ubi_graph_builder_finish(&graph, b));
    ubi_graph_builder_free(b);
    return graph;
}

/* ---- breakdowns -------------------------------------------------------------------------------------------------- */

static random_breakdown breakdowns[MAX_BREAKDOWNS];
static size_t n_breakdowns;

static const struct {
    const char *name;
    const char *parts[5];
} kinds[] = {
    [UBI_BY_COUNT] = { "count", { NULL } },
    [UBI_BY_BUCKET] = { "bucket", { NULL } },
    [UBI_BY_COARSE_TYPE] = { "coarseType", { "objects", "scripts", "strings", "other", "domNode" } },
    [UBI_BY_OBJECT_CLASS] = { "objectClass", { "then", "other" } },
    [UBI_BY_INTERNAL_TYPE] = { "internalType", { "then" } },
    [UBI_BY_DESCRIPTIVE_TYPE] = { "descriptiveType", { "then" } },
    [UBI_BY_ALLOCATION_STACK] = { "allocationStack", { "then", "noStack" } },
    [UBI_BY_FILENAME] = { "filename", { "then", "noFilename" } },
    [UBI_BY_ARRAY] = { NULL, { NULL } },
};

const char *random_breakdown_part(ubi_breakdown_by by, size_t i) {
    return i < 5 ? kinds[by].parts[i] : NULL;
}

static ubi_breakdown_by random_kind(unsigned forbidden, bool arrays) {
    for (;;) {
        ubi_breakdown_by by = (ubi_breakdown_by)random_below(arrays ? UBI_BY_ARRAY + 1 : UBI_BY_ARRAY);
        if (by == UBI_BY_DESCRIPTIVE_TYPE && random_below(4))
            continue; /* it mostly fails */
        if (!(forbidden >> by & 1))
            return by;
    }
}

static random_breakdown *make(unsigned forbidden, unsigned depth, bool arrays) {
    random_breakdown *b = &breakdowns[n_breakdowns++];
    *b = (random_breakdown){ .by = random_below(2) ? UBI_BY_COUNT : UBI_BY_BUCKET, .written = random_below(3) > 0 };
    if (depth > 0 && n_breakdowns + 20 < MAX_BREAKDOWNS)
        b->by = random_kind(forbidden, arrays);
    if (b->by > UBI_BY_BUCKET && b->by < UBI_BY_ARRAY)
        forbidden |= 1u << b->by;
    if (b->by == UBI_BY_ARRAY)
        b->n_parts = random_below(4);
    else
        while (random_breakdown_part(b->by, b->n_parts))
            b->n_parts++;
    for (size_t i = 0; i < b->n_parts; i++)
        b->parts[i] = make(forbidden, depth ? depth - 1 : 0, arrays);
    return b;
}

random_breakdown *random_breakdown_new(unsigned depth, bool arrays) {
    n_breakdowns = 0;
    return make(0, depth, arrays);
}

static void put_json(FILE *out, const random_breakdown *b) {
    if (b->by == UBI_BY_ARRAY)
        fputc('[', out);
    else
        fprintf(out, "{\"by\":\"%s\"", kinds[b->by].name);
    if (b->by == UBI_BY_COUNT && b->written)
        fputs(",\"count\":true,\"bytes\":true", out);
    for (size_t i = 0; i < b->n_parts; i++) {
        if (b->by != UBI_BY_ARRAY)
            fprintf(out, ",\"%s\":", kinds[b->by].parts[i]);
        else if (i)
            fputc(',', out);
        put_json(out, b->parts[i]);
    }
    fputc(b->by == UBI_BY_ARRAY ? ']' : '}', out);
}

char *random_breakdown_json(const random_breakdown *b) {
    char *json;
    size_t size;
    FILE *out = open_memstream(&json, &size);
    put_json(out, b);
    fclose(out);
    return json;
}
