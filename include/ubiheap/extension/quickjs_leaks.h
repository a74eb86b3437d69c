/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/quickjs_leaks.h: who leaked a reference of QuickJS; for programs that embed it, not in `ubiheap.h`.
 *
 * A value that a program forgets to release keeps itself and everything it refers to alive, and JS_FreeRuntime ends in the
 * assertion `list_empty(&rt->gc_obj_list)`, or leaks in silence. This names the values to look for:
 *
 *     JSRuntime *runtime = JS_NewRuntime();
 *     ubi_quickjs_report_leaks(runtime, NULL);
 *     ...
 *     JS_FreeRuntime(runtime);              writes to stderr what survives, before the engine's assertion
 *
 * The engine counts references. Those that come from its own heap are found by a walk; what a value counts beyond these, its
 * *excess*, is held by the program. So the few values with an excess are the leaks, and all else lives because of them.
 *
 * Compiled with the engine, as ubiheap/extension/quickjs.h says. Threads: all calls belong to the thread that runs the runtime.
 * Source: docs/how-to/find-a-leaked-reference.md.
 */
#ifndef UBIHEAP_QUICKJS_LEAKS_H
#define UBIHEAP_QUICKJS_LEAKS_H

#include <stdio.h>

#include <ubiheap/extension/native_stacks.h>
#include <ubiheap/extension/quickjs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a report ----------------------------------------------------------------------------------------------------- */

/** What is held from outside of the heap, and what that keeps alive. It does not change. */
typedef struct ubi_quickjs_leaks ubi_quickjs_leaks;

/** One thing with an excess. Texts are borrowed from the report. */
typedef struct ubi_quickjs_leak {
    uint64_t id;         /**< its address, which is its id in snapshots */
    ubi_text type;       /**< as in snapshots: "JSObject", "JSString", "JSContext", ... */
    ubi_text name;       /**< of an object: its constructor or class, such as "Array"; else a word such as "string" */
    ubi_text contents;   /**< short, such as `{port: 80, host: "a"}`; NULL text: nothing to show */
    ubi_text holder;     /**< "stack: function: variable" of a running function; NULL text: the program's own code */
    uint64_t references; /**< that it counts */
    uint64_t
        excess; /**< of these, not found in the heap. 0: it waits for a collection (ubi_quickjs_leaks_write says why) */
    uint64_t size_bytes;
    uint64_t retained_bytes; /**< its own size, and that of what would go with it and no other leak keeps */
    uint64_t retained_count; /**< how many things these are, itself included */
    uint32_t referrer_count; /**< edges of the heap that lead to it */
} ubi_quickjs_leak;

/** An edge of the heap. Texts are borrowed from the report. */
typedef struct ubi_quickjs_referrer {
    uint64_t id;
    ubi_text type, name; /**< as of a leak */
    ubi_text edge;       /**< such as "parent"; NULL text: it has no name */
} ubi_quickjs_referrer;

/** Of which type how much survives. Texts are borrowed from the report. */
typedef struct ubi_quickjs_survivors {
    ubi_text type, name; /**< as of a leak */
    uint64_t count, size_bytes;
} ubi_quickjs_survivors;

/**
 * What is held from outside now. In a program at rest that is what it holds on purpose, such as its contexts, and what it
 * forgot; inside a native function also what running functions hold. Collects cycles first, so garbage is left out.
 * @param out  owned.
 * Errors: as for freezing (ubiheap/extension/target.h). Cost: that of a snapshot in memory.
 */
UBI_API ubi_status ubi_quickjs_find_leaks(ubi_quickjs_leaks **out, ubi_quickjs *tools);
UBI_API void ubi_quickjs_leaks_free(ubi_quickjs_leaks *leaks); /**< NULL is fine */

/** Things with an excess, the one first that keeps most alive. */
UBI_API uint32_t ubi_quickjs_leaks_count(const ubi_quickjs_leaks *leaks);
/** i < the count. */
UBI_API ubi_quickjs_leak ubi_quickjs_leaks_at(const ubi_quickjs_leaks *leaks, uint32_t i);

