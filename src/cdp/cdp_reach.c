/* SPDX-License-Identifier: MIT
 *
 * cdp_reach.c: see cdp_remote.h.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/silence.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_remote.h"
#include "cdp/network_space.h"
#include "cdp/node_inspector.h"

#define TICK_US 100000
#define SHORT_TICK_US 4000
#define CLOSE_TURNS 30
#define END_TURNS 30
#define END_TICK_US 10000
#define LEAVING                                                                                                        \
    UBI__LEAVING "the inspector that was opened is closed when the program answers; it may pause for a snapshot. "     \
                 "Another Ctrl-C leaves at once, and leaves it open"
#define MOST_OPEN_US ((uint64_t)30000000)
/* A program that may have another port than its arguments say has it open by then, unless it is busy. */
#define TAKEN_NS ((uint64_t)5000000000)
/* One that is not busy has it open long before. */
#define BUSY_NS ((uint64_t)3000000000)
/* A program that was started just now has its handler by then, unless it is to have none. */
#define MOST_START_NS ((uint64_t)3000000000)

/* ---- where it listens ----------------------------------------------------------------------------------------------- */

static ubi__web_options web_options(const ubi__remote *r) {
    return (ubi__web_options){ .host = r->host,
                               .port = r->port,
                               .scheme = r->address->scheme,
                               .progress = r->progress,
                               .allocator = r->allocator,
                               .patience_us = ubi__cdp_program_patience_us(r) };
}

static ubi_status list_fetch(ubi__remote *r) {
    const ubi__web_options web = web_options(r);
    return ubi__web_fetch(&r->list, &web, "/json/list");
}

static ubi_status type_note(void *payload, const ubi__cdp_target *target) {
    bool *is_node = payload;
    *is_node = *is_node || ubi__text_is(target->type, "node");
    return UBI_OK;
}

static bool port_is_among(const ubi__node_ports *ports, uint16_t port) {
    size_t i = 0;
    while (i < ports->n && ports->at[i] != port)
        i++;
    return i < ports->n;
}

/*
 * Programs listen for many things: whether it is an inspector is what it answers. Its own port may have been about to close when it was asked
 * first, and is opened again.
 */
ubi_status ubi__cdp_ports_try(ubi__remote *r, bool *is_found) {
    ubi__node_ports ports;
    uint16_t own = ubi__node_inspector_port("", (pid_t)r->address->pid);
    *is_found = false;
    UBI_TRY(ubi__node_ports_find(&ports, "", (pid_t)r->address->pid));
    for (size_t i = 0; i < ports.n && !*is_found; i++) {
        if (ports.at[i] != own && port_is_among(&r->others, ports.at[i]))
            continue;
        r->port = ports.at[i];
        ubi_status status = list_fetch(r);
        if (status == UBI_OK)
            status = ubi__cdp_targets_read((ubi_text){ (const char *)r->list.at, r->list.n }, type_note, is_found,
                                           r->allocator);
        if (status == UBI_ENOMEM || status == UBI_ECANCELLED)
            return status;
    }
    if (!*is_found && !r->was_opened)
        r->others = ports;
    return UBI_OK;
}

/* One that runs JavaScript is interrupted for it. */
static const char *inspector_stage(uint64_t start_ns) {
    static const char busy[] = UBI__SILENCE "the program does not open its inspector, since its main thread waits in a "
                                            "call, such as execSync, or is busy in "
                                            "one; it is given up after 30 s, or what --patience says";
    return ubi_process_clock_ns() - start_ns >= BUSY_NS ? busy : "waiting for the inspector";
}

/* Asks it to open its inspector, when it has started. */
static ubi_status inspector_request(ubi__remote *r) {
    pid_t pid = (pid_t)r->address->pid;
    uint64_t start_ns = ubi_process_clock_ns();
    while (ubi__node_may_be_starting("", pid) && ubi_process_clock_ns() - start_ns < MOST_START_NS) {
        if (!ubi__progress(r->progress, "waiting for the program to start", 0, 0))
            return ubi__fail_cancelled();
        usleep(TICK_US);
    }
    UBI_TRY(ubi__cdp_cluster_note(r));
    return ubi__node_open(pid);
}

/* Node.js tries its port once, and says on its own standard error that another program has it. */
static ubi_status port_check(const ubi__remote *r, uint64_t waited_ns) {
    pid_t pid = (pid_t)r->address->pid;
    uint16_t port = ubi__node_inspector_port("", pid);
    if (waited_ns < TAKEN_NS || !ubi__node_port_is_taken("", pid, port))
        return UBI_OK;
    return ubi__fail(
        UBI_EIO,
        "its inspector did not open: another program has its port, %u, perhaps as another one is attached to; "
        "wait until that has left, or start this program with --inspect-port=0",
        port);
}

