/* SPDX-License-Identifier: MIT
 *
 * v8_calls.h: the functions of V8 and Node.js that a snapshot takes, found by name in the running program.
 *
 * Node.js exports the C++ interface of V8 for its addons. Those below have had the same names and parameters from Node.js 18 to 24;
 * where one is missing, nothing is watched. An object of C++ that V8 calls is a pointer to a table of functions (Itanium ABI).
 */
#ifndef UBI_NODEWATCH_V8_CALLS_H
#define UBI_NODEWATCH_V8_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ubi__v8_isolate ubi__v8_isolate;
typedef struct ubi__v8_snapshot ubi__v8_snapshot;

typedef void ubi__v8_interrupt(ubi__v8_isolate *isolate, void *payload);
/* @return the new limit; not more than the current one: V8 ends the program. */
typedef size_t ubi__v8_near_limit(void *payload, size_t current_bytes, size_t initial_bytes);
typedef void ubi__v8_after_gc(ubi__v8_isolate *isolate, int type, int flags, void *payload);

/** Numbers of v8::HeapStatistics, in its order; newer versions have more. */
enum { UBI__V8_USED_BYTES = 4, UBI__V8_LIMIT_BYTES = 5, UBI__V8_STATISTICS = 64 };

typedef struct ubi__v8_calls {
    ubi__v8_isolate *(*isolate_current)(void);
    void (*interrupt)(ubi__v8_isolate *, ubi__v8_interrupt *, void *payload);
    void (*near_limit_add)(ubi__v8_isolate *, ubi__v8_near_limit *, void *payload);
    void (*near_limit_remove)(ubi__v8_isolate *, ubi__v8_near_limit *, size_t limit_bytes);
    void (*after_gc_add)(ubi__v8_isolate *, ubi__v8_after_gc *, void *payload, int types);
    void (*after_gc_remove)(ubi__v8_isolate *, ubi__v8_after_gc *, void *payload);
    void (*statistics)(ubi__v8_isolate *, size_t out[UBI__V8_STATISTICS]);
    void (*collect)(ubi__v8_isolate *);
    void *(*profiler)(ubi__v8_isolate *);
    /* @param control  an object with ubi__v8_control as its table; it can end the work, and then the result is NULL. */
    ubi__v8_snapshot *(*snapshot_take)(void *profiler, void *control, void *resolver, bool hides_internals,
                                       bool numbers);
    int (*snapshot_nodes)(ubi__v8_snapshot *);
    void (*snapshot_write)(ubi__v8_snapshot *, void *stream, int format);
    void (*snapshot_free)(ubi__v8_snapshot *);
    int (*cleanup_add)(void *environment, void (*cleanup)(void *payload), void *payload);
} ubi__v8_calls;

typedef struct ubi__v8_control {
    void (*destroy[2])(void *self);
    int (*progress)(void *self, uint32_t done, uint32_t total); /* 1: end the work */
} ubi__v8_control;

typedef struct ubi__v8_stream {
    void (*destroy[2])(void *self);
    void (*end)(void *self);
    int (*chunk_bytes)(void *self);
    int (*write)(void *self, char *data, int n_bytes); /* 1: write no more */
    int (*write_statistics)(void *self, void *data, int n);
} ubi__v8_stream;

/** Kinds of collections: scavenges and full ones. */
enum { UBI__V8_ALL_GCS = 31 };

/** @return NULL, or the name of the first function that is not there. */
const char *ubi__v8_calls_find(ubi__v8_calls *out);

#endif
