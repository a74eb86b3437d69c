/* SPDX-License-Identifier: MIT
 *
 * lws_calls.h: libwebsockets, loaded when a connection is opened: the version that its header is of, because structs differ from one to the
 * next. Nothing is used that 4.0 (Debian 11) has not.
 */
#ifndef UBI_CDP_LWS_CALLS_H
#define UBI_CDP_LWS_CALLS_H

#include <libwebsockets.h>

#include "jobs/loaded_library.h"

/* Its functions that we call. */
#define UBI__LWS_FUNCTIONS(X)                                                                                          \
    X(lws_callback_on_writable)                                                                                        \
    X(lws_cancel_service)                                                                                              \
    X(lws_client_connect_via_info)                                                                                     \
    X(lws_context_destroy)                                                                                             \
    X(lws_create_context)                                                                                              \
    X(lws_get_context)                                                                                                 \
    X(lws_context_user)                                                                                                \
    X(lws_http_client_http_response)                                                                                   \
    X(lws_http_client_read)                                                                                            \
    X(lws_is_final_fragment)                                                                                           \
    X(lws_service)                                                                                                     \
    X(lws_set_log_level)                                                                                               \
    X(lws_sul_schedule)                                                                                                \
    X(lws_write)

typedef struct ubi__lws_calls {
    UBI__LWS_FUNCTIONS(UBI__LIBRARY_MEMBER)
} ubi__lws_calls;

/** Good after ubi__lws_load. */
extern ubi__lws_calls ubi__lws;

/** Loads it, once. Any thread. Errors: UBI_EIO with the name of the Debian package. */
ubi_status ubi__lws_load(void);

#endif
