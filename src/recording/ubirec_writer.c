/* SPDX-License-Identifier: MIT
 *
 * ubirec_writer.c: see ubirec_writer.h.
 *
 * Records gather in `raw`; a record never goes across the end of a block. Payloads of records that have a length are made
 * in `payload` first. A block is deflated into `stored`, unless that makes it no smaller.
 */
#include "recording/ubirec_writer.h"

#include <zlib.h>

#include "base/assert.h"
#include "base/strtab.h"
#include "recording/tuple_table.h"
#include "recording/ubirec_index.h"

/* Seven bits at a time. */
#define VARINT_MAX 10
/*
 * ubirec_bench, recordings of a C++ compiler and of sqlite3, bytes: level 0 2.22 M and 58 k, 1 1.82 M and 44 k, 2 1.79 M and
 * 44 k, 3 1.73 M and 34 k at a third and a tenth of the speed, 4 1.56 M and 26 k at a ninth and a fifteenth.
 */
#define LEVEL UBI__DEFLATE_LEVEL_DEFAULT
/* Records in a block, before it is compressed, at the start of a file. */
#define SMALLEST_BLOCK ((size_t)16 << 10)

/*
 * Infos that were asked for lately, in sets of one cache line: programs repeat a few, and the table of all of them is so large that
 * each look-up waits for memory three times. Those that fit no key are looked up there. While all are few, that table is small, and so
 * it is where there is no memory for this one.
 */
#define LATELY_FROM_INFOS 1024
#define LATELY_LOG2 16
#define LATELY_WAYS 4
#define LATELY_SIZE_BITS 27
#define LATELY_KIND_BITS 5

typedef struct late_info {
    uint64_t key;          /* trace, kind, size */
    uint32_t number_and_1; /* 0: none */
} late_info;

struct ubi__ubirec_writer {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *write_payload;
    uint64_t bytes_out;
    ubi__strtab strings;
    ubi__tuple_table modules, frames, traces, kinds, infos;
    late_info *lately; /* lately[1 << LATELY_LOG2], or NULL */
    uint32_t n_threads;
    uint64_t n_allocations;
    ubi__ubirec_index index;         /* what has no place of its own here */
    uint64_t time_ns, block_time_ns; /* now, and what the next time of this block counts from */
    uint32_t thread;
    size_t n_raw, n_payload, n_stored;
    size_t block_bytes; /* how large this block should become at most */
    bool is_stored_full;
    uint8_t raw[UBI__UBIREC_BLOCK_RAW_MAX];
    uint8_t payload[UBI__UBIREC_PAYLOAD_MAX];
    uint8_t stored[UBI__UBIREC_BLOCK_HEADER_BYTES + UBI__UBIREC_BLOCK_RAW_MAX];
};

