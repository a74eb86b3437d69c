/* SPDX-License-Identifier: MIT
 *
 * inquiry.c: asking a question, from its parameters to a document or a page; and what answers are made with.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/human.h"
#include "base/status.h"
#include "questions/question.h"

struct ubi__inquiry {
    const ubi__question *question;
    ubi__asked asked;
    _Alignas(max_align_t) char value[];
};

static size_t answer_bytes(const ubi__question *question) {
    return sizeof(ubi__inquiry) + question->answer_bytes;
}

static ubi_status heaps_check(const ubi__question *q, uint32_t n) {
    char wanted[UBI__HUMAN_TEXT], more[32] = "";
    if (n >= q->least_heaps && n <= q->most_heaps)
        return UBI_OK;
    if (q->most_heaps == UBI__ANY_NUMBER)
        snprintf(more, sizeof more, " or more");
    else if (q->most_heaps > q->least_heaps)
        snprintf(more, sizeof more, " or %" PRIu32, q->most_heaps);
    return ubi__fail(UBI_EINVAL, "%s takes %s%s, not %" PRIu32, q->usage->name,
                     ubi__human_things(wanted, q->least_heaps, "heap"), more, n);
}

/* What it takes, as files are called that are refused. */
static const char *wanted_words(const ubi__question *q) {
    return q->schema ? "heap snapshot" : q->timeline_schema ? "timeline" : "recording";
}

static ubi_status kinds_check(const ubi__question *q, const ubi__asked *asked) {
    for (uint32_t i = asked->n_heaps; i-- > 0;) { /* of several, the newest first: it is also read first */
        const ubi_session *session = ubi_session_use_session(asked->heaps[i]);
        if (!ubi__question_schema(q, ubi_session_kind_of(session)))
            return ubi__asked_about(asked, i, ubi__session_refuse(session, wanted_words(q)));
    }
    return UBI_OK;
}

#define MESSAGE_BYTES 512

/* An error's message calls parameters as the door does. */
static ubi_status message_spell(ubi_status status, const ubi__question *question, const ubi__asked *asked) {
    char message[MESSAGE_BYTES];
    if (status == UBI_OK || asked->has_options)
        return status;
    ubi__parameters_spell(message, sizeof message, ubi_error_message(), question->usage->parameters);
    return ubi__fail(status, "%s", message);
}

ubi_status ubi__inquiry_begin(ubi__inquiry **out, const ubi__question *question, const ubi__asked *asked) {
    UBI_ASSERT(asked->fault);
    UBI_TRY(heaps_check(question, asked->n_heaps));
    ubi__inquiry *inquiry = ubi__calloc_array(ubi_allocator_default(), answer_bytes(question), 1);
    if (!inquiry)
        return ubi__fail_nomem();
    inquiry->question = question;
    inquiry->asked = *asked;
    ubi_status status = question->prepare ? question->prepare(inquiry->value, &inquiry->asked) : UBI_OK;
    status = message_spell(status, question, asked);
    if (status == UBI_OK)
        status = kinds_check(question, asked);
    if (status == UBI_OK)
        *out = inquiry;
    else
        ubi__inquiry_end(inquiry);
    return status;
}

ubi_status ubi__inquiry_compute(ubi__inquiry *inquiry) {
    return message_spell(inquiry->question->compute(inquiry->value, &inquiry->asked), inquiry->question,
                         &inquiry->asked);
}

ubi_status ubi__inquiry_write_document(const ubi__inquiry *inquiry, ubi__json *json) {
    const ubi__asked *asked = &inquiry->asked;
    UBI_ASSERT(!asked->is_for_page);
    ubi__document_head head = { ubi__question_schema(inquiry->question, ubi__asked_kind(asked)),
                                inquiry->question->most_heaps == 1 ? ubi__asked_name(asked) : NULL };
    if (inquiry->question->head)
        inquiry->question->head(&head, inquiry->value, asked);
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "schema", head.schema);
    if (head.file)
        ubi__json_member_string(json, "file", head.file);
    UBI_TRY(inquiry->question->document(json, inquiry->value, asked));
    ubi__json_object_end(json);
    UBI_TRY(ubi__json_flush(json));
    return json->write(json->payload, "\n", 1) ? UBI_OK : ubi__fail(UBI_EIO, "the document could not be written");
}

ubi_status ubi__inquiry_write_page(const ubi__inquiry *inquiry, const ubi__page *page) {
    UBI_ASSERT(inquiry->asked.is_for_page);
    return inquiry->question->page(page, inquiry->value, &inquiry->asked);
}

#define STANDARD_COLUMNS 100

