/* SPDX-License-Identifier: MIT
 *
 * ubirec_layout.h: numbers and facts of recording files (.ubirec) that writer and readers share.
 *
 * A file is a header and blocks; a block is a header and records, deflated or not. docs/formats/ubirec.md is the whole story.
 * A leaf: constants and plain structures.
 */
#ifndef UBI_RECORDING_UBIREC_LAYOUT_H
#define UBI_RECORDING_UBIREC_LAYOUT_H

#include <assert.h>

#include <ubiheap/core/base.h>

#define UBI__UBIREC_VERSION 1

/* ---- file and blocks ---------------------------------------------------------------------------------------------- */

/* The high bit and the line end show transfers that damage binary files. */
#define UBI__UBIREC_MAGIC "\x89UBIREC\n"
#define UBI__UBIREC_MAGIC_BYTES 8
#define UBI__UBIREC_HEADER_BYTES 16 /* magic, version, 4 bytes of 0 */

#define UBI__UBIREC_BLOCK_HEADER_BYTES 16 /* type, flags, 2 bytes of 0, stored size, raw size, CRC-32 */
#define UBI__UBIREC_BLOCK_CRC_AT 12       /* where the CRC-32 is, which covers what is before and the payload */
#define UBI__UBIREC_BLOCK_RAW_MAX ((size_t)256 << 10)
static_assert(sizeof UBI__UBIREC_MAGIC - 1 == UBI__UBIREC_MAGIC_BYTES &&
                  UBI__UBIREC_MAGIC_BYTES + 8 == UBI__UBIREC_HEADER_BYTES,
              "the header is magic, version and 4 bytes of 0");
static_assert(UBI__UBIREC_BLOCK_CRC_AT + 4 == UBI__UBIREC_BLOCK_HEADER_BYTES, "the CRC-32 ends the header of a block");

enum {
    UBI__UBIREC_BLOCK_RECORDS = 1,
    UBI__UBIREC_BLOCK_OPTIONAL = 128, /* types from here on may be skipped by who does not know them */
    UBI__UBIREC_BLOCK_INDEX = 128,    /* the last one of a file that has an end (ubirec_index.h) */
};
#define UBI__UBIREC_BLOCK_DEFLATED 1u /* flag: the payload is a gzip member */

/* ---- records ------------------------------------------------------------------------------------------------------ */

/**
 * The low two bits of a record's first number; the rest is its argument. After OTHER, whose argument is one of
 * ubi__ubirec_type, there is the length of the payload and the payload.
 */
enum {
    UBI__UBIREC_OP_ALLOC, /* number of the info */
    UBI__UBIREC_OP_FREE,  /* how many allocations ago it was made; 0: the last one */
    UBI__UBIREC_OP_TRACE, /* how many traces ago its caller was made, from 1; the frame follows */
    UBI__UBIREC_OP_OTHER,
    UBI__UBIREC_OP_BITS = 2
};

/** Types of records as the file numbers them, and the three above as readers do. */
typedef enum ubi__ubirec_type {
    UBI__UBIREC_ABOUT = 1,
    UBI__UBIREC_STRING,
    UBI__UBIREC_MODULE,
    UBI__UBIREC_NATIVE_FRAME,
    UBI__UBIREC_RAW_FRAME,
    UBI__UBIREC_SCRIPT_FRAME,
    UBI__UBIREC_LABEL_FRAME,
    UBI__UBIREC_KIND,
    UBI__UBIREC_INFO,
    UBI__UBIREC_THREAD,
    UBI__UBIREC_THREAD_NAME,
    UBI__UBIREC_TIME,
    UBI__UBIREC_SWITCH,
    UBI__UBIREC_FREE_UNDONE,
    UBI__UBIREC_RSS,
    UBI__UBIREC_COUNTED,
    UBI__UBIREC_PERIOD,
    UBI__UBIREC_MARKER,
    UBI__UBIREC_SYMBOLS,
    UBI__UBIREC_END,
    UBI__UBIREC_STARTED,
    UBI__UBIREC_COMPANION,
    UBI__UBIREC_LEFT,
    UBI__UBIREC_ACTION,
    UBI__UBIREC_USE,
    UBI__UBIREC_TYPE_COUNT,
    UBI__UBIREC_ALLOC = 100,
    UBI__UBIREC_FREE,
    UBI__UBIREC_TRACE,
} ubi__ubirec_type;

