/* SPDX-License-Identifier: MIT
 *
 * strings_audit.c: see strings_audit.h. A file is written to nowhere, and the audit sees the texts on the way.
 */
#include "cli/commands/strings/strings_audit.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyses/anonymize/audit.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/command.h"
#include "cli/condition.h"
#include "formats/timeline/timeline_copy.h"
#include "formats/ubirec/ubirec_copy.h"
#include "recording/recording_processes.h"
#include "render/page.h"

typedef struct job {
    ubi__cli *cli;
    const char *path;
    const ubi__audit_wishes *wishes;
    ubi__audit *audit;
    ubi__audit_word *rows; /* rows[n], sorted: those that were asked for */
    uint32_t n, n_room;
    uint32_t n_own;                        /* words that are the program's */
    uint32_t n_of[UBI__AUDIT_GROUP_COUNT]; /* of the rows */
    char fault[256];
} job;

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static ubi_status data_drop(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return UBI_OK;
}

static bool bytes_drop(void *payload, const void *data, size_t n) {
    return data_drop(payload, data, n) == UBI_OK;
}

static ubi_status read_recording(job *j, ubi__source *source) {
    ubi__recording_copy copy = { .map_text = ubi__audit_text,
                                 .map_text_payload = j->audit,
                                 .progress = ubi__progress_line_callbacks(&j->cli->progress) };
    UBI_TRY(ubi__recording_copy_write(&copy, source, data_drop, NULL, NULL));
    if (copy.fault[0] && !j->fault[0])
        snprintf(j->fault, sizeof j->fault, "%s", copy.fault);
    return UBI_OK;
}

static ubi_status read_timeline(job *j, ubi__source *source) {
    ubi__timeline_copy copy = { .map_text = ubi__audit_text,
                                .map_text_payload = j->audit,
                                .progress = ubi__progress_line_callbacks(&j->cli->progress) };
    UBI_TRY(ubi__timeline_copy_write(&copy, source, data_drop, NULL, NULL));
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
    UBI_TRY(ubi__recording_processes_find(&processes, j->path, NULL, NULL));
    ubi_status status = UBI_OK;
    for (size_t i = 0; status == UBI_OK && i < ubi__recording_file_count(&processes); i++)
        status = read_file(j, ubi__recording_file(&processes, j->path, i), read_recording);
    ubi__recording_processes_fini(&processes);
    return status;
}

/* As lines, which keep everything of every producer. */
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
    ubi_status status = ubi_graph_save_callback(snapshot.graph, bytes_drop, NULL, &options, NULL);
    if (snapshot.info.has_ended_early)
        snprintf(j->fault, sizeof j->fault, "the input ended early: %.200s", snapshot.info.end_note);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status read_any(job *j) {
    j->cli->subject = strcmp(j->path, "-") == 0 ? "standard input" : j->path;
    if (ubi__file_use_peek(j->path) == UBI__FILE_RECORDING)
        return read_recordings(j);
    return ubi__input_use(j->path) == UBI__FILE_TIMELINE ? read_file(j, j->path, read_timeline) : read_snapshot(j);
}

/* ---- groups -------------------------------------------------------------------------------------------------------- */

typedef struct group_words {
    ubi__audit_group group;
    const char *name, *title, *column;
} group_words;

/* In the order in which they are shown. */
static const group_words groups[UBI__AUDIT_GROUP_COUNT] = {
    { UBI__AUDIT_PROGRAM, "program", "Command line, threads, markers", "Word" },
    { UBI__AUDIT_PLACES, "places", "Files, folders, hosts", "Word" },
    { UBI__AUDIT_STRINGS, "strings", "Strings", "Text" },
    { UBI__AUDIT_PROPERTIES, "properties", "Names of properties and variables", "Word" },
    { UBI__AUDIT_CLASSES, "classes", "Names of classes and elements", "Word" },
    { UBI__AUDIT_FUNCTIONS, "functions", "Names of functions", "Word" },
    { UBI__AUDIT_SOURCES, "sources", "Sources and other long strings", "Text" },
};

