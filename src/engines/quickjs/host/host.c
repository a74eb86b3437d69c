/* SPDX-License-Identifier: MIT
 *
 * host.c: a runtime's life, from its tools to its end.
 *
 * The main program's runtime is freed when its script ended by itself: then nothing is alive but garbage, and finalizers
 * close what scripts left open. In all other cases it stays as it is until the process ends, for something may still hold
 * values: a handler of an event, a frame on the stack.
 */
#include <ubiheap/extension/quickjs_leaks.h>

#include "engines/quickjs/host/host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engines/quickjs/engine_api.h"
#include "engines/quickjs/host/host_libc.h"
#include "engines/quickjs/host/host_state.h"
#include "engines/quickjs/quickjs_tracking.h"

_Thread_local ubi__host *ubi__host_here;

static const ubi__script_options *program_options; /* of the main host, for workers; set before there are any */
static atomic_uint workers_started;
static _Atomic(ubi__host *) remains; /* keeps what was not freed reachable, for leak checkers */

uint64_t ubi__host_clock_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void ubi__host_flush_output(void) {
    fflush(stdout);
}

/* ---- realms ------------------------------------------------------------------------------------------------------- */

static bool add_modules(ubi__host *host, JSContext *realm) {
    const ubi__script_options *o = host->options;
    if (!js_init_module_std(realm, "std") || !js_init_module_os(realm, "os"))
        return false;
    return (!o->with_debugger && !o->with_heap_module) || ubi_quickjs_add_heap_module(host->tools, realm, "ubiheap");
}

static bool host_equip(ubi__host *host, JSContext *realm) {
    return add_modules(host, realm) && ubi__host_add_globals(host, realm) == 0 &&
           (!host->observer || ubi_quickjs_observer_add_realm(host->observer, realm) == UBI_OK);
}

static JSContext *new_realm(ubi__host *host) {
    JSContext *realm = JS_NewContext(host->runtime);
    if (!realm)
        return NULL;
    if (host_equip(host, realm)) {
        host->realms++;
        return realm;
    }
    JS_FreeContext(realm);
    return NULL;
}

/* The engine does not look whether it gets memory for a realm, so the limit is in force before and after that. */
JSContext *ubi__host_new_realm(JSRuntime *runtime) {
    ubi__host *host = ubi__host_here;
    uint64_t limit_bytes = host->options->heap_limit_bytes;
    JS_SetMemoryLimit(runtime, (size_t)-1);
    JSContext *realm = new_realm(host);
    if (limit_bytes)
        JS_SetMemoryLimit(runtime, limit_bytes);
    return realm;
}

/* ---- as hooks see it ---------------------------------------------------------------------------------------------- */

static uint64_t host_heap_bytes(void *host) {
    return ubi_quickjs_heap_bytes(((ubi__host *)host)->tools);
}

static ubi_status host_observer(void *payload, ubi__observer **out) {
    ubi__host *host = payload;
    if (!host->observer) {
        ubi_status status = ubi_quickjs_observer_new(&host->observer, host->tools);
        if (status != UBI_OK)
            return status;
    }
    *out = &host->observer->base;
    return UBI_OK;
}

static ubi_status host_join_profiler(void *host, ubi_profiler *profiler) {
    return ubi_quickjs_join_profiler(((ubi__host *)host)->tools, profiler);
}

static ubi_status host_join_timeline(void *host, ubi_timeline_target *timeline) {
    return ubi_quickjs_join_timeline(((ubi__host *)host)->tools, timeline);
}

static const ubi__script_runtime_ops host_runtime_ops = { .heap_bytes = host_heap_bytes,
                                                          .observer = host_observer,
                                                          .join_profiler = host_join_profiler,
                                                          .join_timeline = host_join_timeline,
                                                          .rest = ubi__host_rest };

