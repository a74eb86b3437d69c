/* SPDX-License-Identifier: MIT
 *
 * random_ubirec.c: see ubirec_lines.h: recordings at random, and the lines that they must give.
 *
 * The maker holds as text what it gave to the writer: a frame is the text of that frame, a stack that of its frames, an info
 * that of its line. Numbers that the writer gives are only handed back to it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "random_numbers.h"
#include "ubirec_lines.h"

#define MOST 64 /* of modules, frames, stacks, infos and threads */
#define TEXT 4096

typedef struct thing {
    uint32_t number;
    char text[TEXT];
} thing;

typedef struct pool {
    thing at[MOST];
    uint32_t n;
} pool;

typedef struct maker {
    ubi__ubirec_writer *w;
    FILE *out; /* or NULL */
    pool modules, frames, stacks, kinds, infos, threads;
    uint64_t live[MOST], freed;
    uint32_t live_info[MOST], freed_info; /* place in `infos` */
    uint32_t n_live;
    bool has_freed;
    uint64_t time_ns, n_allocations;
    uint32_t thread; /* place in `threads` */
} maker;

static const thing *any(const pool *p) {
    return &p->at[random_below(p->n)];
}

/* The next free place, or any. */
static thing *place(pool *p) {
    return p->n < MOST ? &p->at[p->n++] : &p->at[random_below(MOST)];
}

static uint64_t random_u64(void) {
    uint64_t value =
        (uint64_t)random_below(1u << 31) << 33 ^ (uint64_t)random_below(1u << 31) << 16 ^ random_below(1u << 16);
    return value >> random_below(64);
}

static ubi_text random_text(char room[40]) {
    static const char letters[] = "abc /%\n\x80\xff\0:<>|()é";
    size_t n = random_below(12) ? random_below(8) : 39;
    for (size_t i = 0; i < n; i++)
        room[i] = letters[random_below(sizeof letters)];
    return (ubi_text){ room, n };
}

/* A stream into the text of a thing; close_text() ends it. */
static FILE *open_text(thing *t) {
    FILE *f = fmemopen(t->text, TEXT, "w");
    if (!f)
        abort();
    return f;
}

static ubi_status make_module(maker *m) {
    char path_room[40], id_room[40];
    ubi_text path = random_text(path_room), id = random_text(id_room);
    ubi__ubirec_module_about about = { .path = path,
                                       .build_id = (const uint8_t *)id.ptr,
                                       .build_id_bytes = id.len,
                                       .bias = random_u64(),
                                       .start = random_u64(),
                                       .end = random_u64() };
    thing *t = place(&m->modules);
    FILE *f = open_text(t);
    put_text(f, path);
    fputc(':', f);
    put_text(f, id);
    fprintf(f, ":%" PRIu64 ":%" PRIu64 ":%" PRIu64, about.bias, about.start, about.end);
    fclose(f);
    return ubi__ubirec_module(m->w, &t->number, &about);
}

static ubi_status make_frame(maker *m) {
    char a_room[40], b_room[40];
    ubi_text a = random_text(a_room), b = random_text(b_room);
    uint64_t address = random_u64();
    uint32_t line = random_below(100), column = random_below(1u << 31), how = random_below(4);
    thing *t = place(&m->frames);
    FILE *f = open_text(t);
    ubi_status status;
    if (how == 0) {
        const thing *module = any(&m->modules);
        fprintf(f, "%s+%" PRIu64, module->text, address);
        status = ubi__ubirec_native_frame(m->w, &t->number, module->number, address);
    } else if (how == 1) {
        fprintf(f, "@%" PRIu64, address);
        status = ubi__ubirec_raw_frame(m->w, &t->number, address);
    } else if (how == 2) {
        put_text(f, a);
        fputc('(', f);
        put_text(f, b);
        fprintf(f, ":%" PRIu32 ":%" PRIu32 ")", line, column);
        status = ubi__ubirec_script_frame(m->w, &t->number, a, b, line, column);
    } else {
        put_text(f, a);
        status = ubi__ubirec_label_frame(m->w, &t->number, a);
    }
    fclose(f);
    return status;
}