static int shown_place(ubi__audit_group group) {
    int place = 0;
    while (groups[place].group != group)
        place++;
    return place;
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

/* What a word looks like to an outsider; the most revealing comes first. */
typedef enum look {
    LOOK_ADDRESS, /* of mail, of the web, of a machine; something with a user in it */
    LOOK_NUMBER,  /* of many digits */
    LOOK_TOKEN,
    LOOK_PATH,
    LOOK_TEXT, /* with blanks */
    LOOK_WORD,
    LOOK_COUNT
} look;

static const char *const look_words[LOOK_COUNT] = { "address", "number", "token", "path", "text", "word" };

typedef struct letters {
    size_t digits, letters, blanks, points, others;
    bool has_at; /* between two others */
} letters;

static letters count_letters(ubi_text word) {
    letters n = { 0 };
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
        n.digits += c >= '0' && c <= '9';
        n.letters += is_letter;
        n.blanks += c == ' ' || c == '\n';
        n.points += c == '.' || c == ':';
        n.others += !is_letter && !(c && strchr("0123456789 \n.:_-+/=", c));
        n.has_at |= c == '@' && i > 0 && i + 1 < word.len && word.ptr[i + 1] != '@' && word.ptr[i - 1] != '.';
    }
    return n;
}

static look look_of(ubi_text word) {
    letters n = count_letters(word);
    bool is_machine = n.points >= 3 && n.letters == 0 && n.digits + n.points == word.len;
    if (n.blanks == 0 && (n.has_at || is_machine || ubi__text_contains(word, ubi__text("://"))))
        return LOOK_ADDRESS;
    if (n.digits >= 6 && n.letters == 0)
        return LOOK_NUMBER;
    if (word.len >= 12 && n.digits >= 3 && n.letters && n.blanks == 0 && n.others == 0)
        return LOOK_TOKEN;
    if (n.blanks == 0 && word.len > 1 && (word.ptr[0] == '/' || ubi__text_contains(word, ubi__text(":\\"))))
        return LOOK_PATH;
    return n.blanks ? LOOK_TEXT : LOOK_WORD;
}

static int compare_words(const void *a, const void *b) {
    const ubi__audit_word *x = a, *y = b;
    look x_look = look_of(x->word), y_look = look_of(y->word);
    if (x->group != y->group)
        return shown_place(x->group) - shown_place(y->group);
    if (x->is_public != y->is_public)
        return (int)x->is_public - (int)y->is_public;
    if (x_look != y_look)
        return (int)x_look - (int)y_look;
    if (x->n_texts != y->n_texts)
        return x->n_texts > y->n_texts ? -1 : 1;
    return ubi__text_compare(x->word, y->word);
}

static ubi_status words_choose(job *j) {
    uint32_t n = ubi__audit_word_count(j->audit);
    j->n_room = n + 1;
    j->rows = ubi__alloc_array(ubi_allocator_default(), j->n_room, sizeof *j->rows);
    if (!j->rows)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++) {
        ubi__audit_word word = ubi__audit_word_at(j->audit, i);
        j->n_own += !word.is_public;
        if (word.is_public && !j->wishes->with_all)
            continue;
        j->rows[j->n++] = word;
        j->n_of[word.group]++;
    }
    UBI_ASSERT(j->n <= n && (j->wishes->with_all ? j->n == n : j->n == j->n_own));
    qsort(j->rows, j->n, sizeof *j->rows, compare_words);
    return UBI_OK;
}

static uint32_t n_listed(const job *j, ubi__audit_group group) {
    return j->wishes->limit && j->wishes->limit < j->n_of[group] ? (uint32_t)j->wishes->limit : j->n_of[group];
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

static void head_write(const job *j) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    ubi__out *out = j->cli->page.out;
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

/* An example equal to the word adds nothing. */
static bool has_example(const ubi__audit_word *w) {
    return w->group != UBI__AUDIT_SOURCES && !ubi__text_equal(w->word, w->example);
}

enum { TEXTS, WORD, COLUMNS };

static const ubi__text_column word_columns[COLUMNS] = {
    [TEXTS] = { "Texts", .width = 9 },
    [WORD] = { NULL, .width = 28, .gap = 2, .is_left = true },
};

/* Words without an example take its column as well. */
static void word_write(const ubi__text_table *alone, const ubi__text_table *beside, const ubi__audit_word *w) {
    const ubi__cell cells[COLUMNS] = { [TEXTS] = ubi__cell_count(w->n_texts), [WORD] = ubi__cell_text(w->word) };
    const char *role = role_words(w->role);
    if (!has_example(w)) {
        ubi__text_table_line(alone, cells, w->word);
        return;
    }
    ubi__text_table_row(beside, cells);
    ubi__out_printf(beside->out, "%s: ", role);
    ubi__display_text(beside->out, beside->style, w->example,
                      ubi__text_table_room(beside, beside->used + strlen(role) + 2));
    ubi__out_char(beside->out, '\n');
}

static void group_write(const job *j, const group_words *group, const ubi__audit_word *rows) {
    char title[96], count[UBI__HUMAN_TEXT];
    uint32_t n = j->n_of[group->group], n_shown = n_listed(j, group->group);
    ubi__text_table alone, beside;
    bool has_examples = false;
    for (uint32_t i = 0; i < n_shown; i++)
        has_examples |= has_example(&rows[i]);
    ubi__page_table(&alone, &j->cli->page, group->column, word_columns, 1);
    ubi__page_table(&beside, &j->cli->page, "One of them", word_columns, COLUMNS);
    beside.at[WORD].title = group->column;
    snprintf(title, sizeof title, "%s: %s", group->title, ubi__human_count(count, n));
    ubi__write_title(&j->cli->page, title);
    ubi__text_table_head(has_examples ? &beside : &alone);
    for (uint32_t i = 0; i < n_shown && !alone.out->has_failed; i++)
        word_write(&alone, &beside, &rows[i]);
    ubi__write_more(&j->cli->page, n - n_shown, "--limit 0 shows all");
}

static void page_write(const job *j) {
    const ubi__audit_word *rows = j->rows;
    head_write(j);
    for (int i = 0; i < UBI__AUDIT_GROUP_COUNT; i++) {
        uint32_t n = j->n_of[groups[i].group];
        if (n)
            group_write(j, &groups[i], rows);
        rows += n;
    }
}

static void word_put(ubi__json *json, const ubi__audit_word *w, const char *group) {
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "word", w->word);
    ubi__json_member_string(json, "group", group);
    ubi__json_member_string(json, "looksLike", look_words[look_of(w->word)]);
    ubi__json_member_u64(json, "texts", w->n_texts);
    ubi__json_member_bool(json, "public", w->is_public);
    ubi__json_member_string(json, "kind", role_words(w->role));
    ubi__json_member_text(json, "example", w->example);
    ubi__json_object_end(json);
}

