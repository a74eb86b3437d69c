/* SPDX-License-Identifier: MIT
 *
 * upload.c: files that clients send, in the server's private folder. An upload that is cut, refused or too large leaves nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

#define NAME_BYTES 121

/* ---- uploads ----------------------------------------------------------------------------------------------------------------------- */

static uint64_t announced_bytes(const ubi__exchange *e) {
    const char *length = ubi__exchange_header(e, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length ? strtoull(length, NULL, 10) : 0;
}

ubi_status ubi__http_upload_begin(ubi__exchange *e) {
    ubi__upload *upload = UBI_NEW(ubi_allocator_default(), ubi__upload);
    if (!upload)
        return ubi__fail_nomem();
    e->upload = upload;
    ubi__private_folder_name(upload->path, &e->server->folder, "");
    upload->fd = open(upload->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (upload->fd < 0)
        return ubi__fail_errno(errno, "an upload cannot be stored");
    return UBI_OK;
}

/* The file goes now, and the message later. */
static void upload_fail(ubi__upload *upload, ubi_status status) {
    upload->status = status;
    snprintf(upload->message, sizeof upload->message, "%s", ubi_error_message());
    (void)unlink(upload->path);
    close(upload->fd);
    upload->fd = -1;
}

static ubi_status bytes_write(int fd, const char *data, size_t n) {
    while (n > 0) {
        ssize_t written = write(fd, data, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return ubi__fail_errno(errno, "an upload cannot be stored");
        data += written;
        n -= (size_t)written;
    }
    return UBI_OK;
}

void ubi__http_upload_take(ubi__exchange *e, const char *data, size_t n) {
    ubi__upload *upload = e->upload;
    uint64_t most = e->server->most_upload_bytes;
    upload->n_bytes += n;
    if (upload->fd < 0)
        return;
    if (upload->n_bytes > most)
        upload_fail(upload, ubi__fail(UBI_ELIMIT, "the body has more than %llu bytes", (unsigned long long)most));
    else if (bytes_write(upload->fd, data, n) != UBI_OK)
        upload_fail(upload, UBI_EIO);
}

/* The last word of a path, without what is not text. */
static void name_read(char out[NAME_BYTES], const char *given) {
    ubi_text base = ubi__text_base_name(ubi__text(given ? given : ""));
    size_t n = base.len < NAME_BYTES - 1 ? base.len : NAME_BYTES - 1;
    n = ubi__utf8_valid_prefix((ubi_text){ base.ptr, n });
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)base.ptr[i] < 0x20 || base.ptr[i] == 0x7f ? '_' : base.ptr[i];
    out[n] = '\0';
    if (!n || strcmp(out, ".") == 0 || strcmp(out, "..") == 0)
        snprintf(out, NAME_BYTES, "upload");
}

static ubi_status upload_shelve(const ubi__shelf_heap **out, ubi__exchange *e) {
    ubi__upload *upload = e->upload;
    char name[NAME_BYTES];
    if (upload->status != UBI_OK)
        return ubi__fail(upload->status, "%s", upload->message);
    if (announced_bytes(e) > upload->n_bytes)
        return ubi__fail(UBI_EINVAL, "the upload was cut");
    name_read(name, ubi__http_address_value(&e->address, "name"));
    const ubi__shelf_item item = { upload->path, name, UBI__SHELF_UPLOADED };
    UBI_TRY(ubi__shelf_add(out, e->server->shelf, &item));
    close(upload->fd);
    upload->fd = -1; /* the file is the shelf's */
    return UBI_OK;
}

enum MHD_Result ubi__http_upload_end(ubi__exchange *e) {
    const ubi__shelf_heap *heap = NULL;
    bool is_too_large = e->upload->status == UBI_ELIMIT;
    ubi_status status = upload_shelve(&heap, e);
    ubi__http_upload_drop(e);
    if (status == UBI_OK)
        return ubi__http_heap_created(e, heap);
    return is_too_large ? ubi__reply_error_code(e, UBI__HTTP_TOO_LARGE, status) : ubi__reply_error(e, status);
}

void ubi__http_upload_drop(ubi__exchange *e) {
    ubi__upload *upload = e->upload;
    if (!upload)
        return;
    e->upload = NULL;
    if (upload->fd >= 0) {
        (void)unlink(upload->path);
        close(upload->fd);
    }
    UBI_DELETE(ubi_allocator_default(), upload);
}