/* What has gathered has room where it goes, and no event comes after the end. */
static void writer_check(const ubi__ubirec_writer *w) {
    UBI_ASSERT(w->n_raw <= sizeof w->raw && w->n_payload <= sizeof w->payload);
    UBI_ASSERT(w->block_bytes <= sizeof w->raw && w->block_bytes >= SMALLEST_BLOCK);
    UBI_ASSERT(w->block_time_ns == 0 || w->block_time_ns == w->time_ns);
    UBI_ASSERT(w->thread < w->n_threads || w->thread == 0);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

static ubi_status hand_on(ubi__ubirec_writer *w, const void *data, size_t n) {
    UBI_TRY(w->write(w->write_payload, data, n));
    w->bytes_out += n;
    return UBI_OK;
}

/* A ubi__write_fn: what the compressor makes, as far as it is worth having. */
static ubi_status store_deflated(void *payload, const void *data, size_t n) {
    ubi__ubirec_writer *w = payload;
    w->is_stored_full = w->is_stored_full || w->n_stored + n >= w->n_raw;
    if (w->is_stored_full)
        return UBI_OK;
    memcpy(w->stored + UBI__UBIREC_BLOCK_HEADER_BYTES + w->n_stored, data, n);
    w->n_stored += n;
    return UBI_OK;
}

static ubi_status deflate_block(ubi__ubirec_writer *w) {
    ubi__deflate *deflater;
    w->n_stored = 0;
    w->is_stored_full = false;
    UBI_TRY(ubi__deflate_new(&deflater, LEVEL, store_deflated, w, w->allocator));
    ubi_status status = ubi__deflate_write(deflater, w->raw, w->n_raw);
    if (status == UBI_OK)
        status = ubi__deflate_finish(deflater);
    ubi__deflate_free(deflater);
    return status;
}

/* What one failing write can lose is little compared to what is there, and not much at the start. */
static size_t next_block_bytes(const ubi__ubirec_writer *w) {
    if (w->bytes_out >= UBI__UBIREC_BLOCK_RAW_MAX)
        return UBI__UBIREC_BLOCK_RAW_MAX;
    return w->bytes_out < SMALLEST_BLOCK ? SMALLEST_BLOCK : (size_t)w->bytes_out;
}

static void put_u32(uint8_t *at, uint32_t value) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

ubi_status ubi__ubirec_flush(ubi__ubirec_writer *w) {
    uint8_t *header = w->stored;
    writer_check(w);
    if (w->n_raw == 0)
        return UBI_OK;
    UBI_TRY(deflate_block(w));
    if (w->is_stored_full) {
        memcpy(header + UBI__UBIREC_BLOCK_HEADER_BYTES, w->raw, w->n_raw);
        w->n_stored = w->n_raw;
    }
    UBI_ASSERT(w->n_stored <= w->n_raw);
    memset(header, 0, UBI__UBIREC_BLOCK_HEADER_BYTES);
    header[0] = UBI__UBIREC_BLOCK_RECORDS;
    header[1] = (uint8_t)(w->is_stored_full ? 0 : UBI__UBIREC_BLOCK_DEFLATED);
    put_u32(header + 4, (uint32_t)w->n_stored);
    put_u32(header + 8, (uint32_t)w->n_raw);
    uLong crc = crc32(0, header, UBI__UBIREC_BLOCK_CRC_AT);
    crc = crc32(crc, header + UBI__UBIREC_BLOCK_HEADER_BYTES, (uInt)w->n_stored);
    put_u32(header + UBI__UBIREC_BLOCK_CRC_AT, (uint32_t)crc);
    UBI_TRY(hand_on(w, w->stored, UBI__UBIREC_BLOCK_HEADER_BYTES + w->n_stored));
    w->n_raw = 0;
    w->index.n_blocks++;
    w->block_time_ns = 0;
    w->block_bytes = next_block_bytes(w);
    return UBI_OK;
}

ubi_status ubi__ubirec_finish(ubi__ubirec_writer *w) {
    uint8_t block[UBI__UBIREC_INDEX_BYTES];
    UBI_TRY(ubi__ubirec_flush(w));
    w->index.time_ns = w->time_ns;
    w->index.n_allocations = w->n_allocations;
    w->index.n_threads = w->n_threads;
    w->index.n_modules = ubi__tuple_table_count(&w->modules);
    w->index.n_frames = ubi__tuple_table_count(&w->frames);
    w->index.n_traces = ubi__tuple_table_count(&w->traces);
    ubi__ubirec_index_write(block, &w->index);
    return hand_on(w, block, sizeof block);
}

static ubi_status write_header(ubi__ubirec_writer *w) {
    uint8_t header[UBI__UBIREC_HEADER_BYTES] = { 0 };
    memcpy(header, UBI__UBIREC_MAGIC, UBI__UBIREC_MAGIC_BYTES);
    put_u32(header + UBI__UBIREC_MAGIC_BYTES, UBI__UBIREC_VERSION);
    return hand_on(w, header, sizeof header);
}

ubi_status ubi__ubirec_writer_new(ubi__ubirec_writer **out, ubi__write_fn write, void *payload,
                                  const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__ubirec_writer *w = UBI_NEW(a, ubi__ubirec_writer);
    if (!w)
        return ubi__fail_nomem();
    w->allocator = a;
    w->write = write;
    w->write_payload = payload;
    w->block_bytes = SMALLEST_BLOCK;
    ubi__strtab_init(&w->strings, a);
    ubi__tuple_table_init(&w->modules, 4, "modules", a);
    ubi__tuple_table_init(&w->frames, 3, "frames", a);
    ubi__tuple_table_init(&w->traces, 1, "traces", a);
    ubi__tuple_table_init(&w->kinds, 1, "kinds", a);
    ubi__tuple_table_init(&w->infos, 3, "infos", a);
    ubi_status status = write_header(w);
    if (status != UBI_OK) {
        ubi__ubirec_writer_free(w);
        return status;
    }
    *out = w;
    return UBI_OK;
}

void ubi__ubirec_writer_free(ubi__ubirec_writer *w) {
    if (!w)
        return;
    ubi__strtab_fini(&w->strings);
    ubi__tuple_table_fini(&w->modules);
    ubi__tuple_table_fini(&w->frames);
    ubi__tuple_table_fini(&w->traces);
    ubi__tuple_table_fini(&w->kinds);
    ubi__tuple_table_fini(&w->infos);
    if (w->lately)
        ubi__free_array(w->allocator, w->lately, (size_t)1 << LATELY_LOG2, sizeof *w->lately);
    UBI_DELETE(w->allocator, w);
}

uint64_t ubi__ubirec_bytes_out(const ubi__ubirec_writer *w) {
    return w->bytes_out;
}

uint64_t ubi__ubirec_allocation_count(const ubi__ubirec_writer *w) {
    return w->n_allocations;
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

static inline size_t put_varint(uint8_t *at, uint64_t value) {
    size_t n = 0;
    for (; value >= 128; value >>= 7)
        at[n++] = (uint8_t)(value | 128);
    at[n++] = (uint8_t)value;
    return n;
}

/* Room for a record in this block or the next. A record that is larger than a block should be has one of its own. */
static inline ubi_status raw_reserve(ubi__ubirec_writer *w, size_t n) {
    return ubi__likely(w->n_raw + n <= w->block_bytes) ? UBI_OK : ubi__ubirec_flush(w);
}

static inline ubi_status put_op(ubi__ubirec_writer *w, unsigned op, uint64_t argument) {
    UBI_TRY(raw_reserve(w, VARINT_MAX));
    w->n_raw += put_varint(w->raw + w->n_raw, argument << UBI__UBIREC_OP_BITS | op);
    return UBI_OK;
}

/* The payload grows by these, none of which can exceed it: texts are cut, and there are few of them. */
static void payload_add(ubi__ubirec_writer *w, uint64_t value) {
    w->n_payload += put_varint(w->payload + w->n_payload, value);
}

static void payload_add_bytes(ubi__ubirec_writer *w, const void *data, size_t n) {
    payload_add(w, n);
    if (n)
        memcpy(w->payload + w->n_payload, data, n);
    w->n_payload += n;
}

static ubi_text cut_text(ubi_text text, size_t max) {
    return (ubi_text){ text.ptr, text.len < max ? text.len : max };
}

static void payload_add_text(ubi__ubirec_writer *w, ubi_text text, size_t max) {
    text = cut_text(text, max);
    payload_add_bytes(w, text.ptr, text.len);
}

/* What was added becomes a record. */
static ubi_status put_other(ubi__ubirec_writer *w, ubi__ubirec_type type) {
    UBI_ASSERT(w->n_payload <= sizeof w->payload);
    UBI_TRY(raw_reserve(w, 2 * VARINT_MAX + w->n_payload));
    w->n_raw += put_varint(w->raw + w->n_raw, (uint64_t)type << UBI__UBIREC_OP_BITS | UBI__UBIREC_OP_OTHER);
    w->n_raw += put_varint(w->raw + w->n_raw, w->n_payload);
    memcpy(w->raw + w->n_raw, w->payload, w->n_payload);
    w->n_raw += w->n_payload;
    UBI_ASSERT(w->n_raw <= sizeof w->raw);
    w->n_payload = 0;
    return UBI_OK;
}

static ubi_status put_numbers(ubi__ubirec_writer *w, ubi__ubirec_type type, const uint64_t *numbers, size_t n) {
    for (size_t i = 0; i < n; i++)
        payload_add(w, numbers[i]);
    return put_other(w, type);
}

#define PUT(w, type, ...)                                                                                              \
    put_numbers((w), (type), (const uint64_t[]){ __VA_ARGS__ },                                                        \
                sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* ---- what is numbered --------------------------------------------------------------------------------------------- */

static ubi_status number_string(ubi__ubirec_writer *w, uint32_t *out, ubi_text text) {
    uint32_t n = ubi__strtab_count(&w->strings);
    text = cut_text(text, UBI__UBIREC_TEXT_MAX);
    UBI_TRY(ubi__strtab_intern(&w->strings, out, text));
    if (*out < n)
        return UBI_OK;
    payload_add_text(w, text, UBI__UBIREC_TEXT_MAX);
    return put_other(w, UBI__UBIREC_STRING);
}

ubi_status ubi__ubirec_module(ubi__ubirec_writer *w, uint32_t *out, const ubi__ubirec_module_about *m) {
    uint32_t path, build_id;
    bool is_new;
    ubi_text id = { (const char *)m->build_id, m->build_id_bytes };
    UBI_TRY(number_string(w, &path, m->path));
    UBI_TRY(number_string(w, &build_id, cut_text(id, UBI__UBIREC_BUILD_ID_MAX)));
    bool is_anywhere = m->build_id_bytes > 0 && m->end == 0;
    const uint64_t tuple[] = { (uint64_t)(is_anywhere ? UBI_NONE : path) << 32 | build_id, m->bias, m->start, m->end };
    UBI_TRY(ubi__tuple_table_number(&w->modules, out, &is_new, tuple));
    return is_new ? PUT(w, UBI__UBIREC_MODULE, path, build_id, m->bias, m->start, m->end) : UBI_OK;
}

ubi_status ubi__ubirec_native_frame(ubi__ubirec_writer *w, uint32_t *out, uint32_t module, uint64_t offset) {
    UBI_ASSERT(module < ubi__tuple_table_count(&w->modules));
    const uint64_t tuple[] = { UBI__UBIREC_NATIVE_FRAME, module, offset };
    bool is_new;
    UBI_TRY(ubi__tuple_table_number(&w->frames, out, &is_new, tuple));
    return is_new ? PUT(w, UBI__UBIREC_NATIVE_FRAME, module, offset) : UBI_OK;
}

ubi_status ubi__ubirec_raw_frame(ubi__ubirec_writer *w, uint32_t *out, uint64_t address) {
    const uint64_t tuple[] = { UBI__UBIREC_RAW_FRAME, address, 0 };
    bool is_new;
    UBI_TRY(ubi__tuple_table_number(&w->frames, out, &is_new, tuple));
    return is_new ? PUT(w, UBI__UBIREC_RAW_FRAME, address) : UBI_OK;
}

ubi_status ubi__ubirec_script_frame(ubi__ubirec_writer *w, uint32_t *out, ubi_text function, ubi_text file,
                                    uint32_t line, uint32_t column) {
    uint32_t function_ix, file_ix;
    bool is_new;
    UBI_TRY(number_string(w, &function_ix, function));
    UBI_TRY(number_string(w, &file_ix, file));
    const uint64_t tuple[] = { (uint64_t)function_ix << 32 | UBI__UBIREC_SCRIPT_FRAME, file_ix,
                               (uint64_t)line << 32 | column };
    UBI_TRY(ubi__tuple_table_number(&w->frames, out, &is_new, tuple));
    return is_new ? PUT(w, UBI__UBIREC_SCRIPT_FRAME, function_ix, file_ix, line, column) : UBI_OK;
}

ubi_status ubi__ubirec_label_frame(ubi__ubirec_writer *w, uint32_t *out, ubi_text text) {
    uint32_t text_ix;
    bool is_new;
    UBI_TRY(number_string(w, &text_ix, text));
    const uint64_t tuple[] = { UBI__UBIREC_LABEL_FRAME, text_ix, 0 };
    UBI_TRY(ubi__tuple_table_number(&w->frames, out, &is_new, tuple));
    return is_new ? PUT(w, UBI__UBIREC_LABEL_FRAME, text_ix) : UBI_OK;
}

/* Row i of the table is trace i + 1, so that trace 0 can be none. */
ubi_status ubi__ubirec_trace(ubi__ubirec_writer *w, uint32_t *out, uint32_t caller, uint32_t frame) {
    UBI_ASSERT(caller <= ubi__tuple_table_count(&w->traces) && frame < ubi__tuple_table_count(&w->frames));
    const uint64_t tuple = (uint64_t)caller << 32 | frame;
    uint32_t row;
    bool is_new;
    UBI_TRY(ubi__tuple_table_number(&w->traces, &row, &is_new, &tuple));
    *out = row + 1;
    if (!is_new)
        return UBI_OK;
    UBI_TRY(raw_reserve(w, 2 * VARINT_MAX)); /* both in one block */
    UBI_TRY(put_op(w, UBI__UBIREC_OP_TRACE, *out - caller));
    w->n_raw += put_varint(w->raw + w->n_raw, frame);
    return UBI_OK;
}

ubi_status ubi__ubirec_kind(ubi__ubirec_writer *w, uint32_t *out, ubi_text word, ubi__ubirec_class class_of_kind) {
    uint32_t word_ix;
    bool is_new;
    UBI_TRY(number_string(w, &word_ix, word));
    const uint64_t tuple = (uint64_t)class_of_kind << 32 | word_ix;
    UBI_TRY(ubi__tuple_table_number(&w->kinds, out, &is_new, &tuple));
    return is_new ? PUT(w, UBI__UBIREC_KIND, word_ix, class_of_kind) : UBI_OK;
}

/* False: such an info is not among those that are kept here. */
static inline bool late_key(uint64_t *out, uint32_t kind, uint64_t size_bytes, uint32_t trace) {
    *out = ((uint64_t)trace << LATELY_KIND_BITS | kind) << LATELY_SIZE_BITS | size_bytes;
    return size_bytes >> LATELY_SIZE_BITS == 0 && kind >> LATELY_KIND_BITS == 0;
}
_Static_assert(32 + LATELY_KIND_BITS + LATELY_SIZE_BITS == 64, "a key is a trace, a kind and a size");

static inline late_info *late_set(const ubi__ubirec_writer *w, uint64_t key) {
    return &w->lately[(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LATELY_LOG2)) & ~(uint64_t)(LATELY_WAYS - 1)];
}

void ubi__ubirec_info_prefetch(const ubi__ubirec_writer *w, uint32_t kind, uint64_t size_bytes, uint32_t trace) {
    uint64_t key;
    if (w->lately && late_key(&key, kind, size_bytes, trace))
        __builtin_prefetch(late_set(w, key), 1);
}

static ubi_status number_info(ubi__ubirec_writer *w, uint32_t *out, uint32_t kind, uint64_t size_bytes, uint32_t trace,
                              uint64_t weight_bytes) {
    const uint64_t tuple[] = { (uint64_t)kind << 32 | trace, size_bytes, weight_bytes };
    bool is_new;
    UBI_TRY(ubi__tuple_table_number(&w->infos, out, &is_new, tuple));
    if (!is_new)
        return UBI_OK;
    if (!w->lately && ubi__tuple_table_count(&w->infos) == LATELY_FROM_INFOS)
        w->lately = ubi__calloc_array(w->allocator, (size_t)1 << LATELY_LOG2, sizeof *w->lately);
    uint64_t ago = ubi__tuple_table_count(&w->traces) - trace; /* most have the newest trace */
    if (weight_bytes == size_bytes)
        return PUT(w, UBI__UBIREC_INFO, kind, size_bytes, ago);
    return PUT(w, UBI__UBIREC_INFO, kind, size_bytes, ago, weight_bytes);
}

/* The oldest of its set makes room. */
static void keep_late(late_info *set, uint64_t key, uint32_t number) {
    memmove(set + 1, set, (LATELY_WAYS - 1) * sizeof *set);
    set[0] = (late_info){ key, number + 1 };
}

static inline ubi_status late_info_number(ubi__ubirec_writer *w, uint32_t *out, uint32_t kind, uint64_t size_bytes,
                                          uint32_t trace, uint64_t weight_bytes) {
    uint64_t key;
    UBI_ASSERT(kind < ubi__tuple_table_count(&w->kinds) && trace <= ubi__tuple_table_count(&w->traces));
    if (!w->lately || weight_bytes != size_bytes || !late_key(&key, kind, size_bytes, trace))
        return number_info(w, out, kind, size_bytes, trace, weight_bytes);
    late_info *set = late_set(w, key);
    for (size_t i = 0; i < LATELY_WAYS; i++)
        if (set[i].key == key && set[i].number_and_1) {
            *out = set[i].number_and_1 - 1;
            return UBI_OK;
        }
    UBI_TRY(number_info(w, out, kind, size_bytes, trace, weight_bytes));
    keep_late(set, key, *out);
    return UBI_OK;
}

ubi_status ubi__ubirec_info(ubi__ubirec_writer *w, uint32_t *out, uint32_t kind, uint64_t size_bytes, uint32_t trace,
                            uint64_t weight_bytes) {
    return late_info_number(w, out, kind, size_bytes, trace, weight_bytes);
}

ubi_status ubi__ubirec_thread(ubi__ubirec_writer *w, uint32_t *out, uint64_t tid, ubi_text name) {
    uint32_t name_ix;
    if (w->n_threads >= UBI_NONE - 1)
        return ubi__fail(UBI_ELIMIT, "a recording has at most %u threads", UBI_NONE - 1);
    UBI_TRY(number_string(w, &name_ix, name));
    UBI_TRY(PUT(w, UBI__UBIREC_THREAD, tid, name_ix));
    *out = w->n_threads++;
    return UBI_OK;
}

/* ---- what happens ------------------------------------------------------------------------------------------------- */

ubi_status ubi__ubirec_write_about(ubi__ubirec_writer *w, const ubi__ubirec_about *about) {
    w->index.is_exact = about->period_bytes == 1;
    payload_add(w, about->pid);
    payload_add(w, about->parent_pid);
    payload_add(w, about->period_bytes);
    payload_add(w, about->start_unix_ns);
    payload_add(w, about->recording_start_ns);
    payload_add(w, about->page_bytes);
    payload_add_text(w, about->program, UBI__UBIREC_TEXT_MAX);
    payload_add_text(w, about->arguments, UBI__UBIREC_TEXT_MAX);
    payload_add_text(w, about->writer, UBI__UBIREC_SHORT_TEXT_MAX);
    payload_add_text(w, about->system, UBI__UBIREC_SHORT_TEXT_MAX);
    if (about->recording)
        payload_add(w, about->recording);
    return put_other(w, UBI__UBIREC_ABOUT);
}

ubi_status ubi__ubirec_write_time(ubi__ubirec_writer *w, uint64_t time_ns) {
    if (time_ns <= w->time_ns)
        return UBI_OK;
    /* Before the difference is taken, which a new block would change. */
    UBI_TRY(raw_reserve(w, 3 * VARINT_MAX));
    UBI_TRY(PUT(w, UBI__UBIREC_TIME, time_ns - w->block_time_ns));
    w->time_ns = w->block_time_ns = time_ns;
    return UBI_OK;
}

ubi_status ubi__ubirec_write_thread(ubi__ubirec_writer *w, uint32_t thread) {
    if (thread == w->thread)
        return UBI_OK;
    UBI_ASSERT(thread < w->n_threads);
    UBI_TRY(PUT(w, UBI__UBIREC_SWITCH, thread));
    w->thread = thread;
    return UBI_OK;
}

ubi_status ubi__ubirec_write_started(ubi__ubirec_writer *w, ubi_text name, uint64_t count, ubi__unrecorded why) {
    uint32_t name_ix;
    UBI_TRY(number_string(w, &name_ix, name));
    return PUT(w, UBI__UBIREC_STARTED, name_ix, count, why);
}

ubi_status ubi__ubirec_write_use(ubi__ubirec_writer *w, const ubi__ubirec_use_row *row, ubi_text name) {
    uint32_t name_ix = UBI_NONE; /* 0 is written for none */
    if (name.ptr)
        UBI_TRY(number_string(w, &name_ix, name));
    return PUT(w, UBI__UBIREC_USE, row->table, row->is_divided, row->time_ns, row->kind, (uint32_t)(name_ix + 1),
               row->resident_bytes, row->share_bytes, row->swapped_bytes);
}

ubi_status ubi__ubirec_write_uses(ubi__ubirec_writer *w, const ubi__residence *r, uint32_t table, uint64_t time_ns) {
    for (size_t i = 0; i < r->rows.n; i++) {
        const ubi__residence_row *row = &r->rows.at[i];
        const ubi__ubirec_use_row use = { .table = table,
                                          .is_divided = r->is_divided,
                                          .time_ns = time_ns,
                                          .kind = row->kind,
                                          .resident_bytes = row->amount.resident_bytes,
                                          .share_bytes = row->amount.share_bytes,
                                          .swapped_bytes = row->amount.swapped_bytes };
        UBI_TRY(ubi__ubirec_write_use(w, &use, ubi__strtab_get(&r->names, row->name)));
    }
    return UBI_OK;
}

ubi_status ubi__ubirec_write_companion(ubi__ubirec_writer *w, ubi_text suffix, ubi_text name) {
    uint32_t suffix_ix, name_ix;
    UBI_TRY(number_string(w, &suffix_ix, suffix));
    UBI_TRY(number_string(w, &name_ix, name));
    UBI_TRY(PUT(w, UBI__UBIREC_COMPANION, suffix_ix, name_ix));
    return ubi__ubirec_write_counter(w, UBI__UBIREC_COMPANIONS, w->index.counters[UBI__UBIREC_COMPANIONS] + 1);
}

ubi_status ubi__ubirec_write_thread_name(ubi__ubirec_writer *w, uint32_t thread, ubi_text name) {
    uint32_t name_ix;
    UBI_TRY(number_string(w, &name_ix, name));
    return PUT(w, UBI__UBIREC_THREAD_NAME, thread, name_ix);
}

ubi_status ubi__ubirec_write_alloc(ubi__ubirec_writer *w, uint64_t *number, uint32_t info) {
    UBI_ASSERT(info < ubi__tuple_table_count(&w->infos) && w->thread < w->n_threads && !w->index.has_end);
    UBI_TRY(put_op(w, UBI__UBIREC_OP_ALLOC, info));
    *number = w->n_allocations++;
    return UBI_OK;
}

ubi_status ubi__ubirec_write_alloc_of(ubi__ubirec_writer *w, uint64_t *number, uint32_t kind, uint64_t size_bytes,
                                      uint32_t trace, uint64_t weight_bytes) {
    uint32_t info;
    UBI_TRY(late_info_number(w, &info, kind, size_bytes, trace, weight_bytes));
    return ubi__ubirec_write_alloc(w, number, info);
}

ubi_status ubi__ubirec_write_free(ubi__ubirec_writer *w, uint64_t number) {
    UBI_ASSERT(number < w->n_allocations && !w->index.has_end);
    w->index.n_frees++;
    return put_op(w, UBI__UBIREC_OP_FREE, w->n_allocations - 1 - number);
}

ubi_status ubi__ubirec_write_free_undone(ubi__ubirec_writer *w, uint64_t number, uint32_t info) {
    UBI_ASSERT(number < w->n_allocations && info < ubi__tuple_table_count(&w->infos) && !w->index.has_end);
    w->index.n_frees--;
    return PUT(w, UBI__UBIREC_FREE_UNDONE, w->n_allocations - 1 - number, info);
}

ubi_status ubi__ubirec_write_left(ubi__ubirec_writer *w, uint64_t number) {
    UBI_ASSERT(number < w->n_allocations && !w->index.has_end);
    return PUT(w, UBI__UBIREC_LEFT, w->n_allocations - 1 - number);
}

ubi_status ubi__ubirec_write_rss(ubi__ubirec_writer *w, uint64_t bytes) {
    return PUT(w, UBI__UBIREC_RSS, bytes);
}

ubi_status ubi__ubirec_write_counter(ubi__ubirec_writer *w, ubi__ubirec_counter counter, uint64_t value) {
    w->index.counters[counter] = value;
    return PUT(w, UBI__UBIREC_COUNTED, counter, value);
}

ubi_status ubi__ubirec_write_period(ubi__ubirec_writer *w, uint64_t period_bytes) {
    w->index.is_exact &= period_bytes == 1;
    if (w->lately)
        memset(w->lately, 0, ((size_t)1 << LATELY_LOG2) * sizeof *w->lately);
    ubi__tuple_table_start_anew(&w->infos); /* equal ones would have another variance now */
    return PUT(w, UBI__UBIREC_PERIOD, period_bytes);
}

ubi_status ubi__ubirec_write_marker(ubi__ubirec_writer *w, const ubi__ubirec_marker *m) {
    uint32_t name, details;
    w->index.n_markers += ubi__ubirec_marker_counts(m->type);
    bool fits = m->details.len <= UBI__UBIREC_TEXT_MAX; /* half a document is useless */
    UBI_TRY(number_string(w, &name, m->name));
    UBI_TRY(number_string(w, &details, fits ? m->details : (ubi_text){ "", 0 }));
    return PUT(w, UBI__UBIREC_MARKER, name, m->time_ns, m->type, m->process_type, m->is_off_main_thread, m->thread,
               m->trace, details);
}

ubi_status ubi__ubirec_write_symbols(ubi__ubirec_writer *w, uint32_t frame, const ubi__ubirec_symbol *symbols,
                                     size_t n) {
    uint32_t texts[UBI__UBIREC_SYMBOLS_MAX][2];
    if (n > UBI__UBIREC_SYMBOLS_MAX) {
        symbols += n - UBI__UBIREC_SYMBOLS_MAX;
        n = UBI__UBIREC_SYMBOLS_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        UBI_TRY(number_string(w, &texts[i][0], symbols[i].function));
        UBI_TRY(number_string(w, &texts[i][1], symbols[i].file));
    }
    UBI_ASSERT(frame < ubi__tuple_table_count(&w->frames));
    payload_add(w, frame);
    payload_add(w, n);
    for (size_t i = 0; i < n; i++) {
        payload_add(w, texts[i][0]);
        payload_add(w, texts[i][1]);
        payload_add(w, symbols[i].line);
        payload_add(w, symbols[i].column);
    }
    return put_other(w, UBI__UBIREC_SYMBOLS);
}

ubi_status ubi__ubirec_write_action(ubi__ubirec_writer *w, ubi__ubirec_action action, uint64_t time_ns) {
    UBI_ASSERT(action < UBI__UBIREC_ACTION_COUNT && !w->index.has_end);
    return PUT(w, UBI__UBIREC_ACTION, action, time_ns);
}

ubi_status ubi__ubirec_write_end(ubi__ubirec_writer *w, const ubi__ubirec_end *end) {
    UBI_ASSERT(!w->index.has_end && end->reason < UBI__UBIREC_END_REASON_COUNT);
    w->index.has_end = true;
    w->index.end = *end;
    return PUT(w, UBI__UBIREC_END, end->reason, end->value);
}
