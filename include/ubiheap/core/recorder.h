/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/recorder.h: a C or C++ program under `ubiheap record` says which part of its work is recorded.
 *
 *     #include <ubiheap/core/recorder.h>
 *
 *     ubi_recorder_start();
 *     serve(request);
 *     ubi_recorder_stop();
 *     ubi_recorder_results("request.tables.json");       names, traces, events; or "request.ubirec", or any format of `ubiheap export`
 *
 * With `ubiheap record --paused` nothing is recorded before the first start. This header is all that a program needs: no library is
 * linked, and without the recorder each call does nothing and says UBI_RECORDER_ABSENT.
 *
 * The rules are those of Mozilla's nsIMemoryProfiler:
 *   - starts and stops are not counted: the second start does nothing, and one stop ends both;
 *   - what was recorded stays until a reset, over several starts and stops; a reset does nothing while it records;
 *   - there are results when it is stopped, was started, and was not reset since; they can be asked for more than once.
 * What lives when it is stopped lives at the end of the results. A free between two parts of a recording counts: what the second part ends
 * with is what lives then. A realloc is a free and an allocation, of which only the free counts while it is stopped.
 *
 * All is about this process; `ubiheap control PID` does the same from outside. A child of fork that is recorded too begins as its parent is.
 * The recording's file has all parts, also those that a reset dropped from the results.
 *
 * Threads: any; start, stop and reset also in signal handlers. Of allocations of other threads that are under way at that moment, some may
 * be in the part and some not. Cost: that of an event; of results, that of `ubiheap export`, in another process.
 *
 * C11 and C++11, GCC and Clang, ELF. Elsewhere everything here is empty.
 */
#ifndef UBIHEAP_RECORDER_H
#define UBIHEAP_RECORDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a call found, or did. */
typedef enum ubi_recorder_answer {
    UBI_RECORDER_ABSENT = 0,  /**< the program is not recorded */
    UBI_RECORDER_STOPPED = 1, /**< it is not recorded now */
    UBI_RECORDER_RUNNING = 2, /**< it is recorded now */
    UBI_RECORDER_DONE = 3,    /**< the results are in the file */
    UBI_RECORDER_NOTHING = 4, /**< there are no results: it records still, was never started, or was reset */
    UBI_RECORDER_FAILED =
        5 /**< nothing was done: no memory, no file, or the recorder itself was interrupted by this signal handler */
} ubi_recorder_answer;

/** What is asked of the recorder. */
typedef enum ubi_recorder_request {
    UBI_RECORDER_ASK_STATE = 0,
    UBI_RECORDER_ASK_START = 1,
    UBI_RECORDER_ASK_STOP = 2,
    UBI_RECORDER_ASK_RESET = 3,
    UBI_RECORDER_ASK_RESULTS = 4
} ubi_recorder_request;

/*
 * The preload library of `ubiheap record` defines
 *     uint32_t ubi_recorder_ask(uint32_t request, const char *path);
 * of which the answer is a ubi_recorder_answer.
 */

#if defined(UBI_RECORDER_PROVIDER) /* it itself */
#elif defined(__ELF__) && defined(__GNUC__)

static uint32_t ubi__recorder_asked(uint32_t request, const char *path) __attribute__((weakref("ubi_recorder_ask")));

__attribute__((unused)) static inline ubi_recorder_answer ubi__recorder_ask(ubi_recorder_request request,
                                                                            const char *path) {
    uint32_t (*ask)(uint32_t, const char *);
    /* Where code has a fixed place, a linker settles a weak name at once; asking the table of addresses leaves it to the loader. */
#if defined(__x86_64__) && !defined(__ILP32__) && !defined(__PIC__)
    __asm__("movq %c1@GOTPCREL(%%rip), %0" : "=r"(ask) : "i"(&ubi__recorder_asked));
#else
    ask = ubi__recorder_asked;
#endif
    return ask ? (ubi_recorder_answer)ask((uint32_t)request, path) : UBI_RECORDER_ABSENT;
}

#else /* neither ELF nor GCC: nothing */

#define ubi__recorder_ask(request, path) ((void)(path), UBI_RECORDER_ABSENT)

#endif

#if !defined(UBI_RECORDER_PROVIDER)

/** Whether the program is recorded now: UBI_RECORDER_RUNNING, _STOPPED or _ABSENT. */
__attribute__((unused)) static inline ubi_recorder_answer ubi_recorder_state(void) {
    return ubi__recorder_ask(UBI_RECORDER_ASK_STATE, 0);
}
/** Records from now on. UBI_RECORDER_RUNNING, or _ABSENT, _FAILED. */
__attribute__((unused)) static inline ubi_recorder_answer ubi_recorder_start(void) {
    return ubi__recorder_ask(UBI_RECORDER_ASK_START, 0);
}
/** Records no more. UBI_RECORDER_STOPPED, or _ABSENT, _FAILED. */
__attribute__((unused)) static inline ubi_recorder_answer ubi_recorder_stop(void) {
    return ubi__recorder_ask(UBI_RECORDER_ASK_STOP, 0);
}
/** Drops what was recorded from the results. UBI_RECORDER_STOPPED; _RUNNING: nothing was done; or _ABSENT, _FAILED. */
__attribute__((unused)) static inline ubi_recorder_answer ubi_recorder_reset(void) {
    return ubi__recorder_ask(UBI_RECORDER_ASK_RESET, 0);
}
/**
 * Writes what was recorded into a file, which appears when it is complete; waits for that.
 * @param path  of fewer than 1,024 bytes; a relative one is seen from the working folder. Its end says the format, as `ubiheap control`
 *              reads it; of others it is names, traces and events in JSON.
 * UBI_RECORDER_DONE, _NOTHING, _ABSENT, _FAILED.
 */
__attribute__((unused)) static inline ubi_recorder_answer ubi_recorder_results(const char *path) {
    return ubi__recorder_ask(UBI_RECORDER_ASK_RESULTS, path);
}

#endif

#ifdef __cplusplus
}
#endif
#endif
