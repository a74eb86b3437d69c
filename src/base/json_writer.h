/* SPDX-License-Identifier: MIT
 *
 * json_writer.h: streaming JSON output, byte for byte what JavaScript's JSON.stringify gives.
 *
 * The writer puts commas and indentation; the caller opens, names and closes. It keeps a few flags and a fixed buffer, so
 * nothing is held in memory and depth has no limit. The first write error sticks and turns later calls into no-ops.
 *
 * Checked builds see members outside objects, values without a key, and ends that match no begin (the 64 outermost levels).
 */
#ifndef UBI_BASE_JSON_WRITER_H
#define UBI_BASE_JSON_WRITER_H

#include <ubiheap/core/base.h>

#include "base/server_api.h"

#define UBI__JSON_BUFFER 8192

typedef struct ubi__json {
    bool (*write)(void *payload, const void *data, size_t n);
    void *payload;
    bool has_failed;      /* a write was refused */
    bool is_pretty;       /* two-space indentation, one entry per line */
    bool is_for_terminal; /* escape U+007F to U+009F too, which JSON allows and terminals obey; set it after init */
    bool needs_comma;
    bool is_after_key;
    uint32_t depth;
    uint64_t objects; /* bit d: the level inside d others is an object, else an array; kept in checked builds */
    size_t n;
    char buffer[UBI__JSON_BUFFER];
} ubi__json;

UBI__SERVER_API void ubi__json_init(ubi__json *j, bool (*write)(void *, const void *, size_t), void *payload,
                                    bool pretty);
/** Writes what is buffered. UBI_OK, or UBI_EIO when any write was refused. */
UBI__SERVER_API ubi_status ubi__json_flush(ubi__json *j);
/** Invariants; checked builds run it whenever the buffer is written. */
void ubi__json_check(const ubi__json *j);

UBI__SERVER_API void ubi__json_object_begin(ubi__json *j);
UBI__SERVER_API void ubi__json_object_end(ubi__json *j);
UBI__SERVER_API void ubi__json_array_begin(ubi__json *j);
UBI__SERVER_API void ubi__json_array_end(ubi__json *j);
UBI__SERVER_API void ubi__json_key(ubi__json *j, const char *key);
UBI__SERVER_API void ubi__json_key_text(ubi__json *j, ubi_text key);
UBI__SERVER_API void ubi__json_null(ubi__json *j);
UBI__SERVER_API void ubi__json_bool(ubi__json *j, bool value);
UBI__SERVER_API void ubi__json_string(ubi__json *j, const char *value);
/** NULL text gives null. Lone surrogates as \uXXXX, bytes that are not UTF-8 as \\xNN. */
UBI__SERVER_API void ubi__json_text(ubi__json *j, ubi_text value);
/** A value that is valid JSON text already; white space between its tokens is dropped. */
UBI__SERVER_API void ubi__json_raw(ubi__json *j, ubi_text json);
/** As JavaScript prints the double nearest to it. */
UBI__SERVER_API void ubi__json_u64(ubi__json *j, uint64_t value);
void ubi__json_i64(ubi__json *j, int64_t value);
UBI__SERVER_API void ubi__json_double(ubi__json *j, double value);
/** A number when a double holds it exactly, else a string of digits. */
UBI__SERVER_API void ubi__json_node_id(ubi__json *j, uint64_t id);

/* A key and its value, in an open object. */
UBI__SERVER_API void ubi__json_member_object(ubi__json *j, const char *key); /* opens it, as ubi__json_object_begin */
UBI__SERVER_API void ubi__json_member_array(ubi__json *j, const char *key);  /* opens it, as ubi__json_array_begin */
UBI__SERVER_API void ubi__json_member_null(ubi__json *j, const char *key);
UBI__SERVER_API void ubi__json_member_bool(ubi__json *j, const char *key, bool value);
UBI__SERVER_API void ubi__json_member_string(ubi__json *j, const char *key, const char *value);
UBI__SERVER_API void ubi__json_member_text(ubi__json *j, const char *key, ubi_text value);
UBI__SERVER_API void ubi__json_member_raw(ubi__json *j, const char *key, ubi_text json);
UBI__SERVER_API void ubi__json_member_u64(ubi__json *j, const char *key, uint64_t value);
UBI__SERVER_API void ubi__json_member_i64(ubi__json *j, const char *key, int64_t value);
UBI__SERVER_API void ubi__json_member_double(ubi__json *j, const char *key, double value);
UBI__SERVER_API void ubi__json_member_node_id(ubi__json *j, const char *key, uint64_t id);
/* The value, or null when it is unknown. */
void ubi__json_member_u64_or_null(ubi__json *j, const char *key, bool is_known, uint64_t value);
void ubi__json_member_node_id_or_null(ubi__json *j, const char *key, bool is_known, uint64_t id);

/** JavaScript's Number::toString of a double; NUL-terminated. `out` takes 32 bytes. */
size_t ubi__number_text(char out[32], double value);

#endif
