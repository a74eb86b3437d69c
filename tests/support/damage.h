/* SPDX-License-Identifier: MIT
 *
 * damage.h: that a check of base/assert.h sees what is wrong.
 *
 *     static void check_names(void *names) {
 *         ubi__names_check(names);
 *     }
 *
 *     names.n = names.capacity + 1;
 *     assert_damage_seen(check_names, &names, "names->n <= names->capacity");
 *
 * Where checks are compiled out, nothing is asked.
 */
#ifndef UBI_TESTS_DAMAGE_H
#define UBI_TESTS_DAMAGE_H

#include <stdbool.h>

#include "base/assert.h"

/**
 * True when check(payload), run in a child process, was ended by an assertion whose line holds `expected`. What the child
 * printed otherwise, and how it ended, goes to stderr.
 */
bool damage_is_seen(void (*check)(void *payload), void *payload, const char *expected);

#define assert_damage_seen(check, payload, expected)                                                                   \
    do {                                                                                                               \
        if (UBI_CHECKS)                                                                                                \
            assert_true(damage_is_seen(check, payload, expected));                                                     \
    } while (0)

#endif
