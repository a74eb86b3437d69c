/* SPDX-License-Identifier: MIT
 *
 * mcp_tool_calls.c: what each tool asks; see mcp_inside.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "mcp/mcp_inside.h"
#include "mcp/mcp_message.h"

static bool is_given(const ubi__mcp_call *call, ubi__mcp_argument argument) {
    return call->given->at[argument].type != UBI__JSON_NULL;
}

/* A question by its name, about the heaps. */
static ubi_status named_add(ubi__mcp_call *call, const char *name, ubi_text parameters, const char *title) {
    const ubi__question *question = NULL;
    UBI_TRY(ubi__question_get(&question, name));
    return ubi__mcp_question_add(call, question, parameters, title);
}

static ubi_text text_of(const ubi__vec_u8 *v) {
    return (ubi_text){ (const char *)v->at, v->n };
}

/* ---- heaps ------------------------------------------------------------------------------------------------------------- */

static void open_heaps_write(ubi__json *json, ubi__shelf *shelf) {
    const ubi__shelf_heap *heap;
    ubi__json_member_array(json, "open");
    for (uint64_t number = 0; (heap = ubi__shelf_next(shelf, number));) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "id", heap->id);
        ubi__json_member_string(json, "name", heap->name);
        ubi__json_member_string(json, "kind", ubi__session_kind_name(ubi_session_kind_of(heap->session)));
        ubi__json_member_u64(json, "bytes", heap->size_bytes);
        ubi__json_object_end(json);
        number = heap->number;
        ubi__shelf_heap_unref(heap);
    }
    ubi__json_array_end(json);
}

static void files_write(ubi__json *json, const ubi__beneath_rows *files, bool was_cut) {
    ubi__json_member_array(json, "canBeOpened");
    for (size_t i = 0; i < files->n; i++) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "file", files->at[i].path);
        ubi__json_member_string(json, "what", files->at[i].what);
        ubi__json_member_u64(json, "bytes", files->at[i].size_bytes);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
    if (was_cut)
        ubi__json_member_string(json, "note", "there may be more files than were looked at");
}

static ubi_status heaps_document(ubi__mcp_call *call, const ubi__beneath_rows *files, bool was_cut) {
    ubi__bytes_sink writing = { &call->own, call->asked->allocator };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &writing, false);
    ubi__json_object_begin(&json);
    open_heaps_write(&json, call->asked->shelf);
    files_write(&json, files, was_cut);
    ubi__json_object_end(&json);
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    call->documents[call->n_documents++] = text_of(&call->own);
    return UBI_OK;
}

/* What one does with what is open now. */
static ubi_status heaps_next_put(ubi__mcp_call *call, const ubi__beneath_rows *files) {
    uint32_t n = ubi__shelf_count(call->asked->shelf);
    if (n > 1)
        return ubi__mcp_put(&call->last, call, "leaks {}");
    if (n == 1)
        return ubi__mcp_put(&call->last, call, "report {}");
    if (files->n == 0)
        return UBI_OK;
    UBI_TRY(ubi__mcp_put(&call->last, call, "heaps {\"open\":"));
    UBI_TRY(ubi__mcp_quote(&call->last, call, files->at[0].path));
    return ubi__mcp_put(&call->last, call, "}");
}

static ubi_status heaps_show(ubi__mcp_call *call) {
    const ubi_allocator *a = call->asked->allocator;
    ubi__beneath_rows files = { NULL, 0, 0 };
    bool was_cut = false;
    ubi_status status = ubi__shelf_list_files(&files, &was_cut, call->asked->shelf, a);
    if (status == UBI_OK)
        status = heaps_document(call, &files, was_cut);
    if (status == UBI_OK)
        status = heaps_next_put(call, &files);
    ubi__beneath_rows_free(&files, a);
    return status;
}

static ubi_status heap_open(ubi__mcp_call *call) {
    const ubi__shelf_heap *heap = NULL;
    ubi__vec_u8 path = { NULL, 0, 0 };
    ubi_status status = ubi__mcp_text(&path, call, UBI__MCP_OPEN);
    if (status == UBI_OK)
        status = ubi__shelf_open(&heap, call->asked->shelf, (const char *)path.at);
    if (status == UBI_OK)
        snprintf(call->headline, sizeof call->headline, "%s was opened", heap->id);
    ubi__shelf_heap_unref(heap);
    ubi__vec_u8_fini(&path, call->asked->allocator);
    return status;
}