static void groups_put(ubi__json *json, const job *j) {
    ubi__json_member_array(json, "groups");
    for (int i = 0; i < UBI__AUDIT_GROUP_COUNT; i++) {
        if (j->n_of[groups[i].group] == 0)
            continue;
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "group", groups[i].name);
        ubi__json_member_string(json, "title", groups[i].title);
        ubi__json_member_u64(json, "found", j->n_of[groups[i].group]);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void words_put(ubi__json *json, const job *j) {
    const ubi__audit_word *rows = j->rows;
    ubi__json_member_array(json, "words");
    for (int i = 0; i < UBI__AUDIT_GROUP_COUNT; i++) {
        for (uint32_t k = 0; k < n_listed(j, groups[i].group) && !json->has_failed; k++)
            word_put(json, &rows[k], groups[i].name);
        rows += j->n_of[groups[i].group];
    }
    ubi__json_array_end(json);
}

static void document_write(const job *j) {
    ubi__json json;
    ubi__document_begin(&json, j->cli, "ubiheap.strings-audit/1", j->path);
    ubi__json_member_u64(&json, "wordCount", j->n_own);
    ubi__json_member_u64(&json, "publicWordCount", ubi__audit_word_count(j->audit) - j->n_own);
    ubi__json_member_u64(&json, "replacedCount", ubi__audit_replaced_count(j->audit));
    ubi__json_member_u64(&json, "largeIndexCount", ubi__audit_large_index_count(j->audit));
    ubi__json_member_u64(&json, "textCount", ubi__audit_text_count(j->audit));
    ubi__json_member_string(&json, "fault", j->fault[0] ? j->fault : NULL);
    ubi__json_member_u64(&json, "found", j->n);
    groups_put(&json, j);
    words_put(&json, j);
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

static ubi_status fact_measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    const job *j = payload;
    const uint64_t values[] = { j->n_own, ubi__audit_replaced_count(j->audit), ubi__audit_large_index_count(j->audit) };
    *out = (ubi__condition_value){ .magnitude = values[value.name - facts] };
    return UBI_OK;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static ubi_status audit_show(job *j, const ubi__condition *condition, int *exit_code) {
    ubi_status status = read_any(j);
    ubi__progress_line_clear(&j->cli->progress);
    UBI_TRY(status);
    UBI_TRY(words_choose(j));
    if (j->cli->common.wants_json)
        document_write(j);
    else
        page_write(j);
    UBI_TRY(ubi__condition_check_own(exit_code, j->cli, condition, fact_measure, j));
    if (j->fault[0] && !j->cli->reason[0]) {
        snprintf(j->cli->reason, sizeof j->cli->reason, "%s; what comes before it was read", j->fault);
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
        status = audit_show(&j, condition, exit_code);
    ubi__free_array(ubi_allocator_default(), j.rows, j.n_room, sizeof *j.rows);
    ubi__audit_free(j.audit);
    ubi__condition_free(condition);
    return status;
}
