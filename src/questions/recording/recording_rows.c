/* SPDX-License-Identifier: MIT
 *
 * recording_rows.c: the places of a recording as a table for programs, with the columns that they ask for. A new column is one
 * row of a table here.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "questions/recording/recording_report.h"
#include "recording/known_pools.h"
#include "render/display.h"

#define COLUMNS_MAX 48
#define STACK_BYTES 65536
#define STANDARD_COLUMNS "class,leaked,leakedCount,peak,total,count,temporary,function,file,line,module"
#define SAMPLED_COLUMNS                                                                                                \
    "class,leaked,leakedError,leakedLow,leakedHigh,leakedCount,leakedCountError,leakedCountLow,leakedCountHigh,peak,"  \
    "peakError,peakLow,peakHigh,total,totalError,totalLow,totalHigh,count,countError,countLow,countHigh,samples,"      \
    "function,file,line,module"

typedef struct row {
    const ubi__recording_report *report;
    const ubi__site *site;
    ubi__recording_place place;
    char *stack; /* stack[STACK_BYTES], room for a text */
} row;

typedef struct column {
    const char *name, *help;
    double (*number)(const row *r, int measure); /* NAN: unknown */
    ubi_text (*text)(const row *r);
    int measure; /* of `number` */
} column;

/* ---- values ------------------------------------------------------------------------------------------------------- */

static bool has_measure(const row *r, int measure) {
    return ubi__recording_has_measure(r->report->summary, r->site->of_class, (ubi__measure)measure);
}

static double get_bytes(const row *r, int measure) {
    return has_measure(r, measure) ? r->site->by[measure].bytes : NAN;
}

/* Unknown without any sample. */
static double error_of(const row *r, int measure, double variance) {
    bool is_sampled = ubi__recording_is_sampled(r->report->summary, r->site->of_class);
    bool is_known = has_measure(r, measure) && (!is_sampled || r->site->by[measure].samples > 0);
    return is_known ? ubi__standard_error(variance) : NAN;
}

static double get_bytes_error(const row *r, int measure) {
    return error_of(r, measure, r->site->by[measure].bytes_variance);
}

static double get_count(const row *r, int measure) {
    return has_measure(r, measure) ? r->site->by[measure].count : NAN;
}

static double get_count_error(const row *r, int measure) {
    return error_of(r, measure, r->site->by[measure].count_variance);
}

static const ubi__range unknown = { NAN, NAN };

static ubi__range bytes_range(const row *r, int measure) {
    if (!has_measure(r, measure))
        return unknown;
    return ubi__recording_bytes_range(r->report->summary, r->site->of_class, &r->site->by[measure]);
}

static ubi__range count_range(const row *r, int measure) {
    if (!has_measure(r, measure))
        return unknown;
    return ubi__recording_count_range(r->report->summary, r->site->of_class, &r->site->by[measure]);
}

static double get_bytes_low(const row *r, int measure) {
    return floor(bytes_range(r, measure).low);
}

static double get_bytes_high(const row *r, int measure) {
    return ceil(bytes_range(r, measure).high);
}

static double get_count_low(const row *r, int measure) {
    return floor(count_range(r, measure).low);
}

static double get_count_high(const row *r, int measure) {
    return ceil(count_range(r, measure).high);
}

static double get_samples(const row *r, int measure) {
    return (double)r->site->by[measure].samples;
}

static double get_line(const row *r, int measure) {
    (void)measure;
    return r->place.line;
}

static double get_stacks(const row *r, int measure) {
    (void)measure;
    return r->site->n_all_stacks;
}

static double get_address(const row *r, int measure) {
    (void)measure;
    return (double)r->place.address;
}

static ubi_text get_class(const row *r) {
    return ubi__text(ubi__recording_class_name(r->site->of_class));
}

static ubi_text get_function(const row *r) {
    return r->place.function;
}

static ubi_text get_file(const row *r) {
    return r->place.file;
}

static ubi_text get_module(const row *r) {
    return r->place.module;
}

