/* SPDX-License-Identifier: MIT
 *
 * suppressions.c: see suppressions.h.
 *
 * LeakSanitizer's own reading of a file and its matching: compiler-rt, sanitizer_suppressions.cpp, lsan_common.cpp. A name that many
 * frames have is compared once.
 */
#include "recording/suppressions.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"

#define TYPE "leak:"
#define UNKNOWN_MODULE "<unknown module>"
/* Of a line in a message. */
#define QUOTED_BYTES 40

/* ---- a file ----------------------------------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static ubi_text line_trim(ubi_text line) {
    while (line.len && is_blank(line.ptr[0])) {
        line.ptr++;
        line.len--;
    }
    while (line.len && is_blank(line.ptr[line.len - 1]))
        line.len--;
    return line;
}

static ubi_status line_fail(ubi_text line, const char *name, size_t number) {
    int n = line.len < QUOTED_BYTES ? (int)line.len : QUOTED_BYTES;
    return ubi__fail(UBI_EINVAL, "%s, line %zu: '%.*s%s' is no suppression: it does not begin with '" TYPE "'", name,
                     number, n, line.ptr, (size_t)n < line.len ? "..." : "");
}

static ubi_status line_add(ubi__suppressions *s, ubi_text line, const char *name, size_t number) {
    line = line_trim(line);
    if (line.len == 0 || line.ptr[0] == '#')
        return UBI_OK;
    if (memchr(line.ptr, 0, line.len))
        return ubi__fail(UBI_EINVAL, "%s, line %zu has a zero byte: it is not text", name, number);
    if (!ubi__text_begins(line, TYPE))
        return line_fail(line, name, number);
    size_t n = line.len - strlen(TYPE);
    if (n > UBI__SUPPRESSION_BYTES)
        return ubi__fail(UBI_ELIMIT, "%s, line %zu: the pattern has more than %d bytes", name, number,
                         UBI__SUPPRESSION_BYTES);
    if (s->rows.n == UBI__SUPPRESSIONS_MOST)
        return ubi__fail(UBI_ELIMIT, "%s, line %zu: there are more than %d suppressions", name, number,
                         UBI__SUPPRESSIONS_MOST);
    UBI_TRY(ubi__vec_suppression_reserve(&s->rows, s->allocator, 1));
    const ubi__suppression row = { s->text.n, n };
    UBI_TRY(ubi__bytes_append(&s->text, line.ptr + strlen(TYPE), n, s->allocator));
    return ubi__vec_suppression_push(&s->rows, s->allocator, row);
}

ubi_status ubi__suppressions_add(ubi__suppressions *s, ubi_text file, const char *name) {
    for (size_t number = 1; file.len; number++) {
        const char *end = memchr(file.ptr, '\n', file.len);
        ubi_text line = { file.ptr, end ? (size_t)(end - file.ptr) : file.len };
        UBI_TRY(line_add(s, line, name, number));
        size_t used = line.len + (end != NULL);
        file = (ubi_text){ file.ptr + used, file.len - used };
    }
    return UBI_OK;
}

void ubi__suppressions_fini(ubi__suppressions *s) {
    ubi__vec_u8_fini(&s->text, s->allocator);
    ubi__vec_suppression_fini(&s->rows, s->allocator);
}

/* ---- patterns --------------------------------------------------------------------------------------------------------- */

static size_t plain_length(ubi_text pattern, size_t from) {
    size_t n = from;
    while (n < pattern.len && pattern.ptr[n] != '*' && pattern.ptr[n] != '$')
        n++;
    return n - from;
}

