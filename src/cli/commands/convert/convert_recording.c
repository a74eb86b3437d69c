/* SPDX-License-Identifier: MIT
 *
 * convert_recording.c: recordings and timelines with other texts.
 *
 * Every copy is complete and on disk before the first one takes its place.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/command.h"
#include "cli/commands/convert/convert.h"
#include "cli/recording_symbols.h"
#include "cli/terminal.h"
#include "formats/timeline/timeline_copy.h"
#include "formats/ubirec/ubirec_copy.h"
#include "recording/heap_profile.h"
#include "recording/recording_processes.h"
#include "render/page.h"

#define DAY_NS UINT64_C(86400000000000)

/* One file of the copy. */
typedef struct part {
    const char *input;
    char *output; /* output[n_path], owned */
    size_t n_path;
    ubi__atomic_file file;
    bool is_open;
    ubi__cli *cli;
    uint64_t input_bytes, output_bytes, n_things, torn_bytes;
    char fault[256];
} part;

typedef struct job {
    ubi__cli *cli;
    const ubi__convert_arguments *arguments;
    ubi_anonymizer *anonymizer;
    const char *input, *output;
    bool is_timeline, is_standard_output;
    ubi__recording_processes processes; /* of a recording in a file */
    part *parts;                        /* parts[n] */
    size_t n;
} job;

/* ---- which files -------------------------------------------------------------------------------------------------- */

static ubi_status name_part(job *j, part *p, const char *input) {
    const char *rest = strlen(input) > strlen(j->input) ? input + strlen(j->input) : "";
    p->input = input;
    p->cli = j->cli;
    p->n_path = strlen(j->output) + strlen(rest) + 1;
    p->output = ubi__alloc_array(ubi_allocator_default(), p->n_path, 1);
    if (!p->output)
        return ubi__fail_nomem();
    snprintf(p->output, p->n_path, "%s%s", j->output, rest);
    return UBI_OK;
}

static ubi_status name_parts(job *j) {
    if (!j->is_timeline)
        UBI_TRY(ubi__recording_processes_find(&j->processes, j->input, NULL, NULL));
    j->n = ubi__recording_file_count(&j->processes);
    j->parts = ubi__calloc_array(ubi_allocator_default(), j->n, sizeof *j->parts);
    if (!j->parts)
        return ubi__fail_nomem();
    for (size_t i = 0; i < j->n; i++)
        UBI_TRY(name_part(j, &j->parts[i], ubi__recording_file(&j->processes, j->input, i)));
    return UBI_OK;
}

ubi_status ubi__convert_check_original(const char *output, const char *input) {
    if (!ubi__is_same_file(output, input))
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "the output %s is the file that is read; an anonymized copy needs another name",
                     output);
}

/* A copy never replaces a file that is read. */
static ubi_status check_places(const job *j) {
    for (size_t i = 0; i < j->n; i++) {
        UBI_TRY(ubi__output_check(j->parts[i].output, j->arguments->key_file));
        for (size_t k = 0; k < j->n; k++)
            UBI_TRY(ubi__convert_check_original(j->parts[i].output, j->parts[k].input));
        UBI_TRY(ubi__output_check_kind(j->parts[i].output, j->is_timeline ? "timeline" : "recording"));
    }
    return UBI_OK;
}

static ubi_status check_wishes(const job *j) {
    const ubi__convert_arguments *a = j->arguments;
    const char *kind = j->is_timeline ? "timeline" : "recording";
    const ubi_save_format *f;
    if (a->format || a->with_all_edges || a->with_raw_sizes)
        return ubi__fail(UBI_EINVAL, "%s is for snapshots; the copy of a %s is a %s",
                         a->format           ? "--format"
                         : a->with_all_edges ? "--all-edges"
                                             : "--raw-sizes",
                         kind, kind);
    if (a->compression && !j->is_timeline)
        return ubi__fail(UBI_EINVAL, "--compression is for snapshots and timelines; recordings are packed already");
    for (size_t i = 0; (f = ubi_save_format_at(i)); i++)
        if (ubi__text_ends(ubi__text(j->output), f->extension))
            return ubi__fail(UBI_EINVAL, "%s has the name of a snapshot, and would be a %s", j->output, kind);
    if (j->is_standard_output && j->cli->common.wants_json)
        return ubi__fail(UBI_EINVAL, "--json and the output - both want standard output");
    if (!j->is_timeline)
        UBI_TRY(ubi__output_check_terminal(j->output, j->cli, "recording"));
    if (j->is_standard_output && j->n > 1)
        return ubi__fail(UBI_EINVAL, "%zu processes were recorded together, in as many files: name a file for the copy",
                         j->n);
    return UBI_OK;
}

/* ---- one file ----------------------------------------------------------------------------------------------------- */

static ubi_status write_part(void *payload, const void *data, size_t n) {
    part *p = payload;
    p->output_bytes += n;
    if (p->is_open)
        return ubi__atomic_file_write(&p->file, data, n);
    return ubi__out_write(p->cli->page.out, data, n)
               ? UBI_OK
               : ubi__fail(UBI_EIO, "cannot write: the reader of the output is gone");
}

