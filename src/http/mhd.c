/* SPDX-License-Identifier: MIT
 *
 * mhd.c: see mhd.h.
 */
#include "http/mhd.h"

ubi__mhd_calls ubi__mhd;

static const char *const names[] = { UBI__MHD_FUNCTIONS(UBI__LIBRARY_NAME) NULL };

static ubi__library library = { .file = "libmicrohttpd.so.12",
                                .package = "libmicrohttpd12",
                                .purpose = "serving",
                                .names = names,
                                .calls = &ubi__mhd,
                                .lock = PTHREAD_MUTEX_INITIALIZER };

ubi_status ubi__mhd_load(void) {
    return ubi__library_load(&library);
}
