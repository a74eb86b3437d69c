/* SPDX-License-Identifier: MIT
 *
 * attached_plugin.c: a library that allocates, and is loaded after the recorder.
 */
#include <stdlib.h>
#include <string.h>

void *plugin_make(size_t size);
__attribute__((noinline)) void *plugin_make(size_t size) {
    void *p = malloc(size);
    if (p)
        memset(p, 7, size);
    return p;
}
