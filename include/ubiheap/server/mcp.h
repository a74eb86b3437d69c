/* SPDX-License-Identifier: MIT
 *
 * ubiheap/server/mcp.h: heaps for agents, by the Model Context Protocol.
 *
 * A server reads JSON-RPC messages, one per line, from a descriptor, and writes its replies to another one: what `ubiheap mcp` does with
 * standard input and output. It offers six tools (docs/reference/mcp.md), which only read: nothing that a client sends is run, and files
 * are opened below the allowed folders only.
 *
 *     const char *const roots[] = { "/srv/heaps" };
 *     ubi_mcp_options options = UBI_MCP_OPTIONS_INIT;
 *     options.pool = pool;
 *     options.roots = roots;
 *     options.n_roots = 1;
 *     ubi_mcp_serve(&options);
 *
 * Part of libubiheap-server. May change between minor versions.
 */
#ifndef UBIHEAP_MCP_H
#define UBIHEAP_MCP_H

#include <ubiheap/core/base.h>
#include <ubiheap/extension/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that a client may ask for with `budget`, and those of a reply to one that does not: they cover the whole message. */
#define UBI_MCP_LEAST_BUDGET 1024
#define UBI_MCP_USUAL_BUDGET 4096
#define UBI_MCP_MOST_BUDGET 40960

typedef struct ubi_mcp_options {
    uint32_t version;         /**< UBI_MCP_OPTIONS_VERSION */
    ubi_session_pool *pool;   /**< of all sessions; gets a reference */
    const char *const *files; /**< files[n_files]: open from the start, by any path, as h1, h2, ... */
    uint32_t n_files;
    const char *const *roots; /**< roots[n_roots]: folders in which clients may open files */
    uint32_t n_roots;
    const ubi_session_options *session; /**< how each is opened; its progress is not used. NULL: the defaults */
    int input_fd, output_fd;            /**< nothing else may write to the output */
    unsigned threads;                   /**< requests that are performed at a time; 0: two more than there are cores */
} ubi_mcp_options;

#define UBI_MCP_OPTIONS_VERSION 1
#define UBI_MCP_OPTIONS_INIT                                                                                           \
    { UBI_MCP_OPTIONS_VERSION, NULL, NULL, 0, NULL, 0, NULL, 0, 1, 0 }

/**
 * Serves until the input ends; what was asked by then is answered. When the output is closed, what is being computed is given up. A message
 * of more than 4 MiB is refused and passed over. Its threads are its own; the caller's does the reading.
 *
 * SIGPIPE must be ignored or blocked by the caller.
 * @param options  borrowed as long as this runs.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM; UBI_EIO, UBI_EINVAL, UBI_EFORMAT, UBI_ELIMIT: a file or folder that cannot be opened;
 * UBI_EIO when reading fails. What goes wrong later is an error for the client.
 */
UBI_API ubi_status ubi_mcp_serve(const ubi_mcp_options *options);

#ifdef __cplusplus
}
#endif
#endif
