/* SPDX-License-Identifier: MIT
 *
 * inside_getattr.c: the first allocation of a thread is one that pthread_getattr_np makes while it holds the thread's lock, as
 * Java's threads do.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *out) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        abort();
    pthread_attr_destroy(&attributes);
    void *volatile p = malloc(4321);
    free(p);
    return out;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
        abort();
    puts("done");
    return 0;
}
