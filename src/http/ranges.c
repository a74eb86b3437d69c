/* SPDX-License-Identifier: MIT
 *
 * ranges.c: the header Range; see request.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "http/request.h"

/* "bytes=a-b", "bytes=a-" or "bytes=-n"; other forms, such as several ranges, ask for the whole file. */
ubi__http_range ubi__http_range_read(const char *text, uint64_t size) {
    ubi__http_range all = { 0, size, false, false }, r = { 0, size, true, false };
    char *end;
    if (!text || strncmp(text, "bytes=", 6) != 0 || strchr(text, ','))
        return all;
    const char *at = text + 6;
    bool is_suffix = *at == '-', has_first = ubi__is_digit(*at);
    if (!is_suffix && !has_first)
        return all;
    uint64_t first = has_first ? strtoull(at, &end, 10) : 0;
    at = has_first ? end : at;
    if (*at++ != '-' || (*at && !ubi__is_digit(*at)) || (is_suffix && !*at))
        return all;
    uint64_t last = *at ? strtoull(at, &end, 10) : UINT64_MAX;
    if (*at && *end)
        return all;
    r.begin = is_suffix ? (last < size ? size - last : 0) : first;
    r.end = is_suffix || last >= size ? size : last + 1;
    r.is_beyond = r.begin >= size || (!is_suffix && last < first) || (is_suffix && last == 0);
    return r;
}