static ubi_status begin_hooks(ubi__host *host) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    host->for_hooks = (ubi__script_runtime){ &host_runtime_ops, host, host->number, ubi_quickjs_target(host->tools) };
    return hooks->begin ? hooks->begin(hooks->payload, &host->for_hooks, &host->hook_state) : UBI_OK;
}

/* ---- a host ------------------------------------------------------------------------------------------------------- */

static ubi_status fail_nomem(void) {
    return ubi_error(UBI_ENOMEM, "out of memory");
}

static void on_out_of_memory(void *payload, ubi_quickjs *tools) {
    ubi__host *host = payload;
    const ubi__script_hooks *hooks = &host->options->hooks;
    (void)tools;
    host->has_run_out = true;
    if (hooks->out_of_memory && host->hook_state)
        hooks->out_of_memory(host->hook_state);
}

static ubi_status host_attach_tools(ubi__host *host) {
    ubi_status status = ubi_quickjs_attach(&host->tools, host->runtime, NULL);
    if (status == UBI_OK)
        ubi_quickjs_set_oom_hook(host->tools, on_out_of_memory, host);
    return status;
}

/* With an unlimited stack. */
#define STACK_LIMIT_MAX ((size_t)64 << 20)

/* What scripts' calls may use of this thread's stack: three quarters, for the engine's limit is not checked by C functions. */
static size_t thread_stack_limit(void) {
    pthread_attr_t attributes;
    void *lowest;
    size_t size, left = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return 0;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0)
        left = (size_t)((uintptr_t)__builtin_frame_address(0) - (uintptr_t)lowest);
    pthread_attr_destroy(&attributes);
    left = left / 4 * 3;
    return left < STACK_LIMIT_MAX ? left : STACK_LIMIT_MAX;
}

static ubi_status start_runtime(ubi__host *host) {
    const ubi__script_options *o = host->options;
    host->runtime = ubi__host_new_runtime(&host->blocks);
    if (!host->runtime)
        return fail_nomem();
    if (o->with_references) {
        ubi_quickjs_leak_options report = UBI_QUICKJS_LEAK_OPTIONS_INIT;
        report.with_references = true;
        report.names = o->names;
        ubi_status status = ubi_quickjs_report_leaks(host->runtime, &report);
        if (status != UBI_OK)
            return status;
    }
    size_t stack_bytes = o->stack_limit_bytes ? (size_t)o->stack_limit_bytes : thread_stack_limit();
    if (stack_bytes)
        JS_SetMaxStackSize(host->runtime, stack_bytes);
    JS_SetInterruptHandler(host->runtime, ubi__host_on_interrupt, host);
    JS_SetHostPromiseRejectionTracker(host->runtime, ubi__rejections_track, host);
    if (!ubi__timers_init(&host->timers, host->runtime))
        return fail_nomem();
    return host_attach_tools(host);
}

ubi_status ubi__host_open(ubi__host **out, const ubi__script_options *options, unsigned number) {
    ubi__host *host = calloc(1, sizeof *host);
    if (!host)
        return fail_nomem();
    host->number = number;
    host->program = JS_UNDEFINED;
    host->input_fd = -1;
    host->is_shell = number == 0 && options->hooks.converse;
    host->options = options;
    ubi__host_here = host;
    ubi__wake_init(&host->wake, number == 0);
    ubi_status status = start_runtime(host);
    if (status == UBI_OK)
        status = begin_hooks(host);
    if (status == UBI_OK)
        *out = host;
    else
        ubi__host_close(host, true);
    return status;
}

static void host_keep_snapshot(ubi__host *host) {
    host->next = atomic_load(&remains);
    while (!atomic_compare_exchange_weak(&remains, &host->next, host))
        ;
}

/* What scripts hold of the tools has to go first: garbage of theirs may hold some. */
static void free_runtime(ubi__host *host) {
    JS_RunGC(host->runtime);
    ubi_quickjs_observer_free(host->observer);
    if (host->tools)
        ubi_quickjs_detach(host->tools);
    JS_FreeRuntime(host->runtime);
    ubi__host_blocks_fini(&host->blocks);
}

