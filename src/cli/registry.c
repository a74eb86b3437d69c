/* SPDX-License-Identifier: MIT
 *
 * registry.c: the list of commands: all questions, and what is not one. Adding a question needs nothing here (questions/list.h); another
 * command takes its file in commands/ and a line.
 */
#include "cli/command.h"

#include "base/assert.h"
#include "base/human.h"
#include "questions/list.h"

/* All commands, in the order of the help, and the titles of their groups. */
#define COMMANDS(GROUP, ASKS, OWN)                                                                                     \
    GROUP("Start")                                                                                                     \
    UBI__QUESTIONS_TO_START(ASKS)                                                                                      \
    OWN(help)                                                                                                          \
    GROUP("Who keeps it")                                                                                              \
    UBI__QUESTIONS_WHO_KEEPS_IT(ASKS)                                                                                  \
    GROUP("Compare")                                                                                                   \
    UBI__QUESTIONS_TO_COMPARE(ASKS)                                                                                    \
    GROUP("Look inside")                                                                                               \
    UBI__QUESTIONS_TO_LOOK_INSIDE(ASKS)                                                                                \
    GROUP("Run and record")                                                                                            \
    OWN(run)                                                                                                           \
    OWN(record)                                                                                                        \
    OWN(control)                                                                                                       \
    OWN(watch)                                                                                                         \
    OWN(attach)                                                                                                        \
    OWN(rss)                                                                                                           \
    UBI__QUESTIONS_OF_WHAT_RAN(ASKS)                                                                                   \
    GROUP("Serve")                                                                                                     \
    OWN(serve)                                                                                                         \
    OWN(mcp)                                                                                                           \
    GROUP("Files")                                                                                                     \
    UBI__QUESTIONS_OF_FILES(ASKS)                                                                                      \
    OWN(cache)                                                                                                         \
    OWN(convert)

#define NO_GROUP(title)
/* The command of a question is made here, others in their files. */
#define QUESTION_COMMAND(name)                                                                                         \
    extern const ubi__usage ubi__usage_##name;                                                                         \
    extern const ubi__question ubi__question_##name;                                                                   \
    static const ubi__command asking_##name = { .usage = &ubi__usage_##name, .question = &ubi__question_##name };
#define OWN_COMMAND(name) extern const ubi__command ubi__command_##name;
COMMANDS(NO_GROUP, QUESTION_COMMAND, OWN_COMMAND)

#define QUESTION_ADDRESS(name) &asking_##name,
#define COMMAND_ADDRESS(name) &ubi__command_##name,
const ubi__command *const ubi__commands[] = { COMMANDS(NO_GROUP, QUESTION_ADDRESS, COMMAND_ADDRESS) NULL };

/* What does more than ask, where there are files; found instead of the plain one. */
extern const ubi__command ubi__command_leaks, ubi__command_summary, ubi__command_treemap, ubi__command_strings,
    ubi__command_flamegraph;
static const ubi__command *const more_than_asking[] = { &ubi__command_leaks, &ubi__command_summary,
                                                        &ubi__command_treemap, &ubi__command_strings,
                                                        &ubi__command_flamegraph };

/* A title, or the command that follows. */
#define TITLE_ROW(title) { title, NULL },
#define QUESTION_ROW(name) { NULL, &asking_##name },
#define COMMAND_ROW(name) { NULL, &ubi__command_##name },
static const struct row {
    const char *title;
    const ubi__command *command;
} rows[] = { COMMANDS(TITLE_ROW, QUESTION_ROW, COMMAND_ROW) };

const char *ubi__command_group(const ubi__command *command) {
    for (size_t i = 1; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].command == command)
            return rows[i - 1].title;
    return NULL;
}

const ubi__command *ubi__command_default(void) {
    return &asking_report;
}

void ubi__command_check(const ubi__command *c) {
    ubi__usage_check(c->usage);
    UBI_ASSERT(c->question || c->run);
    UBI_ASSERT(!c->question || c->usage == c->question->usage);
}

static const ubi__command *command_to_run(const ubi__command *listed) {
    for (size_t i = 0; i < sizeof more_than_asking / sizeof *more_than_asking; i++)
        if (more_than_asking[i]->usage == listed->usage)
            return more_than_asking[i];
    return listed;
}

const ubi__command *ubi__command_find(const char *name) {
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        if (strcmp((*c)->usage->name, name) == 0 || ((*c)->usage->alias && strcmp((*c)->usage->alias, name) == 0)) {
            ubi__command_check(*c);
            return command_to_run(*c);
        }
    return NULL;
}

const char *ubi__command_suggest(const char *name) {
    ubi__suggestion best = ubi__suggestion_for(name);
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        ubi__suggestion_try(&best, (*c)->usage->name);
    return best.word;
}

static const char *const color_choices[] = { "auto", "always", "never", NULL };
static const char *const compat_choices[] = { "firefox", NULL };

#define COMMON(field) offsetof(ubi__common, field)

const ubi__parameter ubi__common_options[] = {
    UBI__FLAG("json", 0, COMMON(wants_json), "print one JSON document instead of text"),
    UBI__CHOICE("color", 0, COMMON(color), "WHEN", color_choices,
                "colour the text; auto: on a terminal, unless NO_COLOR is set", "auto"),
    UBI__SWITCH(
        "progress", 0, COMMON(progress),
        "show progress on standard error, or do not; the default is to show it on a terminal when the work takes long"),
    UBI__NUMBER("threads", 0, COMMON(threads), "N", "threads to use; 0: one per core", "0"),
    UBI__FLAG("help", 'h', COMMON(wants_help), "print help on the command and exit"),
    UBI__PARAMETERS_END,
};

const ubi__parameter ubi__compat_options[] = {
    UBI__CHOICE("compat", 0, COMMON(compat), "firefox", compat_choices,
                "give exactly Firefox's answer, also where it loses data", NULL),
    UBI__PARAMETERS_END,
};

const ubi__parameter ubi__index_options[] = {
    UBI__SWITCH(
        "cache", 0, COMMON(cache),
        "keep what is computed of the heap in the cache folder, so that it opens at once the next time, or do not "
        "look there; the default is to use what was kept"),
    UBI__FLAG("index", 0, COMMON(with_index),
              "keep it beside the heap instead, in FILE.ubindex, to be copied with it to another machine"),
    UBI__TEXT("cache-dir", 0, COMMON(cache_folder), "DIR", "the cache folder",
              "ubiheap in $XDG_CACHE_HOME or ~/.cache"),
    UBI__TEXT("keep", 0, COMMON(keep), "SNAPSHOT",
              "keep the snapshot that is taken of a program that runs, such as node:4711, in this file; of a series "
              "the newest",
              NULL),
    UBI__PARAMETERS_END,
};

int ubi__exit_code(ubi_status status) {
    switch (status) {
    case UBI_OK:
        return UBI__EXIT_OK;
    case UBI_EINVAL:
    case UBI_ENOTFOUND:
    case UBI_EMISMATCH:
        return UBI__EXIT_USAGE;
    case UBI_EFORMAT:
    case UBI_ELIMIT:
        return UBI__EXIT_INPUT;
    case UBI_ENOMEM:
    case UBI_EIO:
    case UBI_EBUSY:
    case UBI_ESTATE:
        return UBI__EXIT_SYSTEM;
    case UBI_ECANCELLED:
        return UBI__EXIT_INTERRUPTED;
    }
    return UBI__EXIT_SYSTEM;
}
