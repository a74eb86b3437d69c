/* SPDX-License-Identifier: MIT
 *
 * cli_ask.c: see cli_ask.h.
 *
 * One command asks one question, so its sessions have no limit: what is computed is needed.
 */
#include "cli/cli_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"
#include "cli/cli_files.h"
#include "cli/cli_kept.h"
#include "cli/condition.h"
#include "cli/option_files.h"
#include "cli/recording_symbols.h"
#include "cli/remote_missing.h"
#include "cli/remote_schemes.h"
#include "cli/snapshot_copy.h"
#include "questions/answers.h"
#include "session/part.h"

typedef struct heaps {
    ubi_session_pool *pool;
    ubi_session **sessions; /* sessions[n], as uses */
    ubi_session_use **uses;
    uint32_t n;
} heaps;

/* One inquiry. */
typedef struct asking {
    ubi__cli *cli;
    const ubi__question *question;
    char **paths;           /* paths[asked.n_heaps]; of those that were taken their labels */
    ubi__taken_heap *taken; /* taken[n_taken], the first heaps; or NULL */
    uint32_t n_taken;
    const char *output;         /* of --output, or NULL: standard output */
    ubi__condition *condition;  /* owned, or NULL */
    ubi__condition_names names; /* owned: classes that it asks for, of a question with facts of its own about heaps */
    ubi__asked asked;
    ubi__kept kept;
    ubi__cli_look *look; /* gets the answer, in place of the output; or NULL */
    void *look_payload;
} asking;

/* What files are taken for that do not say it, such as pipes. */
static ubi_session_kind usual_kind(const ubi__question *question) {
    return question->schema ? UBI_SESSION_HEAP : UBI_SESSION_TIMELINE;
}

/* Parameters are for one kind or another: what is wrong with a file comes first. */
static bool takes_several(const ubi__question *question) {
    return question->schema && question->recording_schema && question->prepare;
}

static ubi_session_index index_place(const ubi__cli *cli) {
    if (cli->common.with_index)
        return UBI_SESSION_INDEX_BESIDE;
    return cli->common.cache < 0 ? UBI_SESSION_INDEX_NONE : UBI_SESSION_INDEX_CACHE;
}

/* Its snapshot is read while it comes, and kept if that is wanted. */
static ubi_status live_open(ubi_session **out, heaps *h, ubi__cli *cli, const char *path,
                            const ubi_session_options *options) {
    ubi__snapshot_copy copy;
    cli->subject = path;
    if (!cli->common.keep)
        return ubi__session_open_live(out, h->pool, path, NULL, options);
    UBI_TRY(ubi__snapshot_copy_open(&copy, cli, path));
    ubi_status status = ubi__session_open_live(out, h->pool, path, &copy.to, options);
    bool is_open = status == UBI_OK;
    status = ubi__snapshot_copy_close(&copy, cli, status);
    if (status == UBI_OK)
        status =
            ubi__session_call(*out, cli->common.keep); /* its ids are those of the file, and of no other snapshot */
    if (is_open && status != UBI_OK)
        ubi_session_unref(*out);
    return status;
}

static ubi_status session_open(ubi_session **out, heaps *h, ubi__cli *cli, const asking *a,
                               const ubi_session_options *options) {
    const char *path = a->paths[h->n];
    if (h->n < a->n_taken && a->taken[h->n].graph)
        return ubi_session_open_graph(out, h->pool, a->taken[h->n].graph, path, options);
    if (h->n < a->n_taken) {
        int fd = a->taken[h->n].fd;
        a->taken[h->n].fd = -1;
        return ubi__session_open_taken(out, h->pool, fd, path, options);
    }
    if (ubi__remote_is_address(path, ubi__remote_schemes))
        return live_open(out, h, cli, path, options);
    if (takes_several(a->question) && ubi__file_use_peek(path) == UBI__FILE_HEAP)
        UBI_TRY(ubi__input_check(cli, path));
    return ubi__session_open_unread(out, h->pool, path, usual_kind(a->question), options);
}

