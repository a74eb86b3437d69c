/* SPDX-License-Identifier: MIT
 *
 * json_scan.h: reads a JSON document of any size from a stream, in one pass, for formats that are JSON.
 *
 * A reader says what it expects next and gets it, or an error of one line that says where and what was found instead. It sees
 * a window of the stream; strings go straight into a table, arrays of numbers into batches (json_rows.h). Nothing else
 * is kept, and nothing is recursive: a value that is skipped costs a bit per open bracket.
 *
 *     UBI_TRY(ubi__scan_expect(s, '{', "'{', with which a heap snapshot begins"));
 *     for (bool first = true;; first = false) {
 *         UBI_TRY(ubi__scan_next_item(s, '}', first, &more));
 *         if (!more)
 *             return UBI_OK;
 *         UBI_TRY(ubi__scan_key(s, &key));
 *         UBI_TRY(ubi__scan_skip_value(s));
 *     }
 */
#ifndef UBI_FORMATS_JSON_SCAN_H
#define UBI_FORMATS_JSON_SCAN_H

#include "base/strtab.h"
#include "formats/format.h"
#include "formats/json_digits.h"

/** [at, end), with UBI__STREAM_PADDING zero bytes after it and at least UBI__DIGITS_TEXT_MARGIN bytes before. */
typedef struct ubi__scan_window {
    const uint8_t *at, *end;
    uint64_t end_offset; /* of `end` in the inflated stream */
    bool has_ended;      /* the stream has no more */
} ubi__scan_window;

/** The most bytes that may be left at hand when more are asked for. */
#define UBI__SCAN_MAX_LEFT 1024
#define UBI__SCAN_MAX_NAME 1000
/** Of an escape: a pair of surrogates, \uD83D\uDE00. */
#define UBI__SCAN_LONGEST_ESCAPE 12

typedef struct ubi__scan {
    ubi__format_input *input;
    ubi__scan_window window;
    const char *section; /* the member that is being read, for messages; NULL: none. Static */
    uint8_t name[UBI__SCAN_MAX_NAME];
} ubi__scan;

/** What is at hand lies within the stream, and what follows it ends every number and string. Cost: O(1). */
void ubi__scan_check(const ubi__scan *s);
/** At the first byte of the input. */
void ubi__scan_begin(ubi__scan *s, ubi__format_input *input);
/** Adds at least one byte to those at hand, unless the stream has ended. They move. Reports progress. */
ubi_status ubi__scan_more(ubi__scan *s);
uint64_t ubi__scan_offset(const ubi__scan *s, const uint8_t *p);
/** UBI_EFORMAT with byte and section in front of the message. */
ubi_status ubi__scan_fail_at(const ubi__scan *s, uint64_t offset, const char *format, ...) UBI_PRINTF(3, 4);
/** The file ends here; `expected` says before what. */
ubi_status ubi__scan_fail_cut(const ubi__scan *s, const char *expected);
/** "expected ..., found ..." at the byte at hand. */
ubi_status ubi__scan_fail_expected(const ubi__scan *s, const char *expected);

/** A byte order mark is skipped. */
ubi_status ubi__scan_skip_mark(ubi__scan *s);
/** Skips white space and shows the next byte; an error when the file ends. */
ubi_status ubi__scan_peek(ubi__scan *s, uint8_t *out, const char *expected);
/** Takes this byte, or fails; `expected` names it in words. */
ubi_status ubi__scan_expect(ubi__scan *s, uint8_t byte, const char *expected);
/** In a list that ends with `close`: takes the comma before an item that is not the first. *more false: took `close`. */
ubi_status ubi__scan_next_item(ubi__scan *s, uint8_t close, bool first, bool *more);
/** Reads to the end of the input, so that its checksum is checked. *clean false: something other than white space is at hand. */
ubi_status ubi__scan_end(ubi__scan *s, bool *clean);

/** A string; borrowed until the next one. NULL text: longer than UBI__SCAN_MAX_NAME, or not UTF-8. */
ubi_status ubi__scan_name(ubi__scan *s, ubi_text *out);
/** Key and colon. */
ubi_status ubi__scan_key(ubi__scan *s, ubi_text *out);
ubi_status ubi__scan_count(ubi__scan *s, uint64_t *out);
/** Any value; its brackets must match and its strings end. Memory: a bit per open bracket. */
ubi_status ubi__scan_skip_value(ubi__scan *s);

/** At a backslash, the whole escape at hand: takes it. Bytes written to out[4], 0 for one that JSON does not know. */
size_t ubi__scan_take_escape(ubi__scan_window *w, uint8_t *out);
/** An array of strings, appended to `t`. Errors: UBI_ELIMIT, with more than `max` entries in the table. */
ubi_status ubi__scan_strings(ubi__scan *s, ubi__strtab *t, uint32_t max);

/** Room for `extra` more in a column that will have `expected` entries, if what the file says is true. */
ubi_status ubi__scan_grow(void **at, size_t *cap, size_t n, size_t extra, uint64_t expected, size_t size,
                          const ubi_allocator *a);
#define UBI__SCAN_GROW(vec, extra, expected, a)                                                                        \
    ubi__scan_grow((void **)&(vec)->at, &(vec)->cap, (vec)->n, (extra), (expected), sizeof *(vec)->at, (a))

#endif
