/* SPDX-License-Identifier: MIT
 *
 * html.c: see html.h.
 */
#include "http/html.h"

#include <string.h>

#include "base/text.h"

/* Its hash is in UBI__HTML_POLICY; a test compares them. */
#define STYLE                                                                                                          \
    ":root{color-scheme:light dark}body{max-width:46rem;margin:10vh auto 3rem;padding:0 "                              \
    "1.5rem;font:16px/1.55 system-ui,sans-serif}h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.1rem;"             \
    "margin-top:2rem}li{margin:.3rem 0}code{font-family:ui-monospace,monospace;font-size:.95em}.message{"              \
    "border-left:3px solid #c33;padding-left:.8rem}"

/* ---- text ------------------------------------------------------------------------------------------------------------- */

void ubi__html_raw(ubi__html *h, const char *html) {
    h->has_failed |= ubi__bytes_append(&h->bytes, html, strlen(html), ubi_allocator_default()) != UBI_OK;
}

static void html_character(ubi__html *h, char c) {
    const char piece[2] = { c, '\0' };
    switch (c) {
    case '<':
        ubi__html_raw(h, "&lt;");
        break;
    case '>':
        ubi__html_raw(h, "&gt;");
        break;
    case '&':
        ubi__html_raw(h, "&amp;");
        break;
    case '"':
        ubi__html_raw(h, "&quot;");
        break;
    default:
        ubi__html_raw(h, piece);
    }
}

void ubi__html_text(ubi__html *h, const char *text) {
    for (; *text; text++)
        html_character(h, *text);
}

void ubi__html_words(ubi__html *h, const char *words) {
    bool is_code = false;
    for (; *words; words++) {
        if (*words != '`') {
            html_character(h, *words);
            continue;
        }
        is_code = !is_code;
        ubi__html_raw(h, is_code ? "<code>" : "</code>");
    }
}

void ubi__html_link(ubi__html *h, const char *address, const char *text) {
    ubi__html_raw(h, "<a href=\"");
    ubi__html_text(h, address);
    ubi__html_raw(h, "\">");
    ubi__html_text(h, text);
    ubi__html_raw(h, "</a>");
}

void ubi__html_begin(ubi__html *h, const char *title) {
    ubi__html_raw(h,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width\"><title>ubiheap</title><style>" STYLE "</style></head><body>\n<h1>");
    ubi__html_text(h, title);
    ubi__html_raw(h, "</h1>\n");
}

void ubi__html_end(ubi__html *h) {
    ubi__html_raw(h, "</body></html>\n");
}

/* ---- errors ----------------------------------------------------------------------------------------------------------- */

typedef struct error_words {
    unsigned code;
    bool is_outside; /* who gets it has no way in: there is nothing to link to, and the words say what is wrong */
    const char *title, *advice, *more; /* NULL: none */
} error_words;

#define COPY_ADDRESS "Copy the whole address that ubiheap has printed, from the terminal where it runs"

/* Ended by that of all others. */
static const error_words errors[] = {
    { 401, true, "This address needs its token",
      COPY_ADDRESS
      ": it ends in `?token=` and 32 digits. The browser keeps the token then, and the page takes it out of "
      "the address.",
      "If you have been here before, ubiheap was started again and has another token now. `ubiheap serve --token-file "
      "FILE` has the same each time." },
    { 403, true, "This is not the address of ubiheap", COPY_ADDRESS ". Other names of this machine are refused.",
      NULL },
    { 404, false, "This is not here", "It may have been closed, or ubiheap was started again.", NULL },
    { 503, false, "ubiheap is busy", "Load this address again in a moment.", NULL },
    { .title = "That did not work" },
};

static const error_words *error_words_of(unsigned code) {
    const error_words *words = errors;
    while (words->code && words->code != code)
        words++;
    return words;
}

static void html_advice(ubi__html *h, const char *words) {
    if (!words)
        return;
    ubi__html_raw(h, "<p>");
    ubi__html_words(h, words);
    ubi__html_raw(h, "</p>\n");
}

static void html_message(ubi__html *h, const char *message) {
    ubi__html_raw(h, "<p class=\"message\">");
    ubi__html_text(h, message);
    ubi__html_raw(h, ".</p>\n");
}

bool ubi__html_error(ubi__vec_u8 *out, unsigned code, const char *message) {
    const error_words *words = error_words_of(code);
    ubi__html h = { .has_failed = false };
    ubi__html_begin(&h, words->title);
    if (!words->is_outside)
        html_message(&h, message);
    html_advice(&h, words->advice);
    html_advice(&h, words->more);
    if (!words->is_outside)
        ubi__html_raw(&h, "<p><a href=\"/\">Go to the front page</a></p>\n");
    ubi__html_end(&h);
    *out = h.bytes;
    if (h.has_failed)
        ubi__vec_u8_fini(out, ubi_allocator_default());
    return !h.has_failed;
}
