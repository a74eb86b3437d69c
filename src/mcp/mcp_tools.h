/* SPDX-License-Identifier: MIT
 *
 * mcp_tools.h: what agents can call: names, descriptions and arguments, as data. `tools/list`, the reader of arguments, and the page
 * docs/reference/mcp.md come from the one table.
 */
#ifndef UBI_MCP_MCP_TOOLS_H
#define UBI_MCP_MCP_TOOLS_H

#include <ubiheap/server/mcp.h>

#include "base/json_reader.h"
#include "base/json_writer.h"

/** Arguments that tools have; each in the words of the table. */
typedef enum ubi__mcp_argument {
    UBI__MCP_OPEN,
    UBI__MCP_CLOSE,
    UBI__MCP_HEAP,
    UBI__MCP_HEAPS,
    UBI__MCP_TEXT,
    UBI__MCP_WHERE,
    UBI__MCP_CLASS,
    UBI__MCP_NODE,
    UBI__MCP_QUESTION,
    UBI__MCP_PARAMETERS,
    UBI__MCP_CURSOR,
    UBI__MCP_BUDGET,
    UBI__MCP_N_ARGUMENTS
} ubi__mcp_argument;

typedef struct ubi__mcp_argument_row {
    const char *name;
    const char *type; /**< of JSON Schema, as JSON */
    const char *help;
} ubi__mcp_argument_row;

typedef enum ubi__mcp_tool {
    UBI__MCP_TOOL_HEAPS,
    UBI__MCP_TOOL_REPORT,
    UBI__MCP_TOOL_LEAKS,
    UBI__MCP_TOOL_FIND,
    UBI__MCP_TOOL_EXPLAIN,
    UBI__MCP_TOOL_ASK,
    UBI__MCP_N_TOOLS
} ubi__mcp_tool;

typedef struct ubi__mcp_tool_row {
    const char *name;
    const char *help;
    uint32_t arguments; /**< a bit per argument, besides cursor and budget, which all have */
} ubi__mcp_tool_row;

extern const ubi__mcp_argument_row ubi__mcp_arguments[UBI__MCP_N_ARGUMENTS];
extern const ubi__mcp_tool_row ubi__mcp_tools[UBI__MCP_N_TOOLS];
bool ubi__mcp_tool_takes(const ubi__mcp_tool_row *tool, ubi__mcp_argument argument);

/** By name; UBI__MCP_N_TOOLS: there is none. */
ubi__mcp_tool ubi__mcp_tool_find(const ubi__json_value *name);
/** The result of `tools/list`: at most UBI__MCP_TOOLS_BYTES. */
void ubi__mcp_tools_write(ubi__json *json);
#define UBI__MCP_TOOLS_BYTES 6000

/** Arguments of a call: values in its text; type NULL: not given. */
typedef struct ubi__mcp_given {
    ubi__json_value at[UBI__MCP_N_ARGUMENTS];
    uint64_t cursor;
    size_t budget_bytes;
} ubi__mcp_given;

/** @param arguments  an object, or type NULL. Errors: UBI_EINVAL with the argument and what was expected. */
ubi_status ubi__mcp_given_read(ubi__mcp_given *out, const ubi__mcp_tool_row *tool, const ubi__json_value *arguments);

#endif
