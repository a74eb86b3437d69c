/* SPDX-License-Identifier: MIT
 *
 * native_window.c: see native_window.h.
 */
#include "targets/native/native_window.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.h"
#include "targets/native/native_session.h"

/* What was under way at a stop is waited for so long: a thread may be held up in the middle of an event. */
#define CLOSING_NS UINT64_C(1000000000)
#define BOTH (UBI__RECORDING_IS_ON | UBI__RECORDING_HAS_BLOCKS)

static uint64_t time_now_ns(const ubi__native_session *s) {
    uint64_t now = ubi__native_now_ns();
    return now > s->began_ns ? now - s->began_ns : 0;
}

void ubi__native_window_init(ubi__native_session *s) {
    bool is_paused = s->area.settings.is_paused;
    s->window =
        (ubi__native_window){ .is_open = !is_paused, .was_closed = is_paused, .paused_since_ns = time_now_ns(s) };
}

void ubi__native_window_check(const ubi__native_session *s) {
    const ubi__native_window *w = &s->window;
    UBI_ASSERT(!(w->is_open && w->has_results));
    UBI_ASSERT(!w->is_closing || w->is_open);
    UBI_ASSERT(w->end_bytes <= ubi__ubirec_bytes_out(s->writer));
    UBI_ASSERT(w->first_allocation <= ubi__ubirec_allocation_count(s->writer));
}

/* ---- what happened ------------------------------------------------------------------------------------------------ */

static ubi_status window_open(ubi__native_session *s, uint64_t time_ns) {
    if (s->window.is_open)
        return UBI_OK;
    ubi__native_window *w = &s->window;
    w->is_open = true;
    w->has_results = false;
    w->paused_ns += time_ns > w->paused_since_ns ? time_ns - w->paused_since_ns : 0;
    return ubi__ubirec_write_action(s->writer, UBI__UBIREC_ACTION_START, time_ns);
}

/* Results end with a whole block. @param since_ns  nothing that began later is in them */
static ubi_status window_close(ubi__native_session *s, uint64_t since_ns, uint64_t time_ns) {
    ubi__native_window *w = &s->window;
    if (!w->is_open)
        return UBI_OK;
    w->is_open = w->is_closing = false;
    w->has_results = w->was_closed = true;
    w->paused_since_ns = since_ns;
    UBI_TRY(ubi__ubirec_write_action(s->writer, UBI__UBIREC_ACTION_STOP, since_ns));
    UBI_TRY(ubi__native_session_flush(s));
    w->end_bytes = ubi__ubirec_bytes_out(s->writer);
    w->end_ns = time_ns;
    return UBI_OK;
}

static ubi_status window_reset(ubi__native_session *s, uint64_t time_ns) {
    ubi__native_window *w = &s->window;
    if (w->is_open)
        return UBI_OK;
    w->has_results = false;
    w->first_allocation = ubi__ubirec_allocation_count(s->writer);
    w->first_ns = time_ns;
    return ubi__ubirec_write_action(s->writer, UBI__UBIREC_ACTION_RESET, time_ns);
}

ubi_status ubi__native_window_note(ubi__native_session *s, ubi__wire_action action, uint64_t time_ns) {
    switch (action) {
    case UBI__ACTION_START:
        return window_open(s, time_ns);
    case UBI__ACTION_STOP:
        return window_close(s, time_ns, time_ns);
    default:
        return window_reset(s, time_ns);
    }
}

uint64_t ubi__native_window_paused_ms(const ubi__native_session *s) {
    const ubi__native_window *w = &s->window;
    uint64_t now_ns = w->is_open ? 0 : time_now_ns(s);
    uint64_t paused_ns = w->paused_ns + (now_ns > w->paused_since_ns ? now_ns - w->paused_since_ns : 0);
    return (paused_ns + 999999) / 1000000; /* a short pause is one */
}

/* When a stop was asked for. */
static uint64_t closing_ns(const ubi__native_session *s) {
    uint64_t since = s->window.closing_since_ns;
    return since > s->began_ns ? since - s->began_ns : 0;
}

/* ---- from outside ------------------------------------------------------------------------------------------------- */

ubi_status ubi__native_window_ask(ubi__native_session *s, ubi__wire_action action) {
    ubi__wire_header *area = s->area.header;
    ubi__native_window *w = &s->window;
    if (action == UBI__ACTION_RESET)
        return ubi__native_window_note(s, action, time_now_ns(s));
    if (action == UBI__ACTION_STOP && w->is_open && !w->is_closing) {
        w->closing_since_ns = ubi__native_now_ns();
        atomic_fetch_and(&area->recording, ~(uint32_t)UBI__RECORDING_IS_ON);
        w->closing_stamp = atomic_load(&area->stamp);
        w->is_closing = true;
    }
    if (action == UBI__ACTION_START) {
        if (w->is_closing) /* it is stopped first: what was recorded by then is whole */
            UBI_TRY(window_close(s, closing_ns(s), time_now_ns(s)));
        atomic_fetch_or(&area->recording, BOTH);
        UBI_TRY(window_open(s, time_now_ns(s)));
    }
    return UBI_OK;
}

ubi_status ubi__native_window_settle(ubi__native_session *s) {
    ubi__native_window *w = &s->window;
    if (!w->is_closing || (!ubi__preload_collector_has_reported(s->collector, w->closing_stamp) &&
                           ubi__native_now_ns() - w->closing_since_ns < CLOSING_NS))
        return UBI_OK;
    UBI_TRY(window_close(s, closing_ns(s), time_now_ns(s)));
    ubi__native_window_check(s);
    return UBI_OK;
}

/* ---- results for the program -------------------------------------------------------------------------------------- */

bool ubi__native_window_is_asked(ubi__native_session *s, char path[UBI__WIRE_RESULTS_PATH_BYTES]) {
    ubi__wire_header *area = s->area.header;
    ubi__native_window *w = &s->window;
    if (atomic_load(&area->results) != UBI__RESULTS_ASKED)
        return false;
    if (!w->asked_stamp)
        w->asked_stamp = atomic_load(&area->stamp) + 1;
    if (w->is_closing || !ubi__preload_collector_has_reported(s->collector, w->asked_stamp - 1))
        return false;
    memcpy(path, area->results_path, UBI__WIRE_RESULTS_PATH_BYTES);
    path[UBI__WIRE_RESULTS_PATH_BYTES - 1] = '\0';
    return true;
}

void ubi__native_window_answer(ubi__native_session *s, ubi__wire_results outcome) {
    ubi__wire_header *area = s->area.header;
    s->window.asked_stamp = 0;
    atomic_store(&area->results, outcome);
    syscall(SYS_futex, &area->results, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
