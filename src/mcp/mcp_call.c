/* SPDX-License-Identifier: MIT
 *
 * mcp_call.c: what all tools share: heaps, questions, the call that comes next; see mcp_call.h.
 */
#include "mcp/mcp_call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "mcp/brief_inside.h"
#include "mcp/mcp_inside.h"
#include "mcp/mcp_message.h"

#define LONGEST_ARGUMENT 65536
#define MESSAGE_BYTES 512
#define SHOWN_NAME ((size_t)80)

/* ---- texts ------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__mcp_put(ubi__vec_u8 *out, const ubi__mcp_call *call, const char *format, ...) {
    const ubi_allocator *a = call->asked->allocator;
    va_list list;
    va_start(list, format);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    UBI_TRY(ubi__vec_u8_reserve(out, a, (size_t)n + 1));
    va_start(list, format);
    vsnprintf((char *)out->at + out->n, (size_t)n + 1, format, list);
    va_end(list);
    out->n += (size_t)n;
    return UBI_OK;
}

ubi_status ubi__mcp_text(ubi__vec_u8 *out, const ubi__mcp_call *call, ubi__mcp_argument argument) {
    const ubi_allocator *a = call->asked->allocator;
    const char *name = ubi__mcp_arguments[argument].name;
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi_text text = { NULL, 0 };
    ubi_status status = ubi__json_value_text(&text, &call->given->at[argument], &scratch, a);
    if (status == UBI_OK && text.len && memchr(text.ptr, 0, text.len))
        status = ubi__fail(UBI_EINVAL, "%s: expected a text without a zero in it", name);
    if (status == UBI_OK && text.len > LONGEST_ARGUMENT)
        status = ubi__fail(UBI_EINVAL, "%s: expected at most %d bytes", name, LONGEST_ARGUMENT);
    if (status == UBI_OK)
        status = ubi__mcp_put(out, call, "%.*s", (int)text.len, text.len ? text.ptr : "");
    ubi__vec_u8_fini(&scratch, a);
    return status;
}

ubi_status ubi__mcp_quote(ubi__vec_u8 *out, const ubi__mcp_call *call, const char *text) {
    return ubi__brief_quote(out, ubi__text(text), SIZE_MAX, call->asked->allocator);
}

static ubi_status name_put(ubi__vec_u8 *out, const ubi__mcp_call *call, const ubi__shelf_heap *heap) {
    UBI_TRY(ubi__mcp_put(out, call, "%s ", heap->id));
    return ubi__brief_quote(out, ubi__text(heap->name), SHOWN_NAME, call->asked->allocator);
}

/* ---- heaps ------------------------------------------------------------------------------------------------------------- */

static bool is_id(const char *word) {
    size_t n = word[0] == 'h' ? strspn(word + 1, "0123456789") : 0;
    return n > 0 && word[1 + n] == '\0';
}

/* By id, or by a path that is opened. */
static ubi_status heap_add(ubi__mcp_call *call, const char *word) {
    ubi__shelf *shelf = call->asked->shelf;
    const ubi__shelf_heap *heap = NULL;
    if (call->n_heaps == UBI__SHELF_MOST_HEAPS)
        return ubi__fail(UBI_ELIMIT, "heaps: expected at most %d", UBI__SHELF_MOST_HEAPS);
    UBI_TRY(is_id(word) ? ubi__shelf_get(&heap, shelf, word) : ubi__shelf_open(&heap, shelf, word));
    call->heaps[call->n_heaps++] = heap;
    return UBI_OK;
}

static ubi_status fail_none_open(const ubi__mcp_call *call) {
    return ubi__shelf_root_count(call->asked->shelf)
               ? ubi__fail(UBI_ENOTFOUND, "no heap is open; call heaps {} for files, then heaps {\"open\":\"FILE\"}")
               : ubi__fail(UBI_ENOTFOUND, "no heap is open, and no folder was given in which files may be opened");
}

static ubi_status last_heap_add(ubi__mcp_call *call) {
    const ubi__shelf_heap *last = NULL, *heap;
    while ((heap = ubi__shelf_next(call->asked->shelf, last ? last->number : 0))) {
        ubi__shelf_heap_unref(last);
        last = heap;
    }
    if (!last)
        return fail_none_open(call);
    call->heaps[call->n_heaps++] = last;
    return UBI_OK;
}

