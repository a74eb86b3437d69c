/* SPDX-License-Identifier: MIT
 *
 * http_driver.c: a program that embeds a server, and has a live heap whose thread reaches safe points when it is told to.
 *
 *     http_driver IDLE_SECONDS MOST_UPLOAD_BYTES MOST_WAITING ROOT FILE...
 *
 * Prints the address, and reads lines: "point" (a safe point), "remove" (the live heap goes), "add" (it comes again), "stop".
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/server/http.h>

#include "drawing.h"

#define MOST_CALLS 16

/* ---- a live heap ------------------------------------------------------------------------------------------------------ */

typedef struct alive {
    drawing *heap;
    pthread_mutex_t lock;
    struct {
        ubi_safe_point_fn fn;
        void *payload;
    } calls[MOST_CALLS]; /* for the next safe point */
    size_t n_calls;
} alive;

static ubi_status freeze(void *payload, const ubi_target_scope *scope, ubi_frozen_heap *out) {
    (void)scope;
    out->root = drawing_node(((alive *)payload)->heap, "root");
    return UBI_OK;
}

static ubi_status thaw(void *payload) {
    (void)payload;
    return UBI_OK;
}

static ubi_status run_at_safe_point(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    alive *a = payload;
    pthread_mutex_lock(&a->lock);
    bool has_room = a->n_calls < MOST_CALLS;
    if (has_room) {
        a->calls[a->n_calls].fn = fn;
        a->calls[a->n_calls++].payload = fn_payload;
    }
    pthread_mutex_unlock(&a->lock);
    return has_room ? UBI_OK : ubi_error(UBI_ELIMIT, "too many calls");
}

static const ubi_target_ops ops = { .version = UBI_TARGET_OPS_VERSION,
                                    .kind = "drawn",
                                    .capabilities = UBI_TARGET_WALK | UBI_TARGET_SAFE_POINT,
                                    .freeze = freeze,
                                    .thaw = thaw,
                                    .run_at_safe_point = run_at_safe_point };

static void safe_point(alive *a) {
    for (;;) {
        pthread_mutex_lock(&a->lock);
        if (a->n_calls == 0)
            break;
        ubi_safe_point_fn fn = a->calls[0].fn;
        void *payload = a->calls[0].payload;
        memmove(a->calls, a->calls + 1, --a->n_calls * sizeof *a->calls);
        pthread_mutex_unlock(&a->lock);
        fn(payload);
    }
    pthread_mutex_unlock(&a->lock);
}

/* ---- the program ------------------------------------------------------------------------------------------------------- */

static void require(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "http_driver: %s\n", ubi_error_message());
    exit(1);
}

static void line_obey(const char *line, ubi_http_server *server, alive *a) {
    const ubi_target target = { &ops, a };
    if (strcmp(line, "point\n") == 0)
        safe_point(a);
    else if (strcmp(line, "remove\n") == 0)
        require(ubi_http_server_remove_target(server, target));
    else if (strcmp(line, "add\n") == 0)
        require(ubi_http_server_add_target(server, target, NULL, "drawn heap"));
    printf("done\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    char line[32];
    alive a = { .heap = drawing_new("root -> a, b; a(size=10) -> b; b(size=20)") };
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    ubi_http_server *server;
    if (argc < 5)
        return 2;
    pthread_mutex_init(&a.lock, NULL);
    options.idle_seconds = (uint32_t)atoi(argv[1]);
    options.most_upload_bytes = strtoull(argv[2], NULL, 10);
    options.most_waiting = (uint32_t)atoi(argv[3]);
    options.roots = (const char *const *)&argv[4];
    options.n_roots = 1;
    require(ubi_http_server_start(&server, &options));
    for (int i = 5; i < argc; i++)
        require(ubi_http_server_add_file(server, argv[i]));
    line_obey("add\n", server, &a);
    printf("%s\n", ubi_http_server_url(server));
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) && strcmp(line, "stop\n") != 0)
        line_obey(line, server, &a);
    ubi_http_server_stop(server);
    safe_point(&a); /* what was asked for may still run */
    drawing_free(a.heap);
    pthread_mutex_destroy(&a.lock);
    return 0;
}
