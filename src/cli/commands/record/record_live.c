/* SPDX-License-Identifier: MIT
 *
 * record_live.c: see record_live.h.
 */
#include "cli/commands/record/record_live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/commands/record/live_screen.h"
#include "cli/commands/record/live_terminal.h"

#define REDRAW_MS 250
#define FOLLOW_MS 100
/* Frames that are looked up between two drawings. */
#define FRAMES_AT_ONCE 400

struct ubi__record_live {
    const ubi_allocator *allocator;
    ubi__native_live sums;
    ubi__live_terminal terminal;
    ubi__style style;
    ubi__live_copy copy;
    ubi__live_places places;
    ubi__vec_u8 text; /* of a screen */
    pthread_t thread;
    int over; /* an eventfd: the recording is */
};

/* ---- drawing ------------------------------------------------------------------------------------------------------ */

static bool screen_draw(ubi__record_live *live) {
    bool is_whole = true;
    ubi__out out;
    ubi__bytes_sink sink = { &live->text, live->allocator };
    ubi__live_terminal_measure(&live->terminal);
    if (ubi__native_live_copy(&live->sums, &live->copy) != UBI_OK ||
        ubi__live_places_update(&live->places, &live->copy, FRAMES_AT_ONCE, &is_whole) != UBI_OK)
        return true; /* there is no memory to draw with: the screen keeps what it shows */
    ubi__page page = { .out = &out, .style = live->style, .is_terminal = true };
    ubi__live_scene scene = { &live->copy, &live->places, ubi__live_terminal_kept(&live->terminal) };
    page.style.columns = live->terminal.columns;
    live->text.n = 0;
    ubi__out_init(&out, ubi__bytes_sink_write, &sink);
    ubi__live_screen_write(&page, &scene, live->terminal.rows);
    if (ubi__out_flush(&out) == UBI_OK)
        ubi__live_terminal_show(&live->terminal, (ubi_text){ (const char *)live->text.at, live->text.n });
    return is_whole;
}

/* @return whether the recording is over. */
static bool is_over_after(ubi__record_live *live, int timeout_ms, bool with_keys) {
    struct pollfd events[] = { { .fd = live->over, .events = POLLIN },
                               { .fd = with_keys ? live->terminal.fd : -1, .events = POLLIN },
                               { .fd = with_keys ? live->terminal.resized : -1, .events = POLLIN } };
    (void)poll(events, sizeof events / sizeof *events, timeout_ms);
    return events[0].revents != 0;
}

/* As long as someone looks; then the output of the program follows, as it comes. */
static void *live_run(void *payload) {
    ubi__record_live *live = payload;
    bool is_over = false;
    for (;;) {
        ubi__live_keys keys = ubi__live_terminal_keys(&live->terminal);
        if (is_over || keys.wants_end)
            break;
        for (; keys.n_next; keys.n_next--)
            ubi__native_live_want_next(&live->sums, &live->copy);
        bool is_whole = screen_draw(live);
        is_over = is_over_after(live, is_whole ? REDRAW_MS : 0, true);
    }
    ubi__live_terminal_leave(&live->terminal);
    while (!is_over) {
        ubi__live_terminal_follow(&live->terminal);
        is_over = is_over_after(live, FOLLOW_MS, false);
    }
    return NULL;
}

/* ---- beginning and end -------------------------------------------------------------------------------------------- */

static void live_free(ubi__record_live *live) {
    ubi__live_copy_fini(&live->copy);
    ubi__live_places_fini(&live->places);
    ubi__native_live_fini(&live->sums);
    ubi__vec_u8_fini(&live->text, live->allocator);
    if (live->over >= 0)
        close(live->over);
    UBI_DELETE(live->allocator, live);
}

/* Signals are for the thread that records. */
static ubi_status thread_start(ubi__record_live *live) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&live->thread, NULL, live_run, live);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error ? ubi__fail_errno(error, "cannot start a thread") : UBI_OK;
}

static ubi_status live_begin(ubi__record_live *live) {
    UBI_TRY(ubi__live_places_init(&live->places, live->allocator));
    if (live->over < 0)
        return ubi__fail_errno(errno, "cannot start the live view");
    UBI_TRY(ubi__live_terminal_open(&live->terminal));
    ubi_status status = thread_start(live);
    if (status != UBI_OK)
        ubi__live_terminal_close(&live->terminal);
    return status;
}

ubi_status ubi__record_live_start(ubi__record_live **out, ubi__native_settings *settings, const ubi__style *style) {
    const ubi_allocator *a = ubi_allocator_default();
    ubi__record_live *live = *out = UBI_NEW(a, ubi__record_live);
    if (!live)
        return ubi__fail_nomem();
    live->allocator = a;
    live->style = *style;
    live->over = eventfd(0, EFD_CLOEXEC);
    ubi__native_live_init(&live->sums, a);
    ubi__live_copy_init(&live->copy, a);
    ubi_status status = live_begin(live);
    if (status != UBI_OK) {
        live_free(live);
        *out = NULL;
        return status;
    }
    settings->live = &live->sums;
    return UBI_OK;
}

void ubi__record_live_stop(ubi__record_live *live) {
    uint64_t one = 1;
    if (!live)
        return;
    (void)!write(live->over, &one, sizeof one);
    pthread_join(live->thread, NULL);
    ubi__live_terminal_close(&live->terminal);
    live_free(live);
}
