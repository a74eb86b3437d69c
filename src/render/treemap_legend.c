/* SPDX-License-Identifier: MIT
 *
 * treemap_legend.c: what the boxes of a tree map are called, which colours they have in a picture, and what these mean.
 *
 * Where the first level of a map is coarse types, or its boxes are nodes, a hue is a coarse type. Else the map is
 * divided into a few branches of similar size, each with a hue of its own. Boxes in which others are drawn are pale,
 * and paler on every second level, so that one can see where they end; leaves have the full colour. The contrast of
 * names is at least 7 to 1 on light and on dark pages, that of amounts, which are faint, at least 4.5 to 1.
 *
 * Firefox's colours are its own: all hues are blues, and every level is darker than the one above.
 */
#include "render/treemap_picture.h"

#include <math.h>

#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"
#include "render/heap_labels.h"

/* ---- names ------------------------------------------------------------------------------------------------------ */

static const ubi__style plain = { .has_color = false, .has_unicode = true, .columns = UINT16_MAX };

/* Drops what does not fit. */
static bool label_take(void *payload, const void *data, size_t n) {
    ubi__label *label = payload;
    size_t room = sizeof label->bytes - label->n;
    n = n < room ? n : room;
    memcpy(label->bytes + label->n, data, n);
    label->n += n;
    return true;
}

static ubi__out *label_begin(ubi__label *label) {
    label->n = 0;
    ubi__out_init(&label->out, label_take, label);
    return &label->out;
}

/* The text without a partial last character. */
static ubi_text label_end(ubi__label *label) {
    (void)ubi__out_flush(&label->out);
    ubi_text text = { label->bytes, label->n };
    text.len = ubi__utf8_valid_prefix(text);
    return text;
}

ubi_text ubi__label_of(ubi__label *label, ubi_text text, size_t columns) {
    ubi__display_text(label_begin(label), &plain, text, columns);
    return label_end(label);
}

static ubi_text special_name(const ubi_treemap_row *row) {
    if (row->type == UBI_TREEMAP_OWN)
        return ubi__text("(itself)");
    if (row->name_type == UBI_CENSUS_NAME_NULL)
        return ubi__text(row->box.depth == 0 ? "(everything)" : row->box.depth == 1 ? "(empty stack)" : "(no caller)");
    if (row->type == UBI_TREEMAP_ROW && ubi__text_is(row->name, "noStack"))
        return ubi__text("(no stack recorded)");
    if (row->type == UBI_TREEMAP_ROW && ubi__text_is(row->name, "noFilename"))
        return ubi__text("(no file name)");
    return row->name.len ? row->name : ubi__text("(empty name)");
}

static ubi_text rest_name(ubi__label *label, const ubi_treemap_row *row) {
    char count[UBI__HUMAN_TEXT];
    ubi__out_printf(label_begin(label), "%s smaller", ubi__human_count(count, row->count));
    return label_end(label);
}

static ubi_text frame_name(ubi__label *label, ubi_stack stack, bool with_place, size_t columns) {
    ubi_frame frame;
    ubi_stack_frame(stack, &frame);
    if (with_place) {
        ubi__display_frame(label_begin(label), &plain, &frame, columns);
        return label_end(label);
    }
    bool named = frame.function_name.ptr && frame.function_name.len;
    return ubi__label_of(label, named ? frame.function_name : ubi__text("(anonymous)"), columns);
}

static ubi_text row_name(ubi__label *label, const ubi_treemap_row *row, bool with_place, size_t columns) {
    if (row->type == UBI_TREEMAP_REST)
        return rest_name(label, row);
    if (row->name_type == UBI_CENSUS_NAME_FRAME)
        return frame_name(label, row->frame, with_place, columns);
    return ubi__label_of(label, special_name(row), columns);
}

ubi_text ubi__treemap_name(ubi__label *label, const ubi_treemap_row *row, size_t columns) {
    return row_name(label, row, false, columns);
}

ubi_text ubi__treemap_long_name(ubi__label *label, const ubi_treemap_row *row, size_t columns) {
    return row_name(label, row, true, columns);
}

