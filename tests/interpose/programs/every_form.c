/* SPDX-License-Identifier: MIT
 *
 * every_form.c: each C allocation function, each outcome of realloc, and calls that fail.
 */
#include <errno.h>
#include <malloc.h>

#include "truth.h"

void free_sized(void *p, size_t size) __attribute__((weak));
void free_aligned_sized(void *p, size_t alignment, size_t size) __attribute__((weak));

static int is_glibc;

static void release(void *p) {
    free(truth_free("free", p));
}

static void expect(int holds) {
    if (!holds)
        abort();
}

static void plain_blocks(void) {
    release(truth_alloc("malloc", malloc(100), 100));
    release(truth_alloc("malloc", malloc(0), 0));
    release(truth_alloc("calloc", calloc(3, 7), 21));
    release(truth_alloc("calloc", calloc(0, 7), 0));
    release(truth_alloc("malloc", malloc(3 << 20), 3 << 20)); /* mapped */
    free(NULL);
    char *copy = strdup("hello");
    release(truth_alloc("malloc", copy, 6));
}

static void refused_blocks(void) {
    errno = 0;
    expect(!malloc(SIZE_MAX / 2 + 1) && errno == ENOMEM);
    expect(!calloc(SIZE_MAX / 2, 4) && errno == ENOMEM);
}

static void *resize(void *p, size_t size) {
    truth_free("realloc", p);
    p = realloc(p, size);
    return truth_alloc("realloc", p, size);
}

static void resized_blocks(void) {
    void *p = truth_alloc("realloc", realloc(NULL, 24), 24);
    p = resize(p, 20);    /* stays */
    p = resize(p, 20000); /* moves */
    p = resize(p, 1 << 20);
    if (is_glibc) { /* nothing happens */
        expect(!realloc(p, SIZE_MAX / 2 + 1) && errno == ENOMEM);
        expect(!reallocarray(p, SIZE_MAX / 2, 4) && errno == ENOMEM);
    }
    truth_free("realloc", p);
    p = truth_alloc("reallocarray", reallocarray(p, 10, 33), 330);
    if (is_glibc) { /* others give a block */
        truth_free("realloc", p);
        expect(!realloc(p, 0)); /* a free */
    } else {
        release(p);
    }
    release(truth_alloc("reallocarray", reallocarray(NULL, 4, 4), 16));
}

static void aligned_blocks(void) {
    void *p = (void *)1;
    if (is_glibc) {
        expect(posix_memalign(&p, 3, 10) == EINVAL && p == (void *)1);
        expect(posix_memalign(&p, 64, SIZE_MAX / 2) == ENOMEM && p == (void *)1);
    }
    expect(posix_memalign(&p, 64, 100) == 0);
    release(truth_alloc("posix_memalign", p, 100));
    release(truth_alloc("aligned_alloc", aligned_alloc(128, 256), 256));
    release(truth_alloc("memalign", memalign(256, 50), 50));
    release(truth_alloc("valloc", valloc(60), 60));
    if (is_glibc) /* not all have it */
        release(truth_alloc("pvalloc", pvalloc(70), 70));
}

static void sized_frees(void) {
    if (!free_sized) /* this program is not recorded, and the C library has none */
        return;
    void *p = truth_alloc("malloc", malloc(30), 30);
    free_sized(truth_free("free_sized", p), 30);
    p = truth_alloc("aligned_alloc", aligned_alloc(32, 64), 64);
    free_aligned_sized(truth_free("free_sized", p), 32, 64);
}

/* With an argument: the allocator is not glibc's. */
int main(int argc, char **argv) {
    (void)argv;
    is_glibc = argc == 1;
    truth_begin();
    errno = 77;
    plain_blocks();
    expect(!is_glibc || errno == 77); /* what works leaves it alone */
    if (is_glibc)
        refused_blocks();
    resized_blocks();
    aligned_blocks();
    sized_frees();
    truth_end();
    return 0;
}
