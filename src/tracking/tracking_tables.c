/* SPDX-License-Identifier: MIT
 *
 * tracking_tables.c: what tracking remembers: sites of objects, texts and frames that keep their number while they live, and
 * the ring of an allocation log.
 */
#include "tracking/tracking_tables.h"
#include "base/bits.h"
#include "tracking/tool_memory.h"

/* ---- sites ------------------------------------------------------------------------------------------------------- */

#define FIRST_SLOTS_LOG2 10

/* A table without memory is this one, so that find need not ask whether there is any. Never written. */
static ubi__tracked no_slots[2];

static void use_slots(ubi__site_table *t, ubi__tracked *slots, unsigned slots_log2) {
    t->slots = slots;
    t->shift = 64 - slots_log2;
    t->mask = (uint32_t)((UINT64_C(1) << slots_log2) - 1);
    t->count_max = slots == no_slots ? 0 : (uint32_t)(UINT64_C(1) << slots_log2) / 2;
    t->count_min = slots_log2 > FIRST_SLOTS_LOG2 ? t->count_max / 8 : 0;
}

static size_t slot_count(const ubi__site_table *t) {
    return (size_t)t->mask + 1;
}

void ubi__site_table_init(ubi__site_table *t, const ubi_allocator *allocator) {
    t->allocator = allocator;
    t->count = 0;
    use_slots(t, no_slots, 1);
}

void ubi__site_table_fini(ubi__site_table *t) {
    ubi__site_table_check(t);
    if (t->slots != no_slots)
        ubi__tool_free(t->allocator, t->slots, slot_count(t), sizeof *t->slots);
    ubi__site_table_init(t, t->allocator);
}

void ubi__site_table_check(const ubi__site_table *t) {
    if (!UBI_CHECKS)
        return;
    uint32_t count = 0;
    UBI_ASSERT(slot_count(t) == (size_t)1 << (64 - t->shift));
    UBI_ASSERT(t->count <= t->count_max && t->count_max <= slot_count(t) / 2);
    for (size_t i = 0; i < slot_count(t); i++) {
        const ubi__tracked *entry = &t->slots[i];
        if (entry->address) {
            UBI_ASSERT(ubi__site_table_find(t, (const void *)entry->address) == entry);
            count++;
        }
    }
    UBI_ASSERT(count == t->count);
}

static ubi__tracked *first_free(const ubi__site_table *t, uintptr_t address) {
    uint32_t i = ubi__site_table_home(t, address);
    while (t->slots[i].address)
        i = (i + 1) & t->mask;
    return &t->slots[i];
}

static bool sites_resize(ubi__site_table *t, unsigned slots_log2) {
    if (slots_log2 > 31)
        return false;
    ubi__tracked *slots = (ubi__tracked *)ubi__tool_calloc(t->allocator, (size_t)1 << slots_log2, sizeof *slots);
    if (!slots)
        return false;
    ubi__site_table old = *t;
    use_slots(t, slots, slots_log2);
    if (old.slots == no_slots)
        return true;
    for (size_t i = 0; i < slot_count(&old); i++)
        if (old.slots[i].address)
            *first_free(t, old.slots[i].address) = old.slots[i];
    ubi__tool_free(t->allocator, old.slots, slot_count(&old), sizeof *old.slots);
    ubi__site_table_check(t);
    return true;
}

bool ubi__site_table_grow(ubi__site_table *t) {
    return sites_resize(t, t->slots == no_slots ? FIRST_SLOTS_LOG2 : 64 - t->shift + 1);
}

/* Every entry after the hole that could not be found across it moves into it, and leaves the next hole. */
void ubi__site_table_close_hole(ubi__site_table *t, uint32_t hole) {
    for (uint32_t i = (hole + 1) & t->mask; t->slots[i].address; i = (i + 1) & t->mask) {
        uint32_t home = ubi__site_table_home(t, t->slots[i].address);
        if (((i - home) & t->mask) >= ((i - hole) & t->mask)) {
            t->slots[hole] = t->slots[i];
            hole = i;
        }
    }
    t->slots[hole].address = 0;
}

