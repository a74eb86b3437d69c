/* SPDX-License-Identifier: MIT
 *
 * heap_routes.c: what is open, and what could be; opening, closing, downloading.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- documents ------------------------------------------------------------------------------------------------------------------- */

static void heap_put(ubi__json *json, const void *payload) {
    const ubi__shelf_heap *heap = payload;
    char address[80], fault[UBI__SESSION_FAULT_BYTES];
    ubi__json_member_string(json, "id", heap->id);
    ubi__json_member_string(json, "name", heap->name);
    ubi__json_member_string(json, "kind", ubi__session_kind_name(ubi_session_kind_of(heap->session)));
    if (heap->what)
        ubi__json_member_string(json, "what", heap->what);
    if (ubi__session_fault(fault, heap->session))
        ubi__json_member_string(json, "fault", fault);
    ubi__json_member_string(json, "origin", ubi__shelf_origin_name(heap->origin));
    ubi__json_member_u64(json, "size", heap->size_bytes);
    snprintf(address, sizeof address, "/api/1/heaps/%s", heap->id);
    ubi__json_member_string(json, "self", address);
    snprintf(address, sizeof address, "/api/1/heaps/%s/file", heap->id);
    ubi__json_member_string(json, "file", address);
}

static void heaps_put(ubi__json *json, const void *payload) {
    const ubi__exchange *e = payload;
    char number[17];
    snprintf(number, sizeof number, "%016llx", (unsigned long long)e->server->nonce);
    ubi__json_member_string(json, "server", number);
    ubi__json_member_array(json, "heaps");
    for (const ubi__shelf_heap *heap = ubi__shelf_next(e->server->shelf, 0), *next; heap; heap = next) {
        ubi__json_object_begin(json);
        heap_put(json, heap);
        ubi__json_object_end(json);
        next = ubi__shelf_next(e->server->shelf, heap->number);
        ubi__shelf_heap_unref(heap);
    }
    ubi__json_array_end(json);
}

ubi_status ubi__http_heap_document(ubi__vec_u8 *out, const ubi__shelf_heap *heap) {
    return ubi__http_document(out, "ubiheap.heap/1", heap_put, heap);
}

enum MHD_Result ubi__http_heaps(ubi__exchange *e) {
    return ubi__http_document_reply(e, MHD_HTTP_OK, "ubiheap.heaps/1", heaps_put, e, NULL);
}

static ubi_status heap_get(ubi__exchange *e) {
    UBI_TRY(ubi__shelf_get(&e->heaps[0], e->server->shelf, ubi__exchange_name(e, 3)));
    e->n_heaps = 1;
    return UBI_OK;
}

