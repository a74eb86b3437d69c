/* SPDX-License-Identifier: MIT
 *
 * leaks_facts.h: what conditions on leaks, and lists of verdicts, understand.
 */
#ifndef UBI_QUESTIONS_LEAKS_FACTS_H
#define UBI_QUESTIONS_LEAKS_FACTS_H

#include <ubiheap/core/leaks.h>

#include "questions/leaks/leaks_answer.h"

/** The facts of a condition, ended by one without a name. */
extern const ubi_query_name ubi__leaks_facts[];

/** The verdicts. */
extern const ubi__condition_words ubi__leaks_verdict_words;

/**
 * Bits of the verdicts in a list such as "steady,large"; of NULL 0. Some need a third heap, or a control.
 * @param answer  prepared as far as its series. Errors: UBI_EINVAL (no such verdict, or impossible with these heaps).
 */
ubi_status ubi__leaks_parse_verdicts(uint32_t *out, const char *list, const ubi__leaks_answer *answer);
/** UBI_EINVAL if a condition asks for a verdict that is impossible with these heaps: it would never hold. */
ubi_status ubi__leaks_check_fact(const void *answer, const ubi_query_value *value);
/** As ubi__condition_measure; the payload is a computed answer. */
ubi_status ubi__leaks_measure(ubi__condition_value *out, void *payload, ubi_query_value value);

#endif
