/* SPDX-License-Identifier: MIT
 *
 * mcp_tools.c: see mcp_tools.h. Each word here is paid for by every agent in every conversation.
 */
#include "mcp/mcp_tools.h"

#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"

#define BIT(argument) (UINT32_C(1) << (argument))

const ubi__mcp_argument_row ubi__mcp_arguments[UBI__MCP_N_ARGUMENTS] = {
    [UBI__MCP_OPEN] = { "open", "\"string\"", "file to open, as listed" },
    [UBI__MCP_CLOSE] = { "close", "\"string\"", "id of a heap that is no longer needed" },
    [UBI__MCP_HEAP] = { "heap", "\"string\"", "id such as h1, or a file; default: the last one opened" },
    [UBI__MCP_HEAPS] = { "heaps", "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
                         "ids or files, oldest first; default: all that are open" },
    [UBI__MCP_TEXT] = { "text", "\"string\"", "part of a name, or a /pattern/" },
    [UBI__MCP_WHERE] = { "where", "\"string\"",
                         "condition on columns id, className, displayName, coarseType, selfSize, retainedSize, "
                         "distance, "
                         "detachedness, edgeCount, retainerCount, such as: retainedSize > 1MiB and coarseType == "
                         "\"Object\"" },
    [UBI__MCP_CLASS] = { "class", "\"string\"", "name of a class" },
    [UBI__MCP_NODE] = { "node", "[\"integer\",\"string\"]", "id of a node, from any reply" },
    [UBI__MCP_QUESTION] = { "question", "\"string\"", "name; without it: all questions and their parameters" },
    [UBI__MCP_PARAMETERS] = { "parameters", "\"object\"", "of the question, as listed" },
    [UBI__MCP_CURSOR] = { "cursor", "\"integer\"", "row to continue from" },
    [UBI__MCP_BUDGET] = { "budget", "\"integer\"", "most bytes of the reply, 1024 to 40960; default 4096" },
};

const ubi__mcp_tool_row ubi__mcp_tools[UBI__MCP_N_TOOLS] = {
    [UBI__MCP_TOOL_HEAPS] = { "heaps",
                              "Which heap snapshots, recordings and timelines are open (ids h1, h2, ...), and which "
                              "files can be opened. Opens or closes one.",
                              BIT(UBI__MCP_OPEN) | BIT(UBI__MCP_CLOSE) },
    [UBI__MCP_TOOL_REPORT] = { "report",
                               "Start here with one file: what fills the heap, suspicious findings, and the nodes that "
                               "keep most memory alive, with the path that holds them. Of a recording: what was "
                               "allocated and leaked, by function.",
                               BIT(UBI__MCP_HEAP) },
    [UBI__MCP_TOOL_LEAKS] = { "leaks",
                              "Start here with two or more snapshots of one process: what grew and stayed, by class, "
                              "and the variable, function or collection that holds it.",
                              BIT(UBI__MCP_HEAPS) },
    [UBI__MCP_TOOL_FIND] = { "find",
                             "Nodes by name, class or condition, the largest retained size first, with their ids.",
                             BIT(UBI__MCP_HEAP) | BIT(UBI__MCP_TEXT) | BIT(UBI__MCP_CLASS) | BIT(UBI__MCP_WHERE) },
    [UBI__MCP_TOOL_EXPLAIN] = { "explain",
                                "One node, or a class and its largest node: sizes, fields, what refers to it up to the "
                                "root, what it alone keeps alive, and paths from the root.",
                                BIT(UBI__MCP_HEAP) | BIT(UBI__MCP_NODE) | BIT(UBI__MCP_CLASS) },
    [UBI__MCP_TOOL_ASK] = { "ask",
                            "Any question with its parameters, such as summary, dominators, retainers, census, "
                            "strings, "
                            "diff. Without a name: the list of them.",
                            BIT(UBI__MCP_HEAP) | BIT(UBI__MCP_HEAPS) | BIT(UBI__MCP_QUESTION) |
                                BIT(UBI__MCP_PARAMETERS) },
};

bool ubi__mcp_tool_takes(const ubi__mcp_tool_row *tool, ubi__mcp_argument argument) {
    return argument == UBI__MCP_CURSOR || argument == UBI__MCP_BUDGET || (tool->arguments & BIT(argument));
}

ubi__mcp_tool ubi__mcp_tool_find(const ubi__json_value *name) {
    int i = 0;
    while (i < UBI__MCP_N_TOOLS &&
           !(name->type == UBI__JSON_STRING && ubi__json_value_is(name, ubi__mcp_tools[i].name)))
        i++;
    return (ubi__mcp_tool)i;
}

/* ---- the list ---------------------------------------------------------------------------------------------------------- */

static void argument_write(ubi__json *json, const ubi__mcp_argument_row *row) {
    ubi__json_member_object(json, row->name);
    if (row->type[0] == '{') { /* members of its own */
        ubi__json_member_string(json, "type", "array");
        ubi__json_member_object(json, "items");
        ubi__json_member_string(json, "type", "string");
        ubi__json_object_end(json);
    } else {
        ubi__json_member_raw(json, "type", ubi__text(row->type));
    }
    ubi__json_member_string(json, "description", row->help);
    ubi__json_object_end(json);
}

