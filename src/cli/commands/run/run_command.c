/* SPDX-License-Identifier: MIT
 *
 * run_command.c: `ubiheap run`, a script under the tools.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/cli_files.h"
#include "cli/commands/run/run.h"
#include "cli/option_files.h"
#include "cli/terminal.h"
#include "cli/token_file.h"
#include "symbolize/process_symbols.h"

static ubi__script_kind kind_of(const ubi__run_arguments *a) {
    return a->is_module ? UBI__SCRIPT_MODULE : a->is_script ? UBI__SCRIPT_CLASSIC : UBI__SCRIPT_DETECT;
}

/* Of the main program and its workers, which may outlive this call until the process ends. */
static ubi__run the_run;
static ubi__script_options the_options;

/* ---- what is run -------------------------------------------------------------------------------------------------- */

/* Of a run: a file, standard input or code, and what the program finds in scriptArgs. */
typedef struct program {
    const char *name; /* a path, "-" or UBI__RUN_CODE */
    const char *code; /* or NULL */
    char **arguments; /* arguments[n], the name first */
    int n;
} program;

/* Its `arguments` stay until the process ends. */
static char **the_words;

/* As `-p` once meant --sampling-probability. */
static ubi_status check_print(const ubi__run_arguments *a, char **operands, int n_operands) {
    if (!a->must_print || a->eval || n_operands < 2 || operands[0][strspn(operands[0], "0123456789.")])
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "-p prints the value of code; a share of the allocations is --sampling-probability %s",
                     operands[0]);
}

/* As `-i` once meant --inverted, there was a SCRIPT. */
static ubi_status check_interactive(const ubi__run_arguments *a, int n_operands) {
    if (a->is_interactive && n_operands && !a->eval && !a->must_print)
        return ubi__fail(UBI_EINVAL, "--interactive (-i) takes no SCRIPT; the option of the census is --inverted");
    if (!a->is_interactive && a->must_print && !a->eval && n_operands == 0 && isatty(STDIN_FILENO))
        return ubi__fail(UBI_EINVAL, "expected CODE, as in: ubiheap run -p '1 + 1'");
    return UBI_OK;
}

/* Nothing to run but what the user types. */
static bool is_typed(const ubi__run_arguments *a, int n_operands) {
    return a->is_interactive || (!a->eval && n_operands == 0 && isatty(STDIN_FILENO));
}

/* -e CODE; -p CODE, if it is not for -e; a file; standard input. */
static ubi_status program_find(program *out, ubi__run_arguments *a, char **operands, int n_operands) {
    static char code_name[] = UBI__RUN_CODE, input_name[] = "-";
    bool prints_operand = a->must_print && !a->eval && n_operands && strcmp(operands[0], "-") != 0;
    int n_before = a->eval || n_operands == 0;
    UBI_TRY(check_print(a, operands, n_operands));
    UBI_TRY(check_interactive(a, n_operands));
    a->is_interactive = is_typed(a, n_operands);
    the_words = calloc((size_t)n_operands + 2, sizeof *the_words);
    if (!the_words)
        return ubi__fail_nomem();
    *out = (program){ .code = prints_operand ? operands[0] : a->eval, .arguments = the_words };
    out->n = n_before + n_operands;
    for (int i = 0; i < n_operands; i++)
        the_words[n_before + i] = operands[i];
    if (n_before || prints_operand)
        the_words[0] = out->code ? code_name : input_name;
    out->name = the_words[0];
    return UBI_OK;
}

/* Options of ours that programs hardly have, though everything after SCRIPT is the program's. */
static const char *option_misplaced(char **operands, int n_operands) {
    static const char *const ours[] = { "--listen",          "--sites",     "--heap-limit",    "--snapshot-at",
                                        "--snapshot-on-oom", "--census-at", "--allocation-log" };
    for (int i = 1; i < n_operands; i++)
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
            if (strncmp(operands[i], ours[k], strlen(ours[k])) == 0 && strchr("=", operands[i][strlen(ours[k])]))
                return ours[k];
    return NULL;
}

static void misplaced_report(const ubi__cli *cli, const ubi__run_arguments *a, char **operands, int n_operands) {
    char line[160];
    const char *option = a->eval || a->must_print ? NULL : option_misplaced(operands, n_operands);
    if (!option || cli->common.progress < 0)
        return;
    snprintf(line, sizeof line, "%s after SCRIPT is the script's own; for ubiheap it comes before: ubiheap run %s ...",
             option, option);
    ubi__print_line(operands[0], line);
}

static const char *program_subject(const program *p) {
    return p->code ? "code" : strcmp(p->name, "-") == 0 ? "standard input" : p->name;
}

