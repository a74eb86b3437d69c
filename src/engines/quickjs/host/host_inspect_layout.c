/* SPDX-License-Identifier: MIT
 *
 * host_inspect_layout.c: entries of an object on one line or several.
 */
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/host/host_inspect.h"

#define LINE_COLUMNS 72
#define STEP_COLUMNS 2
/* More short entries than these share lines. */
#define MANY_ENTRIES 6
#define SHORT_ENTRY 24

void ubi__inspect_list_end_entry(ubi__inspect_list *list) {
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        size_t *ends = realloc(list->ends, capacity * sizeof *ends);
        if (!ends)
            return; /* the entry becomes part of the next one */
        list->ends = ends;
        list->capacity = capacity;
    }
    list->ends[list->n++] = list->text.n;
}

static size_t start_of(const ubi__inspect_list *list, size_t i) {
    return i ? list->ends[i - 1] : 0;
}

static size_t longest_entry(const ubi__inspect_list *list) {
    size_t longest = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t n = list->ends[i] - start_of(list, i);
        longest = n > longest ? n : longest;
    }
    return longest;
}

static void write_entry(ubi__host_text *out, const ubi__inspect_list *list, size_t i) {
    ubi__host_text_add(out, list->text.ptr + start_of(list, i), list->ends[i] - start_of(list, i));
    if (i + 1 < list->n)
        ubi__host_text_puts(out, ",");
}

static void write_line(ubi__host_text *out, const ubi__inspect_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        ubi__host_text_puts(out, " ");
        write_entry(out, list, i);
    }
    ubi__host_text_puts(out, " ");
}

static void write_break(ubi__host_text *out, size_t indent) {
    ubi__host_text_puts(out, "\n");
    ubi__host_text_repeat(out, ' ', indent);
}

/* `filled`: as many on a line as fit. */
static void write_lines(ubi__host_text *out, const ubi__inspect_list *list, size_t indent, bool filled) {
    size_t column = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t n = list->ends[i] - start_of(list, i) + 2;
        if (!filled || i == 0 || column + n > LINE_COLUMNS) {
            write_break(out, indent + STEP_COLUMNS);
            column = indent + STEP_COLUMNS;
        } else {
            ubi__host_text_puts(out, " ");
        }
        write_entry(out, list, i);
        column += n;
    }
    write_break(out, indent);
}

void ubi__inspect_list_write(ubi__host_text *out, const ubi__inspect_list *list, const char *open, const char *close,
                             size_t indent) {
    bool broken = list->text.n && memchr(list->text.ptr, '\n', list->text.n);
    ubi__host_text_puts(out, open);
    if (list->n && !broken && list->text.n + 2 * list->n + indent <= LINE_COLUMNS)
        write_line(out, list);
    else if (list->n)
        write_lines(out, list, indent, !broken && list->n > MANY_ENTRIES && longest_entry(list) <= SHORT_ENTRY);
    ubi__host_text_puts(out, close);
}

void ubi__inspect_list_fini(ubi__inspect_list *list) {
    ubi__host_text_fini(&list->text);
    free(list->ends);
    *list = (ubi__inspect_list){ 0 };
}
