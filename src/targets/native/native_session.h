/* SPDX-License-Identifier: MIT
 *
 * native_session.h: one process that is recorded, from its connection to the last symbol in its file.
 *
 *     a process connects           _new     its file begins, it gets its shared memory
 *     every few milliseconds       _poll    what it wrote goes into the file
 *     it is dead                   _end     the rest goes into the file, and how it ended
 *     then, on another thread      _symbolize, _finish
 *                                  _free
 *
 * When the file cannot be written any more, recording ends (`status`, `message`); the process continues. A file is
 * whole up to the last block at any time.
 */
#ifndef UBI_TARGETS_NATIVE_SESSION_H
#define UBI_TARGETS_NATIVE_SESSION_H

#include <stdatomic.h>

#include "recording/preload_collector.h"
#include "recording/ubirec_writer.h"
#include "symbolize/perf_map.h"
#include "symbolize/symbolize.h"
#include "targets/native/native_clock.h"
#include "targets/native/native_look.h"
#include "targets/native/native_proc.h"
#include "targets/native/native_window.h"

/** A file that was loaded. When it comes again to another place, that is another module, whose frames are the first one's. */
typedef struct ubi__native_module {
    char *path; /* path[path_bytes], and NUL; owned */
    size_t path_bytes;
    uint64_t bias;
    uint32_t first;   /* number of the first module of this file, in which code has the same offsets */
    uint32_t symbols; /* its number in the symbolizer; UBI_NONE: not asked yet */
    bool is_recorder; /* the library that records, of which stacks have nothing */
    uint32_t build_id_bytes;
    uint8_t build_id[UBI__WIRE_BUILD_ID_BYTES];
} ubi__native_module;

/** A frame of the file that symbols can be looked up for. */
typedef struct ubi__native_frame {
    uint32_t frame, module; /* numbers of the file */
    uint64_t offset;        /* of the return address */
} ubi__native_frame;

typedef struct ubi__native_thread {
    pid_t tid;
    char name[UBI__THREAD_NAME_BYTES]; /* as it was written */
} ubi__native_thread;

/** A program that was started, or a process that was made, and is not recorded. */
typedef struct ubi__native_unrecorded {
    char name[64]; /* of its file, without folders */
    uint64_t count;
    ubi__unrecorded why;
} ubi__native_unrecorded;

UBI_VEC_DECLARE(ubi__vec_native_unrecorded, ubi__native_unrecorded);
UBI_VEC_DECLARE(ubi__vec_native_module, ubi__native_module);
UBI_VEC_DECLARE(ubi__vec_native_frame, ubi__native_frame);
UBI_VEC_DECLARE(ubi__vec_native_thread, ubi__native_thread);

/** A class of blocks of a script engine. */
typedef struct ubi__native_script_class {
    uint32_t kind; /* in the file; UBI_NONE: not written yet */
    uint32_t name_bytes;
    char name[UBI__WIRE_CLASS_BYTES];
} ubi__native_script_class;
UBI_VEC_DECLARE(ubi__vec_script_class, ubi__native_script_class);

/** A process that has connected. */
typedef struct ubi__native_arrival {
    pid_t pid;
    int pidfd;                      /* taken over */
    int fd;                         /* the file, empty; taken over */
    int socket;                     /* on which it may say why it cannot be recorded; -1: none. Taken over */
    const char *path;               /* of the file, copied */
    uint64_t began_ns;              /* of the process, by the monotonic clock */
    uint64_t began_unix_ns;         /* the same moment, since 1970 */
    bool is_child;                  /* of a process that is recorded */
    bool is_forked;                 /* it began with what its parent had */
    bool is_attached;               /* it runs already */
    uint64_t recording;             /* a number of all processes that are recorded together; 0: it is the only one */
    ubi__preload_settings settings; /* what is recorded */
    struct ubi__native_live *live;  /* NULL: no one looks; else it outlives the session */
    ubi__native_looks *looks;       /* at its memory; outlives the session */
    void (*on_bytes)(void *payload, const void *data, size_t n_bytes); /* gets what is written, too; or NULL */
    void *bytes_payload;
} ubi__native_arrival;

