/* SPDX-License-Identifier: MIT
 *
 * out.c: buffered text output.
 */
#include "render/out.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/status.h"

void ubi__out_init(ubi__out *out, ubi_write_fn write, void *payload) {
    out->write = write;
    out->payload = payload;
    out->failed = false;
    out->n = 0;
}

static void out_drain(ubi__out *out) {
    if (out->n && !out->failed && !out->write(out->payload, out->buffer, out->n))
        out->failed = true;
    out->n = 0;
}

ubi_status ubi__out_flush(ubi__out *out) {
    out_drain(out);
    return out->failed ? ubi__fail(UBI_EIO, "cannot write the output") : UBI_OK;
}

void ubi__out_bytes(ubi__out *out, const void *data, size_t n) {
    const char *from = data;
    UBI_ASSERT(out->n <= UBI__OUT_BUFFER);
    while (n > 0) {
        if (out->n == UBI__OUT_BUFFER)
            out_drain(out);
        size_t room = UBI__OUT_BUFFER - out->n;
        size_t part = n < room ? n : room;
        memcpy(out->buffer + out->n, from, part);
        out->n += part;
        from += part;
        n -= part;
    }
}

void ubi__out_repeat(ubi__out *out, const char *s, size_t times) {
    for (size_t i = 0; i < times; i++)
        ubi__out_string(out, s);
}

void ubi__out_u64(ubi__out *out, uint64_t value) {
    char digits[20];
    char *start = digits + sizeof digits;
    do {
        *--start = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    ubi__out_bytes(out, start, (size_t)(digits + sizeof digits - start));
}

void ubi__out_printf(ubi__out *out, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        ubi__out_bytes(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

bool ubi__out_write(void *payload, const void *data, size_t n) {
    ubi__out *out = payload;
    ubi__out_bytes(out, data, n);
    return !out->failed;
}
