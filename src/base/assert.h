/* SPDX-License-Identifier: MIT
 *
 * assert.h: invariants that run.
 *
 * An invariant that is prose beside a struct is a function beside it, called where the struct changes hands:
 *
 *     // Rows are sorted by name, and no two names are equal.
 *     void ubi__names_check(const ubi__names *names);
 *
 *     void ubi__names_check(const ubi__names *names) {
 *         UBI_ASSERT(names->n <= names->capacity);
 *         if (UBI_CHECKS)
 *             for (uint32_t i = 1; i < names->n; i++)
 *                 UBI_ASSERT(ubi_text_compare(names->at[i - 1], names->at[i]) < 0);
 *     }
 *
 * Checks run where the build defines UBI_CHECKS as 1: the presets dev, asan, tsan and fuzz. In release builds nothing in
 * them is evaluated, and no instruction is left. A check may cost as much as what its function does anyway (O(n) after a
 * sort); one that would change a program's order of growth looks at a sample.
 *
 * What comes from outside (files, programs, options) is never asserted: that is an error with a message.
 *
 * Every _check has a test that damages its struct and sees it fail: tests/support/damage.h.
 *
 * Nothing else of ours is needed here, so that headers which ship with the QuickJS adapter can use it.
 */
#ifndef UBI_BASE_ASSERT_H
#define UBI_BASE_ASSERT_H

#ifndef UBI_CHECKS
#define UBI_CHECKS 0
#endif

#if !UBI_CHECKS
#define UBI_ASSERT(condition) ((void)sizeof(!(condition)))
#define UBI_INDEX(index, count) (index)
#else
#include <stdio.h>
#include <stdlib.h>

#define UBI_ASSERT(condition)                                                                                          \
    (__builtin_expect(!!(condition), 1) ? (void)0 : ubi__assertion_failed(#condition, __FILE__, __LINE__, __func__))

/** Says what does not hold, and aborts. */
__attribute__((noreturn, cold, noinline, unused)) static void ubi__assertion_failed(const char *condition,
                                                                                    const char *file, int line,
                                                                                    const char *function) {
    fprintf(stderr, "%s:%d: %s: does not hold: %s\n", file, line, function, condition);
    abort();
}

/** `index`, evaluated once, which must be one of `count` rows. */
#define UBI_INDEX(index, count)                                                                                        \
    __extension__({                                                                                                    \
        __typeof__(index) ubi_index_ = (index);                                                                        \
        UBI_ASSERT(ubi_index_ < (count));                                                                              \
        ubi_index_;                                                                                                    \
    })
#endif

#endif
