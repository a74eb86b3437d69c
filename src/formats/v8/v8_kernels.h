/* SPDX-License-Identifier: MIT
 *
 * v8_kernels.h: what the kernels of v8_numbers.h share.
 */
#ifndef UBI_FORMATS_V8_KERNELS_H
#define UBI_FORMATS_V8_KERNELS_H

#include "formats/v8/v8_numbers.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define UBI__V8_X86_KERNELS 1
#endif

/** Appends a number; the batch has room. */
void ubi__v8_numbers_push(ubi__v8_numbers *t, uint64_t value, bool negative);

#ifdef UBI__V8_X86_KERNELS
ubi__v8_blocks_fn ubi__v8_blocks_avx2, ubi__v8_blocks_sse41;
#endif

#endif
