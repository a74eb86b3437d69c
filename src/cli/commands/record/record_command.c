/* SPDX-License-Identifier: MIT
 *
 * record_command.c: `ubiheap record`, a program under the native recorder.
 *
 * Standard output, standard input and the exit status are the program's; our own words go to standard error, one line at
 * the end.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/quantity.h"
#include "base/source.h"
#include "base/status.h"
#include "cli/cli_files.h"
#include "cli/command.h"
#include "cli/commands/record/record.h"
#include "cli/commands/record/record_listen.h"
#include "cli/commands/record/record_live.h"
#include "cli/commands/record/record_ring.h"
#include "cli/terminal.h"
#include "recording/ubirec_reader.h"
#include "recording/ubirec_tables.h"
#include "render/page.h"
#include "targets/native/native_launch.h"
#include "targets/native/native_record.h"

#define STANDARD_PERIOD "512KiB"
/* Of several. */
#define PROCESSES_REPORTED 10
/* Programs left out for one reason. */
#define UNRECORDED_REPORTED 8
#define LARGEST_PERIOD (UINT64_C(1) << 48)

typedef struct record_arguments {
    const char *period, *output, *duration, *listen, *pid, *every, *keep;
    bool is_exact, is_paused, with_children, with_mappings, with_debuginfod, with_view;
    int markers, symbols;
} record_arguments;

/* ---- while it runs ------------------------------------------------------------------------------------------------ */

static void report_waiting(const ubi__native_waiting *w) {
    char line[512], count[UBI__HUMAN_TEXT];
    size_t n = (size_t)snprintf(line, sizeof line, "the program has ended; waiting for %s%s (",
                                ubi__human_count(count, w->n), w->n == 1 ? " process that it made" : " processes");
    for (size_t i = 0; i < UBI__WAITING_NAMED && i < w->n; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%.63s %lld", i ? ", " : "", w->names[i],
                              (long long)w->pids[i]);
    snprintf(line + n, sizeof line - n, "%s); Ctrl+C ends the recording, and %s on",
             w->n > UBI__WAITING_NAMED ? ", ..." : "", w->n == 1 ? "it goes" : "they go");
    ubi__print_line(NULL, line);
}

/* What the program had before is unknown. */
static void report_attached(pid_t pid, uint64_t n_refused) {
    char line[256], count[UBI__HUMAN_TEXT];
    snprintf(
        line, sizeof line,
        "recording process %ld from now on: what it had allocated before is not seen; Ctrl+C ends the recording, and "
        "the process continues",
        (long)pid);
    ubi__print_line(NULL, line);
    if (n_refused == 0)
        return;
    snprintf(line, sizeof line, "%s could not be led to the recorder: what they allocate is not seen",
             ubi__human_things(count, n_refused, "reference"));
    ubi__print_line(NULL, line);
}

static void report_failed_results(pid_t pid, const char *line) {
    char text[1024];
    snprintf(text, sizeof text, "results for process %ld: %.800s", (long)pid,
             strncmp(line, "ubiheap: ", 9) == 0 ? line + 9 : line);
    ubi__print_line(NULL, text);
}

/* ---- options ------------------------------------------------------------------------------------------------------ */

static ubi_status read_period(uint64_t *out, const record_arguments *a) {
    if (a->is_exact && a->period)
        return ubi__fail(UBI_EINVAL, "--exact and --period exclude each other");
    if (a->is_exact) {
        *out = 1;
        return UBI_OK;
    }
    const char *text = a->period ? a->period : STANDARD_PERIOD;
    UBI_TRY(ubi__parse_size(out, text, "--period"));
    if (*out == 0 || *out > LARGEST_PERIOD)
        return ubi__fail(UBI_EINVAL, "--period: expected 1 byte to 256 TiB, not '%s'", text);
    return UBI_OK;
}

static ubi_status read_pid(pid_t *out, const record_arguments *a) {
    uint64_t number;
    UBI_TRY(ubi__parse_number(&number, a->pid, "--pid"));
    if (number == 0 || number > INT_MAX)
        return ubi__fail(UBI_EINVAL, "--pid: there is no process %s", a->pid);
    if (a->with_children)
        return ubi__fail(UBI_EINVAL, "--follow-children: only a program that is started with the recorder is followed");
    *out = (pid_t)number;
    return UBI_OK;
}

