/* SPDX-License-Identifier: MIT
 *
 * capture_test.h: what a renderer wrote, for its test.
 */
#ifndef UBI_RENDER_CAPTURE_TEST_H
#define UBI_RENDER_CAPTURE_TEST_H

#include <stdlib.h>
#include <string.h>

#include "render/display.h"

typedef struct capture {
    ubi__out out;
    char data[1 << 18];
    size_t n;
} capture;

static inline bool capture_take(void *payload, const void *data, size_t n) {
    capture *c = payload;
    if (n >= sizeof c->data - c->n)
        abort();
    memcpy(c->data + c->n, data, n);
    c->n += n;
    c->data[c->n] = 0;
    return true;
}

/** Ready for writing to; forgets what it had. */
static inline ubi__out *capture_start(capture *c) {
    c->n = 0;
    c->data[0] = 0;
    ubi__out_init(&c->out, capture_take, c);
    return &c->out;
}

/** All that was written. */
static inline const char *capture_text(capture *c) {
    if (ubi__out_flush(&c->out) != UBI_OK)
        abort();
    return c->data;
}

#endif
