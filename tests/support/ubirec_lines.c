/* SPDX-License-Identifier: MIT
 *
 * ubirec_lines.c: see ubirec_lines.h: printing. random_ubirec.c has the rest.
 */
#include "ubirec_lines.h"

#include <ctype.h>
#include <inttypes.h>

void put_text(FILE *out, ubi_text text) {
    if (text.len == 0)
        fputc('%', out);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < 128 && isalnum(c)) || (c && strchr("-._/~", c)))
            fputc(c, out);
        else
            fprintf(out, "%%%02X", c);
    }
}

void put_about(FILE *out, const ubi__ubirec_about *a) {
    fprintf(out, "about %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ", a->pid,
            a->parent_pid, a->period_bytes, a->start_unix_ns, a->recording_start_ns, a->page_bytes);
    put_text(out, a->program);
    fputc(' ', out);
    put_text(out, a->arguments);
    fputc(' ', out);
    put_text(out, a->writer);
    fputc(' ', out);
    put_text(out, a->system);
    fputc('\n', out);
}

typedef struct lines {
    FILE *out;
    ubi__ubirec_tables tables;
    const ubi__ubirec_reader *reader;
} lines;

static void put_string(const lines *l, ubi_str_ix ix) {
    put_text(l->out, ubi__ubirec_string_at(&l->tables, ix));
}

static void put_module(const lines *l, uint32_t module) {
    const ubi__ubirec_module_row *m = &l->tables.modules.at[module];
    put_string(l, m->path);
    fputc(':', l->out);
    put_string(l, m->build_id);
    fprintf(l->out, ":%" PRIu64 ":%" PRIu64 ":%" PRIu64, m->bias, m->start, m->end);
}

static void put_frame(const lines *l, uint32_t frame) {
    const ubi__ubirec_frame *f = &l->tables.frames.at[frame];
    if (f->type == UBI__UBIREC_RAW_FRAME) {
        fprintf(l->out, "@%" PRIu64, f->address);
    } else if (f->type == UBI__UBIREC_NATIVE_FRAME) {
        put_module(l, f->of);
        fprintf(l->out, "+%" PRIu64, f->address);
    } else {
        put_string(l, f->of);
    }
    if (f->type == UBI__UBIREC_SCRIPT_FRAME) {
        fputc('(', l->out);
        put_string(l, f->script.file);
        fprintf(l->out, ":%" PRIu32 ":%" PRIu32 ")", f->script.line, f->column);
    }
}

static void put_stack(const lines *l, uint32_t trace) {
    for (; trace != UBI__UBIREC_NO_TRACE; trace = l->tables.traces.at[trace].caller) {
        fputc('<', l->out);
        put_frame(l, l->tables.traces.at[trace].frame);
    }
}

/* When, and by whom. */
static void put_now(const lines *l) {
    uint32_t thread = ubi__ubirec_thread_now(l->reader);
    const ubi__ubirec_thread_row *row = &l->tables.threads.at[thread];
    fprintf(l->out, " %" PRIu64 " %" PRIu32 ":%" PRIu64 ":", ubi__ubirec_time_ns(l->reader), thread, row->tid);
    put_string(l, row->name);
}

static void put_info(const lines *l, uint32_t info) {
    const ubi__ubirec_info_row *row = &l->tables.infos.at[info];
    const ubi__ubirec_kind_row *kind = &l->tables.kinds.at[row->kind];
    fputc(' ', l->out);
    put_string(l, kind->word);
    fprintf(l->out, ":%d %" PRIu64 " %" PRIu64 " ", (int)kind->class_of_kind, row->size_bytes, row->weight_bytes);
    put_stack(l, row->trace);
}

static void put_marker(const lines *l, const ubi__ubirec_record *r) {
    fputs("marker ", l->out);
    put_string(l, r->marker.name);
    fprintf(l->out, " %" PRIu64 " %d %" PRIu32 " %d %" PRIu32 " ", r->marker.time_ns, (int)r->marker.type,
            r->marker.process_type, r->marker.is_off_main_thread, r->marker.thread);
    put_string(l, r->marker.details);
    fputc(' ', l->out);
    put_stack(l, r->marker.trace);
    fputc('\n', l->out);
}