void ubi__host_close(ubi__host *host, bool whole) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    if (hooks->end && host->hook_state)
        hooks->end(host->hook_state);
    host->hook_state = NULL;
    if (host->runtime && whole) {
        ubi__timers_fini(&host->timers, host->runtime);
        ubi__rejections_fini(&host->rejections);
        JS_FreeValueRT(host->runtime, host->program);
        free_runtime(host);
    }
    ubi__console_fini(&host->console);
    ubi__wake_fini(&host->wake);
    ubi__host_here = NULL;
    if (whole)
        free(host);
    else
        host_keep_snapshot(host);
}

void ubi__host_leave(ubi__host *host, int exit_code) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    /* A script that is called while the program ends may not end it again. */
    if (!host->is_leaving && hooks->finish) {
        host->is_leaving = true;
        ubi_quickjs_timeline_end_run(host->tools);
        exit_code = hooks->finish(host->hook_state, exit_code, true);
    }
    exit(exit_code);
}

/* ---- the main program --------------------------------------------------------------------------------------------- */

/* The engine's own part of a runtime: handlers of events, and what its workers share. */
static JSContext *open_realm(ubi__host *host) {
    js_std_set_worker_new_context_func(ubi__host_new_realm);
    js_std_init_handlers(host->runtime);
#if UBI_API_MODULE_ATTRS
    JS_SetModuleLoaderFunc2(host->runtime, NULL, js_module_loader, js_module_check_attributes, NULL);
#else
    JS_SetModuleLoaderFunc(host->runtime, NULL, js_module_loader, NULL);
#endif
    return ubi__host_new_realm(host->runtime);
}

static int exit_code_of(const ubi__host *host) {
    if (host->is_shell)
        return UBI__SCRIPT_EXIT_OK;
    return host->has_failed || ubi__host_noted_failure() ? UBI__SCRIPT_EXIT_UNCAUGHT : UBI__SCRIPT_EXIT_OK;
}

static int host_finish(ubi__host *host, int exit_code) {
    const ubi__script_hooks *hooks = &host->options->hooks;
    host->is_leaving = true;
    return hooks->finish ? hooks->finish(host->hook_state, exit_code, false) : exit_code;
}

/* What is typed, after the code of the command line. */
static int run_shell(ubi__host *host, JSContext *realm, const char *code) {
    ubi__host_evaluate(host, realm, code ? code : "", code ? strlen(code) : 0, "");
    if (ubi__host_converse(host, realm) == UBI__SCRIPT_REST)
        ubi__host_loop(host, realm);
    return host_finish(host, exit_code_of(host));
}

static int run_text(ubi__host *host, JSContext *realm, const char *text, size_t n, const char *path) {
    if (ubi__host_evaluate(host, realm, text, n, path))
        ubi__host_loop(host, realm);
    return host_finish(host, exit_code_of(host));
}

/* Order matters: handlers hold values, and what they leave behind is freed by the collection in ubi__host_close. */
static void end_runtime(ubi__host *host, JSContext *realm) {
    bool whole = !host->has_failed;
    if (whole) {
        ubi__timers_fini(&host->timers, host->runtime);
        js_std_free_handlers(host->runtime);
        JS_FreeContext(realm);
    }
    ubi__host_close(host, whole);
}

/* A limit below what is in use already would not limit what the script does. */
static ubi_status check_limit(const ubi__host *host) {
    uint64_t limit_bytes = host->options->heap_limit_bytes;
    JSMemoryUsage usage;
    if (limit_bytes == 0)
        return UBI_OK;
    JS_ComputeMemoryUsage(host->runtime, &usage);
    if ((uint64_t)usage.malloc_size < limit_bytes)
        return UBI_OK;
    return ubi_error(UBI_EINVAL, "the heap limit is %llu bytes, of which an empty program takes %lld",
                     (unsigned long long)limit_bytes, (long long)usage.malloc_size);
}

