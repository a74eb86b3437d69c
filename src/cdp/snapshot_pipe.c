/* SPDX-License-Identifier: MIT
 *
 * snapshot_pipe.c: see snapshot_pipe.h.
 */
#include "cdp/snapshot_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

#define READ_BYTES ((size_t)256 << 10)
#define PIPE_BYTES (1 << 20)
/* Between two looks at the connection. */
#define TICK_MS 50

/* Both ends. Ours to write is open until something came: so the end of what is written is not seen before it begins. */
typedef struct pipe_ends {
    int to_read, to_write;
} pipe_ends;

static void end_close(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static ubi_status ends_open(pipe_ends *ends) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
        return ubi__fail_errno(errno, "cannot make a pipe");
    (void)fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES); /* a smaller one works, too */
    *ends = (pipe_ends){ fds[0], fds[1] };
    return UBI_OK;
}

/*
 * Whether it is this pipe is looked at first: where numbers of processes are others, the path may lead to a file of someone else. Nothing
 * that is thrown leaves the script, because V8 would keep it.
 */
#define SCRIPT                                                                                                         \
    "typeof require!='undefined'&&(p=>{try{return "                                                                    \
    "(s=>s.isFIFO()&&s.ino==%" PRIu64 "&&s.dev==%" PRIu64 ")(require('fs').statSync(p))&&"                             \
    "!!require('v8').writeHeapSnapshot(p)}catch{return false}})('/proc/%ld/fd/%d')"

static ubi_status script_send(const ubi__snapshot_pipe *p, const pipe_ends *ends) {
    char params[600];
    struct stat of;
    if (fstat(ends->to_read, &of))
        return ubi__fail_errno(errno, "cannot look at a pipe");
    snprintf(params, sizeof params,
             "{\"expression\":\"" SCRIPT "\",\"includeCommandLineAPI\":true,\"returnByValue\":true,\"silent\":true}",
             (uint64_t)of.st_ino, (uint64_t)of.st_dev, (long)getpid(), ends->to_read);
    return ubi__cdp_peer_send(p->peer, "Runtime.evaluate", params);
}

/* What is there. *n 0: nothing, or it is complete, which only counts when something came. */
static ubi_status part_take(ubi__snapshot_pipe *p, pipe_ends *ends, ubi__vec_u8 *room, size_t *n, bool *is_complete) {
    ssize_t got = read(ends->to_read, room->at, READ_BYTES);
    *n = 0;
    *is_complete = got == 0;
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? UBI_OK : ubi__fail_errno(errno, "cannot read from a pipe");
    if (got == 0)
        return UBI_OK;
    end_close(&ends->to_write);
    *n = (size_t)got;
    p->n_bytes += *n;
    ubi__cdp_peer_set_stage(p->peer, "transferring", p->n_bytes, 0);
    return p->write(p->payload, room->at, *n) ? UBI_OK : ubi__fail(UBI_EIO, "cannot write what is transferred");
}

/* Until it is complete, or the script ends without a word. */
static ubi_status parts_take(ubi__snapshot_pipe *p, pipe_ends *ends, ubi__vec_u8 *room) {
    struct pollfd readable = { .fd = ends->to_read, .events = POLLIN };
    uint64_t looked_ns = ubi_process_clock_ns();
    bool is_complete = false, had_reply = false;
    size_t n = 0;
    while (!is_complete && !(had_reply && n == 0)) {
        had_reply = ubi__cdp_peer_has_reply(p->peer); /* then what is in the pipe is the last */
        if (!had_reply)
            (void)poll(&readable, 1, TICK_MS);
        UBI_TRY(part_take(p, ends, room, &n, &is_complete));
        uint64_t now_ns = ubi_process_clock_ns();
        if (n > 0 && now_ns - looked_ns < TICK_MS * (uint64_t)1000000)
            continue;
        looked_ns = now_ns;
        if (!is_complete)
            UBI_TRY(ubi__cdp_peer_look(p->peer));
    }
    return UBI_OK;
}

/* The script's word. */
static ubi_status script_await(const ubi__snapshot_pipe *p, bool *is_written) {
    ubi__json_value value;
    ubi_text result;
    *is_written = false;
    ubi_status status = ubi__cdp_peer_await(p->peer, "Runtime.evaluate", &result);
    if (status == UBI_OK)
        *is_written = ubi__json_object_find(&value, result, "result") && value.type == UBI__JSON_OBJECT &&
                      ubi__json_object_find(&value, value.raw, "value") && value.type == UBI__JSON_TRUE;
    return status == UBI_ESTATE ? UBI_OK : status;
}

static ubi_status pipe_use(ubi__snapshot_pipe *p, pipe_ends *ends, ubi__vec_u8 *room, bool *is_taken) {
    bool is_written;
    UBI_TRY(script_send(p, ends));
    ubi__cdp_peer_set_stage(p->peer, "the program pauses for its snapshot", 0, 0);
    UBI_TRY(parts_take(p, ends, room));
    UBI_TRY(script_await(p, &is_written));
    if (p->n_bytes > 0 && !is_written)
        return ubi__fail(UBI_EIO, "the program could not write all of its snapshot");
    *is_taken = p->n_bytes > 0;
    return UBI_OK;
}

ubi_status ubi__snapshot_pipe_take(ubi__snapshot_pipe *p, bool *is_taken) {
    pipe_ends ends = { -1, -1 };
    ubi__vec_u8 room = { NULL, 0, 0 };
    *is_taken = false;
    p->n_bytes = 0;
    UBI_TRY(ends_open(&ends));
    ubi_status status = ubi__vec_u8_reserve(&room, p->allocator, READ_BYTES);
    if (status == UBI_OK)
        status = pipe_use(p, &ends, &room, is_taken);
    end_close(&ends.to_read);
    end_close(&ends.to_write);
    ubi__vec_u8_fini(&room, p->allocator);
    return status;
}
