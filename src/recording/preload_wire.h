/* SPDX-License-Identifier: MIT
 *
 * preload_wire.h: the memory that a recorded program shares with the ubiheap process, and what is written into it.
 *
 * libubiheap-preload.so in the program (the writer) connects to a Unix socket, whose path is in the environment, and
 * gets a memfd: an area of header, chunk descriptors and chunks.
 *
 *     area     header | descriptor[n_chunks] | chunk[n_chunks]
 *     chunk    preface | record, record, ...     up to `committed` bytes of it are there to be read
 *
 * A *context* of the program, which belongs to one thread at a time, takes a free chunk, appends records and moves
 * `committed` (release) past each; when the chunk is full, it says so and takes another. The reader may read up to
 * `committed` at any time, and gives a full chunk back when it has read it all. So what was committed is never lost,
 * however the program ends.
 *
 * Every event (allocation, free, marker) has a stamp of one counter of the process: the order in which they happened. A free
 * has its stamp before the block is free, an allocation after the block is there, so on one address they alternate.
 *
 * Times are the program's: it reads CLOCK_MONOTONIC itself, whenever a quarter of a millisecond may have passed since
 * the context last did, so an event is at most that much later than it says. The later of two events may say an
 * earlier time.
 *
 * A chunk can be decoded on its own: differences restart in it, and its preface says the rest. Only traces are
 * numbered through all chunks of a context, until its epoch changes: then traces and modules restart.
 *
 * Record: a byte of operation, then varints (LEB128, little end first; `z`: zigzag), then bytes:
 *
 *     bits 0-1   0 control, with a code in bits 4-7     1 trace     2 allocation     3 free
 *     bits 0-3   5 short allocation     9 short free     (else, bits 2 and 3 of a trace are 0)
 *     bit 2      events, also markers: the stamp is not the context's last + 1: varint(stamp - last - 1) comes first
 *     bit 3      allocations, frees: the address difference is divided by 16
 *     bits 4-7   traces, allocations, frees: which kind
 *
 *     allocation  [gap] z(address - last address) size z(trace - last trace) [met: only when sampling]
 *     free        [gap] z(address - last address) [size: kinds from UBI__FREE_SIZED on]
 *     short ones  words, see ubi__wire_short: nearly all events when recording exactly
 *     trace       number of this one - number of the caller; z(pc - pc of the context's last trace record)
 *                 of a script's frame instead of that: number of the function, line, column
 *     marker      [gap] flags z(ns - ns of the context's last marker) [z(trace - last trace): when it has a stack] name details
 *     recording   [gap] ubi__wire_action: the program has started, stopped or reset what is recorded of it
 *     control     see ubi__wire_control
 *
 * Functions of scripts have numbers from 1 on, as traces have. A chunk begins without a class of script blocks; the name of each that it
 * mentions is in the chunk. Name and details are texts: how many bytes, and these. Details are a sequence of: type, name, value (ubi__wire_detail).
 *
 * An allocation takes 16 bytes, a free 8, a marker 8 and its name. What is short in bytes would be long in instructions: numbers of any
 * length have branches that no processor predicts, on both sides, and nothing of this goes further than to the reader. A leaf, as part of other programs: only the
 * C library. The area is hostile to the reader: the program may write anything into it; see preload_collector.h.
 */
#ifndef UBI_RECORDING_PRELOAD_WIRE_H
#define UBI_RECORDING_PRELOAD_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "recording/unrecorded.h"

#define UBI__WIRE_MAGIC UINT64_C(0x70616568696275) /* "ubiheap" */
#define UBI__WIRE_VERSION 10

/** Environment of the program: the path of the socket. */
#define UBI__WIRE_SOCKET_VARIABLE "UBIHEAP_PRELOAD_SOCKET"
/** File name of the library; its entry in LD_PRELOAD is taken out of the program's environment by this name. */
#define UBI__WIRE_LIBRARY "libubiheap-preload.so"

