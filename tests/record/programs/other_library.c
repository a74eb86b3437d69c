/* SPDX-License-Identifier: MIT
 *
 * other_library.c: for another C library than glibc; allocates in some ways, and exits with 5.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    void *aligned = NULL;
    char *p = malloc(100);
    strcpy(p, "alive");
    p = realloc(p, 100000);
    if (posix_memalign(&aligned, 64, 1000) != 0)
        return 1;
    void *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || munmap(mapped, 8192) != 0)
        return 2;
    puts(p);
    free(aligned);
    free(p);
    return 5;
}
