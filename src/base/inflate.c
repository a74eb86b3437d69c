/* SPDX-License-Identifier: MIT
 *
 * inflate.c: the two decompression engines (inflate.h).
 *
 * Both engines work on one input window that is refilled from the source when it is used up. ISA-L is given deflate data
 * and trailers only: its own reading of headers lets reserved flags and impossible windows pass, and loses its place when
 * an optional field of a gzip header is cut by the end of the window.
 */
#include "base/inflate.h"

#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/zlib_memory.h"

#define INPUT_BYTES ((size_t)128 << 10)
#define READ_AHEAD_BYTES ((size_t)8) /* that ISA-L may give back */

typedef enum wrapper { WRAPPER_NONE, WRAPPER_GZIP, WRAPPER_ZLIB } wrapper;

struct ubi__inflater {
    const ubi_allocator *allocator;
    ubi__source *source;
    ubi_status (*fill)(ubi__inflater *, uint8_t *buffer, size_t capacity, size_t *n);
    wrapper first_wrapper;
    ubi__stream_end end;
    char note[120];

    uint8_t *input; /* INPUT_BYTES + READ_AHEAD_BYTES */
    size_t input_at, input_n;
    bool has_input_ended;
    uint64_t input_base; /* offset in the source of input[0] */

    struct inflate_state *isal; /* fast engine; 87 KB, so on the heap */
    z_stream zlib;              /* exact engine */
    bool is_zlib_ready;
    bool is_member_open; /* inside a member, past its header (fast) or anywhere in it (exact) */
};

/* ---- input window ------------------------------------------------------------------------------------------------ */

static ubi_status refill_input(ubi__inflater *f) {
    UBI_ASSERT(f->input_at == f->input_n);
    f->input_base += f->input_n;
    f->input_at = f->input_n = 0;
    UBI_TRY(ubi__source_read(f->source, f->input, INPUT_BYTES, &f->input_n));
    f->has_input_ended = f->input_n == 0;
    return UBI_OK;
}