static ubi_status heap_close(ubi__mcp_call *call) {
    ubi__vec_u8 id = { NULL, 0, 0 };
    ubi_status status = ubi__mcp_text(&id, call, UBI__MCP_CLOSE);
    if (status == UBI_OK)
        status = ubi__shelf_remove(call->asked->shelf, (const char *)id.at);
    if (status == UBI_OK)
        snprintf(call->headline, sizeof call->headline, "%.20s was closed", (const char *)id.at);
    ubi__vec_u8_fini(&id, call->asked->allocator);
    return status;
}

ubi_status ubi__mcp_heaps_call(ubi__mcp_call *call) {
    snprintf(call->headline, sizeof call->headline, "heaps");
    if (is_given(call, UBI__MCP_CLOSE))
        UBI_TRY(heap_close(call));
    if (is_given(call, UBI__MCP_OPEN))
        UBI_TRY(heap_open(call));
    return heaps_show(call);
}

/* ---- report, leaks ----------------------------------------------------------------------------------------------------- */

ubi_status ubi__mcp_report_call(ubi__mcp_call *call) {
    snprintf(call->headline, sizeof call->headline, "report");
    UBI_TRY(ubi__mcp_heap_choose(call));
    return named_add(call, "report", (ubi_text){ NULL, 0 }, NULL);
}

/* The heap of this name to the n-th place. */
static void heap_place(ubi__mcp_call *call, uint32_t n, ubi_text name) {
    uint32_t i = ubi__mcp_heap_named(call, name);
    if (i == UBI_NONE || i < n)
        return;
    const ubi__shelf_heap *heap = call->heaps[i];
    call->heaps[i] = call->heaps[n];
    call->heaps[n] = heap;
}

/* As the document has them, the oldest first. */
static ubi_status heaps_order(ubi__mcp_call *call, ubi_text document) {
    const ubi_allocator *a = call->asked->allocator;
    ubi__json_cursor c;
    ubi__json_value whole, element;
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi_status status = UBI_OK;
    if (!ubi__json_value_whole(&c, &whole, document))
        return UBI_OK;
    ubi__json_value heaps = ubi__rpc_member(&whole, "heaps");
    if (heaps.type != UBI__JSON_ARRAY)
        return UBI_OK;
    ubi__json_cursor_open(&c, heaps.raw, UBI__JSON_ARRAY);
    for (uint32_t n = 0; status == UBI_OK && n < call->n_heaps && ubi__json_cursor_next_element(&c, &element); n++) {
        ubi__json_value file = ubi__rpc_member(&element, "file");
        ubi_text name = { NULL, 0 };
        if (file.type == UBI__JSON_STRING)
            status = ubi__json_value_text(&name, &file, &scratch, a);
        if (status == UBI_OK)
            heap_place(call, n, name);
    }
    ubi__vec_u8_fini(&scratch, a);
    return status;
}

ubi_status ubi__mcp_leaks_call(ubi__mcp_call *call) {
    UBI_TRY(ubi__mcp_heaps_choose(call));
    if (call->n_heaps == 1) {
        snprintf(call->headline, sizeof call->headline,
                 "leaks needs two or more snapshots of one process, and this is one; a report");
        return ubi__mcp_put(&call->last, call, "report {\"heap\":\"%s\"}", call->heaps[0]->id);
    }
    snprintf(call->headline, sizeof call->headline, "leaks");
    ubi_status status = named_add(call, "leaks", ubi__text("{\"reorder\":true}"), NULL);
    if (status == UBI_EINVAL || status == UBI_EMISMATCH) /* they do not say when they were taken */
        status = named_add(call, "leaks", (ubi_text){ NULL, 0 }, NULL);
    UBI_TRY(status);
    return heaps_order(call, call->documents[0]);
}

/* ---- find -------------------------------------------------------------------------------------------------------------- */

static ubi_status quoted_argument_put(ubi__vec_u8 *out, const ubi__mcp_call *call, ubi__mcp_argument argument) {
    ubi__vec_u8 text = { NULL, 0, 0 };
    ubi_status status = ubi__mcp_text(&text, call, argument);
    if (status == UBI_OK)
        status = ubi__mcp_quote(out, call, (const char *)text.at);
    ubi__vec_u8_fini(&text, call->asked->allocator);
    return status;
}

