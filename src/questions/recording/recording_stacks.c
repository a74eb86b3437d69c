/* SPDX-License-Identifier: MIT
 *
 * recording_stacks.c: who called a place: in a line or two, without what says nothing (the C++ library, what starts
 * programs); or frame by frame.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/recording/recording_page.h"
#include "recording/known_frames.h"
#include "recording/known_pools.h"
#include "render/function_name.h"

#define NAME_BYTES UBI__FUNCTION_BYTES
#define POSITION_BYTES 256
#define MOST_POSITION_COLUMNS 40
/* Indent of the lines below the numbers. */
#define INDENT 4
#define FLOW_CALLERS 3
#define FLOW_LINES 2
/* Columns of the function that a place calls for memory. */
#define WAY_COLUMNS 40
/* ", +0x" and an address, in most programs. */
#define ANOTHER_COLUMNS 13
/* Wrappers of a chain that are shown, at most. */
#define WRAPPERS 8

/* What calls main or the first function of a thread is the same everywhere. */
bool ubi__recording_is_start_up(const ubi__recording_place *place) {
    static const char *const names[] = { "__libc_start_call_main",
                                         "__libc_start_main",
                                         "__libc_start_main_impl",
                                         "_start",
                                         "start_thread",
                                         "clone",
                                         "__clone",
                                         "__clone3" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(place->function, names[i]))
            return true;
    return false;
}

/* ---- callers in a line -------------------------------------------------------------------------------------------- */

/* Pieces in sequence, wrapped to the next line. */
typedef struct flow {
    const ubi__recording_view *v;
    bool is_counted_only;
    size_t at, lines;
    bool is_full;
} flow;

/* Not the program's own code: containers of C++, and what starts programs. */
static bool reports_nothing(const ubi__recording_place *place) {
    return ubi__recording_is_start_up(place) || ubi__allocator_role_of(place->function) != UBI__NO_ALLOCATOR;
}

static void put_piece(flow *f, const char *mark, const char *name, const char *position) {
    const ubi__recording_view *v = f->v;
    size_t room = v->columns - INDENT;
    size_t mark_columns = ubi__display_columns(ubi__text(mark), v->style, room);
    size_t position_columns = ubi__display_columns(ubi__text(position), v->style, MOST_POSITION_COLUMNS);
    size_t gap = *name && *position ? 1 : 0, rest = mark_columns + position_columns + gap;
    size_t name_columns = ubi__display_columns(ubi__text(name), v->style, room > rest ? room - rest : 1);
    bool wraps = f->at > INDENT && f->at + 1 + name_columns + rest > v->columns;
    if (f->is_full || (wraps && f->lines == FLOW_LINES)) {
        f->is_full = true;
        return;
    }
    if (!f->is_counted_only) {
        if (wraps)
            ubi__out_char(v->out, '\n');
        ubi__display_pad(v->out, 0, wraps || f->at == 0 ? INDENT : f->at > INDENT ? 1 : 0);
        ubi__out_string(v->out, mark);
        ubi__display_text(v->out, v->style, ubi__text(name), name_columns);
        ubi__write_ink(v->on, UBI__INK_DIM);
        ubi__display_pad(v->out, 0, gap);
        ubi__display_text(v->out, v->style, ubi__text(position), position_columns);
        ubi__write_ink(v->on, UBI__INK_PLAIN);
    }
    f->lines += wraps || f->at == 0;
    f->at = (wraps || f->at == 0 ? INDENT : f->at + (f->at > INDENT)) + name_columns + rest;
}

static void put_place(flow *f, const char *mark, const ubi__recording_place *place) {
    char name[NAME_BYTES], position[POSITION_BYTES];
    ubi__recording_short_name(name, sizeof name, f->v->style, place, (f->v->columns - INDENT) / FLOW_CALLERS);
    ubi__recording_place_position(position, sizeof position, place);
    put_piece(f, mark, name, position);
}

/* Nameless places of one module say no more than the first of them. */
static bool is_known_by(const ubi__recording_place *place, const ubi__recording_place *last) {
    if (place->function.len == 0 && last->function.len == 0)
        return place->module.len > 0 && ubi__text_equal(place->module, last->module);
    return place->function.len > 0 && ubi__text_equal(place->function, last->function);
}

/* The function of the C++ library, or the wrapper, that the place calls: the outermost left out. */
static bool find_way(ubi__recording_place *out, const ubi__recording_view *v, const ubi__site *site) {
    ubi__recording_walk walk;
    ubi__recording_place place;
    bool is_found = false;
    ubi__recording_walk_wrappers(&walk, &v->report->summary->tables, site);
    while (ubi__recording_walk_next(&walk, &place))
        if (place.function.len && ubi__allocator_role_of(place.function) != UBI__ALLOCATOR) {
            *out = place;
            is_found = true;
        }
    return is_found;
}