/**
 * What the program says on the socket (SOCK_STREAM). The answer is a ubi__wire_welcome with the memfd (SCM_RIGHTS),
 * or the end. A program that cannot use the answer says why: a byte, of ubi__unrecorded.
 */
typedef struct ubi__wire_hello {
    uint64_t magic;
    uint32_t version;
    uint32_t is_forked; /* 1: a child after fork, which has the program's image; 0: the start of a program */
    int32_t pid;        /* as the program sees it; the reader takes SO_PEERCRED's */
    uint32_t zero;
} ubi__wire_hello;

typedef struct ubi__wire_welcome {
    uint64_t magic;
    uint32_t n_chunks;     /* of the area; at most UBI__WIRE_CHUNKS, a multiple of UBI__WIRE_SEGMENT_CHUNKS */
    uint32_t first_chunks; /* how many the program should map at the start; such a multiple, too */
} ubi__wire_welcome;

/** The reader's clock when it wants no more: recording ends permanently, and the program continues. */
#define UBI__WIRE_CLOCK_STOP UINT64_MAX

#define UBI__WIRE_CHUNK_BYTES (64u * 1024)
/** Threads that record at a time. */
#define UBI__WIRE_CONTEXTS 4096u
/** The program maps chunks by segments: the first ones at the start, and more when more threads record. */
#define UBI__WIRE_SEGMENT_CHUNKS 16u
#define UBI__WIRE_FIRST_SAMPLING 64u
#define UBI__WIRE_FIRST_EXACT 256u
/**
 * How many chunks may be in use beyond one per context, so a thread that waits for one waits only for the reader.
 * With those of 16 and 32 threads, these are the chunks mapped at the start.
 */
#define UBI__WIRE_QUOTA_SAMPLING (UBI__WIRE_FIRST_SAMPLING - 16u)
#define UBI__WIRE_QUOTA_EXACT (UBI__WIRE_FIRST_EXACT - 32u)
/** At most; an area may have fewer. Untouched pages take no memory. */
#define UBI__WIRE_CHUNKS (UBI__WIRE_CONTEXTS + UBI__WIRE_FIRST_EXACT)
#define UBI__WIRE_SEGMENTS (UBI__WIRE_CHUNKS / UBI__WIRE_SEGMENT_CHUNKS)

enum {
    UBI__WIRE_FOLLOW_CHILDREN = 1, /* the program keeps the environment as it is, and forked children connect */
    UBI__WIRE_MAPPINGS = 2,        /* anonymous mmap, munmap, mremap, brk are recorded, too */
    UBI__WIRE_MARKERS = 4,         /* timeline markers are recorded (ubiheap/core/marker.h) */
};

/** Whether the program records now. */
enum {
    UBI__RECORDING_IS_ON = 1,     /* allocations are recorded */
    UBI__RECORDING_HAS_BLOCKS = 2 /* it was on at some time: frees are recorded, for they may be of recorded blocks */
};

typedef enum ubi__wire_program_state {
    UBI__PROGRAM_NOT_THERE = 0,
    UBI__PROGRAM_RECORDS = 1,
    UBI__PROGRAM_STOPPED = 2, /* recording ended permanently: no memory, or it took the reader for dead */
} ubi__wire_program_state;

/** Why stacks are without frames of a script's interpreter that was found. */
typedef enum ubi__wire_scripts {
    UBI__SCRIPTS_FINE = 0,        /* they have them, or there is no interpreter */
    UBI__SCRIPTS_UNKNOWN_VERSION, /* of Python */
    UBI__SCRIPTS_STRANGE_LAYOUT,  /* of Python: what is read makes no sense */
    UBI__SCRIPTS_TROUBLES
} ubi__wire_scripts;

enum { UBI__STARTED_FREE = 0, UBI__STARTED_TAKEN = 1, UBI__STARTED_NAMED = 2 };

