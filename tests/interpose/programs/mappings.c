/* SPDX-License-Identifier: MIT
 *
 * mappings.c: maps, cuts, moves and replaces memory; says of each call that made a mapping what exists of it at the end:
 * `L size left`.
 */
#include <sys/mman.h>

#include "truth.h"

#define PAGE 4096ul

static char *map(size_t pages) {
    char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    return p;
}

/* Of one call of so many pages, so many are left. */
static void made(size_t pages, size_t left) {
    char line[64];
    truth_write(line, snprintf(line, sizeof line, "L %zu %zu\n", pages * PAGE, left * PAGE));
}

/* As aligned allocators do: more than is wanted, of which both ends go. */
static void trim(void) {
    char *p = map(64);
    munmap(p, 3 * PAGE);
    munmap(p + 35 * PAGE, 29 * PAGE);
    made(64, 32);
}

/* Page by page, from both sides and from the middle. */
static void nibble(void) {
    char *p = map(7);
    static const int order[] = { 0, 6, 3, 1, 5, 2 };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        munmap(p + order[i] * PAGE, PAGE);
    made(7, 1);
    p = map(7);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        munmap(p + order[i] * PAGE, PAGE);
    munmap(p + 4 * PAGE, PAGE);
    made(7, 0);
}

/* One munmap over three mappings that lie side by side, two of which lose a part. */
static void span(void) {
    char *p = map(12);
    mmap(p + 4 * PAGE, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mmap(p + 8 * PAGE, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    munmap(p + 2 * PAGE, 7 * PAGE);
    made(12, 2);
    made(4, 0);
    made(4, 3);
}

/* Moved in part, onto a part of another; shrunk in place. */
static void move(void) {
    char *p = map(10), *to = map(10);
    mremap(p + 6 * PAGE, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to + 3 * PAGE);
    made(10, 6);
    made(10, 6);
    made(4, 4);
    p = map(9);
    mremap(p, 9 * PAGE, 5 * PAGE, 0);
    made(9, 0);
    made(5, 5);
}

int main(int argc, char **argv) {
    (void)argc;
    truth_begin();
    char *whole = map(10);
    made(10, 10);

    munmap(map(20), 20 * PAGE);
    made(20, 0);

    char *holed = map(30); /* a hole of 10 pages from the 10th on */
    munmap(holed + 10 * PAGE, 10 * PAGE);
    made(30, 20);

    char *replaced = map(5); /* page 2 becomes a mapping of its own */
    mmap(replaced + 2 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    made(5, 4);
    made(1, 1);

    char *moved = map(4), *wall = map(1); /* neither can be sure to stay where it is */
    moved = mremap(moved, 4 * PAGE, 400 * PAGE, MREMAP_MAYMOVE);
    made(4, 0);
    made(400, 400);
    made(1, 1);
    if (mremap(wall, PAGE, SIZE_MAX / 2, MREMAP_MAYMOVE) != MAP_FAILED)
        abort(); /* nothing happened */

    int fd = open(argv[0], O_RDONLY); /* neither anonymous nor, below, private */
    char *file = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    file = mremap(file, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
    mmap(NULL, 50 * PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (munmap(whole + 1, PAGE) == 0) /* not a page */
        abort();

    char *end = sbrk(0);
    if (sbrk(8 * PAGE) != end || brk(end + 6 * PAGE) != 0)
        abort();
    made(8, 6);
    trim();
    nibble();
    span();
    move();
    truth_mark(TRUTH_END); /* does not move the end again, being too large for it */
    return file == MAP_FAILED;
}
