/* SPDX-License-Identifier: MIT
 *
 * quantity.h: sizes, times and probabilities as people write them. `what` names the option in messages. Errors: UBI_EINVAL.
 */
#ifndef UBI_BASE_QUANTITY_H
#define UBI_BASE_QUANTITY_H

#include <ubiheap/core/base.h>

/** "65536", "64KiB", "1.5 GB": bytes; units of 2^10 and of 10^3, as everywhere. */
ubi_status ubi__parse_size(uint64_t *out_bytes, const char *text, const char *what);
/** "500ms", "10s", "2m", "1h"; a number alone is seconds. At least one microsecond. */
ubi_status ubi__parse_duration(uint64_t *out_us, const char *text, const char *what);
/** A time since a program began, in nanoseconds: a number alone is milliseconds, as "1200"; else a duration, as "1.5s". */
ubi_status ubi__parse_program_time(uint64_t *out_ns, const char *text, const char *what);
/** 0 to 1. */
ubi_status ubi__parse_probability(double *out, const char *text, const char *what);

#endif
