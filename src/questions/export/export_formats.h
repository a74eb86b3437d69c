/* SPDX-License-Identifier: MIT
 *
 * export_formats.h: which formats `export` writes, for what asks it about a part of a recording.
 */
#ifndef UBI_QUESTIONS_EXPORT_EXPORT_FORMATS_H
#define UBI_QUESTIONS_EXPORT_EXPORT_FORMATS_H

#include <stdbool.h>

#include "questions/question.h"

extern const ubi__question ubi__question_export;

/** Whether the end of a file's name says one. */
bool ubi__export_is_named(const char *output);

#endif
