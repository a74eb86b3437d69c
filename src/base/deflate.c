/* SPDX-License-Identifier: MIT
 *
 * deflate.c: gzip output by ISA-L, or by zlib where size counts more than time.
 *
 * Both engines count in 32 bits, so input is fed in pieces. Next to their state and work area is one output buffer,
 * which is handed on when full: whenever an engine is called there is room.
 */
#include "base/deflate.h"

#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/zlib_memory.h"

#define OUTPUT_BYTES (64 * 1024)
#define INPUT_PIECE_BYTES (1u << 30)

#define ZLIB_LEVEL 6 /* as Firefox */
#define ZLIB_GZIP_WINDOW (15 | 16)
#define ZLIB_MEMORY_LEVEL 8

struct ubi__deflate {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    bool is_by_zlib;
    uint8_t *work; /* work[work_bytes], what the level asks for */
    size_t work_bytes;
    z_stream zlib;
    struct isal_zstream isal;
    uint8_t output[OUTPUT_BYTES];
};

static const size_t work_bytes_of_level[UBI__DEFLATE_LEVEL_MAX + 1] = { ISAL_DEF_LVL0_DEFAULT, ISAL_DEF_LVL1_DEFAULT,
                                                                        ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT };

/* ---- opening ------------------------------------------------------------------------------------------------------ */

static ubi_status open_isal(ubi__deflate *d, int level) {
    size_t work_bytes = work_bytes_of_level[level];
    if (work_bytes) {
        d->work = ubi__alloc_array(d->allocator, work_bytes, 1);
        if (!d->work)
            return ubi__fail_nomem();
        d->work_bytes = work_bytes;
    }
    isal_deflate_init(&d->isal);
    d->isal.level = (uint32_t)level;
    d->isal.level_buf = d->work;
    d->isal.level_buf_size = (uint32_t)work_bytes;
    d->isal.gzip_flag = IGZIP_GZIP;
    d->isal.next_out = d->output;
    d->isal.avail_out = OUTPUT_BYTES;
    return UBI_OK;
}

