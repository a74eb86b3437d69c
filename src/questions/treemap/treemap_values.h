/* SPDX-License-Identifier: MIT
 *
 * treemap_values.h: the parameters of `treemap`.
 */
#ifndef UBI_QUESTIONS_TREEMAP_VALUES_H
#define UBI_QUESTIONS_TREEMAP_VALUES_H

#include "questions/breakdown_choice.h"
#include "questions/question.h"

typedef struct ubi__treemap_values {
    ubi__breakdown_arguments tree;
    const char *output; /**< a file of the command line, or NULL */
    const char *format; /**< of a page "svg", which is the default, or "text" */
    const char *by;
    uint64_t width, height, depth;
    uint64_t top, offset,
        least_area; /**< of a census: the id of the row at the top, 0: the root; rows left out; square pixels */
} ubi__treemap_values;

extern const ubi__usage ubi__usage_treemap;
extern const ubi__question ubi__question_treemap;

#endif