typedef struct ubi__native_session {
    const ubi_allocator *allocator;
    struct ubi__native_session *next;          /* the recorder's */
    struct ubi__native_session *next_in_queue; /* of those that wait for symbols */
    _Atomic bool is_done;                      /* finished, on whichever thread */
    pid_t pid;
    int pidfd, fd, socket; /* -1: closed */
    char *path;            /* path[path_bytes], owned */
    size_t path_bytes;
    char program[4096]; /* path of its executable */
    size_t program_bytes;
    char name[64];                         /* what it was started as, without folders */
    ubi__proc_file executable;             /* the same; inode 0: unknown */
    char replaced_by[4096];                /* path of the program that the process has become since; "": none */
    ubi__vec_native_unrecorded unrecorded; /* the first ones are those that we know of ourselves */
    size_t n_unrecorded_known;
    ubi__preload_area area;
    ubi__preload_collector *collector;
    ubi__native_clock *clock;
    ubi__native_clock_face face;
    ubi__ubirec_writer *writer;
    uint64_t start_ns;       /* of the recording, since the process began */
    uint64_t began_ns;       /* of the process, by the monotonic clock */
    uint64_t began_unix_ns;  /* the same moment, since 1970 */
    uint64_t flush_ns;       /* when the file gets what there is next */
    uint64_t now_us;         /* since recording began, when it was looked at last */
    uint64_t event_clock_us; /* what the last event said of its time, */
    uint32_t event_thread;   /* and of its thread; UBI_NONE: there was none */
    uint64_t resident_bytes,
        resident_at_ns; /* memory as it was seen last, since the process began; 0 bytes: it is in the file */
    uint64_t most_resident_bytes, last_resident_bytes; /* that were seen */
    uint64_t peak_resident_bytes;                      /* as the system counted it up to the last look; 0: unknown */
    ubi__native_look *look;                            /* at what its memory is used for; NULL: none */
    uint64_t look_ns;                                  /* when the next one is due, by the monotonic clock */
    uint32_t n_looks;                                  /* in the file */
    uint64_t ended_ns;                                 /* when it has ended: its last event, since the process began */
    bool is_forked;                                    /* it began with what its parent had */
    bool is_attached;                                  /* it ran before */
    bool has_ended, is_stopping;
    ubi__native_window window; /* which part of it is recorded */
    bool has_given_up;         /* the process: it waited too long for us, and records no more */
    bool is_trampled;          /* nothing more can be read, though the process continues */
    ubi__ubirec_end end;       /* then: how */
    bool is_dead;              /* the process */
    uint64_t died_ns;          /* then: when that was noticed, by the monotonic clock */
    bool knows_exit;           /* then: how it ended, in wait_status */
    int wait_status;
    ubi__preload_counters counters;                      /* when it has ended; then it has no collector */
    uint64_t kept_bytes, kept_allocations, kept_markers; /* what is in the file, in whole blocks */
    uint64_t allocated_bytes;                            /* on the heap: weights that were written */
    uint64_t n_markers;                                  /* written: STARTs and TIMESTAMPs */
    ubi_status status;                                   /* not UBI_OK: recording failed, and nothing more is written */
    char message[512];                                   /* then: why */
    uint32_t kinds[UBI__ALLOC_KINDS];                    /* in the file; UBI_NONE: not written yet */
    ubi__vec_script_class script_classes;                /* the first one is number 1 */
    ubi__vec_native_module modules;                      /* by their number in the file */
    ubi__vec_native_frame frames;
    ubi__vec_perf_address raw;      /* frames of the file in no module; payload: their numbers, which rise */
    char map_path[48];              /* of the names that the process writes for them */
    ubi__vec_native_thread threads; /* by their number in the file */
    ubi__vec_u8 details;            /* of a marker that is written */
    ubi__vec_u8 cut; /* cut[trace of the file]: whether it ends at the limit; the last ones, that do not, are missing */
    uint64_t n_cut_stacks;          /* of allocations */
    size_t n_symbolized;            /* of frames.at[] */
    struct ubi__native_live *live;  /* for those who look meanwhile; NULL: no one does */
    struct ubi__live_process *seen; /* there: this process, until it has ended; NULL: it is not */
    void (*on_bytes)(void *payload, const void *data, size_t n_bytes); /* gets what is written, too; or NULL */
    void *bytes_payload;
} ubi__native_session;

/**
 * What is in the file was written; modules of a file that was loaded again are the first one's; frames rise; a process that has
 * ended has no collector.
 */
void ubi__native_session_check(const ubi__native_session *s);
/**
 * Begins the file and makes the memory that the process is to get (`area`).
 * Errors: UBI_ENOMEM, UBI_EIO; what was to be taken over is closed in any case.
 */
ubi_status ubi__native_session_new(ubi__native_session **out, const ubi__native_arrival *arrival,
                                   ubi__native_clock *clock, const ubi_allocator *allocator);
void ubi__native_session_free(ubi__native_session *s);

/** Not UBI_OK: recording has failed with the thread's message, and ends. Only the first failure counts. */
void ubi__native_session_note(ubi__native_session *s, ubi_status status);
/** Writes what is there. @return whether it has left something for the next poll. */
bool ubi__native_session_poll(ubi__native_session *s);
/** All that was read is in the file, with what was lost so far. Errors: those of writing, which end the recording. */
ubi_status ubi__native_session_flush(ubi__native_session *s);
/** Now and then: memory; less often, names of threads, what was lost, and all that was written is in the file. */
void ubi__native_session_take_stock(ubi__native_session *s);
/** The process is dead (pidfd): learns how it ended, as long as the system knows. */
void ubi__native_session_note_death(ubi__native_session *s);
/** Asks whether it is, without waiting. */
void ubi__native_session_look_for_death(ubi__native_session *s);
/** Whether the process has become another program, in which there is no recorder. */
bool ubi__native_session_is_replaced(ubi__native_session *s);
/** A process, whose file has another name after that of the first: its file names that one. */
void ubi__native_session_note_companion(ubi__native_session *s, const char *suffix, const char *name);
/** A process that it made, which we could not record. Errors: UBI_ENOMEM. */
ubi_status ubi__native_session_note_unrecorded(ubi__native_session *s, const char *name, ubi__unrecorded why);
/** Asks the process to record no more; it continues. */
void ubi__native_session_stop(ubi__native_session *s);
/** Writes the rest and how it ended; the process gets no more attention. */
void ubi__native_session_end(ubi__native_session *s, const ubi__ubirec_end *end);
/** Appends symbols for a frame. @return whether more remain. */
bool ubi__native_session_symbolize(ubi__native_session *s, ubi__symbolizer *symbolizer);
/** Everything is in the file. Whether that worked is in `status`. */
void ubi__native_session_finish(ubi__native_session *s);

/** What follows happens at this time, as the program says it. */
ubi_status ubi__native_write_event_time(ubi__native_session *s, uint64_t clock_us);
/** Where the collector reports what happened (native_sink.c). */
ubi__preload_sink ubi__native_sink(ubi__native_session *s);

#endif
