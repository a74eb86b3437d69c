/* SPDX-License-Identifier: MIT
 *
 * native_control.h: recorded processes are started, stopped and looked at from outside: what `ubiheap control` says to `ubiheap record`.
 *
 * Each recorder listens on a socket in its folder (native_launch.h), which only its user can open. One message is a request, one the
 * reply; a reply may bring a descriptor of the recording, from which results are made by who asked. So the recorder never does more than
 * to write down what it has, and a message is there in whole or not at all. It waits for no one: who says nothing for a while, or does not
 * take the reply, is shown out.
 *
 *     the recorder      _open, then _answer whenever it wakes up, _close
 *     who asks          _ask, by the number of a process; or _ask_nth, for all of them
 */
#ifndef UBI_TARGETS_NATIVE_CONTROL_H
#define UBI_TARGETS_NATIVE_CONTROL_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

#include "targets/native/native_launch.h"
#include "targets/native/native_session.h"

#define UBI__CONTROL_MAGIC UINT64_C(0x6c6f72746e6f63) /* "control" */
#define UBI__CONTROL_VERSION 1
/** Its name in the folder of the door. */
#define UBI__CONTROL_SOCKET "control"

typedef enum ubi__control_verb {
    UBI__CONTROL_STATE, /* what there is; nothing is done */
    UBI__CONTROL_START,
    UBI__CONTROL_STOP, /* the reply comes when what happened before was read */
    UBI__CONTROL_RESET,
    UBI__CONTROL_LOOK, /* the file has all that was read so far, and its descriptor comes with the reply */
    UBI__CONTROL_VERBS
} ubi__control_verb;

typedef struct ubi__control_request {
    uint64_t magic;
    uint32_t version;
    uint32_t verb;  /* ubi__control_verb */
    int32_t pid;    /* 0: the process at `index` */
    uint32_t index; /* of those that are recorded now, in any order */
} ubi__control_request;

/** What is known about a process that is recorded. Times are nanoseconds since it began. */
typedef struct ubi__control_facts {
    int32_t pid;
    uint32_t is_running; /* allocations are recorded now */
    uint32_t has_results;
    uint32_t is_exact;
    uint64_t now_ns, paused_ms;
    uint64_t allocations, frees, live;   /* recorded so far, in all */
    uint64_t allocated_bytes;            /* on the heap, estimated when sampling */
    uint64_t first_allocation, first_ns; /* of results: number of the first allocation, and when they were reset */
    uint64_t end_bytes, end_ns; /* of results, when there are any: bytes of the file, and when it was stopped */
    uint64_t file_bytes;        /* what can be read now */
    char name[64];              /* what it was started as, without folders */
    char path[4096];            /* of the recording */
} ubi__control_facts;

typedef struct ubi__control_reply {
    uint64_t magic;
    uint32_t version;
    int32_t status; /* ubi_status; not UBI_OK: `message` says why, and there are no facts */
    char message[256];
    ubi__control_facts facts;
} ubi__control_reply;

/* ---- the recorder ------------------------------------------------------------------------------------------------- */

#define UBI__CONTROL_CLIENTS 16

/** Who has connected. */
typedef struct ubi__control_client {
    int fd; /* -1: none */
    uint64_t since_ns;
    pid_t waits_for; /* the process that is to be stopped, or looked at; 0: none */
    bool is_looking; /* with waits_for */
    uint64_t stamp;  /* of the last event that the look has; the program may have stopped in the middle of one */
} ubi__control_client;

typedef struct ubi__native_control {
    char path[128]; /* of the socket */
    int fd;         /* listens, and never blocks; -1: closed */
    ubi__control_client clients[UBI__CONTROL_CLIENTS];
} ubi__native_control;

/** Listens in a door's folder. Errors: UBI_EIO. */
ubi_status ubi__native_control_open(ubi__native_control *control, const ubi__native_door *door);
/** Again is fine. */
void ubi__native_control_close(ubi__native_control *control);
/**
 * Lets in who waits, and answers who has asked. @param sessions  a list. @param now_ns  by the monotonic clock.
 * Cost: a few system calls for each client.
 */
void ubi__native_control_answer(ubi__native_control *control, ubi__native_session *sessions, uint64_t now_ns);
/** Whether a client waits for something that takes time. */
bool ubi__native_control_is_busy(const ubi__native_control *control);
/** What a message of n bytes asks for. Errors: UBI_EFORMAT: it is no request of ours, or of another version. */
ubi_status ubi__control_request_parse(ubi__control_request *out, const void *message, size_t n);

/* ---- who asks ----------------------------------------------------------------------------------------------------- */

/**
 * Asks the recorder of this process, among all of this user, and waits for the reply.
 * @param fd  out: of the recording, owned; -1: none came. NULL: is not wanted.
 * Errors: UBI_ENOTFOUND (it is not recorded), what the recorder says, UBI_EIO.
 */
ubi_status ubi__control_ask(ubi__control_facts *out, int *fd, ubi__control_verb verb, pid_t pid);

typedef ubi_status (*ubi__control_facts_fn)(void *payload, const ubi__control_facts *facts);
/** Calls `fn` for each process that is recorded by this user. Errors: UBI_EIO, those of fn. */
ubi_status ubi__control_each(ubi__control_facts_fn fn, void *payload);

#endif
