/* SPDX-License-Identifier: MIT
 *
 * uv_calls.h: libuv, loaded when listening starts. Nothing is used that 1.40 (Debian 11) has not.
 */
#ifndef UBI_RDP_UV_CALLS_H
#define UBI_RDP_UV_CALLS_H

#include <uv.h>

#include "jobs/loaded_library.h"

/* Its functions that we call. */
#define UBI__UV_FUNCTIONS(X)                                                                                           \
    X(uv_accept)                                                                                                       \
    X(uv_async_init)                                                                                                   \
    X(uv_async_send)                                                                                                   \
    X(uv_close)                                                                                                        \
    X(uv_fs_read)                                                                                                      \
    X(uv_fs_req_cleanup)                                                                                               \
    X(uv_ip4_addr)                                                                                                     \
    X(uv_ip4_name)                                                                                                     \
    X(uv_ip6_addr)                                                                                                     \
    X(uv_ip6_name)                                                                                                     \
    X(uv_is_closing)                                                                                                   \
    X(uv_listen)                                                                                                       \
    X(uv_loop_close)                                                                                                   \
    X(uv_loop_init)                                                                                                    \
    X(uv_now)                                                                                                          \
    X(uv_pipe_bind)                                                                                                    \
    X(uv_pipe_init)                                                                                                    \
    X(uv_queue_work)                                                                                                   \
    X(uv_read_start)                                                                                                   \
    X(uv_read_stop)                                                                                                    \
    X(uv_run)                                                                                                          \
    X(uv_strerror)                                                                                                     \
    X(uv_tcp_bind)                                                                                                     \
    X(uv_tcp_getpeername)                                                                                              \
    X(uv_tcp_getsockname)                                                                                              \
    X(uv_tcp_init)                                                                                                     \
    X(uv_tcp_nodelay)                                                                                                  \
    X(uv_timer_init)                                                                                                   \
    X(uv_timer_start)                                                                                                  \
    X(uv_try_write)                                                                                                    \
    X(uv_update_time)                                                                                                  \
    X(uv_write)

typedef struct ubi__uv_calls {
    UBI__UV_FUNCTIONS(UBI__LIBRARY_MEMBER)
} ubi__uv_calls;

/** Good after ubi__uv_load. */
extern ubi__uv_calls ubi__uv;

/** Loads it, once. Any thread. Errors: UBI_EIO with the name of the Debian package. */
ubi_status ubi__uv_load(void);

#endif