static ubi_status read_settings(ubi__native_settings *out, const record_arguments *a) {
    *out = (ubi__native_settings){ .output = a->output,
                                   .is_paused = a->is_paused,
                                   .with_children = a->with_children,
                                   .with_mappings = a->with_mappings,
                                   .with_markers = a->markers >= 0,
                                   .with_symbols = a->symbols >= 0,
                                   .with_debuginfod = a->with_debuginfod,
                                   .maker = { .tool = "/proc/self/exe", .tell = report_failed_results },
                                   .report_waiting = a->pid ? NULL : report_waiting,
                                   .report_attached = report_attached };
    UBI_TRY(read_period(&out->period_bytes, a));
    if (a->output && strcmp(a->output, "-") == 0)
        return ubi__fail(UBI_EINVAL, "--output: standard output belongs to the program");
    if (a->with_debuginfod && a->symbols < 0)
        return ubi__fail(UBI_EINVAL, "--debuginfod and --no-symbols exclude each other");
    if (a->pid)
        UBI_TRY(read_pid(&out->attach_to, a));
    return a->duration ? ubi__parse_duration(&out->duration_us, a->duration, "--duration") : UBI_OK;
}

/* ---- the last line ------------------------------------------------------------------------------------------------ */

/* "3 sampled allocations and mappings". Mappings are all recorded, whatever the period is. */
static char *recorded_things(char out[96], uint64_t n, const ubi__native_settings *settings) {
    char count[UBI__HUMAN_TEXT];
    const char *of_mappings = !settings->with_mappings ? "" : n == 1 ? " or mapping" : " and mappings";
    snprintf(out, 96, "%s %sallocation%s%s", ubi__human_count(count, n), settings->period_bytes == 1 ? "" : "sampled ",
             n == 1 ? "" : "s", of_mappings);
    return out;
}

static void notice_say(char *out, size_t size, const ubi__native_result *r, const ubi__native_settings *settings) {
    char things[96], file_size[UBI__HUMAN_TEXT], more[UBI__HUMAN_TEXT], others[96] = "", marks[96] = "";
    const ubi__native_file *first = &r->files.at[0];
    bool needs_quotes = first->path[0] != '-' && strchr(first->path, ' ') && !strpbrk(first->path, "'\n");
    const char *file = needs_quotes ? first->path : ubi__file_argument(first->path, "FILE");
    const char *quote = needs_quotes ? "'" : "";
    uint64_t total = 0, bytes = 0, markers = 0;
    for (size_t i = 0; i < r->files.n; i++) {
        markers += r->files.at[i].markers;
        total += r->files.at[i].allocations;
        bytes += r->files.at[i].file_bytes;
    }
    if (r->files.n > 1)
        snprintf(others, sizeof others, " and %s", ubi__human_things(more, r->files.n - 1, "more file"));
    if (markers)
        snprintf(marks, sizeof marks, " and %s", ubi__human_things(more, markers, "marker"));
    snprintf(out, size, "recorded %s%s%s in %s%s (%s)%s; to read it: ubiheap report %s%s%s",
             recorded_things(things, total, settings), marks, r->was_stopped ? ", until it was stopped," : "",
             first->path, others, ubi__human_size(file_size, bytes), first->dropped ? "; some events were lost" : "",
             quote, file, quote);
}

static void report_of_failures(const ubi__native_result *r) {
    char line[PATH_MAX];
    if (r->n_refused > 0 && r->files.n > 0) {
        snprintf(line, sizeof line, "%s: not recorded: %s", r->n_refused == 1 ? "a process" : "some processes",
                 r->refusal);
        ubi__print_line(NULL, line);
    }
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.at[i].status != UBI_OK) {
            snprintf(line, sizeof line, "%s; the recording ends there, the program did not", r->files.at[i].message);
            ubi__print_line(r->files.at[i].path, line);
        }
}

