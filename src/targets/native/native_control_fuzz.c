/* SPDX-License-Identifier: MIT
 *
 * native_control_fuzz.c: any bytes as a request to a recorder.
 *
 * Promises checked: what is taken is whole, of this version, and asks for something that there is; nothing else is.
 */
#include "targets/native/native_control.c"

#include "fuzz_pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ubi__control_request request = { .pid = -1 }, whole;
    bool is_taken = ubi__control_request_parse(&request, data, size) == UBI_OK;
    if (!is_taken)
        require(request.pid == -1, "a request that is refused was stored");
    if (size != sizeof whole) {
        require(!is_taken, "a request of another size was taken");
        return 0;
    }
    memcpy(&whole, data, sizeof whole);
    bool is_good = whole.magic == UBI__CONTROL_MAGIC && whole.version == UBI__CONTROL_VERSION &&
                   whole.verb < UBI__CONTROL_VERBS && whole.pid >= 0;
    require(is_taken == is_good, "a request that is not one was taken, or one was refused");
    require(!is_taken || memcmp(&request, &whole, sizeof whole) == 0, "a request was changed");
    return 0;
}
