/* SPDX-License-Identifier: MIT
 *
 * estimate.h: a sum over allocations, or, in a sampled recording, the estimate of one.
 */
#ifndef UBI_RECORDING_ESTIMATE_H
#define UBI_RECORDING_ESTIMATE_H

#include <stdint.h>

typedef struct ubi__estimate {
    uint64_t samples; /* allocations recorded */
    double count, count_variance;
    double bytes, bytes_variance;
} ubi__estimate;

#endif