/* A program that cannot be recorded by its nature is not our failure. */
static bool is_whole(const ubi__native_result *r) {
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.at[i].status != UBI_OK)
            return false;
    for (size_t i = 0; i < r->unrecorded.n; i++)
        if (r->unrecorded.at[i].why >= UBI__UNRECORDED_DESCRIPTORS &&
            r->unrecorded.at[i].why <= UBI__UNRECORDED_REFUSED)
            return false;
    return r->files.n > 0 && r->n_refused == 0;
}

/* Whether to say why a program is not recorded. */
static bool is_reported_of(const ubi__native_result *r, const char *path) {
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < r->unrecorded.n; i++)
        if (r->unrecorded.at[i].why != UBI__UNRECORDED_CHOICE && r->unrecorded.at[i].why != UBI__UNRECORDED_REPLACED &&
            strcmp(r->unrecorded.at[i].name, slash + 1) == 0)
            return true;
    return false;
}

/* What the numbers lack. */
static void report_of_unseen(const ubi__native_result *r) {
    char line[PATH_MAX + 256], times[UBI__HUMAN_TEXT];
    uint64_t deep_binds = 0, namespaces = 0;
    for (size_t i = 0; i < r->files.n; i++) {
        deep_binds += r->files.at[i].deep_binds;
        namespaces += r->files.at[i].namespaces;
    }
    if (deep_binds) {
        snprintf(line, sizeof line, "RTLD_DEEPBIND was removed from dlopen %s, to see what libraries allocate",
                 ubi__human_things(times, deep_binds, "time"));
        ubi__print_line(NULL, line);
    }
    if (namespaces) {
        snprintf(line, sizeof line, "dlmopen was called %s: what other namespaces allocate was not seen",
                 ubi__human_things(times, namespaces, "time"));
        ubi__print_line(NULL, line);
    }
}

/* Where stacks have the interpreter's own frames, as its scripts' cannot be read. */
static void report_of_scripts(const ubi__native_result *r) {
    static const char *const words[UBI__SCRIPTS_TROUBLES] = {
        [UBI__SCRIPTS_UNKNOWN_VERSION] =
            "stacks are without Python's functions: only Python 3.11 to 3.13 is understood",
        [UBI__SCRIPTS_STRANGE_LAYOUT] = "stacks are without Python's functions: this build keeps them in another way",
    };
    for (size_t i = 0; i < r->files.n; i++)
        if (words[r->files.at[i].scripts])
            ubi__print_line(r->files.at[i].path, words[r->files.at[i].scripts]);
}

static int compare_files(const void *a, const void *b) {
    const ubi__native_file *const *x = a, *const *y = b;
    if ((*x)->allocated_bytes != (*y)->allocated_bytes)
        return (*x)->allocated_bytes > (*y)->allocated_bytes ? -1 : 1;
    return ((*x)->pid > (*y)->pid) - ((*x)->pid < (*y)->pid);
}

/* Of several processes, those that allocated most. */
static void report_of_processes(const ubi__native_result *r, const ubi__native_settings *settings) {
    char line[PATH_MAX + 256], size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], things[96];
    const ubi_allocator *a = ubi_allocator_default();
    size_t n = r->files.n;
    const ubi__native_file **files = n > 1 ? ubi__alloc_array(a, n, sizeof *files) : NULL;
    if (!files)
        return;
    for (size_t i = 0; i < n; i++)
        files[i] = &r->files.at[i];
    qsort(files, n, sizeof *files, compare_files);
    for (size_t i = 0; i < n && i < PROCESSES_REPORTED; i++) {
        snprintf(line, sizeof line, "%s %lld: %s in %s, %s", files[i]->name, (long long)files[i]->pid,
                 ubi__human_size(size, files[i]->allocated_bytes),
                 recorded_things(things, files[i]->allocations, settings), files[i]->path);
        ubi__print_line(NULL, line);
    }
    if (n > PROCESSES_REPORTED) {
        snprintf(line, sizeof line, "%s more; 'ubiheap report --detail' lists all",
                 ubi__human_count(count, n - PROCESSES_REPORTED));
        ubi__print_line(NULL, line);
    }
    ubi__free_array(a, files, n, sizeof *files);
}

