/* SPDX-License-Identifier: MIT
 *
 * rdp_sending.c: what goes out to a client: blocks of bytes, and files piece by piece. See rdp_server.h.
 */
#include <sys/uio.h>
#include <unistd.h>

#include "rdp/rdp_server.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- the queue ---------------------------------------------------------------------------------------------------------- */

static void block_free(ubi__rdp_block *block) {
    if (block->fd >= 0)
        close(block->fd);
    ubi__vec_u8_fini(&block->bytes, memory());
    UBI_DELETE(memory(), block);
}

static void client_shift(ubi__rdp_client *client) {
    ubi__rdp_block *block = client->first;
    client->first = block->next;
    if (!client->first)
        client->end = &client->first;
    if (block->fd >= 0)
        client->n_files--;
    block_free(block);
}

void ubi__rdp_client_drop_queue(ubi__rdp_client *client) {
    while (client->first)
        client_shift(client);
    client->n_queued_bytes = 0;
}

/* The connection stops by itself when these say so. */
static void client_weigh(ubi__rdp_client *client) {
    ubi__rdp_connection *c = client->connection;
    if (!c)
        return;
    if (client->n_queued_bytes > UBI__RDP_CONGESTED_BYTES)
        c->is_congested = true;
    else if (client->n_queued_bytes < UBI__RDP_RELIEVED_BYTES)
        c->is_congested = false;
    c->is_busy = client->n_files >= UBI__RDP_MOST_FILES;
}

/* Without memory the connection ends: what is missing would shift all replies. */
static ubi__rdp_block *client_append(ubi__rdp_client *client) {
    ubi__rdp_block *block = UBI_NEW(memory(), ubi__rdp_block);
    ubi__rdp_client_changed(client);
    if (!block || client->must_close) {
        client->must_close = true;
        if (block)
            UBI_DELETE(memory(), block);
        return NULL;
    }
    block->fd = -1;
    *client->end = block;
    client->end = &block->next;
    return block;
}

static void output_write(void *payload, ubi__vec_u8 *bytes, size_t at) {
    ubi__rdp_client *client = payload;
    ubi__rdp_block *block = client_append(client);
    if (!block) {
        ubi__vec_u8_fini(bytes, memory());
        return;
    }
    block->bytes = *bytes;
    block->at = at;
    client->n_queued_bytes += bytes->n - at;
    client_weigh(client);
}

static void output_write_file(void *payload, int fd, uint64_t n_bytes) {
    ubi__rdp_client *client = payload;
    ubi__rdp_block *block = n_bytes ? client_append(client) : NULL;
    if (!block) {
        close(fd);
        return;
    }
    block->fd = fd;
    block->file_left = n_bytes;
    client->n_files++;
    client_weigh(client);
}

static void output_close(void *payload, const char *why) {
    ubi__rdp_client *client = payload;
    (void)why;
    client->must_close = true;
    ubi__rdp_client_changed(client);
}

ubi__rdp_output ubi__rdp_client_output(ubi__rdp_client *client) {
    return (ubi__rdp_output){ client, output_write, output_write_file, output_close };
}

/* ---- sending ------------------------------------------------------------------------------------------------------------ */

/* These many bytes at the beginning of the queue are gone. */
static void client_sent(ubi__rdp_client *client, size_t n) {
    client->n_queued_bytes -= n;
    while (client->first && client->first->fd < 0) {
        ubi__rdp_block *block = client->first;
        size_t n_left = block->bytes.n - block->at, n_taken = n < n_left ? n : n_left;
        block->at += n_taken;
        n -= n_taken;
        if (block->at < block->bytes.n)
            return;
        client_shift(client);
    }
}

static unsigned buffers_fill(uv_buf_t buffers[UBI__RDP_MOST_BUFFERS], size_t *n_bytes, const ubi__rdp_client *client) {
    unsigned n = 0;
    *n_bytes = 0;
    for (ubi__rdp_block *b = client->first; b && b->fd < 0 && n < UBI__RDP_MOST_BUFFERS; b = b->next) {
        buffers[n++] = (uv_buf_t){ .base = (char *)b->bytes.at + b->at, .len = b->bytes.n - b->at };
        *n_bytes += b->bytes.n - b->at;
    }
    return n;
}

/* False: the client is gone. */
static bool write_succeeded(ubi__rdp_client *client, int status) {
    client->is_sending = false;
    if (status < 0)
        ubi__rdp_client_close(client);
    return !client->is_closing;
}

