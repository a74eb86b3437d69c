/* SPDX-License-Identifier: MIT
 *
 * report_drawing.c: see report_drawing.h.
 */
#include "report_drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/census/report.h"
#include "base/text.h"
#include "census_text.h"

struct report_drawing {
    ubi_census census;
    ubi__strtab strings;
    ubi__frames frames;
    const char *text; /* all of it */
    const char *at;   /* where the reading is */
};

static void fail(const report_drawing *d, const char *what) {
    fprintf(stderr, "report drawing: %s at \"%s\" of \"%s\"\n", what, d->at, d->text);
    abort();
}

static void must(ubi_status status) {
    if (status != UBI_OK)
        abort();
}

static bool take(report_drawing *d, const char *word) {
    size_t n = strlen(word);
    if (strncmp(d->at, word, n) != 0)
        return false;
    d->at += n;
    return true;
}

static void expect(report_drawing *d, const char *word) {
    if (!take(d, word))
        fail(d, word);
}

/* Text up to one of the characters, which stays. */
static ubi_text take_until(report_drawing *d, const char *stops) {
    ubi_text text = { d->at, strcspn(d->at, stops) };
    d->at += text.len;
    return text;
}

static uint64_t take_number(report_drawing *d) {
    char *end;
    uint64_t value = strtoull(d->at, &end, 10);
    if (end == d->at)
        fail(d, "number");
    d->at = end;
    return value;
}

static ubi_str_ix string(report_drawing *d, ubi_text text) {
    ubi_str_ix ix;
    must(ubi__strtab_append(&d->strings, &ix, text));
    return ix;
}

