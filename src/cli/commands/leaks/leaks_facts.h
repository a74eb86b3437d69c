/* SPDX-License-Identifier: MIT
 *
 * leaks_facts.h: what --fail-on and --verdict of `ubiheap leaks` understand.
 */
#ifndef UBI_CLI_LEAKS_FACTS_H
#define UBI_CLI_LEAKS_FACTS_H

#include <ubiheap/core/leaks.h>

#include "cli/condition.h"

/** The facts of a condition, ended by one without a name. */
extern const ubi_query_name ubi__leaks_facts[];

/** The verdicts. */
extern const ubi__condition_words ubi__leaks_verdict_words;

/** Verdicts possible with these files and options: some need a third snapshot, or a control. */
typedef struct ubi__leaks_reach {
    uint32_t n_heaps;
    bool has_control;
} ubi__leaks_reach;

/**
 * Bits of the verdicts in a list such as "steady,large"; of NULL 0.
 * Errors: UBI_EINVAL (no such verdict, or impossible with these files).
 */
ubi_status ubi__leaks_parse_verdicts(uint32_t *out, const char *list, const ubi__leaks_reach *reach);
/** UBI_EINVAL if the condition asks for verdicts that are impossible with these files: it would never hold. */
ubi_status ubi__leaks_check_condition(const ubi__condition *condition, const ubi__leaks_reach *reach);
/** As ubi__condition_measure; the payload is a ubi_leaks. */
ubi_status ubi__leaks_measure(ubi__condition_value *out, void *payload, ubi_query_value value);

#endif