/** What became of results that the program wants in a file. */
typedef enum ubi__wire_results {
    UBI__RESULTS_NOT_ASKED = 0,
    UBI__RESULTS_NAMED = 1, /* the program's: the path is being written */
    UBI__RESULTS_ASKED = 2, /* the reader's from here on, until one of these: */
    UBI__RESULTS_DONE = 3,
    UBI__RESULTS_NONE = 4, /* it records still, was never started, or was reset */
    UBI__RESULTS_FAILED = 5
} ubi__wire_results;
#define UBI__WIRE_RESULTS_PATH_BYTES 1024u

/** A program that was started by the program or by a child of it, and is not recorded. */
typedef struct ubi__wire_started {
    _Atomic uint32_t state;
    _Atomic uint32_t count;
    uint32_t why;  /* of ubi__unrecorded: CHOICE up to UNREACHED, or REPLACED */
    char name[52]; /* of its file, without folders; with NUL */
} ubi__wire_started;
#define UBI__WIRE_STARTED 24

/** Allocators in place of the C library's that can be asked what their memory is used for. */
typedef enum ubi__wire_allocator {
    UBI__ALLOCATOR_NONE = 0,
    UBI__ALLOCATOR_JEMALLOC,
    UBI__ALLOCATOR_MIMALLOC,
    UBI__ALLOCATOR_TCMALLOC,
    UBI__ALLOCATORS
} ubi__wire_allocator;

/** What it uses memory for, in bytes; not all of them need be in RAM. */
typedef enum ubi__wire_use {
    UBI__USE_BLOCKS,     /* given to the program, of its size classes */
    UBI__USE_CACHED,     /* freed, kept by threads and between them */
    UBI__USE_FREE,       /* in pages that have blocks, too */
    UBI__USE_FREE_PAGES, /* whole ones, which it has not given back to the system */
    UBI__USE_OVERHEAD,   /* its own tables */
    UBI__USES
} ubi__wire_use;

/** What the program's allocator answered last. One thread of the program writes at a time. */
typedef struct ubi__wire_answer {
    _Atomic uint32_t version;   /* odd: it is being written; 0: there is none */
    _Atomic uint32_t allocator; /* ubi__wire_allocator */
    _Atomic uint64_t bytes[UBI__USES];
} ubi__wire_answer;

typedef struct ubi__wire_header {
    /* The reader writes these before the program sees them. */
    uint64_t magic;
    uint32_t version;
    uint32_t flags;
    uint32_t n_chunks;
    uint32_t zero;
    uint64_t period_bytes; /* 1: exact */
    uint64_t seed;         /* of what is drawn when sampling */
    uint32_t chunk_quota;
    uint32_t max_depth; /* frames of a stack that are kept */
    int32_t reader_pid;
    uint64_t zero_ns; /* of CLOCK_MONOTONIC: when the recording began, from which all times count */
    uint64_t
        look_ticks; /* the program looks at the clock when its counter is so far from the last look; 0: each time */
    /* UBI__RECORDING_...: both sides change it, and hardly ever, so it is among what only is read. */
    _Atomic uint32_t recording;

    /* The reader moves these. */
    _Alignas(64) _Atomic uint64_t clock_us; /* since the recording began, every millisecond or so: the reader lives */
    _Atomic uint32_t freed_chunks;          /* futex: changes when a chunk became free */

    /* The program's, all of them. */
    _Alignas(64) _Atomic uint32_t state; /* ubi__wire_program_state */
    _Atomic uint32_t waiting;            /* threads that wait for freed_chunks */
    _Atomic uint32_t n_contexts;         /* ever made */
    _Atomic uint32_t chunks_seen;        /* no chunk from this number on was ever used */
    _Atomic int32_t chunks_in_use;       /* the reader subtracts */
    _Atomic uint64_t dropped;            /* events without a place: no memory, no chunk */
    _Atomic uint64_t dropped_reentrant;  /* events of signal handlers that interrupted the recorder */
    _Atomic uint64_t failed_walks;       /* stacks whose end cannot be explained */
    _Atomic uint64_t deep_binds;         /* RTLD_DEEPBIND removed from dlopen */
    _Atomic uint64_t namespaces;         /* calls of dlmopen for another than the program's */
    _Atomic uint64_t dropped_markers;    /* those among the first two that were markers */
    _Atomic uint64_t waits;              /* times that an event waited for the reader */
    _Atomic uint32_t scripts;            /* ubi__wire_scripts */
    _Atomic uint32_t
        lost_children[UBI__UNRECORDED_COUNT]; /* forked ones that should have connected, and could not: why */

    _Alignas(64) _Atomic uint64_t stamp; /* the last that was given; 0: none */

    /* The program asks for results: of what was recorded when all up to now was read. */
    _Alignas(64) _Atomic uint32_t results;           /* futex: ubi__wire_results */
    char results_path[UBI__WIRE_RESULTS_PATH_BYTES]; /* where to; with NUL */

    _Alignas(64) ubi__wire_started started[UBI__WIRE_STARTED]; /* the first ones */

    _Alignas(64) ubi__wire_answer answer; /* of the allocator */
} ubi__wire_header;