/* On top of one that is there, which stays as it is, or of none. */
static ubi_status make_stack(maker *m) {
    const thing *frame = any(&m->frames), *below = m->stacks.n && random_below(4) ? any(&m->stacks) : NULL;
    char rest[TEXT] = "";
    uint32_t caller = UBI__UBIREC_NO_TRACE;
    if (below && strlen(below->text) + strlen(frame->text) + 2 < TEXT) {
        caller = below->number;
        strcpy(rest, below->text);
    }
    thing *t = place(&m->stacks);
    snprintf(t->text, TEXT, "<%.2000s%.2000s", frame->text, rest);
    return ubi__ubirec_trace(m->w, &t->number, caller, frame->number);
}

static ubi_status make_info(maker *m) {
    char room[40];
    ubi_text word = random_text(room);
    ubi__ubirec_class of_class = (ubi__ubirec_class)random_below(UBI__UBIREC_CLASS_COUNT);
    uint64_t size = random_u64() >> 8, weight = random_below(2) ? size : random_u64() >> 8;
    bool has_stack = m->stacks.n && random_below(8);
    const thing *stack = has_stack ? any(&m->stacks) : NULL;
    thing *kind = place(&m->kinds), *t = place(&m->infos);
    for (uint32_t i = 0; i < m->n_live; i++)
        if (&m->infos.at[m->live_info[i]] == t)
            return UBI_OK; /* it is still needed as it is */
    if (m->has_freed && &m->infos.at[m->freed_info] == t)
        return UBI_OK;
    UBI_TRY(ubi__ubirec_kind(m->w, &kind->number, word, of_class));
    FILE *f = open_text(t);
    fputc(' ', f);
    put_text(f, word);
    fprintf(f, ":%d %" PRIu64 " %" PRIu64 " %.3000s", (int)of_class, size, weight, stack ? stack->text : "");
    fclose(f);
    return ubi__ubirec_info(m->w, &t->number, kind->number, size, stack ? stack->number : UBI__UBIREC_NO_TRACE, weight);
}

static ubi_status make_thread(maker *m) {
    char room[40];
    ubi_text name = random_text(room);
    uint64_t tid = random_u64();
    if (m->threads.n == MOST)
        return UBI_OK;
    thing *t = place(&m->threads);
    UBI_TRY(ubi__ubirec_thread(m->w, &t->number, tid, name));
    FILE *f = open_text(t);
    fprintf(f, "%" PRIu32 ":%" PRIu64 ":", t->number, tid);
    put_text(f, name);
    fclose(f);
    return UBI_OK;
}

static void expect_event(const maker *m, const char *word, uint64_t number, const char *info) {
    if (m->out)
        fprintf(m->out, "%s %" PRIu64 " %" PRIu64 " %s%s\n", word, number, m->time_ns, m->threads.at[m->thread].text,
                info);
}

static ubi_status make_alloc(maker *m) {
    uint32_t info = random_below(m->infos.n), at = m->n_live;
    uint64_t number;
    UBI_TRY(ubi__ubirec_write_alloc(m->w, &number, m->infos.at[info].number));
    if (number != m->n_allocations++)
        return ubi__fail(UBI_ESTATE, "numbers of allocations have a gap");
    expect_event(m, "alloc", number, m->infos.at[info].text);
    if (at == MOST)
        at = random_below(MOST); /* that one is never freed */
    else
        m->n_live++;
    m->live[at] = number;
    m->live_info[at] = info;
    return UBI_OK;
}

static ubi_status make_free(maker *m) {
    if (m->n_live == 0)
        return UBI_OK;
    uint32_t at = random_below(m->n_live);
    bool is_left = random_below(16) == 0; /* by a process that ended */
    UBI_TRY(is_left ? ubi__ubirec_write_left(m->w, m->live[at]) : ubi__ubirec_write_free(m->w, m->live[at]));
    expect_event(m, is_left ? "left" : "free", m->live[at], "");
    m->freed = m->live[at];
    m->freed_info = m->live_info[at];
    m->has_freed = !is_left;
    m->n_live--;
    m->live[at] = m->live[m->n_live];
    m->live_info[at] = m->live_info[m->n_live];
    return UBI_OK;
}