/* A /pattern/ is one in expressions, too. */
static ubi_status text_condition_put(ubi__vec_u8 *out, const ubi__mcp_call *call) {
    ubi__vec_u8 text = { NULL, 0, 0 };
    ubi_status status = ubi__mcp_text(&text, call, UBI__MCP_TEXT);
    const char *word = (const char *)text.at;
    if (status == UBI_OK && text.n > 2 && word[0] == '/' && word[text.n - 1] == '/')
        status = ubi__mcp_put(out, call, "displayName ~ %s", word);
    else if (status == UBI_OK)
        status = ubi__mcp_put(out, call, "displayName contains ");
    if (status == UBI_OK && !(text.n > 2 && word[0] == '/' && word[text.n - 1] == '/'))
        status = ubi__mcp_quote(out, call, word);
    ubi__vec_u8_fini(&text, call->asked->allocator);
    return status;
}

static ubi_status condition_put(ubi__vec_u8 *out, const ubi__mcp_call *call) {
    const char *and = "";
    if (is_given(call, UBI__MCP_TEXT)) {
        UBI_TRY(text_condition_put(out, call));
        and = " and ";
    }
    if (is_given(call, UBI__MCP_CLASS)) {
        UBI_TRY(ubi__mcp_put(out, call, "%sclassName == ", and));
        UBI_TRY(quoted_argument_put(out, call, UBI__MCP_CLASS));
        and = " and ";
    }
    if (is_given(call, UBI__MCP_WHERE)) {
        UBI_TRY(ubi__mcp_put(out, call, "%s(", and));
        UBI_TRY(ubi__mcp_text(out, call, UBI__MCP_WHERE));
        UBI_TRY(ubi__mcp_put(out, call, ")"));
    }
    return out->n ? ubi__mcp_put(out, call, "%s", "") : ubi__fail(UBI_EINVAL, "find needs text, class or where");
}

static ubi_status find_parameters_write(ubi__vec_u8 *out, const ubi__mcp_call *call, const char *condition) {
    ubi__bytes_sink writing = { out, call->asked->allocator };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &writing, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "columns", "id,className,displayName,selfSize,retainedSize,distance");
    ubi__json_member_string(&json, "where", condition);
    ubi__json_member_string(&json, "sort", "retainedSize");
    ubi__json_object_end(&json);
    return ubi__json_flush(&json) == UBI_OK ? UBI_OK : ubi__fail_nomem();
}

/* By itself, so that a mistake is where the agent has made it. */
static ubi_status where_check(ubi__mcp_call *call) {
    const ubi_allocator *a = call->asked->allocator;
    const ubi__question *question = NULL;
    ubi__vec_u8 where = { NULL, 0, 0 }, parameters = { NULL, 0, 0 };
    ubi__json_values values = { .values = NULL };
    UBI_TRY(ubi__question_get(&question, "nodes"));
    ubi_status status = ubi__mcp_text(&where, call, UBI__MCP_WHERE);
    if (status == UBI_OK)
        status = find_parameters_write(&parameters, call, (const char *)where.at);
    if (status == UBI_OK)
        status = ubi__json_values_read(&values, question->usage, text_of(&parameters));
    const ubi__answer_terms terms = { .question = question, .values = values.values };
    if (status == UBI_OK)
        status = ubi__answer_check(&terms, &call->heaps[0]->session, 1);
    ubi__json_values_fini(&values);
    ubi__vec_u8_fini(&where, a);
    ubi__vec_u8_fini(&parameters, a);
    return status;
}

