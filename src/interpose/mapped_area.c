/* SPDX-License-Identifier: MIT
 *
 * mapped_area.c: see mapped_area.h.
 */
#include "interpose/mapped_area.h"

#include "base/assert.h"
#include "interpose/system_calls.h"

#define PAGE_BYTES 4096u
#define SEGMENT_BYTES ((size_t)UBI__WIRE_SEGMENT_CHUNKS * UBI__WIRE_CHUNK_BYTES)
_Static_assert(SEGMENT_BYTES % PAGE_BYTES == 0, "segments are pages, whose last one leads to the next");

static ubi__wire_header *first; /* NULL: nothing is mapped */
static size_t first_bytes;
/* NULL: not mapped. Those that do not lie in the first piece have a page before them. */
static uint8_t *_Atomic segments[UBI__WIRE_SEGMENTS];

static bool is_error(long p) {
    return p < 0 && p > -4096;
}

static bool is_known(const ubi__wire_header *area, const ubi__wire_welcome *welcome) {
    return area->magic == UBI__WIRE_MAGIC && area->version == UBI__WIRE_VERSION &&
           area->n_chunks == welcome->n_chunks && area->period_bytes > 0;
}

ubi__wire_header *ubi__area_map(int fd, const ubi__wire_welcome *welcome) {
    uint32_t n = welcome->first_chunks;
    long p = -ENOMEM;
    if (welcome->magic != UBI__WIRE_MAGIC || welcome->n_chunks > UBI__WIRE_CHUNKS || n > welcome->n_chunks)
        return NULL;
    n -= n % UBI__WIRE_SEGMENT_CHUNKS;
    for (; n >= UBI__WIRE_SEGMENT_CHUNKS; n -= UBI__WIRE_SEGMENT_CHUNKS) {
        p = ubi__system(SYS_mmap, 0, (long)ubi__wire_area_bytes(n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        fd, 0);
        if (!is_error(p))
            break;
    }
    if (is_error(p))
        return NULL;
    if (!is_known((ubi__wire_header *)p, welcome)) {
        ubi__pages_free((void *)p, ubi__wire_area_bytes(n));
        return NULL;
    }
    first = (ubi__wire_header *)p;
    first_bytes = ubi__wire_area_bytes(n);
    for (uint32_t i = 0; i < n / UBI__WIRE_SEGMENT_CHUNKS; i++)
        atomic_store(&segments[i], (uint8_t *)p + UBI__WIRE_CHUNKS_AT + i * SEGMENT_BYTES);
    return first;
}

/*
 * A shared mapping that is "moved" from a size of 0 stays, and appears at a second place, where it may be longer: so the
 * last page of a segment leads to the next one.
 */
static uint8_t *map_segment(uint32_t i) {
    uint8_t *before = i ? atomic_load_explicit(&segments[i - 1], memory_order_acquire) : NULL, *seen = NULL;
    if (!before)
        return NULL;
    long p = ubi__system(SYS_mremap, (long)(before + SEGMENT_BYTES - PAGE_BYTES), 0, PAGE_BYTES + SEGMENT_BYTES,
                         MREMAP_MAYMOVE, 0, 0);
    if (is_error(p))
        return NULL;
    uint8_t *segment = (uint8_t *)p + PAGE_BYTES;
    if (atomic_compare_exchange_strong(&segments[i], &seen, segment))
        return segment;
    ubi__pages_free((void *)p, PAGE_BYTES + SEGMENT_BYTES); /* another thread was faster */
    return seen;
}

uint8_t *ubi__area_chunk(uint32_t i) {
    UBI_ASSERT(i < UBI__WIRE_CHUNKS);
    uint32_t number = i / UBI__WIRE_SEGMENT_CHUNKS;
    uint8_t *segment = atomic_load_explicit(&segments[number], memory_order_acquire);
    if (!segment)
        segment = map_segment(number);
    return segment ? segment + (size_t)(i % UBI__WIRE_SEGMENT_CHUNKS) * UBI__WIRE_CHUNK_BYTES : NULL;
}

ubi__wire_header *ubi__area_map_header_again(ubi__wire_header *area) {
    long p = ubi__system(SYS_mremap, (long)area, 0, PAGE_BYTES, MREMAP_MAYMOVE, 0, 0);
    return is_error(p) ? NULL : (ubi__wire_header *)p;
}

void ubi__area_unmap_header(ubi__wire_header *area) {
    ubi__pages_free(area, PAGE_BYTES);
}

static void replace_mapping(void *p, size_t size_bytes) {
    (void)ubi__system(SYS_mmap, (long)p, (long)size_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void ubi__area_leave(void) {
    const uint8_t *end = (const uint8_t *)first + first_bytes;
    if (!first)
        return;
    for (uint32_t i = 0; i < UBI__WIRE_SEGMENTS; i++) {
        uint8_t *segment = atomic_exchange(&segments[i], NULL);
        if (segment && (segment < (uint8_t *)first || segment >= end))
            replace_mapping(segment - PAGE_BYTES, PAGE_BYTES + SEGMENT_BYTES);
    }
    replace_mapping(first, first_bytes);
    first = NULL;
}