/* Names and positions from the inside out, between " < ". */
static ubi_text write_walk(const row *r, ubi__recording_walk *walk, uint64_t most) {
    ubi__recording_place place;
    char name[4096], position[256];
    size_t n = 0;
    for (uint64_t i = 0; i < most && ubi__recording_walk_next(walk, &place); i++) {
        ubi__recording_place_name(name, sizeof name, &place);
        ubi__recording_place_position(position, sizeof position, &place);
        int used = snprintf(r->stack + n, STACK_BYTES - n, "%s%s%s%s%s", i ? " < " : "", name, *position ? " (" : "",
                            position, *position ? ")" : "");
        if ((size_t)used >= STACK_BYTES - n)
            break;
        n += (size_t)used;
    }
    return (ubi_text){ r->stack, n };
}

static ubi_text get_stack(const row *r) {
    ubi__recording_walk walk;
    ubi__recording_walk_stack(&walk, &r->report->summary->tables, r->site);
    return write_walk(r, &walk, r->report->wishes->stack_depth ? r->report->wishes->stack_depth : UINT64_MAX);
}

static ubi_text get_through(const row *r) {
    ubi__recording_walk walk;
    ubi__recording_walk_wrappers(&walk, &r->report->summary->tables, r->site);
    return write_walk(r, &walk, UINT64_MAX);
}

static ubi_text get_pool(const row *r) {
    const char *words = ubi__known_pool(r->report->sites, r->site);
    return ubi__text(words ? words : "");
}

static const column columns[] = {
    { "leaked", "bytes not freed at the end", get_bytes, NULL, UBI__MEASURE_LEAKED },
    { "leakedError", "their standard error; 0 in exact recordings, empty when none was sampled", get_bytes_error, NULL,
      UBI__MEASURE_LEAKED },
    { "leakedLow", "lower limit, with a confidence of 94% or more; the same in exact recordings", get_bytes_low, NULL,
      UBI__MEASURE_LEAKED },
    { "leakedHigh", "upper limit", get_bytes_high, NULL, UBI__MEASURE_LEAKED },
    { "leakedCount", "allocations not freed at the end", get_count, NULL, UBI__MEASURE_LEAKED },
    { "leakedCountError", "their standard error", get_count_error, NULL, UBI__MEASURE_LEAKED },
    { "leakedCountLow", "lower limit, with a confidence of 94% or more; the same in exact recordings", get_count_low,
      NULL, UBI__MEASURE_LEAKED },
    { "leakedCountHigh", "upper limit", get_count_high, NULL, UBI__MEASURE_LEAKED },
    { "peak", "bytes alive when most were", get_bytes, NULL, UBI__MEASURE_PEAK },
    { "peakError", "their standard error", get_bytes_error, NULL, UBI__MEASURE_PEAK },
    { "peakLow", "lower limit, with a confidence of 94% or more; the same in exact recordings", get_bytes_low, NULL,
      UBI__MEASURE_PEAK },
    { "peakHigh", "upper limit", get_bytes_high, NULL, UBI__MEASURE_PEAK },
    { "peakCount", "allocations alive then", get_count, NULL, UBI__MEASURE_PEAK },
    { "peakCountError", "their standard error", get_count_error, NULL, UBI__MEASURE_PEAK },
    { "peakCountLow", "lower limit, with a confidence of 94% or more; the same in exact recordings", get_count_low,
      NULL, UBI__MEASURE_PEAK },
    { "peakCountHigh", "upper limit", get_count_high, NULL, UBI__MEASURE_PEAK },
    { "total", "bytes allocated", get_bytes, NULL, UBI__MEASURE_TOTAL },
    { "totalError", "their standard error", get_bytes_error, NULL, UBI__MEASURE_TOTAL },
    { "totalLow", "lower limit, with a confidence of 94% or more; the same in exact recordings", get_bytes_low, NULL,
      UBI__MEASURE_TOTAL },
    { "totalHigh", "upper limit", get_bytes_high, NULL, UBI__MEASURE_TOTAL },
    { "count", "allocations", get_count, NULL, UBI__MEASURE_TOTAL },
    { "countError", "their standard error", get_count_error, NULL, UBI__MEASURE_TOTAL },
    { "countLow", "lower limit, with a confidence of 94% or more; the same in exact recordings", get_count_low, NULL,
      UBI__MEASURE_TOTAL },
    { "countHigh", "upper limit", get_count_high, NULL, UBI__MEASURE_TOTAL },
    { "samples", "allocations that were recorded", get_samples, NULL, UBI__MEASURE_TOTAL },
    { "temporary", "allocations freed by the next thing that their thread did; exact recordings only", get_count, NULL,
      UBI__MEASURE_TEMPORARY },
    { "temporaryError", "their standard error", get_count_error, NULL, UBI__MEASURE_TEMPORARY },
    { "live", "bytes alive at the end of a part of the time; of the whole, empty", get_bytes, NULL, UBI__MEASURE_LIVE },
    { "liveError", "their standard error", get_bytes_error, NULL, UBI__MEASURE_LIVE },
    { "liveLow", "lower limit, with a confidence of 94% or more; the same in exact recordings", get_bytes_low, NULL,
      UBI__MEASURE_LIVE },
    { "liveHigh", "upper limit", get_bytes_high, NULL, UBI__MEASURE_LIVE },
    { "liveCount", "allocations alive then", get_count, NULL, UBI__MEASURE_LIVE },
    { "class", "heap, mapping or object", NULL, get_class, 0 },
    { "function", "the function that asked for memory", NULL, get_function, 0 },
    { "file", "its source file", NULL, get_file, 0 },
    { "line", "the line; 0: unknown", get_line, NULL, 0 },
    { "module", "the program or library that it is in", NULL, get_module, 0 },
    { "address", "in the module, after the call", get_address, NULL, 0 },
    { "stackCount", "how many stacks go through it", get_stacks, NULL, 0 },
    { "pool", "what a library keeps there on purpose; empty: no known pool", NULL, get_pool, 0 },
    { "stack", "the one with most of it, from the inside out", NULL, get_stack, 0 },
    { "through", "the allocators and wrappers that this stack goes through before it, from the inside out", NULL,
      get_through, 0 },
};
#define COLUMNS (sizeof columns / sizeof *columns)

