/* SPDX-License-Identifier: MIT
 *
 * lws_calls.c: see lws_calls.h.
 */
#include "cdp/lws_calls.h"

ubi__lws_calls ubi__lws;

static const char *const names[] = { UBI__LWS_FUNCTIONS(UBI__LIBRARY_NAME) NULL };

static ubi__library library = { .file = "libwebsockets.so." UBI_LWS_MAJOR,
                                .package = "libwebsockets" UBI_LWS_MAJOR,
                                .purpose = "the DevTools protocol",
                                .names = names,
                                .calls = &ubi__lws,
                                .lock = PTHREAD_MUTEX_INITIALIZER };

ubi_status ubi__lws_load(void) {
    return ubi__library_load(&library);
}