/* Before a file of ours is begun. */
static ubi_status check_script(const ubi__run_arguments *a, const program *p) {
    if (p->code || strcmp(p->name, "-") == 0 || (!a->timeline && !a->allocation_log) || access(p->name, R_OK) == 0)
        return UBI_OK;
    return ubi__fail_errno(errno, "cannot open");
}

/* One for all runtimes. Frames of the tools' hooks are inlined into functions of the engine's, and left out. */
static ubi_status profiler_make(ubi_profiler **out, const char *hooks_folder) {
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    options.name_address = ubi_symbols_name_address;
    options.payload = (void *)hooks_folder; /* which is only read */
    return ubi_profiler_new(out, &options);
}

static ubi_status page_serve(const ubi__run_arguments *a) {
    char token[UBI__HTTP_TOKEN_BYTES];
    ubi_session_options session = UBI_SESSION_OPTIONS_INIT;
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    UBI_TRY(ubi__token_file_use(&options, token, the_run.cli, a->token_file));
    UBI_TRY(ubi__port_read(&options, a->port));
    session.threads = ubi__cli_threads(the_run.cli);
    session.compat = the_run.cli->compat;
    options.session = &session;
    return ubi__run_listen_show(&the_run.listen, &options, the_run.runner);
}

static ubi_status open_outputs(const ubi__run_arguments *a, const program *p) {
    char words[256];
    UBI_TRY(ubi__run_room_open(&the_run.room, &the_run.settings));
    if (ubi__run_room_words(&the_run.room, &the_run.settings, words, sizeof words))
        ubi__print_line(program_subject(p), words);
    if (a->allocation_log)
        UBI_TRY(ubi__run_log_open(&the_run.log, a->allocation_log, p->name, the_run.settings.probability));
    if (a->timeline)
        UBI_TRY(ubi__run_timeline_open(&the_run.timeline, a->timeline, p->name));
    if (a->listen)
        UBI_TRY(ubi__run_listen_start(&the_run.listen, a->listen, the_run.runner, !a->is_interactive));
    if (a->with_page)
        UBI_TRY(page_serve(a));
    else if (a->port || a->token_file)
        return ubi__fail(UBI_EINVAL, "--%s is of the page that --ui serves", a->port ? "port" : "token-file");
    if (a->with_heap_module || a->with_debugger)
        UBI_TRY(profiler_make(&the_run.profiler, the_run.runner->hooks_folder));
    return UBI_OK;
}

/* Frames of the header that reports references are inlined into functions of the program's, and left out. */
static char the_references_header[] = "quickjs_references.h";
static const ubi_native_names the_names = { ubi_symbols_name_address, the_references_header };

static ubi_status program_run(ubi__cli *cli, const program *p, int *exit_code) {
    const ubi__run_arguments *a = the_run.arguments;
    const char *command = cli->subject;
    cli->subject = program_subject(p);
    UBI_TRY(check_script(a, p));
    cli->subject = command;
    UBI_TRY(open_outputs(a, p));
    the_options = (ubi__script_options){
        .kind = kind_of(a),
        .code = p->code,
        .must_print = a->must_print,
        .with_debugger = a->with_debugger,
        .with_heap_module = a->with_heap_module,
        .with_std_globals = a->with_std || a->is_interactive,
        .heap_limit_bytes = the_run.settings.heap_limit_bytes,
        .stack_limit_bytes = the_run.settings.stack_limit_bytes,
        .with_references = a->with_references,
        .names = &the_names,
        .arguments = p->arguments,
        .n_arguments = p->n,
        .hooks = ubi__run_hooks(&the_run),
    };
    ubi__run_install_signals(&the_run);
    if (a->timeline || a->listen || a->with_page)
        ubi__run_end_well_when_terminated();
    cli->subject = program_subject(p);
    return the_run.runner->run(exit_code, p->name, &the_options);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

static void free_snapshots(void) {
    for (size_t i = 0; i < the_run.snapshots.n; i++)
        free(the_run.snapshots.at[i].file);
    ubi__run_snapshots_fini(&the_run.snapshots, ubi_allocator_default());
}

/* A file that is to be written must not be the script. */
static ubi_status check_outputs(const ubi__run_arguments *a, const ubi__cli *cli, const char *script) {
    const struct {
        const char *path, *kind;
    } outputs[] = { { a->output, cli->common.wants_json ? "document of ubiheap" : "table of ubiheap" },
                    { a->allocation_log, "allocation log" },
                    { a->timeline, "timeline" } };
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        UBI_TRY(ubi__output_check(outputs[i].path, script));
        UBI_TRY(ubi__breakdown_check_output(&a->by.breakdown, outputs[i].path));
        UBI_TRY(ubi__output_check_kind(outputs[i].path, outputs[i].kind));
    }
    return UBI_OK;
}

