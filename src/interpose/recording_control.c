/* SPDX-License-Identifier: MIT
 *
 * recording_control.c: the program starts and stops what is recorded of it, and asks for results (ubiheap/core/recorder.h).
 *
 * Whether allocations are recorded is a word of the area, which events.c looks at. Those who change it here say so in an event: so
 * the reader learns at which place among all events that was. When that event cannot be written, nothing changes.
 */
#include <string.h>

#define UBI_RECORDER_PROVIDER
#include <ubiheap/core/recorder.h>

#include "interpose/chunk_writer.h"
#include "interpose/event.h"
#include "interpose/mapped_area.h"
#include "interpose/system_calls.h"

#define BOTH (UBI__RECORDING_IS_ON | UBI__RECORDING_HAS_BLOCKS)
#define SLICE_NS 100000000L

UBI__HOOK uint32_t ubi_recorder_ask(uint32_t request, const char *path);

static bool is_on(const ubi__wire_header *area) {
    return atomic_load_explicit(&area->recording, memory_order_relaxed) & UBI__RECORDING_IS_ON;
}

static bool action_write(ubi__wire_action action) {
    ubi__context *c = ubi__event_begin();
    if (!c)
        return false;
    bool has_room = ubi__chunk_has_room(c, 3 * UBI__WIRE_RECORD_BYTES);
    if (has_room)
        ubi__chunk_commit(c, ubi__wire_put(ubi__event_put(c, UBI__CONTROL_RECORDING), action));
    ubi__event_end(has_room);
    return has_room;
}

/* The event comes before all that is recorded because of it. */
static ubi_recorder_answer recording_start(ubi__wire_header *area) {
    if (is_on(area))
        return UBI_RECORDER_RUNNING;
    if (!action_write(UBI__ACTION_START))
        return UBI_RECORDER_FAILED;
    atomic_fetch_or(&area->recording, BOTH);
    return UBI_RECORDER_RUNNING;
}

/* And here after it. */
static ubi_recorder_answer recording_stop(ubi__wire_header *area) {
    uint32_t before = atomic_fetch_and(&area->recording, ~(uint32_t)UBI__RECORDING_IS_ON);
    if (!(before & UBI__RECORDING_IS_ON) || action_write(UBI__ACTION_STOP))
        return UBI_RECORDER_STOPPED;
    atomic_fetch_or(&area->recording, UBI__RECORDING_IS_ON);
    return UBI_RECORDER_FAILED;
}

static ubi_recorder_answer recording_reset(ubi__wire_header *area) {
    if (is_on(area))
        return UBI_RECORDER_RUNNING;
    return action_write(UBI__ACTION_RESET) ? UBI_RECORDER_STOPPED : UBI_RECORDER_FAILED;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static ubi_recorder_answer results_answer(uint32_t state) {
    return state == UBI__RESULTS_DONE   ? UBI_RECORDER_DONE
           : state == UBI__RESULTS_NONE ? UBI_RECORDER_NOTHING
                                        : UBI_RECORDER_FAILED;
}

/* Until the reader has answered; it works long on a long recording. */
static ubi_recorder_answer results_wait(ubi__wire_header *area) {
    static const struct timespec slice = { .tv_nsec = SLICE_NS };
    uint32_t state;
    while ((state = atomic_load(&area->results)) == UBI__RESULTS_ASKED) {
        long answer = ubi__futex_wait((const void *)&area->results, state, true, &slice);
        if (ubi__cannot_wait(answer) || (answer == -ETIMEDOUT && ubi__area_is_deserted(area)))
            return UBI_RECORDER_FAILED;
    }
    atomic_store(&area->results, UBI__RESULTS_NOT_ASKED);
    return results_answer(state);
}

/* One thread at a time: another one fails. */
static ubi_recorder_answer results_ask(ubi__wire_header *area, const char *path) {
    uint32_t idle = UBI__RESULTS_NOT_ASKED;
    size_t n = path ? strnlen(path, UBI__WIRE_RESULTS_PATH_BYTES) : 0;
    if (n == 0 || n >= UBI__WIRE_RESULTS_PATH_BYTES)
        return UBI_RECORDER_FAILED;
    if (is_on(area))
        return UBI_RECORDER_NOTHING;
    if (!atomic_compare_exchange_strong(&area->results, &idle, UBI__RESULTS_NAMED))
        return UBI_RECORDER_FAILED;
    memcpy(area->results_path, path, n + 1);
    atomic_store(&area->results, UBI__RESULTS_ASKED);
    return results_wait(area);
}

/* ---- the program's way in ---------------------------------------------------------------------------------------- */

uint32_t ubi_recorder_ask(uint32_t request, const char *path) {
    (void)ubi__start(); /* constructors of libraries may run before ours */
    ubi__wire_header *area = ubi__process_state.area;
    if (!ubi__process_state.is_on)
        return UBI_RECORDER_ABSENT;
    switch (request) {
    case UBI_RECORDER_ASK_START:
        return recording_start(area);
    case UBI_RECORDER_ASK_STOP:
        return recording_stop(area);
    case UBI_RECORDER_ASK_RESET:
        return recording_reset(area);
    case UBI_RECORDER_ASK_RESULTS:
        return results_ask(area, path);
    default:
        return is_on(area) ? UBI_RECORDER_RUNNING : UBI_RECORDER_STOPPED;
    }
}
