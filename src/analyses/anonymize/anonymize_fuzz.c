/* SPDX-License-Identifier: MIT
 *
 * anonymize_fuzz.c: any two texts of any role, anonymized.
 *
 * Promises checked: no crash, equal texts give equal results whatever came between, different texts different ones, and a
 * result is at most as long as one replacement per byte. The first byte chooses the role; the texts end at newlines.
 */
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/anonymize.h>

#include "base/text.h"

#define REPLACEMENT_BYTES 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

static ubi_anonymizer *new_anonymizer(void) {
    static const char key[] = "the same key for every input";
    ubi_anonymizer_options options = UBI_ANONYMIZER_OPTIONS_INIT;
    ubi_anonymizer *a = NULL;
    options.key = key;
    options.key_bytes = sizeof key;
    require(ubi_anonymizer_new(&a, &options) == UBI_OK);
    return a;
}

/* A copy, from malloc. */
static ubi_text map(ubi_anonymizer *a, ubi_text_role role, ubi_text text) {
    ubi_text out;
    require(ubi_anonymizer_text(a, role, text, &out) == UBI_OK);
    require(out.len <= text.len * REPLACEMENT_BYTES);
    char *copy = malloc(out.len + 1);
    require(copy != NULL);
    if (out.len)
        memcpy(copy, out.ptr, out.len);
    return (ubi_text){ copy, out.len };
}

static void check(ubi_anonymizer *a, ubi_text_role role, ubi_text first, ubi_text second) {
    ubi_text mapped = map(a, role, first), other = map(a, role, second), again = map(a, role, first);
    require(ubi__text_equal(mapped, again));
    require(ubi__text_equal(mapped, other) == ubi__text_equal(first, second));
    free((char *)mapped.ptr);
    free((char *)other.ptr);
    free((char *)again.ptr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ubi_anonymizer *a;
    static unsigned n_inputs;
    if (size == 0 || size > 4096)
        return 0;
    if (n_inputs++ % 4096 == 0) { /* it remembers every word: start again now and then */
        ubi_anonymizer_free(a);
        a = new_anonymizer();
    }
    const char *texts = (const char *)data + 1;
    const char *end = memchr(texts, '\n', size - 1);
    size_t n = end ? (size_t)(end - texts) : size - 1;
    ubi_text second = { texts + n + (end != NULL), size - 1 - n - (end != NULL) };
    check(a, (ubi_text_role)(data[0] % UBI_TEXT_ROLE_COUNT), (ubi_text){ texts, n }, second);
    return 0;
}
