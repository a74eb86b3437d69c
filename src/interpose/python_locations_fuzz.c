/* SPDX-License-Identifier: MIT
 *
 * python_locations_fuzz.c: any bytes as a code object's table of locations. Promises checked: what is found depends on the bytes up
 * to it alone, and beyond the table it is the function's first line.
 */
#include "interpose/python_locations.c"

#include <string.h>

#include "fuzz_pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int32_t first_line;
    uint32_t unit;
    if (size < sizeof first_line + sizeof unit)
        return 0;
    memcpy(&first_line, data, sizeof first_line);
    memcpy(&unit, data + sizeof first_line, sizeof unit);
    data += sizeof first_line + sizeof unit;
    size -= sizeof first_line + sizeof unit;
    ubi__python_position all = ubi__python_locate(data, size, first_line, unit);
    require(all.line <= INT32_MAX, "a line below 0");
    ubi__python_position none = ubi__python_locate(data, size, first_line, UINT32_MAX);
    require(none.line == (first_line > 0 ? (uint32_t)first_line : 0) && none.column == 0, "a place beyond the table");
    for (size_t n = 0; n < size && n < 64; n++)
        (void)ubi__python_locate(data, n, first_line, unit % 64);
    return 0;
}
