/* SPDX-License-Identifier: MIT
 *
 * preload_area.h: the ubiheap process's end of the memory that it shares with a recorded program (preload_wire.h):
 * makes it, hands it to the program, moves its clock.
 *
 *     ubi__preload_area_new(&area, &settings);              one for every process that connects
 *     ubi__preload_receive_hello(socket, &hello);           of a connection, which SO_PEERCRED has been asked about
 *     ubi__preload_send_welcome(socket, &area);             then the socket can be closed
 *     every millisecond: ubi__preload_area_tick(&area, microseconds since the recording began);
 *
 * The area may hold anything: only what preload_collector.h checks is believed.
 */
#ifndef UBI_RECORDING_PRELOAD_AREA_H
#define UBI_RECORDING_PRELOAD_AREA_H

#include <ubiheap/core/base.h>

#include "recording/preload_wire.h"

typedef struct ubi__preload_settings {
    uint64_t period_bytes; /* 1: exact */
    uint64_t seed;         /* of the samples */
    uint64_t zero_ns;      /* of CLOCK_MONOTONIC: from which the times of events count */
    uint32_t flags;        /* UBI__WIRE_FOLLOW_CHILDREN, UBI__WIRE_MAPPINGS */
    uint32_t max_depth;    /* frames of a stack, 1 to 65536; 0: the usual */
    bool is_paused;        /* nothing is recorded until it is started */
} ubi__preload_settings;

typedef struct ubi__preload_area {
    ubi__wire_header *header; /* NULL: none */
    int fd;
    uint32_t n_chunks;              /* as before, also in a header that the program has changed */
    _Atomic uint64_t clock_us;      /* of the last tick, which may come from another thread */
    ubi__preload_settings settings; /* as they were before the area was shared */
} ubi__preload_area;

/** There are whole segments of chunks, and settings are in their ranges. Says nothing of what the program can write to. */
void ubi__preload_area_check(const ubi__preload_area *area);
/** Has fewer chunks where limits (RLIMIT_AS, RLIMIT_FSIZE) want that. Errors: UBI_EINVAL for settings, UBI_EIO. */
ubi_status ubi__preload_area_new(ubi__preload_area *out, const ubi__preload_settings *settings);
/** The program keeps its own mapping. None: nothing happens. */
void ubi__preload_area_free(ubi__preload_area *area);

/**
 * Reads what a program says first. Errors: UBI_EIO, UBI_EFORMAT: not ours, or of another version. Blocks as the
 * socket does.
 */
ubi_status ubi__preload_receive_hello(int socket, ubi__wire_hello *out);
/** Answers with the area. Errors: UBI_EIO. */
ubi_status ubi__preload_send_welcome(int socket, const ubi__preload_area *area);

/** The time, which also says that we live, to a program that cannot see us among its processes. */
void ubi__preload_area_tick(ubi__preload_area *area, uint64_t clock_us);
/** Whether what is constant once shared is unchanged. False: the program has written over it. */
bool ubi__preload_area_is_sound(const ubi__preload_area *area);
/** Asks the program to record no more: it stops at its next event, also when it waits for us. No tick follows. */
void ubi__preload_area_stop(ubi__preload_area *area);

#endif
