/* SPDX-License-Identifier: MIT
 *
 * ubirec_format.c: recordings of allocations, told apart from snapshots: they have no graph, and whoever asks for one is told
 * where to go.
 */
#include "base/status.h"
#include "formats/format.h"
#include "recording/ubirec_reader.h"

static ubi_status refuse(ubi_graph **out, ubi__format_input *input) {
    (void)out, (void)input;
    return ubi__fail(
        UBI_EFORMAT,
        "a recording of allocations, and no heap snapshot: use ubiheap report, on a file that is not compressed");
}

const ubi__format ubi__format_ubirec = { .name = "ubirec", .guess = ubi__ubirec_guess, .read = refuse };
