/* SPDX-License-Identifier: MIT
 *
 * convert_command.c: `ubiheap convert`, a snapshot written again: packed differently, in another format, or without its
 * texts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <ubiheap/core/anonymize.h>
#include <ubiheap/views/export.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/convert/convert.h"
#include "cli/terminal.h"
#include "formats/save.h"

#define AT(field) offsetof(ubi__convert_arguments, field)

/* The request and its results. */
typedef struct conversion {
    const char *output; /* a path, or "-" */
    const ubi_save_format *format;
    ubi_compression compression;
    ubi_anonymizer *anonymizer; /* or NULL */
    ubi_export_options export_options;
    ubi_export *export;  /* NULL: the graph is written as it is */
    uint64_t n_left_out; /* edges of the graph that are not */
    ubi_save_info written;
} conversion;

/* ---- what is wanted --------------------------------------------------------------------------------------------- */

static bool is_standard_output(const conversion *c) {
    return strcmp(c->output, "-") == 0;
}

static bool is_for_firefox(const conversion *c) {
    return strcmp(c->format->name, "fxsnapshot") == 0;
}

static const ubi_save_format *format_named(const char *name) {
    const ubi_save_format *f;
    for (size_t i = 0; (f = ubi_save_format_at(i)); i++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

static ubi_status format_choose(conversion *c, const ubi__convert_arguments *arguments) {
    if (arguments->format)
        c->format = format_named(arguments->format);
    else if (is_standard_output(c))
        c->format = ubi_save_format_at(0);
    else
        c->format = ubi__output_format(c->output);
    if (c->format)
        return UBI_OK;
    if (arguments->format)
        return ubi__fail(UBI_EINVAL, "--format: '%s' is no format; see 'ubiheap help convert'", arguments->format);
    return ubi__fail(UBI_EINVAL, "the name of %s does not show its format: use --format", c->output);
}

/*
 * Unless the name says otherwise, only Firefox's snapshots are packed: DevTools do not unpack V8's, and lines are for
 * programs that read text.
 */
static void compression_choose(conversion *c, const char *word) {
    bool text = !is_for_firefox(c);
    bool gz = strlen(c->output) > strlen(".gz") && ubi__text_ends(ubi__text(c->output), ".gz");
    if (!word)
        c->compression = text && !gz ? UBI_COMPRESSION_NONE : UBI_COMPRESSION_DEFAULT;
    else if (strcmp(word, "small") == 0)
        c->compression = UBI_COMPRESSION_SMALL;
    else
        c->compression = strcmp(word, "none") == 0 ? UBI_COMPRESSION_NONE : UBI_COMPRESSION_DEFAULT;
}

static ubi_status output_check(const conversion *c, const ubi__cli *cli) {
    if (!is_standard_output(c))
        return UBI_OK;
    if (cli->common.wants_json)
        return ubi__fail(UBI_EINVAL, "--json and the output - both want standard output");
    bool is_text = strcmp(c->format->name, "jsonl") == 0 && c->compression == UBI_COMPRESSION_NONE;
    return is_text ? UBI_OK : ubi__output_check_terminal(c->output, cli, "snapshot");
}

/* ---- anonymizing ------------------------------------------------------------------------------------------------ */

#define KEY_MAX ((size_t)64 * 1024)

static ubi_status key_read(size_t *n, uint8_t key[KEY_MAX + 1], const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return ubi__fail_errno(errno, "cannot open the key file %s", path);
    setvbuf(file, NULL, _IONBF, 0); /* no copy of the key is left in a buffer */
    *n = fread(key, 1, KEY_MAX + 1, file);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return ubi__fail_errno(error, "cannot read the key file %s", path);
    if (*n > KEY_MAX)
        return ubi__fail(UBI_EINVAL, "the key file %s is larger than 64 KiB", path);
    if (*n < UBI_ANONYMIZER_KEY_MIN)
        return ubi__fail(UBI_EINVAL, "the key file %s has %zu bytes; expected at least %d", path, *n,
                         UBI_ANONYMIZER_KEY_MIN);
    return UBI_OK;
}

static ubi_status anonymizer_make(conversion *c, const ubi__convert_arguments *arguments) {
    static uint8_t key[KEY_MAX + 1];
    ubi_anonymizer_options options = UBI_ANONYMIZER_OPTIONS_INIT;
    if (!arguments->must_anonymize && !arguments->key_file)
        return UBI_OK;
    if (arguments->key_file) {
        UBI_TRY(key_read(&options.key_bytes, key, arguments->key_file));
        options.key = key;
    }
    ubi_status status = ubi_anonymizer_new(&c->anonymizer, &options);
    explicit_bzero(key, sizeof key);
    return status;
}

static void texts_hide(ubi_save_options *options, const conversion *c) {
    options->map_text = ubi_anonymizer_text;
    options->map_text_payload = c->anonymizer;
}

/* ---- when it was taken ------------------------------------------------------------------------------------------ */

#define DAY_US UINT64_C(86400000000)
#define MOST_TIME_US (UINT64_C(1) << 53) /* Firefox supports no later time */

static uint64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* When a file was written: when its snapshot was taken, unless it was copied. If it is not a file: now. */
static uint64_t time_of_input(const char *path) {
    struct stat st;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_mtim.tv_sec < 0)
        return now_us();
    uint64_t seconds = (uint64_t)st.st_mtim.tv_sec;
    return seconds < MOST_TIME_US / 1000000 ? seconds * 1000000 + (uint64_t)st.st_mtim.tv_nsec / 1000 : now_us();
}

/*
 * Firefox's Memory panel titles a snapshot without a time "Processing..." forever, so one converted from another
 * producer, which records none, gets the time of its file.
 */
static void time_choose(ubi_save_options *options, const conversion *c, const ubi__snapshot *snapshot) {
    options->has_time = ubi_graph_creation_time_us(snapshot->graph, &options->time_us);
    if (!options->has_time && c->export) {
        options->time_us = time_of_input(snapshot->path);
        options->has_time = true;
    }
    if (c->anonymizer) /* only the day: hour and minute could be matched with a log */
        options->time_us -= options->time_us % DAY_US;
}

/* ---- another producer's rules ------------------------------------------------------------------------------------ */

/* Firefox knows only its own rules, so its input must follow them. */
static ubi_status export_make(conversion *c, ubi__cli *cli, ubi__snapshot *snapshot) {
    const ubi_graph *graph = snapshot->graph;
    if (!is_for_firefox(c) || strcmp(ubi_graph_format_name(graph), c->format->name) == 0)
        return UBI_OK;
    UBI_TRY(ubi__snapshot_look(snapshot, cli));
    UBI_TRY(ubi_export_new(&c->export, snapshot->look, &c->export_options));
    const ubi_edge_set *edges = ubi__snapshot_view(snapshot)->edges;
    if (edges && !c->export_options.with_all_edges)
        c->n_left_out = ubi_graph_edge_count(graph) - ubi_edge_set_count(edges);
    return UBI_OK;
}

/* ---- what was done ---------------------------------------------------------------------------------------------- */

static void page_write(ubi__cli *cli, const ubi__snapshot *snapshot, const conversion *c) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    ubi__out *out = cli->page.out;
    ubi__display_text(out, &cli->page.style, ubi__text(c->output), SIZE_MAX);
    ubi__out_printf(out, ": %s, %s", ubi__human_things(a, c->written.node_count, "node"),
                    ubi__human_size(b, c->written.output_bytes));
    ubi__out_printf(out, " (was %s)", ubi__human_size(a, snapshot->info.input_bytes));
    if (c->anonymizer)
        ubi__out_printf(out, ", %s replaced", ubi__human_things(a, ubi_anonymizer_word_count(c->anonymizer), "word"));
    if (c->n_left_out)
        ubi__out_printf(out, ", %s left out", ubi__human_things(a, c->n_left_out, "edge"));
    ubi__out_char(out, '\n');
    if (!snapshot->info.has_ended_early)
        return;
    ubi__out_string(out, "The input ended early: ");
    ubi__display_text(out, &cli->page.style, ubi__text(snapshot->info.end_note), SIZE_MAX);
    ubi__out_char(out, '\n');
}

