/* SPDX-License-Identifier: MIT
 *
 * treemap_layout.c: where the boxes of a tree map are.
 *
 * The algorithm and its arithmetic are d3's (release 3, "squarify"), operation by operation, because a different order of
 * rounding moves boxes: children, from one end of their order, fill rows along the shorter side of what is left of the
 * parent; a row takes the next child as long as that makes its worst box no worse. d3 looks at the whole row for each
 * child, which is quadratic when many children share a row; here the least and greatest area are carried along.
 *
 * Nodes are in breadth-first order, so the children of node i are first[i] .. first[i + 1], and a parent has its place before
 * its children are looked at.
 *
 * Source: d3 3.5.17, src/layout/treemap.js.
 */
#include <math.h>

#include <ubiheap/core/treemap.h>

#include "analyses/treemap/treemap_build.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/merge_sort.h"

typedef struct rect {
    double x, y, dx, dy;
} rect;

/* A child and what it is sorted by. */
typedef struct weighed {
    uint64_t weight;
    uint32_t node;
} weighed;

#define HEAVIER(ctx, a, b) ((a).weight > (b).weight)
UBI_SORT_DEFINE(sort_by_weight, weighed, const void *, HEAVIER);

typedef struct layout {
    const ubi_treemap_options *options;
    ubi_treemap_box *boxes;
    const uint32_t *parent;
    const uint64_t *weight;
    uint32_t n;
    uint32_t *first;           /* first[n + 1] */
    weighed *children, *spare; /* [widest]: of the node at hand, heaviest first */
    uint32_t widest;           /* most children of a node */
} layout;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Children [from, to) of the order in which they are placed, as a row in the making. */
typedef struct row {
    uint32_t from, to;
    double area;
    double least, most; /* area of a child that has any */
} row;

/* JavaScript's Math.round. */
static double js_round(double value) {
    double whole = floor(value);
    return value - whole >= 0.5 ? whole + 1 : whole;
}

static double round_length(const layout *l, double value) {
    return l->options->is_exact ? value : js_round(value);
}

/* The i-th child to be placed. */
static const weighed *nth_child(const layout *l, uint32_t n_children, uint32_t i) {
    return &l->children[l->options->order == UBI_TREEMAP_LARGEST_FIRST ? i : n_children - 1 - i];
}

static double area_of(const weighed *child, double scale) {
    double area = (double)child->weight * scale;
    return area > 0 ? area : 0; /* not a number: nothing over nothing */
}

static row row_at(uint32_t from) {
    return (row){ from, from, 0, INFINITY, 0 };
}

static void row_add(row *r, double area) {
    r->to++;
    r->area += area;
    if (area > 0 && area < r->least)
        r->least = area;
    if (area > r->most)
        r->most = area;
}

/* How far the row's worst box is from the wanted ratio, the row lying along a side of `side`. Less is better. */
static double row_badness(const row *r, double side, double ratio) {
    double s = r->area * r->area, u = side * side;
    if (s == 0)
        return INFINITY;
    double wide = u * r->most * ratio / s, high = s / (u * r->least * ratio);
    return wide > high ? wide : high;
}

static double smaller_length(double a, double b) {
    return a < b ? a : b;
}

/* Places a row along the top (`level`) or the left edge of `left`, and takes its room away. */
static void place_row(const layout *l, const row *r, uint32_t n_children, double scale, double side, rect *left,
                      bool last) {
    bool level = side == left->dx;
    double room = level ? left->dy : left->dx;
    double thickness = side != 0 ? round_length(l, r->area / side) : 0;
    if (last || thickness > room)
        thickness = room;
    double start = level ? left->x : left->y, end = start + (level ? left->dx : left->dy);
    double at = start;
    for (uint32_t i = r->from; i < r->to; i++) {
        const weighed *child = nth_child(l, n_children, i);
        ubi_treemap_box *box = &l->boxes[child->node];
        double length = thickness != 0 ? round_length(l, area_of(child, scale) / thickness) : 0;
        length = smaller_length(end - at, length);
        double from = at;
        at += length;
        if (i + 1 == r->to)
            length += end - at; /* what rounding left over */
        box->x = level ? from : left->x;
        box->y = level ? left->y : from;
        box->width = level ? length : thickness;
        box->height = level ? thickness : length;
    }
    if (level) {
        left->y += thickness;
        left->dy -= thickness;
    } else {
        left->x += thickness;
        left->dx -= thickness;
    }
}

