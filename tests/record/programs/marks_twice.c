/* SPDX-License-Identifier: MIT
 *
 * marks_twice.c: a program that looks at its own markers, with libubiheap, while it is recorded. Built by markers_test.py.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ubiheap/core/timeline.h>

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "%s\n", ubi_error_message());
    exit(1);
}

static void work(int n) {
    for (int i = 0; i < n; i++) {
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("work");
    }
}

int main(void) {
    ubi_timeline_target *target;
    ubi_timeline_markers *markers;
    must(ubi_timeline_target_new(&target, NULL));
    work(1);
    must(ubi_timeline_target_set_record_profile_timeline_markers(target, true));
    work(10);
    must(ubi_timeline_target_pop_profile_timeline_markers(target, &markers));
    must(ubi_timeline_target_set_record_profile_timeline_markers(target, false));
    work(100);
    printf("%zu\n", ubi_timeline_markers_count(markers));
    ubi_timeline_markers_free(markers);
    ubi_timeline_target_free(target);
    return 0;
}
