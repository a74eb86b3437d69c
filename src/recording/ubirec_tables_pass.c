/* SPDX-License-Identifier: MIT
 *
 * ubirec_tables_pass.c: the tables of a recording to an index and back (ubirec_tables.h).
 *
 * What is read is as ubi__ubirec_tables_check has it: each index is below the length of the table that it leads into, and callers come
 * before what they called.
 */
#include <string.h>

#include "base/column_file.h"
#include "base/status.h"
#include "recording/ubirec_tables.h"

/* ---- rules --------------------------------------------------------------------------------------------------------- */

/* The payload of rules is the tables, of which what came before is passed. */
static const ubi__ubirec_tables *tables_of(const ubi__column_rule *rule) {
    return rule->payload;
}

static bool modules_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    (void)first;
    for (size_t i = 0; i < n; i++) {
        const ubi__ubirec_module_row *m = (const ubi__ubirec_module_row *)items + i;
        if (m->path >= rule->limit || m->build_id >= rule->limit)
            return false;
    }
    return true;
}

static bool frames_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (!ubi__ubirec_frame_is_sound(tables_of(rule), (const ubi__ubirec_frame *)items + i))
            return false;
    return true;
}

static bool traces_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_trace_row *at = items;
    size_t i = 0;
    if (first == 0 && n > 0) {
        if (at[0].caller != 0 || at[0].frame != UBI_NONE)
            return false;
        i = 1;
    }
    for (; i < n; i++)
        if (at[i].caller >= first + i || at[i].frame >= rule->limit)
            return false;
    return true;
}

static bool kinds_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_kind_row *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].word >= rule->limit || (uint32_t)at[i].class_of_kind >= UBI__UBIREC_CLASS_COUNT)
            return false;
    return true;
}

static bool infos_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_tables *t = tables_of(rule);
    const ubi__ubirec_info_row *at = items;
    bool are_right = true;
    (void)first;
    for (size_t i = 0; i < n; i++)
        are_right &= (at[i].kind < t->kinds.n) & (at[i].trace < t->traces.n) &
                     (at[i].size_bytes <= UBI__UBIREC_SIZE_MAX) & (at[i].weight_bytes <= UBI__UBIREC_SIZE_MAX);
    return are_right;
}

static bool threads_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_thread_row *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].name >= rule->limit)
            return false;
    return true;
}

/* The first begins with the first info, the others in order. */
static bool periods_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_period_row *at = items;
    (void)rule;
    for (size_t i = 0; i < n; i++) {
        uint32_t before = first + i ? at[i - 1].first_info : 0;
        if (at[i].first_info < before || (first + i == 0 && at[i].first_info != 0) || at[i].period_bytes == 0 ||
            at[i].period_bytes > UBI__UBIREC_PERIOD_MAX)
            return false;
    }
    return true;
}

static bool symbols_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_symbol_row *at = items;
    bool are_right = true;
    (void)first;
    for (size_t i = 0; i < n; i++)
        are_right &= (at[i].function < rule->limit) & (at[i].file < rule->limit);
    return are_right;
}

static bool spans_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_symbol_span *at = items;
    bool are_right = true;
    (void)first;
    for (size_t i = 0; i < n; i++)
        are_right &= ((uint64_t)at[i].first + at[i].n <= rule->limit) & (at[i].n <= UBI__UBIREC_SYMBOLS_MAX);
    return are_right;
}

static bool started_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_started_row *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].name >= rule->limit)
            return false;
    return true;
}

static bool companions_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_companion_row *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].suffix >= rule->limit || at[i].name >= rule->limit)
            return false;
    return true;
}

static bool uses_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_use_row *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].name >= rule->limit && at[i].name != UBI_NONE)
            return false;
    return true;
}