static ubi_status heap_open(heaps *h, ubi__cli *cli, const asking *a) {
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    ubi_session_use_options use = UBI_SESSION_USE_OPTIONS_INIT;
    options.threads = ubi__cli_threads(cli);
    options.compat = cli->compat;
    options.index = index_place(cli);
    options.cache_folder = cli->common.cache_folder;
    use.progress = ubi__progress_line_callbacks(&cli->progress);
    options.progress = use.progress;
    bool is_remote = h->n < a->n_taken || ubi__remote_is_address(a->paths[h->n], ubi__remote_schemes);
    UBI_TRY(session_open(&h->sessions[h->n], h, cli, a, &options));
    ubi_status status = cli->label && !is_remote ? ubi__session_call(h->sessions[h->n], cli->label) : UBI_OK;
    if (status == UBI_OK)
        status = ubi_session_use_begin(&h->uses[h->n], h->sessions[h->n], &use);
    if (status == UBI_OK)
        h->n++;
    else
        ubi_session_unref(h->sessions[h->n]);
    return status;
}

static ubi_status heaps_open(heaps *h, ubi__cli *cli, const asking *a, uint32_t n) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.limit_bytes = UINT64_MAX;
    UBI_TRY(ubi_session_pool_new(&h->pool, &options));
    ubi__session_pool_set_namer(h->pool, ubi__recording_name_frames);
    ubi__session_pool_set_remotes(h->pool, ubi__remote_schemes);
    ubi__session_pool_set_witness(h->pool, ubi__remote_missing_witness(cli));
    h->sessions = ubi__calloc_array(ubi_allocator_default(), n, sizeof *h->sessions);
    h->uses = ubi__calloc_array(ubi_allocator_default(), n, sizeof *h->uses);
    if (!h->sessions || !h->uses)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        UBI_TRY(heap_open(h, cli, a));
    return UBI_OK;
}

static void heaps_close(heaps *h, uint32_t n) {
    for (uint32_t i = 0; i < h->n; i++) {
        ubi_session_use_end(h->uses[i]);
        ubi_session_unref(h->sessions[i]);
    }
    ubi__free_array(ubi_allocator_default(), h->uses, n, sizeof *h->uses);
    ubi__free_array(ubi_allocator_default(), h->sessions, n, sizeof *h->sessions);
    ubi_session_pool_unref(h->pool);
}

/* It can be read once. */
static ubi_status standard_input_check(const ubi__question *question, char **paths, uint32_t n) {
    uint32_t n_standard = 0;
    for (uint32_t i = 0; i < n; i++)
        n_standard += strcmp(paths[i], "-") == 0;
    if (n_standard < 2)
        return UBI_OK;
    return question->most_heaps == 2 ? ubi__fail(UBI_EINVAL, "OLD and NEW cannot both come from standard input")
                                     : ubi__fail(UBI_EINVAL, "only one file can come from standard input");
}

/* The operands behind the heaps. A list takes all that are left. */
static ubi_status operands_store(void *values, const ubi__usage *usage, char **operands, int n) {
    int i = 0;
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++) {
        if (!p->is_operand)
            continue;
        bool is_list = p->kind == UBI__PARAMETER_NODES || p->kind == UBI__PARAMETER_TEXTS;
        for (int last = is_list ? n : i + 1; i < last && i < n; i++)
            UBI_TRY(ubi__parameter_store_text(values, p, operands[i], p->argument));
    }
    UBI_ASSERT(i == n);
    return UBI_OK;
}

/* ---- one inquiry -------------------------------------------------------------------------------------------------- */

static ubi_status answer_write(const ubi__inquiry *inquiry, const asking *a, ubi__out *out, bool is_terminal) {
    ubi__page page = a->cli->page;
    ubi__json json;
    page.out = out;
    if (a->asked.is_for_page)
        return ubi__inquiry_write_page(inquiry, &page);
    ubi__json_init(&json, ubi__out_write, out, false);
    json.is_for_terminal = is_terminal;
    return ubi__inquiry_write_document(inquiry, &json);
}

static ubi_status file_fill(const ubi__inquiry *inquiry, const asking *a, ubi__output_file *file) {
    ubi__out *out = UBI_NEW(ubi_allocator_default(), ubi__out); /* a large buffer */
    if (!out)
        return ubi__fail_nomem();
    ubi__out_init(out, ubi__output_file_write, file);
    ubi_status status = answer_write(inquiry, a, out, false);
    if (status == UBI_OK)
        status = ubi__out_flush(out);
    UBI_DELETE(ubi_allocator_default(), out);
    return status;
}

