/* SPDX-License-Identifier: MIT
 *
 * census_text.c: see census_text.h.
 */
#include "census_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(FILE *out, const char *format, ...) UBI_PRINTF(2, 3);
static void put(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

static void put_text(FILE *out, ubi_text text) {
    put(out, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

static void put_frame(FILE *out, ubi_stack stack) {
    ubi_frame frame;
    ubi_stack_frame(stack, &frame);
    put_text(out, frame.function_name.ptr ? frame.function_name : (ubi_text){ "-", 1 });
    put(out, "@");
    put_text(out, frame.source);
    put(out, ":%" PRIu32 ":%" PRIu32, frame.line, frame.column);
}

static void put_stack(FILE *out, ubi_stack stack) {
    put_frame(out, stack);
    while (ubi_stack_parent(stack, &stack)) {
        put(out, "<");
        put_frame(out, stack);
    }
}

/* NULL is what is not there. */
static void put_numbers(FILE *out, const char *count, const char *bytes, const ubi_text *label) {
    if (count && bytes)
        put(out, "%s,%s", count, bytes);
    else if (count)
        put(out, "c%s", count);
    else if (bytes)
        put(out, "b%s", bytes);
    else
        put(out, "-");
    if (label) {
        put(out, "\"");
        put_text(out, *label);
        put(out, "\"");
    }
}

static void put_count(FILE *out, const ubi_report *report) {
    ubi_report_count c;
    char count[24], bytes[24];
    ubi_report_get_count(report, &c);
    snprintf(count, sizeof count, "%" PRIu64, c.count);
    snprintf(bytes, sizeof bytes, "%" PRIu64, c.bytes);
    put_numbers(out, c.has_count ? count : NULL, c.has_bytes ? bytes : NULL, c.has_label ? &c.label : NULL);
}

static void put_delta_count(FILE *out, const ubi_delta *delta) {
    ubi_delta_count c;
    char count[24], bytes[24];
    ubi_delta_get_count(delta, &c);
    snprintf(count, sizeof count, "%" PRId64, c.count);
    snprintf(bytes, sizeof bytes, "%" PRId64, c.bytes);
    put_numbers(out, c.has_count ? count : NULL, c.has_bytes ? bytes : NULL, c.has_label ? &c.label : NULL);
}

static void put_bucket(FILE *out, const ubi_report *report) {
    uint64_t n;
    const uint64_t *ids = ubi_report_bucket(report, &n);
    put(out, "[");
    for (uint64_t i = 0; i < n; i++)
        put(out, "%s%" PRIu64, i ? " " : "", ids[i]);
    put(out, "]");
}

static void put_key(FILE *out, const ubi_report_key *key) {
    switch (key->type) {
    case UBI_KEY_TEXT:
    case UBI_KEY_NO_STACK:
        put_text(out, key->text);
        break;
    case UBI_KEY_STACK:
        put_stack(out, key->stack);
        break;
    case UBI_KEY_NULL_STACK:
        put(out, "null");
        break;
    case UBI_KEY_INDEX:
        return;
    }
    put(out, ": ");
}

static const char *const brackets[] = {
    [UBI_REPORT_OBJECT] = "{}", [UBI_REPORT_MAP] = "<>", [UBI_REPORT_ARRAY] = "()"
};

/* What stands before the i-th entry of a report. */
static void put_entry_start(FILE *out, ubi_report_shape shape, uint32_t i, const ubi_report_key *key) {
    put(out, "%s", i == 0 ? "" : shape == UBI_REPORT_ARRAY ? " | " : "; ");
    put_key(out, key);
}

/* Reports are as deep as their breakdown, and those of tests are shallow. */
static void put_report(FILE *out, const ubi_report *report) {
    ubi_report_shape shape = ubi_report_shape_of(report);
    if (shape == UBI_REPORT_COUNT) {
        put_count(out, report);
        return;
    }
    if (shape == UBI_REPORT_BUCKET) {
        put_bucket(out, report);
        return;
    }
    put(out, "%c", brackets[shape][0]);
    for (uint32_t i = 0; i < ubi_report_entry_count(report); i++) {
        ubi_report_key key;
        const ubi_report *part = ubi_report_entry(report, i, &key);
        put_entry_start(out, shape, i, &key);
        put_report(out, part);
    }
    put(out, "%c", brackets[shape][1]);
}

static void put_delta(FILE *out, const ubi_delta *delta) {
    ubi_report_shape shape = ubi_delta_shape_of(delta);
    if (shape == UBI_REPORT_COUNT) {
        put_delta_count(out, delta);
        return;
    }
    if (shape == UBI_REPORT_BUCKET) {
        if (ubi_delta_start(delta))
            put(out, "{}");
        else
            put_bucket(out, ubi_delta_end(delta));
        return;
    }
    put(out, "%c", brackets[shape][0]);
    for (uint32_t i = 0; i < ubi_delta_entry_count(delta); i++) {
        ubi_report_key key;
        const ubi_delta *part = ubi_delta_entry(delta, i, &key);
        put_entry_start(out, shape, i, &key);
        put_delta(out, part);
    }
    put(out, "%c", brackets[shape][1]);
}

static void put_name(FILE *out, const ubi_census_node *node) {
    if (node->name_type == UBI_CENSUS_NAME_NULL)
        put(out, "null");
    else if (node->name_type == UBI_CENSUS_NAME_FRAME)
        put_frame(out, node->frame);
    else
        put_text(out, node->name);
}

static void put_row(FILE *out, const ubi_census_tree *tree, ubi_census_node_ix ix) {
    ubi_census_node node;
    ubi_census_tree_node(tree, ix, &node);
    put_name(out, &node);
    put(out, "#%" PRIu32, node.id);
    if (node.parent)
        put(out, "^%" PRIu32, node.parent);
    put(out, " %" PRId64 "/%" PRId64 " %" PRId64 "/%" PRId64, node.bytes, node.total_bytes, node.count,
        node.total_count);
    for (uint32_t i = 0; i < node.n_leaf_indices; i++)
        put(out, "%s%" PRIu32, i ? "," : " L", node.leaf_indices[i]);
    if (!node.has_children)
        return;
    put(out, " [");
    for (uint32_t i = 0; i < node.n_children; i++) {
        put(out, "%s", i ? ", " : "");
        put_row(out, tree, node.children[i]);
    }
    put(out, "]");
}

char *report_text(const ubi_report *report) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put_report(out, report);
    fclose(out);
    return text;
}

char *delta_text(const ubi_delta *delta) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put_delta(out, delta);
    fclose(out);
    return text;
}

char *census_tree_text(const ubi_census_tree *tree) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put_row(out, tree, ubi_census_tree_root(tree));
    fclose(out);
    return text;
}