bool ubi__treemap_shows_types(const ubi_treemap *map) {
    ubi_treemap_row row;
    uint32_t n = ubi_treemap_row_count(map);
    ubi_treemap_get(map, 0, &row);
    if (row.type == UBI_TREEMAP_NODE)
        return true;
    for (uint32_t i = 1; i < n; i++) {
        ubi_treemap_get(map, i, &row);
        if (row.box.depth > 1)
            return true;
        bool text = row.name_type == UBI_CENSUS_NAME_TEXT;
        if (!text || !ubi__text_is(row.name, ubi_treemap_color_name(row.color)))
            return false;
    }
    return n > 1;
}

/* ---- colours ---------------------------------------------------------------------------------------------------- */

#define SHADE_LEAF 2 /* of ours; 0 and 1 are boxes that hold others */

typedef struct hue {
    double turn, saturation;
} hue;

static const hue hues[UBI__TREEMAP_N_HUES] = {
    { 0.592, 0.75 }, /* blue: objects */
    { 0.597, 0.16 }, /* slate: other */
    { 0.422, 0.45 }, /* green: strings */
    { 0.100, 0.85 }, /* amber: scripts */
    { 0.931, 0.60 }, /* rose: DOM nodes */
    { 0.742, 0.50 }, /* violet */
    { 0.508, 0.55 }, /* teal */
    { 0.180, 0.60 }, /* olive */
    { 0.597, 0.16 }, /* slate: any other */
};

/* ---- hues -------------------------------------------------------------------------------------------------------- */

/* Puts an entry where its weight belongs; equal ones stay in the order in which they came. */
static void add_entry(ubi__treemap_picture *p, ubi__treemap_legend_entry entry) {
    size_t i = p->n_legend++;
    for (; i > 0 && p->legend[i - 1].weight < entry.weight; i--)
        p->legend[i] = p->legend[i - 1];
    p->legend[i] = entry;
}

/* Share of a coarse type in the total: all its leaves, wherever they are. */
static void choose_types(ubi__treemap_picture *p) {
    uint64_t weights[UBI_TREEMAP_N_COLORS] = { 0 };
    ubi_treemap_row row;
    for (uint32_t i = 0; i < ubi_treemap_row_count(p->map); i++) {
        ubi_treemap_get(p->map, i, &row);
        p->hues[i] = (uint8_t)row.color;
        if (!row.has_children)
            weights[row.color] += row.box.weight;
    }
    for (uint8_t type = 0; type < UBI_TREEMAP_N_COLORS; type++)
        if (weights[type])
            add_entry(p, (ubi__treemap_legend_entry){ type, true, UBI_NONE, weights[type] });
}

/* A row above the first share of the total is replaced by its children; rows below the second get no hue. */
#define LARGE_SHARE 0.3
#define SMALL_SHARE 0.004
#define N_BRANCHES 7

static const uint8_t branch_hues[N_BRANCHES] = { 0, 3, 2, 4, 5, 6, 7 };

static double color_share(const ubi__treemap_picture *p, uint64_t weight) {
    return p->total_weight ? (double)weight / (double)p->total_weight : 0;
}

/* Adds the first (largest) children of a row while there are hues; false: none is worth one. */
static bool add_children(ubi__treemap_picture *p, uint32_t of) {
    size_t before = p->n_legend;
    ubi_treemap_row row;
    for (uint32_t i = of + 1; i < ubi_treemap_row_count(p->map) && p->n_legend < N_BRANCHES; i++) {
        ubi_treemap_get(p->map, i, &row);
        if (row.parent != UBI_NONE && row.parent > of)
            break;
        if (row.parent == of && color_share(p, row.box.weight) >= SMALL_SHARE)
            add_entry(p, (ubi__treemap_legend_entry){ .row = i, .weight = row.box.weight });
    }
    return p->n_legend > before;
}

static void color_split(ubi__treemap_picture *p, size_t i) {
    ubi__treemap_legend_entry whole = p->legend[i];
    for (size_t k = i; k + 1 < p->n_legend; k++)
        p->legend[k] = p->legend[k + 1];
    p->n_legend--;
    if (add_children(p, whole.row))
        return;
    whole.is_whole = true;
    add_entry(p, whole);
}

