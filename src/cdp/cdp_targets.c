/* SPDX-License-Identifier: MIT
 *
 * cdp_targets.c: see cdp_targets.h.
 */
#include "cdp/cdp_targets.h"

#include <string.h>

#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"

/* Texts of one target. */
enum { TYPE, TITLE, URL, SOCKET, N_TEXTS };

static const char *const members[N_TEXTS] = {
    [TYPE] = "type", [TITLE] = "title", [URL] = "url", [SOCKET] = "webSocketDebuggerUrl"
};

/* What follows the host: the way to it is the one that the list came from, which may be a tunnel. */
static void path_copy(char out[UBI__CDP_PATH_BYTES], ubi_text url) {
    static const char scheme[] = "ws://";
    size_t n = sizeof scheme - 1;
    out[0] = '\0';
    if (!ubi__text_begins(url, scheme))
        return;
    const char *slash = memchr(url.ptr + n, '/', url.len - n);
    size_t length = slash ? url.len - (size_t)(slash - url.ptr) : 0;
    if (length == 0 || length >= UBI__CDP_PATH_BYTES)
        return;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)slash[i] <= ' ' || (unsigned char)slash[i] >= 0x7f)
            return;
    memcpy(out, slash, length);
    out[length] = '\0';
}

static ubi_status target_read(ubi__cdp_target *out, ubi_text object, ubi__vec_u8 scratch[N_TEXTS],
                              const ubi_allocator *a) {
    ubi_text texts[N_TEXTS];
    for (size_t i = 0; i < N_TEXTS; i++)
        UBI_TRY(ubi__json_member_value_text(&texts[i], object, members[i], &scratch[i], a));
    *out = (ubi__cdp_target){ .type = texts[TYPE], .title = texts[TITLE], .url = texts[URL] };
    path_copy(out->path, texts[SOCKET]);
    return UBI_OK;
}

ubi_status ubi__cdp_targets_read(ubi_text list, ubi_status (*each)(void *payload, const ubi__cdp_target *target),
                                 void *payload, const ubi_allocator *allocator) {
    ubi__vec_u8 scratch[N_TEXTS] = { { NULL, 0, 0 } };
    ubi__json_cursor c;
    ubi__json_value value;
    ubi__cdp_target target;
    ubi_status status = UBI_OK;
    ubi__json_cursor_open(&c, list, UBI__JSON_ARRAY);
    while (status == UBI_OK && ubi__json_cursor_next_element(&c, &value)) {
        if (value.type != UBI__JSON_OBJECT)
            continue;
        status = target_read(&target, value.raw, scratch, allocator);
        if (status == UBI_OK)
            status = each(payload, &target);
    }
    for (size_t i = 0; i < N_TEXTS; i++)
        ubi__vec_u8_fini(&scratch[i], allocator);
    if (status == UBI_OK && c.fault)
        return ubi__fail(UBI_EFORMAT, "answered /json/list with something else than a list");
    return status;
}
