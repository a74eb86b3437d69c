/* SPDX-License-Identifier: MIT
 *
 * registry_test.c: what holds for all commands and their option tables together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/options.h"
#include "damage.h"

/* What fits after a command's name in 80 columns. */
#define SUMMARY_COLUMNS 65

/* Spellings that scripts may use, whatever the help calls the option now. Lines are added, never removed. */
static const struct spelling {
    const char *command, *old, *name;
} spellings[] = {
    { "report", "-n", "--limit" },
    { "report", "-c", "--columns" },
    { "report", "--top", "--limit" },
    { "summary", "-f", "--filter" },
    { "summary", "-w", "--where" },
    { "summary", "-c", "--class" },
    { "summary", "-s", "--sort" },
    { "summary", "-n", "--limit" },
    { "leaks", "-w", "--where" },
    { "leaks", "-n", "--limit" },
    { "diff", "-b", "--breakdown" },
    { "diff", "-i", "--inverted" },
    { "diff", "-n", "--limit" },
    { "diff", "-d", "--depth" },
    { "census", "-b", "--breakdown" },
    { "census", "-i", "--inverted" },
    { "census", "-n", "--limit" },
    { "census", "-d", "--depth" },
    { "dominators", "-d", "--depth" },
    { "dominators", "-s", "--siblings" },
    { "dominators", "-p", "--percent" },
    { "dominators", "-n", "--limit" },
    { "dominators", "-b", "--breakdown" },
    { "dominators", "--top", "--limit" },
    { "retainers", "-i", "--ignore" },
    { "retainers", "-a", "--all" },
    { "retainers", "-d", "--depth" },
    { "retainers", "-n", "--limit" },
    { "containment", "-d", "--depth" },
    { "containment", "-n", "--limit" },
    { "paths", "-m", "--max-paths" },
    { "paths", "-n", "--limit" },
    { "search", "-c", "--case" },
    { "search", "-w", "--where" },
    { "search", "-n", "--limit" },
    { "nodes", "-c", "--columns" },
    { "nodes", "-w", "--where" },
    { "nodes", "-s", "--sort" },
    { "nodes", "-n", "--limit" },
    { "nodes", "-f", "--format" },
    { "node", "-n", "--limit" },
    { "node", "-b", "--breakdown" },
    { "strings", "-d", "--duplicates" },
    { "strings", "-w", "--where" },
    { "strings", "-s", "--sort" },
    { "strings", "-n", "--limit" },
    { "allocations", "-t", "--timeline" },
    { "allocations", "-n", "--limit" },
    { "treemap", "-o", "--output" },
    { "treemap", "-b", "--breakdown" },
    { "treemap", "-i", "--inverted" },
    { "treemap", "-d", "--depth" },
    { "convert", "-f", "--format" },
    { "convert", "-c", "--compression" },
    { "convert", "-a", "--anonymize" },
    { "run", "-m", "--module" },
    { "run", "-a", "--snapshot-at" },
    { "run", "-o", "--snapshot-output" },
    { "run", "-l", "--allocation-log" },
    { "run", "-t", "--timeline" },
    { "run", "-c", "--census-at" },
    { "run", "-b", "--breakdown" },
    { "run", "-n", "--limit" },
    { "run", "-d", "--depth" },
    { "record", "-p", "--period" },
    { "record", "-e", "--exact" },
    { "record", "-o", "--output" },
    { "record", "-d", "--duration" },
    { "record", "-f", "--follow-children" },
    { "timeline", "-o", "--output" },
    { "timeline", "-m", "--marker" },
    { "timeline", "-w", "--where" },
    { "timeline", "-n", "--limit" },
    { "timeline", "--top", "--limit" },
};

static const ubi__command *command_named(const char *name) {
    const ubi__command *c = ubi__command_find(name);
    if (!c)
        fail_msg("there is no command %s", name);
    return c;
}

/* The option of a command by its present name, with dashes. */
static const ubi__option *option_named(const ubi__command *c, const char *name) {
    for (const ubi__option *o = c->options; (o = ubi__option_shown(o)); o++)
        if (strcmp(o->name, name + 2) == 0)
            return o;
    fail_msg("%s has no option %s", c->name, name);
    return NULL;
}

/* The command's arguments after "WORD [VALUE]"; to be freed. */
static void *arguments_after(const ubi__command *c, const char *word, const char *value) {
    char *words[] = { (char *)(uintptr_t)word, (char *)(uintptr_t)value };
    void *arguments = calloc(1, c->arguments_bytes);
    ubi__option_table table = { c->options, arguments };
    int n;
    assert_non_null(arguments);
    if (ubi__options_parse(&n, words, value ? 2 : 1, &table, 1) != UBI_OK)
        fail_msg("%s %s: %s", c->name, word, ubi_error_message());
    assert_int_equal(n, 0);
    return arguments;
}

static const char *value_for(const ubi__option *o) {
    if (!o->argument)
        return NULL;
    return o->choices ? o->choices[0] : "77";
}

static void old_spellings_do_what_the_present_ones_do(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const ubi__command *c = command_named(spellings[i].command);
        const char *value = value_for(option_named(c, spellings[i].name));
        void *old = arguments_after(c, spellings[i].old, value);
        void *present = arguments_after(c, spellings[i].name, value);
        if (memcmp(old, present, c->arguments_bytes) != 0)
            fail_msg("%s %s is not %s", c->name, spellings[i].old, spellings[i].name);
        free(old);
        free(present);
    }
}

