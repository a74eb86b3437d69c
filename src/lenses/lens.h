/* SPDX-License-Identifier: MIT
 *
 * lens.h: the parts of a lens.
 *
 * A lens is one constant `ubi_lens` that a producer names (producer.h). Its `open` fills a ubi_look that
 * starts as the plainest look at the graph; what it computes (a column of sizes, an edge set, a class per node) it keeps
 * in `own`, and `close` frees that. See README.md.
 */
#ifndef UBI_LENSES_LENS_H
#define UBI_LENSES_LENS_H

#include <ubiheap/views/lens.h>

#include "base/alloc.h"

struct ubi__columns;
struct ubi_statistics;
struct ubi_statistics_options;

UBI_VEC_DECLARE(ubi__vec_lens_class, ubi_look_class);

struct ubi_look {
    const ubi_lens *lens;
    const ubi_allocator *allocator;
    ubi_graph *graph;      /* reference */
    ubi_view view;         /* borrows from `own` and the graph */
    const uint64_t *shown; /* a bit per node that passes the filter; NULL: all do */
    /* The class of a node: class_of_node[node] if there is such a column, else class_of_kind[its kind]. */
    const ubi_class_ix *class_of_node;
    ubi_class_ix *class_of_kind; /* [kind count], or NULL */
    ubi__vec_lens_class classes;
    const struct ubi__joined
        *joined;                 /* texts of concatenations (joined.h); NULL: they have none, or that of the file */
    const uint8_t *detachedness; /* [n_nodes]; NULL: what kinds say */
    uint64_t outside_bytes;      /* ubi_look_outside_bytes */
    bool may_reuse_ids;          /* ubi_look_reuses_ids; what the lens says, until its `open` says otherwise */
    void *own;                   /* the lens's */
    /* While it is opened: a look at the same graph by the same lens, without a model. NULL: there is none. */
    const ubi_look *beside;
};

struct ubi_lens {
    const char *name, *title;
    const char *format; /* name of the format that it is for; NULL: any */
    ubi_lens_displays displays;
    bool has_mixed_coarse_types; /* a class is its name and place, whatever the coarse types of its nodes */
    /** Comparisons and leaks count nodes that have a size, reachable or not; else what a census counts. */
    bool counts_by_size;
    ubi_orphans orphans;   /* what becomes of nodes that its edges do not reach; views start with it */
    bool may_reuse_ids;    /* an id may name another node in a later heap of the same program */
    bool has_node_names;   /* nodes have names of their own, which nodes of one kind need not share */
    uint32_t end_distance; /* ways to the root end at this distance: nodes nearer are no retainers that say anything */
    /** What its tools say instead of the distance of a node that nothing reaches, as a negative number; 0: nothing. */
    uint32_t unreachable_distance;
    uint64_t (*id_mark)(const ubi_graph *graph);  /* ubi_lens_id_mark; NULL: unknown */
    const struct ubi__retaining_rules *retaining; /* retaining.h; NULL: the edges of the view count */
    const ubi_lens_filter *filters;               /* ended by one without a name; NULL: none */
    /** Sets the bits of nodes that a filter lets pass; they are clear before. NULL: ubi_look_filter_apply cannot be used. */
    ubi_status (*apply_filter)(uint64_t *bits, const ubi_look *look, const char *filter,
                               const ubi_look_options *options);
    /**
     * Fills the view, which looks at everything so far and has no classes. `filter`: the index of the one asked for, or -1.
     * `close` is called on failure, too.
     */
    ubi_status (*open)(ubi_look *look, const ubi_look_options *options, int filter);
    /**
     * Passes what `open` computes (base/column_file.h), of a look without a filter. Read, the look is as `open` gets it, and `close` is
     * called on failure, too. NULL: opening is cheap enough to be done again.
     */
    ubi_status (*pass)(struct ubi__columns *c, ubi_look *look);
    /** Frees `own`, which may be NULL; NULL: there is none. */
    void (*close)(ubi_look *look);
    /** ubi_look_distances; NULL: breadth-first over the view's edges. */
    ubi_status (*distances)(uint32_t *out, const ubi_look *look);
    /** ubi_statistics_compute; NULL: by coarse type. */
    ubi_status (*statistics)(struct ubi_statistics *out, const ubi_look *look,
                             const struct ubi_statistics_options *options);
    /** The name that a node has in the file, as the tools show it; NULL function: kinds say it. Borrowed from the look. */
    ubi_text (*raw_name)(const ubi_look *look, ubi_node_ix node);
    /** ubi_look_display_name; NULL: the class's. */
    ubi_text (*display_name)(const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer);
};

extern const char *const ubi__lens_label_presets[];

/**
 * The displays of a lens with these breakdowns for a census, ended by NULL. All else is as in Firefox's memory panel, whatever
 * the lens: other tools have no such settings.
 * Source: mozilla-central devtools/client/memory/constants.js, devtools/client/preferences/devtools-client.js.
 */
#define UBI__LENS_DISPLAYS(census_presets)                                                                             \
    {                                                                                                                  \
        .census = (census_presets), .label = ubi__lens_label_presets, .tree_map = "treeMap", .tree_depth = 4,          \
        .tree_siblings = 15, .tree_more_siblings = 50, .paths = 10, .individuals = 1000                                \
    }

/** Classes by kind: nodes of one coarse type and label (kind_label.h) are a class. An `open` may be just this. */
ubi_status ubi__lens_classes_by_label(ubi_look *look);

/** Of an opened lens: every kind or node has a class, roots and first edges are of the graph, bits come from a filter. */
void ubi__lens_view_check(const ubi_look *look);

/**
 * As ubi_look_open with the lens of the graph's format. What does not depend on `options->like` is taken from another look, if there is
 * one: the look is the same, and comes sooner.
 * @param beside  at this graph, without a filter; borrowed until this returns. NULL: there is none.
 */
ubi_status ubi__look_open_beside(ubi_look **out, const ubi_look *beside, ubi_graph *graph,
                                 const ubi_look_options *options);

/** Opens a lens that need not be in the list. */
ubi_status ubi__lens_open(ubi_look **out, const ubi_lens *lens, ubi_graph *graph, const ubi_look_options *options);

/**
 * Passes a look through the lens of the graph's format, without a filter. Read, *look is new, and untouched on failure.
 * Errors: those of passing, and of opening.
 */
ubi_status ubi__look_pass(struct ubi__columns *c, ubi_look **look, ubi_graph *graph);

/** ubi_look_distances with progress. Errors: also UBI_ECANCELLED. */
ubi_status ubi__look_distances(uint32_t *out, const ubi_look *look, const ubi_progress *progress);

#endif
