/* SPDX-License-Identifier: MIT
 *
 * inflate.c: the two decompression engines (inflate.h).
 *
 * Both engines work on one input window that is refilled from the source when it is used up.
 */
#include "base/inflate.h"

#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define INPUT_BYTES ((size_t)128 << 10)

typedef enum wrapper { WRAPPER_NONE, WRAPPER_GZIP, WRAPPER_ZLIB } wrapper;

struct ubi__inflater {
    const ubi_allocator *allocator;
    ubi__source *source;
    ubi_status (*fill)(ubi__inflater *, uint8_t *buffer, size_t capacity, size_t *n);
    wrapper first_wrapper;
    ubi__stream_end end;
    char note[120];

    uint8_t *input; /* INPUT_BYTES */
    size_t input_at, input_n;
    bool input_ended;
    uint64_t input_base; /* offset in the source of input[0] */

    struct inflate_state *isal; /* fast engine; 87 KB, so on the heap */
    z_stream zlib;              /* exact engine */
    bool zlib_ready;
    bool member_open; /* inside a member, or (exact) about to try one */
};

/* ---- input window ------------------------------------------------------------------------------------------------ */

static ubi_status refill(ubi__inflater *f) {
    f->input_base += f->input_n;
    f->input_at = f->input_n = 0;
    UBI_TRY(ubi__source_read(f->source, f->input, INPUT_BYTES, &f->input_n));
    f->input_ended = f->input_n == 0;
    return UBI_OK;
}

/* Makes at least `want` bytes visible if the source has them; `want` is tiny. */
static ubi_status peek(ubi__inflater *f, size_t want) {
    size_t left = f->input_n - f->input_at;
    if (f->input_at > 0 && left < want) {
        memmove(f->input, f->input + f->input_at, left);
        f->input_base += f->input_at;
        f->input_at = 0;
        f->input_n = left;
    }
    while (f->input_n - f->input_at < want && !f->input_ended) {
        size_t n;
        UBI_TRY(ubi__source_read(f->source, f->input + f->input_n, INPUT_BYTES - f->input_n, &n));
        f->input_ended = n == 0;
        f->input_n += n;
    }
    return UBI_OK;
}

static uint64_t input_offset(const ubi__inflater *f) {
    return f->input_base + f->input_at;
}

static wrapper wrapper_at(const ubi__inflater *f) {
    const uint8_t *p = f->input + f->input_at;
    if (f->input_n - f->input_at < 2)
        return WRAPPER_NONE;
    if (p[0] == 0x1f && p[1] == 0x8b)
        return WRAPPER_GZIP;
    if ((p[0] & 0x0f) == Z_DEFLATED && (p[0] * 256 + p[1]) % 31 == 0)
        return WRAPPER_ZLIB;
    return WRAPPER_NONE;
}

static void end_stream(ubi__inflater *f, ubi__stream_end end, const char *what) {
    f->end = end;
    if (what)
        snprintf(f->note, sizeof f->note, "%s at byte %llu of the compressed input", what,
                 (unsigned long long)input_offset(f));
}

/* ---- no compression ---------------------------------------------------------------------------------------------- */

static ubi_status fill_raw(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    size_t left = f->input_n - f->input_at;
    *n = left < capacity ? left : capacity;
    if (*n) {
        memcpy(buffer, f->input + f->input_at, *n);
        f->input_at += *n;
    } else if (!f->input_ended) {
        UBI_TRY(ubi__source_read(f->source, buffer, capacity, n));
        f->input_base += *n;
    }
    if (*n == 0)
        f->end = UBI__END_CLEAN;
    return UBI_OK;
}

/* ---- fast engine -------------------------------------------------------------------------------------------------- */

static const char *isal_error_text(int code) {
    switch (code) {
    case ISAL_INVALID_BLOCK:
        return "invalid deflate block";
    case ISAL_INVALID_SYMBOL:
        return "invalid deflate symbol";
    case ISAL_INVALID_LOOKBACK:
        return "invalid deflate distance";
    case ISAL_INVALID_WRAPPER:
        return "invalid gzip or zlib header";
    case ISAL_UNSUPPORTED_METHOD:
        return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
        return "wrong checksum";
    default:
        return "damaged compressed data";
    }
}

