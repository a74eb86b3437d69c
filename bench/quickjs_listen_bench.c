/* SPDX-License-Identifier: MIT
 *
 * quickjs_listen_bench.c: a live heap whose census is long, for clients of the remote debugging protocol (rdp.py).
 *
 *     quickjs_listen_bench CLASSES LETTERS
 *
 * makes one object of each of that number of classes, whose names have that number of letters, listens on a free port, which it prints, and answers
 * until its input ends. For each line of that it prints two times in nanoseconds: the most processor time, and the most time, that the
 * network's thread took since the last line before it looked at its connections again.
 */
#include <dlfcn.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ubiheap/extension/quickjs.h>
#include <ubiheap/server/rdp.h>

#include "bench_program.h"
#include "quickjs.h"
#include "rdp/rdp_server.h"

#define MOST_LETTERS 4000

typedef struct listening_heap {
    JSRuntime *runtime;
    JSContext *realm;
    ubi_quickjs *tools;
    ubi_rdp_server *server;
    int bell[2]; /* pipe: a request waits */
} listening_heap;

/* ---- the network's thread ----------------------------------------------------------------------------------------------- */

/* Of libuv, beside what the server calls. */
typedef struct watch_calls {
    int (*loop_configure)(uv_loop_t *loop, uv_loop_option option, ...);
    uint64_t (*metrics_idle_time)(uv_loop_t *loop);
    int (*prepare_init)(uv_loop_t *loop, uv_prepare_t *handle);
    int (*prepare_start)(uv_prepare_t *handle, uv_prepare_cb fn);
    void (*unref)(uv_handle_t *handle);
} watch_calls;

/* Looks on each turn of the loop how long it took, without what it waited. */
typedef struct stall_watch {
    ubi__rdp_mail mail; /* the first: one is the other */
    uv_loop_t *loop;
    watch_calls calls;
    uv_prepare_t turn;
    uint64_t wall_ns, idle_ns, cpu_ns; /* at the last turn; wall_ns 0: there was none */
    _Atomic uint64_t most_ns, most_cpu_ns;
} stall_watch;

static void raise_to(_Atomic uint64_t *most, uint64_t ns) {
    if (ns > atomic_load(most))
        atomic_store(most, ns);
}

static void on_turn(uv_prepare_t *turn) {
    stall_watch *watch = turn->data;
    struct timespec cpu;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    uint64_t cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec, wall_ns = ubi__wall_ns();
    uint64_t idle_ns = watch->calls.metrics_idle_time(watch->loop);
    if (watch->wall_ns) {
        raise_to(&watch->most_cpu_ns, cpu_ns - watch->cpu_ns);
        raise_to(&watch->most_ns, wall_ns - watch->wall_ns - (idle_ns - watch->idle_ns));
    }
    watch->wall_ns = wall_ns;
    watch->idle_ns = idle_ns;
    watch->cpu_ns = cpu_ns;
}

/* On the network's thread. */
static void watch_begin(ubi__rdp_mail *mail) {
    stall_watch *watch = (stall_watch *)mail;
    watch->turn.data = watch;
    (void)watch->calls.loop_configure(watch->loop, UV_METRICS_IDLE_TIME);
    (void)watch->calls.prepare_init(watch->loop, &watch->turn);
    (void)watch->calls.prepare_start(&watch->turn, on_turn);
    watch->calls.unref((uv_handle_t *)&watch->turn);
}

static bool watch_start(stall_watch *watch, ubi_rdp_server *server) {
    void *library = dlopen("libuv.so.1", RTLD_NOW);
    const char *const names[] = { "uv_loop_configure", "uv_metrics_idle_time", "uv_prepare_init", "uv_prepare_start",
                                  "uv_unref" };
    void *found[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found[i] = library ? dlsym(library, names[i]) : NULL;
        if (!found[i])
            return false;
    }
    memcpy(&watch->calls, found, sizeof found);
    watch->loop = &server->loop;
    watch->mail.deliver = watch_begin;
    ubi__rdp_post(&server->offer->mailbox, &watch->mail);
    return true;
}

