/* SPDX-License-Identifier: MIT
 *
 * deflate.c: gzip output by ISA-L.
 *
 * ISA-L works on 32-bit counts, so input is fed in pieces. Its stream state and the work area of its level are the
 * only memory beside one output buffer, which is handed on when full: at every return from isal_deflate there is room
 * again.
 */
#include "base/deflate.h"

#include <isa-l/igzip_lib.h>

#include "base/alloc.h"

#define OUTPUT_BYTES (64 * 1024)
#define INPUT_PIECE_BYTES (1u << 30)

struct ubi__deflate {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    uint64_t bytes_out;
    uint8_t *work; /* work[work_bytes], what the level asks for */
    size_t work_bytes;
    struct isal_zstream stream;
    uint8_t output[OUTPUT_BYTES];
};

static const size_t work_bytes_of_level[UBI__DEFLATE_LEVEL_MAX + 1] = { ISAL_DEF_LVL0_DEFAULT, ISAL_DEF_LVL1_DEFAULT,
                                                                        ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT };

ubi_status ubi__deflate_new(ubi__deflate **out, int level, ubi__write_fn write, void *payload,
                            const ubi_allocator *allocator) {
    if (level < 0 || level > UBI__DEFLATE_LEVEL_MAX)
        return ubi__fail(UBI_EINVAL, "compression level %d: expected 0 to %d", level, UBI__DEFLATE_LEVEL_MAX);
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__deflate *d = UBI_NEW(a, ubi__deflate);
    if (!d)
        return ubi__fail_nomem();
    size_t work_bytes = work_bytes_of_level[level];
    uint8_t *work = ubi__alloc_array(a, work_bytes, 1); /* NULL for the 0 bytes of level 0 */
    if (work_bytes && !work) {
        UBI_DELETE(a, d);
        return ubi__fail_nomem();
    }
    isal_deflate_init(&d->stream);
    d->allocator = a;
    d->write = write;
    d->payload = payload;
    d->work = work;
    d->work_bytes = work_bytes;
    d->stream.level = (uint32_t)level;
    d->stream.level_buf = work;
    d->stream.level_buf_size = (uint32_t)work_bytes;
    d->stream.gzip_flag = IGZIP_GZIP;
    d->stream.next_out = d->output;
    d->stream.avail_out = OUTPUT_BYTES;
    *out = d;
    return UBI_OK;
}

void ubi__deflate_free(ubi__deflate *d) {
    if (!d)
        return;
    ubi__free_array(d->allocator, d->work, d->work_bytes, 1);
    UBI_DELETE(d->allocator, d);
}

static ubi_status hand_on(ubi__deflate *d) {
    size_t n = OUTPUT_BYTES - d->stream.avail_out;
    if (n)
        UBI_TRY(d->write(d->payload, d->output, n));
    d->bytes_out += n;
    d->stream.next_out = d->output;
    d->stream.avail_out = OUTPUT_BYTES;
    return UBI_OK;
}

static ubi_status step(ubi__deflate *d) {
    int code = isal_deflate(&d->stream);
    if (code != COMP_OK)
        return ubi__fail(UBI_EINVAL, "the compressor failed with code %d", code);
    return d->stream.avail_out ? UBI_OK : hand_on(d);
}

ubi_status ubi__deflate_write(void *deflate, const void *data, size_t n_bytes) {
    ubi__deflate *d = deflate;
    const uint8_t *p = data;
    while (n_bytes) {
        uint32_t piece = n_bytes < INPUT_PIECE_BYTES ? (uint32_t)n_bytes : INPUT_PIECE_BYTES;
        d->stream.next_in = (uint8_t *)p; /* ISA-L does not write to it */
        d->stream.avail_in = piece;
        while (d->stream.avail_in)
            UBI_TRY(step(d));
        p += piece;
        n_bytes -= piece;
    }
    return UBI_OK;
}

ubi_status ubi__deflate_finish(ubi__deflate *d) {
    d->stream.end_of_stream = 1;
    d->stream.avail_in = 0;
    while (d->stream.internal_state.state != ZSTATE_END)
        UBI_TRY(step(d));
    return hand_on(d);
}

uint64_t ubi__deflate_bytes_out(const ubi__deflate *d) {
    return d->bytes_out;
}