/* Starts the member at the input position; ends the stream when there is none. */
static ubi_status open_isal_member(ubi__inflater *f) {
    UBI_TRY(peek(f, 2));
    wrapper w = wrapper_at(f);
    if (w == WRAPPER_NONE) {
        f->end = UBI__END_CLEAN;
        return UBI_OK;
    }
    isal_inflate_init(f->isal);
    f->isal->crc_flag = w == WRAPPER_GZIP ? ISAL_GZIP : ISAL_ZLIB;
    f->member_open = true;
    return UBI_OK;
}

/* One run over the input window. */
static ubi_status run_isal(ubi__inflater *f) {
    struct inflate_state *z = f->isal;
    if (f->input_at == f->input_n && !f->input_ended)
        UBI_TRY(refill(f));
    z->next_in = f->input + f->input_at;
    z->avail_in = (uint32_t)(f->input_n - f->input_at);
    uint32_t room_before = z->avail_out;
    int code = isal_inflate(z);
    bool moved = z->avail_out != room_before || z->avail_in != f->input_n - f->input_at;
    f->input_at = f->input_n - z->avail_in;
    if (code != ISAL_DECOMP_OK)
        end_stream(f, UBI__END_DAMAGED, isal_error_text(code));
    else if (z->block_state == ISAL_BLOCK_FINISH)
        f->member_open = false;
    else if (f->input_ended && !moved)
        end_stream(f, UBI__END_TRUNCATED, "compressed data ends too early");
    return UBI_OK;
}

static ubi_status fill_isal(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    struct inflate_state *z = f->isal;
    size_t done = 0;
    while (done < capacity && f->end == UBI__END_NOT_YET) {
        if (!f->member_open) {
            UBI_TRY(open_isal_member(f));
            continue;
        }
        z->next_out = buffer + done;
        z->avail_out = (uint32_t)(capacity - done);
        UBI_TRY(run_isal(f));
        done = capacity - z->avail_out;
    }
    *n = done;
    return UBI_OK;
}

/* ---- exact engine ------------------------------------------------------------------------------------------------- */

/* Runs inflate until the block is full, the member ends, the data is wrong or the input ends: what GzipInputStream gets
 * from its one call, since it has the whole input at hand. */
static ubi_status run_zlib_block(ubi__inflater *f, uint8_t *block, int *code) {
    z_stream *z = &f->zlib;
    z->next_out = block;
    z->avail_out = (uInt)UBI__INFLATE_BLOCK_BYTES;
    for (;;) {
        if (f->input_at == f->input_n && !f->input_ended)
            UBI_TRY(refill(f));
        z->next_in = f->input + f->input_at;
        z->avail_in = (uInt)(f->input_n - f->input_at);
        *code = inflate(z, Z_NO_FLUSH);
        bool used_all = z->avail_in == 0;
        f->input_at = f->input_n - z->avail_in;
        if (*code == Z_MEM_ERROR)
            return ubi__fail_nomem();
        if (*code != Z_OK && *code != Z_BUF_ERROR)
            return UBI_OK;
        /* With a full block and input left, inflate stopped for want of room: that is where the call ends. A block that
         * filled up just as the window did may still end the member, so go on with more input. */
        if (!used_all || f->input_ended)
            return UBI_OK;
    }
}

static void end_zlib(ubi__inflater *f, int code, bool first_bytes_of_member) {
    if (code == Z_OK || code == Z_BUF_ERROR) {
        end_stream(f, UBI__END_TRUNCATED, "compressed data ends too early");
    } else if (first_bytes_of_member && f->zlib.total_out == 0 && f->zlib.msg &&
               (strcmp(f->zlib.msg, "incorrect header check") == 0 ||
                strcmp(f->zlib.msg, "unknown compression method") == 0)) {
        f->end = UBI__END_CLEAN; /* something else follows the last member */
    } else {
        end_stream(f, UBI__END_DAMAGED, f->zlib.msg ? f->zlib.msg : "damaged compressed data");
    }
}