/* Children that did not end by themselves. How the program itself ended is our own status. */
static void report_of_killed(const ubi__native_result *r) {
    char line[PATH_MAX + 256];
    size_t n = 0;
    for (size_t i = 0; i < r->files.n; i++) {
        const ubi__native_file *file = &r->files.at[i];
        const char *name = file->end.reason == UBI__UBIREC_KILLED ? ubi__signal_name(file->end.value) : NULL;
        if (file->end.reason != UBI__UBIREC_KILLED || file->is_program || n++ >= PROCESSES_REPORTED)
            continue;
        snprintf(line, sizeof line, name ? "%s %lld was ended by signal %u (SIG%s)" : "%s %lld was ended by signal %u",
                 file->name, (long long)file->pid, file->end.value, name);
        ubi__print_line(NULL, line);
    }
    if (n > PROCESSES_REPORTED) {
        snprintf(line, sizeof line, "%zu more were ended by a signal", n - PROCESSES_REPORTED);
        ubi__print_line(NULL, line);
    }
}

/* "sort, head (3 times)": those left out for one reason. @return how many programs */
static size_t name_unrecorded(char *out, size_t size, const ubi__native_result *r, ubi__unrecorded why) {
    char times[UBI__HUMAN_TEXT];
    size_t used = 0, n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < r->unrecorded.n; i++) {
        const ubi__native_unrecorded *row = &r->unrecorded.at[i];
        if (row->why != why)
            continue;
        if (n < UNRECORDED_REPORTED) {
            used += (size_t)snprintf(out + used, size - used, "%s%.63s", n ? ", " : "", row->name);
            if (row->count > 1)
                used += (size_t)snprintf(out + used, size - used, " (%s times)", ubi__human_count(times, row->count));
        }
        n++;
    }
    if (n > UNRECORDED_REPORTED)
        snprintf(out + used, size - used, ", ...");
    return n;
}

/* Explains an empty report: other processes do the work. */
static void report_of_unrecorded(const ubi__native_result *r, const ubi__native_settings *settings) {
    char names[UNRECORDED_REPORTED * 128], line[sizeof names + 256];
    if (name_unrecorded(names, sizeof names, r, UBI__UNRECORDED_CHOICE) && r->files.n == 1) {
        snprintf(line, sizeof line, "it started %s, not recorded%s", names,
                 settings->attach_to ? "" : "; --follow-children does that");
        ubi__print_line(r->files.at[0].path, line);
    }
    for (int why = UBI__UNRECORDED_CHOICE + 1; why < UBI__UNRECORDED_REPLACED; why++)
        if (name_unrecorded(names, sizeof names, r, (ubi__unrecorded)why)) {
            snprintf(line, sizeof line, "not recorded: %s: %s", names, ubi__unrecorded_words((ubi__unrecorded)why));
            ubi__print_line(NULL, line);
        }
}

/* Wrappers and shells that become the real program explain an empty report. */
static void report_of_replacement(const ubi__native_result *r, const ubi__native_settings *settings) {
    char names[UNRECORDED_REPORTED * 128], line[PATH_MAX + sizeof names];
    const char *advice = settings->attach_to       ? "attach to it again to record that"
                         : settings->with_children ? "the recorder was not loaded into it"
                                                   : "--follow-children does that";
    bool is_said = false;
    for (size_t i = 0; i < r->files.n; i++) {
        const ubi__native_file *file = &r->files.at[i];
        if (!file->replaced_by[0] || is_reported_of(r, file->replaced_by))
            continue;
        snprintf(line, sizeof line, "it became %s, which was not recorded; %s", file->replaced_by, advice);
        ubi__print_line(file->path, line);
        is_said = true;
    }
    if (!is_said && r->files.n && name_unrecorded(names, sizeof names, r, UBI__UNRECORDED_REPLACED)) {
        snprintf(line, sizeof line, "it became %s, which was not recorded; %s", names, advice);
        ubi__print_line(r->files.at[0].path, line);
    }
}

