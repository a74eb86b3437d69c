/* SPDX-License-Identifier: MIT
 *
 * breakdown_choice.h: the options about a breakdown and its tree, which several commands have.
 */
#ifndef UBI_CLI_BREAKDOWN_CHOICE_H
#define UBI_CLI_BREAKDOWN_CHOICE_H

#include <ubiheap/core/census.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "render/census_tree_text.h"

/** What was asked for; a part of the command's struct of arguments. */
typedef struct ubi__breakdown_arguments {
    const char *breakdown, *filter;
    bool wants_tree;
    int inverted;
    uint64_t limit, depth;
} ubi__breakdown_arguments;

/** Rows of an option table; `base` is the offset of the ubi__breakdown_arguments in the struct of arguments. */
#define UBI__BREAKDOWN_OPTIONS(base) UBI__BREAKDOWN_ROWS(base, 'i')
/** For a command in which -i is another option. */
#define UBI__BREAKDOWN_OPTIONS_WITHOUT_LETTER(base) UBI__BREAKDOWN_ROWS(base, 0)
#define UBI__BREAKDOWN_ROWS(base, letter)                                                                              \
    { "breakdown",                                                                                                     \
      'b',                                                                                                             \
      UBI__OPTION_TEXT,                                                                                                \
      (base) + offsetof(ubi__breakdown_arguments, breakdown),                                                          \
      "SPEC",                                                                                                          \
      NULL,                                                                                                            \
      "how to group: a preset, JSON, or @FILE with JSON in it",                                                        \
      "the preset default" },                                                                                          \
        { "tree",                                                                                                      \
          0,                                                                                                           \
          UBI__OPTION_FLAG,                                                                                            \
          (base) + offsetof(ubi__breakdown_arguments, wants_tree),                                                     \
          NULL,                                                                                                        \
          NULL,                                                                                                        \
          "with --json: print the tree instead of the report",                                                         \
          NULL },                                                                                                      \
        { "inverted",                                                                                                  \
          letter,                                                                                                      \
          UBI__OPTION_SWITCH,                                                                                          \
          (base) + offsetof(ubi__breakdown_arguments, inverted),                                                       \
          NULL,                                                                                                        \
          NULL,                                                                                                        \
          "turn the tree over: what the nodes are first, then where they are; the default is the preset's",            \
          NULL },                                                                                                      \
    {                                                                                                                  \
        "filter", 0, UBI__OPTION_TEXT, (base) + offsetof(ubi__breakdown_arguments, filter), "TEXT", NULL,              \
            "keep only paths of the tree with TEXT in a name, a file or a function; upper and lower case differ", NULL \
    }

#define UBI__TREE_TEXT_OPTIONS(base)                                                                                   \
    UBI__OPTION_LIMIT((base) + offsetof(ubi__breakdown_arguments, limit), "text: show N rows per level; 0: all",       \
                      "10"),                                                                                           \
    {                                                                                                                  \
        "depth", 'd', UBI__OPTION_NUMBER, (base) + offsetof(ubi__breakdown_arguments, depth), "N", NULL,               \
            "text: show N levels; 0: all; frames that follow each other without a branch count a quarter", "5"         \
    }

/** The presets, for the manual. */
extern const ubi__glossary ubi__breakdown_presets_glossary;

/** A breakdown and the text it came from. All zero: none yet. */
typedef struct ubi__breakdown_choice {
    ubi_breakdown *breakdown;
    ubi__vec_u8 file; /* owned text of @FILE */
    ubi_text json;    /* what was parsed; NULL text: the default */
    bool is_inverted; /* the preset's wish */
} ubi__breakdown_choice;

/**
 * Finds and parses a breakdown. `spec` NULL: the default. `cli->subject` is the command, to which messages refer.
 * Errors: UBI_EINVAL, UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__breakdown_choose(ubi__breakdown_choice *choice, const char *spec, const ubi__cli *cli);
void ubi__breakdown_choice_fini(ubi__breakdown_choice *choice);

/** UBI_EINVAL when the breakdown and a file of the command line would both be read from standard input. */
ubi_status ubi__breakdown_check_input(const ubi__breakdown_arguments *arguments, const char *path);
/** The same for an output, which must not be the FILE of @FILE. */
ubi_status ubi__breakdown_check_output(const ubi__breakdown_arguments *arguments, const char *output);
/** Whether one of the options asks for a tree, even with --json. */
bool ubi__breakdown_wants_tree(const ubi__breakdown_arguments *arguments);
/** Options for building the tree. */
ubi_census_tree_options ubi__breakdown_tree_options(const ubi__breakdown_arguments *arguments,
                                                    const ubi__breakdown_choice *choice);
/** Options for showing it. */
ubi__census_text_options ubi__breakdown_text_options(const ubi__breakdown_arguments *arguments,
                                                     const ubi__breakdown_choice *choice, const ubi__cli *cli);
/** The key "breakdown" with the text of the breakdown. */
void ubi__breakdown_write_json(ubi__json *json, const ubi__breakdown_choice *choice);

#endif
