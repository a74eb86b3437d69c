/* SPDX-License-Identifier: MIT
 *
 * strings_audit.c: see strings_audit.h. A file is written to nowhere, and the audit sees the texts on the way.
 */
#include "cli/commands/strings/strings_audit.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyses/anonymize/audit.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/commands/convert/convert.h"
#include "cli/commands/report/recording_report.h"
#include "cli/condition.h"
#include "cli/exit_code.h"
#include "cli/page.h"
#include "cli/snapshot.h"
#include "formats/timeline/timeline_copy.h"
#include "formats/ubirec/ubirec_copy.h"

#define COUNT_COLUMNS 9
#define WORD_COLUMNS 28

typedef struct job {
    ubi__cli *cli;
    const char *path;
    const ubi__audit_wishes *wishes;
    ubi__audit *audit;
    ubi__audit_word *rows; /* rows[n], sorted: those that were asked for */
    uint32_t n, n_room;
    uint32_t n_own; /* words that are the program's */
    char fault[256];
} job;

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static ubi_status drop(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return UBI_OK;
}

static bool drop_all(void *payload, const void *data, size_t n) {
    return drop(payload, data, n) == UBI_OK;
}

static ubi_status read_recording(job *j, ubi__source *source) {
    ubi__recording_copy copy = { .map_text = ubi__audit_text,
                                 .map_text_payload = j->audit,
                                 .progress = ubi__progress_line_callbacks(&j->cli->progress) };
    UBI_TRY(ubi__recording_copy_write(&copy, source, drop, NULL, NULL));
    if (copy.fault[0] && !j->fault[0])
        snprintf(j->fault, sizeof j->fault, "%s", copy.fault);
    return UBI_OK;
}

static ubi_status read_timeline(job *j, ubi__source *source) {
    ubi__timeline_copy copy = { .map_text = ubi__audit_text,
                                .map_text_payload = j->audit,
                                .progress = ubi__progress_line_callbacks(&j->cli->progress) };
    UBI_TRY(ubi__timeline_copy_write(&copy, source, drop, NULL, NULL));
    snprintf(j->fault, sizeof j->fault, "%s", copy.fault);
    return UBI_OK;
}

static ubi_status read_file(job *j, const char *path, ubi_status (*read)(job *j, ubi__source *source)) {
    ubi__source source;
    UBI_TRY(ubi__source_open_path(&source, path, ubi_allocator_default()));
    ubi_status status = read(j, &source);
    ubi__source_close(&source);
    return status;
}

static ubi_status read_recordings(job *j) {
    ubi__recording_processes processes;
    UBI_TRY(ubi__recording_processes_find(&processes, j->path, NULL));
    ubi_status status = processes.rows.n ? UBI_OK : read_file(j, j->path, read_recording);
    for (size_t i = 0; status == UBI_OK && i < processes.rows.n; i++)
        status = read_file(j, processes.rows.at[i].path, read_recording);
    ubi__recording_processes_fini(&processes);
    return status;
}

