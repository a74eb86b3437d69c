/* SPDX-License-Identifier: MIT
 *
 * allocates.c: threads that allocate, with whatever allocator it is linked.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *out) {
    for (size_t i = 1; i < 20000; i++) {
        void *volatile p = malloc(i % 5000), *volatile q = calloc(3, i % 100);
        p = realloc(p, i % 9000 + 1);
        free(p);
        free(q);
    }
    return out;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            abort();
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