static void outcome_report(const ubi__native_result *r, const char *program, const ubi__native_settings *settings) {
    char line[2 * PATH_MAX + 256];
    report_of_failures(r);
    report_of_unseen(r);
    report_of_scripts(r);
    report_of_killed(r);
    report_of_processes(r, settings);
    report_of_unrecorded(r, settings);
    if (r->files.n > 0)
        notice_say(line, sizeof line, r, settings);
    else if (r->n_refused > 0)
        snprintf(line, sizeof line, "nothing was recorded: %s", r->refusal);
    else
        snprintf(line, sizeof line, "nothing was recorded, for the recorder was not loaded into '%s'", program);
    ubi__print_line(NULL, line);
}

/* ---- profiles instead of a recording ------------------------------------------------------------------------------ */

#define PROFILES_KEPT "60"
#define MOST_PROFILES 100000

static ubi_status ring_start(ubi__record_ring **out, ubi__native_settings *settings, const record_arguments *a,
                             const char *subject) {
    uint64_t every_us, keep;
    char name[PATH_MAX];
    const char *slash = strrchr(subject, '/');
    if (a->keep && !a->every)
        return ubi__fail(UBI_EINVAL, "--keep is for the profiles of --every");
    if (!a->every)
        return UBI_OK;
    if (a->with_children || a->markers > 0)
        return ubi__fail(UBI_EINVAL, "--every writes profiles of one process, without markers");
    UBI_TRY(ubi__parse_duration(&every_us, a->every, "--every"));
    UBI_TRY(ubi__parse_number(&keep, a->keep ? a->keep : PROFILES_KEPT, "--keep"));
    if (every_us < 1000000)
        return ubi__fail(UBI_EINVAL, "--every: expected a second or more, not '%s'", a->every);
    if (keep == 0 || keep > MOST_PROFILES)
        return ubi__fail(UBI_EINVAL, "--keep: expected 1 to %d, not '%s'", MOST_PROFILES, a->keep);
    snprintf(name, sizeof name, "%s", a->output ? a->output : slash ? slash + 1 : subject);
    return ubi__record_ring_start(out, settings, name, every_us, keep);
}

