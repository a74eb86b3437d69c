/* SPDX-License-Identifier: MIT
 *
 * attach_command.c: `ubiheap attach`, heaps of running programs, by an address.
 */
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "cli/commands/attach/attach.h"
#include "cli/commands/record/record.h"
#include "cli/remote_missing.h"
#include "cli/remote_schemes.h"

#define AT(field) offsetof(ubi__attach_arguments, field)

void ubi__attach_document_begin(ubi__json *json, const ubi__attach *a) {
    ubi__document_open(json, a->cli, "ubiheap.attach/1");
    ubi__json_member_string(json, "target", a->target);
    ubi__json_member_string(json, "verb", a->verb);
}

static void missing_name_write(void *payload, ubi_text name) {
    ubi__json_text(payload, name);
}

void ubi__attach_document_end(ubi__json *json, const ubi__attach *a) {
    ubi__json_member_array(json, "missing");
    a->ops->missing(a->remote, missing_name_write, json);
    ubi__json_array_end(json);
    ubi__document_end(json);
}

void ubi__attach_missing_report(const ubi__attach *a) {
    const ubi__remote_witness witness = ubi__remote_missing_witness(a->cli);
    witness.see(witness.payload, a->target, a->remote, a->ops);
}

/* The answer as it came, without what belongs to the protocol. */
static void answer_copy(ubi__json *json, ubi_text answer, bool has_objects_only) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_cursor_open(&c, answer, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        if (key.has_escapes || ubi__json_value_is(&key, "from") || (has_objects_only && value.type != UBI__JSON_OBJECT))
            continue;
        ubi__json_key_text(json, key.raw);
        if (value.type == UBI__JSON_STRING)
            ubi__json_raw(json, (ubi_text){ value.raw.ptr - 1, value.raw.len + 2 });
        else
            ubi__json_raw(json, value.raw);
    }
}

void ubi__attach_answer_write(const ubi__attach *a, const char *key, ubi_text answer, bool has_objects_only) {
    ubi__json json;
    ubi__progress_line_clear(&a->cli->progress);
    ubi__attach_document_begin(&json, a);
    ubi__json_member_object(&json, key);
    answer_copy(&json, answer, has_objects_only);
    ubi__json_object_end(&json);
    ubi__attach_document_end(&json, a);
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------ */

static ubi_status snapshot_save(const ubi__attach *a, ubi__output_file *file, uint64_t *pause_us) {
    UBI_TRY(ubi__output_file_open(file, a->cli, a->arguments->output));
    a->cli->subject = a->target;
    ubi_status status = a->ops->snapshot(a->remote, ubi__output_file_write, file, pause_us);
    ubi__progress_line_clear(&a->cli->progress);
    if (file->status != UBI_OK)
        a->cli->subject = file->path;
    return ubi__output_file_close(file, status);
}

static ubi_status attach_snapshot(const ubi__attach *a) {
    ubi__output_file file;
    ubi__json json;
    char line[64], pause[UBI__HUMAN_TEXT];
    uint64_t pause_us = 0;
    UBI_TRY(snapshot_save(a, &file, &pause_us));
    snprintf(line, sizeof line, ", after a pause of %s at most", ubi__human_duration(pause, pause_us));
    ubi__output_file_report(&file, line);
    if (!a->cli->common.wants_json) {
        ubi__attach_missing_report(a);
        return UBI_OK;
    }
    ubi__attach_document_begin(&json, a);
    ubi__json_member_string(&json, "output", file.path);
    ubi__json_member_u64(&json, "size", file.n_bytes);
    ubi__json_member_double(&json, "pauseMs", (double)pause_us / 1e3);
    ubi__attach_document_end(&json, a);
    return UBI_OK;
}

/* ---- verbs ---------------------------------------------------------------------------------------------------------- */

static const struct verb {
    const char *name;
    ubi_status (*perform)(const ubi__attach *a);
    ubi_status (*record)(const ubi__attach *a, int *exit_code); /* or this: it takes --seconds, and has an answer */
    const char *kind;                                           /* of file that it keeps; NULL: the heap's own */
    bool is_of_all;                                             /* nothing is chosen */
} verbs[] = {
    { .name = "list", .perform = ubi__attach_list, .is_of_all = true },
    { .name = "snapshot", .perform = attach_snapshot },
    { .name = "census", .perform = ubi__attach_census },
    { .name = "allocations", .record = ubi__attach_allocations, .kind = "recording" },
    { .name = "profile", .record = ubi__attach_profile, .kind = "heapprofile" },
    { .name = "track", .record = ubi__attach_track },
    { .name = "gc", .perform = ubi__attach_collect },
    { .name = "measure", .perform = ubi__attach_measure },
};

#define N_VERBS (sizeof verbs / sizeof *verbs)

static ubi_status verb_find(const struct verb **out, const char *name) {
    ubi__suggestion best = ubi__suggestion_for(name);
    for (size_t i = 0; i < N_VERBS; i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            *out = &verbs[i];
            return UBI_OK;
        }
        ubi__suggestion_try(&best, verbs[i].name);
    }
    return ubi__fail(UBI_EINVAL, "unknown verb '%s'%s%s%s", name, best.word ? "; did you mean '" : "",
                     best.word ? best.word : "", best.word ? "'?" : "");
}