ubi_status ubi__mcp_heap_choose(ubi__mcp_call *call) {
    ubi__vec_u8 word = { NULL, 0, 0 };
    if (call->given->at[UBI__MCP_HEAP].type == UBI__JSON_NULL)
        return last_heap_add(call);
    ubi_status status = ubi__mcp_text(&word, call, UBI__MCP_HEAP);
    if (status == UBI_OK)
        status = heap_add(call, (const char *)word.at);
    ubi__vec_u8_fini(&word, call->asked->allocator);
    return status;
}

static ubi_status element_add(ubi__mcp_call *call, const ubi__json_value *element) {
    ubi__mcp_given given = { .at = { [UBI__MCP_HEAP] = *element } };
    const ubi__mcp_given *whole = call->given;
    if (element->type != UBI__JSON_STRING)
        return ubi__fail(UBI_EINVAL, "heaps: expected an array of ids");
    call->given = &given;
    ubi_status status = ubi__mcp_heap_choose(call);
    call->given = whole;
    return status;
}

/* Heaps alone: nothing else is compared. */
static ubi_status open_heaps_add(ubi__mcp_call *call) {
    const ubi__shelf_heap *heap;
    uint64_t number = 0;
    while (call->n_heaps < UBI__SHELF_MOST_HEAPS && (heap = ubi__shelf_next(call->asked->shelf, number))) {
        number = heap->number;
        if (ubi_session_kind_of(heap->session) == UBI_SESSION_HEAP)
            call->heaps[call->n_heaps++] = heap;
        else
            ubi__shelf_heap_unref(heap);
    }
    return call->n_heaps ? UBI_OK : last_heap_add(call);
}

ubi_status ubi__mcp_heaps_choose(ubi__mcp_call *call) {
    const ubi__json_value *heaps = &call->given->at[UBI__MCP_HEAPS];
    ubi__json_cursor c;
    ubi__json_value element;
    if (heaps->type == UBI__JSON_NULL)
        return open_heaps_add(call);
    ubi__json_cursor_open(&c, heaps->raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &element))
        UBI_TRY(element_add(call, &element));
    return call->n_heaps ? UBI_OK : ubi__fail(UBI_EINVAL, "heaps: expected at least one");
}

/* ---- questions --------------------------------------------------------------------------------------------------------- */

