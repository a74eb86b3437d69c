/* SPDX-License-Identifier: MIT
 *
 * live_ledger.c: see live_ledger.h.
 */
#include "recording/live_ledger.h"

#include "base/assert.h"
#include "base/bits.h"

/* A page that is not the last and has no more than these is given up; while no more than the third live, of the second. */
#define FEW (UBI__LEDGER_PAGE_NUMBERS / 4)
#define VERY_FEW (UBI__LEDGER_PAGE_NUMBERS / 32)
#define LITTLE_LIVES ((size_t)1 << 16)
/* Of a slab, at most: 2 MiB, a huge page. */
#define SLAB_PAGES ((size_t)512)

static bool is_slot_of(const void *unused, const ubi__ledger_slot *slot, uint64_t key) {
    (void)unused;
    return slot->key == key;
}
UBI_TABLE_LOOKUP(slot, ubi__ledger_slots, ubi__ledger_slot, ubi__ledger_slot_is_used, const void *, uint64_t,
                 is_slot_of);

void ubi__live_ledger_check(const ubi__live_ledger *l) {
    size_t n = l->old.n;
    for (size_t i = 0; UBI_CHECKS && i < l->pages.n; i++) {
        const ubi__ledger_page *page = l->pages.at[i].page;
        uint64_t n_here = 0;
        for (size_t k = 0; page && k < UBI__LEDGER_PAGE_NUMBERS; k++)
            n_here += page->values[k] != 0;
        UBI_ASSERT(l->pages.at[i].n == n_here);
        n += n_here;
    }
    UBI_ASSERT(!UBI_CHECKS || n == l->n);
    UBI_ASSERT(l->pages.n == 0 || l->pages.at[l->pages.n - 1].page);
}

void ubi__live_ledger_init(ubi__live_ledger *l, const ubi_allocator *allocator) {
    *l = (ubi__live_ledger){ .allocator = allocator };
}

void ubi__live_ledger_fini(ubi__live_ledger *l) {
    for (size_t i = 0; i < l->slabs.n; i++)
        ubi__free_array(l->allocator, l->slabs.at[i].pages, l->slabs.at[i].n, sizeof *l->slabs.at[i].pages);
    ubi__vec_ledger_slab_fini(&l->slabs, l->allocator);
    l->spare = l->waiting = NULL;
    ubi__vec_ledger_entry_fini(&l->pages, l->allocator);
    ubi__ledger_slots_fini(&l->old, l->allocator);
    l->n = 0;
}

/* ---- what is old ----------------------------------------------------------------------------------------------------- */

uint64_t ubi__live_ledger_get_old(const ubi__live_ledger *l, uint64_t number) {
    const ubi__ledger_slot *slot = slot_find(&l->old, NULL, number + 1, ubi__hash_u64(number + 1));
    return slot ? slot->value : 0;
}

/* There is room. */
static void old_fill(ubi__live_ledger *l, uint64_t number, uint64_t value) {
    ubi__ledger_slot *slot = slot_place(&l->old, NULL, number + 1, ubi__hash_u64(number + 1));
    UBI_ASSERT(!ubi__ledger_slot_is_used(slot));
    *slot = (ubi__ledger_slot){ number + 1, value };
    ubi__ledger_slots_added(&l->old);
}

static uint64_t old_take(ubi__live_ledger *l, uint64_t number) {
    ubi__ledger_slot *slot = slot_find(&l->old, NULL, number + 1, ubi__hash_u64(number + 1));
    if (!slot)
        return 0;
    uint64_t value = slot->value;
    ubi__ledger_slots_remove(&l->old, slot);
    l->n--;
    return value;
}

/* ---- pages ----------------------------------------------------------------------------------------------------------- */

static inline bool is_little(const ubi__live_ledger *l, uint64_t n) {
    return n <= (l->n <= LITTLE_LIVES ? VERY_FEW : FEW);
}

static ubi_status slab_begin(ubi__live_ledger *l) {
    size_t n_before = l->slabs.n ? l->slabs.at[l->slabs.n - 1].n : 0;
    size_t n = ubi__smaller(2 * n_before + 1, SLAB_PAGES);
    UBI_TRY(ubi__vec_ledger_slab_reserve(&l->slabs, l->allocator, 1));
    ubi__ledger_page *pages = ubi__calloc_array(l->allocator, n, sizeof *pages);
    if (!pages)
        return ubi__fail_nomem();
    l->slabs.at[l->slabs.n++] = (ubi__ledger_slab){ pages, n };
    l->n_taken = 0;
    return UBI_OK;
}

/* One that is all zero. */
static ubi_status page_take(ubi__live_ledger *l, ubi__ledger_page **out) {
    *out = l->spare;
    if (*out) {
        l->spare = (*out)->next;
    } else {
        if (l->slabs.n == 0 || l->n_taken == l->slabs.at[l->slabs.n - 1].n)
            UBI_TRY(slab_begin(l));
        *out = &l->slabs.at[l->slabs.n - 1].pages[l->n_taken++];
    }
    return UBI_OK;
}

