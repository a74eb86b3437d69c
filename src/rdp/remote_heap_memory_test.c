/* SPDX-License-Identifier: MIT
 *
 * remote_heap_memory_test.c: our client of the remote debugging protocol, and live heaps that are reached by it, with each of their
 * allocations refused in turn: they say so in one line, nothing is left, and the same is asked again.
 *
 * All that a server says is there from the start, as in peer_fuzz.c.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "jobs/live_heap.h"
#include "rdp/remote_heap.h"

/* What a server says, and what is asked of it. */
typedef struct conversation {
    ubi_status (*use)(ubi__remote *remote);
    ubi__remote_choice choice;
    const char *packets[16]; /* JSON; what begins with "bulk" goes out as it is */
} conversation;

#define GREETING "{\"from\":\"root\",\"applicationType\":\"browser\",\"traits\":{}}"
#define TITLE "a long \\u0022title\\u0022 with escapes"
#define TABS                                                                                                           \
    "{\"from\":\"root\",\"tabs\":[{\"actor\":\"tab1\",\"title\":\"" TITLE "\",\"url\":\"http:\\/\\/a\\/\","            \
    "\"selected\":true}]}"
#define TARGET "{\"from\":\"tab1\",\"frame\":{\"actor\":\"target1\",\"memoryActor\":\"memory1\"}}"
#define ATTACHED "{\"from\":\"memory1\",\"type\":\"attached\"}"
#define HUNDRED_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LACKING                                                                                                        \
    "{\"from\":\"memory1\",\"missing\":3,\"missingRuntimes\":[\"first\",7,\"a \\u0022second\\u0022\",\"" HUNDRED_A     \
        HUNDRED_A HUNDRED_A "\"]}"
#define FILES "{\"from\":\"root\",\"heapSnapshotFileActor\":\"files\"}"
#define SAVED "{\"from\":\"memory1\",\"snapshotId\":\"ubi-1\"}"
#define DONE "{\"from\":\"memory1\"}"

static bool bytes_take(void *payload, const void *data, size_t n) {
    (void)data;
    *(size_t *)payload += n;
    return true;
}

static ubi_status document_take(void *payload, ubi_text json) {
    *(size_t *)payload += json.len;
    return UBI_OK;
}

static ubi_status row_take(void *payload, const ubi__remote_row *row) {
    *(size_t *)payload += row->title.len;
    return UBI_OK;
}

/* Long ones are cut between characters. */
static void name_take(void *payload, ubi_text name) {
    assert_true(name.len <= UINT8_MAX);
    *(size_t *)payload += name.len > 200 ? 100 : name.len;
}

static ubi_status list_use(ubi__remote *remote) {
    size_t n = 0;
    UBI_TRY(ubi__rdp_remote_ops.list(remote, row_take, &n));
    assert_int_equal(n, strlen("a long \"title\" with escapes"));
    return UBI_OK;
}

static ubi_status snapshot_use(ubi__remote *remote) {
    size_t n = 0;
    UBI_TRY(ubi__rdp_remote_ops.attach(remote));
    UBI_TRY(ubi__rdp_remote_ops.snapshot(remote, bytes_take, &n, NULL));
    assert_int_equal(n, 5);
    return UBI_OK;
}

static ubi_status memory_use(ubi__remote *remote) {
    const ubi__remote_ops *ops = &ubi__rdp_remote_ops;
    const ubi__remote_recording all = { .probability = 1, .log_limit = 10 };
    double start_ms;
    size_t n = 0;
    UBI_TRY(ops->attach(remote));
    UBI_TRY(ops->census(remote, document_take, &n));
    UBI_TRY(ops->measure(remote, document_take, &n));
    UBI_TRY(ops->collect(remote));
    UBI_TRY(ops->record_start(remote, &all, &start_ms));
    UBI_TRY(ops->record_take(remote, document_take, &n));
    UBI_TRY(ops->record_stop(remote));
    n = 0;
    ops->missing(remote, name_take, &n);
    assert_int_equal(n, 100 + strlen("first") + strlen("a \"second\""));
    ops->missing(remote, name_take, &n);
    assert_int_equal(n, 100 + strlen("first") + strlen("a \"second\"")); /* each once */
    return UBI_OK;
}

static const conversation listing = {
    .use = list_use,
    .packets = { GREETING, "{\"from\":\"root\",\"processes\":[{\"actor\":\"p\",\"id\":0},{\"actor\":\"q\",\"id\":7}]}",
                 TABS },
};

