/* SPDX-License-Identifier: MIT
 *
 * token_file.c: see token_file.h.
 */
#include "cli/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/status.h"

#define OTHERS (S_IRWXG | S_IRWXO)

/* One that others could have written or read is no secret. */
static ubi_status owner_check(int fd) {
    struct stat about;
    if (fstat(fd, &about) != 0)
        return ubi__fail_errno(errno, "cannot read");
    if (!S_ISREG(about.st_mode))
        return ubi__fail(UBI_EINVAL, "a token is read from a regular file");
    if (about.st_uid != geteuid())
        return ubi__fail(UBI_EINVAL, "this file with a token belongs to another user");
    if (about.st_mode & OTHERS)
        return ubi__fail(UBI_EINVAL, "others may read or write this file with a token: chmod 600 ends that");
    return UBI_OK;
}

/* The digits, and perhaps an end of line. */
static ubi_status token_read(char out[UBI__HTTP_TOKEN_BYTES], int fd) {
    char text[UBI__HTTP_TOKEN_BYTES + 2] = "";
    UBI_TRY(owner_check(fd));
    ssize_t n = read(fd, text, sizeof text - 1); /* one more than there may be */
    if (n < 0)
        return ubi__fail_errno(errno, "cannot read");
    if (n == UBI__HTTP_TOKEN_BYTES && text[n - 1] == '\n')
        text[n - 1] = '\0';
    if (!ubi__http_is_token(text))
        return ubi__fail(UBI_EINVAL, "this file holds no token, which is 32 hexadecimal digits");
    memcpy(out, text, UBI__HTTP_TOKEN_BYTES);
    return UBI_OK;
}

/* UBI_EBUSY: another process was faster. */
static ubi_status token_file_make(const char *path) {
    char text[UBI__HTTP_TOKEN_BYTES];
    ubi__atomic_file file;
    UBI_TRY(ubi__http_token_make(text));
    text[UBI__HTTP_TOKEN_BYTES - 1] = '\n';
    UBI_TRY(ubi__atomic_file_open(&file, path, UBI__ATOMIC_FILE_NEW, ubi_allocator_default()));
    ubi_status status = ubi__atomic_file_write(&file, text, sizeof text);
    if (status == UBI_OK)
        return ubi__atomic_file_commit(&file);
    ubi__atomic_file_discard(&file);
    return status;
}

ubi_status ubi__token_file_read(char out[UBI__HTTP_TOKEN_BYTES], const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT) {
        ubi_status status = token_file_make(path);
        if (status != UBI_OK && status != UBI_EBUSY)
            return status;
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot read");
    ubi_status status = token_read(out, fd);
    close(fd);
    return status;
}

ubi_status ubi__token_file_use(ubi_http_options *options, char token[UBI__HTTP_TOKEN_BYTES], ubi__cli *cli,
                               const char *path) {
    const char *command = cli->subject;
    if (!path)
        return UBI_OK;
    cli->subject = path;
    UBI_TRY(ubi__token_file_read(token, path));
    cli->subject = command;
    options->token = token;
    return UBI_OK;
}

ubi_status ubi__port_read(ubi_http_options *options, uint64_t port) {
    if (port > UINT16_MAX)
        return ubi__fail(UBI_EINVAL, "--port: expected a number up to 65535");
    options->port = (uint16_t)port;
    return UBI_OK;
}
