/* SPDX-License-Identifier: MIT
 *
 * frame_cache.c: see frame_cache.h. A stack may be deep: it is climbed to the first caller that was met, and then numbered downwards.
 */
#include "stacks/frame_cache.h"

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"

/* ---- stacks that were met ------------------------------------------------------------------------------------------- */

typedef struct stack_key {
    const void *owner;
    uint64_t ref;
} stack_key;

static bool met_stack_is(const ubi__frame_cache *c, const ubi__met_stack *slot, stack_key key) {
    (void)c;
    return slot->owner == key.owner && slot->ref == key.ref;
}
UBI_TABLE_LOOKUP(met_stack, ubi__met_stacks, ubi__met_stack, ubi__met_stack_is_used, const ubi__frame_cache *,
                 stack_key, met_stack_is);

static uint32_t met_number(const ubi__frame_cache *c, ubi_stack stack) {
    const ubi__met_stack *slot =
        met_stack_find(&c->met, c, (stack_key){ stack.owner, stack.ref }, ubi__stack_hash(stack.owner, stack.ref));
    return slot ? slot->frame : 0;
}

/* ---- frames by content ---------------------------------------------------------------------------------------------- */

typedef struct frame_content {
    ubi_frame frame;
    uint32_t parent;
} frame_content;

static uint64_t frame_content_hash(const frame_content *content) {
    const ubi_frame *f = &content->frame;
    uint64_t hash = ubi__hash_bytes(f->source.ptr, f->source.len);
    if (f->function_name.ptr)
        hash = ubi__hash_combine(hash, ubi__hash_bytes(f->function_name.ptr, f->function_name.len));
    hash = ubi__hash_combine(hash, (uint64_t)f->line << 32 | f->column);
    return ubi__hash_combine(hash, content->parent);
}

static bool frame_has_content(const ubi__frame_cache *c, uint32_t row, const frame_content *content) {
    const ubi__cached_frame *cached = &c->rows.at[row];
    ubi_frame frame;
    if (cached->parent != content->parent)
        return false;
    ubi_stack_frame(cached->stack, &frame);
    return frame.line == content->frame.line && frame.column == content->frame.column &&
           !frame.function_name.ptr == !content->frame.function_name.ptr &&
           ubi__text_equal(frame.source, content->frame.source) &&
           ubi__text_equal(frame.function_name, content->frame.function_name);
}
UBI_ROW_LOOKUP(frame_row, const ubi__frame_cache *, const frame_content *, frame_has_content);

/* ---- a cache -------------------------------------------------------------------------------------------------------- */

void ubi__frame_cache_init(ubi__frame_cache *c, const ubi_allocator *allocator) {
    *c = (ubi__frame_cache){ .allocator = allocator };
}

void ubi__frame_cache_fini(ubi__frame_cache *c) {
    ubi__frame_cache_check(c);
    ubi__vec_cached_frame_fini(&c->rows, c->allocator);
    ubi__row_table_fini(&c->by_content, c->allocator);
    ubi__met_stacks_fini(&c->met, c->allocator);
    ubi__vec_stack_fini(&c->path, c->allocator);
}

void ubi__frame_cache_clear(ubi__frame_cache *c) {
    ubi__frame_cache_check(c);
    c->rows.n = 0;
    ubi__row_table_clear(&c->by_content);
    ubi__met_stacks_clear(&c->met);
}

void ubi__frame_cache_check(const ubi__frame_cache *c) {
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT(c->by_content.n == c->rows.n && c->met.n >= c->rows.n);
    for (uint32_t i = 0; i < c->rows.n; i++) {
        frame_content content = { .parent = c->rows.at[i].parent };
        UBI_ASSERT(content.parent <= i);
        ubi_stack_frame(c->rows.at[i].stack, &content.frame);
        UBI_ASSERT(frame_row_find(&c->by_content, c, &content, frame_content_hash(&content)) == i);
        UBI_ASSERT(met_number(c, c->rows.at[i].stack) == i + 1);
    }
}

void ubi__frame_cache_get(const ubi__frame_cache *c, uint32_t number, ubi_frame *out, uint32_t *parent) {
    UBI_ASSERT(number > 0 && number < ubi__frame_cache_count(c));
    ubi_stack_frame(c->rows.at[number - 1].stack, out);
    *parent = c->rows.at[number - 1].parent;
}

/* Room first, so that nothing is half done. */
static ubi_status frame_cache_reserve(ubi__frame_cache *c) {
    if (c->rows.n >= UBI_NONE - 1)
        return ubi__fail(UBI_ELIMIT, "too many different stack frames");
    UBI_TRY(ubi__vec_cached_frame_reserve(&c->rows, c->allocator, 1));
    UBI_TRY(ubi__row_table_reserve(&c->by_content, c->allocator, 1));
    return ubi__met_stacks_reserve(&c->met, c->allocator, 1);
}

/* Of a frame whose caller has a number; 0: none. */
static ubi_status frame_cache_add(uint32_t *out, ubi__frame_cache *c, ubi_stack stack, uint32_t parent) {
    frame_content content = { .parent = parent };
    UBI_TRY(frame_cache_reserve(c));
    ubi_stack_frame(stack, &content.frame);
    uint64_t hash = frame_content_hash(&content);
    ubi__row_slot *slot = frame_row_place(&c->by_content, c, &content, hash);
    if (!ubi__row_is_used(slot)) {
        c->rows.at[c->rows.n++] = (ubi__cached_frame){ stack, parent };
        ubi__row_table_fill(&c->by_content, slot, hash, (uint32_t)c->rows.n - 1);
    }
    *out = slot->row + 1;
    ubi__met_stack *met =
        met_stack_place(&c->met, c, (stack_key){ stack.owner, stack.ref }, ubi__stack_hash(stack.owner, stack.ref));
    UBI_ASSERT(!ubi__met_stack_is_used(met));
    *met = (ubi__met_stack){ stack.owner, stack.ref, *out };
    ubi__met_stacks_added(&c->met);
    return UBI_OK;
}

ubi_status ubi__frame_cache_number(uint32_t *out, ubi__frame_cache *c, ubi_stack stack) {
    uint32_t number;
    bool has_caller = true;
    c->path.n = 0;
    while ((number = met_number(c, stack)) == 0 && has_caller) {
        UBI_TRY(ubi__vec_stack_push(&c->path, c->allocator, stack));
        has_caller = ubi_stack_parent(stack, &stack);
    }
    while (c->path.n > 0)
        UBI_TRY(frame_cache_add(&number, c, c->path.at[--c->path.n], number));
    *out = number;
    return UBI_OK;
}
