/* SPDX-License-Identifier: MIT
 *
 * marking_plugin.c: a module that marks, is loaded and closed again. Built by markers_test.py.
 */
#include <stdio.h>

#include <ubiheap/core/marker.h>

void run(int turn);

__attribute__((constructor)) static void opened(void) {
    UBI_TIMELINE_TIMESTAMP("plugin opened", NULL);
}

__attribute__((destructor)) static void closed(void) {
    UBI_TIMELINE_TIMESTAMP("plugin closed", NULL);
}

void run(int turn) {
    char name[32];
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("plugin runs");
    snprintf(name, sizeof name, "turn %d", turn);
    ubi_marker_emit(name, UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), NULL);
}
