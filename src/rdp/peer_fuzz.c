/* SPDX-License-Identifier: MIT
 *
 * peer_fuzz.c: any bytes as what a server sends to our client.
 *
 * The first byte chooses what is asked, and of what. The rest is there from the start, as a server that does not wait would send it, and
 * then the connection ends. Promises checked: no crash, no leak, no waiting for ever; what ends badly has a message of one line; no more
 * bytes of a file are handed on than came; rows are tabs or processes.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz_pieces.h"
#include "rdp/remote_heap.h"

#define MOST_BYTES ((size_t)60 << 10) /* a socket takes them at once */

typedef struct taker {
    uint64_t n_bytes, most_bytes;
} taker;

static bool bytes_take(void *payload, const void *data, size_t n) {
    taker *t = payload;
    (void)data;
    t->n_bytes += n;
    require(t->n_bytes <= t->most_bytes, "more bytes than came");
    return true;
}

static ubi_status row_take(void *payload, const ubi__remote_row *row) {
    (void)payload;
    require(row->choice != UBI__REMOTE_ANY, "a row of nothing");
    return UBI_OK;
}

static ubi_status document_take(void *payload, ubi_text json) {
    const taker *t = payload;
    require(json.len <= t->most_bytes, "a longer text than came");
    return UBI_OK;
}

/* What a command does, by the first byte. */
static ubi_status remote_use(ubi__remote *remote, unsigned verb, taker *t) {
    const ubi__remote_ops *ops = &ubi__rdp_remote_ops;
    const ubi__remote_recording all = { 1, 1000 };
    double start_ms;
    if (verb % 4 == 0)
        return ops->list(remote, row_take, NULL);
    UBI_TRY(ops->attach(remote));
    if (verb % 4 == 1)
        return ops->snapshot(remote, bytes_take, t, NULL);
    UBI_TRY(ops->measure(remote, document_take, t));
    UBI_TRY(ops->collect(remote));
    UBI_TRY(ops->record_start(remote, &all, &start_ms));
    UBI_TRY(ops->record_take(remote, document_take, t));
    UBI_TRY(ops->record_stop(remote));
    return ops->census(remote, document_take, t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const ubi__remote_scheme scheme = { .name = "fuzz", .ops = &ubi__rdp_remote_ops, .hint = "fuzz" };
    ubi__remote_address address = { .scheme = &scheme };
    ubi__remote *remote;
    int ends[2];
    if (size < 1 || size > MOST_BYTES)
        return 0;
    unsigned verb = data[0];
    address.choice = verb & 64 ? UBI__REMOTE_PROCESS : verb & 32 ? UBI__REMOTE_TAB : UBI__REMOTE_ANY;
    address.number = 1;
    taker t = { 0, size };
    require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "no sockets");
    require(write(ends[1], data + 1, size - 1) == (ssize_t)(size - 1), "the socket is full");
    shutdown(ends[1], SHUT_WR);
    ubi_status status = ubi__rdp_remote_adopt(&remote, ends[0], &address, NULL, NULL);
    if (status == UBI_OK) {
        status = remote_use(remote, verb, &t);
        ubi__rdp_remote_ops.close(remote);
    }
    if (status != UBI_OK)
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "no message, or several lines");
    close(ends[1]);
    return 0;
}