/* ---- command lines -------------------------------------------------------------------------------------------------- */

static ubi_status choice_read(ubi__remote_address *address, const char *text, const char *option,
                              ubi__remote_choice choice, uint64_t least) {
    uint64_t number;
    if (!text)
        return UBI_OK;
    UBI_TRY(ubi__parse_number(&number, text, option));
    if (number < least)
        return ubi__fail(UBI_EINVAL, "%s: tabs are counted from 1", option);
    if (address->choice != UBI__REMOTE_ANY)
        return ubi__fail(UBI_EINVAL, "%s: a tab or process is chosen already", option);
    address->choice = choice;
    address->number = number;
    return UBI_OK;
}

/* What is saved is what comes: `kind`. */
static ubi_status output_check_name(const ubi__attach *a, const struct verb *verb, const char *kind) {
    const char *output = a->arguments->output;
    const ubi_save_format *format = output ? ubi__output_format(output) : NULL;
    if (format && verb->kind)
        return ubi__fail(UBI_EINVAL, "%s has the name of a snapshot, and would be a %s", output, kind);
    if (format && strcmp(format->name, kind) != 0)
        return ubi__fail(UBI_EINVAL, "%s saves a .%s; another format: ubiheap convert %s %s", verb->name, kind,
                         a->target, output);
    return UBI_OK;
}

/* Which options are for the verb. */
static ubi_status options_check(const ubi__attach *a, const struct verb *verb) {
    const ubi__attach_arguments *v = a->arguments;
    bool is_snapshot = strcmp(verb->name, "snapshot") == 0, takes_one = strcmp(verb->name, "track") == 0;
    if (is_snapshot && !v->output)
        return ubi__fail(UBI_EINVAL, "snapshot needs --output: where is it to be saved?");
    if (v->output && !is_snapshot && !verb->record)
        return ubi__fail(UBI_EINVAL, "--output is for snapshot, allocations, profile and track");
    if (v->seconds && !verb->record)
        return ubi__fail(UBI_EINVAL, "--seconds is for allocations, profile and track");
    if (v->is_forced && !is_snapshot && !takes_one)
        return ubi__fail(UBI_EINVAL, "--force is for snapshot and track");
    return UBI_OK;
}

/* Before anything is connected. */
static ubi_status arguments_check(const ubi__attach *a, const struct verb *verb, ubi__remote_address *address) {
    const ubi__attach_arguments *v = a->arguments;
    UBI_TRY(ubi__remote_address_parse(address, a->target, ubi__remote_schemes));
    UBI_TRY(choice_read(address, v->tab, "--tab", UBI__REMOTE_TAB, 1));
    UBI_TRY(choice_read(address, v->process, "--process", UBI__REMOTE_PROCESS, 0));
    UBI_TRY(ubi__remote_target_read(address, v->target));
    UBI_TRY(options_check(a, verb));
    address->is_forced = v->is_forced;
    UBI_TRY(ubi__remote_patience_read(address, v->patience));
    const char *kind = verb->kind ? verb->kind : ubi__remote_snapshot_kind(address->scheme);
    UBI_TRY(output_check_name(a, verb, kind));
    UBI_TRY(ubi__output_check_terminal(v->output, a->cli, verb->kind ? verb->kind : "snapshot"));
    return ubi__output_check_kind(v->output, kind);
}

static ubi_status verb_perform(const ubi__attach *a, const struct verb *verb, int *exit_code) {
    if (!verb->is_of_all)
        UBI_TRY(a->ops->attach(a->remote));
    return verb->record ? verb->record(a, exit_code) : verb->perform(a);
}

/* A process of this machine, by its number: it is recorded. */
static bool is_process(const char *target) {
    return *target && target[strspn(target, "0123456789")] == '\0';
}

static ubi_status process_record(ubi__cli *cli, const ubi__attach_arguments *v, char **operands, int n_operands,
                                 int *exit_code) {
    if (n_operands > 1)
        return ubi__fail(UBI_EINVAL, "a process is recorded, and takes no verb: ubiheap attach %s", operands[0]);
    if (v->tab || v->process || v->target)
        return ubi__fail(UBI_EINVAL, "--tab, --process and --target choose in a TARGET that is an address");
    if (v->patience)
        return ubi__fail(UBI_EINVAL, "--patience is for a TARGET that is an address of Node.js or Chrome");
    const char *seconds = v->seconds && strcmp(v->seconds, "0") != 0 ? v->seconds : NULL; /* 0: until Ctrl-C */
    return ubi__record_attached(cli, operands[0], v->output, seconds, exit_code);
}