static void document_write(ubi__cli *cli, const ubi__snapshot *snapshot, const conversion *c) {
    ubi__json j;
    ubi__document_begin(&j, cli, "ubiheap.convert/1", snapshot->path);
    ubi__json_member_string(&j, "output", c->output);
    ubi__json_member_string(&j, "format", c->format->name);
    ubi__json_member_string(&j, "compression", c->compression == UBI_COMPRESSION_NONE ? "none" : "gzip");
    ubi__json_member_u64(&j, "inputBytes", snapshot->info.input_bytes);
    ubi__json_member_u64(&j, "outputBytes", c->written.output_bytes);
    ubi__json_member_u64(&j, "inflatedBytes", c->written.stream_bytes);
    ubi__json_member_u64(&j, "nodeCount", c->written.node_count);
    ubi__json_member_u64(&j, "edgeCount", c->written.edge_count);
    ubi__json_member_u64(&j, "stringCount", c->written.string_count);
    uint64_t n_words = c->anonymizer ? ubi_anonymizer_word_count(c->anonymizer) : 0;
    ubi__json_member_u64(&j, "frameCount", c->written.frame_count);
    ubi__json_member_u64(&j, "cutStacks", c->written.cut_stacks);
    ubi__json_member_u64(&j, "leftOutEdges", c->n_left_out);
    ubi__json_member_u64_or_null(&j, "replacedWords", c->anonymizer, n_words);
    ubi__json_member_bool(&j, "endedEarly", snapshot->info.has_ended_early);
    ubi__json_member_string(&j, "endNote", snapshot->info.has_ended_early ? snapshot->info.end_note : NULL);
    ubi__document_end(&j);
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

/* A save whose file is complete and not yet in its place. */
typedef struct saving {
    ubi__cli *cli;
    conversion *c;
    const ubi__snapshot *snapshot;
} saving;

/*
 * All that can fail, messages included, comes before the file takes its place: after a failure or an interrupt the old
 * file is still there.
 */
static ubi_status report_of_it(void *payload) {
    const saving *s = payload;
    ubi__progress_line_clear(&s->cli->progress);
    if (s->cli->common.wants_json)
        document_write(s->cli, s->snapshot, s->c);
    else
        page_write(s->cli, s->snapshot, s->c);
    ubi_status status = ubi__standard_output_flush(s->cli->output);
    if (status != UBI_OK && !s->cli->output->is_reader_gone)
        return status;
    return ubi__interrupt_settle() ? UBI_OK : ubi__fail_cancelled();
}

/* Standard output stops when its reader is gone; files are written atomically. */
static ubi_status conversion_save(ubi__cli *cli, conversion *c, const ubi__snapshot *snapshot,
                                  const ubi_save_options *options) {
    saving s = { cli, c, snapshot };
    cli->subject = is_standard_output(c) ? "standard output" : c->output;
    c->written = (ubi_save_info)UBI_SAVE_INFO_INIT;
    ubi_status status =
        is_standard_output(c)
            ? ubi_graph_save_callback(snapshot->graph, ubi__out_write, cli->page.out, options, &c->written)
            : ubi__graph_save_path_if(snapshot->graph, c->output, options, &c->written, report_of_it, &s);
    ubi__progress_line_clear(&cli->progress);
    return status;
}

/* A copy of the same kind may replace its input (OUT may be IN). Nothing else may, nor an anonymized copy. */
static ubi_status check_place(const conversion *c, const ubi__snapshot *snapshot) {
    const char *kind = ubi_graph_format_name(snapshot->graph);
    if (c->anonymizer)
        UBI_TRY(ubi__convert_check_original(c->output, snapshot->path));
    if (!ubi__is_same_file(c->output, snapshot->path))
        return ubi__output_check_kind(c->output, c->format->name);
    if (strcmp(kind, c->format->name) == 0)
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "the output %s is the file that is read, a %s; no %s is written over it", c->output,
                     kind, c->format->name);
}

