/* SPDX-License-Identifier: MIT
 *
 * json_reader.h: the one reader of JSON: breakdowns, files of lines, messages. Values are slices of the text.
 *
 * A cursor is opened on an object or array and gives one value after the other; an object or array in it is a slice that
 * another cursor can be opened on. Nothing is allocated except for strings with escapes, and nothing recurses. What is not
 * JSON is found at the latest when the cursor has passed it, and then stays at `fault`.
 *
 * Our own, because libraries lose what heaps hold: lone surrogates, U+0000 in strings, integers above 2^53, times to the
 * nanosecond; and one that was tried drops characters when memory runs out. Two readers are special: formats/v8 decodes
 * columns of numbers at the speed of memory, formats/json_beginning looks at the cut beginning of a file.
 */
#ifndef UBI_BASE_JSON_READER_H
#define UBI_BASE_JSON_READER_H

#include "base/alloc.h"
#include "base/server_api.h"

/** Levels below a value that is read; deeper ones are refused. */
#define UBI__JSON_DEPTH 256

typedef enum ubi__json_type {
    UBI__JSON_NULL,
    UBI__JSON_FALSE,
    UBI__JSON_TRUE,
    UBI__JSON_NUMBER,
    UBI__JSON_STRING,
    UBI__JSON_ARRAY,
    UBI__JSON_OBJECT
} ubi__json_type;

/** `raw`: of a string what is between the quotes; else all of it. */
typedef struct ubi__json_value {
    ubi__json_type type;
    bool has_escapes;
    ubi_text raw;
} ubi__json_value;

typedef struct ubi__json_cursor {
    const char *at, *end;
    bool is_first;
    const char *fault; /* what was expected at `at` instead; NULL: no error so far */
} ubi__json_cursor;

/** Opens the object or array that `text` consists of, apart from white space around it. */
UBI__SERVER_API void ubi__json_cursor_open(ubi__json_cursor *c, ubi_text text, ubi__json_type type);
/** The value that `text` consists of, apart from white space around it, checked to its end. False: see c->fault and c->at. */
UBI__SERVER_API bool ubi__json_value_whole(ubi__json_cursor *c, ubi__json_value *out, ubi_text text);
/** The next member; false at the end, where nothing may follow, and at a fault. */
UBI__SERVER_API bool ubi__json_cursor_next_member(ubi__json_cursor *c, ubi__json_value *key, ubi__json_value *value);
/** The same of an array. */
UBI__SERVER_API bool ubi__json_cursor_next_element(ubi__json_cursor *c, ubi__json_value *value);

/*
 * Values that are too deep, or too long, to be passed over first: one cursor goes through all of it. Who enters an object or array comes to
 * its end, where the next call is about the one around it.
 */

/** Enters the object or array that comes next. False: something else does. */
bool ubi__json_cursor_enter(ubi__json_cursor *c, ubi__json_type type);
/** Goes to the value of the next member of the object that it is in; false behind its end, and at a fault. */
bool ubi__json_cursor_next_key(ubi__json_cursor *c, ubi__json_value *key);
/** Goes to the next element of the array that it is in; likewise. */
bool ubi__json_cursor_next_item(ubi__json_cursor *c);
/** Takes the whole value that it is at. */
bool ubi__json_cursor_take(ubi__json_cursor *c, ubi__json_value *value);

/** The member of this name of an object, of several the last; false: there is none, or the text is no object. */
UBI__SERVER_API bool ubi__json_object_find(ubi__json_value *out, ubi_text object, const char *name);

/** Whether a string without escapes is `text`. */
UBI__SERVER_API bool ubi__json_value_is(const ubi__json_value *value, const char *text);
/** A string's text: in the line, or, with escapes, in `scratch`, which it replaces. Lone surrogates become WTF-8. */
UBI__SERVER_API ubi_status ubi__json_value_text(ubi_text *out, const ubi__json_value *value, ubi__vec_u8 *scratch,
                                                const ubi_allocator *a);
/** The text of a member, likewise; NULL text: it has no string of this name. */
UBI__SERVER_API ubi_status ubi__json_member_value_text(ubi_text *out, ubi_text object, const char *name,
                                                       ubi__vec_u8 *scratch, const ubi_allocator *a);
/** A message of another program's as one line: control characters of a C string become blanks, in place. */
UBI__SERVER_API void ubi__json_words_line(char *words);
/** The nearest double; false for no number, and for one that is too large or of more than 400 characters. */
UBI__SERVER_API bool ubi__json_value_number(double *out, const ubi__json_value *value);
/** A whole number that fits; false for all else. */
UBI__SERVER_API bool ubi__json_value_u64(uint64_t *out, const ubi__json_value *value);
/** Milliseconds as nanoseconds: exact up to six decimals, else rounded. False for what is negative or does not fit. */
bool ubi__json_value_ns(uint64_t *out, const ubi__json_value *value);

#endif