/* The last line. @return whether all is well. */
static bool ring_end(ubi__record_ring *ring) {
    char line[PATH_MAX + 256], newest[4096], count[UBI__HUMAN_TEXT];
    uint64_t n;
    ubi_status status = ubi__record_ring_finish(ring, &n, newest);
    if (status != UBI_OK)
        snprintf(line, sizeof line, "the profiles end early: %s", ubi_error_message());
    else if (n == 0)
        snprintf(line, sizeof line, "nothing was recorded, and no profile was written");
    else
        snprintf(line, sizeof line, "wrote %s, the last one %s", ubi__human_things(count, n, "profile"), newest);
    ubi__print_line(NULL, line);
    ubi__record_ring_free(ring);
    return status == UBI_OK && n > 0;
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

static int exit_code_of(const ubi__native_result *r) {
    int code = ubi__program_exit_code(r->wait_status);
    return code == UBI__EXIT_OK && !is_whole(r) ? UBI__EXIT_SYSTEM : code;
}

/* With developer tools, if they may look, and in the terminal. */
static ubi_status program_record(ubi__native_result *result, ubi__cli *cli, ubi__native_settings *settings,
                                 const record_arguments *a, char **operands, int n_operands, int *start_code) {
    ubi__record_listen listen = { .targets = NULL };
    ubi__record_live *live = NULL;
    const ubi__style style = ubi__terminal_style(STDERR_FILENO, cli->common.color);
    ubi_status status = UBI_OK;
    if (a->listen)
        UBI_TRY(ubi__record_listen_start(&listen, settings, a->listen));
    ubi__interrupt_restore();
    if (a->with_view)
        status = ubi__record_live_start(&live, settings, &style);
    if (status == UBI_OK)
        status = ubi__native_record(result, settings, operands, (size_t)n_operands, start_code, NULL);
    ubi__record_live_stop(live);
    ubi__interrupt_install();
    ubi__record_listen_stop(&listen);
    return status;
}

/* A program, or a process. */
static ubi_status subject_check(const record_arguments *a, char *const *operands, int n_operands) {
    if (a->pid && n_operands > 0)
        return ubi__fail(UBI_EINVAL, "--pid: process %s runs already, and '%s' would be another program", a->pid,
                         operands[0]);
    if (!a->pid && n_operands == 0)
        return ubi__fail(UBI_EINVAL, "expected PROGRAM [ARGUMENT...], as in: ubiheap record -- ./server 8080");
    return UBI_OK;
}

/* It may have kept us. */
static void report_of_left_behind(const ubi__native_result *r) {
    char line[640];
    if (!r->left_behind[0])
        return;
    snprintf(line, sizeof line, "its calls still pass through the recorder, which is idle: %s", r->left_behind);
    ubi__print_line(NULL, line);
}

static ubi_status record_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const record_arguments *a = values;
    char library[PATH_MAX];
    ubi__native_settings settings;
    ubi__native_result result;
    int start_code = UBI__EXIT_OK;
    if (cli->common.wants_json)
        return ubi__fail(UBI_EINVAL, "--json: standard output belongs to the program; 'ubiheap report' has --json");
    UBI_TRY(subject_check(a, operands, n_operands));
    UBI_TRY(read_settings(&settings, a));
    for (int i = 0; i < n_operands; i++) /* the program, and files that it is to read */
        UBI_TRY(ubi__output_check(settings.output, operands[i]));
    UBI_TRY(ubi__output_check_kind(settings.output, "recording"));
    UBI_TRY(ubi__native_library_find(library, sizeof library));
    settings.library = library;
    ubi__record_ring *ring = NULL;
    UBI_TRY(ring_start(&ring, &settings, a, a->pid ? a->pid : operands[0]));
    ubi_status status = program_record(&result, cli, &settings, a, operands, n_operands, &start_code);
    if (status != UBI_OK)
        ubi__record_ring_free(ring);
    if (status != UBI_OK && start_code != UBI__EXIT_OK) { /* as a shell would end */
        ubi__print_line(cli->subject, ubi_error_message());
        *exit_code = start_code;
        return UBI_OK;
    }
    UBI_TRY(status);
    report_of_replacement(&result, &settings);
    report_of_left_behind(&result);
    bool is_kept = !ring || ring_end(ring);
    if (!ring)
        outcome_report(&result, a->pid ? a->pid : operands[0], &settings);
    *exit_code = exit_code_of(&result); /* may not return: the program's signal becomes ours */
    if (!is_kept && *exit_code == UBI__EXIT_OK)
        *exit_code = UBI__EXIT_SYSTEM;
    ubi__native_result_fini(&result);
    return UBI_OK;
}

ubi_status ubi__record_attached(ubi__cli *cli, const char *pid, const char *output, const char *duration,
                                int *exit_code) {
    record_arguments a = { .pid = pid, .output = output, .duration = duration };
    return record_run(cli, &a, NULL, 0, exit_code);
}

#define AT(field) offsetof(record_arguments, field)