static ubi_status snapshot_convert(ubi__cli *cli, conversion *c, ubi__snapshot *snapshot) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.threads = ubi__cli_threads(cli);
    options.format = c->format->name;
    options.compression = c->compression;
    UBI_TRY(check_place(c, snapshot));
    UBI_TRY(export_make(c, cli, snapshot));
    if (c->export)
        ubi_export_apply(c->export, &options);
    time_choose(&options, c, snapshot);
    if (c->anonymizer)
        texts_hide(&options, c);
    UBI_TRY(conversion_save(cli, c, snapshot, &options));
    if (is_for_firefox(c) && c->compression == UBI_COMPRESSION_NONE)
        ubi__print_line(c->output,
                        "not compressed: Firefox does not open it; leave -c none out for a file that it does");
    return UBI_OK;
}

static ubi_status conversion_prepare(conversion *c, const ubi__cli *cli, const ubi__convert_arguments *arguments) {
    c->export_options = (ubi_export_options)UBI_EXPORT_OPTIONS_INIT;
    c->export_options.with_all_edges = arguments->with_all_edges;
    c->export_options.with_raw_sizes = arguments->with_raw_sizes;
    UBI_TRY(format_choose(c, arguments));
    compression_choose(c, arguments->compression);
    UBI_TRY(output_check(c, cli));
    return ubi__output_check(c->output, arguments->key_file);
}

