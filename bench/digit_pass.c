/* SPDX-License-Identifier: MIT
 *
 * digit_pass.c: see digit_pass.h.
 */
#include "digit_pass.h"

static const uint8_t *skip_to_digit(const uint8_t *p, const uint8_t *end) {
    while (p < end && (uint8_t)(*p - '0') > 9)
        p++;
    return p;
}

void ubi__digit_pass_end(ubi__digit_pass *pass) {
    pass->n_numbers += pass->in_number;
    pass->sum += pass->value;
    pass->value = 0;
    pass->in_number = false;
}

void ubi__digit_pass_feed(ubi__digit_pass *pass, const uint8_t *bytes, size_t n) {
    const uint8_t *p = bytes, *end = bytes + n;
    pass->n_bytes += n;
    while (p < end) {
        const uint8_t *first = p;
        uint64_t value = pass->value;
        for (unsigned digit; p < end && (digit = (uint8_t)(*p - '0')) < 10; p++)
            value = value * 10 + digit;
        pass->value = value;
        pass->n_digits += (uint64_t)(p - first);
        pass->in_number |= p > first;
        if (p == end) /* the number may go on in the next piece */
            return;
        if (pass->in_number)
            ubi__digit_pass_end(pass);
        p = skip_to_digit(p, end);
    }
}