/* Without memory it stays as it is. */
void ubi__site_table_shrink(ubi__site_table *t) {
    unsigned slots_log2 = 64 - t->shift - 2;
    sites_resize(t, slots_log2 < FIRST_SLOTS_LOG2 ? FIRST_SLOTS_LOG2 : slots_log2);
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

static bool text_is(const ubi__tracked_texts *t, uint32_t ix, ubi_text text) {
    return t->at[ix].len == text.len && memcmp(t->at[ix].ptr, text.ptr, text.len) == 0;
}

UBI_ROW_LOOKUP(text, const ubi__tracked_texts *, ubi_text, text_is);

/* FNV-1a, mixed: the texts are short, and new ones are rare. */
static uint32_t text_hash(ubi_text text) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (uint8_t)text.ptr[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(ubi__mix_u64(h) >> 32);
}

/* The table places by the upper bits. */
static uint64_t text_place_hash(uint32_t hash) {
    return (uint64_t)hash << 32;
}

void ubi__tracked_texts_init(ubi__tracked_texts *t, const ubi_allocator *allocator) {
    *t = (ubi__tracked_texts){ .allocator = allocator, .free_first = UBI_NONE };
}

static void text_free(ubi__tracked_texts *t, ubi__tracked_text *text) {
    t->allocator->free(t->allocator->ctx, text->ptr, text->len + (size_t)1);
    text->ptr = NULL;
}

void ubi__tracked_texts_fini(ubi__tracked_texts *t) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].ptr)
            text_free(t, &t->at[i]);
    ubi__tool_free(t->allocator, t->at, t->capacity, sizeof *t->at);
    ubi__row_table_fini(&t->table, t->allocator);
    ubi__tracked_texts_init(t, t->allocator);
}

void ubi__tracked_texts_check(const ubi__tracked_texts *t) {
    if (!UBI_CHECKS)
        return;
    uint32_t live_count = 0, free_count = 0;
    UBI_ASSERT(t->n <= t->capacity);
    for (uint32_t ix = 0; ix < t->n; ix++) {
        const ubi__tracked_text *text = &t->at[ix];
        if (!text->ptr)
            continue;
        live_count++;
        UBI_ASSERT(text->hash == text_hash((ubi_text){ text->ptr, text->len }));
        UBI_ASSERT(text_find(&t->table, t, (ubi_text){ text->ptr, text->len }, text_place_hash(text->hash)) == ix);
    }
    UBI_ASSERT(live_count == t->table.n);
    for (uint32_t ix = t->free_first; ix != UBI_NONE; ix = t->at[ix].next_free, free_count++)
        UBI_ASSERT(ix < t->n && !t->at[ix].ptr && free_count < t->n);
    UBI_ASSERT(live_count + free_count == t->n);
}

static void texts_enter(ubi__tracked_texts *t, uint32_t ix) {
    uint64_t hash = text_place_hash(t->at[ix].hash);
    ubi_text text = { t->at[ix].ptr, t->at[ix].len };
    ubi__row_table_fill(&t->table, text_place(&t->table, t, text, hash), hash, ix);
}

static void texts_give_entry_back(ubi__tracked_texts *t, uint32_t ix) {
    t->at[ix] = (ubi__tracked_text){ .next_free = t->free_first };
    t->free_first = ix;
}

static uint32_t texts_take_entry(ubi__tracked_texts *t) {
    uint32_t ix = t->free_first;
    if (ix != UBI_NONE) {
        t->free_first = t->at[ix].next_free;
        return ix;
    }
    if (!ubi__tool_reserve(t->allocator, (void **)&t->at, &t->capacity, t->n + 1, sizeof *t->at))
        return UBI_NONE;
    return t->n++;
}

