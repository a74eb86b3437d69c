/* SPDX-License-Identifier: MIT
 *
 * options.h: reading a command line by an option table, and the numbers in it.
 *
 * Forms: --name, --name=VALUE, --name VALUE, -x, -xVALUE, -x VALUE, -- (everything after it is an operand), - (an
 * operand). Options and operands may be mixed, unless the command says otherwise. The last of a repeated option wins,
 * except for lists; of those that can be given once only, a second is an error. Rows of aliases set the option of the row above them; messages have the option's own name.
 */
#ifndef UBI_CLI_OPTIONS_H
#define UBI_CLI_OPTIONS_H

#include <ubiheap/core/base.h>

#include "cli/command.h"

/** Options and where their values go. */
typedef struct ubi__option_table {
    const ubi__parameter *parameters;
    void *values;
    const ubi__parameter
        *elsewhere; /**< options of another command, which is named to who gives one of them; NULL: none */
    const char *elsewhere_command; /**< then: how that is called */
} ubi__option_table;

/**
 * Reads argv[0..argc), moving operands to its front. Values not given keep what they were, but NUMBERs start with their
 * standard value.
 *
 * @param n_operands  how many operands there are.
 * @param tables      tables[n_tables]; the first that has an option wins.
 * @param first       options end at the first operand.
 * Errors: UBI_EINVAL with a message for the user, a suggestion included.
 */
ubi_status ubi__options_parse_first(int *n_operands, char **argv, int argc, const ubi__option_table *tables,
                                    int n_tables, bool first);
/** The same, mixed. */
ubi_status ubi__options_parse(int *n_operands, char **argv, int argc, const ubi__option_table *tables, int n_tables);

#endif