/* The position of the place, unless that is a piece as well, and who called it. @return lines */
size_t ubi__recording_flow(const ubi__recording_view *v, const ubi__site *site, bool is_with_place,
                           bool is_counted_only) {
    flow f = { .v = v, .is_counted_only = is_counted_only };
    ubi__recording_walk walk;
    ubi__recording_place place, last;
    char position[POSITION_BYTES];
    const char *arrow = v->style->has_unicode ? "← " : "< ", *pool = ubi__known_pool(v->report->sites, site);
    ubi__recording_walk_stack(&walk, &v->report->summary->tables, site);
    if (!ubi__recording_walk_next(&walk, &last))
        return 0;
    ubi__recording_place_position(position, sizeof position, &last);
    if (is_with_place)
        put_place(&f, "", &last);
    else if (*position)
        put_piece(&f, "", "", position);
    if (pool) {
        char words[NAME_BYTES];
        snprintf(words, sizeof words, "kept on purpose: %s", pool);
        put_piece(&f, "", words, "");
    }
    unsigned n = 0;
    if (find_way(&place, v, site)) {
        char name[NAME_BYTES];
        ubi__recording_short_name(name, sizeof name, v->style, &place, WAY_COLUMNS);
        put_piece(&f, v->style->has_unicode ? "→ " : "> ", name, "");
        n++;
    }
    for (; n < FLOW_CALLERS && ubi__recording_walk_next(&walk, &place);) {
        if (reports_nothing(&place) || is_known_by(&place, &last))
            continue;
        put_place(&f, arrow, &place);
        last = place;
        n++;
    }
    if (!is_counted_only && f.at)
        ubi__out_char(v->out, '\n');
    return f.lines;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------- */

/* The name and then its position, dim; the name gives way. */
static void write_place(const ubi__recording_view *v, const ubi__recording_place *place, const char *mark,
                        size_t room) {
    static const char inlined[] = " (inlined)";
    char name[NAME_BYTES], position[POSITION_BYTES];
    ubi__recording_place_position(position, sizeof position, place);
    size_t position_columns = ubi__display_columns(ubi__text(position), v->style, MOST_POSITION_COLUMNS);
    size_t tail = (position_columns ? position_columns + 2 : 0) + (place->is_inlined ? sizeof inlined - 1 : 0);
    size_t name_columns = room > tail + 16 ? room - tail : 16;
    ubi__out_string(v->out, mark);
    ubi__recording_short_name(name, sizeof name, v->style, place, name_columns);
    ubi__display_text(v->out, v->style, ubi__text(name), name_columns);
    ubi__write_ink(v->on, UBI__INK_DIM);
    if (place->is_inlined)
        ubi__out_string(v->out, inlined);
    if (position_columns)
        ubi__out_string(v->out, "  ");
    ubi__display_text(v->out, v->style, ubi__text(position), position_columns);
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_char(v->out, '\n');
}

/* Wrappers recognized by what they do, between the place and the allocator: they explain why the place is one. The last
 * ones on the stack, from the inside out, are rows[n % WRAPPERS]. */
typedef struct wrappers {
    ubi__recording_place rows[WRAPPERS];
    bool is_known[WRAPPERS];
    size_t n;
    bool has_unknown;
} wrappers;

static void gather_wrappers(wrappers *out, const ubi__recording_view *v, const ubi__site *site) {
    const ubi__recording_report *report = v->report;
    const ubi__ubirec_tables *t = &report->summary->tables;
    ubi__recording_walk walk;
    ubi__recording_walk_wrappers(&walk, &report->summary->tables, site);
    for (out->n = 0, out->has_unknown = false;; out->n++) {
        uint32_t frame = t->traces.at[walk.trace].frame;
        size_t at = out->n % WRAPPERS;
        if (!ubi__recording_walk_next(&walk, &out->rows[at]))
            return;
        out->is_known[at] = report->sites->roles[frame] == UBI__FRAME_ALLOCATOR;
        out->has_unknown |= report->sites->roles[frame] == UBI__FRAME_WRAPPER;
    }
}

static void write_wrappers(const ubi__recording_view *v, const ubi__site *site, size_t indent, size_t room) {
    char text[NAME_BYTES], name[NAME_BYTES];
    wrappers found;
    ubi_text last = { NULL, 0 };
    size_t used = 0;
    gather_wrappers(&found, v, site);
    if (!found.has_unknown)
        return;
    for (size_t i = found.n; i > 0 && found.n - i < WRAPPERS && used < sizeof text; i--) {
        const ubi__recording_place *place = &found.rows[(i - 1) % WRAPPERS];
        bool is_same = last.len && ubi__text_equal(last, place->function); /* one part of a function calls another */
        last = place->function;
        if (is_same)
            continue;
        ubi__recording_short_name(name, sizeof name, v->style, place, room);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", used ? " " : "",
                                 v->style->has_unicode ? "→ " : "> ", name);
        if (found.is_known[(i - 1) % WRAPPERS])
            break;
    }
    ubi__out_repeat(v->out, " ", indent);
    ubi__write_ink(v->on, UBI__INK_DIM);
    ubi__display_text(v->out, v->style, ubi__text(text), room);
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_char(v->out, '\n');
}

