/* SPDX-License-Identifier: MIT
 *
 * fxs_fields.c: what decoding any message needs: stepping over unknown fields, and saying where something is wrong.
 */
#include <stdarg.h>
#include <stdio.h>

#include "formats/fxsnapshot/fxs_reader.h"

ubi_status ubi__fxs_fail(const ubi__fxs_reader *r, uint64_t offset, const char *format, ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ubi__fail(UBI_EFORMAT, "message %llu at byte %llu: %s", (unsigned long long)r->message,
                     (unsigned long long)offset, text);
}

ubi__fxs_progress ubi__fxs_skip_unknown(ubi__fxs_reader *r, const uint8_t *p, const uint8_t *limit, uint32_t tag,
                                        ubi_status *status) {
    const uint8_t *q = p;
    uint64_t n;
    /* The bytes of an unknown string need not be at hand together, nor at all. */
    if ((tag & 7) == UBI__WIRE_BYTES && tag >> 3 != 0) {
        q = ubi__wire_length(p, &n);
        if (q && q <= limit) {
            r->skip_left = n;
            r->window.at = q;
            return UBI__FXS_ALL_TAKEN;
        }
    }
    q = p;
    switch (ubi__wire_skip_field(&q, limit, tag, UBI__FXS_MAX_NESTING)) {
    case UBI__SKIP_DONE:
        r->window.at = q;
        return UBI__FXS_ALL_TAKEN;
    case UBI__SKIP_SHORT:
        return UBI__FXS_NEED_MORE;
    default:
        *status = ubi__fxs_fail(r, ubi__fxs_window_offset(&r->window, r->window.at),
                                "malformed field %u of wire type %u", tag >> 3, tag & 7);
        return UBI__FXS_FAILED;
    }
}
