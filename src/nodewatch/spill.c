/* SPDX-License-Identifier: MIT
 *
 * spill.c: see spill.h.
 */
#include "nodewatch/spill.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory_limits.h"

/* By which the file grows. */
#define STEP_BYTES ((size_t)16 << 20)
/* A freed block below this keeps its pages, and is not looked at: to read its size would bring its page back. */
#define LARGE_BYTES ((size_t)64 << 10)
#define MOST_LARGE 1024
/* A disk with less is full. */
#define LEAST_FREE_BYTES ((uint64_t)64 << 20)
#define PAGE_BYTES ((uintptr_t)4096)
/* A block this large stays in memory while the control group has room for it and this much more, for pages to come and go. */
#define RESIDENT_BYTES ((size_t)1 << 20)
#define ROOM_LEFT_BYTES ((uint64_t)32 << 20)

/* Before each block. */
typedef struct block_head {
    size_t size_bytes, unused;
} block_head;

static struct {
    uint8_t *base;               /* of reserved addresses; NULL: never opened */
    size_t reserved_bytes;       /* from base on */
    size_t ready_bytes;          /* of them, those that the file has */
    size_t used_bytes;           /* of them, those that were given out */
    const uint8_t *newest;       /* block */
    _Atomic(pthread_t) owner;    /* while is_open */
    _Atomic(uint8_t *) base_all; /* base, for all threads */
    atomic_bool is_open;
    int fd;
    bool is_full;
} spill;

/* Large blocks that are not freed, for all threads; those beyond are never given back. */
static struct {
    pthread_mutex_t lock;
    size_t n;
    void *blocks[MOST_LARGE];
} large = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void spill_check(void) {
    UBI_ASSERT(spill.used_bytes <= spill.ready_bytes && spill.ready_bytes <= spill.reserved_bytes);
    UBI_ASSERT(spill.ready_bytes % STEP_BYTES == 0);
}

/* ---- the file ----------------------------------------------------------------------------------------------------- */

/* Not all file systems have files without a name. */
static int nameless_open(const char *folder) {
    char path[PATH_MAX];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (size_t)snprintf(path, sizeof path, "%s/ubiheap-XXXXXX", folder) >= sizeof path)
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

bool ubi__spill_suits(const char *folder, uint64_t *free_bytes) {
    struct statfs about;
    int fd = statfs(folder, &about) == 0 && about.f_type != TMPFS_MAGIC && about.f_type != RAMFS_MAGIC
                 ? nameless_open(folder)
                 : -1;
    if (fd < 0)
        return false;
    close(fd);
    *free_bytes = (uint64_t)about.f_bavail * (uint64_t)about.f_bsize;
    return *free_bytes >= LEAST_FREE_BYTES;
}

bool ubi__spill_open(const char *folder, size_t largest_bytes) {
    if (spill.base)
        return false;
    spill.fd = nameless_open(folder);
    if (spill.fd < 0)
        return false;
    largest_bytes -= largest_bytes % STEP_BYTES;
    void *base = mmap(NULL, largest_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        close(spill.fd);
        return false;
    }
    spill.base = base;
    spill.reserved_bytes = largest_bytes;
    atomic_store(&spill.owner, pthread_self());
    atomic_store(&spill.base_all, spill.base);
    atomic_store(&spill.is_open, true);
    spill_check();
    return true;
}

void ubi__spill_close(void) {
    size_t rest_bytes = spill.reserved_bytes - spill.ready_bytes;
    atomic_store(&spill.is_open, false);
    spill.reserved_bytes = spill.ready_bytes; /* before others can have the rest */
    if (rest_bytes)
        munmap(spill.base + spill.ready_bytes, rest_bytes);
}

bool ubi__spill_is_full(void) {
    return spill.is_full;
}

uint64_t ubi__spill_bytes(void) {
    return spill.used_bytes;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

/* Read around a page would read a megabyte for each that was written out. */
static bool file_grow(void) {
    uint8_t *at = spill.base + spill.ready_bytes;
    off_t offset = (off_t)spill.ready_bytes;
    if (spill.ready_bytes == spill.reserved_bytes || posix_fallocate(spill.fd, offset, (off_t)STEP_BYTES) != 0 ||
        mmap(at, STEP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, spill.fd, offset) == MAP_FAILED)
        return false;
    madvise(at, STEP_BYTES, MADV_RANDOM);
    spill.ready_bytes += STEP_BYTES;
    spill_check();
    return true;
}

bool ubi__spill_takes(size_t size_bytes) {
    if (!ubi__spill_is_mine() || size_bytes < RESIDENT_BYTES)
        return ubi__spill_is_mine();
    ubi__memory_limits limits = ubi__memory_limits_read(0);
    return ubi__memory_room(&limits.group) < size_bytes + ROOM_LEFT_BYTES;
}

bool ubi__spill_is_mine(void) {
    return atomic_load_explicit(&spill.is_open, memory_order_relaxed) &&
           pthread_equal(atomic_load_explicit(&spill.owner, memory_order_relaxed), pthread_self());
}

static void large_note(void *block) {
    pthread_mutex_lock(&large.lock);
    if (large.n < MOST_LARGE)
        large.blocks[large.n++] = block;
    pthread_mutex_unlock(&large.lock);
}

/* @return whether it was one. */
static bool large_forget(const void *block) {
    pthread_mutex_lock(&large.lock);
    size_t i = 0;
    while (i < large.n && large.blocks[i] != block)
        i++;
    bool was_one = i < large.n;
    if (was_one)
        large.blocks[i] = large.blocks[--large.n];
    pthread_mutex_unlock(&large.lock);
    return was_one;
}

void *ubi__spill_alloc(size_t size_bytes, size_t alignment) {
    if (alignment < sizeof(block_head))
        alignment = sizeof(block_head);
    size_t at = (spill.used_bytes + sizeof(block_head) + alignment - 1) & ~(alignment - 1);
    if (spill.is_full || size_bytes > spill.reserved_bytes || alignment > spill.reserved_bytes) {
        spill.is_full = true;
        return NULL;
    }
    while (at + size_bytes > spill.ready_bytes)
        if (!file_grow()) {
            spill.is_full = true;
            return NULL;
        }
    uint8_t *block = spill.base + at;
    ((block_head *)(void *)block)[-1].size_bytes = size_bytes;
    spill.used_bytes = at + size_bytes;
    spill.newest = block;
    if (size_bytes >= LARGE_BYTES)
        large_note(block);
    spill_check();
    return block;
}

bool ubi__spill_contains(const void *block) {
    const uint8_t *base = atomic_load_explicit(&spill.base_all, memory_order_acquire);
    return base && (uintptr_t)block - (uintptr_t)base < spill.reserved_bytes;
}

size_t ubi__spill_block_bytes(const void *block) {
    return ((const block_head *)block)[-1].size_bytes;
}

void ubi__spill_free(void *block) {
    if (!large_forget(block))
        return;
    uintptr_t start = ((uintptr_t)block + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1),
              end = ((uintptr_t)block + ubi__spill_block_bytes(block)) & ~(PAGE_BYTES - 1);
    if (end > start)
        madvise((void *)start, end - start, MADV_REMOVE);
}

void ubi__spill_shrink(const void *block, size_t size_bytes, size_t n_bytes) {
    if (block != spill.newest || ubi__spill_block_bytes(block) != size_bytes || n_bytes > size_bytes)
        return;
    ((block_head *)(void *)(uintptr_t)block)[-1].size_bytes = n_bytes;
    spill.used_bytes = (size_t)((const uint8_t *)block - spill.base) + n_bytes;
    spill.newest = NULL;
    spill_check();
}