static bool pauses_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__pause *at = items;
    (void)rule;
    for (size_t i = 0; i < n; i++) {
        uint64_t before_ns = first + i ? at[i - 1].to_ns : 0;
        if (at[i].from_ns < before_ns || at[i].to_ns < at[i].from_ns)
            return false;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

#define ABOUT_TEXTS 4

/** What is known about the whole; texts are in a column of their own, back to back. */
typedef struct whole_facts {
    uint64_t pid, parent_pid, period_bytes, start_unix_ns, recording_start_ns, page_bytes, recording;
    uint64_t text_bytes[ABOUT_TEXTS];
    uint64_t counters[UBI__UBIREC_COUNTER_COUNT];
    uint32_t has_end, end_reason, end_value, unused;
} whole_facts;

static void texts_list(ubi_text *texts[ABOUT_TEXTS], ubi__ubirec_about *about) {
    ubi_text *const all[ABOUT_TEXTS] = { &about->program, &about->arguments, &about->writer, &about->system };
    memcpy(texts, all, sizeof all);
}

static whole_facts facts_of(ubi__ubirec_tables *t) {
    const ubi__ubirec_about *a = &t->about;
    ubi_text *texts[ABOUT_TEXTS];
    whole_facts f = { .pid = a->pid,
                      .parent_pid = a->parent_pid,
                      .period_bytes = a->period_bytes,
                      .start_unix_ns = a->start_unix_ns,
                      .recording_start_ns = a->recording_start_ns,
                      .page_bytes = a->page_bytes,
                      .recording = a->recording,
                      .has_end = t->has_end,
                      .end_reason = t->end.reason,
                      .end_value = t->end.value };
    texts_list(texts, &t->about);
    for (int i = 0; i < ABOUT_TEXTS; i++)
        f.text_bytes[i] = texts[i]->len;
    memcpy(f.counters, t->counters, sizeof f.counters);
    return f;
}

static bool facts_hold(const whole_facts *f, size_t n_text) {
    uint64_t left = n_text;
    for (int i = 0; i < ABOUT_TEXTS; i++) {
        if (f->text_bytes[i] > left)
            return false;
        left -= f->text_bytes[i];
    }
    return f->has_end <= 1 && f->end_reason < UBI__UBIREC_END_REASON_COUNT;
}

static void facts_take(ubi__ubirec_tables *t, const whole_facts *f) {
    ubi_text *texts[ABOUT_TEXTS];
    const char *at = t->about_text.n ? (const char *)t->about_text.at : "";
    t->about = (ubi__ubirec_about){ .pid = f->pid,
                                    .parent_pid = f->parent_pid,
                                    .period_bytes = f->period_bytes,
                                    .start_unix_ns = f->start_unix_ns,
                                    .recording_start_ns = f->recording_start_ns,
                                    .page_bytes = f->page_bytes,
                                    .recording = f->recording };
    texts_list(texts, &t->about);
    for (int i = 0; i < ABOUT_TEXTS; i++) {
        *texts[i] = (ubi_text){ at, (size_t)f->text_bytes[i] };
        at += f->text_bytes[i];
    }
    memcpy(t->counters, f->counters, sizeof t->counters);
    t->has_end = f->has_end != 0;
    t->end = (ubi__ubirec_end){ (ubi__ubirec_end_reason)f->end_reason, f->end_value };
}

static ubi_status whole_pass(ubi__columns *c, ubi__ubirec_tables *t) {
    whole_facts f = facts_of(t);
    UBI_TRY(UBI__COLUMN(c, "about texts", &t->about_text, NULL));
    UBI_TRY(ubi__columns_value(c, "about", &f, sizeof f));
    UBI_TRY(ubi__columns_expect(c, facts_hold(&f, t->about_text.n), "about"));
    if (!c->writer)
        facts_take(t, &f);
    return UBI_OK;
}

/* ---- tables ---------------------------------------------------------------------------------------------------------- */

/* Passes rows, of which there are fewer than numbers. */
#define ROWS(c, name, vec, rule)                                                                                       \
    do {                                                                                                               \
        UBI_TRY(UBI__COLUMN((c), (name), (vec), (rule)));                                                              \
        UBI_TRY(ubi__columns_expect((c), (vec)->n < UBI_NONE, (name)));                                                \
    } while (0)

static ubi_status stacks_pass(ubi__columns *c, ubi__ubirec_tables *t) {
    const ubi__column_rule modules = { modules_hold, t->strings.end.n, NULL };
    const ubi__column_rule frames = { frames_hold, 0, t };
    ROWS(c, "modules", &t->modules, &modules);
    ROWS(c, "frames", &t->frames, &frames);
    const ubi__column_rule traces = { traces_hold, t->frames.n, NULL };
    ROWS(c, "traces", &t->traces, &traces);
    return ubi__columns_expect(c, t->traces.n > 0, "traces");
}

static ubi_status infos_pass(ubi__columns *c, ubi__ubirec_tables *t) {
    const ubi__column_rule kinds = { kinds_hold, t->strings.end.n, NULL };
    const ubi__column_rule infos = { infos_hold, 0, t };
    const ubi__column_rule periods = { periods_hold, 0, NULL };
    ROWS(c, "kinds", &t->kinds, &kinds);
    ROWS(c, "infos", &t->infos, &infos);
    ROWS(c, "periods", &t->periods, &periods);
    return ubi__columns_expect(c, t->periods.n > 0, "periods");
}

static ubi_status symbols_pass(ubi__columns *c, ubi__ubirec_tables *t) {
    const ubi__column_rule symbols = { symbols_hold, t->strings.end.n, NULL };
    ROWS(c, "symbols", &t->symbols, &symbols);
    const ubi__column_rule spans = { spans_hold, t->symbols.n, NULL };
    ROWS(c, "symbols of frames", &t->spans, &spans);
    return ubi__columns_expect(c, t->spans.n <= t->frames.n, "symbols of frames");
}

static ubi_status processes_pass(ubi__columns *c, ubi__ubirec_tables *t) {
    const ubi__column_rule threads = { threads_hold, t->strings.end.n, NULL };
    const ubi__column_rule started = { started_hold, t->strings.end.n, NULL };
    const ubi__column_rule companions = { companions_hold, t->strings.end.n, NULL };
    ROWS(c, "threads", &t->threads, &threads);
    ROWS(c, "started", &t->started, &started);
    ROWS(c, "companions", &t->companions, &companions);
    const ubi__column_rule uses = { uses_hold, t->strings.end.n, NULL };
    const ubi__column_rule pauses = { pauses_hold, 0, NULL };
    ROWS(c, "uses of memory", &t->uses, &uses);
    ROWS(c, "pauses", &t->pauses, &pauses);
    return UBI_OK;
}

ubi_status ubi__ubirec_tables_pass(ubi__columns *c, ubi__ubirec_tables *t) {
    if (!c->writer) {
        *t = (ubi__ubirec_tables){ .allocator = c->allocator };
        ubi__strtab_init(&t->strings, c->allocator);
    }
    UBI_TRY(ubi__columns_strings(c, "strings", &t->strings));
    UBI_TRY(whole_pass(c, t));
    UBI_TRY(stacks_pass(c, t));
    UBI_TRY(infos_pass(c, t));
    UBI_TRY(symbols_pass(c, t));
    return processes_pass(c, t);
}
