/* SPDX-License-Identifier: MIT
 *
 * snapshot_file_actor.c: snapshots on their way to the client: as one bulk packet, or piece by piece for clients that know none.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/text.h"
#include "rdp/actors/actors.h"

/* Of one reply. */
#define MOST_PIECE_BYTES ((size_t)1 << 20)
#define ID_BYTES 128

/* Letters, digits, points, underscores and hyphens. */
static bool is_id(const char *id) {
    for (const char *c = id; *c; c++) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!is_letter && !ubi__is_digit(*c) && *c != '.' && *c != '_' && *c != '-')
            return false;
    }
    return *id != '\0';
}

/* The number of a snapshot that this connection has saved; 0: it has not. No path is made of what a client sends. */
static uint64_t snapshot_find(const ubi__rdp_session *session, const char *id) {
    char own[UBI__RDP_SNAPSHOT_ID_BYTES];
    for (uint32_t i = 0; i < session->n_snapshots; i++) {
        ubi__rdp_snapshot_id(own, session->snapshots[i]);
        if (strcmp(own, id) == 0)
            return session->snapshots[i];
    }
    return 0;
}

/* A file that is open; or -1, and the call has failed. */
static int snapshot_open(ubi__rdp_call *call, uint64_t *n_bytes) {
    const ubi__rdp_session *session = ubi__rdp_session_of(ubi__rdp_call_actor(call));
    char id[ID_BYTES], path[UBI__PRIVATE_PATH_BYTES];
    struct stat about;
    if (ubi__rdp_argument_text(id, sizeof id, call, 0) != UBI_OK || !is_id(id)) {
        const ubi_text given = ubi__rdp_argument(call, 0)->raw;
        (void)ubi__rdp_reply_failure(call, "Error", "No heap snapshot with id: %.*s",
                                     given.len > 200 ? 200 : (int)given.len, given.ptr);
        return -1;
    }
    uint64_t number = snapshot_find(session, id);
    ubi__rdp_snapshot_path(path, session->offer, number);
    int fd = number ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (fd >= 0 && fstat(fd, &about) == 0) {
        *n_bytes = (uint64_t)about.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    (void)ubi__rdp_reply_failure(call, "NotFoundError", "No heap snapshot with id: %s", id);
    return -1;
}

static ubi_status transfer(ubi__rdp_call *call) {
    uint64_t n_bytes = 0;
    int fd = snapshot_open(call, &n_bytes);
    return fd < 0 ? UBI_OK : ubi__rdp_reply_file(call, "heap-snapshot", fd, n_bytes);
}

/* A place or length in a file; what is none is 0. */
static uint64_t bytes_of(double number, uint64_t most) {
    return number >= 1 ? number < (double)most ? (uint64_t)number : most : 0;
}

static ubi_status piece_reply(ubi__rdp_call *call, uint64_t offset, const uint8_t *bytes, size_t n, uint64_t size) {
    ubi__vec_u8 text = { 0 };
    ubi_status status = ubi__base64_append(&text, bytes, n, ubi_allocator_default());
    if (status == UBI_OK) {
        ubi__json *json = ubi__rdp_reply_begin(call);
        ubi__json_member_text(json, "data", (ubi_text){ text.n ? (const char *)text.at : "", text.n });
        ubi__json_member_u64(json, "offset", offset);
        ubi__json_member_u64(json, "size", size);
        status = ubi__rdp_reply_end(call);
    }
    ubi__vec_u8_fini(&text, ubi_allocator_default());
    return status;
}

static ubi_status piece_read(ubi__rdp_call *call, int fd, uint64_t size) {
    const ubi_allocator *a = ubi_allocator_default();
    uint64_t offset = bytes_of(ubi__rdp_argument_number(call, 1, 0), size);
    size_t n = (size_t)bytes_of(ubi__rdp_argument_number(call, 2, (double)MOST_PIECE_BYTES), MOST_PIECE_BYTES);
    n = n < size - offset ? n : (size_t)(size - offset);
    uint8_t *bytes = ubi__calloc_array(a, n + 1, 1);
    if (!bytes)
        return ubi__fail_nomem();
    ssize_t n_read = pread(fd, bytes, n, (off_t)offset);
    ubi_status status = n_read < 0 ? ubi__fail_errno(errno, "cannot read the snapshot")
                                   : piece_reply(call, offset, bytes, (size_t)n_read, size);
    ubi__free_array(a, bytes, n + 1, 1);
    return status;
}

static ubi_status read_piece(ubi__rdp_call *call) {
    uint64_t size = 0;
    int fd = snapshot_open(call, &size);
    if (fd < 0)
        return UBI_OK;
    ubi_status status = piece_read(call, fd, size);
    close(fd);
    return status;
}

static const ubi__rdp_field transfer_arguments[] = {
    { "snapshotId", UBI__RDP_STRING, UBI__RDP_REQUIRED, "of `saveHeapSnapshot`, of this connection" },
    UBI__RDP_END,
};
static const ubi__rdp_field transfer_replies[] = {
    { "(bulk)", UBI__RDP_ANY, UBI__RDP_REQUIRED, "`bulk ACTOR heap-snapshot LENGTH:` and the file, instead of JSON" },
    UBI__RDP_END,
};
static const ubi__rdp_field read_arguments[] = {
    { "snapshotId", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the same" },
    { "offset", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "where the piece begins; 0" },
    { "length", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "bytes, 1 MiB at most" },
    UBI__RDP_END,
};
static const ubi__rdp_field read_replies[] = {
    { "data", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the piece in base64; empty at the end" },
    { "offset", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "where it begins" },
    { "size", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "of the file" },
    UBI__RDP_END,
};
static const ubi__rdp_method methods[] = {
    { "transferHeapSnapshot", transfer, transfer_arguments, transfer_replies, false, "sends a snapshot", "Firefox" },
    { "readHeapSnapshot", read_piece, read_arguments, read_replies, false,
      "sends a piece of it, for clients that know no bulk packets (an addition of ours)", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_snapshot_file_type = {
    .name = "heapSnapshotFile",
    .help = "snapshots that the connection has saved; they are deleted with it",
    .methods = methods,
};
