/* SPDX-License-Identifier: MIT
 *
 * packed_recording.c: see packed_recording.h.
 */
#include "packed_recording.h"

/* What is passed. */
typedef struct passed {
    ubi__recording_summary *summary;
    ubi__sites *sites;
} passed;

static ubi_status all_pass(ubi__columns *c, void *payload) {
    const passed *p = payload;
    c->scope = "recording";
    UBI_TRY(ubi__recording_summary_pass(c, p->summary));
    c->scope = "places";
    return ubi__sites_pass(c, p->sites, p->summary);
}

ubi_status recording_pack(packed_bytes *out, const ubi__recording_summary *summary, const ubi__sites *sites,
                          const ubi_allocator *allocator) {
    passed p = { (void *)(uintptr_t)summary, (void *)(uintptr_t)sites }; /* which are not changed */
    return columns_pack(out, all_pass, &p, allocator);
}

ubi_status recording_unpack(packed_recording *out, packed_bytes bytes, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    passed p = { &out->summary, &out->sites };
    out->file = NULL;
    out->sites = (ubi__sites){ .summary = &out->summary };
    UBI_TRY(ubi__column_file_of_memory(&out->file, bytes.at, bytes.n, a));
    ubi__column_memory_init(&out->memory, a, out->file);
    ubi__columns c = { .file = out->file, .allocator = &out->memory.allocator, .threads = 1 };
    return all_pass(&c, &p);
}

void recording_release(packed_recording *recording) {
    if (recording->sites.allocator)
        ubi__sites_fini(&recording->sites);
    if (recording->file)
        ubi__recording_summary_fini(&recording->summary);
    ubi__column_file_close(recording->file);
}

/* ---- visiting -------------------------------------------------------------------------------------------------------- */

static double text_visit(ubi_text text) {
    double sum = (double)text.len;
    for (size_t i = 0; i < text.len; i++)
        sum += (uint8_t)text.ptr[i];
    return sum;
}

static double string_visit(const ubi__ubirec_tables *t, ubi_str_ix string) {
    return text_visit(ubi__ubirec_string_at(t, string));
}

static double frame_visit(const ubi__ubirec_tables *t, uint32_t frame) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    double sum = f->column;
    for (uint32_t i = 0; i < n; i++)
        sum += string_visit(t, symbols[i].function) + string_visit(t, symbols[i].file) + symbols[i].line;
    if (f->type == UBI__UBIREC_NATIVE_FRAME)
        return sum + string_visit(t, t->modules.at[f->of].path) + string_visit(t, t->modules.at[f->of].build_id);
    if (f->type == UBI__UBIREC_SCRIPT_FRAME)
        sum += string_visit(t, f->script.file);
    return f->type == UBI__UBIREC_RAW_FRAME ? sum : sum + string_visit(t, f->of);
}

static double stack_visit(const ubi__ubirec_tables *t, uint32_t trace) {
    double sum = 0;
    for (; trace != UBI__UBIREC_NO_TRACE; trace = t->traces.at[trace].caller)
        sum += frame_visit(t, t->traces.at[trace].frame);
    return sum;
}

static double tables_visit(const ubi__ubirec_tables *t) {
    double sum = text_visit(t->about.program) + text_visit(t->about.arguments) + text_visit(t->about.writer) +
                 text_visit(t->about.system) + (double)t->end.reason;
    for (uint32_t i = 0; i < t->traces.n; i++)
        sum += stack_visit(t, i);
    for (uint32_t i = 0; i < t->infos.n; i++)
        sum += (double)ubi__ubirec_period_of(t, i) + ubi__sample_count(&t->infos.at[i]) +
               string_visit(t, t->kinds.at[t->infos.at[i].kind].word) + t->infos.at[i].trace;
    for (size_t i = 0; i < t->threads.n; i++)
        sum += string_visit(t, t->threads.at[i].name);
    for (size_t i = 0; i < t->started.n; i++)
        sum += string_visit(t, t->started.at[i].name) + ubi__unrecorded_words(t->started.at[i].why)[0];
    for (size_t i = 0; i < t->companions.n; i++)
        sum += string_visit(t, t->companions.at[i].name) + string_visit(t, t->companions.at[i].suffix);
    return sum + ubi__ubirec_is_exact(t);
}

/* Sorting needs all of them; where invariants are checked, it is for places that are as they were made. */
static double sites_visit(const ubi__sites *sites) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    ubi__sites view;
    double sum = 0;
    for (size_t i = 0; i < sites->rows.n; i++) {
        const ubi__site *site = &sites->rows.at[i];
        sum += site->frame == UBI_NONE ? 0 : frame_visit(t, site->frame) + sites->roles[site->frame];
        sum += stack_visit(t, site->heavy) + stack_visit(t, site->inner) + site->by[UBI__MEASURE_TOTAL].bytes;
    }
    for (size_t i = 0; i < t->traces.n; i++)
        sum += sites->top[i] + sites->pools[i];
    if (UBI_CHECKS || ubi__sites_view(&view, sites, UBI__BY_PEAK, ubi_allocator_default()) != UBI_OK)
        return sum;
    sum += view.rows.n ? view.rows.at[0].n_stacks : 0;
    ubi__sites_fini(&view);
    return sum;
}

static double range_visit(ubi__range range) {
    return range.low + range.high;
}

double packed_recording_visit(const packed_recording *recording) {
    const ubi__recording_summary *s = &recording->summary;
    double sum = tables_visit(&s->tables) + ubi__recording_summary_index(s).is_exact;
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++)
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++) {
            ubi__estimate e = ubi__class_estimate(s, (ubi__ubirec_class)c, m);
            sum += range_visit(ubi__measure_bytes_range(s, (ubi__ubirec_class)c, m, &e));
        }
    for (size_t i = 0; i < s->n_curve; i++)
        sum += range_visit(ubi__curve_range(s, &s->curve[i]));
    for (size_t i = 0; i < s->threads.n; i++)
        sum += s->threads.at[i].allocated.bytes + s->threads.at[i].freed.count;
    for (size_t i = 0; i < s->markers.groups.n; i++)
        sum += string_visit(&s->tables, s->markers.groups.at[i].name) + s->markers.groups.at[i].live.bytes;
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++)
        sum += s->lifetimes[i].bytes;
    for (int i = 0; i < UBI__SIZE_BUCKETS; i++)
        sum += s->sizes[i].count;
    return sum + (double)s->fault[0] + sites_visit(&recording->sites);
}