/* Workers may still run when the main script has ended: what they use stays. */
static ubi_status run_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    static ubi__breakdown_choice breakdown;
    static ubi__run_arguments arguments;
    program p = { 0 };
    arguments = *(ubi__run_arguments *)values;
    UBI_TRY(program_find(&p, &arguments, operands, n_operands));
    the_run = (ubi__run){ .cli = cli,
                          .runner = ubi__script_runners[0],
                          .arguments = &arguments,
                          .breakdown = &breakdown,
                          .script = p.name,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .log_lock = PTHREAD_MUTEX_INITIALIZER,
                          .listen = UBI__RUN_LISTEN_INIT,
                          .worker_logged = PTHREAD_COND_INITIALIZER };
    UBI_TRY(check_outputs(&arguments, cli, p.name));
    UBI_TRY(ubi__breakdown_choose(&breakdown, &arguments.by.breakdown, cli->subject, cli->compat));
    misplaced_report(cli, &arguments, operands, n_operands);
    ubi_status status = ubi__run_settings_read(&the_run.settings, &arguments, &breakdown);
    if (status == UBI_OK)
        status = program_run(cli, &p, exit_code);
    ubi__run_listen_stop(&the_run.listen);
    pthread_mutex_lock(&the_run.lock);
    free_snapshots();
    pthread_mutex_unlock(&the_run.lock);
    ubi__breakdown_choice_fini(&breakdown);
    return status;
}

static const char *const moments[] = { "exit", NULL };

#define AT(field) offsetof(ubi__run_arguments, field)