static bool is_nameless(const ubi__recording_place *place) {
    return place->function.len == 0 && place->module.len > 0;
}

/* The next place, if it is nameless too and in the same module. */
static bool next_nameless(ubi__recording_walk *walk, ubi__recording_place *place) {
    ubi__recording_walk ahead = *walk;
    ubi__recording_place next;
    if (!ubi__recording_walk_next(&ahead, &next) || !is_nameless(&next) || !ubi__text_equal(next.module, place->module))
        return false;
    *place = next;
    *walk = ahead;
    return true;
}

/* A caller; if nameless, also those that follow, as far as they fit: one alone says little. */
static void write_caller(const ubi__recording_view *v, ubi__recording_walk *walk, ubi__recording_place *place,
                         const char *arrow, size_t room) {
    char name[NAME_BYTES];
    if (!is_nameless(place)) {
        write_place(v, place, arrow, room);
        return;
    }
    ubi__recording_place_name(name, sizeof name, place);
    size_t used = strlen(name);
    while (used + ANOTHER_COLUMNS <= room && next_nameless(walk, place))
        used += (size_t)snprintf(name + used, sizeof name - used, ", +0x%" PRIx64, place->address);
    ubi__out_string(v->out, arrow);
    ubi__display_text(v->out, v->style, ubi__text(name), room);
    ubi__out_char(v->out, '\n');
}

static bool next_caller(const ubi__recording_view *v, ubi__recording_walk *walk, ubi__recording_place *place) {
    return ubi__recording_walk_next(walk, place) &&
           (v->report->wishes->with_detail || !ubi__recording_is_start_up(place));
}

/* Saying that one is left out takes a line as well. */
static bool has_more(const ubi__recording_view *v, const ubi__recording_walk *walk) {
    ubi__recording_walk ahead = *walk;
    ubi__recording_place place;
    return next_caller(v, &ahead, &place);
}

/* The callers below the first line, and how many were left out. */
static void write_callers(const ubi__recording_view *v, ubi__recording_walk *walk, size_t indent, size_t room,
                          uint32_t n_stacks) {
    ubi__recording_place place;
    char count[UBI__HUMAN_TEXT];
    uint64_t n = 1, more = 0;
    const char *arrow = v->style->has_unicode ? "← " : "< ";
    while (next_caller(v, walk, &place)) {
        bool is_left_out = ++n > v->n_frames && (more || v->report->wishes->stack_depth || has_more(v, walk));
        if (is_left_out) {
            more++;
            continue;
        }
        ubi__out_repeat(v->out, " ", indent);
        write_caller(v, walk, &place, arrow, room > 2 ? room - 2 : room);
    }
    if (more == 0 && n_stacks <= 1)
        return;
    ubi__out_repeat(v->out, " ", indent);
    ubi__write_ink(v->on, UBI__INK_DIM);
    if (more)
        ubi__out_printf(v->out, "%s%s more frame%s", arrow, ubi__human_count(count, more), more == 1 ? "" : "s");
    if (n_stacks > 1)
        ubi__out_printf(v->out, "%s%s other stack%s", more ? "; " : "", ubi__human_count(count, n_stacks - 1),
                        n_stacks == 2 ? "" : "s");
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_char(v->out, '\n');
}

static void write_pool(const ubi__recording_view *v, const ubi__site *site, size_t indent, size_t room) {
    const char *pool = ubi__known_pool(v->report->sites, site);
    char text[NAME_BYTES];
    if (!pool)
        return;
    snprintf(text, sizeof text, "kept on purpose: %s", pool);
    ubi__out_repeat(v->out, " ", indent);
    ubi__write_ink(v->on, UBI__INK_DIM);
    ubi__display_text(v->out, v->style, ubi__text(text), room);
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_char(v->out, '\n');
}

void ubi__recording_stack(const ubi__recording_view *v, const ubi__site *site, size_t used) {
    ubi__recording_walk walk;
    ubi__recording_place place;
    size_t room = v->columns - INDENT;
    ubi__recording_walk_stack(&walk, &v->report->summary->tables, site);
    if (!ubi__recording_walk_next(&walk, &place)) {
        ubi__out_string(v->out, "(no stack)\n");
        return;
    }
    if (used == 0)
        ubi__display_pad(v->out, 0, INDENT);
    write_place(v, &place, "", used ? v->columns - used : room);
    write_pool(v, site, INDENT + 2, room - 2);
    write_wrappers(v, site, INDENT + 2, room - 2);
    write_callers(v, &walk, INDENT + 2, room - 2, site->n_stacks);
}
