/* SPDX-License-Identifier: MIT
 *
 * Tests of censuses against a slow and obvious implementation, on random graphs with random breakdowns.
 *
 * The slow one splits lists of nodes, writes text as it goes, and knows nothing of kinds, cells or canonical entries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/census.h>

#include "base/text.h"
#include "census_text.h"
#include "random_heap.h"
#include "random_numbers.h"

enum { MAX_NODES = RANDOM_HEAP_NODES };

/* ---- heaps ------------------------------------------------------------------------------------------------------- */

typedef struct heap {
    ubi_graph *graph;
    ubi_node_ix visited[MAX_NODES];
    size_t n_visited;
} heap;

/** Nodes as a breadth-first walk meets them; the root only through an edge. */
static void visit(heap *h) {
    bool seen[MAX_NODES] = { false };
    for (size_t i = 0; i <= h->n_visited; i++) {
        ubi_node_ix from = i ? h->visited[i - 1] : ubi_graph_root(h->graph);
        for (ubi_edge_ix e = ubi_graph_first_edge(h->graph, from); e < ubi_graph_first_edge(h->graph, from + 1); e++) {
            ubi_node_ix to = ubi_graph_edge_target(h->graph, e);
            if (!seen[to])
                h->visited[h->n_visited++] = to;
            seen[to] = true;
        }
    }
}

static heap visited_heap(void) {
    heap h = { .graph = random_heap() };
    visit(&h);
    return h;
}

/* ---- the slow census --------------------------------------------------------------------------------------------- */

typedef struct list {
    ubi_node_ix at[MAX_NODES];
    size_t n;
} list;

typedef struct slow {
    const ubi_graph *graph;
    bool is_compat;
    bool has_failed;
} slow;

static void put_slow(slow *s, FILE *out, const random_breakdown *b, const list *nodes);

static ubi_text stack_text(const ubi_graph *g, ubi_frame_ix frame, char *buffer, size_t size) {
    FILE *out = fmemopen(buffer, size, "w");
    for (bool first = true; frame != UBI_NONE; frame = ubi_graph_frame_parent(g, frame), first = false) {
        ubi_frame f;
        ubi_graph_frame(g, frame, &f);
        fprintf(out, "%s%.*s@%.*s:%u:%u%s", first ? "" : "<", f.function_name.ptr ? (int)f.function_name.len : 1,
                f.function_name.ptr ? f.function_name.ptr : "-", (int)f.source.len, f.source.ptr, f.line, f.column,
                f.is_system ? "\001" : ""); /* invisible in a report, but it distinguishes stacks */
    }
    fclose(out);
    return ubi__text(buffer);
}

/** Group of a node: what Firefox's table is keyed by, and what the report shows. `entry` UBI_NONE: the rest. */
typedef struct slow_key {
    uint32_t entry;
    char text[400];
} slow_key;

static slow_key text_key(const slow *s, ubi_str_ix string, const char *reserved) {
    slow_key key = { .entry = string };
    ubi_text text = ubi_graph_string(s->graph, string);
    snprintf(key.text, sizeof key.text, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
    if (!s->is_compat && reserved && string != UBI_NONE && strcmp(key.text, reserved) == 0)
        key.entry = UBI_NONE;
    return key;
}

static slow_key key_of(const slow *s, ubi_breakdown_by by, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(s->graph, ubi_graph_node_kind(s->graph, node));
    switch (by) {
    case UBI_BY_OBJECT_CLASS:
        return text_key(s, kind->class_name, "other");
    case UBI_BY_FILENAME:
        return text_key(s, kind->script_filename, "noFilename");
    case UBI_BY_DESCRIPTIVE_TYPE:
        return text_key(
            s, kind->descriptive_name == UBI_NONE && !s->is_compat ? kind->type_name : kind->descriptive_name, NULL);
    case UBI_BY_INTERNAL_TYPE:
        return text_key(s, kind->type_name, NULL);
    default: {
        slow_key key = { .entry = ubi_graph_node_stack(s->graph, node) };
        stack_text(s->graph, key.entry, key.text, sizeof key.text);
        return key;
    }
    }
}

/** Firefox keeps types and stacks apart by table entry, everything else by text. */
static bool same_group(const slow *s, ubi_breakdown_by by, const slow_key *a, const slow_key *b) {
    if (a->entry == UBI_NONE || b->entry == UBI_NONE)
        return a->entry == b->entry;
    if (s->is_compat && (by == UBI_BY_INTERNAL_TYPE || by == UBI_BY_ALLOCATION_STACK))
        return a->entry == b->entry;
    return strcmp(a->text, b->text) == 0;
}

typedef struct slow_group {
    slow_key key;
    list nodes;
    uint64_t smallest_id;
} slow_group;

static size_t group_nodes(const slow *s, const random_breakdown *b, const list *nodes, slow_group *groups) {
    size_t n = 0;
    for (size_t i = 0; i < nodes->n; i++) {
        slow_key key = key_of(s, b->by, nodes->at[i]);
        uint64_t id = ubi_graph_node_id(s->graph, nodes->at[i]);
        size_t g = 0;
        while (g < n && !same_group(s, b->by, &groups[g].key, &key))
            g++;
        if (g == n)
            groups[n++] = (slow_group){ .key = key, .smallest_id = UINT64_MAX };
        groups[g].nodes.at[groups[g].nodes.n++] = nodes->at[i];
        groups[g].smallest_id = id < groups[g].smallest_id ? id : groups[g].smallest_id;
    }
    return n;
}

/** A JavaScript object or Map in the making. */
typedef struct slow_property {
    char key[400];
    const random_breakdown *part;
    list nodes;
} slow_property;

typedef struct slow_object {
    slow_property at[MAX_NODES + 1];
    size_t n;
} slow_object;

/** What is replaced is still reported: that may fail. */
static void check(slow *s, const random_breakdown *b, const list *nodes) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put_slow(s, out, b, nodes);
    fclose(out);
    free(text);
}

