/* SPDX-License-Identifier: MIT
 *
 * report_values.h: the parameters of `report` of a heap. The command has more, for recordings.
 */
#ifndef UBI_QUESTIONS_REPORT_VALUES_H
#define UBI_QUESTIONS_REPORT_VALUES_H

#include "questions/question.h"

typedef struct ubi__report_values {
    bool with_detail;
    const char *fail_on; /**< of the command line */
} ubi__report_values;

extern const ubi__question ubi__question_report;

#endif
