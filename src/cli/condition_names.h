/* SPDX-License-Identifier: MIT
 *
 * condition_names.h: classes that a condition names but no file has: a misspelt name must not let a job pass in silence.
 *
 *     ubi__condition_names names;
 *     UBI_TRY(ubi__condition_names_init(&names, condition, NULL));
 *     for each class of each file: ubi__condition_names_add(&names, name);
 *     ubi__condition_names_tell(&names, cli, n_files);
 *     ubi__condition_names_fini(&names);
 */
#ifndef UBI_CLI_CONDITION_NAMES_H
#define UBI_CLI_CONDITION_NAMES_H

#include "cli/condition.h"

/** Words that do not mean a class unless quoted; static. */
typedef struct ubi__condition_words {
    const char *what;                    /**< such as "verdict" */
    const char *(*word_at)(uint32_t ix); /**< NULL after the last */
} ubi__condition_words;

struct ubi__condition_name;

/** All zeroes: of no condition. */
typedef struct ubi__condition_names {
    struct ubi__condition_name *at; /* owned */
    uint32_t n, capacity;
    const ubi__condition_words *words;
} ubi__condition_names;

/** @param words  or NULL. The condition is borrowed; NULL: there are no names. Errors: UBI_ENOMEM. */
ubi_status ubi__condition_names_init(ubi__condition_names *out, const ubi__condition *condition,
                                     const ubi__condition_words *words);
/** All zeroes is fine. */
void ubi__condition_names_fini(ubi__condition_names *names);
/** A class that a file has. Cost: O(its length) for each name. */
void ubi__condition_names_add(ubi__condition_names *names, ubi_text class_name);
/** One line on standard error for each name that none of `n_files` has, after the output so far. */
void ubi__condition_names_tell(const ubi__condition_names *names, ubi__cli *cli, int n_files);

#endif
