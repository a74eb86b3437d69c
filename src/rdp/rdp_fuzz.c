/* SPDX-License-Identifier: MIT
 *
 * rdp_fuzz.c: any bytes as a client's conversation with all actors, about two
 * targets that have safe points, sizes and collections; the first has a console, a timeline and a profiler, too.
 *
 * Each line of the input is the JSON of a request; ids in it may be written as
 * @N, the N-th actor. A line that begins with ! comes as it is, without a
 * header; `.` lets the target reach a safe point, `>` delivers the mail, `+`
 * lets time pass, `*` lets the targets do something, `-` lets the target go; `~` makes it another page; `=` brings
 * a second target, and `,`
 * lets it reach a safe point.
 *
 * Promises checked: no crash, no leak; what goes out are packets whose JSON is
 * right, each with `from`; no request is left without an answer when the target
 * has come to its safe point; no value is released twice, or asked about when
 * it is not held.
 */
#include "base/text.h"
#include "fuzz_pieces.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"
#include "rdp/console_for_tests.h"
#include "rdp/tools_for_tests.h"

#include <unistd.h>

#define MOST_JSON_BYTES 65536

/* ---- a target
 * -----------------------------------------------------------------------------------------------------------
 */

typedef struct program {
    ubi_safe_point_fn fn;
    void *payload;
    bool must_reload;
} program;

static ubi_status program_ask(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    program *p = payload;
    require(!p->fn, "a second call before the first was heard");
    p->fn = fn;
    p->payload = fn_payload;
    return UBI_OK;
}

static void program_come(program *p) {
    ubi_safe_point_fn fn = p->fn;
    p->fn = NULL;
    if (fn)
        fn(p->payload);
}

static ubi_status program_collect(void *payload) {
    (void)payload;
    return UBI_OK;
}

static ubi_status program_measure(void *payload, ubi_measure_fn fn, void *fn_payload) {
    const ubi_measure_row row = { ubi__text("unattributedSize"), 4096, true };
    (void)payload;
    fn(fn_payload, &row);
    return UBI_OK;
}

/* One in another process. */
static ubi_status second_measure(void *payload, ubi_measure_fn fn, void *fn_payload) {
    static const char *const names[] = { "unattributedSize", "residentSize", "residentUniqueSize" };
    (void)payload;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const ubi_measure_row row = { ubi__text(names[i]), 4096, true };
        fn(fn_payload, &row);
    }
    return UBI_OK;
}

static void program_reload(void *payload) {
    ((program *)payload)->must_reload = true;
}

#define CAPABILITIES (UBI_TARGET_SAFE_POINT | UBI_TARGET_COLLECT_GARBAGE | UBI_TARGET_MEASURE)

static const ubi_target_ops ops = { .version = UBI_TARGET_OPS_VERSION,
                                    .kind = "drawn",
                                    .capabilities =
                                        CAPABILITIES | UBI_TARGET_CONSOLE | UBI_TARGET_TIMELINE | UBI_TARGET_PROFILE,
                                    .collect_garbage = program_collect,
                                    .measure = program_measure,
                                    .run_at_safe_point = program_ask,
                                    .open_console = drawn_open,
                                    .open_timeline = drawn_timeline_open,
                                    .open_profiler = drawn_profiler_open };
static const ubi_target_ops second_ops = { .version = UBI_TARGET_OPS_VERSION,
                                           .kind = "second",
                                           .capabilities = CAPABILITIES,
                                           .collect_garbage = program_collect,
                                           .measure = second_measure,
                                           .run_at_safe_point = program_ask };

/* For all timelines that are observed: a run of a script, a document, and one that does not end. */
static void program_work(void) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    ubi_timeline_consumers_add_marker_for_all_observed_targets(consumers, "Javascript", UBI_MARKER_START,
                                                               UBI_MARKER_STACK);
    ubi_timeline_consumers_add_marker_for_all_observed_targets(consumers, "document::Load", UBI_MARKER_TIMESTAMP,
                                                               UBI_MARKER_STACK);
    ubi_timeline_consumers_add_marker_for_all_observed_targets(consumers, "Javascript", UBI_MARKER_END,
                                                               UBI_MARKER_NO_STACK);
    ubi_timeline_consumers_add_marker_for_all_observed_targets(consumers, "open", UBI_MARKER_START, UBI_MARKER_STACK);
}

