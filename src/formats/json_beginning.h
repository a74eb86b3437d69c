/* SPDX-License-Identifier: MIT
 *
 * json_beginning.h: the first keys of a JSON document, with their depths.
 */
#ifndef UBI_FORMATS_JSON_BEGINNING_H
#define UBI_FORMATS_JSON_BEGINNING_H

#include "base/text.h"

#define UBI__JSON_BEGINNING_KEYS 64

typedef struct ubi__json_beginning {
    uint8_t first; /* '{' or '['; 0: this is no JSON */
    uint8_t n;
    struct {
        ubi_text key;   /* as in the document, escapes too; borrowed */
        ubi_text value; /* of a value that is a string and whole; else NULL */
        unsigned depth; /* 1: of the outermost object. Arrays count, too */
    } keys[UBI__JSON_BEGINNING_KEYS];
} ubi__json_beginning;

/** Whether head[0..n) may be JSON: a bracket and what may follow it, or a long run of white space. */
bool ubi__json_may_begin(const uint8_t *head, size_t n);
/** Keys of head[0..n) down to a depth of 4, as many as there is room for. A byte order mark is passed over. */
void ubi__json_begin_read(ubi__json_beginning *out, const uint8_t *head, size_t n);
bool ubi__json_begin_has(const ubi__json_beginning *json, unsigned depth, const char *key);
/** The string that is the value of the first such key; NULL text: there is none. */
ubi_text ubi__json_begin_value(const ubi__json_beginning *json, unsigned depth, const char *key);

#endif
