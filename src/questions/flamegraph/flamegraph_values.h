/* SPDX-License-Identifier: MIT
 *
 * flamegraph_values.h: the parameters of `flamegraph`.
 */
#ifndef UBI_QUESTIONS_FLAMEGRAPH_VALUES_H
#define UBI_QUESTIONS_FLAMEGRAPH_VALUES_H

#include "questions/question.h"
#include "questions/recording/asked_window.h"

typedef struct ubi__flamegraph_values {
    const char *output; /**< a file of the command line, or NULL */
    const char *format; /**< of a page "svg", which is the default, or "text" */
    const char *by, *process;
    ubi__asked_window window;
    bool is_inverted, with_allocators;
    int symbols, wrappers;
    uint64_t rows, limit;
    ubi__texts suppress;
} ubi__flamegraph_values;

extern const ubi__usage ubi__usage_flamegraph;
extern const ubi__question ubi__question_flamegraph;

#endif
