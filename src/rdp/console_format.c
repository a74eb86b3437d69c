/* SPDX-License-Identifier: MIT
 *
 * console_format.c: arguments of a console's message, with directives in the first one as browsers understand them. See console_link.h.
 * Source: console.spec.whatwg.org, section 2.2.1, "Formatter".
 *
 * Texts become one argument with what %s, %d, %i and %f take; %o, %O and %j stand alone, as they can be opened; %c styles what follows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rdp/console_link.h"

/* Styles of one message; more have no effect. */
#define MOST_STYLES 32

typedef struct formatter {
    ubi__rdp_grips *g;
    const ubi_console_message *m;
    uint32_t next;      /* argument that no directive has taken */
    uint32_t n_written; /* arguments */
    ubi__vec_u8 text;   /* that is to be written */
    struct style {
        uint32_t place; /* of the argument that it is for */
        ubi_text text;
    } styles[MOST_STYLES];
    uint32_t n_styles;
} formatter;

static void text_add(formatter *f, const char *bytes, size_t n) {
    if (ubi__bytes_append(&f->text, bytes, n, ubi_allocator_default()) != UBI_OK)
        f->g->json->has_failed = true;
}

static void text_flush(formatter *f) {
    if (!f->text.n)
        return;
    ubi__json_text(f->g->json, (ubi_text){ (const char *)f->text.at, f->text.n });
    f->text.n = 0;
    f->n_written++;
}

/* ---- directives --------------------------------------------------------------------------------------------------------- */

static double number_of(const ubi_value *value) {
    char text[64];
    if (value->kind == UBI_VALUE_NUMBER)
        return value->number;
    if (value->kind != UBI_VALUE_STRING || !value->text.len || value->text.len >= sizeof text)
        return NAN;
    snprintf(text, sizeof text, "%.*s", (int)value->text.len, value->text.ptr);
    char *end;
    double number = strtod(text, &end);
    return end > text ? number : NAN;
}

static void number_add(formatter *f, const ubi_value *value, bool is_whole) {
    char words[UBI__RDP_WORDS_BYTES];
    double number = number_of(value);
    const ubi_value shown = { .kind = UBI_VALUE_NUMBER, .number = is_whole ? trunc(number) : number };
    if (isnan(number))
        snprintf(words, sizeof words, "NaN");
    else
        ubi__rdp_value_words(words, f->g, &shown);
    text_add(f, words, strlen(words));
}

/* A text as it is, all else in words. */
static void string_add(formatter *f, const ubi_value *value) {
    char words[UBI__RDP_WORDS_BYTES];
    if (value->kind == UBI_VALUE_STRING) {
        text_add(f, value->text.ptr, value->text.len);
        return;
    }
    ubi__rdp_value_words(words, f->g, value);
    text_add(f, words, strlen(words));
}

static void style_add(formatter *f, const ubi_value *value) {
    text_flush(f);
    if (f->n_styles < MOST_STYLES && value->kind == UBI_VALUE_STRING)
        f->styles[f->n_styles++] = (struct style){ f->n_written, value->text };
}

/* False: no such directive; the argument is not taken. */
static bool directive_add(formatter *f, char directive, const ubi_value *value) {
    if (!strchr("sdifoOjc", directive))
        return false;
    if (directive == 'o' || directive == 'O' || directive == 'j') {
        text_flush(f);
        ubi__rdp_grip_write(f->g, value, true);
        f->n_written++;
        return true;
    }
    if (directive == 's')
        string_add(f, value);
    else if (directive == 'c')
        style_add(f, value);
    else
        number_add(f, value, directive != 'f');
    ubi__rdp_value_drop(f->g->console, value);
    return true;
}

/* ---- arguments ---------------------------------------------------------------------------------------------------------- */

static void template_write(formatter *f, ubi_text text) {
    for (size_t i = 0; i < text.len; i++) {
        char directive = text.ptr[i] == '%' && i + 1 < text.len ? text.ptr[i + 1] : '\0';
        if (directive == '%') {
            text_add(f, "%", 1);
            i++;
        } else if (directive && f->next < f->m->n_arguments && directive_add(f, directive, &f->m->arguments[f->next])) {
            f->next++;
            i++;
        } else {
            text_add(f, text.ptr + i, 1);
        }
    }
    text_flush(f);
}

static void styles_write(const formatter *f) {
    ubi__json *json = f->g->json;
    uint32_t place = 0;
    if (!f->n_styles)
        return;
    ubi__json_member_array(json, "styles");
    for (uint32_t i = 0; i < f->n_styles; i++) {
        if (i + 1 < f->n_styles && f->styles[i + 1].place == f->styles[i].place) /* the later one holds */
            continue;
        for (; place < f->styles[i].place; place++)
            ubi__json_null(json);
        ubi__json_text(json, f->styles[i].text);
        place++;
    }
    ubi__json_array_end(json);
}

/* A string that was cut is shown as it is, so that it can be read to its end. */
static bool has_template(const ubi_console_message *m) {
    const ubi_value *first = m->arguments;
    return m->n_arguments > 1 && first->kind == UBI_VALUE_STRING && !first->handle && first->text.len &&
           memchr(first->text.ptr, '%', first->text.len);
}

void ubi__rdp_arguments_write(ubi__rdp_grips *g, const ubi_console_message *m) {
    formatter *f = has_template(m) ? UBI_NEW(ubi_allocator_default(), formatter) : NULL;
    uint32_t next = 0;
    ubi__json_member_array(g->json, "arguments");
    if (f) {
        f->g = g;
        f->m = m;
        f->next = 1;
        template_write(f, m->arguments[0].text);
        next = f->next;
    }
    for (; next < m->n_arguments; next++)
        ubi__rdp_grip_write(g, &m->arguments[next], true);
    ubi__json_array_end(g->json);
    if (!f)
        return;
    styles_write(f);
    ubi__vec_u8_fini(&f->text, ubi_allocator_default());
    UBI_DELETE(ubi_allocator_default(), f);
}
