/* SPDX-License-Identifier: MIT
 *
 * ubiheap/server/rdp.h: live heaps for Firefox's developer tools and other clients of the remote debugging protocol.
 *
 *     ubi_rdp_server *server;
 *     ubi_rdp_target_options tab = UBI_RDP_TARGET_OPTIONS_INIT;
 *     tab.title = "my program";
 *     ubi_rdp_server_start(&server, NULL);
 *     ubi_rdp_server_add_target(server, target, &tab);
 *     printf("about:debugging, network location 127.0.0.1:%u\n", ubi_rdp_server_port(server));
 *     ...                                                              the program reaches safe points now and then
 *     ubi_rdp_server_remove_target(server, target);
 *     ubi_rdp_server_stop(server);
 *
 * Each target is a tab. What clients can ask for is in docs/reference/remote-protocol.md. A server has a thread of its own and needs no
 * attention.
 *
 * Clients can read the whole heap, and send no password: listen on other addresses than those of this machine only where each
 * connection is asked about.
 *
 * Needs libuv.so.1, which is loaded when a server starts. Part of libubiheap-server. May change between minor versions.
 */
#ifndef UBIHEAP_RDP_H
#define UBIHEAP_RDP_H

#include <ubiheap/core/base.h>
#include <ubiheap/extension/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A server that runs. */
typedef struct ubi_rdp_server ubi_rdp_server;

typedef struct ubi_rdp_options {
    uint32_t version;            /**< UBI_RDP_OPTIONS_VERSION */
    const char *listen;          /**< an address in digits; NULL: 127.0.0.1 */
    uint16_t port;               /**< with `listen`; 0: any that is free */
    const char *socket_path;     /**< a Unix socket to listen on instead, which must not be there yet; NULL: none */
    size_t most_json_bytes;      /**< of a request; 0: 1 MiB */
    uint32_t most_connections;   /**< 0: 1000 */
    const char *snapshot_folder; /**< where a private folder for snapshots is made; NULL: TMPDIR, or /tmp */
    /**
     * Whether a client at `peer`, an address in digits, may enter. Asked for each connection from another machine, on a thread that may
     * wait, one at a time. NULL: the server listens on addresses of this machine only.
     */
    bool (*may_enter)(void *payload, const char *peer);
    void *payload; /**< of may_enter */
} ubi_rdp_options;

#define UBI_RDP_OPTIONS_VERSION 1
#define UBI_RDP_OPTIONS_INIT                                                                                           \
    { .version = UBI_RDP_OPTIONS_VERSION }

/**
 * Starts to listen.
 * @param out  owned; untouched on failure. @param options  copied; NULL: the defaults, on any free port.
 * Errors: UBI_EINVAL (options; another machine's address without may_enter), UBI_EIO (a folder, the port, or libuv is missing),
 * UBI_ENOMEM.
 */
UBI_API ubi_status ubi_rdp_server_start(ubi_rdp_server **out, const ubi_rdp_options *options);
/**
 * Closes all connections, deletes snapshots, and frees the server. Targets are to be removed before, each on its thread; of one that was
 * not, what clients had of it is let go at its next safe point, which has to come before the target goes. Not within a safe point. NULL is
 * fine.
 */
UBI_API void ubi_rdp_server_stop(ubi_rdp_server *server);
/** 0: it listens on a Unix socket. */
UBI_API uint16_t ubi_rdp_server_port(const ubi_rdp_server *server);

/** A target, as clients see it. */
typedef struct ubi_rdp_target_options {
    uint32_t version;  /**< UBI_RDP_TARGET_OPTIONS_VERSION */
    const char *title; /**< copied; NULL: the kind of the target */
    const char *url;   /**< copied; NULL: made of the title */
    /** The part of the target that the tab is; NULL: all. Borrowed until the target is removed, or navigates to another. */
    const ubi_target_scope *scope;
    /** Called after each request, on the server's thread: makes a target that waits come to a safe point. NULL: it comes by itself. */
    void (*wake)(void *payload);
    void *payload; /**< of wake and reload */
    /**
     * Since version 2. A client wants the program to run again: called at a safe point of the target, on its thread. It is noted there, and
     * done soon, after which the target has navigated (ubi_rdp_server_navigated). NULL: clients get an error.
     */
    void (*reload)(void *payload);
    uint64_t process_id; /**< since version 2: of the process that the target is in; 0: this one */
} ubi_rdp_target_options;

#define UBI_RDP_TARGET_OPTIONS_VERSION 2
#define UBI_RDP_TARGET_OPTIONS_INIT                                                                                    \
    { .version = UBI_RDP_TARGET_OPTIONS_VERSION }

/**
 * Offers a live heap. Any thread. Clients are served at its safe points.
 * @param options  NULL: the defaults. Errors: UBI_EINVAL (it has no safe points), UBI_ELIMIT (more than 64), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_rdp_server_add_target(ubi_rdp_server *server, ubi_target target,
                                             const ubi_rdp_target_options *options);
/**
 * The target is another page in its tab now: the host has made a new global in place of the one before, or has run its program again.
 * Clients hear of it; what they recorded begins again, with frames from 0; they stay attached, and record further. Values that their
 * consoles hold are let go. On the target's own thread, not within a safe point, when the new global is there and before its code runs.
 *
 * @param options  what the tab is from now on; functions and their payload are not looked at. NULL: the defaults.
 * Errors: UBI_ENOTFOUND, UBI_EINVAL (options), UBI_ESTATE (a client's request is being performed, further down on the stack), UBI_ENOMEM,
 * or as ubi_memory_bridge_navigated_to; of the last two the tab has navigated, and clients have to attach again.
 */
UBI_API ubi_status ubi_rdp_server_navigated(ubi_rdp_server *server, ubi_target target,
                                            const ubi_rdp_target_options *options);
/** Ends the offer, before the target goes. On the target's own thread, not within a safe point. Errors: UBI_ENOTFOUND. */
UBI_API ubi_status ubi_rdp_server_remove_target(ubi_rdp_server *server, ubi_target target);

#ifdef __cplusplus
}
#endif
#endif
