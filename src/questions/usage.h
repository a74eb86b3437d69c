/* SPDX-License-Identifier: MIT
 *
 * usage.h: how one asks for something: its name, what it takes, and what people read about it.
 *
 * The table of parameters is data: the command line, help, manual pages, completion, the documents of the list of questions and the
 * reader of JSON parameters all come from it. Values land in a struct of the owner, at the offset that each parameter names:
 *
 *     typedef struct tally_parameters { uint64_t limit; bool is_exact; } tally_parameters;
 *     #define AT(field) offsetof(tally_parameters, field)
 *
 *     static const ubi__parameter parameters[] = {
 *         UBI__LIMIT(AT(limit), "rows at most; 0: all", "10"),
 *         UBI__FLAG("exact", 0, AT(is_exact), "count what is the same only once"),
 *         UBI__PARAMETERS_END,
 *     };
 */
#ifndef UBI_QUESTIONS_USAGE_H
#define UBI_QUESTIONS_USAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <ubiheap/core/base.h>

#include "base/alloc.h"
#include "base/json_writer.h"

/* ---- parameters --------------------------------------------------------------------------------------------------- */

typedef enum ubi__parameter_kind {
    UBI__PARAMETER_FLAG,   /**< bool */
    UBI__PARAMETER_SWITCH, /**< int: 1 yes, -1 no, 0 not given; on a command line --x or --no-x */
    UBI__PARAMETER_TEXT,   /**< const char *; NULL when not given */
    UBI__PARAMETER_NUMBER, /**< uint64_t */
    UBI__PARAMETER_CHOICE, /**< const char *, one of `choices`; NULL when not given */
    UBI__PARAMETER_TEXTS,  /**< ubi__texts */
    UBI__PARAMETER_NODE,   /**< ubi__node_id */
    UBI__PARAMETER_NODES,  /**< ubi__vec_u64, owned; an option has them between commas, an operand is all that follow */
    UBI__PARAMETER_BREAKDOWN, /**< ubi__breakdown_spec */
    UBI__PARAMETER_HEAPS,     /**< ubi__heap_list; only of questions that take several heaps */
    UBI__PARAMETER_ALIAS /**< another name or letter of the row above, for the command line: neither shown nor suggested */
} ubi__parameter_kind;

/** Where a parameter can be given. */
typedef enum ubi__parameter_scope {
    UBI__SCOPE_ALL,
    UBI__SCOPE_PAGE,     /**< shapes the page of text; documents are the same without */
    UBI__SCOPE_TERMINAL, /**< only where there are files and exit codes */
    UBI__SCOPE_PROGRAM   /**< not on a command line */
} ubi__parameter_scope;

#define UBI__TEXTS_LENGTH 32

/** The values of a parameter that may be repeated, in their order. */
typedef struct ubi__texts {
    const char *at[UBI__TEXTS_LENGTH]; /**< of files on a command line: their paths, until they are read */
    uint32_t n;
    const char *paths[UBI__TEXTS_LENGTH]; /**< of files that were read; or NULL */
    ubi__vec_u8 files;                    /**< their texts, owned */
} ubi__texts;

/** The id of a node, as the file has it. */
typedef struct ubi__node_id {
    bool is_given;
    uint64_t id;
} ubi__node_id;

/** A breakdown as it was asked for. All zeroes: not given. */
typedef struct ubi__breakdown_spec {
    const char *text; /**< the name of a preset, or JSON; on a command line also @FILE, until the file is read */
    bool is_json;     /**< no name, whatever it looks like */
    const char *path; /**< that the text was read from; or NULL */
    ubi__vec_u8 file; /**< its text, owned */
} ubi__breakdown_spec;

/**
 * More heaps, which a door puts after the others: `n`, and on a command line what they are called. All zeroes: not given. Programs give
 * the number of them.
 */
typedef struct ubi__heap_list {
    uint32_t n;
    const char *paths; /**< between commas; or NULL */
} ubi__heap_list;

typedef struct ubi__parameter {
    const char *name; /**< with hyphens between words, without those in front */
    char letter;      /**< short form on a command line, or 0 */
    ubi__parameter_kind kind;
    ubi__parameter_scope scope;
    bool is_operand;  /**< on a command line an argument of its own, after the heaps, instead of an option */
    bool is_required; /**< operands only */
    const char *
        if_twice; /**< TEXT of a command line: giving it again is an error with this advice; NULL: the last one counts */
    bool is_path;               /**< TEXT for a terminal: a file that the answer depends on as well */
    bool has_files;             /**< TEXTS: on a command line, names of files that have the texts */
    size_t offset;              /**< of the value in the owner's struct */
    const char *argument;       /**< name of the value in help, such as "N"; NULL without value */
    const char *const *choices; /**< CHOICE: words, ended by NULL */
    const char *help;           /**< one sentence, no final point */
    const char *standard;       /**< the default in words, or NULL; for a NUMBER also the initial value */
    uint64_t least;             /**< NUMBER: smallest value */
} ubi__parameter;