static const ubi__parameter parameters[] = {
    UBI__TEXT("eval", 'e', AT(eval), "CODE",
              "run CODE instead of SCRIPT, with await at its top level where the engine has that", NULL),
    UBI__FLAG("print", 'p', AT(must_print),
              "print the value of the code, which is CODE of -e, or else SCRIPT itself: -p '1 + 1'"),
    UBI__FLAG("interactive", 'i', AT(is_interactive),
              "run what is typed, after the code of -e if there is any; the default when there is nothing else to run "
              "and standard input is a terminal"),
    UBI__FLAG(
        "module", 0, AT(is_module),
        "run it as a module; the default is to look: a name ending in .mjs, or an import or export at its beginning"),
    UBI__ALIAS_LETTER('m'),
    UBI__FLAG("script", 0, AT(is_script), "run it as a script, not as a module"),
    UBI__FLAG("std", 0, AT(with_std), "have std and os as globals, for scripts, which cannot import"),
    UBI__TEXTS("snapshot-at", 0, AT(snapshot_at), "WHEN",
               "take snapshots: exit, when the program ends; signal, on SIGUSR2 (which always works); gc, after "
               "collections of cycles; or a time between two, such as 10s; may be given more than once"),
    UBI__ALIAS_LETTER('a'),
    UBI__FLAG("snapshot-on-oom", 0, AT(wants_snapshot_on_oom),
              "take a snapshot when memory runs out, before the script gets the exception"),
    UBI__TEXT(
        "snapshot-output", 0, AT(snapshot_output), "PATTERN",
        "names of the snapshots: %s script, %n number, %w worker, %t what set it off, %p process, %% a percent sign",
        "%s-%n.fxsnapshot"),
    UBI__ALIAS_LETTER('o'),
    UBI__SWITCH("sites", 0, AT(sites),
                "remember where objects are allocated, or do not; the default is to do so when something is asked for "
                "that can show it: snapshots, the log, a census by allocation stack"),
    UBI__TEXT("sampling-probability", 0, AT(probability), "P",
              "remember and log this share of the allocations: from 0 to 1", "1"),
    UBI__TEXT("allocation-log", 'l', AT(allocation_log), "FILE",
              "write a line of JSON for each allocation of an object", NULL),
    UBI__TEXT("timeline", 0, AT(timeline), "FILE",
              "write what the program does and when: runs of scripts, collections, parsing, messages of workers, "
              "console.time; 'ubiheap timeline' shows it",
              NULL),
    UBI__ALIAS_LETTER('t'),
    UBI__TEXT(
        "listen", 0, AT(listen), "[HOST:]PORT",
        "let Firefox's developer tools look into the program while it runs: about:debugging, network location "
        "127.0.0.1:PORT; 0 is any free port, which standard error shows. On another HOST each connection is asked "
        "about on the terminal",
        NULL, .if_twice = "once is all it takes"),
    UBI__FLAG(
        "ui", 0, AT(with_page),
        "serve a page that looks into the program's heap, of this machine alone: standard error shows its address; "
        "the page keeps the heap when the script has ended, until Ctrl-C"),
    UBI__NUMBER("port", 0, AT(port), "N", "the port of --ui; 0: any that is free", "0"),
    UBI__TEXT("token-file", 0, AT(token_file), "FILE",
              "with --ui: have the token that is in FILE, which is made if it is not there: with --port the address is "
              "the same each time",
              "a token of its own"),
    UBI__CHOICE("census-at", 0, AT(census_at), "WHEN", moments,
                "count what is in the heap, and print it as 'ubiheap census' does", NULL),
    UBI__ALIAS_LETTER('c'),
    UBI__TEXT("output", 0, AT(output), "FILE",
              "write the census, or the document of --json, to FILE instead of standard output", NULL),
    UBI__TEXT("heap-limit", 0, AT(heap_limit), "SIZE",
              "memory that the program, and each worker, may use, such as 64MiB; more is refused as out of memory",
              NULL),
    UBI__TEXT(
        "stack-size", 0, AT(stack_size), "SIZE",
        "stack that calls may use; the default is three quarters of what the system gives a thread, at most 64MiB",
        NULL),
    UBI__FLAG("references", 0, AT(with_references),
              "report values that the engine or its host did not release when the program ends, with the stacks that "
              "took them"),
    UBI__FLAG("debugger", 0, AT(with_debugger),
              "give the script Debugger and newGlobal(), and the module of --heap-module"),
    UBI__FLAG(
        "heap-module", 0, AT(with_heap_module),
        "give the script the module \"ubiheap\": heap snapshots and their analyses, the memory profiler, the timeline"),
    UBI__BREAKDOWN_PARAMETERS_WITHOUT_LETTER(AT(by)),
    UBI__TREE_TEXT_PARAMETERS(AT(by)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "run app.js", "run it" },
    { "run -p 'scriptArgs.length' a b", "the value of code" },
    { "run --census-at exit -e 'globalThis.kept = [new Date()]'", "what code leaves in memory" },
    { "run --snapshot-at exit app.js", "see what is left: app-1.fxsnapshot" },
    { "run --snapshot-at 10s --snapshot-at exit app.js", "a series, for 'ubiheap leaks'" },
    { "run --census-at exit -b invertedAllocationStack app.js", "which functions allocated what is left" },
    { "run --heap-limit 64MiB --snapshot-on-oom app.js", "see what filled the memory" },
    { "run --timeline app.timeline app.js", "what it does, and when, for 'ubiheap timeline'" },
    { "run --listen 6080 app.js", "its memory in Firefox: about:debugging" },
    { "run --ui --sites app.js", "look into it in your browser, with the stacks that allocated" },
    { "run --allocation-log log.jsonl --sampling-probability 0.05 app.js",
      "every twentieth allocation, with its stack" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "run",
    .operands = "[SCRIPT] [ARGUMENT...]",
    .summary = "run a JavaScript program and look into its memory",
    .question = "What does this JavaScript program do with its memory?",
    .description = "Runs SCRIPT, or standard input for -, in QuickJS with the memory tools attached. What follows "
                   "SCRIPT belongs to the script, which finds it in scriptArgs, its own name first (-e for CODE). "
                   "Without SCRIPT, it runs what you type on a terminal, or else standard input. Scripts have std, os "
                   "with workers, modules, console, timers, print and gc; see the reference.\n"
                   "\n"
                   "The exit status is the script's: 0 when nothing is left to do, what it gave to std.exit, 1 after "
                   "an exception or a rejected promise that was not caught, 130 after Ctrl-C. 4 when only writing a "
                   "result failed. Errors of the tool are one line; exceptions come with their stack.\n"
                   "\n"
                   "What is typed is run when its brackets are closed; its value is printed, and is _ then. Lines that "
                   "begin with a point look into the heap: .census, .allocations, .snapshot, .gc; .help lists them.\n"
                   "\n"
                   "SIGUSR2 makes the program and each worker write a snapshot, also in the middle of a loop. Ctrl-C "
                   "ends the script and then does what is to be done at exit; a second one ends everything.\n"
                   "\n"
                   "The engine is an old release: do not run programs that you do not trust.\n",
    .parameters = parameters,
    .glossary = &ubi__breakdown_presets_glossary,
    .examples = examples,
    .has_firefox_mode = true,
    .max_operands = INT_MAX,
    .has_options_first = true,
    .arguments_bytes = sizeof(ubi__run_arguments),
};

const ubi__command ubi__command_run = {
    .usage = &usage,
    .run = run_run,
};