/* The first cell of the first row: rows have no names for their cells. */
static void first_id_read(char out[UBI__MCP_NODE_BYTES], ubi_text document) {
    ubi__json_cursor c, cells;
    ubi__json_value whole, key, value, row, cell;
    out[0] = '\0';
    if (!ubi__json_value_whole(&c, &whole, document) || whole.type != UBI__JSON_OBJECT)
        return;
    ubi__json_cursor_open(&c, whole.raw, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (ubi__json_value_is(&key, "rows") && value.type == UBI__JSON_ARRAY)
            break;
    if (c.fault || !ubi__json_value_is(&key, "rows"))
        return;
    ubi__json_cursor_open(&c, value.raw, UBI__JSON_ARRAY);
    if (!ubi__json_cursor_next_element(&c, &row) || row.type != UBI__JSON_ARRAY)
        return;
    ubi__json_cursor_open(&cells, row.raw, UBI__JSON_ARRAY);
    if (!ubi__json_cursor_next_element(&cells, &cell) || cell.raw.len >= UBI__MCP_NODE_BYTES - 3)
        return;
    const char *quote = cell.type == UBI__JSON_STRING ? "\"" : "";
    snprintf(out, UBI__MCP_NODE_BYTES, "%s%.*s%s", quote, (int)cell.raw.len, cell.raw.ptr, quote);
}

ubi_status ubi__mcp_find_call(ubi__mcp_call *call) {
    char node[UBI__MCP_NODE_BYTES];
    const ubi_allocator *a = call->asked->allocator;
    ubi__vec_u8 condition = { NULL, 0, 0 }, parameters = { NULL, 0, 0 };
    snprintf(call->headline, sizeof call->headline, "nodes by retained size");
    UBI_TRY(ubi__mcp_heap_choose(call));
    if (is_given(call, UBI__MCP_WHERE))
        UBI_TRY(where_check(call));
    ubi_status status = condition_put(&condition, call);
    if (status == UBI_OK)
        status = find_parameters_write(&parameters, call, (const char *)condition.at);
    if (status == UBI_OK)
        status = named_add(call, "nodes", text_of(&parameters), NULL);
    ubi__vec_u8_fini(&condition, a);
    ubi__vec_u8_fini(&parameters, a);
    UBI_TRY(status);
    first_id_read(node, call->documents[0]);
    return node[0] ? ubi__mcp_put(&call->last, call, "explain {\"heap\":\"%s\",\"node\":%s}", call->heaps[0]->id, node)
                   : UBI_OK;
}

/* ---- explain ----------------------------------------------------------------------------------------------------------- */

static ubi_status about_node_add(ubi__mcp_call *call, const char *question, const char *node, const char *format,
                                 const char *title) {
    ubi__vec_u8 parameters = { NULL, 0, 0 };
    char text[200];
    snprintf(text, sizeof text, format, node);
    ubi_status status = ubi__mcp_put(&parameters, call, "%s", text);
    if (status == UBI_OK)
        status = named_add(call, question, text_of(&parameters), title);
    ubi__vec_u8_fini(&parameters, call->asked->allocator);
    return status;
}

/* What holds a node comes first: it is what one asks for, and what a small budget shows. */
static ubi_status node_explain(ubi__mcp_call *call, const char *node) {
    UBI_TRY(about_node_add(call, "show", node, "{\"node\":%s,\"limit\":6}", "what it is:"));
    UBI_TRY(about_node_add(call, "retainers", node, "{\"node\":%s,\"limit\":4,\"depth\":12}",
                           "what refers to it, up to the root:"));
    UBI_TRY(about_node_add(call, "dominators", node, "{\"node\":%s,\"depth\":2,\"siblings\":10}",
                           "what it alone keeps alive:"));
    UBI_TRY(about_node_add(call, "paths", node, "{\"nodes\":[%s],\"maxPaths\":2}", "paths from the root:"));
    call->limit = 0; /* each list says itself how long it is */
    return ubi__mcp_put(&call->last, call,
                        "ask {\"heap\":\"%s\",\"question\":\"containment\",\"parameters\":{\"node\":%s}}",
                        call->heaps[0]->id, node);
}

static ubi_status class_explain(ubi__mcp_call *call) {
    char node[UBI__MCP_NODE_BYTES];
    ubi__vec_u8 parameters = { NULL, 0, 0 };
    ubi_status status = ubi__mcp_put(&parameters, call, "{\"limit\":5,\"class\":");
    if (status == UBI_OK)
        status = quoted_argument_put(&parameters, call, UBI__MCP_CLASS);
    if (status == UBI_OK)
        status = ubi__mcp_put(&parameters, call, "}");
    if (status == UBI_OK)
        status = named_add(call, "summary", text_of(&parameters), "the class:");
    ubi__vec_u8_fini(&parameters, call->asked->allocator);
    UBI_TRY(status);
    UBI_TRY(ubi__mcp_find_node(node, call));
    return node[0] ? node_explain(call, node)
                   : ubi__fail(UBI_ENOTFOUND, "no class has this name; ask summary for them");
}

ubi_status ubi__mcp_explain_call(ubi__mcp_call *call) {
    char node[UBI__MCP_NODE_BYTES];
    const ubi__json_value *id = &call->given->at[UBI__MCP_NODE];
    UBI_TRY(ubi__mcp_heap_choose(call));
    snprintf(call->headline, sizeof call->headline, "explain");
    if (!is_given(call, UBI__MCP_NODE) && is_given(call, UBI__MCP_CLASS))
        return class_explain(call);
    if (!is_given(call, UBI__MCP_NODE))
        return ubi__fail(UBI_EINVAL, "explain needs node or class");
    if (id->raw.len > UBI__MCP_NODE_BYTES - 3 || id->has_escapes)
        return ubi__fail(UBI_EINVAL, "node: expected the id of a node, a number or a string");
    const char *quote = id->type == UBI__JSON_STRING ? "\"" : "";
    snprintf(node, sizeof node, "%s%.*s%s", quote, (int)id->raw.len, id->raw.ptr, quote);
    return node_explain(call, node);
}

/* ---- ask --------------------------------------------------------------------------------------------------------------- */

static void parameters_write(ubi__json *json, const ubi__question *question) {
    char name[UBI__PARAMETER_NAME_BYTES];
    ubi__json_member_array(json, "parameters");
    for (const ubi__parameter *p = question->usage->parameters; (p = ubi__parameter_at(p)); p++) {
        if (p->scope == UBI__SCOPE_TERMINAL || p->scope == UBI__SCOPE_PAGE)
            continue;
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "name", ubi__parameter_json_name(name, p));
        if (p->is_required)
            ubi__json_member_bool(json, "required", true);
        if (p->standard)
            ubi__json_member_string(json, "default", p->standard);
        ubi__json_member_string(json, "help", p->help);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void questions_write(ubi__json *json) {
    ubi__json_object_begin(json);
    ubi__json_member_array(json, "names");
    for (const ubi__question *const *q = ubi__questions; *q; q++)
        ubi__json_string(json, (*q)->usage->name);
    ubi__json_array_end(json);
    ubi__json_member_array(json, "questions");
    for (const ubi__question *const *q = ubi__questions; *q; q++) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "name", (*q)->usage->name);
        ubi__json_member_string(json, "question", (*q)->usage->question);
        if ((*q)->least_heaps > 1)
            ubi__json_member_u64(json, "leastHeaps", (*q)->least_heaps);
        parameters_write(json, *q);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

ubi_status ubi__mcp_questions_document(ubi__mcp_call *call) {
    ubi__bytes_sink writing = { &call->own, call->asked->allocator };
    ubi__json json;
    snprintf(call->headline, sizeof call->headline, "questions for ask, with their parameters");
    ubi__json_init(&json, ubi__bytes_sink_write, &writing, false);
    questions_write(&json);
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    call->documents[call->n_documents++] = text_of(&call->own);
    return UBI_OK;
}

static ubi_status question_heaps_choose(ubi__mcp_call *call, const ubi__question *question) {
    bool wants_several = question->least_heaps > 1 || is_given(call, UBI__MCP_HEAPS);
    return wants_several && !is_given(call, UBI__MCP_HEAP) ? ubi__mcp_heaps_choose(call) : ubi__mcp_heap_choose(call);
}

static ubi_status question_find(const ubi__question **out, const ubi__mcp_call *call) {
    ubi__vec_u8 name = { NULL, 0, 0 };
    ubi_status status = ubi__mcp_text(&name, call, UBI__MCP_QUESTION);
    if (status == UBI_OK)
        status = ubi__question_get(out, (const char *)name.at);
    ubi__vec_u8_fini(&name, call->asked->allocator);
    return status;
}

ubi_status ubi__mcp_ask_call(ubi__mcp_call *call) {
    const ubi__question *question = NULL;
    const ubi__json_value *parameters = &call->given->at[UBI__MCP_PARAMETERS];
    if (!is_given(call, UBI__MCP_QUESTION))
        return ubi__mcp_questions_document(call);
    UBI_TRY(question_find(&question, call));
    UBI_TRY(question_heaps_choose(call, question));
    snprintf(call->headline, sizeof call->headline, "%s", question->usage->name);
    return ubi__mcp_question_add(call, question,
                                 parameters->type == UBI__JSON_OBJECT ? parameters->raw : (ubi_text){ NULL, 0 }, NULL);
}
