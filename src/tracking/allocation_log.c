/* SPDX-License-Identifier: MIT
 *
 * allocation_log.c: the ring.
 */
#include "tracking/allocation_log.h"

#include "tracking/tool_memory.h"

#define FIRST_ENTRIES 64

void ubi__allocation_log_init(ubi__allocation_log *log, uint32_t limit, const ubi_allocator *allocator) {
    *log = (ubi__allocation_log){ .allocator = allocator, .limit = limit };
}

void ubi__allocation_log_clear(ubi__allocation_log *log) {
    ubi__tool_free(log->allocator, log->at, log->capacity, sizeof *log->at);
    log->at = NULL;
    log->first_number += log->count;
    log->capacity = log->first = log->count = 0;
}

void ubi__allocation_log_drop_oldest(ubi__allocation_log *log) {
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
    return true;
}

ubi__log_entry *ubi__allocation_log_make_room(ubi__allocation_log *log, bool *lost) {
    *lost = log->count < log->limit && log->count == log->capacity && !log_grow(log);
    if (*lost || log->count == log->limit) {
        log->overflowed = true;
        if (log->count == 0)
            return NULL;
        ubi__allocation_log_drop_oldest(log);
    }
    log->count++;
    return ubi__allocation_log_at(log, log->count - 1);
}

void ubi__allocation_log_set_limit(ubi__allocation_log *log, uint32_t limit) {
    log->limit = limit;
    while (log->count > limit)
        ubi__allocation_log_drop_oldest(log);
}
