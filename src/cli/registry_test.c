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
static const ubi__parameter *option_named(const ubi__command *c, const char *name) {
    for (const ubi__parameter *o = c->usage->parameters; (o = ubi__option_at(o)); o++)
        if (strcmp(o->name, name + 2) == 0)
            return o;
    fail_msg("%s has no option %s", c->usage->name, name);
    return NULL;
}

/* The command's arguments after "WORD [VALUE]"; to be freed. */
static void *arguments_after(const ubi__command *c, const char *word, const char *value) {
    char *words[] = { (char *)(uintptr_t)word, (char *)(uintptr_t)value };
    void *arguments = calloc(1, c->usage->arguments_bytes);
    ubi__option_table table = { .parameters = c->usage->parameters, .values = arguments };
    int n;
    assert_non_null(arguments);
    if (ubi__options_parse(&n, words, value ? 2 : 1, &table, 1) != UBI_OK)
        fail_msg("%s %s: %s", c->usage->name, word, ubi_error_message());
    assert_int_equal(n, 0);
    return arguments;
}

static const char *value_for(const ubi__parameter *o) {
    if (!o->argument)
        return NULL;
    return o->choices ? o->choices[0] : "77";
}

static void assert_one_id(const void *old, const void *present, const ubi__parameter *option) {
    const ubi__vec_u64 *a = (const void *)((const char *)old + option->offset);
    const ubi__vec_u64 *b = (const void *)((const char *)present + option->offset);
    assert_int_equal(a->n, 1);
    assert_int_equal(b->n, 1);
    assert_int_equal(a->at[0], b->at[0]);
}

static void old_spellings_do_what_the_present_ones_do(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const ubi__command *c = command_named(spellings[i].command);
        const char *value = value_for(option_named(c, spellings[i].name));
        void *old = arguments_after(c, spellings[i].old, value);
        void *present = arguments_after(c, spellings[i].name, value);
        const ubi__parameter *option = option_named(c, spellings[i].name);
        if (option->kind == UBI__PARAMETER_NODES)
            assert_one_id(old, present, option);
        ubi__usage_values_fini(old, c->usage->parameters); /* what it owns is elsewhere */
        ubi__usage_values_fini(present, c->usage->parameters);
        if (memcmp(old, present, c->usage->arguments_bytes) != 0)
            fail_msg("%s %s is not %s", c->usage->name, spellings[i].old, spellings[i].name);
        free(old);
        free(present);
    }
}

/* `run` takes the letters that other programs give to what runs code: node, Python, the engine's own. */
static bool is_letter_of_interpreters(const char *command, char letter) {
    return strcmp(command, "run") == 0 && letter && strchr("eip", letter);
}

static void take_meaning(const char *meanings[128], const char *command, const ubi__parameter *options) {
    for (const ubi__parameter *o = options; (o = ubi__option_at(o)); o++) {
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
        take_meaning(meanings, (*c)->usage->name, (*c)->usage->parameters);
    assert_string_equal(meanings['n'], "limit");
    assert_string_equal(meanings['h'], "help");
}

/* The rows of a command's own table, then of those that all have. */
static size_t rows_of(const ubi__parameter *rows[128], const ubi__command *c) {
    const ubi__parameter *const tables[] = { c->usage->parameters, ubi__common_options, ubi__compat_options,
                                             ubi__command_has_index(c) ? ubi__index_options : NULL };
    size_t n = 0;
    for (size_t t = 0; t < 4 && tables[t]; t++)
        for (const ubi__parameter *o = tables[t]; o->name; o++) {
            assert_true(n < 128);
            rows[n++] = o;
        }
    return n;
}

static bool are_confused(const ubi__parameter *a, const ubi__parameter *b) {
    return (*a->name && strcmp(a->name, b->name) == 0) || (a->letter && a->letter == b->letter);
}

static void no_spelling_stands_for_two_options_of_a_command(void **state) {
    const ubi__parameter *rows[128];
    (void)state;
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        size_t n = rows_of(rows, *c);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++)
                if (are_confused(rows[i], rows[k]))
                    fail_msg("%s has --%s (-%c) twice", (*c)->usage->name, rows[i]->name, rows[i]->letter);
    }
}

static void an_alias_is_listed_below_what_it_is_an_alias_of(void **state) {
    (void)state;
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        assert_int_not_equal((*c)->usage->parameters->kind, UBI__PARAMETER_ALIAS);
}

static void every_command_says_what_it_answers_and_how_to_ask(void **state) {
    (void)state;
    for (const ubi__command *const *c = ubi__commands; *c; c++) {
        size_t n = strlen((*c)->usage->name);
        assert_non_null((*c)->usage->question);
        assert_int_equal((*c)->usage->question[strlen((*c)->usage->question) - 1], '?');
        assert_in_range(strlen((*c)->usage->summary), 1, SUMMARY_COLUMNS);
        assert_non_null((*c)->usage->examples);
        if (strncmp((*c)->usage->examples[0].line, (*c)->usage->name, n) != 0 ||
            (*c)->usage->examples[0].line[n] != ' ')
            fail_msg("the first example of %s is 'ubiheap %s'", (*c)->usage->name, (*c)->usage->examples[0].line);
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
    assert_string_equal(command_named("node")->usage->name, "show");
    assert_string_equal(command_named("nodes")->usage->name, "nodes");
    assert_null(ubi__command_find("nod"));
    for (const ubi__command *const *c = ubi__commands; *c; c++)
        assert_ptr_equal(command_named((*c)->usage->name)->usage, (*c)->usage);
}

static void command_check(void *command) {
    ubi__command_check(command);
}

static void damage_of_a_command_is_seen(void **state) {
    (void)state;
    ubi__command c = *ubi__command_find("convert");
    ubi__usage usage = *c.usage;
    ubi__parameter twice[] = { usage.parameters[0], usage.parameters[0], { .name = NULL } },
                   once[] = { usage.parameters[0], { .name = NULL } };
    c.usage = &usage;
    usage.parameters = twice;
    assert_damage_seen(command_check, &c, "is_only");
    usage.parameters = once;
    ubi__command_check(&c);
    once[0].offset = usage.arguments_bytes;
    assert_damage_seen(command_check, &c, "<= values_bytes");
    once[0].offset = 0;
    once[0].argument = once[0].argument ? NULL : "N";
    assert_damage_seen(command_check, &c, "== takes_value");
    usage.max_operands = usage.min_operands - 1;
    assert_damage_seen(command_check, &c, "u->min_operands <= u->max_operands");
    usage = *ubi__command_find("convert")->usage;
    c.run = NULL;
    assert_damage_seen(command_check, &c, "c->question || c->run");
    c = *ubi__command_find("statistics");
    c.usage = &usage;
    assert_damage_seen(command_check, &c, "c->usage == c->question->usage");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_spellings_do_what_the_present_ones_do),
        cmocka_unit_test(a_letter_means_one_thing_in_all_commands),
        cmocka_unit_test(no_spelling_stands_for_two_options_of_a_command),
        cmocka_unit_test(an_alias_is_listed_below_what_it_is_an_alias_of),
        cmocka_unit_test(every_command_says_what_it_answers_and_how_to_ask),
        cmocka_unit_test(the_first_command_opens_a_group_and_is_meant_by_a_file_alone),
        cmocka_unit_test(a_command_is_found_by_its_other_name),
        cmocka_unit_test(damage_of_a_command_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
