/* SPDX-License-Identifier: MIT
 *
 * request.c: addresses; see request.h.
 */
#include "http/request.h"

#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"

/* Where what is decoded goes: it is never longer than what it was decoded from. */
typedef struct decoder {
    ubi__http_address *address;
    char *at;
} decoder;

/* One character of a coded text; false: it is coded wrongly. */
static bool character_decode(char *out, const char **at, bool is_query) {
    const char *p = *at;
    if (*p != '%') {
        *out = *p == '+' && is_query ? ' ' : *p;
        *at = p + 1;
        return true;
    }
    int high = ubi__hex_digit(p[1]), low = high < 0 ? -1 : ubi__hex_digit(p[2]);
    if (low < 0)
        return false;
    *out = (char)(high << 4 | low);
    *at = p + 3;
    return *out != '\0';
}

/* The text up to one of the characters of `ends`. */
static ubi_status text_decode(const char **out, decoder *d, const char **at, const char *ends, bool is_query) {
    char *begin = d->at;
    while (!strchr(ends, **at)) /* the end of the text, too */
        if (!character_decode(d->at++, at, is_query))
            return ubi__fail(UBI_EINVAL, "the address is coded wrongly: '%.3s' is not a character", *at);
    size_t n = (size_t)(d->at - begin);
    if (ubi__utf8_valid_prefix((ubi_text){ begin, n }) != n)
        return ubi__fail(UBI_EINVAL, "the address is not UTF-8");
    *d->at++ = '\0';
    *out = begin;
    return UBI_OK;
}

static ubi_status path_read(decoder *d, const char **at) {
    ubi__http_address *a = d->address;
    while (**at == '/') {
        const char *segment = NULL;
        ++*at;
        UBI_TRY(text_decode(&segment, d, at, "/?", false));
        if (!*segment && **at != '/') /* a slash at the end */
            break;
        if (a->n_segments == UBI__HTTP_SEGMENTS)
            return ubi__fail(UBI_ELIMIT, "the address has more than %d segments", UBI__HTTP_SEGMENTS);
        a->segments[a->n_segments++] = segment;
    }
    return UBI_OK;
}

static ubi_status pair_read(decoder *d, const char **at) {
    ubi__http_address *a = d->address;
    ubi__http_pair pair = { NULL, "" };
    UBI_TRY(text_decode(&pair.name, d, at, "=&", true));
    if (**at == '=') {
        ++*at;
        UBI_TRY(text_decode(&pair.value, d, at, "&", true));
    }
    if (!pair.name[0])
        return UBI_OK;
    if (a->n_pairs == UBI__HTTP_PAIRS)
        return ubi__fail(UBI_ELIMIT, "the query has more than %d values", UBI__HTTP_PAIRS);
    a->pairs[a->n_pairs++] = pair;
    return UBI_OK;
}

static ubi_status address_read(decoder *d, const char *text) {
    const char *at = text;
    UBI_TRY(path_read(d, &at));
    while (*at) {
        at++; /* the question mark, or what is between two pairs */
        UBI_TRY(pair_read(d, &at));
    }
    return UBI_OK;
}

ubi_status ubi__http_address_read(ubi__http_address *out, const char *text) {
    size_t n = strnlen(text, UBI__HTTP_ADDRESS_BYTES + 1);
    if (text[0] != '/')
        return ubi__fail(UBI_EINVAL, "the address does not begin with a slash");
    if (n > UBI__HTTP_ADDRESS_BYTES)
        return ubi__fail(UBI_ELIMIT, "the address is longer than %d bytes", UBI__HTTP_ADDRESS_BYTES);
    ubi__http_address address = { .n_bytes = n + 2 };
    address.texts = ubi__calloc_array(ubi_allocator_default(), address.n_bytes, 1);
    if (!address.texts)
        return ubi__fail_nomem();
    decoder d = { &address, address.texts };
    ubi_status status = address_read(&d, text);
    UBI_ASSERT((size_t)(d.at - address.texts) <= address.n_bytes);
    if (status == UBI_OK)
        *out = address;
    else
        ubi__http_address_fini(&address);
    return status;
}

void ubi__http_address_fini(ubi__http_address *address) {
    ubi__free_array(ubi_allocator_default(), address->texts, address->n_bytes, 1);
    *address = (ubi__http_address){ .texts = NULL };
}

const char *ubi__http_address_value(const ubi__http_address *address, const char *name) {
    for (uint32_t i = 0; i < address->n_pairs; i++)
        if (strcmp(address->pairs[i].name, name) == 0)
            return address->pairs[i].value;
    return NULL;
}
