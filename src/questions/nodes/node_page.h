/* SPDX-License-Identifier: MIT
 *
 * node_page.h: nodes as a table for people.
 */
#ifndef UBI_QUESTIONS_NODE_PAGE_H
#define UBI_QUESTIONS_NODE_PAGE_H

#include "questions/node_columns.h"
#include "render/text_table.h"

typedef struct ubi__node_page {
    ubi__out *out;
    const ubi__style *style;
    const ubi__node_table *table;
    const ubi__node_column *const *columns; /**< columns[n_columns], at most UBI__NODE_COLUMNS_MAX */
    size_t n_columns;
    ubi__text_table layout; /**< made by _begin */
} ubi__node_page;

/** Chooses widths that fit the first `n_sample` rows (`order` NULL: file order from node `first` on) and the terminal; writes the header. */
void ubi__node_page_begin(ubi__node_page *page, const ubi_node_ix *order, ubi_node_ix first, uint32_t n_sample);
/** A text that is too long is cut; a number never. */
void ubi__node_page_row(const ubi__node_page *page, ubi_node_ix node);

#endif