static ubi_status fill_zlib(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    (void)capacity;
    *n = 0;
    while (*n == 0 && f->end == UBI__END_NOT_YET) {
        bool later_member = false;
        int code;
        if (!f->member_open) {
            UBI_TRY(peek(f, 1));
            if (f->input_at == f->input_n) {
                f->end = UBI__END_CLEAN;
                break;
            }
            inflateReset(&f->zlib);
            later_member = f->member_open = true;
        }
        UBI_TRY(run_zlib_block(f, buffer, &code));
        size_t made = UBI__INFLATE_BLOCK_BYTES - f->zlib.avail_out;
        if (code == Z_STREAM_END) {
            f->member_open = false;
            *n = made;
        } else if (code == Z_OK || code == Z_BUF_ERROR) {
            *n = made;
            if (made == 0)
                end_zlib(f, code, later_member);
        } else {
            end_zlib(f, code, later_member);
        }
    }
    return UBI_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

static voidpf zlib_alloc(voidpf opaque, uInt items, uInt size) {
    /* zlib's free gives no size, so the size goes in front of the block. */
    const ubi_allocator *a = opaque;
    size_t bytes = (size_t)items * size + 16;
    size_t *p = a->alloc(a->ctx, bytes);
    if (!p)
        return NULL;
    *p = bytes;
    return (char *)p + 16;
}

static void zlib_free(voidpf opaque, voidpf block) {
    const ubi_allocator *a = opaque;
    char *p = (char *)block - 16;
    size_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    a->free(a->ctx, p, bytes);
}

static ubi_status open_zlib(ubi__inflater *f) {
    union {
        const ubi_allocator *in;
        voidpf out;
    } opaque = { .in = f->allocator };
    f->zlib.zalloc = zlib_alloc;
    f->zlib.zfree = zlib_free;
    f->zlib.opaque = opaque.out;
    if (inflateInit2(&f->zlib, 15 | 32) != Z_OK)
        return ubi__fail_nomem();
    f->zlib_ready = true;
    f->member_open = true;
    f->fill = fill_zlib;
    return UBI_OK;
}

static ubi_status open_engine(ubi__inflater *f, bool exact) {
    f->input = ubi__alloc_array(f->allocator, INPUT_BYTES, 1);
    if (!f->input)
        return ubi__fail_nomem();
    UBI_TRY(peek(f, 2));
    f->first_wrapper = wrapper_at(f);
    if (f->first_wrapper == WRAPPER_NONE) {
        f->fill = fill_raw;
        return UBI_OK;
    }
    if (exact)
        return open_zlib(f);
    f->isal = ubi__alloc_array(f->allocator, 1, sizeof *f->isal);
    if (!f->isal)
        return ubi__fail_nomem();
    f->fill = fill_isal;
    return UBI_OK;
}

ubi_status ubi__inflater_new(ubi__inflater **out, ubi__source *source, bool exact, const ubi_allocator *a) {
    ubi__inflater *f = UBI_NEW(a, ubi__inflater);
    if (!f)
        return ubi__fail_nomem();
    f->allocator = a;
    f->source = source;
    ubi_status status = open_engine(f, exact);
    if (status != UBI_OK) {
        ubi__inflater_free(f);
        return status;
    }
    *out = f;
    return UBI_OK;
}

void ubi__inflater_free(ubi__inflater *f) {
    if (!f)
        return;
    const ubi_allocator *a = f->allocator;
    if (f->zlib_ready)
        inflateEnd(&f->zlib);
    UBI_DELETE(a, f->isal);
    ubi__free_array(a, f->input, INPUT_BYTES, 1);
    UBI_DELETE(a, f);
}

ubi_status ubi__inflater_fill(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    *n = 0;
    return f->end == UBI__END_NOT_YET ? f->fill(f, buffer, capacity, n) : UBI_OK;
}

const char *ubi__inflater_compression(const ubi__inflater *f) {
    return f->first_wrapper == WRAPPER_GZIP ? "gzip" : f->first_wrapper == WRAPPER_ZLIB ? "zlib" : "none";
}
bool ubi__inflater_is_exact(const ubi__inflater *f) {
    return f->isal == NULL;
}
ubi__stream_end ubi__inflater_end(const ubi__inflater *f) {
    return f->end;
}
const char *ubi__inflater_note(const ubi__inflater *f) {
    return f->note;
}
uint64_t ubi__inflater_input_bytes(const ubi__inflater *f) {
    return input_offset(f);
}
