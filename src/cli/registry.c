/* SPDX-License-Identifier: MIT
 *
 * registry.c: the list of commands. Adding one takes its file in commands/ and a line here.
 */
#include "cli/command.h"

#include "base/assert.h"
#include "base/human.h"

/* All commands, in the order of the help; a group ends where the next one begins. */
#define COMMANDS(GROUP, COMMAND)                                                                                       \
    GROUP("Start", report)                                                                                             \
    COMMAND(summary)                                                                                                   \
    COMMAND(statistics)                                                                                                \
    COMMAND(help)                                                                                                      \
    GROUP("Who keeps it", dominators)                                                                                  \
    COMMAND(retainers)                                                                                                 \
    COMMAND(paths)                                                                                                     \
    GROUP("Compare", leaks)                                                                                            \
    COMMAND(diff)                                                                                                      \
    GROUP("Look inside", census)                                                                                       \
    COMMAND(treemap)                                                                                                   \
    COMMAND(containment)                                                                                               \
    COMMAND(search)                                                                                                    \
    COMMAND(nodes)                                                                                                     \
    COMMAND(show)                                                                                                      \
    COMMAND(strings)                                                                                                   \
    COMMAND(allocations)                                                                                               \
    GROUP("Run and record", run)                                                                                       \
    COMMAND(record)                                                                                                    \
    COMMAND(watch)                                                                                                     \
    COMMAND(timeline)                                                                                                  \
    GROUP("Files", info)                                                                                               \
    COMMAND(convert)

#define COMMAND_DECLARATION(name) extern const ubi__command ubi__command_##name;
#define FIRST_DECLARATION(title, name) COMMAND_DECLARATION(name)
COMMANDS(FIRST_DECLARATION, COMMAND_DECLARATION)

#define COMMAND_ADDRESS(name) &ubi__command_##name,
#define FIRST_ADDRESS(title, name) COMMAND_ADDRESS(name)
const ubi__command *const ubi__commands[] = { COMMANDS(FIRST_ADDRESS, COMMAND_ADDRESS) NULL };

#define NO_GROUP(name)
#define GROUP_ROW(title, name) { &ubi__command_##name, title },
static const struct group {
    const ubi__command *first;
    const char *title;
} groups[] = { COMMANDS(GROUP_ROW, NO_GROUP) };

const char *ubi__command_group(const ubi__command *command) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].first == command)
            return groups[i].title;
    return NULL;
}

const ubi__command *ubi__command_default(void) {
    return &ubi__command_report;
}

__attribute__((unused)) static size_t value_bytes(ubi__option_type type) {
    static const size_t bytes[] = { [UBI__OPTION_FLAG] = sizeof(bool),
                                    [UBI__OPTION_SWITCH] = sizeof(int),
                                    [UBI__OPTION_TEXT] = sizeof(char *),
                                    [UBI__OPTION_NUMBER] = sizeof(uint64_t),
                                    [UBI__OPTION_CHOICE] = sizeof(char *),
                                    [UBI__OPTION_LIST] = sizeof(ubi__option_list),
                                    [UBI__OPTION_ALIAS] = 0 };
    return bytes[UBI_INDEX(type, sizeof bytes / sizeof *bytes)];
}

/* The rows of a table before `o` have other names and letters. */
static bool is_only_spelling(const ubi__option *options, const ubi__option *o) {
    for (const ubi__option *other = options; other < o; other++)
        if ((o->letter && other->letter == o->letter) || (o->name[0] && strcmp(other->name, o->name) == 0))
            return false;
    return true;
}

static void option_check(const ubi__option *o, size_t arguments_bytes) {
    bool takes_value = o->type != UBI__OPTION_FLAG && o->type != UBI__OPTION_SWITCH;
    if (o->type == UBI__OPTION_ALIAS)
        return;
    UBI_ASSERT(o->offset + value_bytes(o->type) <= arguments_bytes);
    UBI_ASSERT((o->argument != NULL) == takes_value);
    UBI_ASSERT(o->type != UBI__OPTION_CHOICE || (o->choices && o->choices[0]));
    UBI_ASSERT(o->help && o->help[0] && o->help[strlen(o->help) - 1] != '.');
    UBI_ASSERT(o->name[0] || o->letter);
}

void ubi__command_check(const ubi__command *c) {
    UBI_ASSERT(c->run && c->name && c->summary && c->question && c->description);
    UBI_ASSERT(c->question[strlen(c->question) - 1] == '?');
    UBI_ASSERT(c->min_operands <= c->max_operands && (c->operands != NULL) == (c->max_operands != 0));
    UBI_ASSERT(c->options[0].type != UBI__OPTION_ALIAS);
    UBI_ASSERT(c->examples[0].line && strncmp(c->examples[0].line, c->name, strlen(c->name)) == 0);
    for (const ubi__option *o = c->options; UBI_CHECKS && o->name; o++) {
        option_check(o, c->arguments_bytes);
        bool is_only = is_only_spelling(c->options, o);
        UBI_ASSERT(is_only);
    }
}

const ubi__command *ubi__command_find(const char *name) {
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        if (strcmp((*c)->name, name) == 0 || ((*c)->alias && strcmp((*c)->alias, name) == 0)) {
            ubi__command_check(*c);
            return *c;
        }
    return NULL;
}

const char *ubi__command_suggest(const char *name) {
    ubi__suggestion best = ubi__suggestion_for(name);
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        ubi__suggestion_try(&best, (*c)->name);
    return best.word;
}

const ubi__option *ubi__option_shown(const ubi__option *option) {
    while (option->type == UBI__OPTION_ALIAS)
        option++;
    return option->name ? option : NULL;
}

static const char *const color_choices[] = { "auto", "always", "never", NULL };
static const char *const compat_choices[] = { "firefox", NULL };

#define COMMON(field) offsetof(ubi__common, field)

const ubi__option ubi__common_options[] = {
    { "json", 0, UBI__OPTION_FLAG, COMMON(wants_json), NULL, NULL, "print one JSON document instead of text", NULL },
    { "color", 0, UBI__OPTION_CHOICE, COMMON(color), "WHEN", color_choices,
      "colour the text; auto: on a terminal, unless NO_COLOR is set", "auto" },
    { "progress", 0, UBI__OPTION_SWITCH, COMMON(progress), NULL, NULL,
      "show progress on standard error, or do not; the default is to show it on a terminal when the work takes long",
      NULL },
    { "threads", 0, UBI__OPTION_NUMBER, COMMON(threads), "N", NULL, "threads to use; 0: one per core", "0" },
    { "help", 'h', UBI__OPTION_FLAG, COMMON(wants_help), NULL, NULL, "print help on the command and exit", NULL },
    UBI__OPTION_END,
};

const ubi__option ubi__compat_options[] = {
    { "compat", 0, UBI__OPTION_CHOICE, COMMON(compat), "firefox", compat_choices,
      "give exactly Firefox's answer, also where it loses data", NULL },
    UBI__OPTION_END,
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