/* Branches of similar size, the largest first: from the root down, too large ones are split. */
static void find_branches(ubi__treemap_picture *p) {
    add_entry(p, (ubi__treemap_legend_entry){ .row = 0, .weight = p->total_weight });
    for (size_t i = 0; i < p->n_legend;)
        if (!p->legend[i].is_whole && color_share(p, p->legend[i].weight) > LARGE_SHARE) {
            color_split(p, i);
            i = 0;
        } else {
            i++;
        }
    if (p->legend[0].row == 0)
        p->n_legend = 0;
}

/* "No stack" is not an ordinary branch. */
static uint8_t hue_of_branch(const ubi__treemap_picture *p, const ubi__treemap_legend_entry *entry, size_t rank) {
    ubi_treemap_row row;
    ubi_treemap_get(p->map, entry->row, &row);
    bool text = row.name_type == UBI_CENSUS_NAME_TEXT;
    if (text && (ubi__text_is(row.name, "noStack") || ubi__text_is(row.name, "noFilename")))
        return UBI_TREEMAP_COLOR_OTHER;
    return branch_hues[rank];
}

/* A branch's own hue, else that of the row above. */
static uint8_t hue_of_row(const ubi__treemap_picture *p, uint32_t i, uint32_t parent) {
    for (size_t k = 0; k < p->n_legend; k++)
        if (p->legend[k].row == i)
            return p->legend[k].hue;
    return parent == UBI_NONE ? UBI__TREEMAP_OTHER_HUE : p->hues[parent];
}

static void choose_branches(ubi__treemap_picture *p) {
    uint64_t rest = p->total_weight;
    ubi_treemap_row row;
    find_branches(p);
    for (size_t i = 0; i < p->n_legend; i++) {
        p->legend[i].hue = hue_of_branch(p, &p->legend[i], i);
        rest -= p->legend[i].weight;
    }
    for (uint32_t i = 0; i < ubi_treemap_row_count(p->map); i++) {
        ubi_treemap_get(p->map, i, &row);
        p->hues[i] = hue_of_row(p, i, row.parent);
    }
    if (rest && p->n_legend)
        p->legend[p->n_legend++] = (ubi__treemap_legend_entry){ UBI__TREEMAP_OTHER_HUE, false, UBI_NONE, rest };
}

#define LEAST_SIDE 2 /* of a box that is drawn, pixels */

bool ubi__treemap_is_visible(const ubi_treemap_row *row) {
    return row->parent != UBI_NONE && row->box.width >= LEAST_SIDE && row->box.height >= LEAST_SIDE;
}

static void find_holders(ubi__treemap_picture *p) {
    ubi_treemap_row row;
    for (uint32_t i = 1; i < ubi_treemap_row_count(p->map); i++) {
        ubi_treemap_get(p->map, i, &row);
        if (ubi__treemap_is_visible(&row))
            p->holds[row.parent] = 1;
    }
}

static void mark_used(ubi__treemap_picture *p) {
    ubi_treemap_row row;
    for (uint32_t i = 1; i < ubi_treemap_row_count(p->map); i++) {
        ubi_treemap_get(p->map, i, &row);
        if (ubi__treemap_is_visible(&row))
            p->is_used[p->hues[i]][ubi__treemap_shade(p, i, &row)] = true;
    }
}

void ubi__treemap_picture_check(const ubi__treemap_picture *p) {
    UBI_ASSERT(p->n_legend <= UBI__TREEMAP_N_HUES);
    for (size_t i = 0; UBI_CHECKS && i < p->n_legend; i++) {
        const ubi__treemap_legend_entry *entry = &p->legend[i];
        bool is_rest = entry->row == UBI_NONE && i + 1 == p->n_legend;
        UBI_ASSERT(entry->hue < UBI__TREEMAP_N_HUES);
        UBI_ASSERT(entry->row == UBI_NONE || p->hues[entry->row] == entry->hue);
        UBI_ASSERT(i == 0 || is_rest || p->legend[i - 1].weight >= entry->weight);
    }
    for (uint32_t i = 0; UBI_CHECKS && i < ubi_treemap_row_count(p->map); i++) {
        ubi_treemap_row row;
        ubi_treemap_get(p->map, i, &row);
        UBI_ASSERT(p->hues[i] < UBI__TREEMAP_N_HUES && p->holds[i] <= 1);
        if (!ubi__treemap_is_visible(&row))
            continue;
        UBI_ASSERT(p->holds[row.parent] == 1);
        UBI_ASSERT(p->is_used[p->hues[i]][ubi__treemap_shade(p, i, &row)]);
    }
}

