/* SPDX-License-Identifier: MIT
 *
 * uv_calls.c: see uv_calls.h.
 */
#include "rdp/uv_calls.h"

ubi__uv_calls ubi__uv;

static const char *const names[] = { UBI__UV_FUNCTIONS(UBI__LIBRARY_NAME) NULL };

static ubi__library library = { .file = "libuv.so.1",
                                .package = "libuv1",
                                .purpose = "listening",
                                .names = names,
                                .calls = &ubi__uv,
                                .lock = PTHREAD_MUTEX_INITIALIZER };

ubi_status ubi__uv_load(void) {
    return ubi__library_load(&library);
}