#define UBI_QUICKJS_REFERRERS 8 /**< of a thing that a report keeps at most */
/** k < the leak's referrer_count and < UBI_QUICKJS_REFERRERS. */
UBI_API ubi_quickjs_referrer ubi_quickjs_leaks_referrer(const ubi_quickjs_leaks *leaks, uint32_t i, uint32_t k);

/**
 * Takings of a thing whose release is missing: by how many stacks, the latest first. Only of a runtime that is recorded, and only
 * by sources that were compiled with ubiheap/extension/quickjs_references.h. While the runtime lives.
 */
UBI_API uint32_t ubi_quickjs_leaks_taking_count(const ubi_quickjs_leaks *leaks, uint32_t i);

/** What the program took by one stack and did not release. */
typedef struct ubi_quickjs_taking {
    ubi_text function; /**< of the engine, that gave the reference: "JS_DupValue", "JS_NewObject", ... Static */
    uint64_t count;
} ubi_quickjs_taking;
/** k < that count. */
UBI_API ubi_quickjs_taking ubi_quickjs_leaks_taking(const ubi_quickjs_leaks *leaks, uint32_t i, uint32_t k);
/** The stack that took it, innermost frame first: "function (file.c:12)". Errors: UBI_ENOMEM, or what `fn` says. */
UBI_API ubi_status ubi_quickjs_leaks_taking_frames(const ubi_quickjs_leaks *leaks, uint32_t i, uint32_t k,
                                                   ubi_profiler_name_fn fn, void *payload);

/** All that survives because of leaks, themselves included, by type: the greatest sum of bytes first. */
UBI_API uint32_t ubi_quickjs_leaks_survivor_count(const ubi_quickjs_leaks *leaks);
/** i < that count. */
UBI_API ubi_quickjs_survivors ubi_quickjs_leaks_survivors(const ubi_quickjs_leaks *leaks, uint32_t i);

/** Writes the report as text: the leaks, who refers to them, what else survives. At most `max_leaks` in full; 0: 20. */
UBI_API void ubi_quickjs_leaks_write(const ubi_quickjs_leaks *leaks, FILE *file, uint32_t max_leaks);

/* ---- when the runtime ends ---------------------------------------------------------------------------------------- */

/**
 * Takes the report of a runtime that ends; borrowed. NULL: there was no memory for it. It may release what leaked, and then the
 * engine's assertion holds.
 */
typedef void (*ubi_quickjs_leaks_fn)(void *payload, JSRuntime *runtime, const ubi_quickjs_leaks *leaks);

typedef struct ubi_quickjs_leak_options {
    uint32_t version;               /**< UBI_QUICKJS_LEAK_OPTIONS_VERSION */
    const ubi_allocator *allocator; /**< of the report and what it is made from; NULL: the default */
    FILE *file;                     /**< where it is written; NULL: stderr */
    ubi_quickjs_leaks_fn fn;        /**< NULL: it is written to the file, else passed here and not written */
    void *payload;
    /**
     * Notes from now on who takes references, so that the report shows the stacks whose release is missing: to be asked for before
     * anything is made in the runtime. Cost: a stack for each reference that the program takes, a look-up for each block.
     */
    bool with_references;
    /** Names of frames. NULL: functions, files and lines by libubiheap-symbols.so, or what is known without it. */
    const ubi_native_names *names;
} ubi_quickjs_leak_options;

#define UBI_QUICKJS_LEAK_OPTIONS_VERSION 1
#define UBI_QUICKJS_LEAK_OPTIONS_INIT                                                                                  \
    { .version = UBI_QUICKJS_LEAK_OPTIONS_VERSION }

/**
 * Has JS_FreeRuntime report what survives, after its last collection and before its assertion; nothing when nothing does.
 * Contexts may be freed already; tools need not be attached. Calling it again changes the options.
 * Cost until then: nothing. Errors: UBI_EINVAL (options), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_quickjs_report_leaks(JSRuntime *runtime, const ubi_quickjs_leak_options *options);

#ifdef __cplusplus
}
#endif
#endif
