/* SPDX-License-Identifier: MIT
 *
 * front_page.c: what GET / shows, the web page, or what is open and what can be asked, as plain HTML without style or script; files of the
 * page; the lists of routes and questions.
 */
#include <stdio.h>
#include <string.h>

#include <ubiheap/extension/ask.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "http/http.h"

/* ---- text of HTML ------------------------------------------------------------------------------------------------------------------- */

/* `failed` sticks. */
typedef struct html {
    ubi__vec_u8 bytes;
    bool has_failed;
} html;

static void raw_put(html *h, const char *text) {
    h->has_failed |= !ubi__http_bytes_write(&h->bytes, text, strlen(text));
}

static void character_put(html *h, char c) {
    const char piece[2] = { c, '\0' };
    switch (c) {
    case '<':
        raw_put(h, "&lt;");
        break;
    case '>':
        raw_put(h, "&gt;");
        break;
    case '&':
        raw_put(h, "&amp;");
        break;
    case '"':
        raw_put(h, "&quot;");
        break;
    default:
        raw_put(h, piece);
    }
}

/* Names of files are hostile. */
static void text_put(html *h, const char *text) {
    for (; *text; text++)
        character_put(h, *text);
}

/* A text of ours: what is between backticks is code. */
static void words_put(html *h, const char *words) {
    bool is_code = false;
    for (; *words; words++) {
        if (*words != '`') {
            character_put(h, *words);
            continue;
        }
        is_code = !is_code;
        raw_put(h, is_code ? "<code>" : "</code>");
    }
}

static void link_put(html *h, const char *address, const char *text) {
    raw_put(h, "<a href=\"");
    text_put(h, address);
    raw_put(h, "\">");
    text_put(h, text);
    raw_put(h, "</a>");
}

/* ---- the front page --------------------------------------------------------------------------------------------------------------------- */

static void question_links_put(html *h, const ubi__shelf_heap *heap) {
    ubi_session_kind kind = ubi_session_kind_of(heap->session);
    for (const ubi__question *const *q = ubi__questions; *q; q++) {
        char address[160];
        bool is_asked_alone = ubi__question_schema(*q, kind) && (*q)->least_heaps == 1;
        for (const ubi__parameter *p = (*q)->usage->parameters; (p = ubi__parameter_at(p));)
            is_asked_alone &= !(p++)->is_required;
        if (!is_asked_alone)
            continue;
        snprintf(address, sizeof address, "/api/1/heaps/%s/%s?format=page", heap->id, (*q)->usage->name);
        raw_put(h, " ");
        link_put(h, address, (*q)->usage->name);
    }
}

static void heap_row_put(html *h, const ubi__shelf_heap *heap) {
    char address[80], size[UBI__HUMAN_TEXT];
    snprintf(address, sizeof address, "/api/1/heaps/%s", heap->id);
    raw_put(h, "<li>");
    link_put(h, address, heap->name);
    raw_put(h, ", ");
    raw_put(h, ubi__human_size(size, heap->size_bytes));
    raw_put(h, ":");
    question_links_put(h, heap);
    raw_put(h, "</li>\n");
}

static void heap_list_put(html *h, ubi__shelf *shelf) {
    const ubi__shelf_heap *heap = ubi__shelf_next(shelf, 0), *next;
    raw_put(h, heap ? "<h2>Open</h2>\n<ul>\n" : "<p>Nothing is open.</p>\n");
    bool is_some = heap != NULL;
    for (; heap; heap = next) {
        heap_row_put(h, heap);
        next = ubi__shelf_next(shelf, heap->number);
        ubi__shelf_heap_unref(heap);
    }
    raw_put(h, is_some ? "</ul>\n" : "");
}

static void route_links_put(html *h) {
    raw_put(h, "<h2>Interface</h2>\n<ul>\n");
    for (const ubi__http_route *r = ubi__http_routes; r->method; r++) {
        bool is_link = strcmp(r->method, "GET") == 0 && !strchr(r->pattern, '{');
        raw_put(h, "<li>");
        text_put(h, r->method);
        raw_put(h, " ");
        if (is_link)
            link_put(h, r->pattern, r->pattern);
        else
            text_put(h, r->pattern);
        raw_put(h, ": ");
        words_put(h, r->summary);
        raw_put(h, "</li>\n");
    }
    raw_put(h, "</ul>\n");
}

static void page_hint_put(html *h) {
    if (!ubi__page_file_find("/"))
        raw_put(h, "<p>This program was built without its web page; <code>make</code> builds it where Node.js and npm "
                   "are.</p>\n");
}

static enum MHD_Result plain_front_reply(ubi__exchange *e) {
    html h = { .has_failed = false };
    raw_put(&h, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ubiheap</title></head><body>\n"
                "<h1>ubiheap " UBI_VERSION_STRING "</h1>\n");
    page_hint_put(&h);
    heap_list_put(&h, e->server->shelf);
    route_links_put(&h);
    raw_put(&h, "</body></html>\n");
    if (!h.has_failed)
        return ubi__reply_page(e, &h.bytes);
    ubi__vec_u8_fini(&h.bytes, ubi_allocator_default());
    return ubi__reply_error(e, ubi__fail_nomem());
}

/* Browsers ask for HTML by name; curl does not. */
enum MHD_Result ubi__http_front(ubi__exchange *e) {
    const char *accept = ubi__exchange_header(e, MHD_HTTP_HEADER_ACCEPT);
    const ubi__page_file *page = accept && strstr(accept, "text/html") ? ubi__page_file_find("/") : NULL;
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