static ubi_status make_undone(maker *m) {
    if (!m->has_freed)
        return UBI_OK;
    const thing *info = &m->infos.at[m->freed_info];
    UBI_TRY(ubi__ubirec_write_free_undone(m->w, m->freed, info->number));
    expect_event(m, "undone", m->freed, info->text);
    m->has_freed = false;
    return UBI_OK;
}

static ubi_status make_marker(maker *m) {
    char name_room[40], details_room[40];
    bool has_stack = m->stacks.n && random_below(2);
    const thing *stack = has_stack ? any(&m->stacks) : NULL;
    ubi__ubirec_marker marker = { .name = random_text(name_room),
                                  .time_ns = random_u64(),
                                  .type = (ubi__ubirec_marker_type)random_below(UBI__UBIREC_MARKER_TYPE_COUNT),
                                  .process_type = random_below(9),
                                  .is_off_main_thread = random_below(2),
                                  .thread = any(&m->threads)->number,
                                  .trace = stack ? stack->number : UBI__UBIREC_NO_TRACE,
                                  .details = random_text(details_room) };
    if (m->out) {
        fputs("marker ", m->out);
        put_text(m->out, marker.name);
        fprintf(m->out, " %" PRIu64 " %d %" PRIu32 " %d %" PRIu32 " ", marker.time_ns, (int)marker.type,
                marker.process_type, marker.is_off_main_thread, marker.thread);
        put_text(m->out, marker.details);
        fprintf(m->out, " %s\n", stack ? stack->text : "");
    }
    return ubi__ubirec_write_marker(m->w, &marker);
}

static ubi_status make_symbols(maker *m) {
    char rooms[4][2][40];
    ubi__ubirec_symbol symbols[4];
    size_t n = random_below(5);
    const thing *frame = any(&m->frames);
    for (size_t i = 0; i < n; i++) {
        symbols[i].function = random_text(rooms[i][0]);
        symbols[i].file = random_text(rooms[i][1]);
        symbols[i].line = random_below(1000);
        symbols[i].column = random_below(200);
    }
    if (m->out)
        fprintf(m->out, "symbols %s", frame->text);
    for (size_t i = 0; i < n && m->out; i++) {
        fputc(' ', m->out);
        put_text(m->out, symbols[i].function);
        fputc('|', m->out);
        put_text(m->out, symbols[i].file);
        fprintf(m->out, "|%" PRIu32 "|%" PRIu32, symbols[i].line, symbols[i].column);
    }
    if (m->out)
        fputc('\n', m->out);
    return ubi__ubirec_write_symbols(m->w, frame->number, symbols, n);
}

static ubi_status make_use(maker *m) {
    char room[40];
    ubi_text name = random_below(3) ? random_text(room) : (ubi_text){ NULL, 0 };
    ubi__ubirec_use_row use = { .table = 1 + random_below(3),
                                .is_divided = random_below(2),
                                .time_ns = random_u64(),
                                .kind = random_below(20),
                                .resident_bytes = random_u64() >> 8,
                                .share_bytes = random_u64() >> 20,
                                .swapped_bytes = random_below(3) };
    if (m->out) {
        fprintf(m->out, "use %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32 " ", use.table, use.is_divided, use.time_ns,
                use.kind);
        if (name.ptr)
            put_text(m->out, name);
        else
            fputc('-', m->out);
        fprintf(m->out, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", use.resident_bytes, use.share_bytes,
                use.swapped_bytes);
    }
    return ubi__ubirec_write_use(m->w, &use, name);
}

