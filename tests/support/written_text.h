/* SPDX-License-Identifier: MIT
 *
 * written_text.h: what a ubi_write_fn got, for tests.
 */
#ifndef UBI_TESTS_WRITTEN_TEXT_H
#define UBI_TESTS_WRITTEN_TEXT_H

#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

typedef struct text {
    ubi__vec_u8 bytes;
    size_t room; /* the write that would exceed it is refused */
} text;

static inline bool text_write(void *payload, const void *data, size_t n) {
    text *t = payload;
    if (t->bytes.n + n > t->room)
        return false;
    assert_int_equal(ubi__vec_u8_reserve(&t->bytes, ubi_allocator_default(), n), UBI_OK);
    memcpy(t->bytes.at + t->bytes.n, data, n);
    t->bytes.n += n;
    return true;
}

/* Of its lines, in characters: bytes that continue one do not count. */
static inline size_t text_longest_line(const text *t) {
    size_t longest = 0, at = 0;
    for (size_t i = 0; i < t->bytes.n; i++)
        if (t->bytes.at[i] == '\n') {
            longest = at > longest ? at : longest;
            at = 0;
        } else {
            at += (t->bytes.at[i] & 0xc0) != 0x80;
        }
    return longest;
}

static inline void text_fini(text *t) {
    ubi__vec_u8_fini(&t->bytes, ubi_allocator_default());
}

#endif