static const conversation old_snapshot = {
    .use = snapshot_use,
    .choice = UBI__REMOTE_TAB,
    .packets = { GREETING,
                 "{\"from\":\"root\",\"selected\":0,\"heapSnapshotFileActor\":\"files\",\"tabs\":[{\"actor\":\"t\","
                 "\"memoryActor\":\"memory1\"}]}",
                 ATTACHED, "{\"from\":\"root\",\"error\":\"unrecognizedPacketType\",\"message\":\"a\\u0020word\"}",
                 "{\"from\":\"memory1\",\"snapshotId\":\"1\"}", "bulk files heap-snapshot 5:12345",
                 "{\"from\":\"files\"}" },
};

static const conversation snapshot_by_watcher = {
    .use = snapshot_use,
    .packets = { GREETING, TABS, "{\"from\":\"tab1\",\"error\":\"unrecognizedPacketType\",\"message\":\"\"}",
                 "{\"from\":\"tab1\",\"actor\":\"watcher1\"}",
                 "{\"from\":\"watcher1\",\"type\":\"target-available-form\",\"target\":{\"memoryActor\":\"memory1\"}}",
                 "{\"from\":\"watcher1\"}", ATTACHED, FILES, SAVED, "bulk files undefined 5:12345" },
};

/* A server without bulk packets hands the file out in pieces. */
static const conversation snapshot_in_pieces = {
    .use = snapshot_use,
    .packets = { GREETING, TABS, TARGET, ATTACHED, FILES, SAVED,
                 "{\"from\":\"files\",\"error\":\"unrecognizedPacketType\",\"message\":\"no bulk\"}",
                 "{\"from\":\"files\",\"data\":\"MTIz\",\"offset\":0,\"size\":5}",
                 "{\"from\":\"files\",\"data\":\"NDU=\",\"offset\":3,\"size\":5}" },
};

static const conversation memory_actor = {
    .use = memory_use,
    .packets = { GREETING, TABS, TARGET, ATTACHED, "{\"from\":\"memory1\",\"objects\":{\"count\":1,\"bytes\":2}}",
                 "{\"from\":\"memory1\",\"total\":1,\"missingRuntimes\":[\"first\"]}", LACKING, DONE,
                 "{\"from\":\"memory1\",\"value\":1.5}", "{\"from\":\"memory1\",\"allocations\":[]}",
                 "{\"from\":\"memory1\",\"value\":2}" },
};

/* ---- one conversation ----------------------------------------------------------------------------------------------- */

static void packet_send(int fd, const char *packet) {
    char head[24] = "";
    if (strncmp(packet, "bulk", 4) != 0)
        snprintf(head, sizeof head, "%zu:", strlen(packet));
    assert_int_equal(write(fd, head, strlen(head)), strlen(head));
    assert_int_equal(write(fd, packet, strlen(packet)), strlen(packet));
}

/* Of the conversation at hand: */
static int our_end = -1, other_end = -1;

/* A socket from which all of it comes. */
static int conversation_begin(const conversation *c) {
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (size_t i = 0; c->packets[i]; i++)
        packet_send(ends[1], c->packets[i]);
    our_end = ends[0];
    other_end = ends[1];
    return our_end;
}

/* Ours was closed by who had it. */
static void conversation_end(void) {
    assert_int_equal(fcntl(our_end, F_GETFD), -1);
    if (other_end >= 0)
        close(other_end);
    our_end = other_end = -1;
}

static void assert_one_line(const char *message) {
    assert_true(message[0] && !strchr(message, '\n'));
}

static ubi_status conversation_hold(void *payload, const ubi_allocator *allocator) {
    static const ubi__remote_scheme scheme = { .name = "test", .ops = &ubi__rdp_remote_ops, .hint = "a hint" };
    const conversation *c = payload;
    const ubi__remote_address address = { .scheme = &scheme, .choice = c->choice, .number = 1 };
    ubi__remote *remote;
    ubi_status status = ubi__rdp_remote_adopt(&remote, conversation_begin(c), &address, NULL, allocator);
    if (status == UBI_OK) {
        status = c->use(remote);
        ubi__rdp_remote_ops.close(remote);
    }
    if (status != UBI_OK)
        assert_one_line(ubi_error_message());
    conversation_end();
    return status;
}

static void each_allocation_is_refused(void **state) {
    static const conversation *const all[] = { &listing, &old_snapshot, &snapshot_by_watcher, &snapshot_in_pieces,
                                               &memory_actor };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(fail_each_allocation(conversation_hold, (void *)(uintptr_t)all[i]) >= 5);
}

/* ---- live heaps ----------------------------------------------------------------------------------------------------- */

