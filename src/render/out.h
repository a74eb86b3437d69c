/* SPDX-License-Identifier: MIT
 *
 * out.h: buffered text output over a ubi_write_fn.
 *
 * The first refused write sticks: everything after it is dropped, and ubi__out_flush tells. Hot paths check
 * `failed` now and then and stop early.
 */
#ifndef UBI_RENDER_OUT_H
#define UBI_RENDER_OUT_H

#include <string.h>

#include <ubiheap/core/base.h>
#include <ubiheap/views/render.h>

#define UBI__OUT_BUFFER (64 * 1024)

typedef struct ubi__out {
    ubi_write_fn write;
    void *payload;
    bool failed;
    size_t n;
    char buffer[UBI__OUT_BUFFER];
} ubi__out;

void ubi__out_init(ubi__out *out, ubi_write_fn write, void *payload);
/** UBI_OK, or UBI_EIO when any write was refused. */
ubi_status ubi__out_flush(ubi__out *out);

void ubi__out_bytes(ubi__out *out, const void *data, size_t n);
static inline void ubi__out_char(ubi__out *out, char c) {
    if (out->n == UBI__OUT_BUFFER)
        ubi__out_bytes(out, &c, 1);
    else
        out->buffer[out->n++] = c;
}
static inline void ubi__out_string(ubi__out *out, const char *s) {
    ubi__out_bytes(out, s, strlen(s));
}
void ubi__out_repeat(ubi__out *out, const char *s, size_t times);
void ubi__out_u64(ubi__out *out, uint64_t value);
void ubi__out_printf(ubi__out *out, const char *format, ...) UBI_PRINTF(2, 3);

/** A ubi_write_fn whose payload is a ubi__out, for writers on top of one. */
bool ubi__out_write(void *out, const void *data, size_t n);

#endif
