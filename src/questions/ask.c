/* SPDX-License-Identifier: MIT
 *
 * ask.c: the door for programs (ubiheap/extension/ask.h).
 */
#include <ubiheap/extension/ask.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/question.h"

/* ---- asking ------------------------------------------------------------------------------------------------------- */

typedef struct sink {
    ubi_write_fn write;
    void *payload;
} sink;

static ubi_status inquiry_make(const ubi__question *question, const ubi__asked *asked, const sink *to,
                               const ubi_ask_options *options) {
    ubi__inquiry *inquiry;
    UBI_TRY(ubi__inquiry_begin(&inquiry, question, asked));
    ubi_status status = ubi__inquiry_compute(inquiry);
    if (status == UBI_OK)
        status = ubi__inquiry_write(inquiry, to->write, to->payload, options->columns);
    ubi__inquiry_end(inquiry);
    return status;
}

/* What is asked about. */
typedef struct heaps {
    ubi_session *const *sessions;
    uint32_t n;
    ubi_session_use **uses; /* owned */
} heaps;

static ubi_status heaps_begin(heaps *h, const ubi_ask_options *options) {
    ubi_session_use_options use_options = UBI_SESSION_USE_OPTIONS_INIT;
    h->uses = ubi__calloc_array(ubi_allocator_default(), h->n, sizeof *h->uses);
    if (h->n && !h->uses)
        return ubi__fail_nomem();
    use_options.progress = options->progress;
    use_options.threads = options->threads;
    for (uint32_t i = 0; i < h->n; i++)
        UBI_TRY(ubi_session_use_begin(&h->uses[i], h->sessions[i], &use_options));
    return UBI_OK;
}

static void heaps_end(heaps *h) {
    for (uint32_t i = 0; h->uses && i < h->n; i++)
        ubi_session_use_end(h->uses[i]);
    ubi__free_array(ubi_allocator_default(), h->uses, h->n, sizeof *h->uses);
}

static ubi_status heaps_ask(heaps *h, const ubi__question *question, const void *values, const sink *to,
                            const ubi_ask_options *options) {
    ubi_status status = heaps_begin(h, options);
    uint32_t fault = UBI_NONE;
    ubi__asked asked = { .heaps = h->uses,
                         .n_heaps = h->n,
                         .fault = &fault,
                         .values = values,
                         .compat = options->compat,
                         .is_for_page = options->form == UBI_ASK_PAGE };
    if (status == UBI_OK)
        status = ubi__asked_blame(&asked, inquiry_make(question, &asked, to, options));
    heaps_end(h);
    return status;
}

ubi_status ubi_ask_several(ubi_session *const *sessions, uint32_t n_sessions, const char *question,
                           const char *parameters, ubi_write_fn write, void *payload, const ubi_ask_options *options) {
    static const ubi_ask_options defaults = UBI_ASK_OPTIONS_INIT;
    const sink to = { write, payload };
    heaps h = { .sessions = sessions, .n = n_sessions };
    const ubi__question *asked;
    ubi__json_values values;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_ASK_OPTIONS_VERSION, "ubi_ask_options"));
    if (options->form != UBI_ASK_DOCUMENT && options->form != UBI_ASK_PAGE)
        return ubi__fail(UBI_EINVAL, "ubi_ask_options: form %d is neither document nor page", (int)options->form);
    UBI_TRY(ubi__question_get(&asked, question));
    UBI_TRY(ubi__json_values_read(&values, asked->usage, ubi__text(parameters)));
    ubi_status status = heaps_ask(&h, asked, values.values, &to, options);
    ubi__json_values_fini(&values);
    return status;
}

ubi_status ubi_ask(ubi_session *session, const char *question, const char *parameters, ubi_write_fn write,
                   void *payload, const ubi_ask_options *options) {
    return ubi_ask_several(&session, 1, question, parameters, write, payload, options);
}

/* ---- what can be asked -------------------------------------------------------------------------------------------- */