/* ---- the heap ----------------------------------------------------------------------------------------------------------- */

static bool class_make(listening_heap *heap, unsigned number, int n_letters) {
    char name[MOST_LETTERS + 1];
    JSClassID id = 0;
    snprintf(name, sizeof name, "%0*u", n_letters, number);
    const JSClassDef definition = { .class_name = name };
    JS_NewClassID(
#ifdef QJS_VERSION_MAJOR
        heap->runtime,
#endif
        &id);
    if (JS_NewClass(heap->runtime, id, &definition) != 0)
        return false;
    JSValue object = JS_NewObjectProtoClass(heap->realm, JS_NULL, id);
    JSValue all = JS_GetGlobalObject(heap->realm);
    bool is_kept = JS_SetPropertyUint32(heap->realm, all, number, object) >= 0;
    JS_FreeValue(heap->realm, all);
    return is_kept;
}

static bool heap_make(listening_heap *heap, unsigned n_classes, int n_letters) {
    heap->runtime = JS_NewRuntime();
    heap->realm = heap->runtime ? JS_NewContext(heap->runtime) : NULL;
    if (!heap->realm || ubi_quickjs_attach(&heap->tools, heap->runtime, NULL) != UBI_OK || pipe(heap->bell) != 0)
        return false;
    for (unsigned i = 0; i < n_classes; i++)
        if (!class_make(heap, i, n_letters))
            return false;
    return true;
}

static void bell_ring(void *payload) {
    const listening_heap *heap = payload;
    if (write(heap->bell[1], "!", 1) != 1)
        abort();
}

static ubi_status heap_offer(listening_heap *heap) {
    ubi_rdp_target_options tab = UBI_RDP_TARGET_OPTIONS_INIT;
    tab.wake = bell_ring;
    tab.payload = heap;
    ubi_status status = ubi_rdp_server_start(&heap->server, NULL);
    if (status == UBI_OK)
        status = ubi_rdp_server_add_target(heap->server, ubi_quickjs_target(heap->tools), &tab);
    return status;
}

static void watch_report(stall_watch *watch) {
    uint64_t cpu_ns = atomic_exchange(&watch->most_cpu_ns, 0), ns = atomic_exchange(&watch->most_ns, 0);
    printf("%llu %llu\n", (unsigned long long)cpu_ns, (unsigned long long)ns);
    fflush(stdout);
}

/* Until the input ends. */
static void heap_serve(const listening_heap *heap, stall_watch *watch) {
    struct pollfd inputs[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = heap->bell[0], .events = POLLIN } };
    char bytes[64];
    while (poll(inputs, 2, -1) > 0) {
        if (inputs[0].revents && read(STDIN_FILENO, bytes, sizeof bytes) <= 0)
            return;
        if (inputs[0].revents)
            watch_report(watch);
        if (inputs[1].revents && read(heap->bell[0], bytes, sizeof bytes) > 0)
            ubi_quickjs_interrupt(heap->tools);
    }
}

int main(int argc, char **argv) {
    static stall_watch watch; /* the loop keeps it */
    listening_heap heap = { 0 };
    unsigned n_classes = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    int n_letters = argc == 3 ? atoi(argv[2]) : 0;
    if (n_classes == 0 || n_letters < 1 || n_letters > MOST_LETTERS) {
        fprintf(stderr, "usage: quickjs_listen_bench CLASSES LETTERS\n");
        return 2;
    }
    if (!heap_make(&heap, n_classes, n_letters) || heap_offer(&heap) != UBI_OK || !watch_start(&watch, heap.server)) {
        fprintf(stderr, "quickjs_listen_bench: %s\n", ubi_error_message());
        return 1;
    }
    printf("%u\n", ubi_rdp_server_port(heap.server));
    fflush(stdout);
    heap_serve(&heap, &watch);
    (void)ubi_rdp_server_remove_target(heap.server, ubi_quickjs_target(heap.tools));
    ubi_rdp_server_stop(heap.server);
    ubi_quickjs_detach(heap.tools);
    JS_FreeContext(heap.realm);
    JS_FreeRuntime(heap.runtime);
    return 0;
}
