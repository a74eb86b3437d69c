/* SPDX-License-Identifier: MIT
 *
 * serve_command.c: `ubiheap serve`, questions by HTTP.
 *
 * SIGINT and SIGTERM are blocked in all threads, and this one waits for them. The first stops the server in order; the second ends the
 * process at once, as it does everywhere.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ubiheap/server/http.h>

#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/remote_schemes.h"
#include "cli/returned_memory.h"
#include "cli/token_file.h"
#include "http/http.h"

typedef struct serve_arguments {
    uint64_t port;
    const char *listen, *token_file, *most_upload, *memory, *cache_folder;
    int cache;
    ubi__texts roots, targets;
} serve_arguments;

#define AT(field) offsetof(serve_arguments, field)

/* ---- signals --------------------------------------------------------------------------------------------------------- */

static void signals_block(sigset_t *before) {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ending, before);
}

static void process_leave(int signal_number) {
    (void)signal_number;
    _exit(UBI__EXIT_INTERRUPTED);
}

/* From here on one of them ends the process. */
static void signals_unblock(const sigset_t *before) {
    const struct sigaction leave = { .sa_handler = process_leave };
    sigaction(SIGINT, &leave, NULL);
    sigaction(SIGTERM, &leave, NULL);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void signal_await(void) {
    sigset_t ending;
    int number;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    (void)sigwait(&ending, &number);
}

/* ---- serving ---------------------------------------------------------------------------------------------------------- */

static void document_write(ubi__cli *cli, const ubi_http_server *server) {
    ubi__json json;
    ubi__document_open(&json, cli, "ubiheap.serve/1");
    ubi__json_member_string(&json, "url", ubi_http_server_url(server));
    ubi__json_member_u64(&json, "port", ubi_http_server_port(server));
    ubi__document_end(&json);
}

/* Who reads it waits for it. */
static ubi_status address_print(ubi__cli *cli, const ubi_http_server *server, const serve_arguments *a) {
    if (a->listen && strncmp(a->listen, "127.", 4) != 0 && strcmp(a->listen, "::1") != 0)
        ubi__print_line("serve", "warning: others can reach this address, and what is sent is not encrypted");
    if (cli->common.wants_json)
        document_write(cli, server);
    else
        ubi__out_printf(cli->page.out, "%s\n", ubi_http_server_url(server));
    return ubi__standard_output_flush(cli->output);
}

/* Nothing is connected before a client asks for it. */
static ubi_status file_add(ubi_http_server *server, const char *path) {
    return ubi__remote_is_address(path, ubi__remote_schemes)
               ? ubi__http_server_add_address(server, path, ubi__remote_schemes)
               : ubi_http_server_add_file(server, path);
}

/* Whether a file is at fault, rather than the server, which then does without it. */
static bool is_of_file(ubi_status status) {
    return status == UBI_EFORMAT || status == UBI_EIO || status == UBI_ENOTFOUND;
}

/* A file that cannot be served is left out and named: the others are served, if there are any. */
static ubi_status files_add(ubi__cli *cli, ubi_http_server *server, char **paths, int n) {
    int n_left_out = 0;
    for (int i = 0; i < n; i++) {
        cli->subject = paths[i];
        ubi_status status = file_add(server, paths[i]);
        bool is_last_hope = i == n - 1 && n_left_out == i;
        if (status != UBI_OK && (is_last_hope || !is_of_file(status)))
            return status;
        if (status != UBI_OK) {
            char line[600];
            snprintf(line, sizeof line, "left out: %s", ubi_error_message());
            ubi__print_line(paths[i], line);
            n_left_out++;
        }
    }
    cli->subject = "serve";
    return UBI_OK;
}

static ubi_status all_add(ubi__cli *cli, ubi_http_server *server, const serve_arguments *a, char **paths, int n) {
    for (uint32_t i = 0; i < a->targets.n; i++)
        UBI_TRY(ubi__http_server_add_address(server, a->targets.at[i], ubi__remote_schemes));
    return files_add(cli, server, paths, n);
}

static ubi_status pool_open(ubi_session_pool **out, const serve_arguments *a) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    if (a->memory)
        UBI_TRY(ubi__parse_size(&options.limit_bytes, a->memory, "--memory"));
    return ubi_session_pool_new(out, &options);
}

