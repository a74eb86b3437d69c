/* SPDX-License-Identifier: MIT
 *
 * run_shell.c: see run_shell.h.
 *
 * Lines are collected until no bracket is open, and then run. A line that begins with a point, at the beginning of a text, is a
 * command of ours, unless a digit follows.
 *
 * Ctrl-C takes back what is typed, or stops the script that runs; a second one, while the script does not stop, ends the process.
 */
#include "cli/commands/run/run_shell.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/status.h"
#include "cli/commands/run/run.h"
#include "cli/commands/run/run_input.h"
#include "cli/commands/run/run_lines.h"
#include "cli/terminal.h"

/* What `.allocations` lists. */
#define ALLOCATION_ROWS 15

typedef struct conversation {
    ubi__run *run;
    const ubi__script_shell *shell;
    ubi__vec_u8 text; /* of lines so far */
    bool is_leaving;
    bool is_interrupted; /* what comes from a pipe */
} conversation;

/* ---- Ctrl-C --------------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t is_stopped;
static void (*wake_all)(void);

static void on_stop(int number) {
    (void)number;
    if (is_stopped) {
        ubi__run_lines_abandon();
        _exit(UBI__EXIT_INTERRUPTED);
    }
    is_stopped = 1;
    wake_all();
}

bool ubi__run_is_stopped(void *run, bool forget) {
    bool was = is_stopped;
    (void)run;
    if (was && forget)
        is_stopped = 0;
    return was;
}

static void stop_install(const ubi__run *run, struct sigaction *before) {
    struct sigaction action = { .sa_handler = on_stop };
    wake_all = run->runner->wake_all;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, before);
}

/* ---- commands ------------------------------------------------------------------------------------------------------- */

static ubi__out *shell_output(const conversation *c) {
    return c->run->cli->page.out;
}

static void complain(const conversation *c, const char *subject) {
    c->run->runner->flush_output();
    ubi__print_line(subject, ubi_error_message());
}

static void do_census(conversation *c, const char *argument) {
    if (ubi__run_census(c->run, c->shell->runtime, *argument ? argument : NULL) != UBI_OK)
        complain(c, ".census");
}

static void do_snapshot(conversation *c, const char *argument) {
    ubi__run_save_snapshot(c->run, c->shell->runtime, *argument ? argument : NULL);
}

static void do_gc(conversation *c, const char *argument) {
    char freed[UBI__HUMAN_TEXT], left[UBI__HUMAN_TEXT];
    uint64_t before = ubi__script_heap_bytes(c->shell->runtime);
    (void)argument;
    c->shell->ops->collect(c->shell->payload);
    uint64_t after = ubi__script_heap_bytes(c->shell->runtime);
    ubi__out_printf(shell_output(c), "%s freed, %s in use\n",
                    ubi__human_size(freed, before > after ? before - after : 0), ubi__human_size(left, after));
}

static void do_allocations(conversation *c, const char *argument) {
    ubi__run *run = c->run;
    (void)argument;
    if (!run->tally) {
        ubi__print_line(".allocations", run->arguments->allocation_log ? "--allocation-log has them"
                                                                       : "not recorded, because of --no-sites");
        return;
    }
    ubi__run_tally_drain(run->tally, run->tally_observer);
    ubi__run_tally_write(shell_output(c), &run->cli->page.style, run->tally, ALLOCATION_ROWS);
    memset(run->tally, 0, sizeof *run->tally);
}

static void do_exit(conversation *c, const char *argument) {
    (void)argument;
    c->is_leaving = true;
}

static void do_help(conversation *c, const char *argument);

static const struct shell_command {
    const char *name, *argument, *help;
    void (*run)(conversation *c, const char *argument);
} commands[] = {
    { ".allocations", "", "what was allocated since the last time, by class and place", do_allocations },
    { ".census", "[BREAKDOWN]", "count what is in the heap, as 'ubiheap census -b BREAKDOWN' does", do_census },
    { ".exit", "", "leave, as Ctrl+D does", do_exit },
    { ".gc", "", "collect garbage", do_gc },
    { ".help", "", "this list", do_help },
    { ".snapshot", "[FILE]", "save the heap, for 'ubiheap report' and others", do_snapshot },
};
static const char *const command_names[] = { ".allocations", ".census", ".exit", ".gc", ".help", ".snapshot", NULL };

#define N_COMMANDS (sizeof commands / sizeof *commands)