/* What is asked of a live heap. */
typedef struct live_request {
    ubi_status (*ask)(ubi__live_heap *heap);
    conversation said; /* by each connection */
} live_request;

static const live_request *live_asked; /* right now */
static char live_path[] = "/tmp/ubiheap-live-XXXXXX";

static ubi_status live_open(ubi__remote **out, const ubi__remote_address *address, const ubi_progress *progress,
                            const ubi_allocator *allocator) {
    conversation_end();
    return ubi__rdp_remote_adopt(out, conversation_begin(&live_asked->said), address, progress, allocator);
}

/* A failure leaves no file. */
static ubi_status live_save(ubi__live_heap *heap) {
    ubi_status status = ubi__live_heap_save(heap, live_path, NULL);
    assert_int_equal(unlink(live_path), status == UBI_OK ? 0 : -1);
    return status;
}

static ubi_status live_collect(ubi__live_heap *heap) {
    return ubi__live_heap_collect(heap, NULL);
}

static void live_row_take(void *payload, const ubi_measure_row *row) {
    *(uint64_t *)payload += row->value;
}

static ubi_status live_measure(ubi__live_heap *heap) {
    uint64_t sum = 0;
    UBI_TRY(ubi__live_heap_measure(heap, live_row_take, &sum, NULL));
    assert_int_equal(sum, 7);
    return UBI_OK;
}

static ubi_status live_record(ubi__live_heap *heap) {
    const ubi__live_recording wanted = { .is_on = true, .probability = 1, .log_limit = 10 };
    ubi_status status = ubi__live_heap_record(heap, &wanted, NULL);
    ubi__live_state state;
    ubi__live_heap_state(&state, heap);
    assert_int_equal(state.recording.is_on, status == UBI_OK);
    return status;
}

static const live_request live_requests[] = {
    { live_save, { .packets = { GREETING, TABS, TARGET, ATTACHED, FILES, SAVED, "bulk files undefined 5:12345" } } },
    { live_collect, { .packets = { GREETING, TABS, TARGET, DONE, LACKING } } },
    { live_measure, { .packets = { GREETING, TABS, TARGET, "{\"from\":\"memory1\",\"total\":4,\"other\":3}" } } },
    { live_record,
      { .packets = { GREETING, TABS, TARGET, ATTACHED, "{\"from\":\"memory1\",\"value\":2}",
                     "{\"from\":\"memory1\",\"value\":1.5}" } } },
};

/* It is asked twice: what was refused once is granted then, by a connection of its own. */
static ubi_status live_ask(ubi__live_heap *heap) {
    ubi__live_state state;
    ubi_status status = live_asked->ask(heap);
    ubi__live_heap_state(&state, heap);
    assert_int_equal(state.link, status == UBI_OK ? UBI__LIVE_CONNECTED : UBI__LIVE_IDLE);
    if (status == UBI_OK) {
        assert_string_equal(state.fault, "");
        return UBI_OK;
    }
    assert_one_line(state.fault);
    if (live_asked->ask(heap) == UBI_OK)
        ubi__live_heap_state(&state, heap);
    assert_true(state.link == UBI__LIVE_CONNECTED ? !state.fault[0] : state.fault[0]);
    return status;
}

static ubi_status live_hold(void *payload, const ubi_allocator *allocator) {
    ubi__remote_ops ops = ubi__rdp_remote_ops;
    ops.open = live_open;
    const ubi__remote_scheme scheme = { .name = "test", .port = 1, .ops = &ops, .hint = "a hint" };
    const ubi__remote_scheme *const schemes[] = { &scheme, NULL };
    ubi__live_heap *heap = NULL;
    live_asked = payload;
    ubi__allocator_default_replace(allocator);
    ubi_status status = ubi__live_heap_of_address(&heap, "test://heap", schemes);
    if (status == UBI_OK) {
        status = live_ask(heap);
        ubi__live_heap_end(heap);
        ubi__live_heap_unref(heap);
    }
    ubi__allocator_default_replace(NULL);
    conversation_end();
    return status;
}

static void each_allocation_of_a_live_heap_is_refused(void **state) {
    (void)state;
    int fd = mkstemp(live_path);
    assert_true(fd >= 0 && close(fd) == 0 && unlink(live_path) == 0);
    for (size_t i = 0; i < sizeof live_requests / sizeof *live_requests; i++)
        assert_true(fail_each_allocation(live_hold, (void *)(uintptr_t)&live_requests[i]) >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_allocation_is_refused),
                                        cmocka_unit_test(each_allocation_of_a_live_heap_is_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
