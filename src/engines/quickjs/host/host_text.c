/* SPDX-License-Identifier: MIT
 *
 * host_text.c: see host_text.h.
 */
#include "engines/quickjs/host/host_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static bool make_room(ubi__host_text *text, size_t n) {
    size_t capacity = text->capacity ? text->capacity : 64;
    if (text->has_failed || n > (size_t)-1 / 4 - text->n)
        return false;
    while (capacity < text->n + n)
        capacity *= 2;
    if (capacity > text->capacity) {
        char *larger = realloc(text->ptr, capacity);
        text->has_failed = !larger;
        if (!larger)
            return false;
        text->ptr = larger;
        text->capacity = capacity;
    }
    return true;
}

void ubi__host_text_add(ubi__host_text *text, const char *bytes, size_t n) {
    if (n == 0 || !make_room(text, n))
        return;
    UBI_ASSERT(text->n + n <= text->capacity);
    memcpy(text->ptr + text->n, bytes, n);
    text->n += n;
}

void ubi__host_text_puts(ubi__host_text *text, const char *string) {
    ubi__host_text_add(text, string, strlen(string));
}

void ubi__host_text_printf(ubi__host_text *text, const char *format, ...) {
    char line[128];
    va_list values;
    va_start(values, format);
    int n = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    ubi__host_text_add(text, line, n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void ubi__host_text_repeat(ubi__host_text *text, char c, size_t n) {
    if (n == 0 || !make_room(text, n))
        return;
    memset(text->ptr + text->n, c, n);
    text->n += n;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------- */

/* What is left of a stack of many frames. */
#define STACK_FIRST 16
#define STACK_LAST 4

/* After `lines` lines from `at` on. */
static const char *skip_lines(const char *at, const char *end, size_t lines) {
    for (; lines && at < end; lines--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return at;
}

static size_t count_lines(const char *at, const char *end) {
    size_t lines = 0;
    for (; at < end; lines++)
        at = skip_lines(at, end, 1);
    return lines;
}

void ubi__host_text_stack(ubi__host_text *text, const char *stack, size_t n) {
    const char *end = stack + n;
    while (end > stack && end[-1] == '\n')
        end--;
    size_t lines = count_lines(stack, end);
    if (lines <= STACK_FIRST + STACK_LAST + 1) {
        ubi__host_text_add(text, stack, (size_t)(end - stack));
        return;
    }
    const char *middle = skip_lines(stack, end, STACK_FIRST), *last = skip_lines(stack, end, lines - STACK_LAST);
    ubi__host_text_add(text, stack, (size_t)(middle - stack));
    ubi__host_text_printf(text, "    ... %zu more frames\n", lines - STACK_FIRST - STACK_LAST);
    ubi__host_text_add(text, last, (size_t)(end - last));
}

void ubi__host_text_fini(ubi__host_text *text) {
    free(text->ptr);
    *text = (ubi__host_text){ 0 };
}