static void on_bytes_written(uv_write_t *request, int status) {
    ubi__rdp_client *client = request->data;
    if (!write_succeeded(client, status))
        return;
    client_sent(client, client->n_sending);
    ubi__rdp_client_changed(client);
    ubi__rdp_server_settle(client->server);
}

/* At once what the socket takes, the rest when it takes more. */
static void blocks_send(ubi__rdp_client *client) {
    uv_buf_t buffers[UBI__RDP_MOST_BUFFERS];
    size_t n_bytes;
    unsigned n = buffers_fill(buffers, &n_bytes, client);
    int n_sent = ubi__uv.uv_try_write(&client->socket.stream, buffers, n);
    if (n_sent < 0 && n_sent != UV_EAGAIN) {
        ubi__rdp_client_close(client);
        return;
    }
    if (n_sent > 0)
        client_sent(client, (size_t)n_sent);
    if (n_sent >= 0 && (size_t)n_sent == n_bytes)
        return;
    n = buffers_fill(buffers, &client->n_sending, client);
    client->write.data = client;
    client->is_sending = true;
    if (ubi__uv.uv_write(&client->write, &client->socket.stream, buffers, n, on_bytes_written) != 0)
        ubi__rdp_client_close(client);
}

/* ---- files -------------------------------------------------------------------------------------------------------------- */

static void on_piece_written(uv_write_t *request, int status) {
    ubi__rdp_client *client = request->data;
    if (!write_succeeded(client, status))
        return;
    ubi__rdp_block *block = client->first;
    block->file_at += client->n_sending;
    block->file_left -= client->n_sending;
    if (block->file_left == 0)
        client_shift(client);
    ubi__rdp_client_changed(client);
    ubi__rdp_server_settle(client->server);
}

/* A file that is shorter than it was: what was promised cannot be sent. */
static void piece_write(ubi__rdp_client *client, ssize_t n) {
    uv_buf_t buffer = { .base = (char *)client->file_piece, .len = n > 0 ? (size_t)n : 0 };
    client->n_sending = buffer.len;
    client->write.data = client;
    if (n <= 0 || ubi__uv.uv_write(&client->write, &client->socket.stream, &buffer, 1, on_piece_written) != 0) {
        ubi__rdp_client_close(client);
        return;
    }
    client->is_sending = true;
}

static void on_piece_read(uv_fs_t *request) {
    ubi__rdp_client *client = request->data;
    ssize_t n = request->result;
    ubi__uv.uv_fs_req_cleanup(request);
    client->is_sending = false;
    if (client->is_closing) {
        ubi__rdp_client_release(client);
        return;
    }
    client->n_users--;
    piece_write(client, n);
}

/* What is in memory is read at once, for that takes less than asking another thread; negative: it is not, or the system cannot say so. */
static ssize_t piece_read_now(const ubi__rdp_client *client, size_t n) {
    const struct iovec piece = { .iov_base = client->file_piece, .iov_len = n };
    return preadv2(client->first->fd, &piece, 1, (off_t)client->first->file_at, RWF_NOWAIT);
}

static void piece_send(ubi__rdp_client *client) {
    const ubi__rdp_block *block = client->first;
    size_t n = block->file_left < UBI__RDP_FILE_PIECE_BYTES ? (size_t)block->file_left : UBI__RDP_FILE_PIECE_BYTES;
    if (!client->file_piece)
        client->file_piece = ubi__calloc_array(memory(), UBI__RDP_FILE_PIECE_BYTES, 1);
    ssize_t n_read = client->file_piece ? piece_read_now(client, n) : 0;
    if (n_read > 0) {
        piece_write(client, n_read);
        return;
    }
    uv_buf_t buffer = { .base = (char *)client->file_piece, .len = n };
    client->file_read.data = client;
    if (!client->file_piece || ubi__uv.uv_fs_read(&client->server->loop, &client->file_read, block->fd, &buffer, 1,
                                                  (int64_t)block->file_at, on_piece_read) != 0) {
        ubi__rdp_client_close(client);
        return;
    }
    client->n_users++;
    client->is_sending = true;
}

void ubi__rdp_client_flush(ubi__rdp_client *client) {
    while (client->first && !client->is_sending && !client->is_closing) {
        if (client->first->fd >= 0)
            piece_send(client);
        else
            blocks_send(client);
    }
    if (client->is_closing)
        return;
    if (!client->n_files && client->file_piece && !client->is_sending) {
        ubi__free_array(memory(), client->file_piece, UBI__RDP_FILE_PIECE_BYTES, 1);
        client->file_piece = NULL;
    }
    client_weigh(client);
    if (client->must_close && !client->first)
        ubi__rdp_client_close(client);
}
