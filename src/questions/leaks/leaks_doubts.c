/* SPDX-License-Identifier: MIT
 *
 * leaks_doubts.c: what speaks against a condition on leaks that does not hold.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/human.h"
#include "questions/leaks/leaks_answer.h"
#include "render/heap_labels.h"

/* Less is the noise of any program. */
#define NOTABLE_BYTES (UINT64_C(1) << 20)

/* "passed, but this; that". */
static void UBI_PRINTF(2, 3) doubt_add(char reason[UBI__REMARK_BYTES], const char *format, ...) {
    va_list arguments;
    size_t n = strlen(reason);
    va_start(arguments, format);
    n += (size_t)snprintf(reason + n, UBI__REMARK_BYTES - n, n ? "; " : "passed, but ");
    vsnprintf(reason + n, UBI__REMARK_BYTES - n, format, arguments);
    va_end(arguments);
}

static uint64_t growth_in_leaps(const ubi__leaks_answer *answer) {
    uint64_t bytes = ubi__leaks_growth_with_room(answer->leaks);
    return bytes > NOTABLE_BYTES ? bytes : 0;
}

/* By at least so much the heap grew with each step; 0: it did not, or by little. */
static uint64_t growth_with_each_step(const ubi__leaks_answer *answer) {
    uint64_t least = UINT64_MAX, in_old = ubi_leaks_heap(answer->leaks, 0)->tally.bytes;
    for (uint32_t i = 1; i < ubi_leaks_heap_count(answer->leaks); i++)
        least = ubi__smaller(least, ubi__subtract_u64(ubi_leaks_heap(answer->leaks, i)->tally.bytes,
                                                      ubi_leaks_heap(answer->leaks, i - 1)->tally.bytes));
    return answer->series.n > 2 && least > NOTABLE_BYTES && least > in_old / 10 ? least : 0;
}

static void doubt_growth(const ubi__leaks_answer *answer, char reason[UBI__REMARK_BYTES]) {
    uint64_t unlisted_bytes = ubi__leaks_remaining_growth(answer), leap_bytes = growth_in_leaps(answer);
    uint64_t step_bytes = growth_with_each_step(answer);
    char size[UBI__HUMAN_TEXT];
    if (unlisted_bytes)
        doubt_add(reason, "the heap grew by %s that no listed object accounts for; '%s > 1MiB' asks for it",
                  ubi__human_size(size, unlisted_bytes), answer->series.n > 2 ? "unlisted(steady)" : "unlisted(grew)");
    if (leap_bytes)
        doubt_add(
            reason,
            "objects of OLD grew by %s with %s: set up once, or with room in reserve, as a Map has; six snapshots "
            "decide",
            ubi__human_size(size, leap_bytes), answer->series.n == 3 ? "one of the two steps" : "some of the steps");
    if (step_bytes && !unlisted_bytes && !leap_bytes)
        doubt_add(reason, "the heap grew by %s or more with each step", ubi__human_size(size, step_bytes));
}

void ubi__leaks_remark(ubi__remarks *remarks, const void *answer_of) {
    const ubi__leaks_answer *answer = answer_of;
    const char *unsized = ubi__without_size(answer->graph);
    bool is_same_run = ubi__leaks_same_run(answer);
    if (!is_same_run)
        doubt_add(remarks->passed, "the files are of several processes: what grew from one to the other is unknown");
    else if (!ubi_leaks_order_is_known(answer->leaks))
        doubt_add(remarks->passed,
                  "the order of the files could not be checked: neither ids nor times of creation show it");
    if (is_same_run)
        doubt_growth(answer, remarks->passed);
    if (unsized)
        doubt_add(remarks->passed, "%s have no size in these files", unsized);
}