void ubi__treemap_choose_hues(ubi__treemap_picture *p) {
    p->is_by_type = ubi__treemap_shows_types(p->map);
    if (p->is_by_type || p->options->with_firefox_colors)
        choose_types(p);
    else
        choose_branches(p);
    find_holders(p);
    mark_used(p);
    for (size_t i = 0; i < p->n_legend; i++)
        p->is_used[p->legend[i].hue][p->options->with_firefox_colors ? 2 : SHADE_LEAF] = true;
    ubi__treemap_picture_check(p);
}

ubi_text ubi__treemap_legend_name(ubi__treemap_picture *p, const ubi__treemap_legend_entry *entry) {
    static const char *const types[UBI_TREEMAP_N_COLORS] = { "JavaScript objects", "engine internals and others",
                                                             "strings", "scripts and code", "DOM nodes" };
    ubi_treemap_row row;
    if (entry->row == UBI_NONE)
        return ubi__text(entry->hue < UBI_TREEMAP_N_COLORS ? types[entry->hue] : "others");
    ubi_treemap_get(p->map, entry->row, &row);
    return ubi__treemap_long_name(&p->label, &row, 36);
}

/* ---- shades ------------------------------------------------------------------------------------------------------ */

unsigned ubi__treemap_shade(const ubi__treemap_picture *p, uint32_t i, const ubi_treemap_row *row) {
    if (p->options->with_firefox_colors)
        return row->box.depth < UBI__TREEMAP_N_SHADES ? row->box.depth : UBI__TREEMAP_N_SHADES - 1;
    return p->holds[i] ? (row->box.depth + 1) % 2 : SHADE_LEAF;
}

static int color_channel(double turn, double saturation, double lightness) {
    double chroma = saturation * (lightness < 0.5 ? lightness : 1 - lightness);
    double k = fmod(turn * 12, 12);
    double slope = fmax(-1, fmin(1, fmin(k - 3, 9 - k)));
    return (int)((lightness - chroma * slope) * 255 + 0.5);
}

void ubi__svg_hsl(ubi__out *out, double turn, double saturation, double lightness) {
    ubi__out_printf(out, "#%02x%02x%02x", color_channel(turn, saturation, lightness),
                    color_channel(turn + 8.0 / 12, saturation, lightness),
                    color_channel(turn + 4.0 / 12, saturation, lightness));
}

static void write_hsl(ubi__out *out, const char *property, double turn, double saturation, double lightness) {
    ubi__out_string(out, property);
    ubi__svg_hsl(out, turn, saturation, lightness);
}

static void write_our_rule(const ubi__treemap_picture *p, unsigned hue_index, unsigned shade, bool dark) {
    static const double light_pages[] = { 0.95, 0.90, 0.80 }, dark_pages[] = { 0.11, 0.16, 0.23 };
    const hue *h = &hues[hue_index];
    double saturation = dark ? h->saturation * 0.6 : h->saturation;
    write_hsl(p->out, "{fill:", h->turn, saturation, (dark ? dark_pages : light_pages)[shade]);
    write_hsl(p->out, ";stroke:", h->turn, saturation * 0.7, dark ? 0.40 : 0.62);
}

static void write_firefox_rule(const ubi__treemap_picture *p, unsigned color, unsigned depth) {
    double hsl[3];
    ubi_treemap_firefox_color(hsl, (ubi_treemap_color)color, depth);
    write_hsl(p->out, "{fill:", hsl[0], hsl[1], hsl[2]);
    write_hsl(p->out, ";stroke:", hsl[0], hsl[1], hsl[2] * 0.5);
}

void ubi__treemap_write_colors(const ubi__treemap_picture *p, bool dark) {
    for (unsigned h = 0; h < UBI__TREEMAP_N_HUES; h++)
        for (unsigned shade = 0; shade < UBI__TREEMAP_N_SHADES; shade++) {
            if (!p->is_used[h][shade])
                continue;
            ubi__out_printf(p->out, ".c%u%c", h, 'a' + (char)shade);
            if (p->options->with_firefox_colors)
                write_firefox_rule(p, h, shade);
            else
                write_our_rule(p, h, shade, dark);
            ubi__out_string(p->out, "}\n");
        }
}