static ubi_status server_start(ubi_http_server **out, ubi__cli *cli, const serve_arguments *a, ubi_session_pool *pool) {
    char token[UBI__HTTP_TOKEN_BYTES];
    ubi_session_options session = UBI_SESSION_OPTIONS_INIT;
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    UBI_TRY(ubi__token_file_use(&options, token, cli, a->token_file));
    UBI_TRY(ubi__port_read(&options, a->port));
    session.threads = ubi__cli_threads(cli);
    session.compat = cli->compat;
    session.index = a->cache < 0 ? UBI_SESSION_INDEX_NONE : UBI_SESSION_INDEX_CACHE;
    session.cache_folder = a->cache_folder;
    options.session = &session;
    options.pool = pool;
    options.listen = a->listen;
    options.roots = a->roots.at;
    options.n_roots = a->roots.n;
    if (a->most_upload)
        UBI_TRY(ubi__parse_size(&options.most_upload_bytes, a->most_upload, "--max-upload"));
    return ubi_http_server_start(out, &options);
}

static ubi_status serve(ubi__cli *cli, const serve_arguments *a, ubi_session_pool *pool, char **paths, int n) {
    ubi_http_server *server = NULL;
    sigset_t before;
    signals_block(&before);
    ubi_status status = server_start(&server, cli, a, pool);
    if (status == UBI_OK)
        status = all_add(cli, server, a, paths, n);
    if (status == UBI_OK)
        status = address_print(cli, server, a);
    if (status == UBI_OK)
        signal_await();
    signals_unblock(&before);
    ubi_http_server_stop(server);
    return status;
}

static ubi_status serve_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi_session_pool *pool = NULL;
    (void)exit_code;
    cli->subject = "serve";
    ubi__return_freed_memory();
    UBI_TRY(pool_open(&pool, values));
    ubi_status status = serve(cli, values, pool, operands, n_operands);
    ubi_session_pool_unref(pool);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__NUMBER("port", 0, AT(port), "N", "the port to listen on; 0: any that is free", "0"),
    UBI__TEXTS("root", 'r', AT(roots), "DIR", "a folder in which clients may open files; may be given again"),
    UBI__TEXTS("target", 0, AT(targets), "ADDRESS",
               "a program that runs, as 'ubiheap attach' takes it: clients take snapshots of it; may be given again"),
    UBI__TEXT("listen", 0, AT(listen), "ADDRESS",
              "the address to listen on, in digits; others than the default are reached from other machines, without "
              "encryption",
              "127.0.0.1"),
    UBI__TEXT(
        "token-file", 0, AT(token_file), "FILE",
        "have the token that is in FILE, which only its owner may read, and is made if it is not there: the server "
        "that is started next answers the same clients",
        "a token of its own"),
    UBI__TEXT("max-upload", 0, AT(most_upload), "SIZE", "the largest file that a client may send", "8 GiB"),
    UBI__TEXT("memory", 0, AT(memory), "SIZE", "what is computed and kept may take this much memory",
              "half of what there is"),
    UBI__SWITCH("cache", 0, AT(cache),
                "keep indexes of large heaps in the cache folder, and use those that are there, or do neither; the "
                "default is to keep them"),
    UBI__TEXT("cache-dir", 0, AT(cache_folder), "DIR", "the cache folder", "ubiheap in $XDG_CACHE_HOME or ~/.cache"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "serve app.heapsnapshot", "prints the address; Ctrl-C ends it" },
    { "serve --target firefox://127.0.0.1:6000/tab/1", "clients take snapshots of a tab" },
    { "serve --root snapshots --port 8123", "clients may open what is in the folder" },
    { "serve --port 8123 --token-file token app.heapsnapshot", "the same address each time" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "serve",
    .operands = "[FILE...]",
    .summary = "answer questions by HTTP, for scripts, dashboards and pages",
    .question = "How do other programs ask about heaps?",
    .description =
        "Serves questions about the files, and about those that clients open below a --root or upload, by HTTP on this "
        "machine. Programs that run, each a --target, are connected when a client asks for a snapshot, or has them "
        "collect, "
        "measure or record allocation stacks; a connection that is lost is made again by the next request. Prints its "
        "address, which has a token: without it nothing is answered. A file that cannot be served is left out and "
        "named, unless "
        "none is left. What is computed is kept and "
        "shared by all clients, up to the limit of --memory. Of heaps of 8 MiB and more, an index is kept, so that the "
        "next server opens them at once.\n"
        "\n"
        "The first SIGINT (Ctrl-C) or SIGTERM cancels what runs, deletes what was uploaded, and ends with exit code 0; "
        "the second ends at once. Needs libmicrohttpd.so.12 (Debian package libmicrohttpd12).",
    .parameters = parameters,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 0,
    .max_operands = 64,
    .arguments_bytes = sizeof(serve_arguments),
};

const ubi__command ubi__command_serve = {
    .usage = &usage,
    .run = serve_run,
};
