/* SPDX-License-Identifier: MIT
 *
 * terminal.h: what the output can show.
 */
#ifndef UBI_CLI_TERMINAL_H
#define UBI_CLI_TERMINAL_H

#include "render/display.h"

/** Columns when the output is no terminal and COLUMNS is not set. */
#define UBI__COLUMNS_UNKNOWN 100

/**
 * Style for a descriptor.
 *
 * Colour: `choice` "always" or "never" decide; "auto" (or NULL) means a terminal that is not "dumb", unless NO_COLOR is
 * set and not empty. More than ASCII: unless LC_ALL, LC_CTYPE or LANG, the first that is set, names another charset
 * than UTF-8. Columns: COLUMNS, else the terminal's, else UBI__COLUMNS_UNKNOWN.
 */
ubi__style ubi__terminal_style(int fd, const char *choice);

#endif