static ubi_status file_write(const ubi__inquiry *inquiry, const asking *a) {
    ubi__output_file file;
    UBI_TRY(ubi__output_file_open(&file, a->cli, a->output));
    UBI_TRY(ubi__output_file_close(&file, file_fill(inquiry, a, &file)));
    ubi__progress_line_clear(&a->cli->progress);
    ubi__output_file_report(&file, "");
    return UBI_OK;
}

static ubi_status inquiry_write(const ubi__inquiry *inquiry, const asking *a) {
    if (a->output)
        return file_write(inquiry, a);
    ubi__out *out = a->kept.out ? a->kept.out : a->cli->page.out;
    ubi_status status = answer_write(inquiry, a, out, isatty(a->cli->output->fd));
    return status == UBI_EIO ? UBI_OK : status; /* refused writes stick in the output, where they are reported */
}

/* Files of options, which were read. */
static ubi_status output_check_options(const asking *a) {
    for (const ubi__parameter *p = a->question->usage->parameters; (p = ubi__parameter_at(p)); p++)
        UBI_TRY(ubi__option_files_check_output(a->asked.values, p, a->output));
    return UBI_OK;
}

/* Before anything is read. */
static ubi_status output_check(const ubi__inquiry *inquiry, const asking *a) {
    if (!a->output)
        return UBI_OK;
    for (uint32_t i = 0; i < a->asked.n_heaps; i++)
        UBI_TRY(ubi__output_check(a->output, a->paths[i]));
    UBI_TRY(output_check_options(a));
    return ubi__output_check_kind(a->output, ubi__inquiry_output_kind(inquiry));
}

/* ---- the condition ------------------------------------------------------------------------------------------------ */

static void class_meet(void *names, ubi_text name) {
    ubi__condition_names_add(names, name);
}

/* Before anything is read. */
static ubi_status condition_check(const ubi__inquiry *inquiry, const ubi__condition *condition) {
    for (uint32_t i = 0; i < ubi__condition_value_count(condition); i++) {
        ubi_query_value value = ubi__condition_value_at(condition, i);
        UBI_TRY(ubi__inquiry_fact_check(inquiry, &value));
    }
    return UBI_OK;
}

static ubi_status own_facts_judge(const asking *a, const ubi__condition_estimates *own, int *exit_code) {
    UBI_TRY(ubi__condition_check_estimates(exit_code, a->cli, a->condition, own));
    bool is_misspelt = !a->look && ubi__condition_names_report(&a->names, a->cli, (int)a->asked.n_heaps);
    if (is_misspelt && *exit_code == UBI__EXIT_OK)
        *exit_code = UBI__EXIT_USAGE;
    return UBI_OK;
}

/* What cannot decide anything fails a job, with a condition or without. */
static ubi_status answer_judge(const ubi__inquiry *inquiry, const asking *a, int *exit_code) {
    ubi__question_facts answer;
    if (!a->question->facts)
        return UBI_OK;
    ubi__inquiry_facts(&answer, inquiry);
    if (answer.undecided) {
        snprintf(a->cli->reason, sizeof a->cli->reason, "%s", answer.undecided);
        *exit_code = UBI__EXIT_INPUT;
    }
    if (answer.undecided || !a->condition)
        return UBI_OK;
    if (answer.own.measure)
        return own_facts_judge(a, &answer.own, exit_code);
    const ubi__condition_facts facts = { .graph = answer.graph,
                                         .old = answer.old,
                                         .look = answer.look,
                                         .old_look = answer.old_look,
                                         .dominators = answer.dominators,
                                         .n_matches = answer.n_matches };
    return ubi__condition_check(exit_code, a->cli, a->condition, &facts);
}

/* What else there is to say; a reason that there is already matters more. */
static void remarks_report(const ubi__inquiry *inquiry, const asking *a, int *exit_code) {
    ubi__remarks remarks;
    char *reason = a->cli->reason;
    ubi__inquiry_remarks(&remarks, inquiry);
    if (a->condition && *exit_code == UBI__EXIT_OK && !reason[0])
        snprintf(reason, sizeof a->cli->reason, "%s", remarks.passed);
    if (reason[0])
        return;
    snprintf(reason, sizeof a->cli->reason, "%s%s", remarks.fault[0] ? remarks.fault : remarks.note,
             remarks.fault[0] ? "; what comes before it was read" : "");
    if (remarks.fault[0])
        *exit_code = ubi__exit_code(UBI_EFORMAT);
}