static ubi_status page_write(const ubi__inquiry *inquiry, ubi_write_fn write, void *payload, unsigned columns) {
    ubi__out *out = UBI_NEW(ubi_allocator_default(), ubi__out); /* a large buffer */
    if (!out)
        return ubi__fail_nomem();
    ubi__page page = { .out = out, .style = { .has_unicode = true, .columns = columns ? columns : STANDARD_COLUMNS } };
    ubi__out_init(out, write, payload);
    ubi_status status = ubi__inquiry_write_page(inquiry, &page);
    if (status == UBI_OK)
        status = ubi__out_flush(out);
    UBI_DELETE(ubi_allocator_default(), out);
    return status;
}

ubi_status ubi__inquiry_write(const ubi__inquiry *inquiry, ubi_write_fn write, void *payload, unsigned columns) {
    ubi__json json;
    if (inquiry->asked.is_for_page)
        return page_write(inquiry, write, payload, columns);
    ubi__json_init(&json, write, payload, false);
    return ubi__inquiry_write_document(inquiry, &json);
}

const char *ubi__inquiry_output_kind(const ubi__inquiry *inquiry) {
    const ubi__question *question = inquiry->question;
    return question->output_kind ? question->output_kind(inquiry->value, &inquiry->asked) : NULL;
}

void ubi__inquiry_remarks(ubi__remarks *out, const ubi__inquiry *inquiry) {
    *out = (ubi__remarks){ .fault = "" };
    if (inquiry->question->remark)
        inquiry->question->remark(out, inquiry->value);
}

ubi_status ubi__inquiry_fact_check(const ubi__inquiry *inquiry, const ubi_query_value *value) {
    const ubi__question *question = inquiry->question;
    return question->fact_check ? question->fact_check(inquiry->value, value) : UBI_OK;
}

void ubi__inquiry_facts(ubi__question_facts *out, const ubi__inquiry *inquiry) {
    *out = (ubi__question_facts){ .graph = NULL };
    inquiry->question->facts(out, inquiry->value);
}

void ubi__inquiry_end(ubi__inquiry *inquiry) {
    if (!inquiry)
        return;
    if (inquiry->question->release)
        inquiry->question->release(inquiry->value, &inquiry->asked);
    ubi__free_array(ubi_allocator_default(), inquiry, answer_bytes(inquiry->question), 1);
}

/* ---- what answers are made with ----------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 512

ubi_status ubi__asked_blame(const ubi__asked *asked, ubi_status status) {
    char message[MESSAGE_BYTES];
    if (status == UBI_OK || asked->n_heaps == 1 || *asked->fault == UBI_NONE)
        return status;
    snprintf(message, sizeof message, "%s", ubi_error_message());
    return ubi__fail(status, "%s: %s", ubi__asked_name_at(asked, *asked->fault), message);
}

ubi_status ubi__asked_use_begin(ubi_session_use **out, const ubi__asked *asked, uint32_t i, uint32_t like) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    options.progress = ubi__asked_progress(asked);
    options.threads = ubi__asked_threads(asked);
    options.like = like == UBI_NONE ? NULL : ubi_session_use_session(asked->heaps[like]);
    return ubi_session_use_begin(out, ubi_session_use_session(asked->heaps[i]), &options);
}

void ubi__asked_use_end(ubi_session_use *use, const ubi__asked *asked) {
    ubi_session_use_end(use);
    if (use && asked->is_asked_once)
        ubi_session_pool_drop_unused(ubi__session_pool_of(ubi_session_use_session(asked->heaps[0])));
}

/* JSON shows a number above 2^53 as JavaScript does: with the fewest digits that give the same double. */
static bool same_double_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id) {
    double value = (double)node_id;
    return value > 0x1p53 && value < 0x1p64 && ubi_graph_find(out, graph, (uint64_t)value) == UBI_OK;
}

ubi_status ubi__node_id_find(ubi_node_ix *out, const ubi_graph *graph, uint64_t node_id) {
    if (ubi_graph_find(out, graph, node_id) == UBI_OK || same_double_find(out, graph, node_id))
        return UBI_OK;
    return ubi__fail(UBI_ENOTFOUND,
                     "no node has the id %" PRIu64 "; the root's is %" PRIu64 ", and 'ubiheap nodes' lists all of them",
                     node_id, ubi_graph_node_id(graph, ubi_graph_root(graph)));
}

ubi_status ubi__object_facts_get(ubi__object_facts *out, ubi_session_use *heap) {
    UBI_TRY(ubi_session_look(&out->look, heap));
    UBI_TRY(ubi_session_dominators(&out->dominators, heap, false));
    return ubi_session_distances(&out->distances, heap);
}