static ubi_status attach_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi__remote_address address;
    ubi__attach a = { .cli = cli, .arguments = values, .target = operands[0], .address = &address };
    const struct verb *verb = NULL;
    if (is_process(operands[0]))
        return process_record(cli, values, operands, n_operands, exit_code);
    if (n_operands > 1 && ubi__remote_is_address(operands[1], ubi__remote_schemes))
        return ubi__fail(UBI_EINVAL, "the address comes first: ubiheap attach %s %s", operands[1], operands[0]);
    UBI_TRY(verb_find(&verb, n_operands > 1 ? operands[1] : "list"));
    a.verb = verb->name;
    UBI_TRY(arguments_check(&a, verb, &address));
    const ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    a.ops = address.scheme->ops;
    cli->subject = a.target;
    ubi_status status = a.ops->open(&a.remote, &address, &progress, NULL);
    if (status == UBI_OK) {
        status = verb_perform(&a, verb, exit_code);
        a.ops->close(a.remote);
    }
    ubi__progress_line_clear(&cli->progress);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__TEXT("tab", 0, AT(tab), "N", "the tab of this number, as list shows it", "the one that is selected"),
    UBI__TEXT("process", 0, AT(process), "N", "the whole process of this number; 0: the program that was addressed",
              NULL),
    UBI__TEXT("target", 0, AT(target), "N|NAME",
              "of Node.js the worker thread of this number, as list shows it, 0: the main thread; of Chrome the tab, "
              "0: without its workers; or "
              "the first in the list whose title or address has NAME",
              NULL),
    UBI__TEXT("output", 'o', AT(output), "FILE",
              "where snapshot saves the heap, and allocations, profile and track what they recorded", NULL),
    UBI__TEXT("seconds", 0, AT(seconds), "TIME",
              "how long allocations, profile and track record, such as 5, 1.5s or 2m; 0: until Ctrl-C", "10"),
    UBI__TEXT("patience", 0, AT(patience), "TIME",
              "how long Node.js or Chrome may take for an answer, before it is given up", "5m"),
    UBI__FLAG("force", 0, AT(is_forced), "take a snapshot though the program may have too little memory for it"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "attach firefox://127.0.0.1:6000", "tabs and processes of a Firefox" },
    { "attach firefox://127.0.0.1:6000 snapshot --tab 2 -o tab.fxsnapshot", "the heap of a tab, as a file" },
    { "attach firefox://127.0.0.1:6000/tab/2 allocations --seconds 5", "which functions allocate" },
    { "attach node:4711 profile --seconds 60 -o minute.heapprofile", "what a server allocates and keeps in a minute" },
    { "leaks node:4711 --every 30s --times 3", "what leaks in a Node.js server that runs" },
    { "attach 4711 --seconds 30 -o server.ubirec", "record half a minute of a native process" },
    { "report ubi://127.0.0.1", "any question takes an address in place of a file" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "attach",
    .operands = "TARGET [VERB]",
    .summary = "look into a program that runs: Node.js, Chrome, Firefox, ...",
    .question = "What is in the heap of this running program?",
    .description =
        "TARGET is an address: firefox://HOST:PORT of a Firefox that was started with --start-debugger-server PORT "
        "(6000 if the address has no port), ubi://HOST:PORT of a program under 'ubiheap run --listen' (6080), "
        "node:PID of a Node.js process of this machine, node://HOST:PORT of one with --inspect (9229), "
        "chrome://HOST:PORT of a Chrome or Electron with --remote-debugging-port=PORT (9222), or the ws:// address "
        "that such a program prints. The inspector of node:PID is opened with its signal, and closed again. "
        "An address may choose for itself: firefox://HOST:PORT/tab/2, ubi://HOST:PORT/process/0, node:PID/worker/1. In "
        "this form it takes "
        "the place of a FILE in any question about heaps, such as report: a snapshot is then taken, read while it "
        "comes, and asked about.\n"
        "\n"
        "VERB is list (the default: tabs, processes and worker threads), snapshot (saves the heap with --output), "
        "census (what there "
        "is, "
        "counted on the other side), allocations (records which functions allocate; not of V8), profile (of V8: "
        "samples "
        "which functions allocated what is still there; a .heapprofile), track (of V8: each object that is allocated "
        "meanwhile, with its stack; a snapshot), gc (collects garbage), or measure (memory by use). A snapshot needs "
        "to be whole: when the connection breaks, or after Ctrl-C, nothing is "
        "saved.\n"
        "\n"
        "A TARGET that is a number is a native process of this machine: what it allocates from now on is recorded, "
        "sampled, as 'ubiheap record --pid' does, until it ends or Ctrl-C; it continues.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(ubi__attach_arguments),
};

const ubi__command ubi__command_attach = {
    .usage = &usage,
    .related = &ubi__command_record,
    .related_words = "record --pid PID",
    .run = attach_run,
};
