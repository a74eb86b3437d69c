/* SPDX-License-Identifier: MIT
 *
 * memprof_link.h: a memprof actor's link to the target's thread: its end there is the target's profiler.
 */
#ifndef UBI_RDP_MEMPROF_LINK_H
#define UBI_RDP_MEMPROF_LINK_H

#include <ubiheap/extension/target_profiler.h>

#include "rdp/target_link.h"

/** The longest results that are sent. */
#define UBI__RDP_MOST_RESULT_BYTES ((size_t)512 << 20)

typedef struct ubi__rdp_memprof_link {
    ubi__rdp_link link; /* the first: one is the other */
    /* The target's thread: */
    ubi_target_profiler profiler;
    size_t most_bytes; /* UBI__RDP_MOST_RESULT_BYTES, or less in a test */
} ubi__rdp_memprof_link;

extern const ubi__rdp_link_type ubi__rdp_memprof_link_type;

/* What errands do at the target; see memprof_errands.c. */
ubi_status ubi__rdp_memprof_start(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memprof_stop(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memprof_reset(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_memprof_results(ubi__rdp_errand *errand, ubi__json *json);

#endif
