/* SPDX-License-Identifier: MIT
 *
 * asked_window.c: see asked_window.h.
 */
#include "questions/recording/asked_window.h"

#include "base/quantity.h"
#include "base/status.h"

const char *ubi__asked_window_option(const ubi__asked_window *asked) {
    return asked->at ? "at" : asked->from ? "from" : asked->to ? "to" : NULL;
}

static ubi_status moment_read(ubi__time_window *out, const ubi__asked_window *asked) {
    uint64_t at_ns;
    if (asked->from || asked->to)
        return ubi__fail(UBI_EINVAL, "--at is one moment: it does not go with --%s", asked->from ? "from" : "to");
    UBI_TRY(ubi__parse_program_time(&at_ns, asked->at, "--at"));
    out->to_ns = at_ns < UINT64_MAX ? at_ns + 1 : at_ns;
    return UBI_OK;
}

ubi_status ubi__asked_window_read(ubi__time_window *out, const ubi__asked_window *asked) {
    *out = (ubi__time_window){ 0, 0 };
    if (asked->at)
        return moment_read(out, asked);
    if (asked->from)
        UBI_TRY(ubi__parse_program_time(&out->from_ns, asked->from, "--from"));
    if (!asked->to)
        return UBI_OK;
    UBI_TRY(ubi__parse_program_time(&out->to_ns, asked->to, "--to"));
    return out->from_ns < out->to_ns ? UBI_OK : ubi__fail(UBI_EINVAL, "--from must be before --to");
}