/** Ends a table. */
#define UBI__PARAMETERS_END                                                                                            \
    { .name = NULL }

/* Rows. What follows the named arguments are further members, such as `.scope = UBI__SCOPE_PAGE`. */
#define UBI__FLAG(name_, letter_, offset_, help_, ...)                                                                 \
    { .name = name_, .letter = letter_, .kind = UBI__PARAMETER_FLAG, .offset = offset_, .help = help_, __VA_ARGS__ }
#define UBI__SWITCH(name_, letter_, offset_, help_, ...)                                                               \
    { .name = name_, .letter = letter_, .kind = UBI__PARAMETER_SWITCH, .offset = offset_, .help = help_, __VA_ARGS__ }
#define UBI__VALUE(kind_, name_, letter_, offset_, argument_, help_, standard_, ...)                                   \
    {                                                                                                                  \
        .name = name_, .letter = letter_, .kind = kind_, .offset = offset_, .argument = argument_, .help = help_,      \
        .standard = standard_, __VA_ARGS__                                                                             \
    }
#define UBI__TEXT(...) UBI__VALUE(UBI__PARAMETER_TEXT, __VA_ARGS__, )
#define UBI__NUMBER(...) UBI__VALUE(UBI__PARAMETER_NUMBER, __VA_ARGS__, )
#define UBI__BREAKDOWN(...) UBI__VALUE(UBI__PARAMETER_BREAKDOWN, __VA_ARGS__, )
#define UBI__NODE(...) UBI__VALUE(UBI__PARAMETER_NODE, __VA_ARGS__, )
#define UBI__NODES(...) UBI__VALUE(UBI__PARAMETER_NODES, __VA_ARGS__, )
#define UBI__HEAPS(...) UBI__VALUE(UBI__PARAMETER_HEAPS, __VA_ARGS__, )
#define UBI__TEXTS(name, letter, offset, argument, help)                                                               \
    UBI__VALUE(UBI__PARAMETER_TEXTS, name, letter, offset, argument, help, NULL, )
#define UBI__CHOICE(name, letter, offset, argument, choices_, help, standard, ...)                                     \
    UBI__VALUE(UBI__PARAMETER_CHOICE, name, letter, offset, argument, help, standard, .choices = choices_, __VA_ARGS__)

/** Other spellings of the row above, such as a former one. */
#define UBI__ALIAS_NAME(name_)                                                                                         \
    { .name = name_, .kind = UBI__PARAMETER_ALIAS }
#define UBI__ALIAS_LETTER(letter_)                                                                                     \
    { .name = "", .letter = letter_, .kind = UBI__PARAMETER_ALIAS }

/** How many rows to show, asked for in the same words everywhere; a NUMBER. */
#define UBI__LIMIT(offset, help, ...) UBI__NUMBER("limit", 'n', offset, "N", help, __VA_ARGS__), UBI__ALIAS_NAME("top")

/** Its name in JSON and in addresses: "max-paths" is maxPaths. Longest: UBI__PARAMETER_NAME_BYTES - 1. */
#define UBI__PARAMETER_NAME_BYTES 40
UBI__SERVER_API char *ubi__parameter_json_name(char out[UBI__PARAMETER_NAME_BYTES], const ubi__parameter *parameter);
/**
 * Messages of questions name parameters as options: "--max-paths". This copies one for a door where they have their JSON names:
 * "maxPaths". Names of other options stay.
 * @param out  out[n_bytes], cut to fit.
 */
void ubi__parameters_spell(char *out, size_t n_bytes, const char *message, const ubi__parameter *parameters);
/** A condition on the answer, which sets the exit code; its value is a `const char *`. */
#define UBI__FAIL_ON_IN_WORDS(offset, help)                                                                            \
    UBI__TEXT("fail-on", 0, offset, "EXPR", help, NULL, .scope = UBI__SCOPE_TERMINAL,                                  \
              .if_twice = "join conditions with 'or'")
#define UBI__FAIL_ON(offset)                                                                                           \
    UBI__FAIL_ON_IN_WORDS(offset, "exit with status 1 and say why when this condition holds, such as 'bytes > "        \
                                  "100MiB'")

