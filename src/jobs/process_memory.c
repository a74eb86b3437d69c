/* SPDX-License-Identifier: MIT
 *
 * process_memory.c: what of this process is in RAM, as the system counts it.
 */
#include <ubiheap/server/memory_bridge.h>

#include "base/memory_rollup.h"
#include "base/status.h"

ubi_status ubi_process_memory_read(ubi_process_memory *out) {
    ubi__memory_rollup own;
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_process_memory"));
    UBI_TRY(ubi__memory_rollup_read_own(&own));
    const ubi_process_memory full = { sizeof full, own.resident_bytes, own.unique_bytes };
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}