static ubi_status open_script(ubi__host *host, JSContext **out) {
    *out = open_realm(host);
    return *out ? check_limit(host) : fail_nomem();
}

static ubi_status run_in(ubi__host *host, int *exit_code, const char *text, size_t n, const char *path) {
    JSContext *realm;
    ubi_status status = open_script(host, &realm);
    if (status != UBI_OK) {
        ubi__host_close(host, false);
        return status;
    }
    *exit_code = host->is_shell ? run_shell(host, realm, text) : run_text(host, realm, text, n, path);
    end_runtime(host, realm);
    return UBI_OK;
}

static ubi_status run_script(int *exit_code, const char *path, const ubi__script_options *options) {
    ubi__host *host;
    char *text = NULL; /* of a file */
    size_t n = options->code ? strlen(options->code) : 0;
    bool has_file = !options->code && !options->hooks.converse;
    ubi_status status = has_file ? ubi__host_read_script(&text, &n, path) : UBI_OK;
    if (status != UBI_OK)
        return status;
    program_options = options;
    status = ubi__host_open(&host, options, 0);
    if (status == UBI_OK)
        status = run_in(host, exit_code, text ? text : options->code, n, path);
    free(text);
    ubi__host_flush_output();
    return status;
}

/* Of what the engine is compiled with, the version comes first. */
static const char *engine_title(void) {
    static char title[64];
    const char *description = ubi_quickjs_engine_description();
    snprintf(title, sizeof title, "QuickJS %.*s", (int)strcspn(description, " "), description);
    return title;
}

const ubi__script_runner ubi__quickjs_runner = { .engine = "quickjs",
                                                 .title = engine_title,
                                                 .run = run_script,
                                                 .wake_all = ubi__host_wake_all,
                                                 .flush_output = ubi__host_flush_output,
                                                 .hooks_folder = "quickjs/adapter/" };

/* ---- workers: called by the engine's own code, on the worker's thread ---------------------------------------------- */

JSRuntime *ubi__libc_new_runtime(void) {
    ubi__host *host;
    unsigned number = atomic_fetch_add(&workers_started, 1) + 1;
    return ubi__host_open(&host, program_options, number) == UBI_OK ? host->runtime : NULL;
}

int ubi__libc_loop(JSContext *realm) {
    if (!ubi__host_here->has_failed)
        ubi__host_loop(ubi__host_here, realm);
    return 0;
}

void ubi__libc_free_runtime(JSRuntime *runtime) {
    (void)runtime;
    ubi__host_close(ubi__host_here, !ubi__host_here->has_failed);
}

void ubi__libc_cause(const char *cause) {
    ubi_quickjs_timeline_cause(ubi__host_here->tools, cause, 0);
}

void ubi__libc_registers(JSValueConst handler) {
    ubi_quickjs_timeline_registers(ubi__host_here->tools, handler);
}

static ubi_worker_operation operation_here(bool serializes) {
    if (ubi__host_here->number == 0)
        return serializes ? UBI_WORKER_SERIALIZE_ON_MAIN_THREAD : UBI_WORKER_DESERIALIZE_ON_MAIN_THREAD;
    return serializes ? UBI_WORKER_SERIALIZE_OFF_MAIN_THREAD : UBI_WORKER_DESERIALIZE_OFF_MAIN_THREAD;
}

void ubi__libc_begin_message(bool is_message, bool serializes) {
    if (is_message)
        ubi_quickjs_timeline_begin_message(ubi__host_here->tools, operation_here(serializes));
}

void ubi__libc_end_message(bool is_message, bool serializes) {
    if (is_message)
        ubi_quickjs_timeline_end_message(ubi__host_here->tools, operation_here(serializes));
}

void ubi__libc_add_worker_helpers(JSContext *realm) {
    (void)realm; /* they came with the realm */
}