static void page_spare(ubi__live_ledger *l, ubi__ledger_page *page) {
    page->next = l->spare;
    l->spare = page;
}

/* What is left in it becomes old. There is room. */
static void page_give_up(ubi__live_ledger *l, ubi__ledger_page *page) {
    uint64_t first = page->i * UBI__LEDGER_PAGE_NUMBERS;
    for (size_t k = 0; k < UBI__LEDGER_PAGE_NUMBERS; k++)
        if (page->values[k])
            ubi__ledger_slots_prefetch(&l->old, ubi__hash_u64(first + k + 1));
    for (size_t k = 0; k < UBI__LEDGER_PAGE_NUMBERS; k++) {
        if (!page->values[k])
            continue;
        old_fill(l, first + k, page->values[k]);
        page->values[k] = 0;
    }
    l->pages.at[page->i] = (ubi__ledger_entry){ NULL, 0 };
    page_spare(l, page);
}

static void page_wait(ubi__live_ledger *l, ubi__ledger_page *page) {
    if (page->is_waiting)
        return;
    page->is_waiting = true;
    page->next = l->waiting;
    l->waiting = page;
}

/* Of those that wait all but what has more again, since frees were taken back. Errors: UBI_ENOMEM, and the rest waits on. */
static ubi_status waiting_give_up(ubi__live_ledger *l) {
    while (l->waiting) {
        ubi__ledger_page *page = l->waiting;
        uint64_t n = l->pages.at[page->i].n;
        UBI_TRY(ubi__ledger_slots_reserve(&l->old, l->allocator, n));
        l->waiting = page->next;
        page->is_waiting = false;
        if (is_little(l, n))
            page_give_up(l, page);
    }
    return UBI_OK;
}

static __attribute__((noinline)) ubi_status page_begin(ubi__live_ledger *l, uint64_t i) {
    size_t n = l->pages.n;
    bool is_last_little = n && is_little(l, l->pages.at[n - 1].n);
    ubi__ledger_page *page;
    UBI_TRY(ubi__vec_ledger_entry_reserve(&l->pages, l->allocator, i + 1 - n));
    UBI_TRY(waiting_give_up(l));
    if (is_last_little)
        UBI_TRY(ubi__ledger_slots_reserve(&l->old, l->allocator, l->pages.at[n - 1].n));
    UBI_TRY(page_take(l, &page));
    if (is_last_little)
        page_give_up(l, l->pages.at[n - 1].page);
    page->i = i;
    while (l->pages.n < i)
        l->pages.at[l->pages.n++] = (ubi__ledger_entry){ NULL, 0 };
    l->pages.at[l->pages.n++] = (ubi__ledger_entry){ page, 0 };
    return UBI_OK;
}

ubi_status ubi__live_ledger_add(ubi__live_ledger *l, uint64_t number, uint64_t value) {
    uint64_t i = number / UBI__LEDGER_PAGE_NUMBERS;
    UBI_ASSERT(value != 0 && ubi__live_ledger_get(l, number) == 0);
    if (ubi__unlikely(i >= l->pages.n))
        UBI_TRY(page_begin(l, i));
    ubi__ledger_entry *entry = &l->pages.at[i];
    if (entry->page) {
        entry->page->values[number % UBI__LEDGER_PAGE_NUMBERS] = value;
        entry->n++;
    } else {
        UBI_TRY(ubi__ledger_slots_reserve(&l->old, l->allocator, 1));
        old_fill(l, number, value);
    }
    l->n++;
    return UBI_OK;
}

uint64_t ubi__live_ledger_take(ubi__live_ledger *l, uint64_t number) {
    ubi__ledger_page *page = ubi__ledger_page_of(l, number);
    size_t i = number / UBI__LEDGER_PAGE_NUMBERS;
    if (!page)
        return old_take(l, number);
    uint64_t *at = &page->values[number % UBI__LEDGER_PAGE_NUMBERS], value = *at;
    if (!value)
        return 0;
    *at = 0;
    l->n--;
    if (ubi__unlikely(is_little(l, --l->pages.at[i].n)) && i + 1 < l->pages.n)
        page_wait(l, page);
    return value;
}

void ubi__live_ledger_each(const ubi__live_ledger *l, void (*fn)(void *payload, uint64_t number, uint64_t value),
                           void *payload) {
    for (size_t i = 0; i < l->pages.n; i++)
        for (size_t k = 0; l->pages.at[i].page && k < UBI__LEDGER_PAGE_NUMBERS; k++)
            if (l->pages.at[i].page->values[k])
                fn(payload, i * UBI__LEDGER_PAGE_NUMBERS + k, l->pages.at[i].page->values[k]);
    for (size_t i = 0; i < l->old.n_slots; i++)
        if (ubi__ledger_slot_is_used(&l->old.slots[i]))
            fn(payload, l->old.slots[i].key - 1, l->old.slots[i].value);
}