typedef enum ubi__wire_chunk_state {
    UBI__CHUNK_FREE = 0, /* any context's */
    UBI__CHUNK_OPEN = 1, /* a context's, which appends */
    UBI__CHUNK_FULL = 2, /* the reader's, which frees it */
} ubi__wire_chunk_state;

typedef struct ubi__wire_chunk {
    _Alignas(64) _Atomic uint32_t state;
    uint32_t context; /* below UBI__WIRE_CONTEXTS */
    _Atomic uint64_t
        sequence; /* of the context's chunks: 1, 2, 3, ...; 0: not said yet. Last of all when it is opened */
    _Atomic uint32_t committed;
} ubi__wire_chunk;

/** At the start of every chunk. */
typedef struct ubi__wire_preface {
    uint64_t stamp;      /* the context's last */
    uint64_t clock_us;   /* the context's last */
    uint32_t epoch;      /* changes when traces and modules restart */
    uint32_t next_trace; /* number of the next trace record */
    uint32_t tid;        /* the system's, of the thread that writes */
    uint32_t zero;
} ubi__wire_preface;

#define UBI__WIRE_DESCRIPTORS_AT 4096u
#define UBI__WIRE_CHUNKS_AT (UBI__WIRE_DESCRIPTORS_AT + UBI__WIRE_CHUNKS * (uint32_t)sizeof(ubi__wire_chunk))

/** From the header to the last chunk. */
static inline size_t ubi__wire_area_bytes(uint32_t n_chunks) {
    return UBI__WIRE_CHUNKS_AT + (size_t)n_chunks * UBI__WIRE_CHUNK_BYTES;
}

_Static_assert(sizeof(ubi__wire_header) <= UBI__WIRE_DESCRIPTORS_AT, "the header has a page");
_Static_assert(sizeof(ubi__wire_chunk) == 64, "a line each");
_Static_assert(UBI__WIRE_CHUNKS_AT % 4096 == 0, "chunks are pages");
_Static_assert(UBI__WIRE_CHUNKS % UBI__WIRE_SEGMENT_CHUNKS == 0 &&
                   UBI__WIRE_FIRST_SAMPLING % UBI__WIRE_SEGMENT_CHUNKS == 0 &&
                   UBI__WIRE_FIRST_EXACT % UBI__WIRE_SEGMENT_CHUNKS == 0,
               "whole segments");
_Static_assert(UBI__WIRE_QUOTA_EXACT + UBI__WIRE_CONTEXTS <= UBI__WIRE_CHUNKS,
               "who waits for a chunk waits for the reader alone");
_Static_assert(sizeof(ubi__wire_hello) == 24 && sizeof(ubi__wire_welcome) == 16 && sizeof(ubi__wire_preface) == 32,
               "the same for any compiler on both sides");
_Static_assert(sizeof(ubi__wire_started) == 64, "a line each");
_Static_assert(offsetof(ubi__wire_header, clock_us) % 64 == 0 && offsetof(ubi__wire_header, state) % 64 == 0 &&
                   offsetof(ubi__wire_header, stamp) % 64 == 0 && offsetof(ubi__wire_header, started) % 64 == 0 &&
                   offsetof(ubi__wire_header, results) % 64 == 0 && offsetof(ubi__wire_header, answer) % 64 == 0,
               "what different sides write is in different lines");

