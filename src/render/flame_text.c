/* SPDX-License-Identifier: MIT
 *
 * flame_text.c: a flame graph in a terminal (flame_graph.h).
 *
 *     ▌main 100%──────────────────────────────────
 *     ▌parse 61.2%──────────────▌print 30.1%───────
 *     ▌expression 58.9%────────  ▌format 30.1%────
 */
#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "render/flame_graph.h"
#include "render/function_name.h"

/* A name needs room to say something. */
#define LEAST_LABEL 3

typedef struct drawing {
    char *name; /* name[UBI__FUNCTION_BYTES], of the box at hand */
    ubi__out *out;
    const ubi__style *style;
    const ubi__flame_tree *tree;
    unsigned columns;
    bool is_count;
} drawing;

/* Where a box is: in units of the whole. */
typedef struct span {
    ubi__flame_ix node;
    uint64_t begin;
} span;

UBI_VEC_DECLARE(span_list, span);

static unsigned column_of(const drawing *d, uint64_t at) {
    uint64_t all = d->tree->nodes.at[0].all;
    return all ? (unsigned)((double)at / (double)all * d->columns + 0.5) : 0;
}

/* Of what changed less than this part, there is nothing to see. */
#define LEAST_CHANGE 0.01

static ubi__ink ink_of(const drawing *d, ubi__flame_ix ix) {
    static const ubi__ink inks[] = { UBI__INK_CYAN, UBI__INK_GREEN, UBI__INK_YELLOW, UBI__INK_MAGENTA, UBI__INK_BLUE };
    double change = d->tree->past ? ubi__flame_change(d->tree, ix) : 0;
    if (d->tree->past)
        return change > LEAST_CHANGE ? UBI__INK_RED : change < -LEAST_CHANGE ? UBI__INK_BLUE : UBI__INK_DIM;
    return inks[ubi__flame_hue(ubi__flame_name(d->tree, ix)) % (sizeof inks / sizeof *inks)];
}

static void fill_write(const drawing *d, unsigned columns) {
    ubi__display_ink(d->out, d->style, UBI__INK_DIM);
    ubi__out_repeat(d->out, d->style->has_unicode ? "─" : "-", columns);
    ubi__display_ink(d->out, d->style, UBI__INK_PLAIN);
}

/* The share of the whole, or by how much it changed. */
static void number_make(char out[UBI__HUMAN_TEXT + 1], const drawing *d, ubi__flame_ix ix) {
    const ubi__flame_node *nodes = d->tree->nodes.at;
    if (!d->tree->past) {
        ubi__human_percent(out, nodes[ix].all, nodes[0].all);
        return;
    }
    uint64_t old = d->tree->past[ix].all, new = ubi__flame_now(d->tree, ix), change = new < old ? old - new : new - old;
    if (change)
        *out++ = new < old ? '-' : '+';
    if (d->is_count)
        ubi__human_count(out, change);
    else
        ubi__human_size(out, change);
}

/* The name, and its number if that fits, too. */
static unsigned label_write(const drawing *d, ubi__flame_ix ix, ubi_text whole, unsigned room) {
    const ubi_text name = { d->name, ubi__short_function(d->name, d->style, whole, room) };
    char number[UBI__HUMAN_TEXT + 1];
    number_make(number, d, ix);
    unsigned share = (unsigned)strlen(number);
    unsigned wanted = (unsigned)ubi__display_columns(name, d->style, room);
    bool with_share = wanted + 1 + share < room;
    unsigned used = (unsigned)ubi__display_text(d->out, d->style, name, room);
    if (with_share) {
        ubi__display_ink(d->out, d->style, UBI__INK_DIM);
        ubi__out_char(d->out, ' ');
        ubi__out_string(d->out, number);
        used += 1 + share;
    }
    return used;
}

static void box_write(const drawing *d, ubi__flame_ix ix, unsigned width) {
    ubi_text name = ubi__flame_name(d->tree, ix);
    unsigned used = 1;
    ubi__display_ink(d->out, d->style, ink_of(d, ix));
    ubi__out_string(d->out, d->style->has_unicode ? "▌" : "|");
    if (width > LEAST_LABEL)
        used += label_write(d, ix, name, width - 1);
    fill_write(d, width - used);
}

static bool level_has_names(const drawing *d, const span_list *level) {
    for (size_t i = 0; i < level->n; i++) {
        uint64_t begin = level->at[i].begin, end = begin + d->tree->nodes.at[level->at[i].node].all;
        if (column_of(d, end) - column_of(d, begin) > LEAST_LABEL)
            return true;
    }
    return false;
}

/* Boxes of a level; those of the next one are gathered. */
static ubi_status level_draw(const drawing *d, const span_list *level, span_list *next) {
    const ubi__flame_node *nodes = d->tree->nodes.at;
    unsigned at = 0;
    next->n = 0;
    for (size_t i = 0; i < level->n; i++) {
        const ubi__flame_node *node = &nodes[level->at[i].node];
        uint64_t begin = level->at[i].begin;
        unsigned from = column_of(d, begin), to = column_of(d, begin + node->all);
        ubi__display_pad(d->out, at, from);
        box_write(d, level->at[i].node, to - from);
        at = to;
        for (ubi__flame_ix child = node->first_child; child; child = nodes[child].next_sibling) {
            uint64_t end = begin + nodes[child].all;
            if (column_of(d, end) > column_of(d, begin))
                UBI_TRY(span_list_push(next, d->tree->allocator, (span){ child, begin }));
            begin = end;
        }
    }
    ubi__out_char(d->out, '\n');
    return UBI_OK;
}

static ubi_status levels_draw(const drawing *d, uint64_t most_lines, span_list lists[2], uint32_t *n_drawn) {
    const ubi__flame_tree *tree = d->tree;
    UBI_TRY(span_list_push(&lists[0], tree->allocator, (span){ 0, 0 }));
    for (unsigned now = 0; level_has_names(d, &lists[now]) && !d->out->has_failed; now ^= 1) {
        if (most_lines && *n_drawn == most_lines)
            break;
        UBI_TRY(level_draw(d, &lists[now], &lists[now ^ 1]));
        ++*n_drawn;
    }
    return UBI_OK;
}

ubi_status ubi__render_flame_text(ubi__out *out, const ubi__style *style, const ubi__flame_picture *picture,
                                  uint64_t most_lines, uint32_t *n_levels) {
    const ubi_allocator *a = picture->tree->allocator;
    const drawing d = {
        ubi__alloc_array(a, UBI__FUNCTION_BYTES, 1), out, style, picture->tree, style->columns, picture->is_count
    };
    span_list lists[2] = { { 0 }, { 0 } };
    *n_levels = 0;
    ubi_status status = d.name ? levels_draw(&d, most_lines, lists, n_levels) : ubi__fail_nomem();
    span_list_fini(&lists[0], a);
    span_list_fini(&lists[1], a);
    ubi__free_array(a, d.name, UBI__FUNCTION_BYTES, 1);
    return status;
}