static char *error_text(void) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put(out, "! %s", ubi_error_message());
    fclose(out);
    return text;
}

static ubi_text text_of(const char *s) {
    return (ubi_text){ s, s ? strlen(s) : 0 };
}

ubi_breakdown *must_parse_breakdown(const char *json, ubi_compat compat) {
    ubi_breakdown *breakdown;
    if (ubi_breakdown_parse(&breakdown, text_of(json), compat, NULL) == UBI_OK)
        return breakdown;
    fprintf(stderr, "breakdown %s: %s\n", json, ubi_error_message());
    abort();
}

static ubi_status take(ubi_census **out, const ubi_graph *graph, const char *json, ubi_compat compat) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.compat = compat;
    ubi_breakdown *breakdown = must_parse_breakdown(json, compat);
    ubi_status status = ubi_census_take(out, graph, breakdown, &options);
    ubi_breakdown_unref(breakdown);
    return status;
}

char *census_text(const ubi_graph *graph, const char *json, ubi_compat compat) {
    ubi_census *census;
    if (take(&census, graph, json, compat) != UBI_OK)
        return error_text();
    char *text = report_text(ubi_census_report(census));
    ubi_census_free(census);
    return text;
}

char *census_tree_text_of(const ubi_graph *graph, const char *json, ubi_compat compat, bool invert,
                          const char *filter) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    ubi_census *census;
    options.is_inverted = invert;
    options.has_filter = filter != NULL;
    options.filter = text_of(filter);
    if (take(&census, graph, json, compat) != UBI_OK)
        return error_text();
    char *text;
    if (ubi_census_tree_new(&tree, census, &options) == UBI_OK) {
        text = census_tree_text(tree);
        ubi_census_tree_free(tree);
    } else {
        text = error_text();
    }
    ubi_census_free(census);
    return text;
}
