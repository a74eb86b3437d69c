/* SPDX-License-Identifier: MIT
 *
 * upload.c: files that clients send, in the server's private folder. An upload that is cut, refused or too large leaves nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

#define NAME_BYTES 121
/* What is written at a time. */
#define BLOCK_BYTES ((size_t)128 << 10)

/* ---- uploads ----------------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__http_upload_begin(ubi__exchange *e) {
    ubi__upload *upload = UBI_NEW(ubi_allocator_default(), ubi__upload);
    if (!upload)
        return ubi__fail_nomem();
    upload->fd = -1;
    e->upload = upload;
    ubi__private_folder_name(upload->path, &e->server->folder, "");
    ubi__upload_give(&e->server->writer, upload, e);
    return UBI_OK;
}

/* Whether it is the writer's; then the connection is suspended, or closed where the client has left. */
static bool upload_waits(enum MHD_Result *result, ubi__exchange *e) {
    *result = MHD_NO;
    while (ubi__upload_is_busy(&e->server->writer, e->upload)) {
        if (ubi__exchange_is_gone(e))
            return true;
        *result = ubi__exchange_suspend(e) ? MHD_YES : MHD_NO;
        if (*result == MHD_YES)
            return true;
    }
    return false;
}

static void bytes_keep(ubi__exchange *e, const char *data, size_t n) {
    ubi__upload *upload = e->upload;
    uint64_t most = e->server->most_upload_bytes;
    if (upload->n_bytes > most)
        ubi__upload_fail(upload, ubi__exchange_fail_length(most));
    else if (ubi__bytes_append(&upload->block, data, n, ubi_allocator_default()) != UBI_OK)
        ubi__upload_fail(upload, UBI_ENOMEM);
}

enum MHD_Result ubi__http_upload_take(ubi__exchange *e, const char *data, size_t *n) {
    enum MHD_Result result;
    ubi__upload *upload = e->upload;
    size_t n_bytes = *n;
    if (upload_waits(&result, e))
        return result;
    *n = 0;
    upload->n_bytes += n_bytes;
    if (upload->n_bytes > 2 * e->server->most_upload_bytes)
        return MHD_NO;
    if (upload->status != UBI_OK)
        return MHD_YES;
    bytes_keep(e, data, n_bytes);
    if (upload->status == UBI_OK && upload->block.n < BLOCK_BYTES)
        return MHD_YES;
    if (ubi__exchange_announced_bytes(e) == 0)
        ubi__lookout_allow_more(e->server, e->link, upload->block.n / UBI__HTTP_PATIENCE_BYTES);
    ubi__upload_give(&e->server->writer, upload, e);
    return MHD_YES;
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
    if (ubi__exchange_announced_bytes(e) > upload->n_bytes)
        return ubi__fail(UBI_EINVAL, "the upload was cut");
    name_read(name, ubi__http_address_value(&e->address, "name"));
    const ubi__shelf_item item = { upload->path, name, UBI__SHELF_UPLOADED };
    UBI_TRY(ubi__shelf_add(out, e->server->shelf, &item));
    upload->has_file = false; /* it is the shelf's */
    return UBI_OK;
}

static enum MHD_Result upload_reply(ubi__exchange *e) {
    const ubi__shelf_heap *heap = NULL;
    bool is_too_large = e->upload->status == UBI_ELIMIT;
    ubi_status status = upload_shelve(&heap, e);
    ubi__http_upload_drop(e);
    if (status == UBI_OK)
        return ubi__http_heap_created(e, heap);
    return is_too_large ? ubi__reply_error_code(e, UBI__HTTP_TOO_LARGE, status) : ubi__reply_error(e, status);
}

enum MHD_Result ubi__http_upload_end(ubi__exchange *e) {
    enum MHD_Result result;
    ubi__upload *upload = e->upload;
    if (upload_waits(&result, e))
        return result;
    if (upload->status == UBI_OK && !upload->is_whole) {
        upload->is_whole = true;
        ubi__upload_give(&e->server->writer, upload, e);
    }
    return upload_waits(&result, e) ? result : upload_reply(e);
}

void ubi__http_upload_drop(ubi__exchange *e) {
    ubi__upload *upload = e->upload;
    e->upload = NULL;
    if (upload)
        ubi__upload_leave(&e->server->writer, upload);
}