static void put_symbols(const lines *l, const ubi__ubirec_record *r) {
    fputs("symbols ", l->out);
    put_frame(l, r->symbols.frame);
    for (uint32_t i = 0; i < r->symbols.n; i++) {
        fputc(' ', l->out);
        put_string(l, r->symbols.at[i].function);
        fputc('|', l->out);
        put_string(l, r->symbols.at[i].file);
        fprintf(l->out, "|%" PRIu32 "|%" PRIu32, r->symbols.at[i].line, r->symbols.at[i].column);
    }
    fputc('\n', l->out);
}

static void put_event(const lines *l, const char *word, const ubi__ubirec_record *r) {
    fprintf(l->out, "%s %" PRIu64, word, r->event.number);
    put_now(l);
    if (r->type != UBI__UBIREC_FREE && r->type != UBI__UBIREC_LEFT)
        put_info(l, r->event.info);
    fputc('\n', l->out);
}

static void put_use(const lines *l, const ubi__ubirec_use_row *use) {
    fprintf(l->out, "use %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32 " ", use->table, use->is_divided, use->time_ns,
            use->kind);
    if (use->name == UBI_NONE)
        fputc('-', l->out);
    else
        put_string(l, use->name);
    fprintf(l->out, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", use->resident_bytes, use->share_bytes,
            use->swapped_bytes);
}

static void put_record(const lines *l, const ubi__ubirec_record *r) {
    switch (r->type) {
    case UBI__UBIREC_ABOUT:
        put_about(l->out, &r->about);
        break;
    case UBI__UBIREC_ALLOC:
        put_event(l, "alloc", r);
        break;
    case UBI__UBIREC_FREE:
        put_event(l, "free", r);
        break;
    case UBI__UBIREC_FREE_UNDONE:
        put_event(l, "undone", r);
        break;
    case UBI__UBIREC_LEFT:
        put_event(l, "left", r);
        break;
    case UBI__UBIREC_RSS:
        fprintf(l->out, "rss %" PRIu64 "\n", r->bytes);
        break;
    case UBI__UBIREC_USE:
        put_use(l, &r->use);
        break;
    case UBI__UBIREC_PERIOD:
        fprintf(l->out, "period %" PRIu64 "\n", r->bytes);
        break;
    case UBI__UBIREC_COUNTED:
        fprintf(l->out, "counted %" PRIu64 " %" PRIu64 "\n", r->counted.counter, r->counted.value);
        break;
    case UBI__UBIREC_ACTION:
        fprintf(l->out, "action %" PRIu64 " %" PRIu64 "\n", r->action.what, r->action.time_ns);
        break;
    case UBI__UBIREC_MARKER:
        put_marker(l, r);
        break;
    case UBI__UBIREC_SYMBOLS:
        put_symbols(l, r);
        break;
    case UBI__UBIREC_END:
        fprintf(l->out, "end %d %" PRIu32 "\n", (int)r->end.reason, r->end.value);
        break;
    default:
        break; /* what it defines is seen where it is used */
    }
}

static ubi_status put_all(lines *l, ubi__ubirec_reader *reader) {
    const ubi__ubirec_record *record;
    l->reader = reader;
    for (;;) {
        UBI_TRY(ubi__ubirec_next(reader, &record));
        if (!record)
            break;
        UBI_TRY(ubi__ubirec_tables_add(&l->tables, record));
        if (l->out)
            put_record(l, record);
    }
    if (l->out && ubi__ubirec_torn_bytes(reader))
        fprintf(l->out, "torn %" PRIu64 "\n", ubi__ubirec_torn_bytes(reader));
    return UBI_OK;
}

ubi_status ubirec_lines(FILE *out, ubi__source *source, const ubi_allocator *allocator) {
    lines l = { .out = out };
    ubi__ubirec_reader *reader;
    UBI_TRY(ubi__ubirec_tables_init(&l.tables, allocator));
    ubi_status status = ubi__ubirec_reader_new(&reader, source, allocator);
    if (status == UBI_OK) {
        status = put_all(&l, reader);
        ubi__ubirec_reader_free(reader);
    }
    ubi__ubirec_tables_fini(&l.tables);
    return status;
}