/** The first row from `parameter` on that is no alias; NULL at the end of the table. */
UBI__SERVER_API const ubi__parameter *ubi__parameter_at(const ubi__parameter *parameter);
/** The same of rows that are options on a command line. */
const ubi__parameter *ubi__option_at(const ubi__parameter *parameter);
/** The text of a TEXT or CHOICE of this name among the values; NULL: not given, or there is none. */
const char *ubi__parameter_text(const void *values, const ubi__parameter *parameters, const char *name);
/** Bytes of a value of this kind. */
size_t ubi__parameter_value_bytes(ubi__parameter_kind kind);

/* ---- usages ------------------------------------------------------------------------------------------------------- */

typedef struct ubi__example {
    const char *line; /**< of the command line, without "ubiheap " */
    const char *help;
} ubi__example;

/** A list of words with explanations in a manual, such as the columns that one can ask for. */
typedef struct ubi__glossary {
    const char *title; /**< such as "Columns" */
    /** The i-th word and what it means; false after the last. */
    bool (*entry)(size_t i, const char **word, const char **help);
} ubi__glossary;

typedef struct ubi__usage {
    const char *name;
    const char *alias;    /**< another name, which is found but not shown; or NULL */
    const char *operands; /**< such as "FILE"; NULL: none */
    const char *summary;  /**< fits one line of 80 columns after the name */
    const char *question; /**< that it answers; its help begins with it */
    /** Paragraphs of the manual; lines that start with two spaces stay as they are. */
    const char *description;
    const ubi__parameter *parameters;
    const ubi__glossary *glossary; /**< or NULL */
    const ubi__example *examples;  /**< ended by a NULL line; the first is the plainest */
    bool has_firefox_mode;         /**< --compat firefox can change the answer */
    int min_operands, max_operands;
    bool
        has_options_first; /**< the first operand ends the options: what follows belongs to it, whatever it looks like */
    size_t arguments_bytes; /**< size of the struct of values, which starts zeroed */
} ubi__usage;

/** The table fits its struct of values and has all that help, manual and readers need. */
void ubi__usage_check(const ubi__usage *usage);
/** NUMBERs get their standard values. */
void ubi__usage_values_init(void *values, const ubi__parameter *parameters);
/** Frees what values own. */
void ubi__usage_values_fini(void *values, const ubi__parameter *parameters);

/** Adds all values to a key (base/key_bytes.h): equal bytes if and only if these are equal. Errors: UBI_ENOMEM. */
ubi_status ubi__usage_values_append(ubi__vec_u8 *out, const void *values, const ubi__parameter *parameters,
                                    const ubi_allocator *allocator);

/* ---- reading values ----------------------------------------------------------------------------------------------- */

/** Digits only, no sign. UBI_EINVAL when `text` is not that or does not fit; `what` names it in the message. */
UBI__SERVER_API ubi_status ubi__parse_number(uint64_t *out, const char *text, const char *what);
/** Reads an id: decimal, or hexadecimal after 0x, with an optional @ as in DevTools. UBI_EINVAL names `what`. */
ubi_status ubi__node_id_parse(uint64_t *out, const char *text, const char *what);
/**
 * Stores a value that was written as text: of all kinds but FLAG and SWITCH. TEXTS and NODES are added to.
 * @param text  borrowed as long as the values. @param what  names the parameter in messages.
 * Errors: UBI_EINVAL, UBI_ENOMEM.
 */
ubi_status ubi__parameter_store_text(void *values, const ubi__parameter *parameter, const char *text, const char *what);

/** Values that were read from JSON. All zeroes: none. */
typedef struct ubi__json_values {
    const ubi__usage *usage;
    void *values;      /**< of usage->arguments_bytes */
    ubi__vec_u8 texts; /**< that values point to */
} ubi__json_values;

/**
 * Reads an object of parameters by their JSON names; what is not given has its default. Parameters for a terminal are unknown here.
 * @param json  NULL text: no parameters.
 * Errors: UBI_EINVAL with the parameter's name and what was expected, UBI_ENOMEM; nothing is left to free then.
 */
UBI__SERVER_API ubi_status ubi__json_values_read(ubi__json_values *out, const ubi__usage *usage, ubi_text json);
UBI__SERVER_API void ubi__json_values_fini(ubi__json_values *values);
/**
 * Writes the object that ubi__json_values_read makes these values of: parameters in the order of the table, defaults left out. So equal
 * values have equal texts, which have no NUL.
 * @param values  that were read from JSON. @param with_page  also what shapes pages alone.
 */
UBI__SERVER_API void ubi__json_values_write(ubi__json *json, const ubi__usage *usage, const void *values,
                                            bool with_page);

#endif
