/* SPDX-License-Identifier: MIT
 *
 * wire.c: stepping over unknown fields (wire.h).
 */
#include "formats/fxsnapshot/wire.h"

#include "formats/fxsnapshot/fxs_reader.h"

/* A field that is no group. */
static ubi__wire_skip skip_plain(const uint8_t **p, const uint8_t *limit, uint32_t tag) {
    const uint8_t *q = *p;
    uint64_t n = 0;
    switch (tag & 7) {
    case UBI__WIRE_VARINT:
        q = ubi__wire_varint(q, &n);
        n = 0;
        break;
    case UBI__WIRE_FIXED64:
        n = 8;
        break;
    case UBI__WIRE_FIXED32:
        n = 4;
        break;
    case UBI__WIRE_BYTES:
        q = ubi__wire_length(q, &n);
        break;
    default:
        return UBI__SKIP_BAD;
    }
    if (!q) /* too long a number: bad, unless it merely looks so because bytes are missing */
        return limit - *p < 10 ? UBI__SKIP_SHORT : UBI__SKIP_BAD;
    if (q > limit || n > (uint64_t)(limit - q))
        return UBI__SKIP_SHORT;
    *p = q + n;
    return UBI__SKIP_DONE;
}

ubi__wire_skip ubi__wire_skip_field(const uint8_t **p, const uint8_t *limit, uint32_t tag, unsigned levels) {
    uint32_t open[UBI__FXS_MAX_NESTING]; /* field numbers of the groups that are open */
    unsigned depth = 0;
    const uint8_t *q = *p;
    for (;;) {
        uint32_t field = tag >> 3, wire = tag & 7;
        if (field == 0)
            return UBI__SKIP_BAD;
        if (wire == UBI__WIRE_GROUP) {
            if (depth >= levels)
                return UBI__SKIP_BAD;
            open[depth++] = field;
        } else if (wire == UBI__WIRE_GROUP_END) {
            if (depth == 0 || open[--depth] != field)
                return UBI__SKIP_BAD;
        } else {
            ubi__wire_skip skipped = skip_plain(&q, limit, tag);
            if (skipped != UBI__SKIP_DONE)
                return skipped;
        }
        if (depth == 0)
            break;
        const uint8_t *after = q < limit ? ubi__wire_tag(q, &tag) : limit + 1;
        if (!after)
            return limit - q < 5 ? UBI__SKIP_SHORT : UBI__SKIP_BAD;
        if (after > limit)
            return UBI__SKIP_SHORT;
        q = after;
    }
    *p = q;
    return UBI__SKIP_DONE;
}