/* Pieces between asterisks are found one after the other, each as early as possible, which leaves most for the next. */
bool ubi__suppression_matches(ubi_text pattern, ubi_text text) {
    bool is_at_start = pattern.len && pattern.ptr[0] == '^', is_after_star = false;
    size_t at = 0, i = is_at_start;
    if (text.len == 0)
        return false;
    while (i < pattern.len) {
        if (pattern.ptr[i] == '*') {
            is_at_start = false;
            is_after_star = true;
            i++;
            continue;
        }
        if (pattern.ptr[i] == '$')
            return at == text.len || is_after_star;
        size_t n = plain_length(pattern, i);
        const char *found = memmem(text.ptr + at, text.len - at, pattern.ptr + i, n);
        if (!found || (is_at_start && found != text.ptr + at))
            return false;
        at = (size_t)(found - text.ptr) + n;
        i += n;
        is_at_start = is_after_star = false;
    }
    return true;
}

/* ---- which rule hides a stack ----------------------------------------------------------------------------------------- */

typedef struct finder {
    const ubi__suppressions *rules;
    const ubi__ubirec_tables *tables;
    uint32_t
        *of_name; /* of_name[string]: 1 + the first rule that matches it, above all rules: none; 0: not compared yet */
    uint32_t *of_trace;  /* of_trace[trace]: 1 + the rule; 0: none */
    uint32_t of_unknown; /* of a module without a name */
} finder;

static uint32_t rule_of_text(const ubi__suppressions *rules, ubi_text text) {
    for (size_t i = 0; i < rules->rows.n; i++)
        if (ubi__suppression_matches(ubi__suppression_pattern(rules, i), text))
            return (uint32_t)i + 1;
    return 0;
}

static uint32_t rule_of_name(finder *f, ubi_str_ix name) {
    uint32_t none = (uint32_t)f->rules->rows.n + 1;
    if (name == UBI_NONE)
        return 0;
    uint32_t *known = &f->of_name[UBI_INDEX(name, ubi__strtab_count(&f->tables->strings))];
    if (*known == 0) {
        uint32_t rule = rule_of_text(f->rules, ubi__ubirec_string_at(f->tables, name));
        *known = rule ? rule : none;
    }
    return *known == none ? 0 : *known;
}

static uint32_t rule_of_module(finder *f, const ubi__ubirec_frame *frame) {
    switch (frame->type) {
    case UBI__UBIREC_NATIVE_FRAME:
        return rule_of_name(f, f->tables->modules.at[frame->of].path);
    case UBI__UBIREC_RAW_FRAME:
        return f->of_unknown;
    case UBI__UBIREC_LABEL_FRAME:
        return rule_of_name(f, frame->of); /* the text is all that there is of it */
    default:
        return 0;
    }
}

/* The module, then what is there from the innermost function out. */
static uint32_t rule_of_frame(finder *f, uint32_t frame) {
    uint32_t n, rule = rule_of_module(f, &f->tables->frames.at[frame]);
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(f->tables, frame, &n);
    for (uint32_t i = 0; i < n && !rule; i++) {
        rule = rule_of_name(f, symbols[i].function);
        if (!rule)
            rule = rule_of_name(f, symbols[i].file);
    }
    return rule;
}

static ubi_status rules_find(finder *f, const ubi_allocator *a) {
    const ubi__ubirec_tables *t = f->tables;
    size_t n_frames = t->frames.n;
    uint32_t *of_frame = ubi__alloc_array(a, n_frames + 1, sizeof *of_frame);
    if (!of_frame)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n_frames; i++)
        of_frame[i] = rule_of_frame(f, i);
    for (uint32_t i = 1; i < t->traces.n; i++) {
        uint32_t own = of_frame[t->traces.at[i].frame];
        f->of_trace[i] = own ? own : f->of_trace[t->traces.at[i].caller];
    }
    ubi__free_array(a, of_frame, n_frames + 1, sizeof *of_frame);
    return UBI_OK;
}

/* ---- what they hide --------------------------------------------------------------------------------------------------- */