static ubi_status make_number(maker *m) {
    uint64_t value = random_u64(), period = 1 + (random_u64() >> 17);
    ubi__ubirec_counter counter = (ubi__ubirec_counter)random_below(UBI__UBIREC_COUNTER_COUNT);
    switch (random_below(8)) {
    case 4:
        return make_use(m);
    case 0:
        if (m->out)
            fprintf(m->out, "period %" PRIu64 "\n", period);
        return ubi__ubirec_write_period(m->w, period);
    case 1:
    case 2:
        if (m->out)
            fprintf(m->out, "counted %d %" PRIu64 "\n", (int)counter, value);
        return ubi__ubirec_write_counter(m->w, counter, value);
    case 3:
        if (m->out)
            fprintf(m->out, "action %d %" PRIu64 "\n", (int)(value % UBI__UBIREC_ACTION_COUNT), value);
        return ubi__ubirec_write_action(m->w, (ubi__ubirec_action)(value % UBI__UBIREC_ACTION_COUNT), value);
    default:
        if (m->out)
            fprintf(m->out, "rss %" PRIu64 "\n", value);
        return ubi__ubirec_write_rss(m->w, value);
    }
}

static ubi_status make_thread_name(maker *m) {
    char room[40];
    ubi_text name = random_text(room);
    thing *t = &m->threads.at[random_below(m->threads.n)];
    char *end = strrchr(t->text, ':') + 1;
    FILE *f = fmemopen(end, TEXT - (size_t)(end - t->text), "w");
    if (!f)
        abort();
    put_text(f, name);
    fclose(f);
    return ubi__ubirec_write_thread_name(m->w, t->number, name);
}

static ubi_status make_turn(maker *m) {
    m->thread = random_below(m->threads.n);
    return ubi__ubirec_write_thread(m->w, m->threads.at[m->thread].number);
}

static ubi_status make_time(maker *m) {
    m->time_ns += random_u64() >> 32;
    return ubi__ubirec_write_time(m->w, m->time_ns);
}

static ubi_status make_flush(maker *m) {
    return ubi__ubirec_flush(m->w);
}

/* One of each that others need. */
static ubi_status make_first(maker *m) {
    char room[40];
    ubi_text text = random_text(room);
    ubi__ubirec_about about = { .program = text,
                                .arguments = { "a\0b c\0", 6 },
                                .pid = 7,
                                .parent_pid = random_u64(),
                                .period_bytes = 1 + random_below(1000),
                                .start_unix_ns = random_u64(),
                                .recording_start_ns = 5,
                                .page_bytes = 4096,
                                .writer = text,
                                .system = { "", 0 } };
    UBI_TRY(ubi__ubirec_write_about(m->w, &about));
    if (m->out)
        put_about(m->out, &about);
    UBI_TRY(make_thread(m));
    UBI_TRY(make_module(m));
    UBI_TRY(make_frame(m));
    UBI_TRY(make_stack(m));
    return make_info(m);
}

static ubi_status make_all(maker *m, unsigned n_steps) {
    static ubi_status (*const steps[])(maker * m) = {
        make_alloc,  make_alloc,   make_alloc,  make_alloc,  make_alloc,  make_free,        make_free,
        make_free,   make_free,    make_free,   make_info,   make_module, make_frame,       make_frame,
        make_stack,  make_stack,   make_undone, make_marker, make_turn,   make_thread_name, make_time,
        make_thread, make_symbols, make_number, make_flush,
    };
    UBI_TRY(make_first(m));
    for (unsigned i = 0; i < n_steps; i++)
        UBI_TRY(steps[random_below(sizeof steps / sizeof *steps)](m));
    ubi__ubirec_end end = { (ubi__ubirec_end_reason)random_below(UBI__UBIREC_END_REASON_COUNT), random_below(300) };
    UBI_TRY(ubi__ubirec_write_end(m->w, &end));
    if (m->out)
        fprintf(m->out, "end %d %" PRIu32 "\n", (int)end.reason, end.value);
    UBI_TRY(make_symbols(m)); /* those may follow */
    return ubi__ubirec_flush(m->w);
}

ubi_status random_ubirec(uint64_t seed, unsigned n_steps, ubi__write_fn write, void *payload, FILE *expected,
                         const ubi_allocator *allocator) {
    maker *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    m->out = expected;
    random_start(seed);
    ubi_status status = ubi__ubirec_writer_new(&m->w, write, payload, allocator);
    if (status == UBI_OK)
        status = make_all(m, n_steps);
    ubi__ubirec_writer_free(m->w);
    free(m);
    return status;
}
