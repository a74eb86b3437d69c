/* SPDX-License-Identifier: MIT
 *
 * mcp_fuzz.c: any lines as messages of a client. Each message that goes out is JSON, and no larger than what may be asked for.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "mcp/mcp_server.h"

#define FILE_PATH "tests/data/fx/tiny-before.fxsnapshot"
#define MOST_BYTES 60000 /* lists of tools and resources have no budget */

/* Pieces of a line, until its end. */
typedef struct line {
    size_t n;
    char at[MOST_BYTES * 20];
} line;

static void line_check(const line *l) {
    ubi__json_cursor c;
    ubi__json_value value;
    if (!ubi__json_value_whole(&c, &value, (ubi_text){ l->at, l->n }))
        abort();
    if (value.type == UBI__JSON_OBJECT && l->n > MOST_BYTES)
        abort();
}

static bool line_write(void *payload, const void *data, size_t n) {
    line *l = payload;
    const char *end = memchr(data, '\n', n);
    if (end && end != (const char *)data + n - 1)
        abort(); /* a line has one end */
    size_t n_text = end ? n - 1 : n;
    if (n_text <= sizeof l->at - l->n) {
        memcpy(l->at + l->n, data, n_text);
        l->n += n_text;
    }
    if (end) {
        line_check(l);
        l->n = 0;
    }
    return true;
}

static void lines_send(ubi__mcp_server *server, const char *at, size_t n) {
    while (n > 0) {
        const char *end = memchr(at, '\n', n);
        size_t length = end ? (size_t)(end - at) : n;
        ubi__mcp_server_line(server, (ubi_text){ at, length });
        at += end ? length + 1 : length;
        n -= end ? length + 1 : length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char *const files[] = { FILE_PATH };
    static const char *const roots[] = { "tests/data/ubirec" };
    static ubi_session_pool *pool;
    static line written;
    ubi_mcp_options options = UBI_MCP_OPTIONS_INIT;
    const ubi__mcp_output output = { line_write, &written };
    ubi__mcp_server *server;
    if (!pool && ubi_session_pool_new(&pool, NULL) != UBI_OK)
        abort();
    options.pool = pool;
    options.files = files;
    options.n_files = 1;
    options.roots = roots;
    options.n_roots = 1;
    options.threads = 1;
    if (ubi__mcp_server_new(&server, &options, &output, NULL) != UBI_OK)
        abort();
    lines_send(server, (const char *)data, n);
    ubi__mcp_server_settle(server, NULL, NULL);
    ubi__mcp_server_free(server);
    if (written.n != 0)
        abort();
    return 0;
}