static const ubi__parameter *parameter_named(const ubi__question *question, const char *name) {
    for (const ubi__parameter *p = question->usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->kind == UBI__PARAMETER_NUMBER && strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* The same question about the rows after its limit. */
static ubi_status beyond_put(ubi__mcp_call *call, const ubi__question *question, const ubi__json_values *values,
                             uint64_t *offset, uint64_t limit) {
    ubi__bytes_sink writing = { &call->beyond, call->asked->allocator };
    ubi__json json;
    *offset += limit;
    UBI_TRY(ubi__mcp_put(&call->beyond, call, "ask "));
    ubi__json_init(&json, ubi__bytes_sink_write, &writing, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "heap", call->heaps[0]->id);
    ubi__json_member_string(&json, "question", question->usage->name);
    ubi__json_key(&json, "parameters");
    ubi__json_values_write(&json, question->usage, values->values, false);
    ubi__json_object_end(&json);
    *offset -= limit;
    return ubi__json_flush(&json) == UBI_OK ? ubi__mcp_put(&call->beyond, call, "%s", "") : ubi__fail_nomem();
}

/* A list without a limit, which can be asked for in pieces, gets one. */
static ubi_status limit_settle(ubi__mcp_call *call, const ubi__question *question, const ubi__json_values *values) {
    const ubi__parameter *limit = parameter_named(question, "limit"), *offset = parameter_named(question, "offset");
    call->limit = call->n_beyond = 0;
    call->knows_beyond = false;
    if (!limit)
        return UBI_OK;
    uint64_t *n = (void *)((char *)values->values + limit->offset);
    if (offset && *n == 0)
        *n = UBI__MCP_LIST_LIMIT;
    call->limit = limit->scope == UBI__SCOPE_PAGE ? 0 : *n;
    if (!offset)
        return UBI_OK;
    call->beyond.n = 0;
    return beyond_put(call, question, values, (void *)((char *)values->values + offset->offset), *n);
}

/* How long the whole list is, where the document says so. */
static bool match_count_read(uint64_t *out, ubi_text document) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_cursor_open(&c, document, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (ubi__json_value_is(&key, "matchCount"))
            return ubi__json_value_u64(out, &value);
    return false;
}

/* Of a list that is asked for in pieces: what comes after this one. */
static void beyond_settle(ubi__mcp_call *call, const ubi__question *question, const ubi__json_values *values) {
    const ubi__parameter *offset = parameter_named(question, "offset");
    uint64_t n_matches, first;
    if (!offset || !call->limit || !match_count_read(&n_matches, call->documents[call->n_documents - 1]))
        return;
    memcpy(&first, (const char *)values->values + offset->offset, sizeof first);
    uint64_t n_left = n_matches > first ? n_matches - first : 0;
    call->knows_beyond = true;
    call->n_beyond = n_left > call->limit ? n_left - call->limit : 0;
}

static ubi_status use_begin(ubi__mcp_call *call) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    options.progress = call->asked->progress;
    return call->use ? UBI_OK : ubi_session_use_begin(&call->use, call->heaps[0]->session, &options);
}

static ubi_status answer_add(ubi__mcp_call *call, const ubi__answer_terms *terms, const char *title) {
    ubi_session *sessions[UBI__SHELF_MOST_HEAPS];
    ubi__vec_u8 key = { NULL, 0, 0 };
    ubi_text answer = { NULL, 0 };
    for (uint32_t i = 0; i < call->n_heaps; i++)
        sessions[i] = call->heaps[i]->session;
    UBI_TRY(ubi__answer_check(terms, sessions, call->n_heaps));
    UBI_TRY(use_begin(call));
    ubi_status status = ubi__answer_key(&key, terms, sessions, call->n_heaps);
    if (status == UBI_OK)
        status = ubi__answer_get(&answer, call->use, (const char *)key.at);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    UBI_TRY(status);
    call->titles[call->n_documents] = title;
    call->documents[call->n_documents++] = answer;
    return UBI_OK;
}

ubi_status ubi__mcp_question_add(ubi__mcp_call *call, const ubi__question *question, ubi_text parameters,
                                 const char *title) {
    ubi__json_values values;
    UBI_TRY(ubi__json_values_read(&values, question->usage, parameters));
    const ubi__answer_terms terms = { .question = question, .values = values.values };
    ubi_status status = limit_settle(call, question, &values);
    if (status == UBI_OK)
        status = answer_add(call, &terms, title);
    if (status == UBI_OK)
        beyond_settle(call, question, &values);
    ubi__json_values_fini(&values);
    return status;
}

static ubi_status row_drop(void *payload, ubi_text row, ubi_text columns) {
    (void)payload;
    (void)row;
    (void)columns;
    return UBI_OK;
}

ubi_status ubi__mcp_find_node(char out[UBI__MCP_NODE_BYTES], const ubi__mcp_call *call) {
    ubi__brief_walk walk = { .allocator = call->asked->allocator, .sink = { row_drop, NULL } };
    ubi_status status = UBI_OK;
    for (uint32_t i = 0; status == UBI_OK && i < call->n_documents; i++)
        status = ubi__brief_walk_document(&walk, call->documents[i]);
    ubi__brief_walk_fini(&walk);
    snprintf(out, UBI__MCP_NODE_BYTES, "%s", walk.find.rank ? walk.find.id : "");
    return status;
}

/* ---- calls that may come next -------------------------------------------------------------------------------------------- */

static void heaps_argument_write(ubi__json *json, const ubi__mcp_call *call, bool is_list) {
    if (!is_list) {
        ubi__json_member_string(json, "heap", call->heaps[0]->id);
        return;
    }
    ubi__json_member_array(json, "heaps");
    for (uint32_t i = 0; i < call->n_heaps; i++)
        ubi__json_string(json, call->heaps[i]->id);
    ubi__json_array_end(json);
}

/* This call again, open at its end for a cursor. Heaps are given by their ids, which are short, and do not change. */
static ubi_status more_put(ubi__mcp_call *call) {
    const ubi__mcp_tool_row *tool = &ubi__mcp_tools[call->tool];
    ubi__bytes_sink writing = { &call->more, call->asked->allocator };
    ubi__json json;
    UBI_TRY(ubi__mcp_put(&call->more, call, "%s ", tool->name));
    ubi__json_init(&json, ubi__bytes_sink_write, &writing, false);
    ubi__json_object_begin(&json);
    if (call->n_heaps)
        heaps_argument_write(&json, call, call->n_heaps > 1 || !ubi__mcp_tool_takes(tool, UBI__MCP_HEAP));
    for (int i = 0; i < UBI__MCP_CURSOR; i++)
        if (i != UBI__MCP_HEAP && i != UBI__MCP_HEAPS && i != UBI__MCP_OPEN && i != UBI__MCP_CLOSE &&
            call->given->at[i].type != UBI__JSON_NULL)
            ubi__json_member_raw(&json, ubi__mcp_arguments[i].name, ubi__rpc_raw(&call->given->at[i]));
    if (call->given->budget_bytes != UBI_MCP_USUAL_BUDGET || !call->n_heaps)
        ubi__json_member_u64(&json, "budget", call->given->budget_bytes);
    ubi__json_object_end(&json);
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    call->more.at[--call->more.n] = '\0'; /* the brace */
    return UBI_OK;
}

/* About a node of the newest heap. */
static ubi_status explain_put(ubi__mcp_call *call) {
    const ubi__shelf_heap *heap = call->n_heaps ? call->heaps[call->n_heaps - 1] : NULL;
    if (!heap || call->tool == UBI__MCP_TOOL_EXPLAIN || ubi_session_kind_of(heap->session) != UBI_SESSION_HEAP)
        return UBI_OK;
    UBI_TRY(ubi__mcp_put(&call->explain, call, "explain {\"heap\":\"%s\"", heap->id));
    if (call->given->budget_bytes != UBI_MCP_USUAL_BUDGET)
        UBI_TRY(ubi__mcp_put(&call->explain, call, ",\"budget\":%zu", call->given->budget_bytes));
    return ubi__mcp_put(&call->explain, call, ",\"node\":");
}

uint32_t ubi__mcp_heap_named(const ubi__mcp_call *call, ubi_text name) {
    uint32_t found = UBI_NONE;
    for (uint32_t i = 0; i < call->n_heaps; i++) {
        if (!ubi__text_is(name, call->heaps[i]->name))
            continue;
        if (found != UBI_NONE && call->heaps[found] != call->heaps[i])
            return UBI_NONE;
        found = found == UBI_NONE ? i : found;
    }
    return found;
}

/* ---- the text ------------------------------------------------------------------------------------------------------------ */

static ubi_status headline_make(ubi__vec_u8 *out, const ubi__mcp_call *call) {
    UBI_TRY(ubi__mcp_put(out, call, "%s", call->headline));
    if (call->n_heaps == 0)
        return UBI_OK;
    UBI_TRY(ubi__mcp_put(out, call, call->n_heaps == 1 ? " of " : " from "));
    UBI_TRY(name_put(out, call, call->heaps[0]));
    if (call->n_heaps == 1)
        return UBI_OK;
    UBI_TRY(ubi__mcp_put(out, call, " to "));
    UBI_TRY(name_put(out, call, call->heaps[call->n_heaps - 1]));
    return call->n_heaps > 2 ? ubi__mcp_put(out, call, ", %u heaps", call->n_heaps) : UBI_OK;
}

static const char *text_or_null(const ubi__vec_u8 *text) {
    return text->n ? (const char *)text->at : NULL;
}

static ubi_status text_write(ubi__vec_u8 *out, const ubi__mcp_call *call, const char *headline) {
    ubi__brief_name names[UBI__SHELF_MOST_HEAPS];
    uint32_t n_names = 0;
    for (uint32_t i = 0; i < call->n_heaps; i++)
        if (ubi__mcp_heap_named(call, ubi__text(call->heaps[i]->name)) == i)
            names[n_names++] = (ubi__brief_name){ ubi__text(call->heaps[i]->name), ubi__text(call->heaps[i]->id) };
    const ubi__brief_terms terms = { .documents = call->documents,
                                     .titles = call->titles,
                                     .n_documents = call->n_documents,
                                     .names = names,
                                     .n_names = n_names,
                                     .headline = headline,
                                     .cursor = call->given->cursor,
                                     .budget_bytes = call->asked->text_bytes,
                                     .limit = call->limit,
                                     .knows_beyond = call->knows_beyond,
                                     .n_beyond = call->n_beyond,
                                     .more_call = text_or_null(&call->more),
                                     .explain_call = text_or_null(&call->explain),
                                     .beyond_call = text_or_null(&call->beyond),
                                     .last_call = text_or_null(&call->last) };
    return ubi__brief_write(out, NULL, &terms, call->asked->allocator);
}

static ubi_status call_write(ubi__vec_u8 *out, ubi__mcp_call *call) {
    ubi__vec_u8 headline = { NULL, 0, 0 };
    ubi_status status = headline_make(&headline, call);
    if (status == UBI_OK)
        status = ubi__mcp_put(&headline, call, "%s", "");
    if (status == UBI_OK)
        status = text_write(out, call, (const char *)headline.at);
    ubi__vec_u8_fini(&headline, call->asked->allocator);
    return status;
}

/* Messages about files have their paths, which are not the client's business. */
static ubi_status names_put(const ubi__mcp_call *call, ubi_status status) {
    char message[MESSAGE_BYTES], named[MESSAGE_BYTES];
    for (uint32_t i = 0; status != UBI_OK && i < call->n_heaps; i++) {
        const ubi__shelf_heap *heap = call->heaps[i];
        snprintf(message, sizeof message, "%s", ubi_error_message());
        const char *at = strstr(message, heap->path);
        if (!at)
            continue;
        snprintf(named, sizeof named, "%.*s%s (%.100s)%s", (int)(at - message), message, heap->id, heap->name,
                 at + strlen(heap->path));
        status = ubi__fail(status, "%s", named);
    }
    return status;
}

static void call_fini(ubi__mcp_call *call) {
    const ubi_allocator *a = call->asked->allocator;
    ubi_session_use_end(call->use);
    for (uint32_t i = 0; i < call->n_heaps; i++)
        ubi__shelf_heap_unref(call->heaps[i]);
    ubi__vec_u8_fini(&call->own, a);
    ubi__vec_u8_fini(&call->more, a);
    ubi__vec_u8_fini(&call->explain, a);
    ubi__vec_u8_fini(&call->beyond, a);
    ubi__vec_u8_fini(&call->last, a);
}

ubi_status ubi__mcp_tool_call(ubi__vec_u8 *out, const ubi__mcp_asked *asked, ubi__mcp_tool tool,
                              const ubi__mcp_given *given) {
    static ubi_status (*const tools[UBI__MCP_N_TOOLS])(ubi__mcp_call *) = {
        [UBI__MCP_TOOL_HEAPS] = ubi__mcp_heaps_call,     [UBI__MCP_TOOL_REPORT] = ubi__mcp_report_call,
        [UBI__MCP_TOOL_LEAKS] = ubi__mcp_leaks_call,     [UBI__MCP_TOOL_FIND] = ubi__mcp_find_call,
        [UBI__MCP_TOOL_EXPLAIN] = ubi__mcp_explain_call, [UBI__MCP_TOOL_ASK] = ubi__mcp_ask_call
    };
    ubi__mcp_call call = { .asked = asked, .tool = tool, .given = given };
    ubi_status status = tools[tool](&call);
    if (status == UBI_OK)
        status = more_put(&call);
    if (status == UBI_OK)
        status = explain_put(&call);
    if (status == UBI_OK)
        status = call_write(out, &call);
    status = names_put(&call, status);
    call_fini(&call);
    return status;
}

/* ---- resources ----------------------------------------------------------------------------------------------------------- */

static ubi_status heap_resource(ubi__mcp_call *call, const char *id) {
    const ubi__question *info = NULL, *report = NULL;
    UBI_TRY(is_id(id) ? UBI_OK : ubi__fail(UBI_ENOTFOUND, "there is no resource '%.40s'", id));
    UBI_TRY(heap_add(call, id));
    UBI_TRY(ubi__question_get(&info, "info"));
    UBI_TRY(ubi__mcp_question_add(call, info, (ubi_text){ NULL, 0 }, NULL));
    UBI_TRY(ubi__question_get(&report, "report"));
    snprintf(call->headline, sizeof call->headline, "info and report");
    if (ubi__question_schema(report, ubi_session_kind_of(call->heaps[0]->session)))
        UBI_TRY(ubi__mcp_question_add(call, report, (ubi_text){ NULL, 0 }, NULL));
    return UBI_OK;
}

ubi_status ubi__mcp_resource_read(ubi__vec_u8 *out, const ubi__mcp_asked *asked, const char *address) {
    static const ubi__mcp_given nothing = { .budget_bytes = UBI_MCP_MOST_BUDGET };
    ubi__mcp_call call = { .asked = asked, .tool = UBI__MCP_TOOL_REPORT, .given = &nothing };
    bool is_of_ours = ubi__text_begins(ubi__text(address), UBI__MCP_ADDRESS);
    ubi_status status = !is_of_ours ? ubi__fail(UBI_ENOTFOUND, "there is no resource '%.40s'", address)
                        : strcmp(address, UBI__MCP_QUESTIONS_ADDRESS) == 0
                            ? ubi__mcp_questions_document(&call)
                            : heap_resource(&call, address + strlen(UBI__MCP_ADDRESS));
    if (status == UBI_OK)
        status = call_write(out, &call);
    status = names_put(&call, status);
    call_fini(&call);
    return status;
}
