/* SPDX-License-Identifier: MIT
 *
 * quickjs_listen_bench.c: a live heap whose census is long, for clients of the remote debugging protocol (rdp.py).
 *
 *     quickjs_listen_bench CLASSES LETTERS
 *
 * makes one object of each of so many classes, whose names have so many letters, listens on a free port, which it prints, and answers
 * until its input ends.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ubiheap/extension/quickjs.h>
#include <ubiheap/server/rdp.h>

#include "quickjs.h"

#define MOST_LETTERS 4000

typedef struct listening_heap {
    JSRuntime *runtime;
    JSContext *realm;
    ubi_quickjs *tools;
    ubi_rdp_server *server;
    int bell[2]; /* pipe: a request waits */
} listening_heap;

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

/* Until the input ends. */
static void heap_serve(const listening_heap *heap) {
    struct pollfd inputs[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = heap->bell[0], .events = POLLIN } };
    char bytes[64];
    while (poll(inputs, 2, -1) > 0 && !inputs[0].revents) {
        if (read(heap->bell[0], bytes, sizeof bytes) <= 0)
            return;
        ubi_quickjs_interrupt(heap->tools);
    }
}

int main(int argc, char **argv) {
    listening_heap heap = { 0 };
    unsigned n_classes = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    int n_letters = argc == 3 ? atoi(argv[2]) : 0;
    if (n_classes == 0 || n_letters < 1 || n_letters > MOST_LETTERS) {
        fprintf(stderr, "usage: quickjs_listen_bench CLASSES LETTERS\n");
        return 2;
    }
    if (!heap_make(&heap, n_classes, n_letters) || heap_offer(&heap) != UBI_OK) {
        fprintf(stderr, "quickjs_listen_bench: %s\n", ubi_error_message());
        return 1;
    }
    printf("%u\n", ubi_rdp_server_port(heap.server));
    fflush(stdout);
    heap_serve(&heap);
    (void)ubi_rdp_server_remove_target(heap.server, ubi_quickjs_target(heap.tools));
    ubi_rdp_server_stop(heap.server);
    ubi_quickjs_detach(heap.tools);
    JS_FreeContext(heap.realm);
    JS_FreeRuntime(heap.runtime);
    return 0;
}