/* Replaces the number that files of processes share, by the key alone. */
static ubi_status map_recording(const job *j, uint64_t *out, uint64_t recording) {
    char text[64];
    ubi_text mapped;
    *out = 0;
    if (recording == 0)
        return UBI_OK;
    int n = snprintf(text, sizeof text, "recording %" PRIu64, recording);
    UBI_TRY(ubi_anonymizer_text(j->anonymizer, UBI_TEXT_SECRET, (ubi_text){ text, (size_t)n }, &mapped));
    for (size_t i = 0; i < mapped.len; i++)
        *out = *out * 37 + (uint8_t)mapped.ptr[i];
    return UBI_OK;
}

static ubi_status copy_recording(const job *j, part *p, ubi__source *source) {
    const ubi__recording_process *first = j->processes.rows.n ? &j->processes.rows.at[0] : NULL;
    ubi__recording_copy copy = { .map_text = ubi_anonymizer_text,
                                 .map_text_payload = j->anonymizer,
                                 .earlier_ns = first ? first->about.start_unix_ns % DAY_NS : UBI__RECORDING_COPY_DAY,
                                 .namer = ubi__recording_name_frames,
                                 .progress = ubi__progress_line_callbacks(&j->cli->progress) };
    UBI_TRY(map_recording(j, &copy.recording, first ? first->about.recording : 0));
    UBI_TRY(ubi__recording_copy_write(&copy, source, write_part, p, NULL));
    p->input_bytes = copy.input_bytes;
    p->n_things = copy.n_allocations;
    p->torn_bytes = copy.torn_bytes;
    snprintf(p->fault, sizeof p->fault, "%s", copy.fault);
    return UBI_OK;
}

static ubi_status copy_timeline(const job *j, part *p, ubi__source *source, ubi__write_fn write, void *payload) {
    ubi__timeline_copy copy = { .map_text = ubi_anonymizer_text,
                                .map_text_payload = j->anonymizer,
                                .progress = ubi__progress_line_callbacks(&j->cli->progress) };
    UBI_TRY(ubi__timeline_copy_write(&copy, source, write, payload, NULL));
    p->input_bytes = copy.input_bytes;
    p->n_things = copy.n_markers;
    snprintf(p->fault, sizeof p->fault, "%s", copy.fault);
    return UBI_OK;
}

/* 0: not packed. */
static int level_of_timeline(const job *j) {
    const char *word = j->arguments->compression;
    if (word ? strcmp(word, "none") == 0 : !ubi__text_ends(ubi__text(j->output), ".gz"))
        return 0;
    return word && strcmp(word, "small") == 0 ? UBI__DEFLATE_LEVEL_SMALL : UBI__DEFLATE_LEVEL_DEFAULT;
}

static ubi_status pack_timeline(const job *j, part *p, ubi__source *source, int level) {
    ubi__deflate *deflate;
    UBI_TRY(ubi__deflate_new(&deflate, level, write_part, p, NULL));
    ubi_status status = copy_timeline(j, p, source, ubi__deflate_write, deflate);
    if (status == UBI_OK)
        status = ubi__deflate_finish(deflate);
    ubi__deflate_free(deflate);
    return status;
}

static ubi_status copy_source(const job *j, part *p, ubi__source *source) {
    int level = j->is_timeline ? level_of_timeline(j) : 0;
    if (!j->is_timeline)
        return copy_recording(j, p, source);
    return level ? pack_timeline(j, p, source, level) : copy_timeline(j, p, source, write_part, p);
}

static ubi_status copy_part(const job *j, part *p) {
    ubi__source source;
    j->cli->subject = strcmp(j->input, "-") == 0 ? "standard input" : j->input;
    UBI_TRY(ubi__recording_source_open(&source, p->input, ubi_allocator_default()));
    ubi_status status = UBI_OK;
    if (!j->is_standard_output) {
        status = ubi__atomic_file_open(&p->file, p->output, 0, ubi_allocator_default());
        p->is_open = status == UBI_OK;
    }
    if (status == UBI_OK)
        status = copy_source(j, p, &source);
    ubi__source_close(&source);
    UBI_TRY(status);
    j->cli->subject = j->is_standard_output ? "standard output" : j->output;
    return p->is_open ? ubi__atomic_file_sync(&p->file) : UBI_OK;
}

/* ---- what was done ------------------------------------------------------------------------------------------------ */

static part sum_of(const job *j) {
    part sum = { .input = NULL };
    for (size_t i = 0; i < j->n; i++) {
        const part *p = &j->parts[i];
        sum.input_bytes += p->input_bytes;
        sum.output_bytes += p->output_bytes;
        sum.n_things += p->n_things;
        sum.torn_bytes += p->torn_bytes;
        if (p->fault[0] && !sum.fault[0])
            snprintf(sum.fault, sizeof sum.fault, "%s", p->fault);
    }
    return sum;
}

