/* SPDX-License-Identifier: MIT
 *
 * cdp_program.c: see cdp_remote.h.
 */
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_remote.h"

#define STANDARD_PATIENCE_US ((uint64_t)300000000)
/* A program that rests has answered by then. */
#define LOOK_US ((uint64_t)1000000)
#define STOP_LOOKS 10
#define STOP_TICK_US 20000

uint64_t ubi__cdp_program_patience_us(const ubi__remote *r) {
    if (r->patience_us)
        return r->patience_us;
    return r->address->patience_us ? r->address->patience_us : STANDARD_PATIENCE_US;
}

/* ---- its end -------------------------------------------------------------------------------------------------------- */

static ubi_status end_fail(ubi__remote *r) {
    r->is_ending = true;
    return ubi__fail(UBI_EIO, UBI__CDP_PROGRAM_ENDED);
}

enum { RUNS, ENDS, IS_UNSTARTED };

#define STATE_SCRIPT                                                                                                   \
    "typeof process!='object'?0:process._exiting===true?1:"                                                            \
    "(!process.execArgv||process.execArgv.some(o=>o.startsWith('--inspect-brk')))&&!process.mainModule&&"              \
    "!(typeof performance=='object'&&performance.nodeTiming&&performance.nodeTiming.loopStart>0)?2:0"

/*
 * It may have begun to end before it was asked to say so: then its scripts have no context any more, or `process` knows. What ends later has
 * heard us. One that waits for a debugger has loaded no script and turned no loop. No program of another kind is asked.
 */
static ubi_status state_check(ubi__remote *r) {
    static const char script[] = "{\"expression\":\"" STATE_SCRIPT "\",\"returnByValue\":true,\"silent\":true}";
    ubi__json_value value;
    ubi_text result;
    ubi_status status = ubi__cdp_peer_ask(r->peer, "Runtime.evaluate", script, &result);
    if (status == UBI_ESTATE)
        return strstr(ubi_error_message(), "Cannot find") ? end_fail(r) : UBI_OK;
    UBI_TRY(status);
    uint64_t state = RUNS;
    if (ubi__json_object_find(&value, result, "result") && value.type == UBI__JSON_OBJECT &&
        ubi__json_object_find(&value, value.raw, "value"))
        (void)ubi__json_value_u64(&state, &value);
    r->is_unstarted = state == IS_UNSTARTED;
    return state == ENDS ? end_fail(r) : UBI_OK;
}

ubi_status ubi__cdp_program_watch(ubi__remote *r) {
    ubi_text result;
    ubi_status status =
        ubi__cdp_peer_ask(r->peer, "NodeRuntime.notifyWhenWaitingForDisconnect", "{\"enabled\":true}", &result);
    if (status == UBI_ESTATE && r->is_node) { /* before Node.js 12 */
        r->has_contexts = true;
        status = ubi__cdp_peer_ask(r->peer, "Runtime.enable", NULL, &result);
    }
    if (status == UBI_ESTATE)
        status = UBI_OK;
    return status == UBI_OK && r->is_node ? state_check(r) : status;
}

void ubi__cdp_program_event(ubi__remote *r, ubi_text method) {
    if (ubi__text_is(method, "NodeRuntime.waitingForDisconnect") ||
        (r->has_contexts && ubi__text_is(method, "Runtime.executionContextDestroyed")))
        r->is_ending = true;
    if (ubi__text_is(method, "Debugger.paused"))
        r->is_held = true;
}

/* ---- its silence ---------------------------------------------------------------------------------------------------- */

static ubi_status stopped_fail(const ubi__remote *r, char state) {
    return ubi__fail(UBI_EIO,
                     state == 'T' ? "process %d is stopped (SIGSTOP); SIGCONT has it run again"
                                  : "process %d is stopped by a debugger or tracer",
                     (int)r->address->pid);
}

ubi_status ubi__cdp_program_check_stopped(const ubi__remote *r) {
    pid_t pid = (pid_t)r->address->pid;
    char state = pid ? ubi__node_stop_state("", pid) : '\0';
    for (int i = 1; state && i < STOP_LOOKS; i++) {
        usleep(STOP_TICK_US);
        state = ubi__node_stop_state("", pid);
    }
    return state ? stopped_fail(r, state) : UBI_OK;
}

/*
 * Asks whether a debugger holds it. It answers at once, held or busy. Meanwhile we are a debugger, for which nothing is to stop. Not asked
 * for: NodeRuntime.enable, which says that a program waits for one, but some versions of Node.js crash when who asked that leaves.
 */
static ubi_status debugger_ask(ubi__remote *r) {
    r->is_looked_at = true;
    UBI_TRY(ubi__cdp_peer_note(r->peer, "Debugger.setSkipAllPauses", "{\"skip\":true}"));
    UBI_TRY(ubi__cdp_peer_note(r->peer, "Debugger.enable", NULL));
    return ubi__cdp_peer_note(r->peer, "Debugger.disable", NULL);
}

ubi_status ubi__cdp_program_silence(void *payload, uint64_t waited_us) {
    ubi__remote *r = payload;
    char time[UBI__HUMAN_TEXT];
    if (r->may_be_long)
        return UBI_OK;
    if (waited_us == 0)
        r->is_looked_at = r->is_held = false;
    if (waited_us < LOOK_US)
        return UBI_OK;
    if (r->is_held || r->is_unstarted)
        return ubi__fail(UBI_EIO,
                         "a debugger holds the program: it is paused, or waits for a debugger (--inspect-brk)");
    if (r->is_node && !r->is_looked_at)
        return debugger_ask(r);
    uint64_t patience_us = ubi__cdp_program_patience_us(r);
    if (waited_us < patience_us)
        return UBI_OK;
    UBI_TRY(ubi__cdp_program_check_stopped(r));
    return ubi__fail(UBI_EIO, "no answer in %s: the program is busy, or a debugger holds it",
                     ubi__human_duration(time, patience_us));
}