static inline ubi__wire_chunk *ubi__wire_chunk_at(ubi__wire_header *area, uint32_t i) {
    return (ubi__wire_chunk *)((char *)area + UBI__WIRE_DESCRIPTORS_AT) + i;
}

/** Where all of the area is mapped, as it is by the reader. */
static inline uint8_t *ubi__wire_chunk_data(ubi__wire_header *area, uint32_t i) {
    return (uint8_t *)area + UBI__WIRE_CHUNKS_AT + (size_t)i * UBI__WIRE_CHUNK_BYTES;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

typedef enum ubi__alloc_kind {
    UBI__ALLOC_MALLOC,
    UBI__ALLOC_CALLOC,
    UBI__ALLOC_REALLOC,
    UBI__ALLOC_REALLOCARRAY,
    UBI__ALLOC_POSIX_MEMALIGN,
    UBI__ALLOC_ALIGNED_ALLOC,
    UBI__ALLOC_MEMALIGN,
    UBI__ALLOC_VALLOC,
    UBI__ALLOC_PVALLOC,
    UBI__ALLOC_NEW,
    UBI__ALLOC_NEW_ARRAY,
    UBI__ALLOC_SCRIPT,         /* a block of a script engine, by malloc or calloc */
    UBI__ALLOC_SCRIPT_REALLOC, /* by realloc or reallocarray */
    UBI__ALLOC_MMAP,           /* from here on: mappings, not heap */
    UBI__ALLOC_MREMAP,
    UBI__ALLOC_BRK,
    UBI__ALLOC_KINDS
} ubi__alloc_kind;

/** Whether it is a block of a script engine. */
static inline bool ubi__alloc_is_script(unsigned kind) {
    return kind == UBI__ALLOC_SCRIPT || kind == UBI__ALLOC_SCRIPT_REALLOC;
}

/** Whether it may be the second half of a free of kind realloc. */
static inline bool ubi__alloc_is_resized(unsigned kind) {
    return kind == UBI__ALLOC_REALLOC || kind == UBI__ALLOC_REALLOCARRAY || kind == UBI__ALLOC_SCRIPT_REALLOC;
}

typedef enum ubi__free_kind {
    UBI__FREE_FREE,
    UBI__FREE_REALLOC, /* undecided until the context's next allocation of kind realloc(array), undo, or done */
    UBI__FREE_DELETE,
    UBI__FREE_DELETE_ARRAY,
    UBI__FREE_SIZED, /* free_sized, free_aligned_sized; from here on the caller says the size */
    UBI__FREE_DELETE_SIZED,
    UBI__FREE_DELETE_ARRAY_SIZED,
    UBI__FREE_MUNMAP, /* from here on: any range, which may hold mappings that were recorded, parts of them, or none */
    UBI__FREE_MREMAP, /* the context's next allocation of kind mremap counts if there was something in the range */
    UBI__FREE_BRK,
    UBI__FREE_KINDS
} ubi__free_kind;

typedef enum ubi__trace_kind {
    UBI__TRACE_FRAME,
    UBI__TRACE_TRUNCATED, /* of the root: there were more frames, outwards */
    UBI__TRACE_FAILED,    /* of the root: the caller of the function at this pc is unknown */
    UBI__TRACE_SCRIPT,    /* a frame of a script */
    UBI__TRACE_KINDS
} ubi__trace_kind;

typedef enum ubi__wire_control {
    UBI__CONTROL_TIME,           /* varint: us since the context's last */
    UBI__CONTROL_THREAD,         /* varint: tid; what follows is done by it */
    UBI__CONTROL_MODULE,         /* varints: low, high - low, bias, path bytes, build-id bytes; path, build-id */
    UBI__CONTROL_REALLOC_UNDONE, /* the context's last free of kind realloc did not happen */
    UBI__CONTROL_REALLOC_FREED,  /* it did, and there is no new block */
    UBI__CONTROL_MARKER,         /* an event, see above */
    UBI__CONTROL_FUNCTION,       /* of scripts; varints: its number, bytes of its name, bytes of its file's; these */
    UBI__CONTROL_RECORDING,      /* an event, see above */
    UBI__CONTROL_CLASS, /* of script blocks from here on; varints: its number, bytes of its name; the name, or none if said before */
    UBI__CONTROLS
} ubi__wire_control;

/** What is done about recording; a record of the file has the same numbers. */
typedef enum ubi__wire_action {
    UBI__ACTION_STOP = 0,
    UBI__ACTION_START = 1,
    UBI__ACTION_RESET = 2,
    UBI__ACTIONS
} ubi__wire_action;

enum {
    UBI__OP_CONTROL = 0,
    UBI__OP_TRACE = 1,
    UBI__OP_ALLOC = 2,
    UBI__OP_FREE = 3,
    UBI__OP_MASK = 3,
    UBI__OP_GAP = 4,
    UBI__OP_BY_16 = 8,
    UBI__OP_KIND_SHIFT = 4,
    UBI__OP_SHORT_ALLOC = 5, /* with UBI__OP_SHORT_MASK */
    UBI__OP_SHORT_FREE = 9,
    UBI__OP_SHORT_MASK = 15
};

_Static_assert((int)UBI__ALLOC_KINDS <= 16 && (int)UBI__FREE_KINDS <= 16 && (int)UBI__TRACE_KINDS <= 16 &&
                   (int)UBI__CONTROLS <= 16,
               "kinds fit above UBI__OP_KIND_SHIFT in a byte");

/** Flags of a marker. */
enum {
    UBI__MARKER_TYPE_MASK = 3, /* 0 start, 1 end, 2 timestamp, 3 helper event */
    UBI__MARKER_OFF_MAIN_THREAD = 4,
    UBI__MARKER_STACK = 8, /* it has one */
    UBI__MARKER_FLAGS = 15 /* all that there are */
};
_Static_assert((UBI__MARKER_TYPE_MASK | UBI__MARKER_OFF_MAIN_THREAD | UBI__MARKER_STACK) == UBI__MARKER_FLAGS,
               "all flags");

/** What the value of a marker's detail is. */
typedef enum ubi__wire_detail {
    UBI__DETAIL_TEXT,   /* varint: bytes; these */
    UBI__DETAIL_NUMBER, /* a double, 8 bytes, little end first */
    UBI__DETAIL_BOOL,   /* varint: 0 or 1 */
    UBI__DETAILS
} ubi__wire_detail;

/** Longer ones are cut. */
#define UBI__WIRE_MARKER_NAME_BYTES 1024u
/** What does not fit is left out, whole details at a time. */
#define UBI__WIRE_MARKER_DETAILS_BYTES 8192u
#define UBI__WIRE_MARKER_BYTES                                                                                         \
    (2 * UBI__WIRE_RECORD_BYTES + UBI__WIRE_MARKER_NAME_BYTES + UBI__WIRE_MARKER_DETAILS_BYTES)

/** Of the name of a script's function; a file's is a path. Longer ones are cut. */
#define UBI__WIRE_FUNCTION_BYTES 1024u
/** Numbers of classes of script blocks are below; 0 and 1 are no class. */
#define UBI__WIRE_CLASSES 240u
/** Of a class's name. Longer ones are cut. */
#define UBI__WIRE_CLASS_BYTES 62u
#define UBI__WIRE_SCRIPT_BYTES (UBI__WIRE_RECORD_BYTES + UBI__WIRE_FUNCTION_BYTES + UBI__WIRE_PATH_BYTES)

/** No record but modules, markers and functions of scripts is longer. */
#define UBI__WIRE_RECORD_BYTES 64u
#define UBI__WIRE_PATH_BYTES 4096u
#define UBI__WIRE_BUILD_ID_BYTES 64u
#define UBI__WIRE_MODULE_BYTES (UBI__WIRE_RECORD_BYTES + UBI__WIRE_PATH_BYTES + UBI__WIRE_BUILD_ID_BYTES)
_Static_assert(1 + 6 * 10 <= UBI__WIRE_RECORD_BYTES, "an operation and six numbers are a record");
_Static_assert(sizeof(ubi__wire_preface) + UBI__WIRE_MODULE_BYTES <= UBI__WIRE_CHUNK_BYTES &&
                   sizeof(ubi__wire_preface) + UBI__WIRE_MARKER_BYTES <= UBI__WIRE_CHUNK_BYTES &&
                   sizeof(ubi__wire_preface) + UBI__WIRE_SCRIPT_BYTES <= UBI__WIRE_CHUNK_BYTES,
               "any record has room in an empty chunk");

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static inline uint64_t ubi__wire_zigzag(uint64_t difference) {
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t ubi__wire_unzigzag(uint64_t coded) {
    return coded >> 1 ^ (0 - (coded & 1));
}

/** At most 10 bytes. @return their end. */
static inline uint8_t *ubi__wire_put(uint8_t *out, uint64_t number) {
    while (number >= 0x80) {
        *out++ = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    *out++ = (uint8_t)number;
    return out;
}

/**
 * The first word of a short event, byte of operation and all: address << 16 | gap << 8 | operation, where a gap of 0 says that the stamp
 * is the context's last + 1. An allocation's second word: trace << 32 | size. Both sides run on one machine, so in its order of bytes.
 */
#define UBI__WIRE_SHORT_GAP_SHIFT 8
#define UBI__WIRE_SHORT_ADDRESS_SHIFT 16
#define UBI__WIRE_SHORT_FREE_BYTES 8u
#define UBI__WIRE_SHORT_ALLOC_BYTES 16u

/** Whether an event fits. */
static inline bool ubi__wire_is_short(uint64_t address, uint64_t gap, uint64_t size_bytes) {
    return (address >> (64 - UBI__WIRE_SHORT_ADDRESS_SHIFT) | gap >> 8 | size_bytes >> 32) == 0;
}

static inline uint64_t ubi__wire_short(unsigned operation, uint64_t address, uint64_t gap) {
    return address << UBI__WIRE_SHORT_ADDRESS_SHIFT | gap << UBI__WIRE_SHORT_GAP_SHIFT | operation;
}

static inline uint8_t *ubi__wire_put_u64(uint8_t *out, uint64_t word) {
    memcpy(out, &word, sizeof word);
    return out + sizeof word;
}

/** Eight bytes of a number, of which `stops` has the high bit of the last and of some after it. */
static inline uint64_t ubi__wire_join(uint64_t bytes, uint64_t stops) {
    bytes &= (stops ^ (stops - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    bytes = (bytes & UINT64_C(0x007f007f007f007f)) | (bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
    bytes = (bytes & UINT64_C(0x00003fff00003fff)) | (bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (bytes & UINT64_C(0x000000000fffffff)) | (bytes & UINT64_C(0x0fffffff00000000)) >> 4;
}

/**
 * @param at  in and out: where to read, before `end`. @return false: the number is not there in whole, or is no
 * number.
 */
static inline bool ubi__wire_get(const uint8_t **at, const uint8_t *end, uint64_t *number) {
    const uint8_t *p = *at;
    uint64_t value = 0;
    if (p < end && *p < 0x80) { /* most are */
        *at = p + 1;
        *number = *p;
        return true;
    }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* Longer ones follow no pattern, so there is no branch for their lengths. */
    if ((size_t)(end - p) >= sizeof value) {
        memcpy(&value, p, sizeof value);
        uint64_t stops = ~value & UINT64_C(0x8080808080808080);
        if (stops) {
            *at = p + __builtin_ctzll(stops) / 8 + 1;
            *number = ubi__wire_join(value, stops);
            return true;
        }
        value = 0;
    }
#endif
    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        uint8_t byte = *p++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *at = p;
            *number = value;
            return true;
        }
    }
    return false;
}

#endif
