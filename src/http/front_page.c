/* SPDX-License-Identifier: MIT
 *
 * front_page.c: what GET / shows, the web page, or what is open, what runs, what could be opened and what can be asked, as plain HTML
 * without script; files of the page; the lists of routes and questions.
 */
#include <stdio.h>
#include <string.h>

#include <ubiheap/extension/ask.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "http/http.h"

/* ---- the front page --------------------------------------------------------------------------------------------------------------------- */

static void question_links_put(ubi__html *h, const ubi__shelf_heap *heap) {
    ubi_session_kind kind = ubi_session_kind_of(heap->session);
    for (const ubi__question *const *q = ubi__questions; *q; q++) {
        char address[160];
        bool is_asked_alone = ubi__question_schema(*q, kind) && (*q)->least_heaps == 1;
        for (const ubi__parameter *p = (*q)->usage->parameters; (p = ubi__parameter_at(p));)
            is_asked_alone &= !(p++)->is_required;
        if (!is_asked_alone)
            continue;
        snprintf(address, sizeof address, "/api/1/heaps/%s/%s?format=page", heap->id, (*q)->usage->name);
        ubi__html_raw(h, " ");
        ubi__html_link(h, address, (*q)->usage->name);
    }
}

static void heap_row_put(ubi__html *h, const ubi__shelf_heap *heap) {
    char address[80], size[UBI__HUMAN_TEXT], fault[UBI__SESSION_FAULT_BYTES];
    bool is_damaged = ubi__session_fault(fault, heap->session);
    snprintf(address, sizeof address, "/api/1/heaps/%s", heap->id);
    ubi__html_raw(h, "<li>");
    ubi__html_link(h, address, heap->name);
    ubi__html_raw(h, ", ");
    ubi__html_raw(h, ubi__human_size(size, heap->size_bytes));
    ubi__html_raw(h, is_damaged ? ", damaged: " : ":");
    ubi__html_text(h, is_damaged ? fault : "");
    if (!is_damaged)
        question_links_put(h, heap);
    ubi__html_raw(h, "</li>\n");
}

static void heap_list_put(ubi__html *h, ubi__shelf *shelf) {
    const ubi__shelf_heap *heap = ubi__shelf_next(shelf, 0), *next;
    ubi__html_raw(h, heap ? "<h2>Open</h2>\n<ul>\n" : "<p>Nothing is open.</p>\n");
    bool is_some = heap != NULL;
    for (; heap; heap = next) {
        heap_row_put(h, heap);
        next = ubi__shelf_next(shelf, heap->number);
        ubi__shelf_heap_unref(heap);
    }
    ubi__html_raw(h, is_some ? "</ul>\n" : "");
}

static void route_links_put(ubi__html *h) {
    ubi__html_raw(h, "<h2>Interface</h2>\n<ul>\n");
    for (const ubi__http_route *r = ubi__http_routes; r->method; r++) {
        bool is_link = strcmp(r->method, "GET") == 0 && !strchr(r->pattern, '{');
        ubi__html_raw(h, "<li>");
        ubi__html_text(h, r->method);
        ubi__html_raw(h, " ");
        if (is_link)
            ubi__html_link(h, r->pattern, r->pattern);
        else
            ubi__html_text(h, r->pattern);
        ubi__html_raw(h, ": ");
        ubi__html_words(h, r->summary);
        ubi__html_raw(h, "</li>\n");
    }
    ubi__html_raw(h, "</ul>\n");
}

static void target_row_put(ubi__html *h, uint64_t number, ubi__live_heap *heap) {
    ubi__live_state state;
    char address[64];
    ubi__live_heap_state(&state, heap);
    snprintf(address, sizeof address, "/api/1/targets/t%llu", (unsigned long long)number);
    ubi__html_raw(h, "<li>");
    ubi__html_link(h, address, ubi__live_heap_name(heap));
    ubi__html_raw(h, ", ");
    ubi__html_text(h, ubi__live_heap_kind(heap));
    ubi__html_raw(h, ", ");
    ubi__html_text(h, state.fault[0] ? state.fault : ubi__live_link_name(state.link));
    ubi__html_raw(h, "</li>\n");
}

static void target_list_put(ubi__html *h, const ubi_http_server *server) {
    ubi__live_heap *heap;
    uint64_t number = 0;
    bool is_some = false;
    while ((heap = ubi__http_target_next(&number, server))) {
        ubi__html_raw(h, is_some ? "" : "<h2>Live</h2>\n<ul>\n");
        is_some = true;
        target_row_put(h, number, heap);
        ubi__live_heap_unref(heap);
    }
    ubi__html_raw(h, is_some ? "</ul>\n" : "");
}

