/* SPDX-License-Identifier: MIT
 *
 * server_api.h: the door between libubiheap.so and libubiheap-server.so, which come from one build.
 *
 * The server's library must share what libubiheap has but once, such as the thread's error message, so it cannot hold a copy of
 * our code. What it needs beyond the public headers is marked here. The symbols have the version UBIHEAP_PRIVATE
 * (cmake/libubiheap.map): no other library or program may use them. tests/api/exports_test.py finds those that are not needed.
 */
#ifndef UBI_BASE_SERVER_API_H
#define UBI_BASE_SERVER_API_H

#include <ubiheap/core/base.h>

#define UBI__SERVER_API UBI_API

#endif