static const char *kind_name(ubi__parameter_kind kind) {
    static const char *const names[] = { [UBI__PARAMETER_FLAG] = "boolean",        [UBI__PARAMETER_SWITCH] = "boolean",
                                         [UBI__PARAMETER_TEXT] = "string",         [UBI__PARAMETER_NUMBER] = "integer",
                                         [UBI__PARAMETER_CHOICE] = "choice",       [UBI__PARAMETER_TEXTS] = "strings",
                                         [UBI__PARAMETER_NODE] = "node",           [UBI__PARAMETER_NODES] = "nodes",
                                         [UBI__PARAMETER_BREAKDOWN] = "breakdown", [UBI__PARAMETER_HEAPS] = "heaps" };
    return names[kind];
}

static void choices_put(ubi__json *json, const char *const *choices) {
    ubi__json_member_array(json, "choices");
    for (; *choices; choices++)
        ubi__json_string(json, *choices);
    ubi__json_array_end(json);
}

/* Standard values are words for people, apart from numbers. */
static void standard_put(ubi__json *json, const ubi__parameter *p) {
    if (p->kind == UBI__PARAMETER_NUMBER)
        ubi__json_member_u64(json, "default", strtoull(p->standard, NULL, 10));
    else
        ubi__json_member_string(json, "default", p->standard);
}

static void parameter_put(ubi__json *json, const ubi__parameter *p) {
    char name[UBI__PARAMETER_NAME_BYTES];
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "name", ubi__parameter_json_name(name, p));
    ubi__json_member_string(json, "kind", kind_name(p->kind));
    ubi__json_member_string(json, "help", p->help);
    ubi__json_member_bool(json, "required", p->is_required);
    ubi__json_member_bool(json, "pageOnly", p->scope == UBI__SCOPE_PAGE);
    if (p->standard)
        standard_put(json, p);
    if (p->choices)
        choices_put(json, p->choices);
    if (p->least)
        ubi__json_member_u64(json, "least", p->least);
    ubi__json_object_end(json);
}

/* What sessions of it can be of, and the schema of its document then. */
static void kinds_put(ubi__json *json, const ubi__question *q) {
    static const ubi_session_kind kinds[] = { UBI_SESSION_HEAP, UBI_SESSION_RECORDING, UBI_SESSION_TIMELINE };
    ubi__json_member_array(json, "kinds");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!ubi__question_schema(q, kinds[i]))
            continue;
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "kind", ubi__session_kind_name(kinds[i]));
        ubi__json_member_string(json, "schema", ubi__question_schema(q, kinds[i]));
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void question_put(ubi__json *json, const ubi__question *q) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "name", q->usage->name);
    ubi__json_member_string(json, "question", q->usage->question);
    ubi__json_member_string(json, "summary", q->usage->summary);
    kinds_put(json, q);
    ubi__json_member_u64(json, "leastHeaps", q->least_heaps);
    ubi__json_key(json, "mostHeaps");
    if (q->most_heaps == UBI__ANY_NUMBER)
        ubi__json_null(json);
    else
        ubi__json_u64(json, q->most_heaps);
    ubi__json_member_array(json, "parameters");
    for (const ubi__parameter *p = q->usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->scope != UBI__SCOPE_TERMINAL)
            parameter_put(json, p);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

ubi_status ubi_questions(ubi_write_fn write, void *payload) {
    ubi__json json;
    ubi__json_init(&json, write, payload, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "schema", "ubiheap.questions/1");
    ubi__json_member_array(&json, "questions");
    for (const ubi__question *const *q = ubi__questions; *q; q++)
        question_put(&json, *q);
    ubi__json_array_end(&json);
    ubi__json_object_end(&json);
    UBI_TRY(ubi__json_flush(&json));
    return write(payload, "\n", 1) ? UBI_OK : ubi__fail(UBI_EIO, "the list of questions could not be written");
}
