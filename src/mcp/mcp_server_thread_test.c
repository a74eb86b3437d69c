/* SPDX-License-Identifier: MIT
 *
 * mcp_server_thread_test.c: messages in and out: what each request gets, within its budget; errors; batches; progress and cancelling; what
 * is cut, damaged or too long; memory that is refused.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "mcp/mcp_message.h"
#include "mcp/mcp_server.h"
#include "mcp/mcp_tools.h"

#define BEFORE "tests/data/v8/node20-before.heapsnapshot.gz"
#define AFTER "tests/data/v8/node20-after.heapsnapshot.gz"
#define FIREFOX "tests/data/fx/tiny-before.fxsnapshot"
#define RECORDING "tests/data/ubirec/server.ubirec"

/* ---- a client ------------------------------------------------------------------------------------------------------- */

typedef struct client {
    ubi_session_pool *pool;
    ubi__mcp_server *server;
    pthread_mutex_t lock;
    ubi__vec_u8 out; /* what the server wrote since it was last looked at */
    char *seen;      /* what was looked at; owned */
    bool is_closed;
} client;

static bool client_write(void *payload, const void *data, size_t n) {
    client *c = payload;
    pthread_mutex_lock(&c->lock);
    bool is_open = !c->is_closed;
    if (is_open) {
        assert_int_equal(ubi__vec_u8_reserve(&c->out, ubi_allocator_default(), n), UBI_OK);
        memcpy(c->out.at + c->out.n, data, n);
        c->out.n += n;
    }
    pthread_mutex_unlock(&c->lock);
    return is_open;
}

static void client_open(client *c, const char *const *files, uint32_t n_files) {
    static const char *const roots[] = { "tests/data/fx" };
    ubi_mcp_options options = UBI_MCP_OPTIONS_INIT;
    const ubi__mcp_output output = { client_write, c };
    memset(c, 0, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    assert_int_equal(ubi_session_pool_new(&c->pool, NULL), UBI_OK);
    options.pool = c->pool;
    options.files = files;
    options.n_files = n_files;
    options.roots = roots;
    options.n_roots = 1;
    if (ubi__mcp_server_new(&c->server, &options, &output, NULL) != UBI_OK)
        fail_msg("%s", ubi_error_message());
}

static void client_close(client *c) {
    ubi__mcp_server_free(c->server);
    ubi_session_pool_unref(c->pool);
    ubi__vec_u8_fini(&c->out, ubi_allocator_default());
    free(c->seen);
    pthread_mutex_destroy(&c->lock);
}

static void send_line(client *c, const char *line) {
    ubi__mcp_server_line(c->server, ubi__text(line));
}

/* What was written since the last time, when all requests are answered. Good until the next one. */
static const char *replies(client *c) {
    ubi__mcp_server_settle(c->server, NULL, NULL);
    pthread_mutex_lock(&c->lock); /* what was cancelled may still write */
    free(c->seen);
    c->seen = c->out.n ? strndup((char *)c->out.at, c->out.n) : strdup("");
    c->out.n = 0;
    pthread_mutex_unlock(&c->lock);
    return c->seen;
}

static const char *ask(client *c, const char *line) {
    send_line(c, line);
    return replies(c);
}

static const char *call(client *c, const char *tool, const char *arguments) {
    char line[3000];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s}}",
             tool, arguments);
    return ask(c, line);
}

static void assert_has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("%s\nis not in\n%s", part, text);
}

static void assert_is(const char *text, const char *whole) {
    if (strcmp(text, whole) != 0)
        fail_msg("%s\nis not\n%s", text, whole);
}

/* One line of JSON. */
static void assert_one_message(const char *text) {
    ubi__json_cursor c;
    ubi__json_value value;
    size_t n = strlen(text);
    assert_true(n > 0 && text[n - 1] == '\n' && strchr(text, '\n') == text + n - 1);
    assert_true(ubi__json_value_whole(&c, &value, (ubi_text){ text, n - 1 }));
}

/* ---- the beginning -------------------------------------------------------------------------------------------------- */

