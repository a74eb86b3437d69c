/* SPDX-License-Identifier: MIT
 *
 * breakdown_choice.h: the options about a breakdown and its tree, which several questions have.
 */
#ifndef UBI_QUESTIONS_BREAKDOWN_CHOICE_H
#define UBI_QUESTIONS_BREAKDOWN_CHOICE_H

#include <ubiheap/core/census.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "questions/usage.h"
#include "render/census_tree_rows.h"
#include "render/census_tree_text.h"

/** What was asked for; a part of the command's struct of arguments. */
typedef struct ubi__breakdown_arguments {
    ubi__breakdown_spec breakdown;
    const char *filter;
    bool wants_tree;
    int inverted;
    uint64_t limit, depth;
    /* A part of the tree. */
    uint64_t rows, parent, offset;
    const char *order;
} ubi__breakdown_arguments;

/** Rows of an option table; `base` is the offset of the ubi__breakdown_arguments in the struct of arguments. */
#define UBI__BREAKDOWN_PARAMETERS(base) UBI__BREAKDOWN_ROWS(base, 'i')
/** For a command in which -i is another option. */
#define UBI__BREAKDOWN_PARAMETERS_WITHOUT_LETTER(base) UBI__BREAKDOWN_ROWS(base, 0)
#define UBI__BREAKDOWN_ROWS(base, letter)                                                                              \
    UBI__BREAKDOWN("breakdown", 'b', (base) + offsetof(ubi__breakdown_arguments, breakdown), "SPEC",                   \
                   "how to group: a preset, JSON, or @FILE with JSON in it", "the preset default"),                    \
        UBI__FLAG("tree", 0, (base) + offsetof(ubi__breakdown_arguments, wants_tree),                                  \
                  "with --json: print the tree instead of the report"),                                                \
        UBI__SWITCH("inverted", letter, (base) + offsetof(ubi__breakdown_arguments, inverted),                         \
                    "turn the tree over: what the nodes are first, then where they are; the default is the preset's"), \
        UBI__TEXT(                                                                                                     \
            "filter", 0, (base) + offsetof(ubi__breakdown_arguments, filter), "TEXT",                                  \
            "keep only paths of the tree with TEXT in a name, a file or a function; upper and lower case differ",      \
            NULL)

#define UBI__TREE_TEXT_PARAMETERS(base)                                                                                \
    UBI__LIMIT((base) + offsetof(ubi__breakdown_arguments, limit), "text: show N rows per level; 0: all", "10",        \
               .scope = UBI__SCOPE_PAGE),                                                                              \
        UBI__NUMBER("depth", 'd', (base) + offsetof(ubi__breakdown_arguments, depth), "N",                             \
                    "text: show N levels; 0: all; frames that follow each other without a branch count a quarter",     \
                    "5", .scope = UBI__SCOPE_PAGE)

/** For programs that show a large tree a part at a time. */
#define UBI__TREE_ROWS_PARAMETERS(base)                                                                                \
    UBI__NUMBER("rows", 0, (base) + offsetof(ubi__breakdown_arguments, rows), "N",                                     \
                "instead of a whole tree or report, N of the rows below one row of the tree", "0: the whole",          \
                .scope = UBI__SCOPE_PROGRAM),                                                                          \
        UBI__NUMBER("parent", 0, (base) + offsetof(ubi__breakdown_arguments, parent), "ID",                            \
                    "with rows: that row, by its id", "0: the root", .scope = UBI__SCOPE_PROGRAM),                     \
        UBI__NUMBER("offset", 0, (base) + offsetof(ubi__breakdown_arguments, offset), "N",                             \
                    "with rows: leave the first N of them out", "0", .scope = UBI__SCOPE_PROGRAM),                     \
        UBI__TEXT("order", 0, (base) + offsetof(ubi__breakdown_arguments, order), "COLUMN",                            \
                  "with rows: bytes, totalBytes, count, totalCount or name; numbers descend and names ascend, + and "  \
                  "- in front choose; the default is what holds most first",                                           \
                  NULL, .scope = UBI__SCOPE_PROGRAM)

/** The presets, for the manual. */
extern const ubi__glossary ubi__breakdown_presets_glossary;

/** A breakdown and the text it came from. All zero: none yet. */
typedef struct ubi__breakdown_choice {
    ubi_breakdown *breakdown;
    ubi_text json;    /* what was parsed; NULL text: the default */
    bool is_inverted; /* the preset's wish */
} ubi__breakdown_choice;

/**
 * Finds and parses a breakdown. `asking`: what has a manual with the presets, for messages. The spec must outlive the choice.
 * Errors: UBI_EINVAL, UBI_ENOMEM.
 */
ubi_status ubi__breakdown_choose(ubi__breakdown_choice *choice, const ubi__breakdown_spec *spec, const char *asking,
                                 ubi_compat compat);
void ubi__breakdown_choice_fini(ubi__breakdown_choice *choice);

/** Errors: UBI_EINVAL: an order that there is not, or of no rows. */
ubi_status ubi__breakdown_check_rows(const ubi__breakdown_arguments *arguments);
/** The rows that were asked for. Errors: UBI_ENOTFOUND (no such parent). */
ubi_status ubi__breakdown_rows(ubi__census_rows *out, const ubi__breakdown_arguments *arguments,
                               const ubi_census_tree *tree);
/** Whether one of the options asks for a tree, even with --json. */
bool ubi__breakdown_wants_tree(const ubi__breakdown_arguments *arguments);
/** Options for building the tree. */
ubi_census_tree_options ubi__breakdown_tree_options(const ubi__breakdown_arguments *arguments,
                                                    const ubi__breakdown_choice *choice);
/** Options for showing it. */
ubi__census_text_options ubi__breakdown_text_options(const ubi__breakdown_arguments *arguments,
                                                     const ubi__breakdown_choice *choice, ubi_compat compat);
/** The key "breakdown" with the text of the breakdown. */
void ubi__breakdown_write_json(ubi__json *json, const ubi__breakdown_choice *choice);

#endif