static ubi_status convert_snapshot(ubi__cli *cli, conversion *c, const char *input) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_load(&snapshot, cli, input));
    ubi_status status = snapshot_convert(cli, c, &snapshot);
    ubi_export_free(c->export);
    ubi__snapshot_close(&snapshot);
    return status;
}

/* There is one format of each. */
static ubi_status fail_other_formats(ubi__cli *cli, const char *path, ubi__file_use use) {
    cli->subject = strcmp(path, "-") == 0 ? "standard input" : path;
    if (use == UBI__FILE_RECORDING)
        return ubi__fail(UBI_EFORMAT,
                         "this is a recording of allocations, and no heap snapshot: convert --anonymize copies it, and "
                         "'ubiheap report --format tsv', csv or json writes its places for other tools");
    return ubi__fail(UBI_EFORMAT,
                     "this is a timeline of markers, and no heap snapshot: convert --anonymize copies it, and 'ubiheap "
                     "timeline --format json', chrome or firefox writes it for other tools");
}

static ubi_status convert_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const ubi__convert_arguments *arguments = values;
    conversion c = { .output = operands[1] };
    ubi__file_use use = ubi__input_use(operands[0]);
    bool is_copy = use == UBI__FILE_RECORDING || use == UBI__FILE_TIMELINE;
    (void)n_operands;
    UBI_TRY(ubi__input_check(cli, operands[0]));
    if (is_copy && !arguments->must_anonymize && !arguments->key_file)
        return fail_other_formats(cli, operands[0], use);
    if (!is_copy)
        UBI_TRY(conversion_prepare(&c, cli, arguments));
    UBI_TRY(anonymizer_make(&c, arguments));
    ubi_status status = is_copy
                            ? ubi__convert_recording(cli, arguments, c.anonymizer, operands[0], operands[1], exit_code)
                            : convert_snapshot(cli, &c, operands[0]);
    ubi_anonymizer_free(c.anonymizer);
    return status;
}

static bool format_entry(size_t i, const char **word, const char **help) {
    const ubi_save_format *f = ubi_save_format_at(i);
    if (!f)
        return false;
    *word = f->name;
    *help = f->summary;
    return true;
}

static const ubi__glossary formats_glossary = { "Formats", format_entry };

static const char *const compression_choices[] = { "normal", "small", "none", NULL };

