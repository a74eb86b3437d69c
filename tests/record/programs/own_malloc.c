/* SPDX-License-Identifier: MIT
 *
 * own_malloc.c: a program with a malloc of its own.
 */
#include <stddef.h>
#include <string.h>

static _Alignas(16) char pool[1 << 20];
static size_t used;

void *malloc(size_t size) {
    void *block = pool + used;
    used += (size + 15) & ~(size_t)15;
    return block;
}

void free(void *block) {
    (void)block;
}

void *calloc(size_t n, size_t size) {
    return memset(malloc(n * size), 0, n * size);
}

void *realloc(void *block, size_t size) {
    void *larger = malloc(size);
    return block ? memmove(larger, block, size) : larger;
}

int main(void) {
    void *volatile block = malloc(3);
    free(block);
    return 0;
}
