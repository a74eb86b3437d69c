/* SPDX-License-Identifier: MIT
 *
 * strings_values.h: the parameters of `strings`, of which the command line takes some for itself.
 */
#ifndef UBI_QUESTIONS_STRINGS_VALUES_H
#define UBI_QUESTIONS_STRINGS_VALUES_H

#include "questions/question.h"

typedef struct ubi__strings_values {
    bool wants_duplicates;
    uint64_t min_length, limit;
    const char *where, *sort;
    /* Of the command line: an audit of the whole file in place of an answer. */
    bool wants_audit, with_all;
    const char *fail_on;
} ubi__strings_values;

extern const ubi__usage ubi__usage_strings;
extern const ubi__question ubi__question_strings;

#endif
