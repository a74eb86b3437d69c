/* SPDX-License-Identifier: MIT
 *
 * attach_wire.h: what `ubiheap attach` and a libubiheap-preload.so that it has loaded into a running program say to each other,
 * before they share memory (preload_wire.h).
 *
 * The tool has a thread of the program call these, in this order; each keeps errno and takes no lock that the thread may hold:
 *
 *     ubi_recorder_knock()          makes a pair of sockets and says hello on its own; the tool takes the other one
 *     ubi_recorder_enter(pid)       maps the memory that the tool has sent, and records from now on
 *     ubi_recorder_leave()          all is as before, and the library stays, idle
 *
 * What they did is in ubi_recorder_attachment, which the tool reads out of the program's memory.
 */
#ifndef UBI_RECORDING_ATTACH_WIRE_H
#define UBI_RECORDING_ATTACH_WIRE_H

#include <stdint.h>

#define UBI__ATTACHMENT_MAGIC UINT64_C(0x61656568696275)
#define UBI__ATTACHMENT_VERSION 1

/** Names of the four symbols. */
#define UBI__ATTACHMENT_SYMBOL "ubi_recorder_attachment"
#define UBI__KNOCK_SYMBOL "ubi_recorder_knock"
#define UBI__ENTER_SYMBOL "ubi_recorder_enter"
#define UBI__LEAVE_SYMBOL "ubi_recorder_leave"

typedef enum ubi__attachment_state {
    UBI__ATTACHMENT_IDLE = 0,
    UBI__ATTACHMENT_KNOCKED = 1, /* `socket` is for the tool to take */
    UBI__ATTACHMENT_ON = 2,
    UBI__ATTACHMENT_BUSY = 3,   /* another recorder records this program, and lives */
    UBI__ATTACHMENT_FAILED = 4, /* `why` */
} ubi__attachment_state;

typedef struct ubi__attachment {
    uint64_t magic;
    uint32_t version;
    uint32_t state;       /* ubi__attachment_state */
    int32_t socket;       /* the tool's end; -1: none */
    int32_t own_socket;   /* -1: none */
    uint32_t why;         /* ubi__unrecorded, when it failed */
    uint32_t was_sampled; /* threads may still step over what they allocate: exact recording cannot begin any more */
    uint64_t n_slots;     /* calls of other modules that lead to us now */
    uint64_t n_refused;   /* that could not be led to us: their memory cannot be written to */
} ubi__attachment;
_Static_assert(sizeof(ubi__attachment) == 48, "the same for any compiler on both sides");

#endif