enum MHD_Result ubi__http_heap(ubi__exchange *e) {
    ubi_status status = heap_get(e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    return ubi__http_document_reply(e, MHD_HTTP_OK, "ubiheap.heap/1", heap_put, e->heaps[0], NULL);
}

/* ---- opening and closing ------------------------------------------------------------------------------------------------------------ */

enum MHD_Result ubi__http_heap_created(ubi__exchange *e, const ubi__shelf_heap *heap) {
    char location[80];
    e->heaps[0] = heap;
    e->n_heaps = 1;
    snprintf(location, sizeof location, "/api/1/heaps/%s", heap->id);
    return ubi__http_document_reply(e, MHD_HTTP_CREATED, "ubiheap.heap/1", heap_put, heap, location);
}

/* The one member of the body, which is JSON: "path", or "again", the id of one that is open. */
static ubi_status path_read(ubi__vec_u8 *out, bool *is_again, const ubi__exchange *e) {
    ubi_text body = { (const char *)e->body.at, e->body.n }, text = { NULL, 0 };
    ubi__json_cursor c;
    ubi__json_value whole, key, value, path = { .type = UBI__JSON_NULL };
    if (!body.len || !ubi__json_value_whole(&c, &whole, body) || whole.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EINVAL, "expected a JSON object such as {\"path\": \"app.heapsnapshot\"}");
    ubi__json_cursor_open(&c, body, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        *is_again = ubi__json_value_is(&key, "again");
        if ((!*is_again && !ubi__json_value_is(&key, "path")) || path.type != UBI__JSON_NULL)
            return ubi__fail(UBI_EINVAL, "there is no member '%.*s', but one of path and again",
                             (int)(key.raw.len < 40 ? key.raw.len : 40), key.raw.ptr);
        path = value;
    }
    if (path.type != UBI__JSON_STRING)
        return ubi__fail(UBI_EINVAL, "path: expected a string");
    UBI_TRY(ubi__json_value_text(&text, &path, out, memory()));
    if (memchr(text.len ? text.ptr : "", 0, text.len))
        return ubi__fail(UBI_EINVAL, "path: expected a text without a zero in it");
    ubi__vec_u8 ended = { 0 };
    if (!ubi__http_bytes_write(&ended, text.ptr, text.len) || !ubi__http_bytes_write(&ended, "", 1)) {
        ubi__vec_u8_fini(&ended, memory());
        return ubi__fail_nomem();
    }
    ubi__vec_u8_fini(out, memory());
    *out = ended;
    return UBI_OK;
}

enum MHD_Result ubi__http_heap_open(ubi__exchange *e) {
    const ubi__shelf_heap *heap = NULL;
    ubi__vec_u8 path = { 0 };
    bool is_again = false;
    ubi_status status = path_read(&path, &is_again, e);
    if (status == UBI_OK)
        status = (is_again ? ubi__shelf_open_again : ubi__shelf_open)(&heap, e->server->shelf, (const char *)path.at);
    ubi__vec_u8_fini(&path, memory());
    return status == UBI_OK ? ubi__http_heap_created(e, heap) : ubi__reply_error(e, status);
}

enum MHD_Result ubi__http_heap_close(ubi__exchange *e) {
    ubi_status status = heap_get(e);
    if (status == UBI_OK)
        status = ubi__shelf_remove(e->server->shelf, e->heaps[0]->id);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    ubi__desk_forget(e->server->desk, e->heaps[0]->session);
    return ubi__reply_empty(e, MHD_HTTP_NO_CONTENT);
}

/* ---- files below the folders ---------------------------------------------------------------------------------------------------------- */

typedef struct listing {
    ubi__beneath_rows rows;
    bool was_cut;
} listing;

static void listing_put(ubi__json *json, const void *payload) {
    const listing *l = payload;
    ubi__json_member_bool(json, "isComplete", !l->was_cut);
    ubi__json_member_array(json, "files");
    for (size_t i = 0; i < l->rows.n; i++) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "path", l->rows.at[i].path);
        ubi__json_member_string(json, "what", l->rows.at[i].what);
        ubi__json_member_u64(json, "size", l->rows.at[i].size_bytes);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

/* Reads the beginnings of many files. */
static ubi_status listing_perform(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    listing l = { .was_cut = false };
    (void)progress;
    ubi_status status = ubi__shelf_list_files(&l.rows, &l.was_cut, payload, memory());
    if (status == UBI_OK)
        status = ubi__http_document(answer, "ubiheap.files/1", listing_put, &l);
    ubi__beneath_rows_free(&l.rows, memory());
    return status;
}

enum MHD_Result ubi__http_files(ubi__exchange *e) {
    const ubi__desk_errand errand = { "files", listing_perform, NULL, e->server->shelf };
    return ubi__http_errand(e, &errand);
}

/* ---- downloads --------------------------------------------------------------------------------------------------------------------------- */

/* Opens the file that the heap is of, and no other that has its name now. */
static ubi_status file_open(int *out, uint64_t *size, const ubi__exchange *e) {
    const ubi__shelf_heap *heap = e->heaps[0];
    uint64_t identity[UBI__SESSION_IDENTITY_WORDS];
    struct stat about;
    int fd = open(heap->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return ubi__fail_errno(errno, "%s cannot be opened", heap->name);
    if (fstat(fd, &about) != 0 || !ubi__session_identity(identity, heap->session) || identity[0] != about.st_dev ||
        identity[1] != about.st_ino || identity[2] != (uint64_t)about.st_size ||
        identity[3] != (uint64_t)about.st_mtim.tv_sec || identity[4] != (uint64_t)about.st_mtim.tv_nsec) {
        close(fd);
        return ubi__fail(UBI_EMISMATCH, "%s has changed since it was opened", heap->name);
    }
    *out = fd;
    *size = (uint64_t)about.st_size;
    return UBI_OK;
}

/* Letters, digits and what is harmless in a name. */
static void disposition_add(struct MHD_Response *response, const char *name) {
    char value[160] = "attachment; filename=\"";
    size_t n = strlen(value);
    ubi_text base = ubi__text_base_name(ubi__text(name));
    for (size_t i = 0; i < base.len && n < sizeof value - 2; i++) {
        char c = base.ptr[i];
        bool is_plain = ubi__is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr(".-_", c);
        value[n++] = is_plain ? c : '_';
    }
    value[n] = '"';
    value[n + 1] = '\0';
    ubi__reply_header(response, "Content-Disposition", value);
}

static enum MHD_Result beyond_reply(ubi__exchange *e, uint64_t size) {
    char all[48];
    snprintf(all, sizeof all, "bytes */%llu", (unsigned long long)size);
    ubi_status status =
        ubi__fail(UBI_EINVAL, "the file has %llu bytes, and none of that range", (unsigned long long)size);
    return ubi__reply_error_header(e, MHD_HTTP_RANGE_NOT_SATISFIABLE, status, MHD_HTTP_HEADER_CONTENT_RANGE, all);
}

/* Takes the descriptor. */
static enum MHD_Result file_reply(ubi__exchange *e, int fd, uint64_t size, const ubi__http_range *range,
                                  const char *tag) {
    char text[80];
    ubi__lookout_allow(e->server, e->link,
                       UBI__HTTP_PATIENCE_MS + (range->end - range->begin) / UBI__HTTP_PATIENCE_BYTES);
    struct MHD_Response *response =
        ubi__mhd.MHD_create_response_from_fd_at_offset64(range->end - range->begin, fd, range->begin);
    if (!response) {
        close(fd);
        return ubi__reply_no_memory(e);
    }
    snprintf(text, sizeof text, "bytes %llu-%llu/%llu", (unsigned long long)range->begin,
             (unsigned long long)range->end - 1, (unsigned long long)size);
    if (range->is_given)
        ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_RANGE, text);
    ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/octet-stream");
    ubi__reply_header(response, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
    ubi__reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "private, no-cache");
    ubi__reply_header(response, MHD_HTTP_HEADER_ETAG, tag);
    disposition_add(response, e->heaps[0]->name);
    return ubi__reply_send(e, range->is_given ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK, response);
}

/* A range of another version than the client has the rest of is not asked for. */
static const char *range_header(const ubi__exchange *e, const char *tag) {
    const char *only_if = ubi__exchange_header(e, MHD_HTTP_HEADER_IF_RANGE);
    return only_if && strcmp(only_if, tag) != 0 ? NULL : ubi__exchange_header(e, MHD_HTTP_HEADER_RANGE);
}

enum MHD_Result ubi__http_heap_file(ubi__exchange *e) {
    char tag[UBI__HTTP_TAG_BYTES];
    uint64_t size = 0;
    int fd = -1;
    ubi_status status = heap_get(e);
    if (status == UBI_OK)
        status = file_open(&fd, &size, e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    ubi__http_file_tag(tag, e);
    ubi__http_range range = ubi__http_range_read(range_header(e, tag), size);
    bool is_unchanged = ubi__http_tag_matches(ubi__exchange_header(e, MHD_HTTP_HEADER_IF_NONE_MATCH), tag);
    if (!is_unchanged && !range.is_beyond)
        return file_reply(e, fd, size, &range, tag);
    close(fd);
    return is_unchanged ? ubi__reply_unchanged(e, tag) : beyond_reply(e, size);
}
