/* SPDX-License-Identifier: MIT
 *
 * mappings.c: maps, cuts, moves and replaces memory; tells what exists at the end: `L size address`.
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

static void live(const void *p, size_t pages) {
    char line[64];
    truth_write(line, snprintf(line, sizeof line, "L %zu %lx\n", pages * PAGE, (unsigned long)(uintptr_t)p));
}

int main(int argc, char **argv) {
    (void)argc;
    truth_begin();
    char *whole = map(10);
    live(whole, 10);

    munmap(map(20), 20 * PAGE);

    char *holed = map(30); /* a hole of 10 pages from the 10th on */
    munmap(holed + 10 * PAGE, 10 * PAGE);
    live(holed, 10);
    live(holed + 20 * PAGE, 10);

    char *replaced = map(5); /* page 2 becomes a mapping of its own */
    mmap(replaced + 2 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    live(replaced, 2);
    live(replaced + 2 * PAGE, 1);
    live(replaced + 3 * PAGE, 2);

    char *moved = map(4), *wall = map(1); /* neither can be sure to stay where it is */
    moved = mremap(moved, 4 * PAGE, 400 * PAGE, MREMAP_MAYMOVE);
    live(moved, 400);
    live(wall, 1);
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
    live(end, 6);
    truth_mark(TRUTH_END); /* does not move the end again, being too large for it */
    return file == MAP_FAILED;
}
