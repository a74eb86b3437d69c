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
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory_limits.h"

/* By which the file grows. */
#define STEP_BYTES ((size_t)16 << 20)
/*
 * V8 looks up millions of hash nodes in no order while it appends edges and names. Mixed, each page would hold a fifth of what is looked up,
 * and the kernel would read each of them back again and again. So blocks of each small size have slabs of their own.
 */
#define SLAB_BYTES ((size_t)64 << 10)
#define UNIT_BYTES ((size_t)16)
/* V8 formats names in blocks of 1,024 bytes: one size more than the largest that is never cut off. */
#define SMALL_BYTES ((size_t)1008)
#define N_CLASSES (SMALL_BYTES / UNIT_BYTES + 1)
/* A freed block below this keeps its pages, and is not looked at: to read its size would bring its page back. */
#define LARGE_BYTES ((size_t)64 << 10)
#define MOST_LARGE 1024
#define PAGE_BYTES ((uintptr_t)4096)
/* A block this large stays in memory while the control group has room for it and this much more, for pages to come and go. */
#define RESIDENT_BYTES ((size_t)1 << 20)
#define ROOM_LEFT_BYTES ((uint64_t)32 << 20)

/* Before each block that is not in a slab of small ones. */
typedef struct block_head {
    size_t size_bytes, unused;
} block_head;

/* Whole slabs, from which blocks are cut off; both from base on. */
typedef struct block_run {
    size_t at, end;
} block_run;

static struct {
    uint8_t *base;                  /* of reserved addresses; NULL: never opened */
    _Atomic(size_t) reserved_bytes; /* from base on; all threads ask for it */
    size_t ready_bytes;             /* of them, those that the file has */
    size_t used_bytes;              /* of them, those in slabs that were taken */
    uint8_t *classes;               /* per slab: units of its blocks; 0: they have heads */
    block_run small[N_CLASSES];     /* [units] */
    block_run others;
    const uint8_t *newest;       /* of the others */
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

/* The rest of a run is in slabs of its own kind, which were taken. */
static void run_check(const block_run *run, size_t units) {
    UBI_ASSERT(run->at <= run->end && run->end <= spill.used_bytes);
    if (run->at < run->end)
        UBI_ASSERT(spill.classes[run->at / SLAB_BYTES] == units && spill.classes[(run->end - 1) / SLAB_BYTES] == units);
}

static void spill_check(void) {
    UBI_ASSERT(spill.used_bytes <= spill.ready_bytes && spill.ready_bytes <= spill.reserved_bytes);
    UBI_ASSERT(spill.ready_bytes % STEP_BYTES == 0 && spill.used_bytes % SLAB_BYTES == 0);
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

uint64_t ubi__spill_room(const char *folder) {
    struct statfs about;
    struct rlimit largest;
    if (statfs(folder, &about) != 0)
        return 0;
    uint64_t free_bytes = (uint64_t)about.f_bavail * (uint64_t)about.f_bsize;
    if (getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur != RLIM_INFINITY && largest.rlim_cur < free_bytes)
        free_bytes = largest.rlim_cur;
    return free_bytes;
}

bool ubi__spill_suits(const char *folder) {
    struct statfs about;
    int fd = statfs(folder, &about) == 0 && about.f_type != TMPFS_MAGIC && about.f_type != RAMFS_MAGIC
                 ? nameless_open(folder)
                 : -1;
    if (fd < 0)
        return false;
    close(fd);
    return ubi__spill_room(folder) >= UBI__SPILL_LEAST_BYTES;
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
    /* NORESERVE: only what is written to takes memory. */
    void *classes = mmap(NULL, largest_bytes / SLAB_BYTES + 1, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (classes == MAP_FAILED) {
        munmap(base, largest_bytes);
        close(spill.fd);
        return false;
    }
    spill.base = base;
    spill.classes = classes;
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
    /* Of a limit of addresses the spill has what was left: malloc has none for such blocks. */
    ubi__memory_limits limits = ubi__memory_limits_read(0);
    return limits.address_space.name || ubi__memory_room(&limits.group) < size_bytes + ROOM_LEFT_BYTES;
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

/* More for a run: after its end, or, where that is another's, from there on. @return false: full. */
static bool slabs_take(block_run *run, size_t n_bytes, size_t units) {
    n_bytes += (SLAB_BYTES - n_bytes % SLAB_BYTES) % SLAB_BYTES;
    while (spill.ready_bytes - spill.used_bytes < n_bytes)
        if (!file_grow())
            return false;
    if (run->end != spill.used_bytes)
        run->at = spill.used_bytes;
    memset(spill.classes + spill.used_bytes / SLAB_BYTES, (int)units, n_bytes / SLAB_BYTES);
    spill.used_bytes += n_bytes;
    run->end = spill.used_bytes;
    return true;
}

static void *small_alloc(size_t size_bytes) {
    size_t units = size_bytes ? (size_bytes + UNIT_BYTES - 1) / UNIT_BYTES : 1, block_bytes = units * UNIT_BYTES;
    block_run *run = &spill.small[units];
    if (run->end - run->at < block_bytes && !slabs_take(run, SLAB_BYTES, units))
        return NULL;
    run->at += block_bytes;
    run_check(run, units);
    return spill.base + run->at - block_bytes;
}

/* Where the next one begins. */
static size_t other_place(size_t alignment) {
    return (spill.others.at + sizeof(block_head) + alignment - 1) & ~(alignment - 1);
}

/* What both parameters add up to is less than twice the reserved addresses. */
static void *other_alloc(size_t size_bytes, size_t alignment) {
    block_run *run = &spill.others;
    size_t at = other_place(alignment);
    if (at + size_bytes > run->end) {
        bool continues = run->end == spill.used_bytes;
        size_t more_bytes = continues ? at + size_bytes - run->end : size_bytes + alignment + sizeof(block_head);
        if (!slabs_take(run, more_bytes, 0))
            return NULL;
        at = other_place(alignment);
    }
    uint8_t *block = spill.base + at;
    ((block_head *)(void *)block)[-1].size_bytes = size_bytes;
    run->at = at + size_bytes;
    spill.newest = block;
    run_check(run, 0);
    if (size_bytes >= LARGE_BYTES)
        large_note(block);
    return block;
}

void *ubi__spill_alloc(size_t size_bytes, size_t alignment) {
    void *block = NULL;
    if (alignment < UNIT_BYTES)
        alignment = UNIT_BYTES;
    if (!spill.is_full && size_bytes <= spill.reserved_bytes && alignment <= spill.reserved_bytes)
        block = size_bytes <= SMALL_BYTES && alignment == UNIT_BYTES ? small_alloc(size_bytes)
                                                                     : other_alloc(size_bytes, alignment);
    spill.is_full = !block;
    spill_check();
    return block;
}

bool ubi__spill_contains(const void *block) {
    const uint8_t *base = atomic_load_explicit(&spill.base_all, memory_order_acquire);
    return base && (uintptr_t)block - (uintptr_t)base < spill.reserved_bytes;
}

size_t ubi__spill_block_bytes(const void *block) {
    size_t units = spill.classes[(size_t)((const uint8_t *)block - spill.base) / SLAB_BYTES];
    return units ? units * UNIT_BYTES : ((const block_head *)block)[-1].size_bytes;
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
    spill.others.at = (size_t)((const uint8_t *)block - spill.base) + n_bytes;
    spill.newest = NULL;
    run_check(&spill.others, 0);
}
