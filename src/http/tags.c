/* SPDX-License-Identifier: MIT
 *
 * tags.c: entity tags: equal tags, equal bytes. The tag of an answer is a hash of all that it depends on: this program's version, the
 * question with its parameters, and which files the heaps are. So an answer that a client has kept is known to be right without being
 * computed again, also by another process.
 */
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

typedef struct tag_hash {
    crypto_generichash_state state;
} tag_hash;

/* With its length, so that what follows cannot be taken for a part of it. */
static void bytes_add(tag_hash *h, const void *bytes, size_t n) {
    uint64_t n_bytes = n;
    crypto_generichash_update(&h->state, (const unsigned char *)&n_bytes, sizeof n_bytes);
    crypto_generichash_update(&h->state, bytes, n);
}

static void text_add(tag_hash *h, const char *text) {
    bytes_add(h, text, strlen(text));
}

static bool json_add(void *hash, const void *data, size_t n) {
    crypto_generichash_update(&((tag_hash *)hash)->state, data, n);
    return true;
}

static void hash_begin(tag_hash *h) {
    crypto_generichash_init(&h->state, NULL, 0, 16);
    text_add(h, UBI_VERSION_STRING);
}

static void hash_end(char out[UBI__HTTP_TAG_BYTES], tag_hash *h, const char *ending) {
    unsigned char bits[16];
    char digits[33];
    crypto_generichash_final(&h->state, bits, sizeof bits);
    sodium_bin2hex(digits, sizeof digits, bits, sizeof bits);
    snprintf(out, UBI__HTTP_TAG_BYTES, "\"%.32s%.3s\"", digits, ending);
}

/* A heap that is not a file is another one in each server. */
static void heap_add(tag_hash *h, const ubi__exchange *e, const ubi__shelf_heap *heap) {
    uint64_t identity[UBI__SESSION_IDENTITY_WORDS];
    if (!ubi__session_identity(identity, heap->session)) {
        bytes_add(h, &e->server->nonce, sizeof e->server->nonce);
        identity[0] = heap->number;
        bytes_add(h, identity, sizeof identity[0]);
        return;
    }
    bytes_add(h, identity, sizeof identity);
    text_add(h, ubi_session_name(heap->session)); /* documents name it */
}

void ubi__http_answer_tag(char out[UBI__HTTP_TAG_BYTES], const ubi__exchange *e, bool is_packed) {
    ubi__json json;
    tag_hash h;
    const uint32_t form[] = { e->is_page, e->is_page ? e->columns : 0, (uint32_t)e->server->compat, e->n_heaps };
    hash_begin(&h);
    text_add(&h, e->question ? e->question->usage->name : "");
    bytes_add(&h, form, sizeof form);
    for (uint32_t i = 0; i < e->n_heaps; i++)
        heap_add(&h, e, e->heaps[i]);
    ubi__json_init(&json, json_add, &h, false);
    if (e->question)
        ubi__json_values_write(&json, e->question->usage, e->values.values, e->is_page);
    (void)ubi__json_flush(&json); /* nothing refuses it */
    hash_end(out, &h, is_packed ? "-gz" : "");
}

void ubi__http_file_tag(char out[UBI__HTTP_TAG_BYTES], const ubi__exchange *e) {
    tag_hash h;
    hash_begin(&h);
    text_add(&h, "file");
    heap_add(&h, e, e->heaps[0]);
    hash_end(out, &h, "");
}

/* ---- headers of requests ---------------------------------------------------------------------------------------------------- */

/* The next of some words between commas, without the spaces around; NULL text: there is none. */
static ubi_text word_next(const char **at) {
    *at += strspn(*at, ", \t");
    size_t n = strcspn(*at, ",");
    ubi_text word = { *at, n };
    *at += n;
    while (word.len && (word.ptr[word.len - 1] == ' ' || word.ptr[word.len - 1] == '\t'))
        word.len--;
    return word.len ? word : (ubi_text){ NULL, 0 };
}

bool ubi__http_tag_matches(const char *list, const char *tag) {
    for (ubi_text word; list && (word = word_next(&list)).ptr;) {
        if (ubi__text_is(word, "*"))
            return true;
        if (ubi__text_begins(word, "W/")) /* weak comparison, as If-None-Match asks for */
            word = (ubi_text){ word.ptr + 2, word.len - 2 };
        if (ubi__text_is(word, tag))
            return true;
    }
    return false;
}

/* "gzip" or "*", unless its weight is 0. */
bool ubi__http_accepts_gzip(const char *accept_encoding) {
    for (ubi_text word; accept_encoding && (word = word_next(&accept_encoding)).ptr;) {
        size_t n = 0;
        while (n < word.len && word.ptr[n] != ';' && word.ptr[n] != ' ')
            n++;
        ubi_text coding = { word.ptr, n };
        if (!ubi__text_is(coding, "gzip") && !ubi__text_is(coding, "x-gzip") && !ubi__text_is(coding, "*"))
            continue;
        ubi_text weight = { word.ptr + n, word.len - n };
        while (weight.len && (weight.ptr[0] == ';' || weight.ptr[0] == ' '))
            weight = (ubi_text){ weight.ptr + 1, weight.len - 1 };
        if (!ubi__text_begins(weight, "q="))
            return true;
        for (size_t i = 2; i < weight.len; i++) /* any digit above 0 */
            if (weight.ptr[i] >= '1' && weight.ptr[i] <= '9')
                return true;
        return false;
    }
    return false;
}