static void info_hide(ubi__suppressed *s, uint32_t info, uint32_t rule) {
    const ubi__ubirec_tables *t = &s->summary.tables;
    ubi__info_sums *sums = &s->summary.infos.at[info];
    uint64_t n = ubi__info_measure(sums, UBI__MEASURE_LEAKED);
    if (n == 0)
        return;
    s->n_used += s->by_rule[rule].samples == 0;
    ubi__estimate_add(&s->by_rule[rule], &s->summary, info, n);
    ubi__estimate_add(&s->sums[t->kinds.at[t->infos.at[info].kind].class_of_kind], &s->summary, info, n);
    sums->n_older = sums->live; /* is alive as before, and not left over */
    sums->n_left = 0;
}

static ubi_status infos_hide(ubi__suppressed *s, finder *f) {
    UBI_TRY(rules_find(f, s->allocator));
    for (uint32_t i = 0; i < s->summary.infos.n; i++) {
        uint32_t rule = f->of_trace[s->summary.tables.infos.at[i].trace];
        if (rule)
            info_hide(s, i, rule - 1);
    }
    return UBI_OK;
}

static ubi_status suppressed_find(ubi__suppressed *s, const ubi__suppressions *rules) {
    const ubi__ubirec_tables *t = &s->summary.tables;
    size_t n_names = ubi__strtab_count(&t->strings);
    finder f = { .rules = rules, .tables = t, .of_unknown = rule_of_text(rules, ubi__text(UNKNOWN_MODULE)) };
    f.of_name = ubi__calloc_array(s->allocator, n_names + 1, sizeof *f.of_name);
    f.of_trace = ubi__calloc_array(s->allocator, t->traces.n + 1, sizeof *f.of_trace);
    ubi_status status = f.of_name && f.of_trace ? infos_hide(s, &f) : ubi__fail_nomem();
    ubi__free_array(s->allocator, f.of_name, n_names + 1, sizeof *f.of_name);
    ubi__free_array(s->allocator, f.of_trace, t->traces.n + 1, sizeof *f.of_trace);
    return status;
}

void ubi__suppressed_check(const ubi__suppressed *s) {
    uint64_t samples = 0;
    size_t n_used = 0;
    if (!UBI_CHECKS)
        return;
    for (size_t i = 0; i < s->n_rules; i++) {
        samples += s->by_rule[i].samples;
        n_used += s->by_rule[i].samples > 0;
        ubi__estimate_check(&s->by_rule[i]);
    }
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++)
        samples -= s->sums[c].samples;
    UBI_ASSERT(samples == 0 && n_used == s->n_used);
}

/* Its own copy, in which what is hidden is gone. */
static ubi_status infos_copy(ubi__suppressed *s, const ubi__recording_summary *summary) {
    s->summary.infos = (ubi__vec_info_sums){ .at = NULL };
    UBI_TRY(ubi__vec_info_sums_reserve(&s->summary.infos, s->allocator, summary->infos.n));
    if (summary->infos.n)
        memcpy(s->summary.infos.at, summary->infos.at, summary->infos.n * sizeof *summary->infos.at);
    s->summary.infos.n = summary->infos.n;
    return UBI_OK;
}

ubi_status ubi__suppressed_init(ubi__suppressed *s, const ubi__suppressions *rules,
                                const ubi__recording_summary *summary, const ubi_allocator *allocator) {
    *s = (ubi__suppressed){ .allocator = allocator, .summary = *summary, .n_rules = rules->rows.n };
    ubi_status status = infos_copy(s, summary);
    s->by_rule = ubi__calloc_array(allocator, s->n_rules + 1, sizeof *s->by_rule);
    if (status == UBI_OK)
        status = s->by_rule ? suppressed_find(s, rules) : ubi__fail_nomem();
    if (status == UBI_OK)
        ubi__suppressed_check(s);
    else
        ubi__suppressed_fini(s);
    return status;
}

void ubi__suppressed_fini(ubi__suppressed *s) {
    ubi__vec_info_sums_fini(&s->summary.infos, s->allocator);
    ubi__free_array(s->allocator, s->by_rule, s->n_rules + 1, sizeof *s->by_rule);
    s->by_rule = NULL;
}