bool ubi__recording_column_entry(size_t i, const char **word, const char **help) {
    if (i >= COLUMNS)
        return false;
    *word = columns[i].name;
    *help = columns[i].help;
    return true;
}

/* ---- choice of columns -------------------------------------------------------------------------------------------- */

typedef struct choice {
    const column *at[COLUMNS_MAX];
    size_t n;
} choice;

static ubi_status find_column(const column **out, ubi_text name) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(name.len < sizeof word ? name.len : sizeof word - 1), name.ptr);
    ubi__suggestion best = ubi__suggestion_for(word);
    for (size_t i = 0; i < COLUMNS; i++) {
        if (ubi__text_is(name, columns[i].name)) {
            *out = &columns[i];
            return UBI_OK;
        }
        ubi__suggestion_try(&best, columns[i].name);
    }
    if (best.word)
        return ubi__fail(UBI_EINVAL, "a recording has no column \"%s\"; did you mean \"%s\"?", word, best.word);
    return ubi__fail(UBI_EINVAL, "a recording has no column \"%s\"", word);
}

static ubi_status columns_choose(choice *out, const char *text) {
    out->n = 0;
    for (;;) {
        const char *end = strchr(text, ',');
        size_t n = end ? (size_t)(end - text) : strlen(text);
        if (out->n == COLUMNS_MAX)
            return ubi__fail(UBI_EINVAL, "more than %d columns", COLUMNS_MAX);
        UBI_TRY(find_column(&out->at[out->n++], (ubi_text){ text, n }));
        if (!end)
            return UBI_OK;
        text = end + 1;
    }
}

