/* SPDX-License-Identifier: MIT
 *
 * command.h: what a command is.
 *
 * Most commands are questions (questions/question.h): what answers them is there, and here is what a terminal adds. Others, and those
 * that do more than ask, are one file in commands/ that exports one `const ubi__command`, with a line in registry.c. The parser, the help
 * text, the man page and the shell completion come from the usage, whose parameters are the options.
 */
#ifndef UBI_CLI_COMMAND_H
#define UBI_CLI_COMMAND_H

#include <stddef.h>

#include <ubiheap/core/base.h>

#include "cli/terminal.h"
#include "questions/question.h"

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

/** Options that every command has. */
typedef struct ubi__common {
    bool wants_json;
    bool wants_help;
    const char *color; /**< "auto", "always", "never" */
    int progress;
    uint64_t threads;
    const char *compat; /**< read by all, shown by those with `has_firefox_mode` */
    /* Of commands that ask questions about heaps: */
    int cache;                /**< 1: keep an index in the cache folder; -1: do not look there */
    bool with_index;          /**< keep one beside the heap */
    const char *cache_folder; /**< NULL: the usual one */
    const char *keep;         /**< where the snapshot of a program that runs is kept; NULL: nowhere */
} ubi__common;

/** Bytes of the line that explains UBI__EXIT_CONDITION. */
#define UBI__REASON_TEXT 1024

/** What a command runs with. */
typedef struct ubi__cli {
    ubi__common common;
    ubi__standard_output *output;
    ubi__page page; /**< on standard output */
    ubi__progress_line progress;
    ubi_compat compat;
    const char *subject; /**< what an error message is about: a file or the command; borrowed */
    const char *label;   /**< what the file of a question is called in place of its path; or NULL; borrowed */
    /** Why the exit code is not 0 though all was written; or what an unmet condition leaves undecided; or "". */
    char reason[UBI__REASON_TEXT];
} ubi__cli;

/** Threads for an analysis; 0: as many as there are processors. */
static inline unsigned ubi__cli_threads(const ubi__cli *cli) {
    return cli->common.threads < UINT32_MAX ? (unsigned)cli->common.threads : 0;
}

typedef struct ubi__command {
    const ubi__usage *usage;
    const ubi__question *question;      /**< that it asks, if it does */
    const struct ubi__command *related; /**< whose options users look for here; NULL: none */
    const char *related_words;          /**< then: how it is called for that, as in "record --pid PID" */
    int least_operands; /**< it takes fewer than its usage says in some cases, and checks that; 0: never */
    /**
     * Does the work; not UBI_OK becomes one line on stderr and an exit code. May store another code in *exit_code. NULL: asking is all.
     */
    ubi_status (*run)(ubi__cli *cli, void *arguments, char **operands, int n_operands, int *exit_code);
} ubi__command;

/** All commands, group by group, ended by NULL. */
extern const ubi__command *const ubi__commands[];
/** Options of every command. */
extern const ubi__parameter ubi__common_options[];
/** --compat: shown for those commands whose answer it can change, and read by the others as well, for old scripts. */
extern const ubi__parameter ubi__compat_options[];

/** Where indexes and snapshots are kept: of commands that ask questions about heaps. */
extern const ubi__parameter ubi__index_options[];
static inline bool ubi__command_has_index(const ubi__command *command) {
    return command->question && command->question->schema;
}

/** Its usage is right, and it has one way to run. */
void ubi__command_check(const ubi__command *command);
/** By name or alias; or NULL. */
const ubi__command *ubi__command_find(const char *name);
/** The closest of the command names to a misspelt one, or NULL when none is near. */
const char *ubi__command_suggest(const char *name);
/** The title of the group that this command is the first of; NULL for the others. */
const char *ubi__command_group(const ubi__command *command);
/** What FILE without a command means. */
const ubi__command *ubi__command_default(void);

#endif