static void file_row_put(ubi__html *h, const ubi__beneath_row *row) {
    char size[UBI__HUMAN_TEXT];
    ubi__html_raw(h, "<li><code>");
    ubi__html_text(h, row->path);
    ubi__html_raw(h, "</code>, ");
    ubi__html_text(h, row->what);
    ubi__html_raw(h, ", ");
    ubi__html_raw(h, ubi__human_size(size, row->size_bytes));
    ubi__html_raw(h, "</li>\n");
}

/* Reads the beginnings of many files. */
static ubi_status file_list_put(ubi__html *h, const ubi__shelf *shelf) {
    ubi__beneath_rows rows = { 0 };
    bool was_cut = false;
    if (ubi__shelf_root_count(shelf) == 0)
        return UBI_OK;
    ubi_status status = ubi__shelf_list_files(&rows, &was_cut, shelf, ubi_allocator_default());
    ubi__html_raw(h, "<h2>Can be opened</h2>\n");
    ubi__html_raw(h, "<p>");
    ubi__html_words(h, rows.n ? "By `POST /api/1/heaps` with the path in JSON, `{\"path\": \"...\"}`."
                              : "There is nothing that ubiheap opens below the folders of `--root`.");
    ubi__html_raw(h, "</p>\n<ul>\n");
    for (size_t i = 0; i < rows.n; i++)
        file_row_put(h, &rows.at[i]);
    ubi__html_raw(h, was_cut ? "<li>and more</li>\n</ul>\n" : "</ul>\n");
    ubi__beneath_rows_free(&rows, ubi_allocator_default());
    return status;
}

static void page_hint_put(ubi__html *h) {
    if (!ubi__page_file_find("/"))
        ubi__html_raw(h,
                      "<p>This program was built without its web page; <code>make</code> builds it where Node.js and "
                      "npm are.</p>\n");
}

static ubi_status front_write(ubi__vec_u8 *out, void *payload, const ubi_progress *progress) {
    const ubi_http_server *server = payload;
    ubi__html h = { .has_failed = false };
    (void)progress;
    ubi__html_begin(&h, "ubiheap " UBI_VERSION_STRING);
    page_hint_put(&h);
    heap_list_put(&h, server->shelf);
    target_list_put(&h, server);
    ubi_status status = file_list_put(&h, server->shelf);
    route_links_put(&h);
    ubi__html_end(&h);
    *out = h.bytes;
    return h.has_failed ? ubi__fail_nomem() : status;
}

/* Folders are looked through by another thread than that of all connections. */
static enum MHD_Result plain_front_reply(ubi__exchange *e) {
    const ubi__desk_errand errand = { "front page", front_write, NULL, e->server };
    ubi__vec_u8 html = { 0 };
    if (ubi__shelf_root_count(e->server->shelf))
        return ubi__http_errand_now(e, &errand);
    ubi_status status = front_write(&html, e->server, NULL);
    if (status == UBI_OK)
        return ubi__reply_page(e, &html);
    ubi__vec_u8_fini(&html, ubi_allocator_default());
    return ubi__reply_error(e, status);
}

enum MHD_Result ubi__http_front(ubi__exchange *e) {
    const ubi__page_file *page = ubi__exchange_is_of_browser(e) ? ubi__page_file_find("/") : NULL;
    return page ? ubi__reply_page_file(e, page) : plain_front_reply(e);
}

enum MHD_Result ubi__http_page_file(ubi__exchange *e) {
    char path[128];
    int n = snprintf(path, sizeof path, "/assets/%s", ubi__exchange_name(e, 1));
    const ubi__page_file *file = n > 0 && (size_t)n < sizeof path ? ubi__page_file_find(path) : NULL;
    if (file)
        return ubi__reply_page_file(e, file);
    return ubi__reply_error(e, ubi__fail(UBI_ENOTFOUND, "the page has no such file"));
}

/* ---- lists of what can be asked -------------------------------------------------------------------------------------------------------- */

static void routes_put(ubi__json *json, const void *payload) {
    (void)payload;
    ubi__json_member_string(json, "version", UBI_VERSION_STRING);
    ubi__json_member_array(json, "routes");
    for (const ubi__http_route *r = ubi__http_routes; r->method; r++) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "method", r->method);
        ubi__json_member_string(json, "path", r->pattern);
        if (r->query)
            ubi__json_member_string(json, "query", r->query);
        ubi__json_member_string(json, "answer", r->answer);
        ubi__json_member_string(json, "summary", r->summary);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

enum MHD_Result ubi__http_routes_list(ubi__exchange *e) {
    return ubi__http_document_reply(e, MHD_HTTP_OK, "ubiheap.routes/1", routes_put, NULL, NULL);
}

enum MHD_Result ubi__http_questions(ubi__exchange *e) {
    ubi__vec_u8 document = { 0 };
    if (ubi_questions(ubi__http_bytes_write, &document) == UBI_OK)
        return ubi__reply_document(e, MHD_HTTP_OK, &document, NULL);
    ubi__vec_u8_fini(&document, ubi_allocator_default());
    return ubi__reply_error(e, ubi__fail_nomem());
}