#define UBI__UBIREC_PAYLOAD_MAX ((size_t)200 << 10)
#define UBI__UBIREC_PERIOD_MAX ((uint64_t)1 << 48)
/** Of sizes and weights; more than any machine can address. */
#define UBI__UBIREC_SIZE_MAX ((uint64_t)1 << 56)
#define UBI__UBIREC_TEXT_MAX ((size_t)64 << 10)      /* longer ones are cut */
#define UBI__UBIREC_SHORT_TEXT_MAX ((size_t)1 << 10) /* of `writer` and `system` */
#define UBI__UBIREC_SYMBOLS_MAX 256u                 /* of a frame; the innermost ones are left out of longer chains */
#define UBI__UBIREC_BUILD_ID_MAX 64u
#define UBI__UBIREC_NO_TRACE 0u
static_assert(UBI__UBIREC_OP_OTHER < 1 << UBI__UBIREC_OP_BITS, "operations fit into their bits");
static_assert((int)UBI__UBIREC_TYPE_COUNT <= (int)UBI__UBIREC_ALLOC, "types of the file are below those of readers");
static_assert(UBI__UBIREC_PAYLOAD_MAX + 20 <= UBI__UBIREC_BLOCK_RAW_MAX, "the largest record has room in a block");
static_assert(7 * 10 + 2 * (3 + UBI__UBIREC_TEXT_MAX) + 2 * (2 + UBI__UBIREC_SHORT_TEXT_MAX) <=
                      UBI__UBIREC_PAYLOAD_MAX &&
                  (2 + 4 * UBI__UBIREC_SYMBOLS_MAX) * 10 <= UBI__UBIREC_PAYLOAD_MAX,
              "the longest records, about the whole and of symbols, have room in a payload");

/** What a kind of allocation is of. They are never added up with each other. */
typedef enum ubi__ubirec_class {
    UBI__UBIREC_HEAP,    /* malloc and related functions */
    UBI__UBIREC_MAPPING, /* mmap */
    UBI__UBIREC_OBJECT,  /* objects of a script engine, which lie in memory of the others */
    UBI__UBIREC_CLASS_COUNT
} ubi__ubirec_class;

/** The kind of blocks that a script engine asks for; with a space and a word after it, those of a class: "JavaScript Array". */
#define UBI__UBIREC_SCRIPT_KIND "JavaScript"

typedef enum ubi__ubirec_counter {
    UBI__UBIREC_DROPPED,          /* events lost because there was no room for them */
    UBI__UBIREC_REENTRANT,        /* events not recorded because they came from inside the recorder (signal handlers) */
    UBI__UBIREC_UNKNOWN_FREES,    /* frees of what was not seen to be allocated; exact recordings only */
    UBI__UBIREC_UNWIND_FAILURES,  /* stacks that end before the outermost frame */
    UBI__UBIREC_TRUNCATED_STACKS, /* allocations whose stack is deeper than the limit */
    UBI__UBIREC_REUSED_ADDRESSES, /* allocations where something was thought to live; its free was not seen */
    UBI__UBIREC_DEEP_BINDS,       /* RTLD_DEEPBIND removed from dlopen, so that allocations of the library are seen */
    UBI__UBIREC_NAMESPACES,       /* dlmopen into another namespace, of which nothing is seen */
    UBI__UBIREC_LOST_MARKERS,     /* markers among the first two; the others are allocations and frees */
    UBI__UBIREC_NOT_RECORDED, /* processes that were to be recorded and could not be; UBI__UBIREC_STARTED says which */
    UBI__UBIREC_UNFINISHED,   /* calls that were under way when the recording ended, and of which nothing is known */
    UBI__UBIREC_INHERITED_FREES, /* frees, in a child of fork, of what its parent had allocated; exact recordings only */
    UBI__UBIREC_COMPANIONS,      /* files of other processes that this one names */
    UBI__UBIREC_WITHOUT_FREES,   /* 1: frees were not recorded, so that what is alive is unknown; or: */
    UBI__UBIREC_ATTACHED,        /* 1: the process ran when recording began: what it had allocated before is unknown */
    UBI__UBIREC_PAUSED_MS, /* milliseconds of the recording in which allocations were not recorded, as was wanted */
    UBI__UBIREC_COUNTER_COUNT
} ubi__ubirec_counter;

/** The value of UBI__UBIREC_WITHOUT_FREES when allocations are those alone that were alive at the end, in a sample without limits. */
#define UBI__UBIREC_ALIVE_ALONE 2