static void the_version_is_the_clients_if_it_is_known(void **state) {
    static const char *const wanted[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01", "" };
    client c;
    (void)state;
    client_open(&c, NULL, 0);
    for (size_t i = 0; i < 6; i++) {
        char line[300], version[60];
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
                 "\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}",
                 wanted[i]);
        const char *reply = ask(&c, line);
        assert_one_message(reply);
        snprintf(version, sizeof version, "\"protocolVersion\":\"%s\"", i < 4 ? wanted[i] : "2025-11-25");
        assert_has(reply, version);
        assert_has(reply, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":");
        assert_has(reply, "\"capabilities\":{\"tools\":{},\"resources\":{}}");
    }
    assert_is(ask(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"), "");
    assert_is(ask(&c, " {\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\r"),
              "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}\n");
    client_close(&c);
}

static void the_tools_take_few_bytes(void **state) {
    client c;
    (void)state;
    client_open(&c, NULL, 0);
    const char *reply = ask(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    assert_one_message(reply);
    assert_true(strlen(reply) <= UBI__MCP_TOOLS_BYTES);
    for (int i = 0; i < UBI__MCP_N_TOOLS; i++) {
        char name[60];
        snprintf(name, sizeof name, "{\"name\":\"%s\",\"description\":", ubi__mcp_tools[i].name);
        assert_has(reply, name);
    }
    assert_has(reply, "\"readOnlyHint\":true");
    client_close(&c);
}

static void errors_have_the_codes_of_the_protocol(void **state) {
    static const struct {
        const char *line, *reply;
    } cases[] = {
        { "{",
          "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"the message is not JSON\"}}\n" },
        { "\"x\"", "\"code\":-32600" },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "\"id\":1,\"error\":{\"code\":-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "\"id\":null,\"error\":{\"code\":-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", "\"code\":-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":3}", "\"code\":-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}", "\"code\":-32600" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/run\"}", "\"code\":-32601" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}", "\"code\":-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", "\"code\":-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{}}", "\"code\":-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///etc/passwd\"}}",
          "\"code\":-32002" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"ubiheap://h9\"}}",
          "\"code\":-32002" },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "this version of the protocol has no batches" },
    };
    client c;
    (void)state;
    client_open(&c, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *reply = ask(&c, cases[i].line);
        assert_one_message(reply);
        assert_has(reply, cases[i].reply);
    }
    assert_is(ask(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/run\"}"), "");
    assert_is(ask(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"), "");
    assert_is(ask(&c, "  "), "");
    client_close(&c);
}

static void failures_of_tools_are_results_with_one_clear_line(void **state) {
    static const struct {
        const char *tool, *arguments, *text;
    } cases[] = {
        { "report", "{}", "no heap is open; call heaps {} for files" },
        { "report", "{\"heap\":\"h1\"}", "no heap is open, so there is no 'h1'" },
        { "report", "{\"heap\":\"../../../etc/passwd\"}", "no file '../../../etc/passwd' below the allowed folders" },
        { "report", "{\"heap\":7}", "heap: expected a string" },
        { "report", "{\"haep\":\"h1\"}", "report has no argument 'haep'; did you mean 'heap'?" },
        { "report", "{\"budget\":100}", "budget: expected 1024 to 40960 bytes" },
        { "report", "{\"cursor\":-1}", "cursor: expected a whole number" },
        { "report", "[]", "expected an object of arguments" },
        { "leaks", "{\"heaps\":[1]}", "heaps: expected an array of ids" },
        { "leaks", "{\"heaps\":[]}", "heaps: expected at least one" },
        { "heaps", "{\"open\":\"a\\u0000b\"}", "open: expected a text without a zero in it" },
        { "find", "{\"heap\":\"tiny-before.fxsnapshot\"}", "find needs text, class or where" },
        { "find", "{\"where\":\"retaind > 1\"}", "unknown name 'retaind'" },
        { "explain", "{}", "explain needs node or class" },
        { "explain", "{\"node\":\"12x\"}", "node: " },
        { "explain", "{\"node\":999999999999}", "no node has the id 999999999999" },
        { "explain", "{\"class\":\"NoSuchClass\"}", "there is no class 'NoSuchClass'" },
        { "ask", "{\"question\":\"sumary\"}", "there is no question 'sumary'; did you mean 'summary'?" },
        { "ask", "{\"question\":\"summary\",\"parameters\":{\"limit\":\"x\"}}", "limit: expected a whole number" },
        { "ask", "{\"question\":\"timeline\"}", "this is a heap snapshot of Firefox or QuickJS" },
    };
    client c;
    (void)state;
    client_open(&c, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *reply = call(&c, cases[i].tool, cases[i].arguments);
        assert_one_message(reply);
        assert_has(reply, cases[i].text);
        assert_has(reply, "\"isError\":true");
        assert_null(strstr(reply, "tests/data"));
    }
    client_close(&c);
}

/* ---- tools ----------------------------------------------------------------------------------------------------------- */

static void every_reply_is_within_its_budget_and_the_same_again(void **state) {
    static const char *const files[] = { BEFORE, AFTER, RECORDING, FIREFOX };
    static const unsigned budgets[] = { 1024, 4096, 16384, 40960 };
    static const struct {
        const char *tool, *arguments;
    } calls[] = {
        { "heaps", "" },
        { "report", ",\"heap\":\"h1\"" },
        { "report", ",\"heap\":\"h3\"" },
        { "report", ",\"heap\":\"h4\"" },
        { "leaks", ",\"heaps\":[\"h1\",\"h2\"]" },
        { "find", ",\"heap\":\"h2\",\"class\":\"LeakedThing\"" },
        { "find", ",\"heap\":\"h2\",\"text\":\"leaked\"" },
        { "find", ",\"heap\":\"h2\",\"text\":\"/^Map/\",\"where\":\"retainedSize > 1KiB\"" },
        { "explain", ",\"heap\":\"h2\",\"node\":78369" },
        { "explain", ",\"heap\":\"h2\",\"class\":\"LeakedThing\"" },
        { "ask", "" },
        { "ask", ",\"heap\":\"h2\",\"question\":\"nodes\"" },
        { "ask", ",\"heap\":\"h2\",\"question\":\"strings\",\"parameters\":{\"limit\":0}" },
        { "ask", ",\"heaps\":[\"h1\",\"h2\"],\"question\":\"diff\"" },
        { "ask", ",\"heap\":\"nowhere/at/all\",\"question\":\"report\"" },
    };
    client c, other;
    (void)state;
    client_open(&c, files, 4);
    client_open(&other, files, 4);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (size_t k = 0; k < 4; k++) {
            char arguments[400];
            snprintf(arguments, sizeof arguments, "{\"budget\":%u%s}", budgets[k], calls[i].arguments);
            const char *reply = call(&c, calls[i].tool, arguments), *again = call(&other, calls[i].tool, arguments);
            assert_one_message(reply);
            assert_true(strlen(reply) <= budgets[k]);
            assert_is(again, reply);
            assert_null(strstr(reply, "tests/data/v8"));
        }
    client_close(&other);
    client_close(&c);
}

static void heaps_are_opened_listed_and_closed(void **state) {
    static const char *const files[] = { AFTER };
    client c;
    (void)state;
    client_open(&c, files, 1);
    const char *reply = call(&c, "heaps", "{}");
    assert_has(reply, "id=\\\"h1\\\" name=\\\"node20-after.heapsnapshot.gz\\\" kind=\\\"heap\\\" bytes=827275");
    assert_has(reply, "next: ");
    assert_has(call(&c, "heaps", "{\"open\":\"tiny-before.fxsnapshot\",\"budget\":40960}"), "h2 was opened");
    assert_has(call(&c, "report", "{}"), "report of h2 \\\"tiny-before.fxsnapshot\\\"");
    assert_has(call(&c, "heaps", "{\"close\":\"h2\"}"), "h2 was closed");
    assert_has(call(&c, "report", "{\"heap\":\"h2\"}"), "\"isError\":true");
    assert_has(call(&c, "report", "{\"heap\":\"tiny-after.fxsnapshot\"}"), "report of h3");
    assert_has(call(&c, "leaks", "{\"heaps\":[\"h1\"]}"), "next: report {\\\"heap\\\":\\\"h1\\\"}");
    client_close(&c);
}

static void leaks_takes_heaps_in_any_order(void **state) {
    static const char *const files[] = { AFTER, RECORDING, BEFORE };
    client c;
    (void)state;
    client_open(&c, files, 3);
    static const char *const arguments[] = { "{}", "{\"heaps\":[\"h1\",\"h3\"]}", "{\"heaps\":[\"h3\",\"h1\"]}" };
    for (size_t i = 0; i < 3; i++) {
        const char *reply = call(&c, "leaks", arguments[i]);
        assert_has(reply,
                   "leaks from h3 \\\"node20-before.heapsnapshot.gz\\\" to h1 \\\"node20-after.heapsnapshot.gz\\\"");
        assert_has(reply, "next: explain {\\\"heap\\\":\\\"h1\\\",\\\"node\\\":78369}");
    }
    client_close(&c);
}

static void heaps_are_resources(void **state) {
    static const char *const files[] = { AFTER, RECORDING };
    client c;
    (void)state;
    client_open(&c, files, 2);
    const char *reply = ask(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}");
    assert_has(reply,
               "{\"uri\":\"ubiheap://h1\",\"name\":\"node20-after.heapsnapshot.gz\",\"mimeType\":\"text/plain\"}");
    assert_has(reply, "ubiheap://h2");
    for (int i = 1; i <= 3; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"ubiheap://%s\"}}",
                 i == 1   ? "h1"
                 : i == 2 ? "h2"
                          : "questions");
        reply = ask(&c, line);
        assert_one_message(reply);
        assert_true(strlen(reply) <= UBI_MCP_MOST_BUDGET);
        assert_has(reply, i == 1 ? "info and report of h1" : i == 2 ? "info and report of h2" : "questions for ask");
    }
    client_close(&c);
}

