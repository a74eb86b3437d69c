/* SPDX-License-Identifier: MIT
 *
 * json_digit_kernels.h: what the kernels of json_digits.h share.
 */
#ifndef UBI_FORMATS_JSON_DIGIT_KERNELS_H
#define UBI_FORMATS_JSON_DIGIT_KERNELS_H

#include "formats/json_digits.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define UBI__DIGITS_X86_KERNELS 1
#endif

/** Appends a number; the batch has room. */
void ubi__digits_push(ubi__digits *t, uint64_t value, bool negative);

#ifdef UBI__DIGITS_X86_KERNELS
ubi__digits_blocks_fn ubi__digits_blocks_avx2, ubi__digits_blocks_sse41;
#endif

#endif
