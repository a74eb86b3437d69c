/* SPDX-License-Identifier: MIT
 *
 * cdp_messages_fuzz.c: any bytes as what a server of the DevTools protocol sends: messages in parts, and a list of targets.
 *
 * The first byte is the length of the parts; a line break ends a message. Promises checked: no crash, no leak; what ends badly has a message of
 * one line; events and results are parts of what came; paths have no spaces.
 */
#include "base/text.h"
#include "cdp/cdp_peer.h"
#include "cdp/cdp_targets.h"
#include "fuzz_pieces.h"

static ubi_status event_take(void *payload, ubi_text method, ubi_text params) {
    const size_t *most = payload;
    require(method.len + params.len <= *most + 2, "more than came");
    return UBI_OK;
}

static ubi_status target_take(void *payload, const ubi__cdp_target *target) {
    (void)payload;
    require(!strchr(target->path, ' ') && (!target->path[0] || target->path[0] == '/'), "no path");
    return UBI_OK;
}

static void status_check(ubi_status status) {
    if (status != UBI_OK)
        require(ubi_error_message()[0] && !strchr(ubi_error_message(), '\n'), "no message, or several lines");
}

static ubi_status messages_take(ubi__cdp_messages *m, const uint8_t *data, size_t size, size_t n_part) {
    ubi_text result;
    for (size_t at = 0; at < size;) {
        const uint8_t *line = memchr(data + at, '\n', size - at);
        size_t end = line ? (size_t)(line - data) : size;
        size_t n = end - at < n_part ? end - at : n_part;
        UBI_TRY(ubi__cdp_messages_take(m, data + at, n, at + n == end));
        at += n + (at + n == end);
        if (m->has_reply) {
            status_check(ubi__cdp_messages_result(m, "Fuzz.this", &result));
            m->has_reply = false;
            m->awaited = 1;
        }
    }
    return UBI_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1)
        return 0;
    size_t most = size;
    ubi__cdp_messages m = { .allocator = ubi_allocator_default(),
                            .event = event_take,
                            .payload = &most,
                            .awaited = 1,
                            .session = "1",
                            .carrier = 2 };
    status_check(messages_take(&m, data + 1, size - 1, 1 + (size_t)data[0]));
    ubi__cdp_messages_fini(&m);
    status_check(ubi__cdp_targets_read((ubi_text){ (const char *)data + 1, size - 1 }, target_take, NULL,
                                       ubi_allocator_default()));
    return 0;
}