static void do_help(conversation *c, const char *argument) {
    (void)argument;
    for (size_t i = 0; i < N_COMMANDS; i++)
        ubi__out_printf(shell_output(c), "%-13s%-12s %s\n", commands[i].name, commands[i].argument, commands[i].help);
    ubi__out_string(shell_output(c), "_ is the last value. Tab completes names; Ctrl+C stops a script.\n");
}

/* Words end at spaces; those around an argument are not part of it. */
static void command_run(conversation *c, const char *line) {
    size_t n = strcspn(line, " \t");
    char argument[4096];
    snprintf(argument, sizeof argument, "%s", line + n + strspn(line + n, " \t"));
    for (size_t end = strlen(argument); end && strchr(" \t\r", argument[end - 1]);)
        argument[--end] = '\0';
    c->run->runner->flush_output();
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strlen(commands[i].name) == n && memcmp(commands[i].name, line, n) == 0) {
            commands[i].run(c, argument);
            ubi__standard_output_flush(c->run->cli->output);
            return;
        }
    ubi__fail(UBI_EINVAL, "no such command: %.*s; .help lists them", (int)n, line);
    complain(c, NULL);
}

/* ---- the conversation ------------------------------------------------------------------------------------------------ */

static bool is_command(const conversation *c, const char *line) {
    return c->text.n == 0 && line[0] == '.' && (line[1] < '0' || line[1] > '9') && line[1] != '.';
}

/* Blank lines between texts are no texts. */
static bool is_blank(const char *line) {
    return line[strspn(line, " \t\r")] == '\0';
}

static void text_run(conversation *c) {
    /* A zero follows, which is not part of the text. */
    if (ubi__vec_u8_push(&c->text, ubi_allocator_default(), 0) == UBI_OK)
        c->shell->ops->run(c->shell->payload, (const char *)c->text.at, c->text.n - 1);
    c->text.n = 0;
}

static void line_take(conversation *c, const char *line, size_t n) {
    if (is_command(c, line)) {
        command_run(c, line);
        return;
    }
    if ((c->text.n == 0 && is_blank(line)) || ubi__vec_u8_reserve(&c->text, ubi_allocator_default(), n + 1) != UBI_OK)
        return;
    memcpy(c->text.at + c->text.n, line, n);
    c->text.n += n;
    if (ubi__run_input_is_open((const char *)c->text.at, c->text.n))
        c->text.at[c->text.n++] = '\n';
    else
        text_run(c);
}

static void line_stop(conversation *c) {
    if (c->text.n == 0)
        puts("(Ctrl+D or .exit leaves)");
    c->text.n = 0;
}

static void greet(const conversation *c) {
    printf("%s under ubiheap %s. .help lists commands, Ctrl+D leaves.\n", c->run->runner->title(), ubi_version());
}

/* What comes from a pipe is a program: it may wait for something when its text has ended. */
static ubi__script_farewell talk(conversation *c, ubi__run_lines *lines) {
    bool typed = ubi__run_lines_are_typed(lines);
    ubi__run_line got = UBI__RUN_LINE;
    if (typed)
        greet(c);
    while (!c->is_leaving && got != UBI__RUN_LINE_END) {
        const char *line;
        size_t n;
        got = ubi__run_lines_next(lines, c->text.n ? "... " : "> ", &line, &n);
        if (got == UBI__RUN_LINE)
            line_take(c, line, n);
        else if (got == UBI__RUN_LINE_STOPPED && typed)
            line_stop(c);
        else if (got == UBI__RUN_LINE_STOPPED)
            c->is_leaving = c->is_interrupted = true;
    }
    if (c->text.n && !typed && !c->is_leaving)
        text_run(c);
    return (c->is_leaving && !c->is_interrupted) || typed ? UBI__SCRIPT_LEAVE : UBI__SCRIPT_REST;
}

ubi__script_farewell ubi__run_converse(void *payload, const ubi__script_shell *shell) {
    conversation c = { .run = payload, .shell = shell };
    ubi__run_lines *lines;
    struct sigaction before;
    ubi__script_farewell farewell = UBI__SCRIPT_LEAVE;
    stop_install(c.run, &before);
    if (ubi__run_lines_open(&lines, shell, command_names) == UBI_OK) {
        farewell = talk(&c, lines);
        ubi__run_lines_close(lines);
    } else {
        complain(&c, NULL);
    }
    sigaction(SIGINT, &before, NULL);
    if (c.is_interrupted)
        raise(SIGINT);
    ubi__vec_u8_fini(&c.text, ubi_allocator_default());
    return farewell;
}