static ubi_status open_zlib(ubi__deflate *d) {
    ubi__zlib_use(&d->zlib, d->allocator);
    if (deflateInit2(&d->zlib, ZLIB_LEVEL, Z_DEFLATED, ZLIB_GZIP_WINDOW, ZLIB_MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return ubi__fail_nomem();
    d->is_by_zlib = true;
    d->zlib.next_out = d->output;
    d->zlib.avail_out = OUTPUT_BYTES;
    return UBI_OK;
}

ubi_status ubi__deflate_new(ubi__deflate **out, int level, ubi__write_fn write, void *payload,
                            const ubi_allocator *allocator) {
    if (level < 0 || level > UBI__DEFLATE_LEVEL_SMALL)
        return ubi__fail(UBI_EINVAL, "compression level %d: expected 0 to %d", level, UBI__DEFLATE_LEVEL_SMALL);
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__deflate *d = UBI_NEW(a, ubi__deflate);
    if (!d)
        return ubi__fail_nomem();
    d->allocator = a;
    d->write = write;
    d->payload = payload;
    ubi_status status = level == UBI__DEFLATE_LEVEL_SMALL ? open_zlib(d) : open_isal(d, level);
    if (status != UBI_OK) {
        ubi__deflate_free(d);
        return status;
    }
    *out = d;
    return UBI_OK;
}

void ubi__deflate_free(ubi__deflate *d) {
    if (!d)
        return;
    if (d->is_by_zlib)
        (void)deflateEnd(&d->zlib); /* fails for an unfinished stream: fine */
    ubi__free_array(d->allocator, d->work, d->work_bytes, 1);
    UBI_DELETE(d->allocator, d);
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static ubi_status hand_on(ubi__deflate *d, size_t n) {
    UBI_ASSERT(n <= OUTPUT_BYTES);
    if (n)
        UBI_TRY(d->write(d->payload, d->output, n));
    return UBI_OK;
}

static ubi_status fail_engine(int code) {
    return ubi__fail(UBI_EINVAL, "the compressor failed with code %d", code);
}

static ubi_status hand_on_isal(ubi__deflate *d) {
    UBI_TRY(hand_on(d, OUTPUT_BYTES - d->isal.avail_out));
    d->isal.next_out = d->output;
    d->isal.avail_out = OUTPUT_BYTES;
    return UBI_OK;
}

static ubi_status step_isal(ubi__deflate *d) {
    int code = isal_deflate(&d->isal);
    if (code != COMP_OK)
        return fail_engine(code);
    return d->isal.avail_out ? UBI_OK : hand_on_isal(d);
}

static ubi_status write_isal(ubi__deflate *d, const uint8_t *piece, uint32_t n) {
    UBI_ASSERT(d->isal.avail_in == 0 && d->isal.avail_out > 0); /* whenever an engine is called there is room */
    d->isal.next_in = (uint8_t *)piece;                         /* ISA-L does not write to it */
    d->isal.avail_in = n;
    while (d->isal.avail_in)
        UBI_TRY(step_isal(d));
    return UBI_OK;
}

static ubi_status finish_isal(ubi__deflate *d) {
    d->isal.end_of_stream = 1;
    d->isal.avail_in = 0;
    while (d->isal.internal_state.state != ZSTATE_END)
        UBI_TRY(step_isal(d));
    return hand_on_isal(d);
}

static ubi_status hand_on_zlib(ubi__deflate *d) {
    UBI_TRY(hand_on(d, OUTPUT_BYTES - d->zlib.avail_out));
    d->zlib.next_out = d->output;
    d->zlib.avail_out = OUTPUT_BYTES;
    return UBI_OK;
}

static ubi_status write_zlib(ubi__deflate *d, const uint8_t *piece, uint32_t n) {
    UBI_ASSERT(d->zlib.avail_in == 0 && d->zlib.avail_out > 0);
    d->zlib.next_in = (Bytef *)piece; /* nor does zlib */
    d->zlib.avail_in = n;
    while (d->zlib.avail_in) {
        int code = deflate(&d->zlib, Z_NO_FLUSH);
        if (code != Z_OK)
            return fail_engine(code);
        if (d->zlib.avail_out == 0)
            UBI_TRY(hand_on_zlib(d));
    }
    return UBI_OK;
}

static ubi_status finish_zlib(ubi__deflate *d) {
    for (int code = Z_OK; code != Z_STREAM_END;) {
        code = deflate(&d->zlib, Z_FINISH);
        if (code != Z_OK && code != Z_STREAM_END)
            return fail_engine(code);
        UBI_TRY(hand_on_zlib(d));
    }
    return UBI_OK;
}

ubi_status ubi__deflate_write(void *deflater, const void *data, size_t n_bytes) {
    ubi__deflate *d = deflater;
    for (const uint8_t *p = data; n_bytes;) {
        uint32_t piece = n_bytes < INPUT_PIECE_BYTES ? (uint32_t)n_bytes : INPUT_PIECE_BYTES;
        UBI_TRY(d->is_by_zlib ? write_zlib(d, p, piece) : write_isal(d, p, piece));
        p += piece;
        n_bytes -= piece;
    }
    return UBI_OK;
}

ubi_status ubi__deflate_finish(ubi__deflate *d) {
    return d->is_by_zlib ? finish_zlib(d) : finish_isal(d);
}

/* ---- a ring of blocks between two threads ------------------------------------------------------------------------- */

/*
 * `made` counts blocks handed over, `taken` blocks written. Both only grow, under `lock`; block i lies in blocks[i % N_BLOCKS],
 * which is the producer's while i == made < taken + N_BLOCKS and the helper's once made > i.
 */

#define N_BLOCKS 8
#define WAKE_AT 4 /* blocks that wait before the helper is woken: each wake-up costs two context switches */

struct ubi__write_behind {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    uint8_t *blocks[N_BLOCKS];
    size_t filled[N_BLOCKS];

    bool is_threaded;
    pthread_t helper;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by `lock` when threaded */
    uint64_t made, taken;
    bool has_ended; /* no more blocks will come */
    bool must_stop; /* and those waiting are not written */
    ubi_status status;
    char message[256]; /* of `status` */
};

/* ---- helper ------------------------------------------------------------------------------------------------------- */

static bool wait_for_block(ubi__write_behind *w) {
    pthread_mutex_lock(&w->lock);
    while (w->made == w->taken && !w->has_ended && !w->must_stop)
        pthread_cond_wait(&w->changed, &w->lock);
    bool may_continue = w->made > w->taken && !w->must_stop;
    pthread_mutex_unlock(&w->lock);
    return may_continue;
}

static void announce_block(ubi__write_behind *w, ubi_status status) {
    pthread_mutex_lock(&w->lock);
    UBI_ASSERT(w->taken < w->made && w->made - w->taken <= N_BLOCKS);
    w->taken++;
    w->status = status;
    if (status != UBI_OK)
        snprintf(w->message, sizeof w->message, "%s", ubi_error_message());
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void *run_helper(void *payload) {
    ubi__write_behind *w = payload;
    ubi_status status = UBI_OK;
    /* `taken` is written by this thread alone, so it may be read here without the lock. */
    while (status == UBI_OK && wait_for_block(w)) {
        size_t i = w->taken % N_BLOCKS;
        status = w->write(w->payload, w->blocks[i], w->filled[i]);
        announce_block(w, status);
    }
    return NULL;
}

/* ---- producer ----------------------------------------------------------------------------------------------------- */

static void start_helper(ubi__write_behind *w) {
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->is_threaded = pthread_create(&w->helper, NULL, run_helper, w) == 0;
    if (!w->is_threaded) { /* no thread started: do without */
        pthread_mutex_destroy(&w->lock);
        pthread_cond_destroy(&w->changed);
    }
}

static void end_helper(ubi__write_behind *w, bool stop) {
    if (!w->is_threaded)
        return;
    pthread_mutex_lock(&w->lock);
    w->has_ended = true;
    w->must_stop = stop;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->helper, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    w->is_threaded = false;
}

ubi_status ubi__write_behind_new(ubi__write_behind **out, ubi__write_fn write, void *payload, const ubi_allocator *a) {
    ubi__write_behind *w = UBI_NEW(a, ubi__write_behind);
    if (!w)
        return ubi__fail_nomem();
    w->allocator = a;
    w->write = write;
    w->payload = payload;
    for (size_t i = 0; i < N_BLOCKS; i++) {
        w->blocks[i] = ubi__alloc_array(a, UBI__WRITE_BEHIND_BLOCK_BYTES, 1);
        if (!w->blocks[i]) {
            ubi__write_behind_free(w);
            return ubi__fail_nomem();
        }
    }
    start_helper(w);
    *out = w;
    return UBI_OK;
}

void ubi__write_behind_free(ubi__write_behind *w) {
    if (!w)
        return;
    end_helper(w, true);
    for (size_t i = 0; i < N_BLOCKS; i++)
        ubi__free_array(w->allocator, w->blocks[i], UBI__WRITE_BEHIND_BLOCK_BYTES, 1);
    UBI_DELETE(w->allocator, w);
}

/* Waits until block `made` is free to be filled. */
static ubi_status wait_for_room(ubi__write_behind *w) {
    pthread_mutex_lock(&w->lock);
    while (w->made - w->taken == N_BLOCKS && w->status == UBI_OK)
        pthread_cond_wait(&w->changed, &w->lock);
    ubi_status status = w->status;
    pthread_mutex_unlock(&w->lock);
    return status == UBI_OK ? UBI_OK : ubi__fail(status, "%s", w->message);
}

static void hand_over(ubi__write_behind *w, const void *data, size_t n) {
    size_t i = w->made % N_BLOCKS;
    UBI_ASSERT(n <= UBI__WRITE_BEHIND_BLOCK_BYTES);
    memcpy(w->blocks[i], data, n);
    w->filled[i] = n;
    pthread_mutex_lock(&w->lock);
    UBI_ASSERT(w->made - w->taken < N_BLOCKS && !w->has_ended);
    w->made++;
    bool wake = w->made - w->taken >= WAKE_AT;
    pthread_mutex_unlock(&w->lock);
    if (wake)
        pthread_cond_signal(&w->changed);
}

ubi_status ubi__write_behind_write(void *behind, const void *data, size_t n_bytes) {
    ubi__write_behind *w = behind;
    if (!w->is_threaded)
        return w->write(w->payload, data, n_bytes);
    for (const uint8_t *p = data; n_bytes;) {
        size_t piece = n_bytes < UBI__WRITE_BEHIND_BLOCK_BYTES ? n_bytes : UBI__WRITE_BEHIND_BLOCK_BYTES;
        UBI_TRY(wait_for_room(w));
        hand_over(w, p, piece);
        p += piece;
        n_bytes -= piece;
    }
    return UBI_OK;
}

ubi_status ubi__write_behind_finish(ubi__write_behind *w) {
    end_helper(w, false);
    return w->status == UBI_OK ? UBI_OK : ubi__fail(w->status, "%s", w->message);
}
