/* SPDX-License-Identifier: MIT
 *
 * cli_ask.h: the command line as a door to questions: files become sessions, and the answer a page or a document on standard output.
 */
#ifndef UBI_CLI_CLI_ASK_H
#define UBI_CLI_CLI_ASK_H

#include "cli/command.h"
#include "cli/heap_series.h"

/**
 * Asks about the first of the operands, and takes the others as parameters of the question. Messages about parameters name the
 * command, later ones the file.
 * A condition of --fail-on is judged when all is written (cli/condition.h).
 * @param values  as read from the options; operands are added.
 */
ubi_status ubi__cli_ask(ubi__cli *cli, const ubi__question *question, void *values, char **operands, int n_operands,
                        int *exit_code);
/** The same about heaps that were taken, in place of operands; descriptors that sessions own now are -1. */
ubi_status ubi__cli_ask_taken(ubi__cli *cli, const ubi__question *question, void *values, ubi__heap_series *series,
                              int *exit_code);
/** What an answer is worth before it is shown. @param exit_code  what a condition of --fail-on gives. */
typedef void ubi__cli_look(void *payload, const void *answer, int exit_code);
/**
 * Answers the same, and writes nothing: `look` gets the answer. Descriptors stay the caller's. Not for values that name more files.
 * Errors: as of ubi__cli_ask_taken.
 */
ubi_status ubi__cli_look_at_taken(ubi__cli *cli, const ubi__question *question, void *values,
                                  const ubi__heap_series *series, ubi__cli_look *look, void *payload);

#endif