/* A process has the number: its inspector listens, or is asked to. */
static ubi_status inspector_find(ubi__remote *r) {
    bool is_found;
    char time[UBI__HUMAN_TEXT];
    uint64_t most_us = r->address->patience_us ? r->address->patience_us : MOST_OPEN_US;
    r->host = UBI__CDP_LOOPBACK;
    UBI_TRY(ubi__cdp_program_check_stopped(r));
    if (!ubi__network_has_loopback())
        return ubi__fail(UBI_EIO,
                         "process %u has a network of its own whose loopback interface is down, so that nothing can "
                         "connect to its inspector: there, 'ip link set lo up'",
                         r->address->pid);
    UBI_TRY(ubi__cdp_ports_try(r, &is_found));
    if (is_found)
        return UBI_OK;
    UBI_TRY(inspector_request(r));
    r->was_opened = true;
    uint64_t start_ns = ubi_process_clock_ns();
    useconds_t wait_us = SHORT_TICK_US; /* one that is not busy has it open in a few milliseconds */
    while (!is_found) {
        if (!ubi__progress(r->progress, inspector_stage(start_ns), 0, 0))
            return ubi__fail_cancelled();
        if (ubi_process_clock_ns() - start_ns > most_us * 1000)
            return ubi__fail(UBI_EIO,
                             "its inspector did not open in %s: its main thread waits in a call, such as execSync, it "
                             "does something of its own on SIGUSR1, or another program has the port; --patience waits "
                             "for longer",
                             ubi__human_duration(time, most_us));
        UBI_TRY(port_check(r, ubi_process_clock_ns() - start_ns));
        usleep(wait_us);
        wait_us = 2 * wait_us < TICK_US ? 2 * wait_us : TICK_US;
        if (ubi__node_check("", (pid_t)r->address->pid) != UBI_OK)
            return ubi__fail(UBI_EIO, "the program ended before its inspector was open");
        UBI_TRY(ubi__cdp_program_check_stopped(r));
        UBI_TRY(ubi__cdp_ports_try(r, &is_found));
    }
    return UBI_OK;
}

/* ---- connections ---------------------------------------------------------------------------------------------------- */

/* The system knows that a program has ended a moment after its connection has. */
static const char *end_words(void *payload) {
    const ubi__remote *r = payload;
    if (r->is_ending)
        return UBI__CDP_PROGRAM_ENDED;
    if (r->is_worker_over)
        return "the worker thread has ended";
    if (!r->address->pid)
        return NULL;
    for (int i = 0; i < END_TURNS; i++) {
        if (i > 0)
            usleep(END_TICK_US);
        if (ubi__node_has_ended("", (pid_t)r->address->pid))
            return UBI__CDP_PROGRAM_ENDED;
    }
    return "the program's inspector was closed: by the program, or by another debugger";
}

static bool program_is_ending(void *payload) {
    const ubi__remote *r = payload;
    return r->is_ending || r->is_worker_over;
}

static ubi_status peer_open(ubi__remote *r) {
    const ubi__cdp_peer_options options = { .host = r->host,
                                            .port = r->port,
                                            .scheme = r->address->scheme,
                                            .progress = r->progress,
                                            .allocator = r->allocator,
                                            .event = ubi__cdp_remote_event,
                                            .end_words = end_words,
                                            .silence = ubi__cdp_program_silence,
                                            .is_ending = program_is_ending,
                                            .payload = r,
                                            .patience_us = ubi__cdp_program_patience_us(r) };
    return ubi__cdp_peer_open(&r->peer, &options, r->path);
}

static ubi_status first_path_take(void *payload, const ubi__cdp_target *target) {
    char *path = payload;
    if (!path[0])
        memcpy(path, target->path, UBI__CDP_PATH_BYTES);
    return UBI_OK;
}

/* It was asked to open, and we are to leave before it did: it is waited for, as long as a program that is not busy needs. */
static bool inspector_await(ubi__remote *r) {
    bool is_found = r->list.n > 0;
    for (int i = 0; i < CLOSE_TURNS && !is_found; i++) {
        if (i > 0)
            usleep(TICK_US);
        if (ubi__cdp_ports_try(r, &is_found) != UBI_OK)
            return false;
    }
    return is_found;
}

/* A connection that failed is replaced. */
static ubi_status inspector_reach(ubi__remote *r) {
    ubi__cdp_peer_close(r->peer);
    r->peer = NULL;
    r->path[0] = '\0';
    const ubi_text list = { (const char *)r->list.at, r->list.n };
    UBI_TRY(ubi__cdp_targets_read(list, first_path_take, r->path, r->allocator));
    return peer_open(r);
}

/* The result of a script that is a number; false: there is none. */
static bool script_number(ubi__remote *r, const char *expression, uint64_t *out) {
    char params[600];
    ubi__json_value value;
    ubi_text result;
    snprintf(params, sizeof params, "{\"expression\":\"%s\",\"returnByValue\":true,\"silent\":true}", expression);
    return ubi__cdp_peer_ask(r->peer, "Runtime.evaluate", params, &result) == UBI_OK &&
           ubi__json_object_find(&value, result, "result") && value.type == UBI__JSON_OBJECT &&
           ubi__json_object_find(&value, value.raw, "value") && ubi__json_value_u64(out, &value);
}