/* Entries at the level that begins here. */
static size_t count_entries(const char *s, char separator) {
    size_t depth = 0, n = 1;
    for (bool empty = true;; s++, empty = false) {
        if (strchr("{(", *s) || (*s == '<' && (empty || s[-1] == ' ')))
            depth++;
        if (strchr("})>", *s) && depth-- == 0)
            return empty ? 0 : n;
        n += *s == separator && depth == 0;
    }
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* "f@a.js:5:2<g@a.js:1:1": callers are made first. */
static ubi_frame_ix take_stack(report_drawing *d) {
    ubi__frame_row row = { .parent = UBI_NONE };
    ubi_frame_ix ix;
    ubi_text function = take_until(d, "@!");
    row.is_system = take(d, "!");
    expect(d, "@");
    ubi_text source = take_until(d, ":");
    expect(d, ":");
    row.line = (uint32_t)take_number(d);
    expect(d, ":");
    row.column = (uint32_t)take_number(d);
    if (take(d, "<"))
        row.parent = take_stack(d);
    row.id = ubi__frames_count(&d->frames) + 1;
    row.source = string(d, source);
    row.function_name = ubi__text_is(function, "-") ? UBI_NONE : string(d, function);
    must(ubi__frames_append(&d->frames, &ix, &row));
    return ix;
}

static ubi__report_entry take_map_key(report_drawing *d) {
    if (take(d, "noStack"))
        return (ubi__report_entry){ .key_type = UBI_KEY_NO_STACK, .key = UBI_NONE };
    if (take(d, "null"))
        return (ubi__report_entry){ .key_type = UBI_KEY_NULL_STACK, .key = UBI__STACK_EMPTY };
    return (ubi__report_entry){ .key_type = UBI_KEY_STACK, .key = take_stack(d) };
}

static ubi__report_entry take_key(report_drawing *d, ubi_breakdown_by by, uint32_t place) {
    ubi__report_entry entry = { .key_type = UBI_KEY_INDEX, .key = place };
    if (by == UBI_BY_ARRAY)
        return entry;
    if (by == UBI_BY_ALLOCATION_STACK) {
        entry = take_map_key(d);
    } else {
        const char *end = strstr(d->at, ": ");
        if (!end)
            fail(d, "key");
        ubi_text text = { d->at, (size_t)(end - d->at) };
        d->at = end;
        entry.key_type = UBI_KEY_TEXT;
        bool reserved = (by == UBI_BY_OBJECT_CLASS && ubi__text_is(text, "other")) ||
                        (by == UBI_BY_FILENAME && ubi__text_is(text, "noFilename"));
        if (by != UBI_BY_COARSE_TYPE)
            entry.key = reserved ? UBI_NONE : string(d, text);
    }
    expect(d, ": ");
    return entry;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static ubi__report_ix take_report(report_drawing *d, const ubi_breakdown *breakdown);

static const ubi_breakdown *part_of(const ubi_breakdown *b, const ubi__report_entry *entry, uint32_t place) {
    if (b->by == UBI_BY_ARRAY || b->by == UBI_BY_COARSE_TYPE)
        return ubi__breakdown_child(b, place);
    return ubi__breakdown_child(b, entry->key == UBI_NONE ? UBI__CHILD_OTHERWISE : UBI__CHILD_THEN);
}

static void take_entries(report_drawing *d, ubi__report_ix at, const char *brackets, const char *separator) {
    const ubi_breakdown *breakdown = d->census.reports.at[at].breakdown;
    ubi__vec_entry *entries = &d->census.entries;
    expect(d, (char[]){ brackets[0], 0 });
    size_t n = count_entries(d->at, separator[strspn(separator, " ")]), first = entries->n;
    must(ubi__vec_entry_reserve(entries, d->census.allocator, n));
    entries->n += n;
    d->census.reports.at[at].first = first;
    d->census.reports.at[at].n = n;
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            expect(d, separator);
        ubi__report_entry entry = take_key(d, breakdown->by, i);
        entry.report = take_report(d, part_of(breakdown, &entry, i));
        entries->at[first + i] = entry;
    }
    expect(d, (char[]){ brackets[1], 0 });
}

static void take_bucket(report_drawing *d, ubi__report_ix at) {
    ubi_report *report = &d->census.reports.at[at];
    report->first = d->census.ids.n;
    expect(d, "[");
    while (!take(d, "]")) {
        take(d, " ");
        must(ubi__vec_u64_push(&d->census.ids, d->census.allocator, take_number(d)));
        report->n++;
    }
}

static void take_count(report_drawing *d, ubi__report_ix at) {
    ubi_report *report = &d->census.reports.at[at];
    if (take(d, "b")) {
        report->bytes = take_number(d);
        return;
    }
    bool alone = take(d, "c");
    report->count = take_number(d);
    if (alone)
        return;
    expect(d, ",");
    report->bytes = take_number(d);
}

static ubi__report_ix take_report(report_drawing *d, const ubi_breakdown *breakdown) {
    ubi__report_ix at = (ubi__report_ix)d->census.reports.n;
    ubi_report report = { .census = &d->census, .breakdown = breakdown };
    must(ubi__vec_report_push(&d->census.reports, d->census.allocator, report));
    switch (breakdown->by) {
    case UBI_BY_COUNT:
        take_count(d, at);
        break;
    case UBI_BY_BUCKET:
        take_bucket(d, at);
        break;
    case UBI_BY_ALLOCATION_STACK:
        take_entries(d, at, "<>", "; ");
        break;
    case UBI_BY_ARRAY:
        take_entries(d, at, "()", " | ");
        break;
    default:
        take_entries(d, at, "{}", "; ");
    }
    return at;
}

report_drawing *report_drawing_new(const char *breakdown, ubi_compat compat, const char *text) {
    report_drawing *d = calloc(1, sizeof *d);
    const ubi_allocator *a = ubi_allocator_default();
    d->text = d->at = text;
    d->census.allocator = a;
    d->census.compat = compat;
    d->census.breakdown = must_parse_breakdown(breakdown, compat);
    ubi__strtab_init(&d->strings, a);
    ubi__frames_init(&d->frames, a);
    take_report(d, d->census.breakdown);
    if (*d->at)
        fail(d, "end");
    must(ubi__strtab_canonicalize(&d->strings, NULL));
    must(ubi__frames_canonicalize(&d->frames, &d->strings));
    d->census.tables = (ubi__census_tables){ .strings = &d->strings, .frames = &d->frames, .compat = compat };
    return d;
}

void report_drawing_free(report_drawing *d) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__strtab_fini(&d->strings);
    ubi__frames_fini(&d->frames);
    ubi__vec_report_fini(&d->census.reports, a);
    ubi__vec_entry_fini(&d->census.entries, a);
    ubi__vec_u64_fini(&d->census.ids, a);
    ubi_breakdown_unref(d->census.breakdown);
    free(d);
}

const ubi_census *report_drawing_census(const report_drawing *d) {
    return &d->census;
}

void report_drawing_use_allocator(report_drawing *d, const ubi_allocator *allocator) {
    d->census.allocator = allocator;
}
