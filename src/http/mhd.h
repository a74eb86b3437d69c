/* SPDX-License-Identifier: MIT
 *
 * mhd.h: libmicrohttpd, loaded when serving starts: linking it would load its TLS library with every `ubiheap` command. Nothing is used
 * that 0.9.72 (Debian 11) has not.
 */
#ifndef UBI_HTTP_MHD_H
#define UBI_HTTP_MHD_H

#include <microhttpd.h>

#include <ubiheap/core/base.h>

#include "jobs/loaded_library.h"

/* Its functions that we call. */
#define UBI__MHD_FUNCTIONS(X)                                                                                          \
    X(MHD_add_response_header)                                                                                         \
    X(MHD_create_response_from_callback)                                                                               \
    X(MHD_create_response_from_fd_at_offset64)                                                                         \
    X(MHD_destroy_response)                                                                                            \
    X(MHD_get_connection_info)                                                                                         \
    X(MHD_get_connection_values)                                                                                       \
    X(MHD_get_daemon_info)                                                                                             \
    X(MHD_lookup_connection_value)                                                                                     \
    X(MHD_queue_response)                                                                                              \
    X(MHD_quiesce_daemon)                                                                                              \
    X(MHD_resume_connection)                                                                                           \
    X(MHD_start_daemon)                                                                                                \
    X(MHD_stop_daemon)                                                                                                 \
    X(MHD_suspend_connection)

typedef struct ubi__mhd_calls {
    UBI__MHD_FUNCTIONS(UBI__LIBRARY_MEMBER)
} ubi__mhd_calls;

/** Good after ubi__mhd_load. */
extern ubi__mhd_calls ubi__mhd;

/** Loads it, once. Any thread. Errors: UBI_EIO with the name of the Debian package. */
ubi_status ubi__mhd_load(void);

#endif