/* From here on messages are about the heap. */
static void subject_set(const asking *a, uint32_t heap) {
    const char *path = a->cli->label ? a->cli->label : a->paths[heap];
    a->cli->subject = strcmp(path, "-") == 0 ? "standard input" : path;
}

static ubi_status answer_look(const ubi__inquiry *inquiry, const asking *a) {
    ubi__question_facts facts;
    int exit_code = UBI__EXIT_OK;
    UBI_TRY(answer_judge(inquiry, a, &exit_code));
    a->cli->reason[0] = '\0';
    ubi__inquiry_facts(&facts, inquiry);
    a->look(a->look_payload, facts.own.payload, exit_code);
    return UBI_OK;
}

static ubi_status answer_make(ubi__inquiry *inquiry, const asking *a, int *exit_code) {
    UBI_TRY(output_check(inquiry, a));
    UBI_TRY(condition_check(inquiry, a->condition));
    if (a->asked.n_heaps == 1)
        subject_set(a, 0);
    if (a->kept.answer.n) {
        ubi__out_bytes(a->cli->page.out, a->kept.answer.at, a->kept.answer.n);
        return UBI_OK;
    }
    ubi_status status = ubi__inquiry_compute(inquiry);
    ubi__progress_line_clear(&a->cli->progress);
    if (a->look)
        return status == UBI_OK ? answer_look(inquiry, a) : status;
    if (status == UBI_OK)
        status = inquiry_write(inquiry, a);
    if (status == UBI_OK && a->asked.n_heaps == 1)
        subject_set(a, 0); /* while it was written, messages were about the output */
    if (status == UBI_OK)
        status = answer_judge(inquiry, a, exit_code);
    if (status == UBI_OK)
        remarks_report(inquiry, a, exit_code);
    return status;
}

static ubi_status inquiry_make(const asking *a, int *exit_code) {
    ubi__inquiry *inquiry;
    uint32_t fault = UBI_NONE;
    ubi__asked asked = a->asked;
    asked.fault = &fault;
    ubi_status status = ubi__inquiry_begin(&inquiry, a->question, &asked);
    if (status == UBI_OK) {
        status = answer_make(inquiry, a, exit_code);
        ubi__inquiry_end(inquiry);
    }
    if (status != UBI_OK && fault != UBI_NONE)
        subject_set(a, fault);
    return status;
}

/* On a terminal, rows are progress enough; a pipe may lead to a pager. */
static ubi_progress progress_of_writing(ubi__cli *cli) {
    struct stat s;
    bool is_file = fstat(cli->output->fd, &s) == 0 && S_ISREG(s.st_mode);
    return is_file ? ubi__progress_line_callbacks(&cli->progress) : (ubi_progress){ NULL, NULL };
}

static ubi_status question_ask(asking *a, const heaps *h, const void *values, int *exit_code) {
    const ubi__parameter *parameters = a->question->usage->parameters;
    const char *format = ubi__parameter_text(values, parameters, "format");
    const char *fail_on = ubi__parameter_text(values, parameters, "fail-on");
    const ubi_query_name *own =
        ubi__question_own_facts(a->question, ubi_session_kind_of(ubi_session_use_session(h->uses[0])));
    if (own)
        UBI_TRY(ubi__condition_parse_own(&a->condition, fail_on, own));
    else if (a->question->facts)
        UBI_TRY(ubi__condition_parse(&a->condition, fail_on, a->question->condition));
    a->output = ubi__parameter_text(values, parameters, "output");
    a->asked = (ubi__asked){ .heaps = h->uses,
                             .has_options = true,
                             .n_heaps = h->n,
                             .values = values,
                             .compat = a->cli->compat,
                             .writing = progress_of_writing(a->cli),
                             .is_asked_once = true,
                             .counts_matches = ubi__condition_asks(a->condition, "matches"),
                             .is_for_page = !a->cli->common.wants_json && !(format && strcmp(format, "json") == 0) };
    if (own && a->question->fact_words)
        UBI_TRY(ubi__condition_names_init(&a->names, a->condition, a->question->fact_words));
    if (a->names.n) {
        a->asked.class_met = class_meet;
        a->asked.class_payload = &a->names;
    }
    ubi_status status = UBI_OK;
    if (!a->output && !a->condition && !a->look)
        status = ubi__kept_begin(&a->kept, a->cli, a->question, &a->asked, a->cli->page.out);
    if (status == UBI_OK && a->kept.use && !a->kept.answer.n && a->cli->common.cache > 0)
        (void)ubi__kept_capture(&a->kept); /* without memory for it, the answer is not kept */
    if (status == UBI_OK)
        status = inquiry_make(a, exit_code);
    if (status == UBI_OK && a->kept.out)
        (void)ubi__out_flush(a->kept.out); /* what is refused is reported by the output below */
    return status;
}

