/* SPDX-License-Identifier: MIT
 *
 * python_locations.c: which line an instruction of CPython's is on (Objects/locations.md there).
 *
 * The table is a sequence of entries. The first byte of each has bit 7 set, a code in bits 3 to 6, and in bits 0 to 2 how many
 * code units it is about, less one; what follows has bit 7 clear, or is skipped.
 */
#include "interpose/python.h"

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

enum { SHORT_END = 10, ONE_LINE_END = 13, NO_COLUMNS = 13, LONG = 14, NOTHING = 15 };

static uint32_t cursor_byte(cursor *c) {
    return c->at < c->end ? *c->at++ : 0;
}

/* Six bits at a time, the least significant first; bit 6: more follow. */
static uint32_t cursor_number(cursor *c) {
    uint32_t number = 0, byte;
    unsigned shift = 0;
    do {
        byte = cursor_byte(c);
        if (shift < 32)
            number |= (byte & 63) << shift;
        shift += 6;
    } while (byte & 64 && c->at < c->end);
    return number;
}

static uint32_t cursor_signed(cursor *c) {
    uint32_t number = cursor_number(c);
    return number & 1 ? 0 - (number >> 1) : number >> 1;
}

/* What follows an entry's first byte. @param line  in and out: modulo 2^32, as anything may be in the table. @return its column. */
static uint32_t entry_read(cursor *c, unsigned code, uint32_t *line) {
    uint32_t column;
    if (code < SHORT_END)
        return (code << 3 | (cursor_byte(c) >> 4 & 7)) + 1;
    if (code < ONE_LINE_END) {
        *line += code - SHORT_END;
        column = cursor_byte(c) + 1;
        (void)cursor_byte(c);
        return column;
    }
    if (code == NOTHING)
        return 0;
    *line += cursor_signed(c);
    if (code == NO_COLUMNS)
        return 0;
    (void)cursor_number(c); /* lines further to the end */
    column = cursor_number(c);
    (void)cursor_number(c);
    return column;
}

ubi__python_position ubi__python_locate(const uint8_t *table, size_t n, int32_t first_line, uint32_t unit) {
    cursor c = { table, table + n };
    uint32_t line = (uint32_t)first_line;
    uint64_t end = 0;
    while (c.at < c.end) {
        unsigned first = *c.at++, code = first >> 3 & 15;
        uint32_t column = entry_read(&c, code, &line);
        end += (first & 7) + 1;
        if (unit >= end)
            continue;
        if (code == NOTHING)
            break;
        return (ubi__python_position){ (int32_t)line > 0 ? line : 0, column };
    }
    return (ubi__python_position){ first_line > 0 ? (uint32_t)first_line : 0, 0 };
}
