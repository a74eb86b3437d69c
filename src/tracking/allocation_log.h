/* SPDX-License-Identifier: MIT
 *
 * allocation_log.h: what an observer's debuggees allocated lately, the newest entries up to a limit.
 *
 * A ring that grows by doubling until it holds the limit. Its entries are small: names are numbers, the stack is a number.
 */
#ifndef UBI_TRACKING_ALLOCATION_LOG_H
#define UBI_TRACKING_ALLOCATION_LOG_H

#include "tracking/tracked_stacks.h"

typedef struct ubi__log_entry {
    const void *object; /* perhaps freed: the object is alive if the site table knows it by this serial */
    uint32_t serial;    /* 0: it was not entered there */
    ubi__stack_ix stack;
    uint64_t time_us;
    ubi__text_ix class_name;
    ubi__text_ix constructor_name;
    uint32_t birth_bytes;
} ubi__log_entry;

typedef struct ubi__allocation_log {
    const ubi_allocator *allocator;
    ubi__log_entry *at;
    uint32_t capacity;
    uint32_t first; /* index of the oldest */
    uint32_t count;
    uint32_t limit;
    uint64_t first_number; /* of the oldest, since the log was made: tells whether it was dropped meanwhile */
    bool has_overflowed;
} ubi__allocation_log;

/** Entries are within the ring, at most `limit`, and in the order of their time. O(entries). */
void ubi__allocation_log_check(const ubi__allocation_log *log);
void ubi__allocation_log_init(ubi__allocation_log *log, uint32_t limit, const ubi_allocator *allocator);
/** Forgets the entries and frees their memory; the flag and the limit stay. */
void ubi__allocation_log_clear(ubi__allocation_log *log);
void ubi__allocation_log_drop_oldest(ubi__allocation_log *log);
/** The new entry's place. NULL: no memory for even one. *lost: an entry was lost for lack of memory, the oldest or this. */
ubi__log_entry *ubi__allocation_log_make_room(ubi__allocation_log *log, bool *lost);
/** The i-th oldest; i < count. */
static inline ubi__log_entry *ubi__allocation_log_at(const ubi__allocation_log *log, uint32_t i) {
    uint32_t at = log->first + UBI_INDEX(i, log->count);
    return &log->at[at >= log->capacity ? at - log->capacity : at];
}
/** Appends; when the log is full the oldest entry gives way. False: an entry was lost for lack of memory. */
static inline bool ubi__allocation_log_append(ubi__allocation_log *log, const ubi__log_entry *entry) {
    if (__builtin_expect(log->count == log->limit && log->capacity == log->limit, 1)) {
        log->at[log->first] = *entry;
        log->first = log->first + 1 == log->capacity ? 0 : log->first + 1;
        log->first_number++;
        log->has_overflowed = true;
        return true;
    }
    bool lost = false;
    ubi__log_entry *to = ubi__allocation_log_make_room(log, &lost);
    if (to)
        *to = *entry;
    return !lost;
}
/** At least 1. Does not set the flag. */
void ubi__allocation_log_set_limit(ubi__allocation_log *log, uint32_t limit);

#endif
