/* SPDX-License-Identifier: MIT
 *
 * mcp_serve.c: a server between two descriptors; see ubiheap/server/mcp.h.
 */
#include <ubiheap/server/mcp.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "mcp/mcp_server.h"

#define CHUNK_BYTES ((size_t)65536)

static bool descriptor_write(void *payload, const void *data, size_t n) {
    const int *fd = payload;
    const char *at = data;
    while (n > 0) {
        ssize_t written = write(*fd, at, n);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd ready = { .fd = *fd, .events = POLLOUT };
            (void)poll(&ready, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return false;
        }
        at += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* The reader of a pipe is gone. */
static bool descriptor_is_open(void *payload) {
    const int *fd = payload;
    struct pollfd state = { .fd = *fd };
    return poll(&state, 1, 0) < 1 || !(state.revents & (POLLERR | POLLNVAL));
}

/* What was read, up to the first byte that is not a whole line. */
typedef struct input {
    ubi__vec_u8 bytes;
    size_t n_scanned; /* without an end of line in them */
    bool is_skipping; /* the rest of a line that was too long */
} input;

static void lines_take(ubi__mcp_server *server, input *in) {
    char *begin = (char *)in->bytes.at, *end;
    size_t n = in->bytes.n, n_scanned = in->n_scanned;
    while (n > n_scanned && (end = memchr(begin + n_scanned, '\n', n - n_scanned))) {
        size_t length = (size_t)(end - begin);
        if (!in->is_skipping)
            ubi__mcp_server_line(server, (ubi_text){ begin, length });
        in->is_skipping = false;
        n -= length + 1;
        begin = end + 1;
        n_scanned = 0;
    }
    if (n)
        memmove(in->bytes.at, begin, n);
    in->bytes.n = in->n_scanned = n;
}

static void line_bound(ubi__mcp_server *server, input *in) {
    if (in->bytes.n <= UBI__MCP_LINE_BYTES && !in->is_skipping)
        return;
    if (!in->is_skipping)
        ubi__mcp_server_refuse_line(server);
    in->is_skipping = true;
    in->bytes.n = in->n_scanned = 0;
}

static ubi_status input_read(ubi__mcp_server *server, input *in, int fd) {
    for (;;) {
        UBI_TRY(ubi__vec_u8_reserve(&in->bytes, ubi_allocator_default(), CHUNK_BYTES));
        ssize_t n = read(fd, in->bytes.at + in->bytes.n, CHUNK_BYTES);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd ready = { .fd = fd, .events = POLLIN };
            (void)poll(&ready, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            return ubi__fail_errno(errno, "standard input");
        }
        if (n == 0)
            break;
        in->bytes.n += n > 0 ? (size_t)n : 0;
        lines_take(server, in);
        line_bound(server, in);
    }
    if (in->bytes.n && !in->is_skipping) /* the last line may lack its end */
        ubi__mcp_server_line(server, (ubi_text){ (const char *)in->bytes.at, in->bytes.n });
    return UBI_OK;
}

ubi_status ubi_mcp_serve(const ubi_mcp_options *options) {
    ubi__mcp_server *server = NULL;
    int output_fd = options->output_fd;
    const ubi__mcp_output output = { descriptor_write, &output_fd };
    input in = { .n_scanned = 0 };
    UBI_TRY(ubi__mcp_server_new(&server, options, &output, NULL));
    ubi_status status = input_read(server, &in, options->input_fd);
    if (status == UBI_OK)
        ubi__mcp_server_settle(server, descriptor_is_open, &output_fd);
    ubi__vec_u8_fini(&in.bytes, ubi_allocator_default());
    ubi__mcp_server_free(server);
    return status;
}
