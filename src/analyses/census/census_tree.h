/* SPDX-License-Identifier: MIT
 *
 * census_tree.h: building census trees, whatever the report comes from.
 *
 * The builder is driven like Firefox's visitor: enter a sub-report, give the numbers of a count leaf, leave. It takes
 * signed numbers and, at the end, totals of a basis, so that the report of a diff can drive it just as a census does.
 *
 * Rows are appended to one array and never removed: the plain tree first, then what inversion makes, then what Firefox's
 * filter makes. A row's id is its place plus one, which is how Firefox numbers them, across all three. The finished
 * tree holds only the rows of the last phase, breadth-first, so that siblings are neighbours. Our filter is made of a
 * finished tree (census_tree_filter.c), and numbers its rows as if they had been appended.
 */
#ifndef UBI_CENSUS_TREE_H
#define UBI_CENSUS_TREE_H

#include <ubiheap/core/census.h>

#include "base/bits.h"
#include "base/strtab.h"
#include "base/text_memo.h"
#include "base/u64_map.h"

/*
 * A small file can describe stacks whose inversion would fill any memory: rows, and leaf indices of rows, may be this
 * many, but no more, per name in the report (an entry, or a frame that many stacks may share); then UBI_ELIMIT. Rows
 * take up to 300 bytes while a tree is made. Real inverted trees have up to 10 rows per name.
 */
#define UBI__CENSUS_TREE_ROWS (UINT32_C(1) << 20)
#define UBI__CENSUS_TREE_ROWS_PER_NAME 64
#define UBI__CENSUS_TREE_MAX_ROWS (UINT32_C(1) << 24)
/** And paths, which may share their rows, this many steps: seconds. */
#define UBI__CENSUS_TREE_MAX_STEPS (UINT64_C(1) << 28)

typedef uint32_t ubi__row_ix;

/** What rows are called. Names with one `class` are the same name when siblings are merged. */
typedef struct ubi__tree_name {
    ubi_census_name_type type;
    uint32_t merge_class;
    ubi_text text;   /* TEXT */
    ubi_stack frame; /* FRAME */
    uint32_t parent; /* FRAME: name of the calling frame, or UBI_NONE */
} ubi__tree_name;

typedef struct ubi__tree_row {
    uint32_t name;
    ubi__row_ix parent;
    ubi__row_ix first_child, last_child, next_sibling;
    uint32_t first_leaf, last_leaf; /* in `leaves`; UBI_NONE: none */
    ubi__row_ix source;             /* row that was last copied or merged into this one, as Firefox does */
    bool has_children;              /* there is a list, perhaps an empty one */
    bool is_apart;                  /* member [1] or later of an array: counts what member [0] has counted */
    bool has_frames;                /* of a map: some of its children are frames */
    bool is_settled;                /* left once: children sorted */
    int64_t bytes, total_bytes, count, total_count;
} ubi__tree_row;

/** A list cell: a report leaf shown by a row. */
typedef struct ubi__tree_leaf {
    uint32_t index;
    uint32_t next; /* or UBI_NONE */
} ubi__tree_leaf;

UBI_VEC_DECLARE(ubi__vec_tree_name, ubi__tree_name);
UBI_VEC_DECLARE(ubi__vec_tree_row, ubi__tree_row);
UBI_VEC_DECLARE(ubi__vec_tree_leaf, ubi__tree_leaf);

typedef struct ubi__tree_builder {
    const ubi_allocator *allocator;
    ubi_compat compat;
    ubi__vec_tree_row rows;
    ubi__vec_tree_name names;
    ubi__vec_tree_leaf leaves;
    ubi__vec_u32 open; /* rows whose sub-reports were entered and not left */
    uint32_t next_leaf_index;
    uint64_t n_steps; /* rows of the paths that inversion and filter have laid */
    /* interning of names: each table's entry i belongs to what the comment says */
    ubi__strtab texts;         /* texts: merge class 2i */
    ubi__text_memo long_texts; /* entries of `texts`, by where the text lies */
    ubi__strtab frame_keys;    /* (function, source, line, column): merge class 2i + 1 */
    ubi__strtab stack_keys;    /* bytes of a ubi_stack */
    ubi__vec_u32 stack_names;  /* its name */
    ubi__u64_map placed;       /* (scope row, name of a frame) -> row: where this very frame went */
    ubi__u64_map children;     /* of the current phase: (parent row, merge class) -> row */
    ubi__vec_u32 scratch, scratch_spare;
} ubi__tree_builder;

/** Totals of the older of two reports, which a diff shows at the root. */
typedef struct ubi__tree_basis {
    int64_t total_bytes, total_count;
} ubi__tree_basis;

