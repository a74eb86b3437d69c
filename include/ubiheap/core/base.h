/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/base.h: what every other header needs.
 *
 * Status codes and the message that explains them, index types, borrowed text, the allocator interface, and
 * progress/cancel callbacks.
 *
 * Conventions of the whole API
 *   - A function that can fail returns `ubi_status`: UBI_OK (0) or a negative code. Output parameters come first and are
 *     untouched on failure unless the function says otherwise.
 *   - Every pointer is one of: owned (free it with the type's own `_free` or `_unref`), borrowed until its parent goes, or
 *     copied. The docstring says which.
 *   - Option structs start with a `version` field and have an initializer: `ubi_x_options o = UBI_X_OPTIONS_INIT;`.
 *     A NULL options pointer means the defaults. Versions 1 to the library's own are accepted: a program that was built
 *     with an older header keeps working with a newer library.
 *   - Result structs that may grow start with `struct_bytes` and have an initializer, too: the library fills as much as the
 *     caller's struct has room for. Rows and other values never grow. The whole policy: docs/reference/abi.md.
 *   - An object belongs to one thread at a time unless its header says that it is immutable.
 *   - Text is UTF-8 that may hold lone surrogates (WTF-8), is not NUL-terminated, and is never owned by the receiver.
 */
#ifndef UBIHEAP_BASE_H
#define UBIHEAP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define UBI_API __attribute__((visibility("default")))
#define UBI_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#else
#define UBI_API
#define UBI_PRINTF(fmt_index, first_arg)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define UBI_VERSION_MAJOR 0
#define UBI_VERSION_MINOR 1
#define UBI_VERSION_PATCH 0
#define UBI_VERSION_STRING "0.1.0"

/** Version of the library that is running, as UBI_VERSION_STRING of its build. Static. */
UBI_API const char *ubi_version(void);

/* ---- status ---------------------------------------------------------------------------------------------------- */

typedef enum ubi_status {
    UBI_OK = 0,
    UBI_ENOMEM = -1,     /**< the allocator refused */
    UBI_EIO = -2,        /**< the operating system refused (open, read, write); errno is in the message */
    UBI_EFORMAT = -3,    /**< the input breaks the rules of its format */
    UBI_EINVAL = -4,     /**< an argument or option is wrong; nothing was done */
    UBI_ENOTFOUND = -5,  /**< no such node, leaf, file entry */
    UBI_ECANCELLED = -6, /**< the progress callback asked to stop */
    UBI_ELIMIT = -7,     /**< a named limit of this library was reached */
    UBI_EMISMATCH = -8,  /**< two objects that do not belong together */
    UBI_EBUSY = -9,      /**< another tool holds what is needed */
    UBI_ESTATE = -10     /**< not possible in the present state, such as during a collection; nothing was done */
} ubi_status;

/**
 * The message of the last failed call on this thread: one line, no trailing newline, "" when nothing failed yet.
 * For bad input it names what is wrong, where (message number, byte offset) and what was expected.
 *
 * Borrowed until the next failing call on the same thread. Reporting an error never allocates.
 */
UBI_API const char *ubi_error_message(void);

/** Short constant name of a status, such as "bad input". Never NULL. */
UBI_API const char *ubi_status_name(ubi_status status);

/**
 * For those who implement an interface of this library (a heap, a target): sets this thread's message and returns
 * `status`, so that `return ubi_error(UBI_ESTATE, "...")` reads well. One line, no newline; cut at 511 bytes.
 */
UBI_API ubi_status ubi_error(ubi_status status, const char *format, ...) UBI_PRINTF(2, 3);

/* ---- index types ------------------------------------------------------------------------------------------------ */

typedef uint32_t ubi_node_ix;  /**< a node: dense, in file or walk order; at most 2^32-2 nodes */
typedef uint64_t ubi_edge_ix;  /**< an edge: grouped by source node; at most 2^40 by design */
typedef uint32_t ubi_str_ix;   /**< an entry of a string table */
typedef uint32_t ubi_frame_ix; /**< an entry of a frame table */
typedef uint32_t ubi_kind_ix;  /**< an entry of a kind table (attributes that repeat together) */

/** "None" of every 32-bit index type. */
#define UBI_NONE UINT32_MAX

/* ---- text ------------------------------------------------------------------------------------------------------- */

/** Borrowed text. `ptr` NULL means "no text", which differs from empty text. */
typedef struct ubi_text {
    const char *ptr;
    size_t len; /**< bytes */
} ubi_text;

/** Takes `size` bytes of output. Return false to stop: the caller gets UBI_EIO. */
typedef bool (*ubi_write_fn)(void *payload, const void *data, size_t size_bytes);

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/**
 * Where an object's memory comes from. Sizes are given on resize and free, so that accounting is exact.
 *
 * `alloc(ctx, size)` returns memory aligned for any type, or NULL; its content is unspecified.
 * `resize(ctx, p, old, new)` keeps the first min(old, new) bytes; on NULL the old block is untouched. `p` may be NULL
 * with old = 0. `free(ctx, p, size)`; `p` may be NULL.
 * Called from the thread that uses the object; a loader may call it from its own helper threads, one at a time per block,
 * so a shared `ctx` needs its own lock.
 */
typedef struct ubi_allocator {
    void *(*alloc)(void *ctx, size_t size_bytes);
    void *(*resize)(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes);
    void (*free)(void *ctx, void *ptr, size_t size_bytes);
    void *ctx;
} ubi_allocator;

/**
 * The default: malloc for small blocks, anonymous mappings with huge-page advice and mremap growth for large ones.
 * Static; safe from any thread.
 */
UBI_API const ubi_allocator *ubi_allocator_default(void);

/* ---- time -------------------------------------------------------------------------------------------------------- */

/** Nanoseconds since this process started, of a clock that never goes back: that of all events and markers. Any thread. */
UBI_API uint64_t ubi_process_clock_ns(void);

/* ---- compatibility ------------------------------------------------------------------------------------------------- */

/** Whose answers to give where Firefox's differ from the useful ones. */
typedef enum ubi_compat {
    UBI_COMPAT_NONE = 0,
    UBI_COMPAT_FIREFOX = 1 /**< exactly Firefox's answers: what it refuses is refused, what it loses is lost */
} ubi_compat;

/* ---- progress and cancel ---------------------------------------------------------------------------------------- */

/**
 * Called now and then during long work, on the thread that called the API.
 *
 * @param stage  constant text such as "reading"; compare by content.
 * @param done, total  units of the stage (bytes, nodes); total 0 when unknown.
 * @return false to cancel: the running call returns UBI_ECANCELLED and leaves nothing behind.
 */
typedef bool (*ubi_progress_fn)(void *payload, const char *stage, uint64_t done, uint64_t total);

typedef struct ubi_progress {
    ubi_progress_fn fn; /**< NULL: no reports, no cancelling */
    void *payload;
} ubi_progress;

#ifdef __cplusplus
}
#endif
#endif