/** What a part of the resident memory is used for. Rows of one table follow each other; a new one replaces it. */
typedef struct ubi__ubirec_use_row {
    uint32_t table;      /* its number, from 1 on */
    uint32_t kind;       /* a ubi__residence_kind; may be unknown here */
    ubi_str_ix name;     /* UBI_NONE: none */
    uint32_t is_divided; /* 1: memory was looked into */
    uint64_t time_ns;    /* of the look, since the process began */
    uint64_t resident_bytes, share_bytes, swapped_bytes;
} ubi__ubirec_use_row;

typedef struct ubi__ubirec_about {
    ubi_text program;   /* path of the executable */
    ubi_text arguments; /* the command line from argv[0] on, a NUL byte after each, as /proc/PID/cmdline has it */
    uint64_t pid;
    uint64_t parent_pid;         /* of a child that was followed; else 0 */
    uint64_t period_bytes;       /* of the sampler, 1 to 2^48; 1: exact */
    uint64_t start_unix_ns;      /* when the process began, since 1970; 0: unknown */
    uint64_t recording_start_ns; /* when recording began, since the process began */
    uint64_t page_bytes;         /* of memory */
    ubi_text writer;             /* name and version of the program that records */
    ubi_text system;             /* of the machine: system, release, architecture */
    uint64_t recording;          /* the same of all processes that were recorded together; 0: of this one alone */
} ubi__ubirec_about;

typedef struct ubi__ubirec_module_about {
    ubi_text path;           /* of the file; "" when it has none */
    const uint8_t *build_id; /* build_id[build_id_bytes] */
    size_t build_id_bytes;   /* at most UBI__UBIREC_BUILD_ID_MAX; 0: it has none */
    uint64_t bias;           /* address in memory less address in the file */
    uint64_t start, end;     /* addresses in memory, end is after the last */
} ubi__ubirec_module_about;

/** One function at an address. Texts empty and numbers 0 when unknown. */
typedef struct ubi__ubirec_symbol {
    ubi_text function; /* demangled */
    ubi_text file;
    uint32_t line, column;
} ubi__ubirec_symbol;

typedef enum ubi__ubirec_marker_type {
    UBI__UBIREC_MARKER_START,
    UBI__UBIREC_MARKER_END,
    UBI__UBIREC_MARKER_TIMESTAMP,
    UBI__UBIREC_MARKER_HELPER_EVENT,
    UBI__UBIREC_MARKER_TYPE_COUNT
} ubi__ubirec_marker_type;

/** Whether a marker counts: an END belongs to its START, and a helper to what it helps. */
static inline bool ubi__ubirec_marker_counts(ubi__ubirec_marker_type type) {
    return type == UBI__UBIREC_MARKER_START || type == UBI__UBIREC_MARKER_TIMESTAMP;
}

/** A timeline marker. It has its own time: markers may be recorded later. */
typedef struct ubi__ubirec_marker {
    ubi_text name;
    uint64_t time_ns;
    ubi__ubirec_marker_type type;
    uint32_t process_type;
    bool is_off_main_thread;
    uint32_t thread;
    uint32_t trace;   /* UBI__UBIREC_NO_TRACE: no stack */
    ubi_text details; /* what else its kind has, a JSON object; "" for none, or when it was longer than a text may be */
} ubi__ubirec_marker;

/** What was done about the recording. */
typedef enum ubi__ubirec_action {
    UBI__UBIREC_ACTION_STOP,  /* allocations are not recorded from here on; frees of recorded ones are */
    UBI__UBIREC_ACTION_START, /* they are. Without one before it, the recording began paused */
    UBI__UBIREC_ACTION_RESET, /* results that are taken while it runs begin here */
    UBI__UBIREC_ACTION_COUNT
} ubi__ubirec_action;

typedef enum ubi__ubirec_end_reason {
    UBI__UBIREC_EXITED,   /* value: exit status */
    UBI__UBIREC_KILLED,   /* value: signal */
    UBI__UBIREC_STOPPED,  /* recording stopped before the process ended; value 0, or UBI__UBIREC_GAVE_UP */
    UBI__UBIREC_REPLACED, /* by exec; value 0 */
    UBI__UBIREC_ENDED,    /* it has ended, how is unknown; value 0 */
    UBI__UBIREC_END_REASON_COUNT
} ubi__ubirec_end_reason;

/** The value of _STOPPED when the program stopped by itself because it was not read: how much was lost is unknown. */
#define UBI__UBIREC_GAVE_UP 1

typedef struct ubi__ubirec_end {
    ubi__ubirec_end_reason reason;
    uint32_t value;
} ubi__ubirec_end;

#endif