/**
 * The plain tree, with nothing open: children name their parent, and totals are a row's own numbers and the totals of its
 * children, except those that count what another one has counted. (Firefox's are not always.) O(rows).
 */
void ubi__tree_builder_check(const ubi__tree_builder *b);
/**
 * Children are neighbours in breadth-first order and name their parent; leaf indices lie in order of rows. What a filter left is of the
 * whole tree, in its order. O(rows).
 */
void ubi__census_tree_check(const ubi_census_tree *tree);

/** As ubi_census_tree_new, with memory of its own instead of the census'. */
ubi_status ubi__census_tree_new(ubi_census_tree **out, const ubi_census *census, const ubi_census_tree_options *options,
                                const ubi_allocator *allocator);
/**
 * What a filter leaves of a whole tree (of ubi__census_tree_new without a filter, and not of Firefox's rules): the same rows, under the
 * same ids, as in the tree that is made with that filter.
 *
 * @param whole  borrowed; must outlive the filtered tree.
 * @param progress  may cancel; NULL: none.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED. Cost: O(rows of the whole, and bytes of names); 10 bytes for each of its rows meanwhile, 20 for
 * each that is left. Any thread.
 */
ubi_status ubi__census_tree_filter(ubi_census_tree **out, const ubi_census_tree *whole, ubi_text text,
                                   const ubi_progress *progress, const ubi_allocator *allocator);
/** The row of the whole tree that a row of a filtered one is. */
ubi_census_node_ix ubi__filtered_source(const ubi_census_tree *tree, ubi_census_node_ix node);
/**
 * The children of a row of a filtered tree, in an order that the whole tree was sorted in.
 * @param out  out[n_children]. @param whole_order  all children of the row's source. Errors: UBI_ENOMEM. Cost: O(these).
 */
ubi_status ubi__filtered_children_in_order(ubi_census_node_ix *out, const ubi_census_tree *tree,
                                           ubi_census_node_ix parent, const ubi_census_node_ix *whole_order,
                                           const ubi_allocator *allocator);
/** `options` or the defaults; UBI_EINVAL when of another version. */
ubi_status ubi__tree_check_options(ubi_census_tree_options *out, const ubi_census_tree_options *options);

void ubi__tree_builder_init(ubi__tree_builder *b, const ubi_allocator *allocator, ubi_compat compat);
void ubi__tree_builder_fini(ubi__tree_builder *b);

/** Enters a sub-report; `edge` NULL: the outermost, which comes first and once. Texts and stacks are borrowed. */
ubi_status ubi__tree_enter(ubi__tree_builder *b, const ubi_report_key *edge, const ubi_breakdown *breakdown);
/** Numbers of the sub-report entered last, a count leaf; 0 for what it does not show. */
ubi_status ubi__tree_count(ubi__tree_builder *b, int64_t count, int64_t bytes);
/** The same, but Firefox's tree takes a number only if the breakdown itself asks for it, while we know the default. */
ubi_status ubi__tree_count_shown(ubi__tree_builder *b, const ubi_breakdown *breakdown, int64_t count, int64_t bytes);
/** Leaves the sub-report entered last. */
ubi_status ubi__tree_leave(ubi__tree_builder *b);

/** Inverts, filters, sorts and hands over. `basis` may be NULL. Only _fini is allowed afterwards. */
ubi_status ubi__tree_finish(ubi_census_tree **out, ubi__tree_builder *b, const ubi_census_tree_options *options,
                            const ubi__tree_basis *basis);

/* ---- between the files of the builder ---------------------------------------------------------------------------- */

ubi_status ubi__tree_new_row(ubi__tree_builder *b, ubi__row_ix *out, uint32_t name);
void ubi__tree_append_child(ubi__tree_builder *b, ubi__row_ix parent, ubi__row_ix child);
ubi_status ubi__tree_add_leaf(ubi__tree_builder *b, ubi__row_ix row, uint32_t index);
/** Children of a row in `scratch`, sorted: by totals, or by the rows' own numbers. */
ubi_status ubi__tree_sorted_children(ubi__tree_builder *b, ubi__row_ix row, bool by_self);
/** New root above the inverted paths of the tree below `root`. */
ubi_status ubi__tree_invert(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix root);
/** New root above those paths of the tree below `root` on which a name contains `text`, with numbers as Firefox adds them. */
ubi_status ubi__tree_filter_paths(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix root, ubi_text text);

/** What names are looked for. `long_texts` begins empty: by where they lie, 1 for those that contain it. */
typedef struct ubi__name_filter {
    ubi_text wanted;
    ubi__text_memo long_texts;
} ubi__name_filter;

/** Whether it is in a text, or in a frame's source or function. No name, and an empty one, are never found. */
bool ubi__name_filter_finds(ubi__name_filter *filter, const ubi__tree_name *name);

#endif