/* ---- indexes ------------------------------------------------------------------------------------------------------ */

/* What is beside a heap was put there to be used: if it is not, the user wants to know. */
static void refusal_report(ubi_session_use *use) {
    ubi_session_index_info info = UBI_SESSION_INDEX_INFO_INIT;
    if (ubi_session_index_about(&info, use) != UBI_OK)
        return;
    if (info.why[0])
        ubi__print_line("the index is not used", info.why);
    else if (info.is_damaged)
        ubi__print_line("the index is damaged, and made again", ubi_session_name(ubi_session_use_session(use)));
}

/* The same answer, for doors that show documents. */
static ubi_status document_keep(const asking *a, const heaps *h) {
    const ubi__answer_terms terms = { .question = a->question, .values = a->asked.values, .compat = a->asked.compat };
    ubi__vec_u8 key = { NULL, 0, 0 };
    if (ubi__answer_key(&key, &terms, h->sessions, h->n) != UBI_OK) /* a command line alone has such values */
        return UBI_OK;
    ubi_status status = ubi__answer_keep(h->uses[0], (const char *)key.at);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    return status;
}

/* An answer with a remark would be shown again without it. */
static void answer_keep(asking *a, const heaps *h, int exit_code) {
    if (exit_code != UBI__EXIT_OK || a->cli->reason[0] || !a->kept.out)
        return;
    ubi_status status = ubi__kept_store(&a->kept);
    bool is_indexed = ubi_session_kind_of(ubi_session_use_session(a->kept.use)) != UBI_SESSION_TIMELINE;
    if (status == UBI_OK && is_indexed && !a->kept.is_too_long)
        status = document_keep(a, h);
    if (status != UBI_OK)
        ubi__print_line("the answer was not kept", ubi_error_message());
}

/* The answer comes first. It is right without an index, so that failing to write one gets a line, and is not a failure. */
static ubi_status indexes_keep(ubi__cli *cli, const heaps *h) {
    UBI_TRY(ubi__standard_output_flush(cli->output));
    for (uint32_t i = 0; i < h->n; i++) {
        if (cli->common.with_index)
            refusal_report(h->uses[i]);
        ubi_status status = ubi_session_write_index(h->uses[i]);
        ubi__progress_line_clear(&cli->progress);
        if (status == UBI_ECANCELLED)
            return status;
        if (status != UBI_OK)
            ubi__print_line("no index was kept", ubi_error_message());
    }
    return UBI_OK;
}

/* ---- command lines ------------------------------------------------------------------------------------------------ */

/* Appends the files of options that name more; their texts are split at the commas in place, in the process's arguments. */
static void more_paths_add(char **paths, const void *values, const ubi__usage *usage) {
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++) {
        if (p->kind != UBI__PARAMETER_HEAPS)
            continue;
        const ubi__heap_list *more = (const void *)((const char *)values + p->offset);
        char *at = (char *)(uintptr_t)more->paths;
        for (uint32_t i = 0; i < more->n; i++) {
            size_t length = strcspn(at, ",");
            *paths++ = at;
            at += length + (at[length] == ',');
            paths[-1][length] = '\0';
        }
    }
}

static uint32_t more_paths_count(const void *values, const ubi__usage *usage) {
    uint32_t n = 0;
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->kind == UBI__PARAMETER_HEAPS)
            n += ((const ubi__heap_list *)(const void *)((const char *)values + p->offset))->n;
    return n;
}

