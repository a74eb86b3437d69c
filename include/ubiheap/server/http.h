/* SPDX-License-Identifier: MIT
 *
 * ubiheap/server/http.h: heaps, questions and jobs by HTTP, for scripts, dashboards and pages on this machine.
 *
 *     ubi_http_server *server;
 *     ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
 *     ubi_http_server_start(&server, &options);
 *     ubi_http_server_add_file(server, "app.heapsnapshot");
 *     printf("%s\n", ubi_http_server_url(server));            http://127.0.0.1:40123/?token=...
 *     ...
 *     ubi_http_server_stop(server);
 *
 * What can be asked is in docs/reference/http.md. A server has threads of its own and needs no attention. It may be embedded in a program
 * with a live heap, which it then offers to save: ubi_http_server_add_target.
 *
 * Needs libmicrohttpd.so.12, which is loaded when a server starts. Part of libubiheap-server. May change between minor versions.
 */
#ifndef UBIHEAP_HTTP_H
#define UBIHEAP_HTTP_H

#include <ubiheap/core/base.h>
#include <ubiheap/extension/session.h>
#include <ubiheap/extension/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A server that runs. Any thread. */
typedef struct ubi_http_server ubi_http_server;

typedef struct ubi_http_options {
    uint32_t version;       /**< UBI_HTTP_OPTIONS_VERSION */
    const char *listen;     /**< an address in digits; NULL: 127.0.0.1. Others can then reach it without encryption */
    uint16_t port;          /**< 0: any that is free */
    const char *token;      /**< 32 hexadecimal digits; NULL: a random one */
    ubi_session_pool *pool; /**< of all sessions; gets a reference. NULL: one of its own */
    /**
     * How heaps are opened; NULL: the defaults. With an index in the cache folder, or beside the heaps, one is written for each file of
     * 8 MiB and more behind the first answer about it; not for uploads.
     */
    const ubi_session_options *session;
    const char *const *roots; /**< roots[n_roots]: folders in which clients may open files */
    uint32_t n_roots;
    const char *upload_folder;  /**< where a private folder for uploads is made; NULL: TMPDIR, or /tmp */
    uint64_t most_upload_bytes; /**< of one upload; 0: 8 GiB */
    uint32_t most_heaps;        /**< open at a time; 0: 64 */
    uint32_t most_waiting;      /**< requests that wait for a thread; 0: 64 */
    uint32_t most_connections;  /**< of all clients; 0: 256. One address has half of them */
    uint32_t idle_seconds;      /**< after which a connection that neither sends nor takes anything is closed; 0: 30 */
} ubi_http_options;

#define UBI_HTTP_OPTIONS_VERSION 1
#define UBI_HTTP_OPTIONS_INIT                                                                                          \
    { UBI_HTTP_OPTIONS_VERSION, NULL, 0, NULL, NULL, NULL, NULL, 0, NULL, 0, 0, 0, 0, 0 }

/**
 * Starts to serve.
 * @param out      owned; untouched on failure. @param options  copied; NULL: the defaults.
 * Errors: UBI_EINVAL (options), UBI_EIO (a folder, the port, or libmicrohttpd is missing), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_http_server_start(ubi_http_server **out, const ubi_http_options *options);
/**
 * Accepts no more, cancels all jobs, closes all connections, deletes what was uploaded, and frees the server. Offers of live heaps that are
 * left end, as ubi_http_server_remove_target ends them: what clients have recorded ends at their next safe point. Waits for jobs to notice;
 * not to be called by code that runs at a safe point of one of its targets. NULL is fine.
 */
UBI_API void ubi_http_server_stop(ubi_http_server *server);

/** The address with the token. Borrowed from the server. */
UBI_API const char *ubi_http_server_url(const ubi_http_server *server);
UBI_API uint16_t ubi_http_server_port(const ubi_http_server *server);

/**
 * Opens a file by any path; it is read when something is asked.
 * Errors: UBI_EIO, UBI_EINVAL (no regular file), UBI_EFORMAT (known to be something else), UBI_ELIMIT (too many), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_http_server_add_file(ubi_http_server *server, const char *path);

/**
 * Offers a live heap. Clients can have it saved, and collected, measured and observed if it can be, at a safe point of its thread, which its
 * thread must reach now and then.
 *
 * @param name  copied: what clients see. @param scope  NULL: everything; borrowed, as the target, until it is removed.
 * Errors: UBI_EINVAL (it cannot be walked, or has no safe points), UBI_ELIMIT (more than 16), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_http_server_add_target(ubi_http_server *server, ubi_target target, const ubi_target_scope *scope,
                                              const char *name);
/**
 * Ends the offer, which must come before the target goes. On the target's own thread: a request to save it that waits for a safe point
 * fails. Errors: UBI_ENOTFOUND.
 */
UBI_API ubi_status ubi_http_server_remove_target(ubi_http_server *server, ubi_target target);

#ifdef __cplusplus
}
#endif
#endif
