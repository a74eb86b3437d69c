/* SPDX-License-Identifier: MIT
 *
 * summary_choice.h: which nodes a summary is about: those of a filter, of a native context, of a span of time, and those for
 * which an expression holds. What is given must all hold.
 */
#ifndef UBI_QUESTIONS_SUMMARY_CHOICE_H
#define UBI_QUESTIONS_SUMMARY_CHOICE_H

#include "questions/node_filter.h"
#include "questions/summary/summary_values.h"

typedef struct ubi__summary_choice {
    const ubi__summary_values *values; /**< borrowed */
    ubi__node_filter *where;           /**< owned, or NULL */
    const char *context;               /**< name of the lens's filter for --context, or NULL */
    uint64_t context_id;               /**< 0: of none in particular */
    /** Rows of --filter and --context among the filters of the lens, once that is known; or NULL. */
    const ubi_lens_filter *filter, *context_filter;
    const ubi_allocator *memory;
    uint64_t *only; /**< owned; a bit per node; NULL: all */
    size_t n_words;
} ubi__summary_choice;

/** Checks the values without any heap. Errors: UBI_EINVAL, UBI_ENOMEM. */
ubi_status ubi__summary_choice_parse(ubi__summary_choice *out, const ubi__summary_values *values);
/** Fills `only`. Errors: UBI_EINVAL (the lens has no such filter), those of finding older ids, UBI_ENOMEM, ... */
ubi_status ubi__summary_choice_make(ubi__summary_choice *choice, const ubi_look *look, const ubi__asked *asked);
/** All zeroes is fine. */
void ubi__summary_choice_fini(ubi__summary_choice *choice);

/** The filters that can be asked for by name, as a list for the manual. */
extern const ubi__glossary ubi__summary_filters_glossary;

#endif