static ubi_status paths_ask(asking *a, uint32_t n, const void *values, int *exit_code) {
    heaps h = { 0 };
    UBI_TRY(standard_input_check(a->question, a->paths, n));
    if (!a->taken)
        UBI_TRY(ubi__snapshot_copy_check(a->cli, a->paths, n));
    ubi_status status = heaps_open(&h, a->cli, a, n);
    if (status == UBI_OK)
        status = question_ask(a, &h, values, exit_code);
    if (status == UBI_OK && !a->look && (a->cli->common.cache > 0 || a->cli->common.with_index))
        status = indexes_keep(a->cli, &h);
    if (status == UBI_OK && a->cli->common.cache > 0)
        answer_keep(a, &h, *exit_code);
    ubi__kept_end(&a->kept);
    ubi__condition_names_fini(&a->names);
    ubi__condition_free(a->condition);
    heaps_close(&h, n);
    return status;
}

/* With room for the paths of options. */
static ubi_status first_paths_ask(asking *a, char **first, uint32_t n_first, const void *values, int *exit_code) {
    const ubi_allocator *memory = ubi_allocator_default();
    uint32_t n = n_first + more_paths_count(values, a->question->usage);
    a->paths = ubi__alloc_array(memory, n, sizeof *a->paths);
    if (!a->paths)
        return ubi__fail_nomem();
    memcpy(a->paths, first, n_first * sizeof *a->paths);
    more_paths_add(a->paths + n_first, values, a->question->usage);
    ubi_status status = paths_ask(a, n, values, exit_code);
    ubi__free_array(memory, a->paths, n, sizeof *a->paths);
    return status;
}

ubi_status ubi__cli_ask(ubi__cli *cli, const ubi__question *question, void *values, char **operands, int n_operands,
                        int *exit_code) {
    asking a = { .cli = cli, .question = question };
    uint32_t n_files = question->most_heaps < (uint32_t)n_operands ? question->most_heaps : (uint32_t)n_operands;
    UBI_TRY(operands_store(values, question->usage, operands + n_files, n_operands - (int)n_files));
    return first_paths_ask(&a, operands, n_files, values, exit_code);
}

ubi_status ubi__cli_ask_taken(ubi__cli *cli, const ubi__question *question, void *values, ubi__heap_series *series,
                              int *exit_code) {
    asking a = { .cli = cli, .question = question, .taken = series->heaps, .n_taken = series->n };
    char *labels[UBI__HEAP_SERIES_MOST];
    UBI_TRY(ubi__snapshot_copy_newest(cli, series));
    for (uint32_t i = 0; i < series->n; i++)
        labels[i] = series->heaps[i].label;
    return first_paths_ask(&a, labels, series->n, values, exit_code);
}

/* Sessions own their descriptors. */
static ubi_status heaps_copy(ubi__heap_series *out, const ubi__heap_series *from) {
    UBI_TRY(ubi__heap_series_init(out));
    for (; out->n < from->n; out->n++) {
        out->heaps[out->n] = from->heaps[out->n];
        if (out->heaps[out->n].graph) {
            (void)ubi_graph_ref(out->heaps[out->n].graph);
            continue;
        }
        out->heaps[out->n].fd = fcntl(from->heaps[out->n].fd, F_DUPFD_CLOEXEC, 0);
        if (out->heaps[out->n].fd < 0)
            return ubi__fail_errno(errno, "cannot open a snapshot again");
    }
    return UBI_OK;
}

ubi_status ubi__cli_look_at_taken(ubi__cli *cli, const ubi__question *question, void *values,
                                  const ubi__heap_series *series, ubi__cli_look *look, void *payload) {
    asking a = { .cli = cli, .question = question, .look = look, .look_payload = payload };
    char *labels[UBI__HEAP_SERIES_MOST];
    ubi__heap_series copy;
    int exit_code = UBI__EXIT_OK;
    ubi_status status = heaps_copy(&copy, series);
    a.taken = copy.heaps;
    a.n_taken = copy.n;
    for (uint32_t i = 0; i < copy.n; i++)
        labels[i] = copy.heaps[i].label;
    if (status == UBI_OK)
        status = first_paths_ask(&a, labels, copy.n, values, &exit_code);
    ubi__heap_series_close(&copy);
    return status;
}
