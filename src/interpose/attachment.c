/* SPDX-License-Identifier: MIT
 *
 * attachment.c: recording of a program that runs already begins and ends (attach_wire.h).
 *
 * `ubiheap attach` has a thread of the program call what is here, at a moment when that thread is neither in the allocator nor in
 * the loader. Other threads continue meanwhile.
 */
#include <sys/socket.h>

#include "interpose/allocator_answer.h"
#include "interpose/diverted_calls.h"
#include "interpose/loaded_symbols.h"
#include "interpose/mapped_area.h"
#include "interpose/preload.h"
#include "interpose/system_calls.h"
#include "recording/attach_wire.h"

UBI__HOOK ubi__attachment ubi_recorder_attachment = {
    .magic = UBI__ATTACHMENT_MAGIC, .version = UBI__ATTACHMENT_VERSION, .socket = -1, .own_socket = -1
};

UBI__HOOK void ubi_recorder_knock(void);
UBI__HOOK void ubi_recorder_enter(int reader_pid);
UBI__HOOK void ubi_recorder_leave(void);

static void close_socket(int32_t *fd) {
    if (*fd >= 0)
        (void)ubi__system(SYS_close, *fd, 0, 0, 0, 0, 0);
    *fd = -1;
}

static void attachment_fail(ubi__attachment *a, ubi__unrecorded why) {
    close_socket(&a->socket);
    close_socket(&a->own_socket);
    a->why = (uint32_t)why;
    a->state = UBI__ATTACHMENT_FAILED;
}

/* A recorder that was killed leaves things as they are: they are put in order before the next one begins. */
void ubi_recorder_knock(void) {
    ubi__attachment *a = &ubi_recorder_attachment;
    int pair[2];
    if (ubi__process_state.is_on && ubi__reader_lives()) {
        a->state = UBI__ATTACHMENT_BUSY;
        return;
    }
    ubi__process_leave();
    close_socket(&a->socket);
    close_socket(&a->own_socket);
    if (ubi__system(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, (long)pair, 0, 0) < 0) {
        attachment_fail(a, UBI__UNRECORDED_DESCRIPTORS);
        return;
    }
    a->socket = pair[0];
    a->own_socket = pair[1];
    if (ubi__say_hello_on(a->own_socket))
        a->state = UBI__ATTACHMENT_KNOCKED;
    else
        attachment_fail(a, UBI__UNRECORDED_UNREACHED);
}

void ubi_recorder_enter(int reader_pid) {
    ubi__attachment *a = &ubi_recorder_attachment;
    ubi__diverted diverted;
    if (a->state != UBI__ATTACHMENT_KNOCKED)
        return;
    ubi__connection c = ubi__connect_on(a->own_socket, reader_pid);
    if (!c.area) {
        attachment_fail(a, c.why);
        return;
    }
    close_socket(&a->socket);
    close_socket(&a->own_socket);
    a->was_sampled |= c.area->period_bytes > 1;
    ubi__process_enter(&c);
    ubi__allocator_ask();
    ubi__calls_divert(&diverted);
    a->n_slots = diverted.n_slots;
    a->n_refused = diverted.n_refused;
    a->state = UBI__ATTACHMENT_ON;
}

void ubi_recorder_leave(void) {
    ubi__attachment *a = &ubi_recorder_attachment;
    ubi__diverted diverted;
    ubi__calls_restore(&diverted);
    ubi__process_leave();
    a->n_slots = diverted.n_slots;
    a->n_refused = diverted.n_refused;
    a->state = UBI__ATTACHMENT_IDLE;
}
