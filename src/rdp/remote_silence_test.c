/* SPDX-License-Identifier: MIT
 *
 * remote_silence_test.c: what progress is called while a server says nothing, with a patience that is over at once, or never.
 *
 * The server speaks when the client has said that it waits: it is played by the progress callback.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/silence.h"
#include "base/text.h"
#include "rdp/remote_heap.h"

#define GREETING "{\"from\":\"root\",\"applicationType\":\"browser\"}"
#define TABS                                                                                                           \
    "{\"from\":\"root\",\"selected\":0,\"heapSnapshotFileActor\":\"files\",\"tabs\":[{\"actor\":\"t\","                \
    "\"memoryActor\":\"m\"}]}"

static const ubi__remote_scheme impatient = {
    .name = "test",
    .ops = &ubi__rdp_remote_ops,
    .hint = "a hint",
    .unwelcome = "no one is welcome",
    .silences = { UBI__SILENCE "connecting", UBI__SILENCE "greeting", UBI__SILENCE "answer" },
    .patience_us = 1,
};

/* A server that says its next packet when a wait has become a silence. */
typedef struct server {
    int fd, client_fd;
    const char *const *packets; /* ends with NULL */
    char heard[400];            /* the silences, one after the other, each with the packet that ended it */
    char stages[400];           /* the other stages as they change */
    const char *last;
} server;

static void packet_say(server *s) {
    char head[24];
    const char *packet = *s->packets;
    if (!packet)
        return;
    s->packets++;
    size_t n = strlen(packet);
    bool is_raw = strncmp(packet, "bulk", 4) == 0 || packet[0] != '{';
    snprintf(head, sizeof head, "%zu:", n);
    if (!is_raw)
        assert_int_equal(write(s->fd, head, strlen(head)), strlen(head));
    assert_int_equal(write(s->fd, packet, n), n);
}

static void word_add(char *list, size_t size, const char *word) {
    size_t n = strlen(list);
    snprintf(list + n, size - n, "%s%s", n ? ", " : "", word);
}

/* Several reports may come before what was said is read. */
static bool stage_take(void *payload, const char *stage, uint64_t done, uint64_t total) {
    server *s = payload;
    char unread;
    (void)done, (void)total;
    if (!ubi__stage_is_silence(stage)) {
        if (stage != s->last)
            word_add(s->stages, sizeof s->stages, stage);
        s->last = stage;
        return true;
    }
    if (recv(s->client_fd, &unread, 1, MSG_PEEK | MSG_DONTWAIT) > 0 || !*s->packets)
        return true;
    word_add(s->heard, sizeof s->heard, stage + strlen(UBI__SILENCE));
    packet_say(s);
    return true;
}

static ubi_status server_meet(server *s, ubi__remote **remote, ubi_progress *progress, ubi__remote_address *address) {
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    s->fd = ends[1];
    s->client_fd = ends[0];
    *progress = (ubi_progress){ stage_take, s };
    return ubi__rdp_remote_adopt(remote, ends[0], address, progress, NULL);
}

static bool bytes_take(void *payload, const void *data, size_t n) {
    (void)data;
    *(size_t *)payload += n;
    return true;
}

static void each_wait_has_its_words(void **state) {
    static const char *const packets[] = { GREETING,
                                           TABS,
                                           "{\"from\":\"m\",\"type\":\"attached\"}",
                                           "{\"from\":\"root\"}",
                                           "{\"from\":\"m\",\"snapshotId\":\"1\"}",
                                           "bulk files x 6:",
                                           "abc",
                                           "def",
                                           NULL };
    server s = { .packets = packets };
    ubi__remote_address address = { .scheme = &impatient, .choice = UBI__REMOTE_TAB, .number = 1 };
    ubi__remote *remote;
    ubi_progress progress;
    size_t n = 0;
    (void)state;
    assert_int_equal(server_meet(&s, &remote, &progress, &address), UBI_OK);
    assert_string_equal(s.heard, "greeting");
    assert_int_equal(ubi__rdp_remote_ops.attach(remote), UBI_OK);
    assert_int_equal(ubi__rdp_remote_ops.snapshot(remote, bytes_take, &n, NULL), UBI_OK);
    assert_int_equal(n, 6);
    assert_string_equal(s.heard, "greeting, answer, answer, answer, answer, answer, answer, answer");
    s.stages[0] = '\0';
    assert_int_equal(ubi__rdp_remote_ops.wait(remote, "recording", 1000), UBI_OK); /* nothing is asked */
    assert_string_equal(s.stages, "recording");
    ubi__rdp_remote_ops.close(remote);
    close(s.fd);
}

static void quick_answers_are_no_silence(void **state) {
    static const char *const packets[] = { GREETING, TABS, NULL };
    ubi__remote_scheme patient = impatient;
    server s = { .packets = packets };
    ubi__remote_address address = { .scheme = &patient, .choice = UBI__REMOTE_TAB, .number = 1 };
    ubi__remote *remote;
    ubi_progress progress = { stage_take, &s };
    int ends[2];
    (void)state;
    patient.patience_us = UINT64_MAX;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    s.fd = ends[1];
    packet_say(&s);
    packet_say(&s);
    assert_int_equal(ubi__rdp_remote_adopt(&remote, ends[0], &address, &progress, NULL), UBI_OK);
    assert_int_equal(ubi__rdp_remote_ops.attach(remote), UBI_OK);
    assert_string_equal(s.heard, "");
    assert_string_equal(s.stages, "waiting for a greeting, waiting for an answer");
    ubi__rdp_remote_ops.close(remote);
    close(s.fd);
}

/* What a client reads that may not enter. */
static void assert_refused(const char *said, ubi_status expected, const char *message) {
    const char *const packets[] = { said, NULL };
    server s = { .packets = packets };
    ubi__remote_address address = { .scheme = &impatient };
    ubi__remote *remote;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    s.fd = ends[1];
    packet_say(&s);
    close(s.fd);
    assert_int_equal(ubi__rdp_remote_adopt(&remote, ends[0], &address, NULL, NULL), expected);
    assert_string_equal(ubi_error_message(), message);
}

static void a_refused_connection_has_words(void **state) {
    (void)state;
    assert_refused("{\"from\":\"root\",\"error\":\"connectionRefused\",\"message\":\"not you\"}", UBI_ESTATE,
                   "does not let this connection in: not you");
    assert_refused("{\"from\":\"root\",\"error\":\"connectionRefused\"}", UBI_ESTATE,
                   "does not let this connection in: connectionRefused");
    assert_refused(NULL, UBI_EIO, "the other side closed the connection without a greeting: no one is welcome; a hint");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wait_has_its_words),
        cmocka_unit_test(quick_answers_are_no_silence),
        cmocka_unit_test(a_refused_connection_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