static const ubi__parameter parameters[] = {
    UBI__TEXT("format", 'f', AT(format), "FORMAT", "what to write", "by the end of OUT's name; fxsnapshot for -"),
    UBI__CHOICE("compression", 0, AT(compression), "WORD", compression_choices,
                "normal is fast; small takes six times as long and saves a fifth; none is for programs that cannot "
                "inflate; Firefox can",
                "normal; none for jsonl and heapsnapshot, unless OUT ends in .gz"),
    UBI__ALIAS_LETTER('c'),
    UBI__FLAG("anonymize", 0, AT(must_anonymize),
              "replace names, URLs and paths that are not public, and cut the creation time to its day"),
    UBI__ALIAS_LETTER('a'),
    UBI__TEXT("anonymize-key", 0, AT(key_file), "FILE",
              "anonymize with the secret in FILE, 16 bytes or more: equal names get equal replacements in all files "
              "made with it",
              "a random key"),
    UBI__FLAG(
        "all-edges", 0, AT(with_all_edges),
        "from V8 to fxsnapshot: also edges that keep nothing alive; then Firefox's retained sizes are not DevTools'"),
    UBI__FLAG("raw-sizes", 0, AT(with_raw_sizes), "from V8 to fxsnapshot: sizes as in IN, not as DevTools count them"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "convert --anonymize app.fxsnapshot shared.fxsnapshot", "a copy to show to others" },
    { "convert --anonymize server.ubirec shared.ubirec", "the same of a recording" },
    { "convert --compression small app.fxsnapshot app.fxsnapshot", "the same file, smaller" },
    { "convert --anonymize firefox://127.0.0.1:6000/tab/2 shared.fxsnapshot",
      "a tab's heap, anonymized before it is a file" },
    { "convert app.heapsnapshot app.fxsnapshot", "a snapshot of Node.js or Chrome, for Firefox's Memory panel" },
    { "convert -f jsonl app.fxsnapshot - | jq -c 'select(.size > 1e6) | {id, className, size}'", "large nodes, by jq" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "write a snapshot in another format, or anonymized",
    .question = "How do I hand this snapshot to another tool, or to someone else?",
    .description =
        "Reads IN, a file or an address as 'ubiheap attach' takes it, and writes all of it to OUT: every node, "
        "reachable or not, with its edges, sizes, ids and stacks. "
        "OUT may be IN, except with --anonymize, and - is standard output. A file gets its name only when it is "
        "complete and on disk, so that OUT is the old file or the new one, whatever happens.\n"
        "\n"
        "A snapshot of V8 that is written for Firefox has what DevTools see: the edges that keep something alive, "
        "sizes "
        "with those of tables that belong to an object, files of code, and nodes that no edge leads to below the root; "
        "its "
        "creation time, which V8 does not write, is that of IN's last change (now, if IN is not a file). A "
        "snapshot of another producer that is written as heapsnapshot is written in V8's terms.\n"
        "\n"
        "With --anonymize, names of properties, functions, classes and elements, contents of strings, URLs and file "
        "paths "
        "become words such as x_7k3v9mq2dp, and numbers of elements above 999 become other numbers. Names that every "
        "page "
        "has stay, and so do other numbers, sizes, ids and the shape of the graph; equal names get equal words. The "
        "originals cannot be recovered from OUT, except for what the numbers and the shape reveal. With "
        "--anonymize-key, several "
        "files can "
        "be compared; keep the key to yourself.\n"
        "\n"
        "With --anonymize, IN may also be a recording of 'record' or a timeline of 'run --timeline'; OUT is one, too. "
        "The "
        "command line, build-ids, addresses, markers and their details are replaced as well; 'report' and 'timeline' "
        "give the "
        "same numbers. Names that the recording lacks are looked up first, as 'report' does. Of several processes that "
        "were "
        "recorded together all files are copied: OUT, OUT.PID and so on. OUT may be IN unless IN is damaged.",
    .parameters = parameters,
    .glossary = &formats_glossary,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(ubi__convert_arguments),
};

const ubi__command ubi__command_convert = {
    .usage = &usage,
    .run = convert_run,
};
