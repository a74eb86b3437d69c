/* SPDX-License-Identifier: MIT
 *
 * command.h: what a command is.
 *
 * A command is one file in commands/ that exports one `const ubi__command` and has one line in registry.c. Its option
 * table is data: the parser, the help text, the man page and the shell completion all come from it. Parsed values land in
 * the command's own struct of arguments, at the offset that each option names.
 */
#ifndef UBI_CLI_COMMAND_H
#define UBI_CLI_COMMAND_H

#include <stddef.h>

#include <ubiheap/core/base.h>

#include "cli/terminal.h"
#include "render/display.h"

/** Exit codes, the contract with scripts. */
enum {
    UBI__EXIT_OK = 0,
    UBI__EXIT_CONDITION = 1, /**< a condition given with --fail-on holds */
    UBI__EXIT_USAGE = 2,     /**< wrong usage */
    UBI__EXIT_INPUT = 3,     /**< bad input file */
    UBI__EXIT_SYSTEM = 4,    /**< input/output, memory or system error */
    UBI__EXIT_INTERRUPTED = 130
};
/** The one translation of a status. */
int ubi__exit_code(ubi_status status);

typedef enum ubi__option_type {
    UBI__OPTION_FLAG,   /**< --x; bool */
    UBI__OPTION_SWITCH, /**< --x or --no-x; int: 1, -1, 0 when not given */
    UBI__OPTION_TEXT,   /**< --x VALUE; const char *, NULL when not given */
    UBI__OPTION_NUMBER, /**< --x N; uint64_t */
    UBI__OPTION_CHOICE, /**< --x WORD; const char *, one of `choices` */
    UBI__OPTION_LIST,   /**< --x VALUE, as often as one likes; ubi__option_list */
    UBI__OPTION_ALIAS   /**< another name or letter of the option above: accepted, but neither shown nor suggested */
} ubi__option_type;

#define UBI__OPTION_LIST_LENGTH 32

/** The values of a LIST, in their order. */
typedef struct ubi__option_list {
    const char *at[UBI__OPTION_LIST_LENGTH];
    uint32_t n;
} ubi__option_list;

typedef struct ubi__option {
    const char *name; /**< without dashes */
    char letter;      /**< short form, or 0 */
    ubi__option_type type;
    size_t offset;              /**< of the value in the struct of arguments */
    const char *argument;       /**< name of the value in help, such as "N"; NULL without value */
    const char *const *choices; /**< CHOICE: words, ended by NULL */
    const char *help;           /**< one sentence, no final point */
    const char *standard;       /**< the default, or NULL; for a NUMBER also the initial value */
} ubi__option;

/** Ends an option table. */
#define UBI__OPTION_END                                                                                                \
    { NULL, 0, UBI__OPTION_FLAG, 0, NULL, NULL, NULL, NULL }

/** Other spellings of the option above, such as a former one. */
#define UBI__ALIAS_NAME(name)                                                                                          \
    { name, 0, UBI__OPTION_ALIAS, 0, NULL, NULL, NULL, NULL }
#define UBI__ALIAS_LETTER(letter)                                                                                      \
    { "", letter, UBI__OPTION_ALIAS, 0, NULL, NULL, NULL, NULL }

/** How many rows to show, which every command asks for in the same words; a NUMBER. */
#define UBI__OPTION_LIMIT(offset, help, standard)                                                                      \
    { "limit", 'n', UBI__OPTION_NUMBER, offset, "N", NULL, help, standard }, UBI__ALIAS_NAME("top")

typedef struct ubi__example {
    const char *line; /**< without "ubiheap " */
    const char *help;
} ubi__example;

/** A list of words with explanations in a command's manual, such as the columns that one can ask for. */
typedef struct ubi__glossary {
    const char *title; /**< such as "Columns" */
    /** The i-th word and what it means; false after the last. */
    bool (*entry)(size_t i, const char **word, const char **help);
} ubi__glossary;

/** Options that every command has. */
typedef struct ubi__common {
    bool wants_json;
    bool wants_help;
    const char *color; /**< "auto", "always", "never" */
    int progress;
    uint64_t threads;
    const char *compat; /**< read by all, shown by those with `has_firefox_mode` */
} ubi__common;

/** Bytes of the line that explains UBI__EXIT_CONDITION. */
#define UBI__REASON_TEXT 1024

/** What a command runs with. */
typedef struct ubi__cli {
    ubi__common common;
    ubi__style style; /**< of standard output */
    ubi__standard_output *output;
    ubi__progress_line progress;
    ubi_compat compat;
    const char *subject; /**< what an error message is about: a file or the command; borrowed */
    /** Why the exit code is not 0 though all was written; or what an unmet condition leaves undecided; or "". */
    char reason[UBI__REASON_TEXT];
} ubi__cli;

/** Threads for an analysis; 0: as many as there are processors. */
static inline unsigned ubi__cli_threads(const ubi__cli *cli) {
    return cli->common.threads < UINT32_MAX ? (unsigned)cli->common.threads : 0;
}

typedef struct ubi__command {
    const char *name;
    const char *alias;    /**< another name, which is found but not shown; or NULL */
    const char *operands; /**< such as "FILE"; NULL: none */
    const char *summary;  /**< fits one line of 80 columns after the name */
    const char *question; /**< the question that the command answers; its help begins with it */
    /** Paragraphs of the manual; lines that start with two spaces stay as they are. */
    const char *description;
    const ubi__option *options;
    const ubi__glossary *glossary; /**< or NULL */
    const ubi__example *examples;  /**< ended by a NULL line; the first is the plainest */
    bool has_firefox_mode;         /**< --compat firefox can change the answer */
    int min_operands, max_operands;
    bool
        has_options_first; /**< the first operand ends the options: what follows belongs to it, whatever it looks like */
    size_t arguments_bytes; /**< size of the struct of arguments, which starts zeroed */
    /** Does the work; not UBI_OK becomes one line on stderr and an exit code. May store another code in *exit_code. */
    ubi_status (*run)(ubi__cli *cli, void *arguments, char **operands, int n_operands, int *exit_code);
} ubi__command;

/** All commands, group by group, ended by NULL. */
extern const ubi__command *const ubi__commands[];
/** Options of every command. */
extern const ubi__option ubi__common_options[];
/** --compat: shown for those commands whose answer it can change, and read by the others as well, for old scripts. */
extern const ubi__option ubi__compat_options[];

/** The command's table fits its struct of arguments and has all that help, manual and parser need. */
void ubi__command_check(const ubi__command *command);
/** By name or alias; or NULL. */
const ubi__command *ubi__command_find(const char *name);
/** The closest of the command names to a misspelt one, or NULL when none is near. */
const char *ubi__command_suggest(const char *name);
/** The title of the group that this command is the first of; NULL for the others. */
const char *ubi__command_group(const ubi__command *command);
/** What FILE without a command means. */
const ubi__command *ubi__command_default(void);

/** The first visible row from `option` on; NULL at the end of the table. */
const ubi__option *ubi__option_shown(const ubi__option *option);

#endif
