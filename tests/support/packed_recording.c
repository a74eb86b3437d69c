/* SPDX-License-Identifier: MIT
 *
 * packed_recording.c: see packed_recording.h.
 */
#include "packed_recording.h"

static ubi_status summary_pass(ubi__columns *c, void *payload) {
    c->scope = "recording";
    return ubi__recording_summary_pass(c, payload);
}

ubi_status recording_pack(packed_bytes *out, const ubi__recording_summary *summary, const ubi_allocator *allocator) {
    return columns_pack(out, summary_pass, (void *)(uintptr_t)summary, allocator); /* which is not changed */
}

ubi_status recording_unpack(packed_recording *out, packed_bytes bytes, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    out->file = NULL;
    UBI_TRY(ubi__column_file_of_memory(&out->file, bytes.at, bytes.n, a));
    ubi__column_memory_init(&out->memory, a, out->file);
    ubi__columns c = { .file = out->file, .allocator = &out->memory.allocator, .threads = 1 };
    return summary_pass(&c, &out->summary);
}

void recording_release(packed_recording *recording) {
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
    return sum + (double)s->fault[0];
}
