/* SPDX-License-Identifier: MIT
 *
 * script_source.h: how an interpreter shows the recorder of `ubiheap record` which scripts run on a thread.
 *
 * The recorder is a library in the same process (src/interpose). At an allocation it asks the sources of the thread for frames, and puts
 * them into the native stack where the interpreter's own would stand. An owner of a runtime, such as the QuickJS adapter, makes a
 * source, looks for the recorder, and joins:
 *
 *     ubi__script_join_fn join;
 *     UBI__RECORDER_FIND(join, ubi_recorder_join_scripts);
 *     thread = join ? join(&source) : NULL;
 *     ... around what it allocates for scripts:  *ubi_recorder_script_blocks() = 1, or what it is of, and what it was
 *     ... at each entry from outside:  atomic_store_explicit(thread, ubi__script_thread(), memory_order_relaxed);
 *     ubi_recorder_leave_scripts(&source), found in the same way
 *
 * Another layout gets another version. A leaf: the C library alone.
 */
#ifndef UBI_BASE_SCRIPT_SOURCE_H
#define UBI_BASE_SCRIPT_SOURCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UBI__SCRIPT_SOURCE_VERSION 1

/** A frame of a script. */
typedef struct ubi__script_frame {
    /** What the function is known by among all that live: an address, and something that differs when another one is there later. */
    uint64_t function, version;
    /** Where on the native stack this activation keeps something; 0: elsewhere. */
    uintptr_t stack_address;
    /** A coroutine: where the function that resumed it, by calling the interpreter, keeps something; 0: unknown. */
    uintptr_t resumer_address;
    const void *frame;     /**< the engine's, for `name`; good during the call */
    uint64_t memory[2];    /**< the source's own, for the next call */
    uint32_t line, column; /**< from 1; 0: unknown */
    uint32_t number;       /**< the recorder's own; 0 in what is new */
    bool is_inlined;       /**< it has no native frame of its own: it shares that of the one further out */
} ubi__script_frame;

typedef struct ubi__script_source {
    uint32_t version;
    uintptr_t interpreter; /**< the function that runs scripts; 0: unknown */
    /**
     * What runs on this thread, innermost first. @param max  0: only whether anything does.
     * @param before  before[n_before): what it wrote the last time on this thread, when that is of use: nothing was forgotten since.
     * May run in the middle of anything but the interpreter's own steps: it allocates nothing, and takes no lock.
     * @return how many it wrote; for max 0, not 0 when a script runs.
     */
    size_t (*frames)(const struct ubi__script_source *source, ubi__script_frame *frames, size_t max,
                     const ubi__script_frame *before, size_t n_before);
    /**
     * The function's name, and right after it the file's, of a frame that `frames` has just given. The same rules.
     * @param function_bytes  out: how many are the function's. @return how many bytes of text[room) it wrote.
     */
    size_t (*name)(const struct ubi__script_source *source, const ubi__script_frame *frame, char *text, size_t room,
                   size_t *function_bytes);
    void *payload;
} ubi__script_source;

/** @return where the source's owner keeps its thread, until it leaves; NULL: the recorder does not take it. */
typedef _Atomic uintptr_t *(*ubi__script_join_fn)(const ubi__script_source *source);
typedef void (*ubi__script_leave_fn)(const ubi__script_source *source);

/**
 * A byte of the thread that calls: while it is not 0, blocks that it allocates with malloc and related functions are those of a script engine,
 * a kind of their own. The same until the thread ends.
 */
typedef unsigned char *(*ubi__script_blocks_fn)(void);

/**
 * What that byte is for blocks of a class, which are a kind of their own then: from 2 on, the same for the same name until the process ends;
 * 1: there is no room for more. @param name  UTF-8, of which the first 62 bytes count. May be called where memory is allocated.
 */
typedef unsigned char (*ubi__script_class_fn)(const char *name, size_t name_bytes);

/** The thread that calls; it is the same in a child after fork. */
static inline uintptr_t ubi__script_thread(void) {
    return (uintptr_t)pthread_self();
}

/** The recorder's function of that name, or NULL, for which there is a weak declaration. Where code has a fixed place, a linker
 *  settles a weak name at once; asking the table of addresses leaves it to the loader. */
#if defined(__x86_64__) && !defined(__ILP32__) && !defined(__PIC__)
#define UBI__RECORDER_FIND(out, name) __asm__("movq %c1@GOTPCREL(%%rip), %0" : "=r"(out) : "i"(&name))
#else
#define UBI__RECORDER_FIND(out, name) ((out) = name)
#endif

#endif