/* Makes at least `want` bytes visible if the source has them; `want` is at most INPUT_BYTES. */
static ubi_status peek_input(ubi__inflater *f, size_t want) {
    size_t left = f->input_n - f->input_at;
    UBI_ASSERT(f->input_at <= f->input_n && want <= INPUT_BYTES);
    if (f->input_at > 0 && left < want) {
        memmove(f->input, f->input + f->input_at, left);
        f->input_base += f->input_at;
        f->input_at = 0;
        f->input_n = left;
    }
    while (f->input_n - f->input_at < want && !f->has_input_ended) {
        size_t n;
        UBI_TRY(ubi__source_read(f->source, f->input + f->input_n, INPUT_BYTES - f->input_n, &n));
        f->has_input_ended = n == 0;
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

static const char *wrapper_name(const ubi__inflater *f) {
    return f->first_wrapper == WRAPPER_ZLIB ? "zlib" : "gzip";
}

static void end_truncated(ubi__inflater *f) {
    f->end = UBI__END_TRUNCATED;
    snprintf(f->note, sizeof f->note, "the %s data ends too early, at byte %llu of the compressed input",
             wrapper_name(f), (unsigned long long)input_offset(f));
}

static void end_damaged(ubi__inflater *f, const char *what) {
    f->end = UBI__END_DAMAGED;
    snprintf(f->note, sizeof f->note, "the %s data is damaged at byte %llu of the compressed input, %s",
             wrapper_name(f), (unsigned long long)input_offset(f), what);
}

/* Whether another member begins here. If not, the stream has ended: what follows the last member is not ours. */
static ubi_status find_member(ubi__inflater *f, wrapper *w) {
    UBI_TRY(peek_input(f, 2));
    *w = wrapper_at(f);
    if (*w == WRAPPER_NONE)
        f->end = UBI__END_CLEAN;
    return UBI_OK;
}

/* ---- no compression ---------------------------------------------------------------------------------------------- */

static ubi_status fill_raw(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    size_t left = f->input_n - f->input_at;
    *n = left < capacity ? left : capacity;
    if (*n) {
        memcpy(buffer, f->input + f->input_at, *n);
        f->input_at += *n;
    } else if (!f->has_input_ended) {
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
    case ISAL_INCORRECT_CHECKSUM:
        return "wrong checksum";
    default:
        return "the data is wrong";
    }
}

/* One byte of a header, counted in the header's checksum. When there is none, the stream ends and *byte is 0. */
static ubi_status take_header_byte(ubi__inflater *f, uint32_t *crc, uint8_t *byte) {
    UBI_TRY(peek_input(f, 1));
    *byte = 0;
    if (f->input_at < f->input_n) {
        *byte = f->input[f->input_at++];
        *crc = (uint32_t)crc32(*crc, byte, 1);
    } else if (f->end == UBI__END_NOT_YET) {
        end_truncated(f);
    }
    return UBI_OK;
}

static ubi_status take_header_u16(ubi__inflater *f, uint32_t *crc, uint32_t *value) {
    uint8_t low, high;
    UBI_TRY(take_header_byte(f, crc, &low));
    UBI_TRY(take_header_byte(f, crc, &high));
    *value = (uint32_t)high << 8 | low;
    return UBI_OK;
}

/* A file name or a comment, up to its NUL. */
static ubi_status skip_header_text(ubi__inflater *f, uint32_t *crc) {
    uint8_t byte;
    do
        UBI_TRY(take_header_byte(f, crc, &byte));
    while (byte != 0);
    return UBI_OK;
}

enum { GZIP_HEADER_CRC = 2, GZIP_EXTRA = 4, GZIP_NAME = 8, GZIP_COMMENT = 16, GZIP_RESERVED = 0xe0 };

/* What the flags of a gzip header announce. */
static ubi_status skip_optional_fields(ubi__inflater *f, uint8_t flags, uint32_t *crc) {
    uint32_t n = 0, stored, ignored = 0;
    uint8_t byte;
    if (flags & GZIP_EXTRA)
        UBI_TRY(take_header_u16(f, crc, &n));
    for (; n > 0 && f->end == UBI__END_NOT_YET; n--)
        UBI_TRY(take_header_byte(f, crc, &byte));
    if (flags & GZIP_NAME)
        UBI_TRY(skip_header_text(f, crc));
    if (flags & GZIP_COMMENT)
        UBI_TRY(skip_header_text(f, crc));
    if (flags & GZIP_HEADER_CRC) {
        UBI_TRY(take_header_u16(f, &ignored, &stored));
        if (f->end == UBI__END_NOT_YET && stored != (*crc & 0xffff))
            end_damaged(f, "wrong checksum of the gzip header");
    }
    return UBI_OK;
}

static ubi_status skip_gzip_header(ubi__inflater *f) {
    uint8_t fixed[10];
    uint32_t crc = 0;
    for (size_t i = 0; i < sizeof fixed; i++)
        UBI_TRY(take_header_byte(f, &crc, &fixed[i]));
    if (f->end != UBI__END_NOT_YET)
        return UBI_OK;
    if (fixed[2] == Z_DEFLATED && !(fixed[3] & GZIP_RESERVED))
        return skip_optional_fields(f, fixed[3], &crc);
    end_damaged(f, fixed[2] == Z_DEFLATED ? "unknown flags in a gzip header" : "unknown compression method");
    return UBI_OK;
}

/* Both bytes are visible, and they are a zlib header. */
static void skip_zlib_header(ubi__inflater *f) {
    uint8_t method_and_window = f->input[f->input_at], flags = f->input[f->input_at + 1];
    f->input_at += 2;
    if (method_and_window >> 4 > 7)
        end_damaged(f, "window size above 32 KiB");
    else if (flags & 0x20)
        end_damaged(f, "preset dictionary expected");
}

/* Starts the member at the input position; ends the stream when there is none. */
static ubi_status open_isal_member(ubi__inflater *f) {
    wrapper w;
    UBI_TRY(find_member(f, &w));
    if (w == WRAPPER_NONE)
        return UBI_OK;
    if (w == WRAPPER_GZIP)
        UBI_TRY(skip_gzip_header(f));
    else
        skip_zlib_header(f);
    isal_inflate_init(f->isal);
    f->isal->crc_flag = w == WRAPPER_GZIP ? ISAL_GZIP_NO_HDR_VER : ISAL_ZLIB_NO_HDR_VER;
    f->is_member_open = true;
    return UBI_OK;
}

/* Whole bytes that ISA-L read past a zlib trailer stay in its bit buffer; the window may have been refilled since. */
static void put_read_ahead_back(ubi__inflater *f) {
    size_t n = (size_t)f->isal->read_in_length / 8;
    UBI_ASSERT(n <= READ_AHEAD_BYTES && f->input_at <= f->input_n);
    if (n > f->input_at) {
        size_t shift = n - f->input_at;
        memmove(f->input + shift, f->input, f->input_n);
        f->input_n += shift;
        f->input_at += shift;
        f->input_base -= shift;
    }
    f->input_at -= n;
    memcpy(f->input + f->input_at, &f->isal->read_in, n);
}

/* One run over the input window. */
static ubi_status run_isal(ubi__inflater *f) {
    struct inflate_state *z = f->isal;
    if (f->input_at == f->input_n && !f->has_input_ended)
        UBI_TRY(refill_input(f));
    z->next_in = f->input + f->input_at;
    z->avail_in = (uint32_t)(f->input_n - f->input_at);
    uint32_t room_before = z->avail_out;
    int code = isal_inflate(z);
    bool moved = z->avail_out != room_before || z->avail_in != f->input_n - f->input_at;
    f->input_at = f->input_n - z->avail_in;
    if (code != ISAL_DECOMP_OK) {
        end_damaged(f, isal_error_text(code));
    } else if (z->block_state == ISAL_BLOCK_FINISH) {
        put_read_ahead_back(f);
        f->is_member_open = false;
    } else if (f->has_input_ended && !moved) {
        end_truncated(f);
    }
    return UBI_OK;
}

static ubi_status fill_isal(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    struct inflate_state *z = f->isal;
    size_t done = 0;
    while (done < capacity && f->end == UBI__END_NOT_YET) {
        if (!f->is_member_open) {
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

/* In the words of the fast engine. */
static const char *zlib_error_text(const char *message) {
    if (!message)
        return "the data is wrong";
    return strcmp(message, "incorrect data check") == 0     ? "wrong checksum"
           : strcmp(message, "incorrect length check") == 0 ? "wrong length"
                                                            : message;
}

/* Runs inflate until the block is full, the member ends, the data is wrong or the input ends: what GzipInputStream gets
 * from its one call, since it has the whole input at hand. */
static ubi_status run_zlib_block(ubi__inflater *f, uint8_t *block, int *code) {
    z_stream *z = &f->zlib;
    z->next_out = block;
    z->avail_out = (uInt)UBI__INFLATE_BLOCK_BYTES;
    for (;;) {
        if (f->input_at == f->input_n && !f->has_input_ended)
            UBI_TRY(refill_input(f));
        z->next_in = f->input + f->input_at;
        z->avail_in = (uInt)(f->input_n - f->input_at);
        *code = inflate(z, Z_NO_FLUSH);
        bool used_all = z->avail_in == 0;
        f->input_at = f->input_n - z->avail_in;
        if (*code == Z_MEM_ERROR)
            return ubi__fail_nomem();
        if (*code != Z_OK && *code != Z_BUF_ERROR)
            return UBI_OK;
        /* With a full block and input left, inflate stopped because the block is full: that is where the call ends. A block that
         * filled up just as the window did may still end the member, so feed more input. */
        if (!used_all || f->has_input_ended)
            return UBI_OK;
    }
}

/* Starts the next member; ends the stream when there is none. */
static ubi_status open_zlib_member(ubi__inflater *f) {
    wrapper w;
    UBI_TRY(find_member(f, &w));
    if (w == WRAPPER_NONE)
        return UBI_OK;
    inflateReset(&f->zlib);
    f->is_member_open = true;
    return UBI_OK;
}

static ubi_status fill_zlib(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    (void)capacity;
    *n = 0;
    while (*n == 0 && f->end == UBI__END_NOT_YET) {
        int code;
        if (!f->is_member_open) {
            UBI_TRY(open_zlib_member(f));
            continue;
        }
        UBI_TRY(run_zlib_block(f, buffer, &code));
        size_t made = UBI__INFLATE_BLOCK_BYTES - f->zlib.avail_out;
        if (code == Z_STREAM_END) {
            f->is_member_open = false;
            *n = made;
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            end_damaged(f, zlib_error_text(f->zlib.msg));
        } else if (made == 0) {
            end_truncated(f);
        } else {
            *n = made;
        }
    }
    return UBI_OK;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

static ubi_status open_zlib(ubi__inflater *f) {
    ubi__zlib_use(&f->zlib, f->allocator);
    if (inflateInit2(&f->zlib, 15 | 32) != Z_OK)
        return ubi__fail_nomem();
    f->is_zlib_ready = true;
    f->fill = fill_zlib;
    return UBI_OK;
}

static ubi_status open_engine(ubi__inflater *f, bool exact) {
    f->input = ubi__alloc_array(f->allocator, INPUT_BYTES + READ_AHEAD_BYTES, 1);
    if (!f->input)
        return ubi__fail_nomem();
    UBI_TRY(peek_input(f, 2));
    f->first_wrapper = wrapper_at(f);
    if (f->first_wrapper == WRAPPER_NONE) {
        f->fill = fill_raw;
        return UBI_OK;
    }
    /* Small input gets zlib's strictness for nothing. */
    UBI_TRY(peek_input(f, INPUT_BYTES));
    if (exact || f->has_input_ended)
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
    if (f->is_zlib_ready)
        inflateEnd(&f->zlib);
    UBI_DELETE(a, f->isal);
    ubi__free_array(a, f->input, INPUT_BYTES + READ_AHEAD_BYTES, 1);
    UBI_DELETE(a, f);
}

ubi_status ubi__inflater_fill(ubi__inflater *f, uint8_t *buffer, size_t capacity, size_t *n) {
    *n = 0;
    UBI_ASSERT(capacity >= UBI__INFLATE_BLOCK_BYTES);
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
const char *ubi__damage_advice(ubi__stream_end end) {
    return end == UBI__END_TRUNCATED ? "was it written, and downloaded, to its end?" : "copy or download it again";
}
uint64_t ubi__inflater_input_bytes(const ubi__inflater *f) {
    return input_offset(f);
}

/* ---- chunks, made ahead ------------------------------------------------------------------------------------------- */

/*
 * With a helper thread the buffers form a ring: `made` counts chunks produced, `taken` chunks the reader is done with. Both
 * only grow, under `lock`; chunk i lies in buffer i % N_BUFFERS, which is the helper's to fill while i - taken < N_BUFFERS
 * and the reader's once made > i. The inflater is the helper's alone from its start until it has announced the end. Before,
 * the reader fills the first buffer itself, so that reading only the beginning never waits for a helper that waits for a pipe.
 */

#define N_BUFFERS 4
#define BUFFER_BYTES (UBI__STREAM_HEADROOM + UBI__STREAM_CHUNK_BYTES + UBI__STREAM_PADDING)

struct ubi__stream {
    const ubi_allocator *allocator;
    ubi__inflater *inflater;
    uint8_t *buffers[N_BUFFERS];
    size_t filled[N_BUFFERS];
    unsigned n_buffers;

    bool is_holding; /* the reader has chunk `taken` */
    bool has_ended;  /* the reader saw the end */
    uint8_t *end;    /* what it was given then */

    bool is_threaded;
    pthread_t helper;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by `lock` when threaded */
    uint64_t made, taken;
    bool must_stop;
    ubi_status status; /* of the helper; its message is in `message` */
    char message[256];
    uint64_t input_bytes;
};

static ubi_status fill_buffer(ubi__stream *s, unsigned i) {
    uint8_t *chunk = s->buffers[i] + UBI__STREAM_HEADROOM;
    UBI_TRY(ubi__inflater_fill(s->inflater, chunk, UBI__STREAM_CHUNK_BYTES, &s->filled[i]));
    UBI_ASSERT(s->filled[i] <= UBI__STREAM_CHUNK_BYTES);
    memset(chunk + s->filled[i], 0, UBI__STREAM_PADDING);
    return UBI_OK;
}

static bool wait_for_room(ubi__stream *s) {
    pthread_mutex_lock(&s->lock);
    while (!s->must_stop && s->made - s->taken >= N_BUFFERS)
        pthread_cond_wait(&s->changed, &s->lock);
    bool may_continue = !s->must_stop;
    pthread_mutex_unlock(&s->lock);
    return may_continue;
}

static void announce_chunk(ubi__stream *s, ubi_status status) {
    pthread_mutex_lock(&s->lock);
    UBI_ASSERT(s->taken <= s->made && s->made - s->taken < N_BUFFERS);
    s->made++;
    s->status = status;
    if (status != UBI_OK)
        strncpy(s->message, ubi_error_message(), sizeof s->message - 1);
    s->input_bytes = ubi__inflater_input_bytes(s->inflater);
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *run_helper(void *payload) {
    ubi__stream *s = payload;
    /* `made` is written by this thread alone, so it may be read here without the lock. */
    while (wait_for_room(s)) {
        unsigned i = (unsigned)(s->made % N_BUFFERS);
        ubi_status status = fill_buffer(s, i);
        bool last = status != UBI_OK || s->filled[i] == 0;
        announce_chunk(s, status);
        if (last)
            break;
    }
    return NULL;
}

void ubi__stream_run_ahead(ubi__stream *s) {
    if (s->is_threaded || s->has_ended || s->n_buffers == 1)
        return;
    s->made = s->is_holding; /* a chunk that the reader has is the first of the ring */
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->is_threaded = pthread_create(&s->helper, NULL, run_helper, s) == 0;
    if (!s->is_threaded) { /* no thread started: do without */
        pthread_mutex_destroy(&s->lock);
        pthread_cond_destroy(&s->changed);
    }
}

static ubi_status open_stream(ubi__stream *s, ubi__source *source, unsigned threads, bool exact) {
    UBI_TRY(ubi__inflater_new(&s->inflater, source, exact, s->allocator));
    s->n_buffers = threads > 1 ? N_BUFFERS : 1;
    for (unsigned i = 0; i < s->n_buffers; i++) {
        s->buffers[i] = ubi__alloc_array(s->allocator, BUFFER_BYTES, 1);
        if (!s->buffers[i])
            return ubi__fail_nomem();
    }
    return UBI_OK;
}

ubi_status ubi__stream_new(ubi__stream **out, ubi__source *source, unsigned threads, bool exact,
                           const ubi_allocator *a) {
    ubi__stream *s = UBI_NEW(a, ubi__stream);
    if (!s)
        return ubi__fail_nomem();
    s->allocator = a;
    ubi_status status = open_stream(s, source, threads, exact);
    if (status != UBI_OK) {
        ubi__stream_free(s);
        return status;
    }
    *out = s;
    return UBI_OK;
}

void ubi__stream_free(ubi__stream *s) {
    if (!s)
        return;
    if (s->is_threaded) {
        pthread_mutex_lock(&s->lock);
        s->must_stop = true;
        pthread_cond_signal(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->helper, NULL);
        pthread_mutex_destroy(&s->lock);
        pthread_cond_destroy(&s->changed);
    }
    const ubi_allocator *a = s->allocator;
    for (unsigned i = 0; i < s->n_buffers; i++)
        ubi__free_array(a, s->buffers[i], BUFFER_BYTES, 1);
    ubi__inflater_free(s->inflater);
    UBI_DELETE(a, s);
}

/* Gives back the chunk of the last call and waits for the next one. */
static ubi_status next_threaded(ubi__stream *s, unsigned *index) {
    ubi_status status = UBI_OK;
    pthread_mutex_lock(&s->lock);
    if (s->is_holding) {
        s->taken++;
        pthread_cond_signal(&s->changed);
    }
    while (s->made == s->taken)
        pthread_cond_wait(&s->changed, &s->lock);
    if (s->status != UBI_OK && s->made == s->taken + 1)
        status = ubi__fail(s->status, "%s", s->message);
    UBI_ASSERT(s->taken < s->made && s->made - s->taken <= N_BUFFERS);
    *index = (unsigned)(s->taken % N_BUFFERS);
    pthread_mutex_unlock(&s->lock);
    return status;
}

ubi_status ubi__stream_next(ubi__stream *s, uint8_t **data, size_t *n) {
    unsigned i = 0;
    *n = 0;
    if (s->has_ended) {
        *data = s->end;
        return UBI_OK;
    }
    if (s->is_threaded) {
        UBI_TRY(next_threaded(s, &i));
        s->is_holding = true;
    } else {
        UBI_TRY(fill_buffer(s, 0));
        s->is_holding = true;
        s->input_bytes = ubi__inflater_input_bytes(s->inflater);
    }
    *data = s->buffers[i] + UBI__STREAM_HEADROOM;
    *n = s->filled[i];
    s->has_ended = *n == 0;
    s->end = *data;
    return UBI_OK;
}

const char *ubi__stream_compression(const ubi__stream *s) {
    return ubi__inflater_compression(s->inflater);
}
bool ubi__stream_is_exact(const ubi__stream *s) {
    return ubi__inflater_is_exact(s->inflater);
}
ubi__stream_end ubi__stream_end_of(const ubi__stream *s) {
    return s->has_ended ? ubi__inflater_end(s->inflater) : UBI__END_NOT_YET;
}
const char *ubi__stream_note(const ubi__stream *s) {
    return s->has_ended ? ubi__inflater_note(s->inflater) : "";
}
uint64_t ubi__stream_input_bytes(ubi__stream *s) {
    if (!s->is_threaded)
        return s->input_bytes;
    pthread_mutex_lock(&s->lock);
    uint64_t n = s->input_bytes;
    pthread_mutex_unlock(&s->lock);
    return n;
}
