/* SPDX-License-Identifier: MIT
 *
 * run_input.h: whether what was typed so far is a whole text of JavaScript.
 */
#ifndef UBI_CLI_RUN_INPUT_H
#define UBI_CLI_RUN_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/** Brackets of a text that may be open at a time; with more it counts as whole. */
#define UBI__RUN_INPUT_DEPTH 1024

/**
 * Whether a bracket, a template or a comment of the text is open, so that more lines belong to it. A closing bracket without its
 * opening one ends the text: the engine says what is wrong. O(n).
 */
bool ubi__run_input_is_open(const char *text, size_t n);

#endif