static const ubi__parameter parameters[] = {
    UBI__TEXT(
        "period", 'p', AT(period), "BYTES",
        "sample one allocation per BYTES allocated, on average; reports give limits between which the true value lies",
        STANDARD_PERIOD),
    UBI__FLAG("exact", 'e', AT(is_exact), "record every allocation and every free"),
    UBI__TEXT("output", 'o', AT(output), "FILE",
              "the recording, which replaces an older one as soon as it has begun; of further processes, FILE.PID",
              "PROGRAM.PID.ubirec"),
    UBI__TEXT("duration", 0, AT(duration), "TIME", "stop recording after TIME, such as 30s; the program continues",
              NULL),
    UBI__ALIAS_LETTER('d'),
    UBI__TEXT("pid", 0, AT(pid), "PID",
              "record a process that runs already instead of starting a program, until it ends or Ctrl-C; it continues",
              NULL, .if_twice = "once is all it takes"),
    UBI__TEXT(
        "every", 0, AT(every), "TIME",
        "instead of a recording, write a profile of pprof every TIME, such as 60s, as FILE.YYYYMMDDTHHMMSSZ.pb.gz",
        NULL),
    UBI__TEXT("keep", 0, AT(keep), "N", "with --every: how many profiles are kept; older ones are removed",
              PROFILES_KEPT),
    UBI__FLAG(
        "paused", 0, AT(is_paused),
        "record no allocation until 'ubiheap control PID start', or the program itself (ubiheap/core/recorder.h), "
        "starts it"),
    UBI__FLAG("follow-children", 0, AT(with_children),
              "record processes that the program makes, and programs that it becomes, each in a file of its own"),
    UBI__ALIAS_LETTER('f'),
    UBI__FLAG("mappings", 0, AT(with_mappings),
              "record anonymous memory mappings too; they are never added to the heap"),
    UBI__SWITCH("markers", 0, AT(markers),
                "record the program's own markers (ubiheap/core/marker.h), or do not; 'ubiheap timeline' shows it"),
    UBI__SWITCH(
        "symbols", 0, AT(symbols),
        "look functions, files and lines up at the end, or do not; 'ubiheap report' does it where it was not done"),
    UBI__TEXT(
        "listen", 0, AT(listen), "[HOST:]PORT",
        "let Firefox's developer tools, and other clients of the remote debugging protocol, see the sizes of the "
        "program and of processes that are followed, and start and stop their recording, while they run: as 'ubiheap "
        "run --listen' does. Needs libuv.so.1 (Debian package libuv1)",
        NULL, .if_twice = "once is all it takes"),
    UBI__FLAG(
        "live", 0, AT(with_view),
        "show in the terminal what lives, its peak, its curve and its places, until q is pressed; what the program "
        "writes to the terminal follows then, and the keys are not its input"),
    UBI__FLAG("debuginfod", 0, AT(with_debuginfod),
              "fetch missing debug information from the servers of DEBUGINFOD_URLS, which are sent build-ids"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "record -- ./server 8080", "record it, cheap enough to leave on" },
    { "record --exact -o sort.ubirec -- sort big.txt", "every allocation" },
    { "record --follow-children -- make", "a file for each process" },
    { "record --live -- ./server", "look at it meanwhile" },
    { "record --duration 30s -- ./server", "the first half minute; the server continues" },
    { "record --every 60s --keep 30 -- ./server", "profiles of the last half hour, for agents that upload them" },
    { "record --pid 4711 --duration 30s", "half a minute of a process that runs already" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "record",
    .operands = "PROGRAM [ARGUMENT...]",
    .summary = "run a native program and record what it allocates",
    .question = "What does this native program allocate, and where?",
    .description =
        "Runs PROGRAM, any dynamically linked program for this machine, with a library that records what it allocates "
        "and frees, with the stacks, into FILE; 'ubiheap report FILE' reads it. Sampled, this costs next to nothing; "
        "--exact costs more and counts everything. Stacks of QuickJS, Python and Node.js have the frames "
        "of their scripts, as far as these are known.\n"
        "\n"
        "The program has its own standard input, output, environment, signals and terminal. Its exit status becomes "
        "ours: 127 when there is no such program, 126 when it cannot be run, the same signal when it is killed by one. "
        "4 when the program ended well but the recording did not.\n"
        "\n"
        "Nothing is lost when the program crashes, is killed, or leaves with _exit. When ubiheap is killed, the "
        "program continues, and the file is good up to the last second. SIGTERM and other signals sent to ubiheap are "
        "passed on; Ctrl-C reaches the program from the terminal, and the file is finished.\n"
        "\n"
        "Statically linked and setuid programs load no libraries from outside, and sanitizers bring a malloc that "
        "cannot be intercepted: these are refused (126).\n",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 0, /* none with --pid */
    .max_operands = INT_MAX,
    .has_options_first = true,
    .arguments_bytes = sizeof(record_arguments),
};

const ubi__command ubi__command_record = {
    .usage = &usage,
    .run = record_run,
};
