/* SPDX-License-Identifier: MIT
 *
 * preload_sink.h: whom a collector reports to, and what: modules, stacks, threads, and events in order.
 */
#ifndef UBI_RECORDING_PRELOAD_SINK_H
#define UBI_RECORDING_PRELOAD_SINK_H

#include "recording/preload_wire.h"

/** The module's number of an address that is in none. */
#define UBI__PRELOAD_NO_MODULE UINT32_MAX

typedef struct ubi__preload_module {
    ubi_text path; /* as the loader calls it; empty for the program itself, and of what has none */
    uint64_t low, high, bias;
    const uint8_t *build_id; /* build_id[build_id_bytes] */
    size_t build_id_bytes;
} ubi__preload_module;

/** A frame of a script. */
typedef struct ubi__preload_script {
    ubi_text function, file; /* empty: unknown */
    uint32_t line, column;   /* from 1; 0: unknown */
} ubi__preload_script;

typedef struct ubi__preload_alloc {
    uint64_t number;
    uint64_t address;    /* where, when it was allocated */
    uint64_t size_bytes; /* asked for */
    uint64_t
        met; /* how many samples fell into it; exact: 1. 0 of mappings, which are all recorded, for what they are */
    ubi__alloc_kind kind;
    uint32_t trace;        /* the sink's number; 0: none known */
    uint32_t thread;       /* the sink's number */
    uint32_t script_class; /* of a block of a script engine, the sink's number; 0: none known */
    uint64_t clock_us;
} ubi__preload_alloc;

typedef struct ubi__preload_free {
    uint64_t number; /* of an allocation that lives */
    ubi__free_kind kind;
    uint32_t thread;
    uint64_t clock_us;
    bool is_mismatched; /* malloc and delete, new and free, new[] and delete */
    bool is_size_wrong; /* a size was said with the free, and it is not the one that was asked for */
} ubi__preload_free;

/** A part of a mapping was unmapped. */
typedef struct ubi__preload_cut {
    uint64_t number;     /* of an allocation that lives */
    uint64_t size_bytes; /* what is left of it, in whole pages: more than none */
    ubi__alloc_kind kind;
    uint32_t trace;  /* of the allocation */
    uint32_t thread; /* that cut it */
    uint64_t clock_us;
} ubi__preload_cut;

typedef struct ubi__preload_marker {
    unsigned flags;    /* UBI__MARKER_... */
    uint64_t time_ns;  /* of CLOCK_MONOTONIC, as the program saw it */
    uint32_t trace;    /* the sink's number; 0: no stack */
    uint32_t thread;   /* the sink's number */
    uint64_t clock_us; /* as of other events, which are reported in order */
    ubi_text name;
    const uint8_t *details; /* details[details_bytes], for ubi__preload_detail_next */
    size_t details_bytes;
} ubi__preload_marker;

/** The program has started, stopped or reset what is recorded of it. */
typedef struct ubi__preload_action {
    ubi__wire_action action;
    uint64_t clock_us; /* as of other events, which are reported in order */
} ubi__preload_action;

/** One thing that is said with a marker. */
typedef struct ubi__preload_detail {
    ubi_text name;
    ubi__wire_detail type;
    union {
        ubi_text text;
        double number;
        bool is_true;
    };
} ubi__preload_detail;

/** @param at  in and out: from a marker's `details` on, before `end`. @return false: there is none (more), or it is broken. */
bool ubi__preload_detail_next(const uint8_t **at, const uint8_t *end, ubi__preload_detail *out);

/**
 * Whom a collector reports to. A failure ends the collector: poll and finish return it. Pointers are good during the call.
 */
typedef struct ubi__preload_sink {
    void *payload;
    /** A loaded file; the same may come again. *out: its number, as it is passed to `trace`. */
    ubi_status (*module)(void *payload, uint32_t *out, const ubi__preload_module *module);
    /**
     * A stack: frame `address` (a return address, unrelocated: subtract the module's bias), called by the stack
     * `caller`, the answer to an earlier call, or 0: no caller. The same may come again. *out: its number, not
     * 0. kind TRUNCATED: the root of stacks that are cut off (no module, no address); FAILED: of those that end at
     * `address`, whose caller is unknown.
     */
    ubi_status (*trace)(void *payload, uint32_t *out, ubi__trace_kind kind, uint32_t caller, uint32_t module,
                        uint64_t address);
    /** The same of a frame of a script. NULL: stacks are without them. */
    ubi_status (*script)(void *payload, uint32_t *out, uint32_t caller, const ubi__preload_script *frame);
    /**
     * A class of blocks of a script engine; the same may come again. *out: its number, below UBI__WIRE_CLASSES; 0: it is not distinguished.
     * NULL: none is.
     */
    ubi_status (*script_class)(void *payload, uint32_t *out, ubi_text name);
    /** A thread, once for each number of the system's. *out: its number. */
    ubi_status (*thread)(void *payload, uint32_t *out, uint64_t tid);
    /** An allocation will be reported soon, so that what is known about such ones can be fetched. NULL: it is not said. */
    void (*expect)(void *payload, ubi__alloc_kind kind, uint32_t script_class, uint64_t size_bytes, uint32_t trace);
    ubi_status (*alloc)(void *payload, const ubi__preload_alloc *event);
    ubi_status (*free)(void *payload, const ubi__preload_free *event);
    ubi_status (*cut)(void *payload, const ubi__preload_cut *event);
    /** NULL: markers are passed over. */
    ubi_status (*marker)(void *payload, const ubi__preload_marker *event);
    /** NULL: passed over. */
    ubi_status (*action)(void *payload, const ubi__preload_action *event);
} ubi__preload_sink;

#endif