/*
 * An inspector that one of us opened may be used by several, who leave at any time: the program itself counts them, in a property of `process`
 * that is there as long as they are. The last closes it. One that was killed is still counted, so that the last is also who is alone.
 */
static void users_join(ubi__remote *r) {
    char script[200];
    uint64_t n = 0;
    snprintf(script, sizeof script,
             "((s,n)=>(n=process[s],n===undefined&&!%d?0:process[s]=(n||0)+1))(Symbol.for('ubiheap.users'))",
             r->was_opened);
    if (r->address->pid && script_number(r, script, &n))
        r->is_counted = n > 0;
}

static void users_leave(ubi__remote *r) {
    char script[400];
    uint64_t n;
    bool is_alone = ubi__node_connection_count("", (pid_t)r->address->pid, r->port) <= 1;
    snprintf(script, sizeof script,
             "((s,n)=>(n=(process[s]||0)-%d,n>0&&!%d?process[s]=n:"
             "(delete process[s],setImmediate(()=>process._debugEnd()),0)))(Symbol.for('ubiheap.users'))",
             r->is_counted, is_alone);
    (void)script_number(r, script, &n);
}

/* What was opened is closed, as far as the program still answers; it is no failure of what was asked. */
static void inspector_close(ubi__remote *r) {
    uint64_t one;
    if (!inspector_await(r))
        return;
    bool is_reached = (r->peer && script_number(r, "1", &one)) || inspector_reach(r) == UBI_OK;
    ubi__cdp_cluster_close(r);
    if (is_reached)
        users_leave(r);
}

/* A program that pauses for a snapshot answers after it. */
static bool leaving_report(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    (void)ubi__progress(payload, LEAVING, 0, 0);
    return true;
}

/* What fails here is no matter: the message of what failed before stays. */
void ubi__cdp_remote_close(ubi__remote *r) {
    const ubi_progress leaving = { leaving_report, (void *)(uintptr_t)r->progress };
    const ubi_allocator *a = r->allocator;
    char why[600];
    int back;
    snprintf(why, sizeof why, "%s", ubi_error_message());
    r->progress = &leaving;
    if (r->peer)
        ubi__cdp_peer_set_progress(r->peer, r->progress);
    ubi__cdp_workers_leave(r);
    if (!r->is_ending && (r->was_opened || r->is_counted) &&
        ubi__network_enter(&back, (pid_t)r->address->pid) == UBI_OK) {
        inspector_close(r);
        ubi__network_leave(back);
    }
    (void)ubi__fail(UBI_OK, "%s", why);
    ubi__cdp_peer_close(r->peer);
    ubi__cdp_workers_close(r);
    ubi__node_members_fini(&r->members, a);
    ubi__vec_u8_fini(&r->list, a);
    ubi__vec_u8_fini(&r->scratch, a);
    UBI_DELETE(a, r);
}

/* Its sockets are in its own network, which may be that of a container: the same port of ours is another program's. */
static ubi_status network_perform(ubi__remote *r, ubi_status (*step)(ubi__remote *r)) {
    int back;
    UBI_TRY(ubi__network_enter(&back, (pid_t)r->address->pid));
    ubi_status status = step(r);
    ubi__network_leave(back);
    return status;
}

static ubi_status address_find(ubi__remote *r) {
    if (r->address->pid)
        return network_perform(r, inspector_find);
    r->host = r->address->host;
    r->port = r->address->port;
    if (!r->address->path[0])
        return list_fetch(r);
    snprintf(r->path, sizeof r->path, "%s", r->address->path);
    return UBI_OK;
}

ubi_status ubi__cdp_remote_open(ubi__remote **out, const ubi__remote_address *address, const ubi_progress *progress,
                                const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    const char *hint = address->scheme->hint;
    char why[300];
    ubi__remote *r = UBI_NEW(a, ubi__remote);
    if (!r)
        return ubi__fail_nomem();
    r->address = address;
    r->progress = progress;
    r->allocator = a;
    ubi_status status = address_find(r);
    if (status == UBI_OK) {
        *out = r;
        return UBI_OK;
    }
    snprintf(why, sizeof why, "%s", ubi_error_message());
    ubi__cdp_remote_close(r);
    bool needs_hint = hint && (status == UBI_EIO || status == UBI_EFORMAT) && !address->pid;
    return ubi__fail(status, "%s%s%s", why, needs_hint ? "; " : "", needs_hint ? hint : "");
}

ubi_status ubi__cdp_remote_connect(ubi__remote *r) {
    UBI_TRY(network_perform(r, peer_open));
    UBI_TRY(ubi__cdp_program_watch(r));
    if (r->is_node)
        users_join(r);
    return UBI_OK;
}
