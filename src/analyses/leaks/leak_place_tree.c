/* SPDX-License-Identifier: MIT
 *
 * leak_place_tree.c: the tree of places, and labels without their numbers (leak_places.h).
 */
#include "analyses/leaks/leak_places.h"

#include "base/hash.h"
#include "base/text.h"
#include "base/text_parts.h"

/* So many items of a way are looked at for one that comes again: the cost of a place stays bounded. */
#define MOST_LOOKED_BACK 64

void ubi__leak_places_check(const ubi__leak_places *p) {
    UBI_ASSERT(p->table.n + 1 == p->rows.n); /* the root is never looked up */
    for (uint32_t i = 1; UBI_CHECKS && i < p->rows.n; i++) {
        const ubi__leak_place *place = &p->rows.at[i], *parent = &p->rows.at[place->parent];
        UBI_ASSERT(place->parent < i);
        UBI_ASSERT(ubi__leak_place_find(p, place->parent, &place->item) == i);
        UBI_ASSERT(!place->item.head || parent->has_heads);
        UBI_ASSERT(place->item.label != UBI__LEAK_LABEL_ANY || parent->has_entries);
    }
}

ubi_status ubi__leak_places_init(ubi__leak_places *p, uint32_t n_strings, const ubi_allocator *a) {
    ubi__leak_place root = { .item = { UBI__LEAK_LABEL_NONE, UBI_NONE, UBI_NONE, false }, .example = UBI_NONE };
    p->allocator = a;
    p->n_strings = n_strings;
    ubi__strtab_init(&p->texts, a);
    p->label_of = ubi__calloc_array(a, n_strings, sizeof *p->label_of);
    if (n_strings && !p->label_of)
        return ubi__fail_nomem();
    return ubi__vec_leak_place_push(&p->rows, a, root);
}

void ubi__leak_places_fini(ubi__leak_places *p) {
    if (!p->allocator)
        return;
    ubi__free_array(p->allocator, p->label_of, p->n_strings, sizeof *p->label_of);
    ubi__strtab_fini(&p->texts);
    ubi__row_table_fini(&p->table, p->allocator);
    ubi__vec_leak_place_fini(&p->rows, p->allocator);
    ubi__vec_u8_fini(&p->spare, p->allocator);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* The text with a # for each run of digits, in `spare`. */
static ubi_status drop_numbers(ubi_text *out, ubi__leak_places *p, ubi_text text) {
    p->spare.n = 0;
    UBI_TRY(ubi__vec_u8_reserve(&p->spare, p->allocator, text.len + 1));
    for (size_t i = 0; i < text.len; i++) {
        bool digit = ubi__is_digit(text.ptr[i]);
        if (!digit || i == 0 || !ubi__is_digit(text.ptr[i - 1]))
            p->spare.at[p->spare.n++] = digit ? '#' : (uint8_t)text.ptr[i];
    }
    *out = (ubi_text){ (const char *)p->spare.at, p->spare.n };
    return UBI_OK;
}

ubi_status ubi__leak_label(uint32_t *out, ubi__leak_places *p, ubi_str_ix string, ubi_text text) {
    ubi_text plain;
    uint32_t entry;
    if (p->label_of[string] == 0) {
        UBI_TRY(drop_numbers(&plain, p, text));
        UBI_TRY(ubi__strtab_intern(&p->texts, &entry, plain));
        p->label_of[string] = ubi__text_is(plain, "#") ? UBI__LEAK_LABEL_NUMBER : UBI__LEAK_LABEL_TEXTS + entry;
    }
    *out = p->label_of[string];
    return UBI_OK;
}

uint64_t ubi__leak_label_hash(ubi__leak_places *p, uint32_t label) {
    if (label < UBI__LEAK_LABEL_TEXTS)
        return label;
    ubi_text text = ubi__strtab_get(&p->texts, label - UBI__LEAK_LABEL_TEXTS);
    uint64_t hash;
    if (!ubi__text_memo_get(&hash, &p->label_hashes, label, text.len)) {
        hash = ubi__hash_bytes(text.ptr, text.len);
        ubi__text_memo_put(&p->label_hashes, label, text.len, hash);
    }
    return hash;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static uint64_t place_hash(ubi__leak_place_ix parent, const ubi__leak_item *item) {
    uint64_t h = ubi__hash_combine((uint64_t)parent << 1 | item->head, (uint64_t)item->label << 32 | item->row);
    return ubi__hash_combine(h, item->name);
}

static bool are_alike(const ubi__leak_item *a, const ubi__leak_item *b) {
    return a->label == b->label && a->row == b->row && a->name == b->name;
}

typedef struct place_key {
    ubi__leak_place_ix parent;
    const ubi__leak_item *item;
} place_key;

static bool is_place(const ubi__leak_places *p, ubi__leak_place_ix row, place_key key) {
    const ubi__leak_place *place = &p->rows.at[row];
    return place->parent == key.parent && place->item.head == key.item->head && are_alike(&place->item, key.item);
}
UBI_ROW_LOOKUP(place, const ubi__leak_places *, place_key, is_place);

/* An equal item on the way that ends with `at`; what is held by leaked objects only does not look beyond their head. */
static ubi__leak_place_ix look_back(const ubi__leak_places *p, ubi__leak_place_ix at, const ubi__leak_item *item) {
    for (unsigned i = 0; i < MOST_LOOKED_BACK && at != 0; i++) {
        const ubi__leak_place *row = &p->rows.at[at];
        if (are_alike(&row->item, item))
            return at;
        if (row->item.head)
            return UBI_NONE;
        at = row->parent;
    }
    return UBI_NONE;
}

ubi__leak_place_ix ubi__leak_place_find(const ubi__leak_places *p, ubi__leak_place_ix parent,
                                        const ubi__leak_item *item) {
    return place_find(&p->table, p, (place_key){ parent, item }, place_hash(parent, item));
}

ubi__leak_place_ix ubi__leak_place_known(const ubi__leak_places *p, ubi__leak_place_ix parent,
                                         const ubi__leak_item *item) {
    ubi__leak_place_ix found = ubi__leak_place_find(p, parent, item);
    return found == UBI_NONE ? look_back(p, parent, item) : found;
}

ubi_status ubi__leak_place_enter(ubi__leak_place_ix *out, ubi__leak_places *p, ubi__leak_place_ix parent,
                                 const ubi__leak_item *item, uint64_t text_hash) {
    uint64_t hash = place_hash(parent, item);
    UBI_TRY(ubi__row_table_reserve(&p->table, p->allocator, 1));
    ubi__row_slot *slot = place_place(&p->table, p, (place_key){ parent, item }, hash);
    if (ubi__row_is_used(slot)) {
        *out = slot->row;
        return UBI_OK;
    }
    *out = item->head ? UBI_NONE : look_back(p, parent, item);
    if (*out != UBI_NONE)
        return UBI_OK;
    ubi__leak_place row = { .item = *item, .parent = parent, .example = UBI_NONE };
    row.item_hash = text_hash;
    row.fingerprint = ubi__hash_combine(p->rows.at[parent].fingerprint, ubi__leak_label_hash(p, item->label));
    row.fingerprint = ubi__hash_combine(row.fingerprint, text_hash * 2 + item->head);
    *out = (ubi__leak_place_ix)p->rows.n;
    UBI_TRY(ubi__vec_leak_place_push(&p->rows, p->allocator, row));
    p->rows.at[parent].has_heads |= item->head;
    p->rows.at[parent].has_entries |= item->label == UBI__LEAK_LABEL_ANY;
    ubi__row_table_fill(&p->table, slot, hash, *out);
    return UBI_OK;
}