static void define(slow *s, slow_object *object, const char *key, const random_breakdown *part, const list *nodes) {
    size_t i = 0;
    while (i < object->n && strcmp(object->at[i].key, key) != 0)
        i++;
    if (i == object->n)
        object->n++;
    else
        check(s, object->at[i].part, &object->at[i].nodes);
    snprintf(object->at[i].key, sizeof object->at[i].key, "%s", key);
    object->at[i].part = part;
    object->at[i].nodes = *nodes;
}

static void put_property(slow *s, FILE *out, const slow_property *p, bool *first) {
    fputs(*first ? "" : "; ", out);
    *first = false;
    for (const char *c = p->key; *c; c++)
        if (*c != '\001')
            fputc(*c, out);
    fputs(": ", out);
    put_slow(s, out, p->part, &p->nodes);
}

static void put_object(slow *s, FILE *out, const slow_object *object, bool is_map) {
    static const char *const indices[] = { "3", "12" };
    bool first = true;
    fputc(is_map ? '<' : '{', out);
    for (size_t k = 0; !is_map && k < 2; k++)
        for (size_t i = 0; i < object->n; i++)
            if (strcmp(object->at[i].key, indices[k]) == 0)
                put_property(s, out, &object->at[i], &first);
    for (size_t i = 0; i < object->n; i++)
        if (is_map || !random_heap_is_array_index(object->at[i].key))
            put_property(s, out, &object->at[i], &first);
    fputc(is_map ? '>' : '}', out);
}

static void put_keyed(slow *s, FILE *out, const random_breakdown *b, const list *nodes) {
    static const char *const reserved[] = {
        [UBI_BY_OBJECT_CLASS] = "other", [UBI_BY_FILENAME] = "noFilename", [UBI_BY_ALLOCATION_STACK] = "noStack"
    };
    slow_group *groups = calloc(MAX_NODES, sizeof *groups);
    slow_object *object = calloc(1, sizeof *object);
    size_t n = group_nodes(s, b, nodes, groups);
    list rest = { .n = 0 };
    for (size_t done = 0; done < n; done++) {
        size_t largest = 0;
        for (size_t i = 1; i < n; i++)
            if (groups[largest].nodes.n == 0 ||
                (groups[i].nodes.n && groups[i].smallest_id > groups[largest].smallest_id))
                largest = i;
        slow_group *g = &groups[largest];
        if (g->key.entry == UBI_NONE)
            rest = g->nodes;
        else
            define(s, object, g->key.text, b->parts[0], &g->nodes);
        g->nodes.n = 0;
    }
    bool is_map = b->by == UBI_BY_ALLOCATION_STACK;
    if (b->by == UBI_BY_DESCRIPTIVE_TYPE && rest.n)
        s->has_failed = true;
    if (b->n_parts == 2 && (!is_map || rest.n))
        define(s, object, reserved[b->by], b->parts[1], &rest);
    put_object(s, out, object, is_map);
    free(groups);
    free(object);
}

