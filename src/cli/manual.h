/* SPDX-License-Identifier: MIT
 *
 * manual.h: everything that is derived from the command and option tables.
 *
 * `command` NULL means the program as a whole.
 */
#ifndef UBI_CLI_MANUAL_H
#define UBI_CLI_MANUAL_H

#include "cli/command.h"

/** Help for the terminal. */
void ubi__manual_help(ubi__out *out, const ubi__style *style, const ubi__command *command);
/** How to begin and the names of all commands, on one screen. */
void ubi__manual_short_help(ubi__out *out, const ubi__style *style);
/** A man page in roff: ubiheap(1) or ubiheap-COMMAND(1). */
void ubi__manual_man_page(ubi__out *out, const ubi__command *command);
/** The reference page of all commands, questions and their parameters. */
void ubi__manual_markdown(ubi__out *out);
/** A completion script for bash. */
void ubi__manual_bash_completion(ubi__out *out);

/** One row of "usage", "exit status" or "environment": {what, meaning}, ended by a NULL. */
typedef struct ubi__manual_row {
    const char *word, *help;
} ubi__manual_row;
extern const ubi__manual_row ubi__manual_usage[];
extern const ubi__manual_row ubi__manual_exit_codes[];
extern const ubi__manual_row ubi__manual_environment[];
extern const char ubi__manual_about[];

/** Text in a cell of a table of Markdown, which a bar would end. */
void ubi__manual_cell(ubi__out *out, const char *text);

/** The reference page of the remote protocol, from its tables of actors. */
void ubi__manual_rdp_markdown(ubi__out *out);
/** The reference page of the HTTP interface, from its table of routes and those of questions. */
void ubi__manual_http_markdown(ubi__out *out);

#endif