ubi_status ubi__recording_columns_check(const char *text) {
    choice chosen;
    return columns_choose(&chosen, text);
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

typedef struct table {
    ubi__out *out;
    ubi__json *json; /* or NULL */
    bool is_csv;
    choice columns;
} table;

static bool has_failed(const table *t) {
    return t->json ? t->json->has_failed : t->out->has_failed;
}

static void line_put(const table *t, const row *r) {
    for (size_t i = 0; i < t->columns.n; i++) {
        const column *c = t->columns.at[i];
        if (i)
            ubi__out_char(t->out, t->is_csv ? ',' : '\t');
        double number = c->number ? c->number(r, c->measure) : NAN;
        if (!isnan(number))
            ubi__out_u64(t->out, ubi__whole(number));
        else if (c->text)
            ubi__delimited_text(t->out, c->text(r), t->is_csv);
    }
    ubi__out_char(t->out, '\n');
}

static void object_put(const table *t, const row *r) {
    ubi__json_object_begin(t->json);
    for (size_t i = 0; i < t->columns.n; i++) {
        const column *c = t->columns.at[i];
        ubi__json_key(t->json, c->name);
        double number = c->number ? c->number(r, c->measure) : NAN;
        if (!isnan(number))
            ubi__json_double(t->json, number);
        else if (!c->text)
            ubi__json_null(t->json);
        else
            ubi__json_text(t->json, c->text(r));
    }
    ubi__json_object_end(t->json);
}

static void header_put(const table *t) {
    for (size_t i = 0; i < t->columns.n; i++) {
        if (i)
            ubi__out_char(t->out, t->is_csv ? ',' : '\t');
        ubi__out_string(t->out, t->columns.at[i]->name);
    }
    ubi__out_char(t->out, '\n');
}

static const ubi__recording_place no_place = { .function = { "(no stack)", 10 },
                                               .file = { "", 0 },
                                               .module = { "", 0 } };

static void rows_put(const table *t, const ubi__recording_report *report, char *stack) {
    uint64_t n = 0, most = report->wishes->top ? report->wishes->top : UINT64_MAX;
    for (size_t i = 0; i < report->sites->rows.n && n < most && !has_failed(t); i++) {
        row r = { .report = report, .site = &report->sites->rows.at[i], .stack = stack };
        if (!ubi__recording_has_site(report, r.site))
            continue;
        if (!ubi__recording_site_place(&r.place, &report->summary->tables, r.site))
            r.place = no_place;
        if (t->json)
            object_put(t, &r);
        else
            line_put(t, &r);
        n++;
    }
}

/* Of a part of the time, with what lived at its end. */
static const char *standard_columns(const ubi__recording_report *report) {
    if (ubi__recording_is_part(report->summary))
        return report->is_exact ? "live,liveCount," STANDARD_COLUMNS : "live,liveLow,liveHigh," SAMPLED_COLUMNS;
    return report->is_exact ? STANDARD_COLUMNS : SAMPLED_COLUMNS;
}

static ubi_status table_put(table *t, const ubi__recording_report *report) {
    const char *standard = standard_columns(report);
    UBI_TRY(columns_choose(&t->columns, report->wishes->columns ? report->wishes->columns : standard));
    char *stack = ubi__alloc_array(report->allocator, STACK_BYTES, 1);
    if (!stack)
        return ubi__fail_nomem();
    if (!t->json)
        header_put(t);
    rows_put(t, report, stack);
    ubi__free_array(report->allocator, stack, STACK_BYTES, 1);
    return UBI_OK;
}

ubi_status ubi__recording_rows_page(const ubi__page *page, const ubi__recording_report *report, bool is_csv) {
    table t = { .out = page->out, .is_csv = is_csv };
    return table_put(&t, report);
}

ubi_status ubi__recording_rows_document(ubi__json *json, const ubi__recording_report *report) {
    table t = { .json = json };
    ubi__recording_put_window(json, report);
    ubi__json_member_array(json, "sites");
    UBI_TRY(table_put(&t, report));
    ubi__json_array_end(json);
    return UBI_OK;
}
