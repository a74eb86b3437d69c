/* SPDX-License-Identifier: MIT
 *
 * remote_file.c: see remote_file.h.
 */
#include "session/remote_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/status.h"

/* Where a file system has no files without names: one that is unlinked at once. */
static int named_file_open(const char *folder) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/ubiheap-XXXXXX", folder);
    int fd = n > 0 && (size_t)n < sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

ubi_status ubi__remote_file_open(int *fd) {
    const char *chosen = getenv("TMPDIR");
    const char *folder = chosen && *chosen ? chosen : "/tmp";
    *fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*fd < 0)
        *fd = named_file_open(folder);
    return *fd < 0 ? ubi__fail_errno(errno, "cannot make a temporary file in %s", folder) : UBI_OK;
}

void ubi__remote_file_path(char out[UBI__REMOTE_FILE_PATH], int fd) {
    snprintf(out, UBI__REMOTE_FILE_PATH, "/proc/self/fd/%d", fd);
}

typedef struct receiver {
    int fd;
    ubi_status status;
    char message[256];
} receiver;

static bool receiver_write(void *payload, const void *data, size_t n) {
    receiver *r = payload;
    r->status = ubi__write_fully(r->fd, data, n);
    if (r->status != UBI_OK)
        snprintf(r->message, sizeof r->message, "%s", ubi_error_message());
    return r->status == UBI_OK;
}

ubi_status ubi__remote_file_take(int *fd, ubi__remote *remote, const ubi__remote_ops *ops, uint64_t *pause_us) {
    receiver r = { .fd = -1, .status = UBI_OK };
    UBI_TRY(ubi__remote_file_open(&r.fd));
    ubi_status status = ops->snapshot(remote, receiver_write, &r, pause_us);
    if (status == UBI_OK)
        *fd = r.fd;
    else
        close(r.fd);
    return r.status == UBI_OK ? status : ubi__fail(r.status, "a temporary file: %s", r.message);
}

ubi_status ubi__remote_file_fetch(int *fd, const ubi__remote_address *address, const char *path,
                                  const ubi__remote_witness *witness, const ubi_progress *progress) {
    const ubi__remote_ops *ops = address->scheme->ops;
    ubi__remote *remote;
    UBI_TRY(ops->open(&remote, address, progress, NULL));
    ubi_status status = ops->attach(remote);
    if (status == UBI_OK)
        status = ubi__remote_file_take(fd, remote, ops, NULL);
    if (status == UBI_OK && witness->see)
        witness->see(witness->payload, path, remote, ops);
    ops->close(remote);
    return status;
}