static void put_coarse(slow *s, FILE *out, const random_breakdown *b, const list *nodes) {
    static const ubi_coarse_type order[] = { UBI_COARSE_OBJECT, UBI_COARSE_SCRIPT, UBI_COARSE_STRING, UBI_COARSE_OTHER,
                                             UBI_COARSE_DOM_NODE };
    for (size_t part = 0; part < 5; part++) {
        list some = { .n = 0 };
        for (size_t i = 0; i < nodes->n; i++)
            if (ubi_graph_kind(s->graph, ubi_graph_node_kind(s->graph, nodes->at[i]))->coarse_type == order[part])
                some.at[some.n++] = nodes->at[i];
        fprintf(out, "%s%s: ", part ? "; " : "{", random_breakdown_part(UBI_BY_COARSE_TYPE, part));
        put_slow(s, out, b->parts[part], &some);
    }
    fputc('}', out);
}

static void put_slow(slow *s, FILE *out, const random_breakdown *b, const list *nodes) {
    uint64_t bytes = 0;
    switch (b->by) {
    case UBI_BY_COUNT:
        for (size_t i = 0; i < nodes->n; i++)
            bytes += ubi_graph_node_size_bytes(s->graph, nodes->at[i]);
        fprintf(out, "%zu,%llu", nodes->n, (unsigned long long)bytes);
        return;
    case UBI_BY_BUCKET:
        for (size_t i = 0; i < nodes->n; i++)
            fprintf(out, "%s%llu", i ? " " : "[", (unsigned long long)ubi_graph_node_id(s->graph, nodes->at[i]));
        fputs(nodes->n ? "]" : "[]", out);
        return;
    case UBI_BY_COARSE_TYPE:
        put_coarse(s, out, b, nodes);
        return;
    case UBI_BY_ARRAY:
        fputc('(', out);
        for (size_t i = 0; i < b->n_parts; i++) {
            fputs(i ? " | " : "", out);
            put_slow(s, out, b->parts[i], nodes);
        }
        fputc(')', out);
        return;
    default:
        put_keyed(s, out, b, nodes);
    }
}

static char *slow_census(const heap *h, const random_breakdown *b, ubi_compat compat) {
    slow s = { .graph = h->graph, .is_compat = compat == UBI_COMPAT_FIREFOX };
    list all = { .n = h->n_visited };
    memcpy(all.at, h->visited, sizeof h->visited);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put_slow(&s, out, b, &all);
    fclose(out);
    if (s.has_failed)
        strcpy(text, "!");
    return text;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static char *live_text(const heap *h, const char *json) {
    ubi_breakdown *parsed = must_parse_breakdown(json, UBI_COMPAT_NONE);
    ubi_census *census;
    char *text = NULL;
    ubi_node root = ubi_graph_as_node(h->graph, ubi_graph_root(h->graph));
    if (ubi_census_take_live(&census, root, parsed, NULL) == UBI_OK) {
        text = report_text(ubi_census_report(census));
        ubi_census_free(census);
    }
    ubi_breakdown_unref(parsed);
    return text;
}

static void assert_equal_texts(const char *ours, const char *slow_text, const char *json, unsigned round) {
    bool failed = strcmp(slow_text, "!") == 0;
    if (failed ? ours && ours[0] != '!' : !ours || strcmp(ours, slow_text) != 0)
        fail_msg("round %u, %s:\n    %s\nshould be\n    %s", round, json, ours ? ours : "an error", slow_text);
}

static void run_rounds(ubi_compat compat) {
    for (unsigned round = 0; round < random_cases(3000); round++) {
        random_start(round);
        heap h = visited_heap();
        random_breakdown *b = random_breakdown_new(random_below(5), compat == UBI_COMPAT_NONE);
        char *json = random_breakdown_json(b), *expected = slow_census(&h, b, compat),
             *ours = census_text(h.graph, json, compat);
        assert_equal_texts(ours, expected, json, round);
        free(ours);
        if (compat == UBI_COMPAT_NONE) {
            ours = live_text(&h, json);
            assert_equal_texts(ours, expected, json, round);
            free(ours);
        }
        free(expected);
        free(json);
        ubi_graph_unref(h.graph);
    }
}

static void a_census_equals_the_slow_one(void **state) {
    (void)state;
    run_rounds(UBI_COMPAT_NONE);
}

static void firefoxs_losses_equal_those_of_the_slow_one(void **state) {
    (void)state;
    run_rounds(UBI_COMPAT_FIREFOX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_census_equals_the_slow_one),
        cmocka_unit_test(firefoxs_losses_equal_those_of_the_slow_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