static ubi__text_ix texts_add(ubi__tracked_texts *t, ubi_text text, uint32_t hash) {
    if (text.len >= UINT32_MAX || ubi__row_table_reserve(&t->table, t->allocator, 1) != UBI_OK)
        return UBI_NONE;
    uint32_t ix = texts_take_entry(t);
    if (ix == UBI_NONE)
        return UBI_NONE;
    char *copy = (char *)t->allocator->alloc(t->allocator->ctx, text.len + 1);
    if (!copy) {
        texts_give_entry_back(t, ix);
        return UBI_NONE;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = 0;
    t->at[ix] = (ubi__tracked_text){ .ptr = copy, .len = (uint32_t)text.len, .hash = hash };
    texts_enter(t, ix);
    return ix;
}

ubi__text_ix ubi__tracked_texts_intern(ubi__tracked_texts *t, const char *ptr, size_t len) {
    ubi_text text = { ptr, len };
    uint32_t hash = text_hash(text);
    ubi__text_ix ix = text_find(&t->table, t, text, text_place_hash(hash));
    return ix != UBI_NONE ? ix : texts_add(t, text, hash);
}

/* Reinserts what is left, into the existing slots. */
void ubi__tracked_texts_sweep(ubi__tracked_texts *t) {
    ubi__row_table_clear(&t->table);
    t->free_first = UBI_NONE;
    for (uint32_t ix = t->n; ix-- > 0;) {
        ubi__tracked_text *text = &t->at[ix];
        if (text->ptr && !text->is_marked)
            text_free(t, text);
        text->is_marked = false;
        if (text->ptr)
            texts_enter(t, ix);
        else
            texts_give_entry_back(t, ix);
    }
    ubi__tracked_texts_check(t);
}

/* ---- frames ------------------------------------------------------------------------------------------------------- */

typedef struct frame_key {
    ubi__stack_ix parent;
    ubi__frame_place place;
} frame_key;

static bool frame_is(const ubi__frame_trie *t, ubi__stack_ix ix, frame_key key) {
    const ubi__trie_frame *f = &t->at[ix];
    return f->parent == key.parent && f->place.code == key.place.code && f->place.pc == key.place.pc;
}

UBI_ROW_LOOKUP(frame, const ubi__frame_trie *, frame_key, frame_is);

static uint64_t frame_hash(frame_key key) {
    uint64_t h = ((uint64_t)key.parent << 32 | key.place.code) * UBI__GOLDEN;
    return (h ^ h >> 29 ^ key.place.pc) * UINT64_C(0xbf58476d1ce4e5b9);
}

void ubi__frame_trie_init(ubi__frame_trie *t, const ubi_allocator *allocator) {
    *t = (ubi__frame_trie){ .allocator = allocator, .free_first = UBI_NONE };
}

void ubi__frame_trie_fini(ubi__frame_trie *t) {
    ubi__tool_free(t->allocator, t->at, t->capacity, sizeof *t->at);
    ubi__row_table_fini(&t->table, t->allocator);
    ubi__frame_trie_init(t, t->allocator);
}

/* Number 0 is the root: it is there, but neither found nor free. */
void ubi__frame_trie_check(const ubi__frame_trie *t) {
    if (!UBI_CHECKS)
        return;
    uint32_t live_count = 0, free_count = 0;
    UBI_ASSERT(t->n <= t->capacity && t->n != 1);
    for (ubi__stack_ix ix = 1; ix < t->n; ix++) {
        const ubi__trie_frame *f = &t->at[ix];
        if (f->parent == UBI_NONE)
            continue;
        live_count++;
        UBI_ASSERT(f->parent < t->n && f->parent != ix);
        UBI_ASSERT(f->parent == UBI__STACK_EMPTY || t->at[f->parent].parent != UBI_NONE);
        UBI_ASSERT(ubi__frame_trie_find(t, f->parent, f->place) == ix);
    }
    UBI_ASSERT(live_count == t->table.n);
    for (uint32_t ix = t->free_first; ix != UBI_NONE; ix = t->at[ix].next_free, free_count++)
        UBI_ASSERT(ix < t->n && t->at[ix].parent == UBI_NONE && free_count < t->n);
    UBI_ASSERT(live_count + free_count == (t->n ? t->n - 1 : 0));
}

ubi__stack_ix ubi__frame_trie_find(const ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place) {
    frame_key key = { parent, place };
    return frame_find(&t->table, t, key, frame_hash(key));
}

static void frames_enter(ubi__frame_trie *t, ubi__stack_ix ix) {
    frame_key key = { t->at[ix].parent, t->at[ix].place };
    uint64_t hash = frame_hash(key);
    ubi__row_table_fill(&t->table, frame_place(&t->table, t, key, hash), hash, ix);
}

static void frames_give_entry_back(ubi__frame_trie *t, uint32_t ix) {
    t->at[ix].parent = UBI_NONE;
    t->at[ix].next_free = t->free_first;
    t->free_first = ix;
}

static uint32_t frames_take_entry(ubi__frame_trie *t) {
    uint32_t ix = t->free_first;
    if (ix != UBI_NONE) {
        t->free_first = t->at[ix].next_free;
        return ix;
    }
    uint32_t first = t->n ? t->n : 1;
    if (!ubi__tool_reserve(t->allocator, (void **)&t->at, &t->capacity, first + 1, sizeof *t->at))
        return UBI_NONE;
    if (t->n == 0)
        t->at[UBI__STACK_EMPTY] = (ubi__trie_frame){ .function_name = UBI_NONE, .source = UBI_NONE };
    t->n = first + 1;
    return first;
}

ubi__stack_ix ubi__frame_trie_add(ubi__frame_trie *t, ubi__stack_ix parent, ubi__frame_place place,
                                  const ubi__trie_frame *frame) {
    UBI_ASSERT(parent == UBI__STACK_EMPTY || (parent < t->n && t->at[parent].parent != UBI_NONE));
    UBI_ASSERT(ubi__frame_trie_find(t, parent, place) == UBI_NONE);
    if (ubi__row_table_reserve(&t->table, t->allocator, 1) != UBI_OK)
        return UBI_NONE;
    ubi__stack_ix ix = frames_take_entry(t);
    if (ix == UBI_NONE)
        return UBI_NONE;
    t->at[ix] = *frame;
    t->at[ix].parent = parent;
    t->at[ix].place = place;
    t->at[ix].is_pinned = t->at[ix].is_marked = false;
    frames_enter(t, ix);
    return ix;
}

void ubi__frame_trie_mark(ubi__frame_trie *t, ubi__stack_ix ix) {
    while (ix != UBI__STACK_EMPTY && !t->at[ix].is_marked) {
        UBI_ASSERT(ix < t->n && t->at[ix].parent != UBI_NONE);
        t->at[ix].is_marked = true;
        ix = t->at[ix].parent;
    }
}

void ubi__frame_trie_sweep(ubi__frame_trie *t, ubi__tracked_texts *texts) {
    for (uint32_t ix = 1; ix < t->n; ix++)
        if (t->at[ix].parent != UBI_NONE && t->at[ix].is_pinned)
            ubi__frame_trie_mark(t, ix);
    ubi__row_table_clear(&t->table);
    t->free_first = UBI_NONE;
    for (uint32_t ix = t->n; ix-- > 1;) {
        ubi__trie_frame *f = &t->at[ix];
        if (f->parent != UBI_NONE && f->is_marked) {
            ubi__tracked_texts_mark(texts, f->function_name);
            ubi__tracked_texts_mark(texts, f->source);
            frames_enter(t, ix);
        } else {
            frames_give_entry_back(t, ix);
        }
        f->is_marked = false;
    }
    ubi__frame_trie_check(t);
}

/* ---- the ring of a log ------------------------------------------------------------------------------------------- */

#define FIRST_ENTRIES 64

void ubi__allocation_log_init(ubi__allocation_log *log, uint32_t limit, const ubi_allocator *allocator) {
    *log = (ubi__allocation_log){ .allocator = allocator, .limit = limit };
}

void ubi__allocation_log_check(const ubi__allocation_log *log) {
    UBI_ASSERT(log->count <= log->limit && log->count <= log->capacity);
    UBI_ASSERT(log->first < log->capacity || log->first == 0);
    UBI_ASSERT((log->at != NULL) == (log->capacity != 0));
    for (uint32_t i = 1; UBI_CHECKS && i < log->count; i++)
        UBI_ASSERT(ubi__allocation_log_at(log, i - 1)->time_us <= ubi__allocation_log_at(log, i)->time_us);
}

void ubi__allocation_log_clear(ubi__allocation_log *log) {
    ubi__tool_free(log->allocator, log->at, log->capacity, sizeof *log->at);
    log->at = NULL;
    log->first_number += log->count;
    log->capacity = log->first = log->count = 0;
}

void ubi__allocation_log_drop_oldest(ubi__allocation_log *log) {
    UBI_ASSERT(log->count > 0);
    log->first = log->first + 1 == log->capacity ? 0 : log->first + 1;
    log->first_number++;
    log->count--;
}

/* Twice the room, but no more than the limit; entries in order from the start. */
static bool log_grow(ubi__allocation_log *log) {
    uint64_t wanted = log->capacity ? 2 * (uint64_t)log->capacity : FIRST_ENTRIES;
    uint32_t capacity = wanted < log->limit ? (uint32_t)wanted : log->limit;
    if (capacity < log->count + 1)
        return false;
    ubi__log_entry *at = (ubi__log_entry *)ubi__tool_calloc(log->allocator, capacity, sizeof *at);
    if (!at)
        return false;
    for (uint32_t i = 0; i < log->count; i++)
        at[i] = *ubi__allocation_log_at(log, i);
    ubi__tool_free(log->allocator, log->at, log->capacity, sizeof *log->at);
    log->at = at;
    log->capacity = capacity;
    log->first = 0;
    ubi__allocation_log_check(log);
    return true;
}

ubi__log_entry *ubi__allocation_log_make_room(ubi__allocation_log *log, bool *lost) {
    *lost = log->count < log->limit && log->count == log->capacity && !log_grow(log);
    if (*lost || log->count == log->limit) {
        log->has_overflowed = true;
        if (log->count == 0)
            return NULL;
        ubi__allocation_log_drop_oldest(log);
    }
    log->count++;
    return ubi__allocation_log_at(log, log->count - 1);
}

void ubi__allocation_log_set_limit(ubi__allocation_log *log, uint32_t limit) {
    UBI_ASSERT(limit > 0);
    log->limit = limit;
    while (log->count > limit)
        ubi__allocation_log_drop_oldest(log);
}
