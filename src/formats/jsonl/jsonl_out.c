/* SPDX-License-Identifier: MIT
 *
 * jsonl_out.c: see jsonl_out.h.
 */
#include "formats/jsonl/jsonl_out.h"

#include "base/json_writer.h"
#include "base/status.h"

/* Up to this every integer is its own JSON number. */
#define EXACT_INTEGER_LIMIT (UINT64_C(1) << 53)

ubi_status ubi__jsonl_out_init(ubi__jsonl_out *out, const ubi_allocator *a) {
    out->buffer = ubi__alloc_array(a, UBI__JSONL_BUFFER_BYTES, 1);
    return out->buffer ? UBI_OK : ubi__fail_nomem();
}

void ubi__jsonl_out_fini(ubi__jsonl_out *out, const ubi_allocator *a) {
    ubi__free_array(a, out->buffer, UBI__JSONL_BUFFER_BYTES, 1);
}

ubi_status ubi__jsonl_drain(ubi__jsonl_out *out) {
    if (!ubi__progress(&out->progress, "writing", out->n_done, out->n_total))
        return ubi__fail_cancelled();
    size_t n = out->n;
    out->n = 0;
    out->n_written += n;
    return n ? out->write(out->payload, out->buffer, n) : UBI_OK;
}

void ubi__jsonl_add_digits(ubi__jsonl_out *out, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    ubi__jsonl_add(out, digits + at, sizeof digits - at);
}

static bool add_json(void *payload, const void *data, size_t n) {
    ubi__jsonl_add(payload, data, n);
    return true;
}

/* A number that a double may round; an id then becomes a string. */
static void add_large(ubi__jsonl_out *out, uint64_t value, bool is_id) {
    ubi__json json;
    ubi__json_init(&json, add_json, out, false);
    if (is_id)
        ubi__json_node_id(&json, value);
    else
        ubi__json_u64(&json, value);
    ubi__json_flush(&json);
}

void ubi__jsonl_add_id(ubi__jsonl_out *out, uint64_t id) {
    if (ubi__likely(id <= EXACT_INTEGER_LIMIT))
        ubi__jsonl_add_digits(out, id);
    else
        add_large(out, id, true);
}

void ubi__jsonl_add_size(ubi__jsonl_out *out, uint64_t size_bytes) {
    if (ubi__likely(size_bytes <= EXACT_INTEGER_LIMIT))
        ubi__jsonl_add_digits(out, size_bytes);
    else
        add_large(out, size_bytes, false);
}

ubi_status ubi__jsonl_put(ubi__jsonl_out *out, ubi_text text) {
    while (text.len) {
        UBI_TRY(ubi__jsonl_reserve(out, 1));
        size_t room = UBI__JSONL_BUFFER_BYTES - out->n, n = text.len < room ? text.len : room;
        ubi__jsonl_add(out, text.ptr, n);
        text.ptr += n;
        text.len -= n;
    }
    return UBI_OK;
}
