/* SPDX-License-Identifier: MIT
 *
 * text_tree.c: see text_tree.h.
 */
#include "render/text_tree.h"

#include "base/alloc.h"
#include "base/assert.h"

#define GUIDE_COLUMNS 3
#define INDENT 2
#define MOST_INDENT 40 /* levels of a deep tree are indented only this far */

/* ---- the walk ------------------------------------------------------------------------------------------------------- */

static void level_close(ubi__text_tree *t, ubi__text_tree_level *level) {
    if (t->ops->close)
        t->ops->close(t->payload, level);
}

ubi_status ubi__text_tree_open(ubi__text_tree *t, ubi__text_tree_level level) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi_status status = UBI_OK;
    if (level.is_indented)
        status = ubi__vec_u32_push(&t->indented, a, (uint32_t)t->levels.n);
    if (status == UBI_OK)
        status = ubi__text_tree_levels_push(&t->levels, a, level);
    if (status != UBI_OK)
        level_close(t, &level);
    return status;
}

static void guides_write(const ubi__text_tree *t, bool is_rest) {
    const ubi__text_table *table = t->table;
    size_t room = table->columns > table->used ? (table->columns - table->used) / 2 / GUIDE_COLUMNS : 0;
    size_t n = t->indented.n < room ? t->indented.n : room;
    bool unicode = table->style->has_unicode;
    for (size_t i = 0; i < n; i++) {
        const ubi__text_tree_level *l = &t->levels.at[t->indented.at[i]];
        bool is_own = t->indented.at[i] + (size_t)1 == t->levels.n;
        bool is_open = (l->next < l->n_shown || l->n_hidden) && !(is_own && is_rest);
        if (is_own)
            ubi__out_string(table->out, unicode ? (is_open ? "├─ " : "└─ ") : (is_open ? "|- " : "`- "));
        else
            ubi__out_string(table->out, !is_open ? "   " : unicode ? "│  " : "|  ");
    }
}

static size_t prefix_columns(const ubi__text_tree *t) {
    const ubi__text_table *table = t->table;
    size_t room = table->columns > table->used ? (table->columns - table->used) / 2 / GUIDE_COLUMNS : 0;
    if (t->has_guides)
        return GUIDE_COLUMNS * (t->indented.n < room ? t->indented.n : room);
    return INDENT * t->indented.n < MOST_INDENT ? INDENT * t->indented.n : MOST_INDENT;
}

static void prefix_write(const ubi__text_tree *t, bool is_rest) {
    if (t->has_guides)
        guides_write(t, is_rest);
    else
        ubi__display_pad(t->table->out, 0, prefix_columns(t));
}

size_t ubi__text_tree_prefix(const ubi__text_tree *t) {
    prefix_write(t, false);
    return prefix_columns(t);
}

static void level_write_rest(const ubi__text_tree *t, const ubi__text_tree_level *level) {
    ubi__cell cells[UBI__TEXT_COLUMNS];
    for (size_t i = 0; i < t->table->n; i++)
        cells[i] = ubi__cell_none();
    if (t->ops->rest)
        t->ops->rest(t->payload, level, cells);
    ubi__text_table_row(t->table, cells);
    prefix_write(t, true);
    ubi__text_table_rest(t->table, level->n_hidden);
}

static void level_end(ubi__text_tree *t) {
    ubi__text_tree_level *top = &t->levels.at[t->levels.n - 1];
    if (t->table && top->n_hidden)
        level_write_rest(t, top);
    if (t->ops->end)
        t->ops->end(t->payload, top);
    level_close(t, top);
    t->indented.n -= top->is_indented;
    t->levels.n--;
}

ubi_status ubi__text_tree_walk(ubi__text_tree *t, const bool *failed) {
    while (t->levels.n && !*failed) {
        ubi__text_tree_level *top = &t->levels.at[t->levels.n - 1];
        if (top->next == top->n_shown) {
            level_end(t);
            continue;
        }
        ubi__text_tree_level level = *top; /* opening a level may move it */
        top->next++;
        UBI_TRY(t->ops->row(t->payload, t, &level, level.next));
        ubi__text_tree_check(t);
    }
    return UBI_OK;
}

void ubi__text_tree_fini(ubi__text_tree *t) {
    for (size_t i = 0; i < t->levels.n; i++)
        level_close(t, &t->levels.at[i]);
    ubi__text_tree_levels_fini(&t->levels, ubi_allocator_default());
    ubi__vec_u32_fini(&t->indented, ubi_allocator_default());
}

/* Called for every row: checks the level that changed, not all. */
void ubi__text_tree_check(const ubi__text_tree *t) {
    if (!UBI_CHECKS || t->levels.n == 0)
        return;
    const ubi__text_tree_level *top = &t->levels.at[t->levels.n - 1];
    UBI_ASSERT(top->next <= top->n_shown);
    UBI_ASSERT(t->indented.n == 0 || t->indented.at[t->indented.n - 1] < t->levels.n);
    UBI_ASSERT(top->is_indented == (t->indented.n && t->indented.at[t->indented.n - 1] + (size_t)1 == t->levels.n));
    UBI_ASSERT(t->indented.n < 2 || t->indented.at[t->indented.n - 2] < t->indented.at[t->indented.n - 1]);
}

/* ---- callers -------------------------------------------------------------------------------------------------------- */

size_t ubi__text_table_caller(const ubi__text_table *t, uint32_t depth, size_t room) {
    size_t indent = INDENT * (size_t)(depth < MOST_INDENT / INDENT ? depth : MOST_INDENT / INDENT);
    indent = indent + t->least_name < room ? indent : 0;
    ubi__display_pad(t->out, 0, indent);
    if (depth == 0)
        return room;
    ubi__display_ink(t->out, t->style, UBI__INK_DIM);
    ubi__out_string(t->out, t->style->has_unicode ? "← " : "< ");
    ubi__display_ink(t->out, t->style, UBI__INK_PLAIN);
    indent += 2;
    return room > indent ? room - indent : t->least_name;
}