/* ---- several at once --------------------------------------------------------------------------------------------------- */

static void batches_are_answered_together(void **state) {
    static const char *const files[] = { FIREFOX };
    client c;
    (void)state;
    client_open(&c, files, 1);
    ask(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\"}}");
    const char *reply =
        ask(&c, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},3,"
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"report\"}},"
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
                "call\",\"params\":{\"name\":\"report\",\"arguments\":{\"x\":1}}},"
                "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"leaks\"}}]");
    assert_one_message(reply);
    assert_true(reply[0] == '[');
    assert_has(reply, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_has(reply, "\"id\":null,\"error\":{\"code\":-32600");
    assert_has(reply, "\"id\":2,\"result\":{\"content\"");
    assert_has(reply, "\"id\":3,\"result\":{\"content\"");
    assert_has(reply, "\"id\":4,\"result\":{\"content\"");
    assert_is(ask(&c, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]"), "");
    assert_has(ask(&c, "[]"), "\"code\":-32600");
    assert_has(ask(&c, "[1,"), "\"code\":-32700");
    client_close(&c);
}

static void requests_run_at_once_and_can_be_cancelled(void **state) {
    static const char *const files[] = { BEFORE, AFTER, FIREFOX };
    client c;
    (void)state;
    client_open(&c, files, 3);
    for (int i = 0; i < 20; i++) {
        char line[300];
        snprintf(
            line, sizeof line,
            "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"report\",\"arguments\":"
            "{\"heap\":\"h%d\"},\"_meta\":{\"progressToken\":\"t%d\"}}}",
            i, 1 + i % 3, i);
        send_line(&c, line);
    }
    send_line(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":19}}");
    send_line(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"x\"}}");
    send_line(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    const char *all = replies(&c);
    for (int i = 0; i < 19; i++) {
        char id[40];
        snprintf(id, sizeof id, "\"id\":%d,\"result\"", i);
        assert_has(all, id);
    }
    client_close(&c); /* what was cancelled may still end */
}

static void an_id_is_used_once_at_a_time(void **state) {
    static const char *const files[] = { AFTER };
    static const char line[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"report\"}}";
    client c;
    (void)state;
    client_open(&c, files, 1);
    for (int i = 0; i < 30; i++)
        send_line(&c, line);
    const char *all = replies(&c);
    unsigned n = 0;
    for (const char *at = all; *at; at++)
        n += *at == '\n';
    assert_int_equal(n, 30); /* each has a reply */
    assert_has(all, "\"id\":1,\"result\"");
    client_close(&c);
}

static void a_closed_output_gives_up_what_runs(void **state) {
    static const char *const files[] = { AFTER };
    client c;
    (void)state;
    client_open(&c, files, 1);
    c.is_closed = true;
    send_line(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    send_line(&c, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"report\"}}");
    ubi__mcp_server_settle(c.server, NULL, NULL);
    assert_int_equal(c.out.n, 0);
    client_close(&c);
    client_open(&c, files, 1); /* freed while something runs */
    send_line(&c, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"report\"}}");
    client_close(&c);
}

/* ---- descriptors --------------------------------------------------------------------------------------------------------- */

typedef struct served {
    ubi_mcp_options options;
    ubi_status status;
} served;

static void *serve(void *payload) {
    served *s = payload;
    s->status = ubi_mcp_serve(&s->options);
    close(s->options.output_fd);
    return NULL;
}

static void write_all(int fd, const char *text, size_t n) {
    while (n > 0) {
        ssize_t written = write(fd, text, n);
        assert_true(written > 0);
        text += written;
        n -= (size_t)written;
    }
}

/* All of the output for an input that ends; in pieces of n_piece bytes. */
static char *serve_text(const char *input, size_t n, size_t n_piece) {
    static const char *const files[] = { FIREFOX };
    static char out[200000];
    served s = { .options = UBI_MCP_OPTIONS_INIT };
    int in_pipe[2], out_pipe[2];
    pthread_t thread;
    size_t n_out = 0;
    ssize_t n_read;
    assert_int_equal(pipe(in_pipe) | pipe(out_pipe), 0);
    assert_int_equal(ubi_session_pool_new(&s.options.pool, NULL), UBI_OK);
    s.options.files = files;
    s.options.n_files = 1;
    s.options.input_fd = in_pipe[0];
    s.options.output_fd = out_pipe[1];
    assert_int_equal(pthread_create(&thread, NULL, serve, &s), 0);
    for (size_t at = 0; at < n; at += n_piece)
        write_all(in_pipe[1], input + at, n - at < n_piece ? n - at : n_piece);
    close(in_pipe[1]);
    while ((n_read = read(out_pipe[0], out + n_out, sizeof out - 1 - n_out)) > 0)
        n_out += (size_t)n_read;
    out[n_out] = '\0';
    pthread_join(thread, NULL);
    close(in_pipe[0]);
    close(out_pipe[0]);
    assert_int_equal(s.status, UBI_OK);
    ubi_session_pool_unref(s.options.pool);
    return out;
}

static void what_was_asked_before_the_end_is_answered(void **state) {
    static const char input[] =
        "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"report\"}}\n\r\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"; /* without its end of line */
    (void)state;
    for (size_t n_piece = 1; n_piece < sizeof input; n_piece *= 3) {
        const char *out = serve_text(input, sizeof input - 1, n_piece);
        assert_has(out, "\"id\":1,\"result\":{\"content\"");
        assert_has(out, "\"id\":2,\"result\":{}");
    }
    assert_is(serve_text("", 0, 1), "");
}

static void a_line_that_is_too_long_is_passed_over(void **state) {
    static const char end[] = "\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    size_t n_long = UBI__MCP_LINE_BYTES + 200000;
    char *input = malloc(n_long + sizeof end);
    (void)state;
    memset(input, ' ', n_long);
    memcpy(input + n_long, end, sizeof end);
    const char *out = serve_text(input, n_long + sizeof end - 1, 60000);
    assert_is(
        out,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"the message has more than 4 MiB, "
        "and was passed over\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    out = serve_text(input, n_long, 1 << 20);
    assert_has(out, "was passed over");
    free(input);
}

/* ---- damage ---------------------------------------------------------------------------------------------------------------- */

static const char *const sound[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":\"\\u00e9\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\"}"
    "}",
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"ask\",\"arguments\":{\"question\":\"info\","
    "\"parameters\":{}},\"_meta\":{\"progressToken\":5}}}",
    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\","
    "\"params\":{\"uri\":\"ubiheap://h1\"}}]",
};

/* Whatever comes, what is written is lines of JSON. */
static void assert_survives(client *c, const char *bytes, size_t n) {
    ubi__mcp_server_line(c->server, (ubi_text){ bytes, n });
    for (const char *at = replies(c), *end; *at; at = end + 1) {
        ubi__json_cursor cursor;
        ubi__json_value value;
        end = strchr(at, '\n');
        assert_non_null(end);
        assert_true(ubi__json_value_whole(&cursor, &value, (ubi_text){ at, (size_t)(end - at) }));
    }
}

static void damaged_messages_are_refused_or_answered(void **state) {
    static const char *const files[] = { FIREFOX };
    char copy[400];
    client c;
    (void)state;
    client_open(&c, files, 1);
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        size_t n = strlen(sound[i]);
        for (size_t at = 0; at < n; at++) {
            assert_survives(&c, sound[i], at);
            for (int bit = 0; bit < 8; bit += 3) {
                memcpy(copy, sound[i], n);
                copy[at] = (char)(copy[at] ^ (1 << bit));
                assert_survives(&c, copy, n);
            }
        }
    }
    assert_is(ask(&c, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
    client_close(&c);
}

/* Each request is answered, if only with an error, or with nothing where even that needs memory. */
static void refused_memory_fails_a_request_alone(void **state) {
    static const char *const files[] = { FIREFOX };
    static const char *const lines[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"report\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
        "call\",\"params\":{\"name\":\"heaps\",\"arguments\":{\"open\":\"x\"}}}",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
        "\"params\":{\"name\":\"find\",\"arguments\":{\"class\":\"Object\"}}}]",
    };
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (uint64_t n = 0;; n += FAIL_ALLOCATOR_STEP) {
            fail_allocator f;
            client c = { .is_closed = false };
            ubi_mcp_options options = UBI_MCP_OPTIONS_INIT;
            const ubi__mcp_output output = { client_write, &c };
            pthread_mutex_init(&c.lock, NULL);
            fail_allocator_init(&f, n);
            assert_int_equal(ubi_session_pool_new(&c.pool, NULL), UBI_OK);
            options.pool = c.pool;
            options.files = files;
            options.n_files = 1;
            ubi_status status = ubi__mcp_server_new(&c.server, &options, &output, &f.allocator);
            assert_true(status == UBI_OK || status == UBI_ENOMEM);
            if (status == UBI_OK) {
                send_line(&c, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                              "\"2025-03-26\"}}");
                assert_survives(&c, lines[i], strlen(lines[i]));
                assert_true(c.seen[0] != '\0');
            }
            bool was_refused = f.n_refused > 0;
            if (status != UBI_OK)
                c.server = NULL;
            client_close(&c);
            fail_allocator_fini(&f);
            if (!was_refused)
                break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_the_clients_if_it_is_known),
        cmocka_unit_test(the_tools_take_few_bytes),
        cmocka_unit_test(errors_have_the_codes_of_the_protocol),
        cmocka_unit_test(failures_of_tools_are_results_with_one_clear_line),
        cmocka_unit_test(every_reply_is_within_its_budget_and_the_same_again),
        cmocka_unit_test(heaps_are_opened_listed_and_closed),
        cmocka_unit_test(leaks_takes_heaps_in_any_order),
        cmocka_unit_test(heaps_are_resources),
        cmocka_unit_test(batches_are_answered_together),
        cmocka_unit_test(requests_run_at_once_and_can_be_cancelled),
        cmocka_unit_test(an_id_is_used_once_at_a_time),
        cmocka_unit_test(a_closed_output_gives_up_what_runs),
        cmocka_unit_test(what_was_asked_before_the_end_is_answered),
        cmocka_unit_test(a_line_that_is_too_long_is_passed_over),
        cmocka_unit_test(damaged_messages_are_refused_or_answered),
        cmocka_unit_test(refused_memory_fails_a_request_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