/* As lines, which have all there is of every producer. */
static ubi_status read_snapshot(job *j) {
    ubi__snapshot snapshot;
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.format = "jsonl";
    options.compression = UBI_COMPRESSION_NONE;
    options.threads = 1;
    options.map_text = ubi__audit_text;
    options.map_text_payload = j->audit;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    UBI_TRY(ubi__snapshot_load(&snapshot, j->cli, j->path));
    ubi_status status = ubi_graph_save_callback(snapshot.graph, drop_all, NULL, &options, NULL);
    if (snapshot.info.ended_early)
        snprintf(j->fault, sizeof j->fault, "the input ended early: %.200s", snapshot.info.end_note);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status read_any(job *j) {
    j->cli->subject = strcmp(j->path, "-") == 0 ? "standard input" : j->path;
    if (ubi__is_recording(j->path))
        return read_recordings(j);
    return ubi__convert_is_recording(j->path) ? read_file(j, j->path, read_timeline) : read_snapshot(j);
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

/* Of addresses, paths and numbers: what gives most away is read first. */
static bool is_telling(const ubi__audit_word *w) {
    size_t n_digits = 0;
    bool letters = false;
    for (size_t i = 0; i < w->word.len; i++) {
        char c = w->word.ptr[i];
        if (c == '\n')
            return false; /* a source */
        if (c == '@' && i > 0 && i + 1 < w->word.len)
            return true;
        n_digits += c >= '0' && c <= '9';
        letters |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    return ubi__text_contains(w->word, ubi__text("://")) || (w->word.len > 1 && w->word.ptr[0] == '/') ||
           (w->word.len >= 12 && n_digits >= 3) || (w->word.len >= 6 && n_digits && !letters);
}

static int compare_words(const void *a, const void *b) {
    const ubi__audit_word *x = a, *y = b;
    bool x_telling = !x->is_public && is_telling(x), y_telling = !y->is_public && is_telling(y);
    if (x_telling != y_telling)
        return x_telling ? -1 : 1;
    if (x->n_texts != y->n_texts)
        return x->n_texts > y->n_texts ? -1 : 1;
    int order = ubi__text_compare(x->word, y->word);
    return order ? order : (int)x->is_public - (int)y->is_public;
}

static ubi_status choose(job *j) {
    uint32_t n = ubi__audit_word_count(j->audit);
    j->n_room = n + 1;
    j->rows = ubi__alloc_array(ubi_allocator_default(), j->n_room, sizeof *j->rows);
    if (!j->rows)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++) {
        ubi__audit_word word = ubi__audit_word_at(j->audit, i);
        j->n_own += !word.is_public;
        if (!word.is_public || j->wishes->all)
            j->rows[j->n++] = word;
    }
    qsort(j->rows, j->n, sizeof *j->rows, compare_words);
    return UBI_OK;
}

static uint32_t n_listed(const job *j) {
    return j->wishes->limit && j->wishes->limit < j->n ? (uint32_t)j->wishes->limit : j->n;
}

/* ---- forms -------------------------------------------------------------------------------------------------------- */

static const char *role_words(ubi_text_role role) {
    static const char *const words[UBI_TEXT_ROLE_COUNT] = {
        [UBI_TEXT_TYPE_NAME] = "type",
        [UBI_TEXT_EDGE_NAME] = "property",
        [UBI_TEXT_CLASS_NAME] = "class",
        [UBI_TEXT_DESCRIPTIVE_NAME] = "element",
        [UBI_TEXT_SCRIPT_FILENAME] = "script",
        [UBI_TEXT_FRAME_SOURCE] = "source",
        [UBI_TEXT_FRAME_FUNCTION] = "function",
        [UBI_TEXT_STRING] = "string",
        [UBI_TEXT_NODE_NAME] = "node",
        [UBI_TEXT_FIELD_NAME] = "field",
        [UBI_TEXT_INDEX] = "index",
        [UBI_TEXT_NATIVE_FUNCTION] = "function",
        [UBI_TEXT_NATIVE_FILE] = "file",
        [UBI_TEXT_MARKER_NAME] = "marker",
        [UBI_TEXT_DETAIL_KEY] = "detail key",
        [UBI_TEXT_DETAIL] = "detail",
        [UBI_TEXT_WORDS] = "name",
        [UBI_TEXT_SECRET] = "argument or build-id",
    };
    return words[role];
}

static void write_head(const job *j) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    ubi__out *out = &j->cli->output->out;
    uint32_t n_replaced = ubi__audit_replaced_count(j->audit);
    if (j->n_own && n_replaced)
        ubi__out_printf(out, "%s of the program's own beside %s.\n", ubi__human_things(a, j->n_own, "word"),
                        ubi__human_things(b, n_replaced, "replaced name"));
    else if (j->n_own)
        ubi__out_printf(out, "%s of the program's own; convert --anonymize replaces them.\n",
                        ubi__human_things(a, j->n_own, "word"));
    else if (n_replaced)
        ubi__out_printf(out, "Nothing but words of the engine and %s.\n",
                        ubi__human_things(a, n_replaced, "replaced name"));
    else
        ubi__out_string(out, "Nothing but words of the engine.\n");
    if (ubi__audit_large_index_count(j->audit))
        ubi__out_printf(out, "%s above 999: whether they were replaced cannot be seen.\n",
                        ubi__human_things(a, ubi__audit_large_index_count(j->audit), "element number"));
}

static void write_row(const job *j, const ubi__audit_word *w) {
    ubi__out *out = &j->cli->output->out;
    const ubi__style *style = &j->cli->style;
    size_t used = ubi__display_columns(w->word, style, WORD_COLUMNS);
    ubi__write_count(j->cli, w->n_texts, COUNT_COLUMNS);
    ubi__out_string(out, "  ");
    ubi__display_text(out, style, w->word, WORD_COLUMNS);
    ubi__display_pad(out, used, WORD_COLUMNS);
    ubi__out_printf(out, "  %s: ", role_words(w->role));
    ubi__display_text(out, style, w->example,
                      ubi__name_room(j->cli, COUNT_COLUMNS + WORD_COLUMNS + 6 + strlen(role_words(w->role))));
    ubi__out_char(out, '\n');
}

static void write_page(const job *j) {
    ubi__out *out = &j->cli->output->out;
    write_head(j);
    if (j->n == 0)
        return;
    ubi__out_char(out, '\n');
    ubi__write_ink(j->cli, UBI__INK_BOLD);
    ubi__display_right(out, "Texts", COUNT_COLUMNS);
    ubi__out_printf(out, "  %-*s  %s\n", WORD_COLUMNS, "Word", "One of them");
    ubi__write_ink(j->cli, UBI__INK_PLAIN);
    for (uint32_t i = 0; i < n_listed(j) && !out->failed; i++)
        write_row(j, &j->rows[i]);
    ubi__write_more(j->cli, j->n - n_listed(j));
}

static void put_word(ubi__json *json, const ubi__audit_word *w) {
    ubi__json_object_begin(json);
    ubi__json_key(json, "word");
    ubi__json_text(json, w->word);
    ubi__document_u64(json, "texts", w->n_texts);
    ubi__document_bool(json, "public", w->is_public);
    ubi__document_string(json, "kind", role_words(w->role));
    ubi__json_key(json, "example");
    ubi__json_text(json, w->example);
    ubi__json_object_end(json);
}

static void write_document(const job *j) {
    ubi__json json;
    ubi__document_begin(&json, j->cli, "ubiheap.strings-audit/1", j->path);
    ubi__document_u64(&json, "wordCount", j->n_own);
    ubi__document_u64(&json, "publicWordCount", ubi__audit_word_count(j->audit) - j->n_own);
    ubi__document_u64(&json, "replacedCount", ubi__audit_replaced_count(j->audit));
    ubi__document_u64(&json, "largeIndexCount", ubi__audit_large_index_count(j->audit));
    ubi__document_u64(&json, "textCount", ubi__audit_text_count(j->audit));
    ubi__document_string(&json, "fault", j->fault[0] ? j->fault : NULL);
    ubi__document_u64(&json, "found", j->n);
    ubi__json_key(&json, "words");
    ubi__json_array_begin(&json);
    for (uint32_t i = 0; i < n_listed(j) && !json.failed; i++)
        put_word(&json, &j->rows[i]);
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* ---- condition ---------------------------------------------------------------------------------------------------- */

enum { FACT_WORDS, FACT_REPLACED, FACT_INDICES };

static const ubi_query_name facts[] = {
    [FACT_WORDS] = { "words", "different words of the program", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, false },
    [FACT_REPLACED] = { "replaced", "different names that were replaced", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT,
                        false, false },
    [FACT_INDICES] = { "indices", "different element numbers above 999", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false,
                       false },
    { 0 },
};

static ubi_status measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    const job *j = payload;
    const uint64_t values[] = { j->n_own, ubi__audit_replaced_count(j->audit), ubi__audit_large_index_count(j->audit) };
    *out = (ubi__condition_value){ .magnitude = values[value.name - facts] };
    return UBI_OK;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static ubi_status audit(job *j, const ubi__condition *condition, int *exit_code) {
    ubi_status status = read_any(j);
    ubi__progress_line_clear(&j->cli->progress);
    UBI_TRY(status);
    UBI_TRY(choose(j));
    if (j->cli->common.json)
        write_document(j);
    else
        write_page(j);
    UBI_TRY(ubi__condition_check_own(exit_code, j->cli, condition, measure, j));
    if (j->fault[0] && !j->cli->reason[0]) {
        snprintf(j->cli->reason, sizeof j->cli->reason, "%s; what stands before it was read", j->fault);
        *exit_code = ubi__exit_code(UBI_EFORMAT);
    }
    return UBI_OK;
}

ubi_status ubi__strings_audit(ubi__cli *cli, const char *path, const ubi__audit_wishes *wishes, int *exit_code) {
    job j = { .cli = cli, .path = path, .wishes = wishes };
    ubi__condition *condition;
    UBI_TRY(ubi__condition_parse_own(&condition, wishes->fail_on, facts));
    ubi_status status = ubi__audit_new(&j.audit, NULL);
    if (status == UBI_OK)
        status = audit(&j, condition, exit_code);
    ubi__free_array(ubi_allocator_default(), j.rows, j.n_room, sizeof *j.rows);
    ubi__audit_free(j.audit);
    ubi__condition_free(condition);
    return status;
}
