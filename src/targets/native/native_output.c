/* SPDX-License-Identifier: MIT
 *
 * native_output.c: see native_output.h.
 */
#include "targets/native/native_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

#define TURN_TRIES 1000
#define TURN_WAIT_NS 1000000

ubi__atomic_file ubi__native_output_none(const ubi_allocator *allocator) {
    return (ubi__atomic_file){ .allocator = allocator, .fd = -1, .directory_fd = -1 };
}

static ubi_status output_check_alone(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return UBI_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_taken = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is_taken ? ubi__fail(UBI_EBUSY, "another 'ubiheap record' writes %s just now: give another --output", path)
                    : UBI_OK;
}

ubi_status ubi__native_output_open(ubi__atomic_file *out, const char *path, const ubi_allocator *allocator) {
    char why[256];
    UBI_TRY(output_check_alone(path));
    ubi_status status = ubi__atomic_file_open(out, path, UBI__ATOMIC_FILE_NO_WAIT, allocator);
    if (status == UBI_OK && out->directory_fd >= 0)
        (void)flock(out->fd, LOCK_EX | LOCK_NB);
    if (status == UBI_OK)
        return UBI_OK;
    snprintf(why, sizeof why, "%s", ubi_error_message());
    return ubi__fail(status, "cannot write '%s': %s", path, why);
}

/* Closing the folder ends the turn. */
ubi_status ubi__native_output_appear(ubi__atomic_file *file, const char *path) {
    const struct timespec pause = { .tv_nsec = TURN_WAIT_NS };
    for (int i = 0; file->directory_fd >= 0 && i < TURN_TRIES; i++) {
        if (flock(file->directory_fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            break;
        nanosleep(&pause, NULL);
    }
    ubi_status status = file->directory_fd >= 0 ? output_check_alone(path) : UBI_OK;
    if (status == UBI_OK)
        return ubi__atomic_file_appear(file);
    ubi__atomic_file_discard(file);
    return status;
}
