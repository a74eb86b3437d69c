/* SPDX-License-Identifier: MIT
 *
 * json_beginning.c: see json_beginning.h. Nothing is checked: what is not JSON has no keys that are wanted.
 */
#include "formats/json_beginning.h"

#include "base/assert.h"

#define DEEPEST_KEY 4
#define DEEPEST 63
_Static_assert(DEEPEST < 64, "a bit per level");

typedef struct scan {
    ubi__json_beginning *out;
    const char *at, *end;
    uint64_t objects; /* bit d: what is open at depth d is an object */
    unsigned depth;
    bool is_key_next; /* in an object, after '{' or ',' */
    bool has_key;     /* the last token was a key, out->keys[out->n - 1], and ':' */
} scan;

static bool in_object(const scan *s) {
    return s->objects >> s->depth & 1;
}

/* The text between the quotes; false: no closing quote here. */
static bool take_string(scan *s, ubi_text *out) {
    const char *start = ++s->at;
    while (s->at < s->end && *s->at != '"')
        s->at += *s->at == '\\' ? 2 : 1;
    if (s->at >= s->end)
        return false;
    *out = (ubi_text){ start, (size_t)(s->at++ - start) };
    return true;
}

static bool take_key_or_value(scan *s) {
    ubi__json_beginning *out = s->out;
    ubi_text text;
    if (!take_string(s, &text))
        return false;
    if (s->is_key_next) {
        s->is_key_next = false;
        s->has_key = s->depth <= DEEPEST_KEY && out->n < UBI__JSON_BEGINNING_KEYS;
        if (s->has_key) {
            out->keys[out->n].key = text;
            out->keys[out->n].value = (ubi_text){ NULL, 0 };
            out->keys[out->n++].depth = s->depth;
        }
    } else if (s->has_key) {
        out->keys[out->n - 1].value = text;
        s->has_key = false;
    }
    return true;
}

static void open_level(scan *s, bool is_object) {
    s->depth++;
    UBI_ASSERT(s->depth <= DEEPEST);
    s->objects = (s->objects & ~(UINT64_C(1) << s->depth)) | (uint64_t)is_object << s->depth;
    s->is_key_next = is_object;
    s->has_key = false;
}

/* One token; false: enough was seen. */
static bool take_token(scan *s) {
    char c = *s->at;
    if (c == '"')
        return take_key_or_value(s);
    s->at++;
    switch (c) {
    case '{':
    case '[':
        if (s->depth == DEEPEST)
            return false;
        open_level(s, c == '{');
        return true;
    case '}':
    case ']':
        s->is_key_next = s->has_key = false;
        return --s->depth > 0;
    case ',':
        s->is_key_next = in_object(s);
        s->has_key = false;
        return true;
    default:
        return true;
    }
}

void ubi__json_begin_read(ubi__json_beginning *out, const uint8_t *head, size_t n) {
    size_t from = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    scan s = { .out = out, .at = (const char *)head + from, .end = (const char *)head + n };
    out->n = out->first = 0;
    while (s.at < s.end && (*s.at == ' ' || *s.at == '\n' || *s.at == '\r' || *s.at == '\t'))
        s.at++;
    if (s.at == s.end || (*s.at != '{' && *s.at != '['))
        return;
    out->first = (uint8_t)*s.at;
    while (s.at < s.end && take_token(&s))
        ;
}

bool ubi__json_begin_has(const ubi__json_beginning *json, unsigned depth, const char *key) {
    for (size_t i = 0; i < json->n; i++)
        if (json->keys[i].depth == depth && ubi__text_is(json->keys[i].key, key))
            return true;
    return false;
}

ubi_text ubi__json_begin_value(const ubi__json_beginning *json, unsigned depth, const char *key) {
    for (size_t i = 0; i < json->n; i++)
        if (json->keys[i].depth == depth && ubi__text_is(json->keys[i].key, key))
            return json->keys[i].value;
    return (ubi_text){ NULL, 0 };
}

/*
 * No fxsnapshot begins like JSON: the first byte of one that is not compressed is the length of a message whose first field is
 * a time or a name, 0x08 or 0xc2.
 */
bool ubi__json_may_begin(const uint8_t *head, size_t n) {
    size_t i = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n && strchr(" \n\r\t", head[i]) && head[i])
        i++;
    if (i == n)
        return n >= 60; /* nothing but white space */
    if (head[i] != '{' && head[i] != '[')
        return false;
    const char *next = head[i] == '{' ? "\"}" : "{[\"]-0123456789tfn";
    for (i++; i < n && strchr(" \n\r\t", head[i]) && head[i];)
        i++;
    return i == n || (head[i] && strchr(next, head[i]));
}
