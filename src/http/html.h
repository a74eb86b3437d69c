/* SPDX-License-Identifier: MIT
 *
 * html.h: pages of HTML that need neither script nor token: the plain front page, and errors for people who look with a browser.
 */
#ifndef UBI_HTTP_HTML_H
#define UBI_HTTP_HTML_H

#include <stdbool.h>

#include "base/alloc.h"
#include "http/request.h"

/** A page that is being written. All zeroes: empty. */
typedef struct ubi__html {
    ubi__vec_u8 bytes; /**< of the default allocator */
    bool has_failed;   /**< there was no memory for some of it; stays */
} ubi__html;

/** What a browser may load for such a page: its style, which is in it. */
#define UBI__HTML_POLICY                                                                                               \
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src "                      \
    "'sha256-ljHoy80N+cwSGi6H/6msAKFMudMaIvhAQVyioGQb1to='"

/** The head, and the title as the first line. */
void ubi__html_begin(ubi__html *h, const char *title);
void ubi__html_end(ubi__html *h);
/** HTML of ours, as it is. */
void ubi__html_raw(ubi__html *h, const char *html);
/** Any text, such as a name: none of it is taken for HTML. */
void ubi__html_text(ubi__html *h, const char *text);
/** A text of ours: what is between backticks is code. */
void ubi__html_words(ubi__html *h, const char *words);
void ubi__html_link(ubi__html *h, const char *address, const char *text);

/**
 * Writes the page of an error: what is wrong, and what to do about it.
 * @param message  in the words of who found it. False: there is no memory, and nothing is left.
 */
bool ubi__html_error(ubi__vec_u8 *out, unsigned code, const char *message);

#endif