static void fill_room(const layout *l, uint32_t n_children, rect left, double scale) {
    double ratio = l->options->ratio, best = INFINITY;
    double side = smaller_length(left.dx, left.dy);
    row r = row_at(0);
    while (r.to < n_children) {
        row longer = r;
        double area = area_of(nth_child(l, n_children, r.to), scale);
        row_add(&longer, area);
        double score = row_badness(&longer, side, ratio);
        if (score <= best || r.to == r.from) {
            r = longer;
            best = score;
            continue;
        }
        r.area = longer.area - area; /* as d3 takes it back, with its rounding */
        place_row(l, &r, n_children, scale, side, &left, false);
        side = smaller_length(left.dx, left.dy);
        r = row_at(r.to);
        best = INFINITY;
    }
    place_row(l, &r, n_children, scale, side, &left, true);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* The room inside of a box. One that is smaller than the padding has none, in its middle. */
static rect room_inside(const ubi_treemap_box *box, const ubi_treemap_options *o) {
    double k = o->pixel_ratio;
    rect r = {
        box->x + o->pad_left * k,
        box->y + o->pad_top * k,
        box->width - o->pad_right * k - o->pad_left * k,
        box->height - o->pad_top * k - o->pad_bottom * k,
    };
    if (r.dx < 0) {
        r.x += r.dx / 2;
        r.dx = 0;
    }
    if (r.dy < 0) {
        r.y += r.dy / 2;
        r.dy = 0;
    }
    return r;
}

/* Whether a child lies in the room of its parent, up to rounding. */
__attribute__((unused)) static bool is_inside(const ubi_treemap_box *box, const rect *room) {
    const double slack = 1e-3; /* pixels */
    return box->x >= room->x - slack && box->x + box->width <= room->x + room->dx + slack &&
           box->y >= room->y - slack && box->y + box->height <= room->y + room->dy + slack;
}

static void place_children(const layout *l, uint32_t node) {
    uint32_t begin = l->first[node], n_children = l->first[node + 1] - begin;
    const ubi_treemap_box *box = &l->boxes[node];
    if (n_children == 0 || box->depth >= l->options->max_depth)
        return;
    for (uint32_t i = 0; i < n_children; i++)
        l->children[i] = (weighed){ l->boxes[begin + i].weight, begin + i };
    sort_by_weight(l->children, l->spare, n_children, NULL);
    rect room = room_inside(box, l->options);
    fill_room(l, n_children, room, room.dx * room.dy / (double)box->weight);
    for (uint32_t i = 0; UBI_CHECKS && i < n_children; i++)
        UBI_ASSERT(is_inside(&l->boxes[begin + i], &room));
}

/* Fills first[], the depths, the leaves' weights, and widest. */
static void index_nodes(layout *l) {
    uint32_t next = 1;
    for (uint32_t i = 0; i < l->n; i++) {
        l->first[i] = next;
        while (next < l->n && l->parent[next] == i)
            next++;
        uint32_t n_children = next - l->first[i];
        l->widest = n_children > l->widest ? n_children : l->widest;
        l->boxes[i] = (ubi_treemap_box){ .weight = n_children ? 0 : l->weight[i],
                                         .depth = i ? l->boxes[l->parent[i]].depth + 1 : 0 };
    }
    l->first[l->n] = next;
    UBI_ASSERT(next == l->n); /* every node is a child of one that was passed */
}

static void sum_weights(layout *l) {
    for (uint32_t i = l->n - 1; i > 0; i--) {
        uint64_t *sum = &l->boxes[l->parent[i]].weight;
        *sum = ubi__add_u64(*sum, l->boxes[i].weight);
    }
}

static void place_root(layout *l) {
    const ubi_treemap_options *o = l->options;
    double k = o->pixel_ratio;
    ubi_treemap_box *root = &l->boxes[0];
    /* Firefox enlarges the canvas by the padding and shows it moved, so that none is seen around the map. */
    if (root->weight) {
        root->width = o->width + (o->pad_right + o->pad_left) * k;
        root->height = o->height + (o->pad_top + o->pad_bottom) * k;
    }
}

/* From d3's coordinates to the canvas's. */
static void move_to_canvas(layout *l) {
    double left = l->options->pad_left * l->options->pixel_ratio, top = l->options->pad_top * l->options->pixel_ratio;
    for (uint32_t i = 0; i < l->n && l->boxes[i].depth <= l->options->max_depth; i++) {
        l->boxes[i].x -= left;
        l->boxes[i].y -= top;
    }
}

static ubi_status allocate_children(layout *l, const ubi_allocator *a) {
    l->children = ubi__alloc_array(a, l->widest, sizeof *l->children);
    l->spare = ubi__alloc_array(a, l->widest, sizeof *l->spare);
    return l->widest && (!l->children || !l->spare) ? ubi__fail_nomem() : UBI_OK;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static bool is_between(double value, double least, double most) {
    return value >= least && value <= most; /* false for what is no number */
}

static bool is_padding(double value) {
    return is_between(value, 0, 1000);
}

ubi_status ubi__treemap_check_options(const ubi_treemap_options *o) {
    UBI_TRY(ubi__version_check(o->version, UBI_TREEMAP_OPTIONS_VERSION, "ubi_treemap_options"));
    if (!is_between(o->width, 1, UBI_TREEMAP_MAX_SIDE) || !is_between(o->height, 1, UBI_TREEMAP_MAX_SIDE))
        return ubi__fail(UBI_EINVAL, "a tree map of %g by %g pixels, expected 1 to %d", o->width, o->height,
                         UBI_TREEMAP_MAX_SIDE);
    if (!is_padding(o->pad_top) || !is_padding(o->pad_right) || !is_padding(o->pad_bottom) || !is_padding(o->pad_left))
        return ubi__fail(UBI_EINVAL, "tree map padding of %g %g %g %g pixels, expected 0 to 1000", o->pad_top,
                         o->pad_right, o->pad_bottom, o->pad_left);
    if (!is_between(o->pixel_ratio, 1e-3, 64) || !is_between(o->ratio, 1e-3, 1e3))
        return ubi__fail(UBI_EINVAL, "tree map with pixel ratio %g (expected 0.001 to 64), ratio %g (0.001 to 1000)",
                         o->pixel_ratio, o->ratio);
    return UBI_OK;
}

static ubi_status check_tree(const uint32_t *parent, uint32_t n) {
    if (n == 0 || parent[0] != UBI_NONE)
        return ubi__fail(UBI_EINVAL, "the first node of a tree map must be its root");
    for (uint32_t i = 1; i < n; i++)
        if (parent[i] >= i || (i > 1 && parent[i] < parent[i - 1]))
            return ubi__fail(UBI_EINVAL, "node %u of a tree map does not stand breadth-first", i);
    return UBI_OK;
}

ubi_status ubi_treemap_layout(ubi_treemap_box *boxes, const uint32_t *parent, const uint64_t *weight, uint32_t n,
                              const ubi_treemap_options *options) {
    static const ubi_treemap_options defaults = UBI_TREEMAP_OPTIONS_INIT;
    layout l = { options ? options : &defaults, boxes, parent, weight, n, NULL, NULL, NULL, 0 };
    UBI_TRY(ubi__treemap_check_options(l.options));
    UBI_TRY(check_tree(parent, n));
    const ubi_allocator *a = ubi__allocator_or_default(l.options->allocator);
    l.first = ubi__alloc_array(a, (size_t)n + 1, sizeof *l.first);
    if (!l.first)
        return ubi__fail_nomem();
    index_nodes(&l);
    ubi_status status = allocate_children(&l, a);
    if (status == UBI_OK) {
        sum_weights(&l);
        place_root(&l);
        for (uint32_t i = 0; i < n; i++)
            place_children(&l, i);
        move_to_canvas(&l);
    }
    ubi__free_array(a, l.children, l.widest, sizeof *l.children);
    ubi__free_array(a, l.spare, l.widest, sizeof *l.spare);
    ubi__free_array(a, l.first, (size_t)n + 1, sizeof *l.first);
    return status;
}