static void write_text(const job *j, const part *sum) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    ubi__out *out = j->cli->page.out;
    ubi__display_text(out, &j->cli->page.style, ubi__text(j->output), SIZE_MAX);
    if (j->n > 1)
        ubi__out_printf(out, " and %s of other processes", ubi__human_things(a, j->n - 1, "file"));
    ubi__out_printf(out, ": %s, %s", ubi__human_things(a, sum->n_things, j->is_timeline ? "marker" : "allocation"),
                    ubi__human_size(b, sum->output_bytes));
    ubi__out_printf(out, " (was %s)", ubi__human_size(a, sum->input_bytes));
    ubi__out_printf(out, ", %s replaced\n", ubi__human_things(a, ubi_anonymizer_word_count(j->anonymizer), "word"));
    if (sum->torn_bytes)
        ubi__out_printf(out, "Left out: %s of an unfinished block at the end\n", ubi__human_size(a, sum->torn_bytes));
}

static void write_document(const job *j, const part *sum) {
    ubi__json json;
    ubi__document_begin(&json, j->cli, "ubiheap.convert-recording/1", j->input);
    ubi__json_member_string(&json, "output", j->output);
    ubi__json_member_string(&json, "format", j->is_timeline ? "timeline" : "ubirec");
    ubi__json_member_u64(&json, "inputBytes", sum->input_bytes);
    ubi__json_member_u64(&json, "outputBytes", sum->output_bytes);
    ubi__json_member_u64(&json, j->is_timeline ? "markerCount" : "allocationCount", sum->n_things);
    ubi__json_member_u64(&json, "replacedWords", ubi_anonymizer_word_count(j->anonymizer));
    ubi__json_member_u64(&json, "tornBytes", sum->torn_bytes);
    ubi__json_member_string(&json, "fault", sum->fault[0] ? sum->fault : NULL);
    ubi__json_member_array(&json, "files");
    for (size_t i = 0; i < j->n; i++) {
        ubi__json_object_begin(&json);
        ubi__json_member_string(&json, "file", j->parts[i].input);
        ubi__json_member_string(&json, "output", j->parts[i].output);
        ubi__json_object_end(&json);
    }
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* All that can fail, messages included, comes before the first file takes its place. */
static ubi_status converted_report(const job *j, int *exit_code) {
    part sum = sum_of(j);
    ubi__progress_line_clear(&j->cli->progress);
    if (j->cli->common.wants_json)
        write_document(j, &sum);
    else if (!j->is_standard_output)
        write_text(j, &sum);
    if (sum.fault[0]) {
        snprintf(j->cli->reason, sizeof j->cli->reason, "%s; what comes before it was copied", sum.fault);
        j->cli->subject = strcmp(j->input, "-") == 0 ? "standard input" : j->input;
        *exit_code = ubi__exit_code(UBI_EFORMAT);
    }
    ubi_status status = ubi__standard_output_flush(j->cli->output);
    if (status != UBI_OK && !j->cli->output->is_reader_gone)
        return status;
    return j->is_standard_output || ubi__interrupt_settle() ? UBI_OK : ubi__fail_cancelled();
}

/* ---- command ------------------------------------------------------------------------------------------------------ */

static ubi_status commit_all(job *j) {
    ubi_status status = UBI_OK;
    for (size_t i = 0; status == UBI_OK && i < j->n; i++)
        if (j->parts[i].is_open) {
            j->parts[i].is_open = false;
            status = ubi__atomic_file_commit(&j->parts[i].file);
        }
    return status;
}

static ubi_status recording_convert(job *j, int *exit_code) {
    UBI_TRY(name_parts(j));
    UBI_TRY(check_wishes(j));
    UBI_TRY(check_places(j));
    for (size_t i = 0; i < j->n; i++)
        UBI_TRY(copy_part(j, &j->parts[i]));
    UBI_TRY(converted_report(j, exit_code));
    return commit_all(j);
}

static void job_end(job *j) {
    for (size_t i = 0; j->parts && i < j->n; i++) {
        part *p = &j->parts[i];
        if (p->is_open)
            ubi__atomic_file_discard(&p->file);
        ubi__free_array(ubi_allocator_default(), p->output, p->n_path, 1);
    }
    ubi__free_array(ubi_allocator_default(), j->parts, j->n, sizeof *j->parts);
    ubi__recording_processes_fini(&j->processes);
}

ubi_status ubi__convert_recording(ubi__cli *cli, const ubi__convert_arguments *arguments, ubi_anonymizer *anonymizer,
                                  const char *input, const char *output, int *exit_code) {
    job j = { .cli = cli, .arguments = arguments, .anonymizer = anonymizer, .input = input, .output = output };
    j.is_timeline = ubi__file_use_peek(input) != UBI__FILE_RECORDING;
    j.is_standard_output = strcmp(output, "-") == 0;
    ubi_status status = recording_convert(&j, exit_code);
    ubi__progress_line_clear(&cli->progress);
    job_end(&j);
    return status;
}