/* ---- a client
 * -----------------------------------------------------------------------------------------------------------
 */

typedef struct client {
    ubi__rdp_connection *connection;
    ubi__rdp_offer *offer;
    program program, second;
    bool has_target, has_second;
    uint64_t now_ms;
    ubi__rdp_packets reader;
} client;

static void json_check(ubi_text text) {
    ubi__json_cursor c;
    ubi__json_value whole, key, value;
    bool has_from = false;
    require(ubi__json_value_whole(&c, &whole, text) && whole.type == UBI__JSON_OBJECT, "a packet is not JSON");
    ubi__json_cursor_open(&c, whole.raw, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        has_from = has_from || ubi__json_value_is(&key, "from");
    require(has_from, "a packet is from no one");
    require(ubi__utf8_valid_prefix(text) == text.len, "a packet is not UTF-8");
}

static void client_write(void *payload, ubi__vec_u8 *bytes, size_t at) {
    client *c = payload;
    ubi_text input = { (const char *)bytes->at + at, bytes->n - at };
    ubi__rdp_piece piece;
    do {
        ubi__rdp_packets_next(&c->reader, &input, &piece);
        require(piece.kind != UBI__RDP_FATAL, "what goes out is not a packet");
        if (piece.kind == UBI__RDP_JSON)
            json_check(piece.bytes);
    } while (piece.kind != UBI__RDP_NO_PIECE);
    ubi__vec_u8_fini(bytes, ubi_allocator_default());
}

static void client_write_file(void *payload, int fd, uint64_t n_bytes) {
    (void)payload, (void)n_bytes;
    close(fd);
}

static void client_close(void *payload, const char *why) {
    (void)payload;
    require(why && *why && !strchr(why, '\n'), "a reason is not one line");
}

/* Of the server. */
static void client_navigated(void *payload, ubi__rdp_tab *tab) {
    const client *c = payload;
    if (c->connection && !c->connection->is_ended)
        ubi__rdp_root_tab_navigated(ubi__rdp_root(c->connection), tab);
}

static void client_open(client *c) {
    const ubi__rdp_tab_options tab = { .title = "drawn", .reload = program_reload, .payload = &c->program };
    const ubi__rdp_output output = { c, client_write, client_write_file, client_close };
    ubi__rdp_connection_options options = {
        .root = &ubi__rdp_root_type, .greet = ubi__rdp_root_greet, .prefix = "p.", .most_json_bytes = MOST_JSON_BYTES
    };
    ubi__rdp_session *session = NULL;
    require(ubi__rdp_offer_new(&c->offer, NULL) == UBI_OK, "no offer");
    require(ubi__rdp_offer_add(c->offer, (ubi_target){ &ops, &c->program }, &tab) == UBI_OK, "no tab");
    require(ubi__rdp_session_new(&session, c->offer) == UBI_OK, "no session");
    c->has_target = true;
    options.root_payload = session;
    ubi__rdp_packets_init(&c->reader, (size_t)1 << 30, NULL);
    c->offer->on_navigated = client_navigated;
    c->offer->payload = c;
    require(ubi__rdp_connection_new(&c->connection, &options, &output, 0) == UBI_OK, "no connection");
}

static void second_come(client *c) {
    const ubi__rdp_tab_options tab = { .title = "second", .process_id = 7 };
    if (c->has_second)
        return;
    c->has_second = true;
    require(ubi__rdp_offer_add(c->offer, (ubi_target){ &second_ops, &c->second }, &tab) == UBI_OK, "no second tab");
    ubi__rdp_root_tabs_changed(ubi__rdp_root(c->connection));
}

static void target_navigate(client *c) {
    const ubi__rdp_tab_options tab = { .title = "another page" };
    c->program.must_reload = false;
    if (c->has_target)
        require(ubi__rdp_offer_navigated(c->offer, (ubi_target){ &ops, &c->program }, &tab) == UBI_OK,
                "it does not navigate");
}

static void target_go(client *c) {
    if (!c->has_target)
        return;
    c->has_target = false;
    require(ubi__rdp_offer_remove(c->offer, (ubi_target){ &ops, &c->program }) == UBI_OK, "the target is not there");
    if (!c->connection->is_ended)
        ubi__rdp_root_tabs_changed(ubi__rdp_root(c->connection));
}

/* Each safe point brings the next request of an actor further. */
static void client_settle(client *c) {
    for (uint32_t n = c->connection->n_waiting + 1; n > 0; n--) {
        program_come(&c->program);
        program_come(&c->second);
        ubi__rdp_mailbox_deliver(&c->offer->mailbox);
        ubi__rdp_offer_await_work(c->offer);
        ubi__rdp_mailbox_deliver(&c->offer->mailbox);
    }
    require(c->connection->is_ended || c->connection->n_waiting == 0, "a request was not answered");
}

static void client_end(client *c) {
    ubi__rdp_connection_free(c->connection);
    c->offer->on_navigated = NULL;
    program_come(&c->program);
    program_come(&c->second);
    if (c->has_second)
        require(ubi__rdp_offer_remove(c->offer, (ubi_target){ &second_ops, &c->second }) == UBI_OK, "no second target");
    if (c->has_target) /* its thread closes what it has opened */
        require(ubi__rdp_offer_remove(c->offer, (ubi_target){ &ops, &c->program }) == UBI_OK,
                "the target is not there");
    ubi__rdp_offer_end(c->offer);
    program_come(&c->program);
    program_come(&c->second);
    ubi__rdp_offer_unref(c->offer);
    ubi__rdp_packets_fini(&c->reader);
}

/* ---- lines
 * --------------------------------------------------------------------------------------------------------------
 */

/* A number after @ becomes the id of the actor with that number. */
static ubi_text ids_write(ubi__vec_u8 *out, const client *c, ubi_text line) {
    const ubi_allocator *a = ubi_allocator_default();
    for (size_t i = 0; i < line.len; i++) {
        unsigned number = 0;
        const char *id = NULL;
        size_t n = 0;
        while (line.ptr[i] == '@' && i + n + 1 < line.len && ubi__is_digit(line.ptr[i + n + 1]) && n < 5)
            number = 10 * number + (unsigned)(line.ptr[i + ++n] - '0');
        for (size_t slot = 0; n && slot < c->connection->actors.n_slots; slot++) {
            const ubi__rdp_actor *actor = c->connection->actors.slots[slot].actor;
            id = actor && actor->number == number ? actor->id : id;
        }
        const ubi_text piece = id ? ubi__text(id) : (ubi_text){ line.ptr + i, 1 };
        require(ubi__bytes_append(out, piece.ptr, piece.len, a) == UBI_OK, "no memory");
        i += id ? n : 0;
    }
    return (ubi_text){ out->n ? (const char *)out->at : "", out->n };
}

static void request_send(client *c, ubi_text line) {
    ubi__vec_u8 text = { 0 };
    char header[24];
    ubi_text json = ids_write(&text, c, line);
    size_t n = ubi__rdp_json_header(header, json.len);
    ubi__rdp_connection_take(c->connection, (ubi_text){ header, n }, c->now_ms);
    ubi__rdp_connection_take(c->connection, json, c->now_ms);
    ubi__vec_u8_fini(&text, ubi_allocator_default());
}

static void line_take(client *c, ubi_text line) {
    switch (line.len ? line.ptr[0] : 0) {
    case '!':
        ubi__rdp_connection_take(c->connection, (ubi_text){ line.ptr + 1, line.len - 1 }, c->now_ms);
        break;
    case '.':
        program_come(&c->program);
        if (c->program.must_reload)
            target_navigate(c);
        break;
    case '~':
        target_navigate(c);
        break;
    case '=':
        second_come(c);
        break;
    case ',':
        program_come(&c->second);
        break;
    case '>':
        ubi__rdp_mailbox_deliver(&c->offer->mailbox);
        break;
    case '+':
        c->now_ms += 60;
        ubi__rdp_connection_tick(c->connection, c->now_ms);
        break;
    case '*':
        program_work();
        break;
    case '-':
        target_go(c);
        break;
    default:
        request_send(c, line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    client c = { .now_ms = 0 };
    const char *at = (const char *)data, *end = at + n;
    client_open(&c);
    while (at < end && !c.connection->is_ended) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        line_take(&c, (ubi_text){ at, (size_t)(line_end - at) });
        at = newline ? newline + 1 : end;
    }
    client_settle(&c);
    client_end(&c);
    return 0;
}