/* `run` takes the letters that other programs give to what runs code: node, Python, the engine's own. */
static bool is_letter_of_interpreters(const char *command, char letter) {
    return strcmp(command, "run") == 0 && letter && strchr("eip", letter);
}

static void take_meaning(const char *meanings[128], const char *command, const ubi__option *options) {
    for (const ubi__option *o = options; (o = ubi__option_shown(o)); o++) {
        size_t letter = (unsigned char)o->letter;
        assert_true(letter < 128);
        if (is_letter_of_interpreters(command, o->letter))
            continue;
        if (letter && meanings[letter] && strcmp(meanings[letter], o->name) != 0)
            fail_msg("-%c is --%s in %s, and --%s in another command", o->letter, o->name, command, meanings[letter]);
        if (letter)
            meanings[letter] = o->name;
    }
}

static void a_letter_means_one_thing_in_all_commands(void **state) {
    const char *meanings[128] = { NULL };
    (void)state;
    take_meaning(meanings, "all", ubi__common_options);
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        take_meaning(meanings, (*c)->name, (*c)->options);
    assert_string_equal(meanings['n'], "limit");
    assert_string_equal(meanings['h'], "help");
}

/* The rows of a command's own table, then of those that all have. */
static size_t rows_of(const ubi__option *rows[128], const ubi__command *c) {
    const ubi__option *const tables[] = { c->options, ubi__common_options, ubi__compat_options };
    size_t n = 0;
    for (size_t t = 0; t < 3; t++)
        for (const ubi__option *o = tables[t]; o->name; o++) {
            assert_true(n < 128);
            rows[n++] = o;
        }
    return n;
}

static bool are_confused(const ubi__option *a, const ubi__option *b) {
    return (*a->name && strcmp(a->name, b->name) == 0) || (a->letter && a->letter == b->letter);
}

static void no_spelling_stands_for_two_options_of_a_command(void **state) {
    const ubi__option *rows[128];
    (void)state;
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        size_t n = rows_of(rows, *c);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++)
                if (are_confused(rows[i], rows[k]))
                    fail_msg("%s has --%s (-%c) twice", (*c)->name, rows[i]->name, rows[i]->letter);
    }
}

static void an_alias_stands_below_what_it_is_an_alias_of(void **state) {
    (void)state;
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        assert_int_not_equal((*c)->options->type, UBI__OPTION_ALIAS);
}

static void every_command_says_what_it_answers_and_how_to_ask(void **state) {
    (void)state;
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        size_t n = strlen((*c)->name);
        assert_non_null((*c)->question);
        assert_int_equal((*c)->question[strlen((*c)->question) - 1], '?');
        assert_in_range(strlen((*c)->summary), 1, SUMMARY_COLUMNS);
        assert_non_null((*c)->examples);
        if (strncmp((*c)->examples[0].line, (*c)->name, n) != 0 || (*c)->examples[0].line[n] != ' ')
            fail_msg("the first example of %s is 'ubiheap %s'", (*c)->name, (*c)->examples[0].line);
    }
}

static void the_first_command_opens_a_group_and_is_meant_by_a_file_alone(void **state) {
    (void)state;
    assert_string_equal(ubi__command_group(ubi__commands[0]), "Start");
    assert_ptr_equal(ubi__command_default(), ubi__commands[0]);
    assert_null(ubi__command_group(command_named("nodes")));
}

static void a_command_is_found_by_its_other_name(void **state) {
    (void)state;
    assert_string_equal(command_named("node")->name, "show");
    assert_string_equal(command_named("nodes")->name, "nodes");
    assert_null(ubi__command_find("nod"));
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        assert_ptr_equal(command_named((*c)->name), *c);
}

static void command_check(void *command) {
    ubi__command_check(command);
}

static void damage_of_a_command_is_seen(void **state) {
    (void)state;
    ubi__command c = *ubi__command_find("census");
    ubi__option twice[] = { c.options[0], c.options[0], { .name = NULL } },
                options[] = { c.options[0], { .name = NULL } };
    c.options = twice;
    assert_damage_seen(command_check, &c, "is_only");
    c.options = options;
    ubi__command_check(&c);
    options[0].offset = c.arguments_bytes;
    assert_damage_seen(command_check, &c, "<= arguments_bytes");
    options[0].offset = 0;
    options[0].argument = options[0].argument ? NULL : "N";
    assert_damage_seen(command_check, &c, "== takes_value");
    c.max_operands = c.min_operands - 1;
    assert_damage_seen(command_check, &c, "c->min_operands <= c->max_operands");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_spellings_do_what_the_present_ones_do),
        cmocka_unit_test(a_letter_means_one_thing_in_all_commands),
        cmocka_unit_test(no_spelling_stands_for_two_options_of_a_command),
        cmocka_unit_test(an_alias_stands_below_what_it_is_an_alias_of),
        cmocka_unit_test(every_command_says_what_it_answers_and_how_to_ask),
        cmocka_unit_test(the_first_command_opens_a_group_and_is_meant_by_a_file_alone),
        cmocka_unit_test(a_command_is_found_by_its_other_name),
        cmocka_unit_test(damage_of_a_command_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
