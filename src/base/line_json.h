/* SPDX-License-Identifier: MIT
 *
 * line_json.h: JSON text, such as that of a line, read as slices of it.
 *
 * A cursor stands in an object or array and gives one value after the other; an object or array in it is a slice that another
 * cursor can be opened on. Nothing is allocated but for strings with escapes, and nothing recurses. What is no JSON is
 * found at the latest when the cursor has passed it, and then stays at `fault`.
 */
#ifndef UBI_BASE_LINE_JSON_H
#define UBI_BASE_LINE_JSON_H

#include "base/alloc.h"

/** Deeper values are refused. */
#define UBI__LINE_DEPTH 256

typedef enum ubi__line_type {
    UBI__LINE_NULL,
    UBI__LINE_FALSE,
    UBI__LINE_TRUE,
    UBI__LINE_NUMBER,
    UBI__LINE_STRING,
    UBI__LINE_ARRAY,
    UBI__LINE_OBJECT
} ubi__line_type;

/** `raw`: of a string what is between the quotes; else all of it. */
typedef struct ubi__line_value {
    ubi__line_type type;
    bool has_escapes;
    ubi_text raw;
} ubi__line_value;

typedef struct ubi__line_cursor {
    const char *at, *end;
    bool is_first;
    const char *fault; /* what was expected instead of what stands at `at`; NULL: all was well so far */
} ubi__line_cursor;

/** Opens the object or array that `text` consists of, apart from white space around it. */
void ubi__line_open(ubi__line_cursor *c, ubi_text text, ubi__line_type type);
/** The value that `text` consists of, apart from white space around it, checked to its end. False: see c->fault and c->at. */
bool ubi__line_whole(ubi__line_cursor *c, ubi__line_value *out, ubi_text text);
/** The next member; false at the end, where nothing may follow, and at a fault. */
bool ubi__line_next_member(ubi__line_cursor *c, ubi__line_value *key, ubi__line_value *value);
/** The same of an array. */
bool ubi__line_next_element(ubi__line_cursor *c, ubi__line_value *value);

/** Whether a string without escapes is `text`. */
bool ubi__line_is(const ubi__line_value *value, const char *text);
/** A string's text: in the line, or, with escapes, in `scratch`, which it replaces. Lone surrogates become WTF-8. */
ubi_status ubi__line_text(ubi_text *out, const ubi__line_value *value, ubi__vec_u8 *scratch, const ubi_allocator *a);
/** The nearest double; false for no number, and for one that is too large or of more than 400 characters. */
bool ubi__line_number(double *out, const ubi__line_value *value);
/** A whole number that fits; false for all else. */
bool ubi__line_u64(uint64_t *out, const ubi__line_value *value);
/** Milliseconds as nanoseconds: exact up to six decimals, else rounded. False for what is negative or does not fit. */
bool ubi__line_ns(uint64_t *out, const ubi__line_value *value);

#endif
