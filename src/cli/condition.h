/* SPDX-License-Identifier: MIT
 *
 * condition.h: --fail-on, a condition on a whole snapshot or on a pair, for jobs that must fail when it holds.
 *
 * In a command:
 *
 *     UBI__FAIL_ON(AT(fail_on)),                                          in its option table
 *     ubi__condition *condition;
 *     UBI_TRY(ubi__condition_parse(&condition, arguments->fail_on, UBI__CONDITION_COMPARISON));   before any loading
 *     ... open, compute, write the usual output ...
 *     status = ubi__condition_check(exit_code, cli, condition, &(ubi__condition_facts){ .graph = new, .old = old });
 *     ubi__condition_free(condition);
 *
 * Without --fail-on the condition is NULL and all of this does nothing. When it holds, the exit code becomes
 * UBI__EXIT_CONDITION, and cli->reason the line that main prints after all output. A condition that cannot be judged is
 * not one that does not hold: the exit code is UBI__EXIT_INPUT then.
 *
 * ubi__condition_names: classes that a condition names but no file has: a misspelt name must not let a job pass in silence.
 *
 *     ubi__condition_names names;
 *     UBI_TRY(ubi__condition_names_init(&names, condition, NULL));
 *     for each class of each file: ubi__condition_names_add(&names, name);
 *     ubi__condition_names_report(&names, cli, n_files);
 *     ubi__condition_names_fini(&names);
 */
#ifndef UBI_CLI_CONDITION_H
#define UBI_CLI_CONDITION_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/query.h>
#include <ubiheap/views/lens.h>

#include "cli/command.h"

/** What a condition is checked against; all borrowed. */
typedef struct ubi__condition_facts {
    const ubi_graph *graph;           /**< the snapshot, or NEW */
    const ubi_graph *old;             /**< UBI__CONDITION_COMPARISON: OLD */
    const ubi_view *view, *old_view;  /**< for dominators; NULL: ubi_view_of */
    const ubi_look *look, *old_look;  /**< for sizes and classes, and their view; NULL: those of the graph */
    const ubi_dominators *dominators; /**< of `graph` by `view`, if the command has them; NULL: made when needed */
    uint64_t n_matches;               /**< UBI__CONDITION_SELECTION */
} ubi__condition_facts;

typedef struct ubi__condition ubi__condition;

/**
 * @param text  the expression, borrowed as long as the condition lives; NULL: *out becomes NULL.
 * Errors: UBI_EINVAL (with the position of the mistake), UBI_ENOMEM.
 */
ubi_status ubi__condition_parse(ubi__condition **out, const char *text, ubi__condition_scope scope);
/** NULL is fine. */
void ubi__condition_free(ubi__condition *condition);

/** The facts that the expression names, with their arguments (ubi_query_value_at). 0 for NULL. */
uint32_t ubi__condition_value_count(const ubi__condition *condition);
ubi_query_value ubi__condition_value_at(const ubi__condition *condition, uint32_t i);
/** Whether the expression asks for `name`, so that a command gathers it only then. False for NULL. */
bool ubi__condition_asks(const ubi__condition *condition, const char *name);

/**
 * Gathers the facts that the expression names, and no others, and evaluates it. When it holds, sets *exit_code and
 * cli->reason. A NULL condition never holds.
 * Cost: O(nodes) per kind of fact; with retained(LABEL) a dominator tree. Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__condition_check(int *exit_code, ubi__cli *cli, const ubi__condition *condition,
                                const ubi__condition_facts *facts);

/* ---- of facts that a command has itself -------------------------------------------------------------------------- */

/** @param vocabulary  the command's facts, ended by one without a name; static. Else as ubi__condition_parse. */
ubi_status ubi__condition_parse_own(ubi__condition **out, const char *text, const ubi_query_name *vocabulary);
/** As ubi__condition_check, with each fact that the expression names from `measure` (questions/facts.h). */
ubi_status ubi__condition_check_own(int *exit_code, ubi__cli *cli, const ubi__condition *condition,
                                    ubi__condition_measure *measure, void *payload);
/** The same of facts that may be estimates. If their limits do not decide the condition, the exit code becomes UBI__EXIT_INPUT. */
ubi_status ubi__condition_check_estimates(int *exit_code, ubi__cli *cli, const ubi__condition *condition,
                                          const ubi__condition_estimates *estimates);

/* ---- names of classes ------------------------------------------------------------------------------------------- */

struct ubi__condition_name;

/** All zeroes: of no condition. */
typedef struct ubi__condition_names {
    struct ubi__condition_name *at; /* owned */
    uint32_t n, capacity;
    const ubi__condition_words *words;
} ubi__condition_names;

/** The word that an argument of small letters without quotes is near to; NULL: it is one, or near to none. Static. */
const char *ubi__condition_word_meant(const ubi__condition_words *words, const ubi_query_value *value);
/** @param words  or NULL. The condition is borrowed; NULL: there are no names. Errors: UBI_ENOMEM. */
ubi_status ubi__condition_names_init(ubi__condition_names *out, const ubi__condition *condition,
                                     const ubi__condition_words *words);
/** All zeroes is fine. */
void ubi__condition_names_fini(ubi__condition_names *names);
/** A class that a file has. Cost: O(its length) for each name. */
void ubi__condition_names_add(ubi__condition_names *names, ubi_text class_name);
/**
 * One line on standard error for each name that none of `n_files` has, after the output so far. True: one of them is a
 * misspelt word of `words`, so that the condition asks for something else than was meant.
 */
bool ubi__condition_names_report(const ubi__condition_names *names, ubi__cli *cli, int n_files);

#endif