static void tool_write(ubi__json *json, const ubi__mcp_tool_row *tool) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "name", tool->name);
    ubi__json_member_string(json, "description", tool->help);
    ubi__json_member_object(json, "inputSchema");
    ubi__json_member_string(json, "type", "object");
    ubi__json_member_object(json, "properties");
    for (int i = 0; i < UBI__MCP_N_ARGUMENTS; i++)
        if (ubi__mcp_tool_takes(tool, (ubi__mcp_argument)i))
            argument_write(json, &ubi__mcp_arguments[i]);
    ubi__json_object_end(json);
    ubi__json_object_end(json);
    ubi__json_member_object(json, "annotations");
    ubi__json_member_bool(json, "readOnlyHint", true);
    ubi__json_member_bool(json, "openWorldHint", false);
    ubi__json_object_end(json);
    ubi__json_object_end(json);
}

void ubi__mcp_tools_write(ubi__json *json) {
    ubi__json_object_begin(json);
    ubi__json_member_array(json, "tools");
    for (int i = 0; i < UBI__MCP_N_TOOLS; i++)
        tool_write(json, &ubi__mcp_tools[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

static int argument_find(const ubi__mcp_tool_row *tool, const ubi__json_value *name) {
    for (int i = 0; i < UBI__MCP_N_ARGUMENTS; i++)
        if (ubi__mcp_tool_takes(tool, (ubi__mcp_argument)i) && ubi__json_value_is(name, ubi__mcp_arguments[i].name))
            return i;
    return -1;
}

#define SHOWN_NAME 60

static ubi_status fail_unknown(const ubi__mcp_tool_row *tool, const ubi__json_value *name) {
    char word[SHOWN_NAME + 1];
    size_t n = name->raw.len < SHOWN_NAME ? name->raw.len : SHOWN_NAME;
    memcpy(word, name->raw.ptr, n);
    word[n] = '\0';
    ubi__suggestion near = ubi__suggestion_for(word);
    for (int i = 0; i < UBI__MCP_N_ARGUMENTS; i++)
        if (ubi__mcp_tool_takes(tool, (ubi__mcp_argument)i))
            ubi__suggestion_try(&near, ubi__mcp_arguments[i].name);
    if (near.word)
        return ubi__fail(UBI_EINVAL, "%s has no argument '%s'; did you mean '%s'?", tool->name, word, near.word);
    return ubi__fail(UBI_EINVAL, "%s has no argument '%s'", tool->name, word);
}

/* What the server reads itself; ids, texts and parameters are checked where they are used. */
static const char *type_fault(int argument, const ubi__json_value *value) {
    bool is_text = value->type == UBI__JSON_STRING;
    switch (argument) {
    case UBI__MCP_HEAPS:
        return value->type == UBI__JSON_ARRAY ? NULL : "an array of ids";
    case UBI__MCP_PARAMETERS:
        return value->type == UBI__JSON_OBJECT ? NULL : "an object";
    case UBI__MCP_NODE:
        return is_text || value->type == UBI__JSON_NUMBER ? NULL : "the id of a node, a number or a string";
    case UBI__MCP_CURSOR:
    case UBI__MCP_BUDGET:
        return value->type == UBI__JSON_NUMBER ? NULL : "a whole number";
    default:
        return is_text ? NULL : "a string";
    }
}

static ubi_status numbers_read(ubi__mcp_given *out) {
    const ubi__json_value *cursor = &out->at[UBI__MCP_CURSOR], *budget = &out->at[UBI__MCP_BUDGET];
    uint64_t bytes = UBI_MCP_USUAL_BUDGET;
    out->cursor = 0;
    if (cursor->type != UBI__JSON_NULL && !ubi__json_value_u64(&out->cursor, cursor))
        return ubi__fail(UBI_EINVAL, "cursor: expected a whole number");
    if (budget->type != UBI__JSON_NULL && !ubi__json_value_u64(&bytes, budget))
        return ubi__fail(UBI_EINVAL, "budget: expected a whole number");
    if (bytes < UBI_MCP_LEAST_BUDGET || bytes > UBI_MCP_MOST_BUDGET)
        return ubi__fail(UBI_EINVAL, "budget: expected %d to %d bytes", UBI_MCP_LEAST_BUDGET, UBI_MCP_MOST_BUDGET);
    out->budget_bytes = (size_t)bytes;
    return UBI_OK;
}

ubi_status ubi__mcp_given_read(ubi__mcp_given *out, const ubi__mcp_tool_row *tool, const ubi__json_value *arguments) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    *out = (ubi__mcp_given){ .budget_bytes = UBI_MCP_USUAL_BUDGET };
    if (arguments->type == UBI__JSON_OBJECT) {
        ubi__json_cursor_open(&c, arguments->raw, UBI__JSON_OBJECT);
        while (ubi__json_cursor_next_member(&c, &key, &value)) {
            int i = argument_find(tool, &key);
            if (i < 0)
                return fail_unknown(tool, &key);
            const char *wanted = value.type == UBI__JSON_NULL ? NULL : type_fault(i, &value);
            if (wanted)
                return ubi__fail(UBI_EINVAL, "%s: expected %s", ubi__mcp_arguments[i].name, wanted);
            out->at[i] = value;
        }
    } else if (arguments->type != UBI__JSON_NULL) {
        return ubi__fail(UBI_EINVAL, "expected an object of arguments");
    }
    return numbers_read(out);
}
