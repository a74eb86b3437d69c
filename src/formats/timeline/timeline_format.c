/* SPDX-License-Identifier: MIT
 *
 * timeline_format.c: timelines, told apart from snapshots: they have no graph, and whoever asks for one is told where to go.
 */
#include "base/status.h"
#include "formats/format.h"
#include "formats/timeline/timeline_read.h"

static ubi_status refuse(ubi_graph **out, ubi__format_input *input) {
    (void)out, (void)input;
    return ubi__fail(UBI_EFORMAT, "a timeline of markers, and no heap snapshot: use ubiheap timeline");
}

const ubi__format ubi__format_timeline = { .name = "timeline", .guess = ubi__timeline_guess, .read = refuse };
