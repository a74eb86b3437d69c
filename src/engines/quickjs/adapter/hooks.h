/* SPDX-License-Identifier: MIT
 *
 * hooks.h: how we hear of what the engine does, without touching its source.
 *
 * Included before quickjs.c. Each hook is a macro over a function that the engine calls; the macro knows the place from
 * `__func__`, which the compiler folds, or distinguishes definition from call by the first word of the first argument: in the
 * definition that is a type ("JSRuntime *rt"), in a call a variable ("rt"). Which other variables an engine has there, such
 * as "s" of s->ctx, probe.sh finds out. Nothing else of the engine's text is assumed; probe.sh says so in plain words when a
 * function is missing, and the self-test of the build proves that each hook fires.
 *
 * | hook              | macro over                                  | reports                                          |
 * |-------------------|---------------------------------------------|--------------------------------------------------|
 * | birth             | list_add_tail in add_gc_object              | an object exists; class and shape are valid      |
 * | death             | free_gc_object                              | an object or bytecode will be freed, still whole |
 * | death of a realm  | list_del in JS_FreeContext                  | what is left of a realm will be freed            |
 * | `new`             | js_create_from_ctor and others              | which constructor an object was made by          |
 * | collection begins | JS_RunGC; init_list_head in gc_decref       | of cycles; with the name of the caller           |
 * | collection ends   | JS_RunGC; init_list_head in gc_free_cycles  |                                                  |
 * | end of a runtime  | init_list_head in JS_FreeRuntime            | jobs are gone, the last collection comes next    |
 * | mark              | JS_MarkValue, js_mark_module_def            | what a class's mark function names, of any type  |
 * | out of memory     | JS_ThrowOutOfMemory                         | the heap could not give memory                   |
 * | exact place       | functions that allocate, in JS_CallInternal | the interpreter's pc, before objects are born    |
 * | call from outside | JS_Call                                     | a program calls a function of scripts            |
 * | program           | JS_EvalFunctionInternal                     | a script or module is about to run               |
 * | job               | JS_ExecutePendingJob                        | a promise's reaction, or another job             |
 * | reaction          | perform_promise_then                        | who waits for a promise                          |
 * | parse             | js_parse_program, js_create_function        | source text becomes bytecode                     |
 * | position          | emit_op, js_parse_object_literal and others | where in the source text something will be made  |
 * | what a block is   | js_trigger_gc, js_alloc_string_rt, others   | of which class the next blocks are               |
 * | blocks            | js_malloc_rt and others, on some engines    | memory is taken and given back (blocks.h)        |
 *
 * Cost while nothing is watched: one load and one predicted branch per birth and per death, and one more where the interpreter
 * itself makes an object; one store per call of a script's function; one load and one predicted branch per call from outside,
 * program, job, reaction and parse; one load and two branches per string, closure, shape, record of a map and array that grows; nothing
 * elsewhere. Calls within the engine are not diverted.
 */
#ifndef UBI_QUICKJS_HOOKS_H
#define UBI_QUICKJS_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cutils.h>
#include <list.h>
#include <quickjs.h>

#include "ubi_features.h"

#define UBI_IN(function) (__builtin_strcmp(__func__, function) == 0)
#define UBI_COLD __attribute__((noinline, cold))
#define UBI_OUT_OF_LINE __attribute__((noinline))

/**
 * The runtime whose births and deaths are watched (ubi__watch). NULL: there is none. With several, a mark that is not a
 * runtime, and the tools are looked up.
 */
static _Atomic(JSRuntime *) ubi__watched_runtime;

static inline bool ubi__watched(void) {
    return __builtin_expect(atomic_load_explicit(&ubi__watched_runtime, memory_order_relaxed) != NULL, 0);
}

/* What the hooks call; defined in notify.h, after the engine's structures. */
static void UBI_OUT_OF_LINE ubi__born(struct list_head *gc_obj_list, struct list_head *link);
static void UBI_OUT_OF_LINE ubi__dies(JSRuntime *rt, void *header);
static void UBI_COLD ubi__realm_dies(struct list_head *link);
static void UBI_COLD ubi__cycles_begin(struct list_head *tmp_obj_list);
static void UBI_COLD ubi__cycles_end(struct list_head *gc_zero_ref_count_list);
static void UBI_COLD ubi__runtime_ends(struct list_head *job_list);
static void UBI_COLD ubi__run_gc(const char *caller, JSRuntime *rt);
static JSValue UBI_COLD ubi__out_of_memory(JSContext *ctx);
static void UBI_OUT_OF_LINE ubi__walk_meets(JSRuntime *rt, JSValueConst value);
static void ubi__walk_mark(JSRuntime *rt, JSGCObjectHeader *header);

/* ---- lists: births, realms, phases of a collection ------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void ubi__list_add_tail(struct list_head *link, struct list_head *head,
                                                                     bool is_birth) {
    list_add_tail(link, head);
    if (is_birth && ubi__watched())
        ubi__born(head, link);
}
static inline __attribute__((always_inline)) void ubi__list_del(struct list_head *link, bool is_realm) {
    if (is_realm)
        ubi__realm_dies(link);
    list_del(link);
}
static inline __attribute__((always_inline)) void ubi__init_list_head(struct list_head *head, bool begins, bool ends,
                                                                      bool is_runtime_end) {
    if (begins)
        ubi__cycles_begin(head);
    init_list_head(head);
    if (ends)
        ubi__cycles_end(head);
    if (is_runtime_end)
        ubi__runtime_ends(head);
}
/* Only objects are reported: `type` is the argument of add_gc_object that says so. */
static int type __attribute__((unused));
#define list_add_tail(link, head)                                                                                      \
    ubi__list_add_tail(link, head, UBI_IN("add_gc_object") && type == JS_GC_OBJ_TYPE_JS_OBJECT)
#define list_del(link) ubi__list_del(link, UBI_IN("JS_FreeContext"))
#define init_list_head(head)                                                                                           \
    (UBI_FORGET_PLACE,                                                                                                 \
     ubi__init_list_head(head, UBI_IN("gc_decref"), UBI_IN("gc_free_cycles"), UBI_IN("JS_FreeRuntime")))

/* ---- deaths --------------------------------------------------------------------------------------------------------- */

#define free_gc_object(first, header) UBI_FREE_GC_OBJECT_##first, header)
#define UBI_FREE_GC_OBJECT_JSRuntime (free_gc_object)(JSRuntime
#define UBI_FREE_GC_OBJECT_rt ubi__free_gc_object(rt
/* Its callers call it, as they do without us: within our function, it would be in the way of registers. */
static void UBI_OUT_OF_LINE free_gc_object(JSRuntime *rt, JSGCObjectHeader *header);
static inline void ubi__free_gc_object(JSRuntime *rt, JSGCObjectHeader *header) {
    if (ubi__watched())
        ubi__dies(rt, header);
    (free_gc_object)(rt, header);
}

#if UBI_FREE_VALUE_APART
/*
 * JS_FreeValueRT calls it for the last reference. What the hooks add would make it save six registers for all others as well, if the
 * compiler put the two together: 5 % of all instructions of a program.
 */
static void UBI_OUT_OF_LINE js_free_value_rt(JSRuntime *rt, JSValue v);
#endif

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

#if UBI_BLOCK_HOOKS
/*
 * The engine's functions get other names; the exported ones are ours (blocks.h). Those that the engine's js_realloc_rt calls are
 * part of what it does, and are not diverted again. Cost while no runtime is diverted: one load and one predicted branch.
 */
static _Atomic(uint32_t) ubi__diverted_runtimes;
static inline bool ubi__diverted(void) {
    return __builtin_expect(atomic_load_explicit(&ubi__diverted_runtimes, memory_order_relaxed) != 0, 0);
}
#define UBI_PRIVATE __attribute__((visibility("hidden")))
UBI_PRIVATE void *ubi__engine_malloc_rt(JSRuntime *rt, size_t size);
UBI_PRIVATE void *ubi__engine_realloc_rt(JSRuntime *rt, void *block, size_t size);
UBI_PRIVATE void ubi__engine_free_rt(JSRuntime *rt, void *block);
static void *UBI_COLD ubi__diverted_malloc(JSRuntime *rt, size_t size);
static void *UBI_COLD ubi__diverted_realloc(JSRuntime *rt, void *block, size_t size);
static void UBI_COLD ubi__diverted_free(JSRuntime *rt, void *block);

static inline void *ubi__malloc_rt(bool is_part, JSRuntime *rt, size_t size) {
    return !is_part && ubi__diverted() ? ubi__diverted_malloc(rt, size) : ubi__engine_malloc_rt(rt, size);
}
static inline void *ubi__realloc_rt(JSRuntime *rt, void *block, size_t size) {
    return ubi__diverted() ? ubi__diverted_realloc(rt, block, size) : ubi__engine_realloc_rt(rt, block, size);
}
static inline void ubi__free_rt(bool is_part, JSRuntime *rt, void *block) {
    if (!is_part && ubi__diverted())
        ubi__diverted_free(rt, block);
    else
        ubi__engine_free_rt(rt, block);
}
#define UBI_IN_REALLOC UBI_IN("ubi__engine_realloc_rt")
#define js_malloc_rt(first, ...) UBI_MALLOC_RT_##first, __VA_ARGS__)
#define UBI_MALLOC_RT_JSRuntime ubi__engine_malloc_rt(JSRuntime
#define UBI_MALLOC_RT_rt ubi__malloc_rt(UBI_IN_REALLOC, rt
#define UBI_MALLOC_RT_ctx ubi__malloc_rt(UBI_IN_REALLOC, ctx
#define js_realloc_rt(first, ...) UBI_REALLOC_RT_##first, __VA_ARGS__)
#define UBI_REALLOC_RT_JSRuntime ubi__engine_realloc_rt(JSRuntime
#define UBI_REALLOC_RT_rt ubi__realloc_rt(rt
#define UBI_REALLOC_RT_ctx ubi__realloc_rt(ctx
#define js_free_rt(first, ...) UBI_FREE_RT_##first, __VA_ARGS__)
#define UBI_FREE_RT_JSRuntime ubi__engine_free_rt(JSRuntime
#define UBI_FREE_RT_rt ubi__free_rt(UBI_IN_REALLOC, rt
#define UBI_FREE_RT_ctx ubi__free_rt(UBI_IN_REALLOC, ctx
#if UBI_CALLOC
UBI_PRIVATE void *ubi__engine_calloc_rt(JSRuntime *rt, size_t count, size_t size);
static void *UBI_COLD ubi__diverted_calloc(JSRuntime *rt, size_t count, size_t size);
static inline void *ubi__calloc_rt(JSRuntime *rt, size_t count, size_t size) {
    return ubi__diverted() ? ubi__diverted_calloc(rt, count, size) : ubi__engine_calloc_rt(rt, count, size);
}
#define js_calloc_rt(first, ...) UBI_CALLOC_RT_##first, __VA_ARGS__)
#define UBI_CALLOC_RT_JSRuntime ubi__engine_calloc_rt(JSRuntime
#define UBI_CALLOC_RT_rt ubi__calloc_rt(rt
#define UBI_CALLOC_RT_ctx ubi__calloc_rt(ctx
#endif
#endif

/* ---- collections of cycles ------------------------------------------------------------------------------------------ */

/* The engine's function becomes ubi__engine_run_gc; the exported one is ours (notify.h). */
static void ubi__engine_run_gc(JSRuntime *rt);
#define JS_RunGC(first) UBI_RUN_GC_##first )
#define UBI_RUN_GC_JSRuntime ubi__engine_run_gc(JSRuntime
#define UBI_RUN_GC_rt ubi__run_gc(__func__, rt
#define UBI_RUN_GC_ctx ubi__run_gc(__func__, ctx

/* ---- buffers that grow ---------------------------------------------------------------------------------------------- */

/*
 * What is compiled lies in buffers that belong to the runtime. The engine remembers that one got no memory and looks later, or not
 * at all, and then crashes. That memory ran out is reported at once.
 */
static void *ubi__grow(void *rt, void *block, size_t size);
static void *ubi__grow_bytecode(void *rt, void *block, size_t size);
static inline void ubi__buffer_of_runtime(DynBuf *buffer, JSRuntime *rt, bool is_bytecode) {
    (dbuf_init2)(buffer, rt, is_bytecode ? ubi__grow_bytecode : ubi__grow);
}
static inline void ubi__buffer_of_context(DynBuf *buffer, JSContext *ctx, DynBufReallocFunc *grow) {
    (dbuf_init2)(buffer, ctx, grow); /* it throws by itself */
}
#define dbuf_init2(buffer, owner, grow)                                                                                \
    _Generic((owner), JSRuntime *                                                                                      \
             : ubi__buffer_of_runtime(buffer, (JSRuntime *)(owner), UBI_IN("js_dbuf_bytecode_init")), default          \
             : ubi__buffer_of_context(buffer, (JSContext *)(owner), (DynBufReallocFunc *)(grow)))

/* ---- class numbers -------------------------------------------------------------------------------------------------- */

#if UBI_CLASS_ID_OF_RUNTIME
/* The exported function is ours, and leaves out the numbers of our own classes (script_facts.h). The engine itself calls neither. */
static JSClassID ubi__engine_new_class_id(JSRuntime *rt, JSClassID *id);
#define JS_NewClassID(first, ...) UBI_NEW_CLASS_ID_##first, __VA_ARGS__ )
#define UBI_NEW_CLASS_ID_JSRuntime ubi__engine_new_class_id(JSRuntime
#endif

/* ---- mark functions of classes -------------------------------------------------------------------------------------- */

/* The engine's function becomes ubi__engine_mark_value, which passes objects only; the exported one is ours. */
static void ubi__engine_mark_value(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark);
static inline void ubi__mark_value(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark) {
    if (__builtin_expect(mark == ubi__walk_mark, 0))
        ubi__walk_meets(rt, value);
    else
        ubi__engine_mark_value(rt, value, mark);
}
#define JS_MarkValue(first, ...) UBI_MARK_VALUE_##first, __VA_ARGS__)
#define UBI_MARK_VALUE_JSRuntime ubi__engine_mark_value(JSRuntime
#define UBI_MARK_VALUE_rt ubi__mark_value(rt
#define UBI_MARK_VALUE_ctx ubi__mark_value(ctx

/* A module is marked by its realm. A walk wants the module itself. */
static void js_mark_module_def(JSRuntime *rt, JSModuleDef *m, JS_MarkFunc *mark);
static void UBI_COLD ubi__walk_meets_module(JSRuntime *rt, JSModuleDef *m);
static inline void ubi__mark_module(JSRuntime *rt, JSModuleDef *m, JS_MarkFunc *mark) {
    if (__builtin_expect(mark == ubi__walk_mark, 0))
        ubi__walk_meets_module(rt, m);
    else
        js_mark_module_def(rt, m, mark);
}
#define js_mark_module_def(first, ...) UBI_MARK_MODULE_##first, __VA_ARGS__)
#define UBI_MARK_MODULE_JSRuntime (js_mark_module_def)(JSRuntime
#define UBI_MARK_MODULE_rt ubi__mark_module(rt

/* ---- out of memory -------------------------------------------------------------------------------------------------- */

static JSValue ubi__engine_throw_out_of_memory(JSContext *ctx);
#define JS_ThrowOutOfMemory(first) UBI_OUT_OF_MEMORY_##first )
#define UBI_OUT_OF_MEMORY_JSContext ubi__engine_throw_out_of_memory(JSContext
#define UBI_OUT_OF_MEMORY_ctx ubi__out_of_memory(ctx

/* ---- the timeline: runs of scripts, reactions, parsing -------------------------------------------------------------- */

/*
 * JS_Call and JS_ExecutePendingJob are those of the engine under other names when it calls them itself; the exported ones
 * are ours (timeline.h).
 */
static JSValue ubi__engine_call(JSContext *ctx, JSValueConst function, JSValueConst this_value, int argc,
                                JSValueConst *argv);
#define JS_Call(first, ...) UBI_CALL_##first, __VA_ARGS__)
#define UBI_CALL_JSContext ubi__engine_call(JSContext
#define UBI_CALL_ctx ubi__engine_call(ctx

static int ubi__engine_execute_job(JSRuntime *rt, JSContext **realm);
#define JS_ExecutePendingJob(first, ...) UBI_EXECUTE_JOB_##first, __VA_ARGS__)
#define UBI_EXECUTE_JOB_JSRuntime ubi__engine_execute_job(JSRuntime
#define UBI_EXECUTE_JOB_rt ubi__engine_execute_job(rt

struct JSVarRef;
struct JSStackFrame;
static JSValue ubi__eval_function(JSContext *ctx, JSValue program, JSValueConst this_value, struct JSVarRef **var_refs,
                                  struct JSStackFrame *frame);
#define JS_EvalFunctionInternal(first, ...) UBI_EVAL_FUNCTION_##first, __VA_ARGS__)
#define UBI_EVAL_FUNCTION_JSContext (JS_EvalFunctionInternal)(JSContext
#define UBI_EVAL_FUNCTION_ctx ubi__eval_function(ctx

static int ubi__promise_then(JSContext *ctx, JSValueConst promise, JSValueConst *handlers, JSValueConst *capability);
#define perform_promise_then(first, ...) UBI_PROMISE_THEN_##first, __VA_ARGS__)
#define UBI_PROMISE_THEN_JSContext (perform_promise_then)(JSContext
#define UBI_PROMISE_THEN_ctx ubi__promise_then(ctx

/*
 * The interpreter runs a coroutine in the frame of the coroutine, which is on the heap. What resumes it keeps a resumption on the
 * stack meanwhile, so the stack can be put in order (profiling.h).
 */
typedef struct ubi__resumption {
    const void *state; /* of the coroutine: JSAsyncFunctionState */
    struct ubi__resumption *outer;
} ubi__resumption;
static _Thread_local ubi__resumption *ubi__resumed; /* the innermost one; NULL: no coroutine runs */
#define UBI__CALL_INTERNAL(ctx, function, ...)                                                                         \
    (UBI_IN("async_func_resume") ? ({                                                                                  \
        ubi__resumption ubi__here = { JS_VALUE_GET_PTR(function), ubi__resumed };                                      \
        ubi__resumed = &ubi__here;                                                                                     \
        JSValue ubi__result = (JS_CallInternal)(ctx, function, __VA_ARGS__);                                           \
        ubi__resumed = ubi__here.outer;                                                                                \
        ubi__result;                                                                                                   \
    })                                                                                                                 \
                                 : (JS_CallInternal)(ctx, function, __VA_ARGS__))
#define JS_CallInternal(first, ...) UBI_CALL_INTERNAL_##first, __VA_ARGS__)
#define UBI_CALL_INTERNAL_JSContext (JS_CallInternal)(JSContext
#define UBI_CALL_INTERNAL_ctx UBI__CALL_INTERNAL(ctx

/* From the first token to the bytecode of the whole; functions within it are made by js_create_function itself. */
struct JSParseState;
struct JSFunctionDef;
static int ubi__parse_program(struct JSParseState *s);
static JSValue ubi__create_function(bool is_program, JSContext *ctx, struct JSFunctionDef *definition);
#define js_parse_program(first) UBI_PARSE_PROGRAM_##first )
#define UBI_PARSE_PROGRAM_JSParseState (js_parse_program)(JSParseState
#define UBI_PARSE_PROGRAM_s ubi__parse_program(s
#define js_create_function(first, ...) UBI_CREATE_FUNCTION_##first, __VA_ARGS__)
#define UBI_CREATE_FUNCTION_JSContext (js_create_function)(JSContext
#define UBI_CREATE_FUNCTION_ctx ubi__create_function(UBI_IN("__JS_EvalInternal"), ctx

/* ---- the exact place of an allocation ------------------------------------------------------------------------------- */

/*
 * The interpreter keeps the place in a local variable `pc` and stores it in its frame `sf` only before some operations.
 * These macros store it before all others that allocate objects. In other functions than the interpreter the branch is dead,
 * and the names mean these two, which are never used.
 */
static struct { const uint8_t *cur_pc; } * sf __attribute__((unused));
static const uint8_t *pc __attribute__((unused));
#define UBI_STORE_PLACE_IF(is_wanted)                                                                                  \
    (UBI_IN("JS_CallInternal") && (is_wanted) ? (void)(sf->cur_pc = (const uint8_t *)(uintptr_t)pc) : (void)0)
/* A new frame lies where an older one was, whose place must not be taken for its own: when it is set up it has none. */
#define UBI_FORGET_PLACE (UBI_IN("JS_CallInternal") ? (void)(sf->cur_pc = 0) : (void)0)

/*
 * The first argument: itself in a definition; in a call also a place to store. What makes an object and runs no script ends
 * before a tool can begin to watch, so its place is stored only while births are watched. The store itself would be cheap, but
 * these places are all over the interpreter's loop: when each stores always, gcc keeps `pc` in memory instead of a register,
 * and a call of a script takes 5 % more instructions. A rare store changes nothing.
 */
#define UBI_FIRST_JSContext JSContext
#define UBI_FIRST_ctx (UBI_STORE_PLACE_IF(true), ctx)
#define UBI_RUNNING_JSContext                                                                                          \
    JSContext /* of functions that are called in a frame that is set up, whatever context they get */
#define UBI_RUNNING_ctx (UBI_STORE_PLACE_IF(true), ctx)
#define UBI_RUNNING_caller_ctx (UBI_STORE_PLACE_IF(true), caller_ctx)
#define UBI_MAKES_JSContext JSContext
#define UBI_MAKES_ctx (UBI_STORE_PLACE_IF(ubi__watched()), ctx)

#define JS_NewArray(first) (JS_NewArray)(UBI_MAKES_##first)
#define js_create_array(first, ...) (js_create_array)(UBI_MAKES_##first, __VA_ARGS__)
#define js_create_array_free(first, ...) (js_create_array_free)(UBI_MAKES_##first, __VA_ARGS__)
#define js_closure(first, ...) (js_closure)(UBI_MAKES_##first, __VA_ARGS__)
#define js_build_arguments(first, ...) (js_build_arguments)(UBI_MAKES_##first, __VA_ARGS__)
#define js_build_mapped_arguments(first, ...) (js_build_mapped_arguments)(UBI_MAKES_##first, __VA_ARGS__)
#define js_build_rest(first, ...) (js_build_rest)(UBI_MAKES_##first, __VA_ARGS__)
#define js_regexp_constructor_internal(first, ...) (js_regexp_constructor_internal)(UBI_MAKES_##first, __VA_ARGS__)
#define JS_ToObject(first, ...) (JS_ToObject)(UBI_MAKES_##first, __VA_ARGS__)
#define js_create_iterator_result(first, ...) (js_create_iterator_result)(UBI_MAKES_##first, __VA_ARGS__)
#define JS_NewObjectProto(first, ...) (JS_NewObjectProto)(UBI_MAKES_##first, __VA_ARGS__)
#define JS_NewArrayFrom(first, ...) (JS_NewArrayFrom)(UBI_MAKES_##first, __VA_ARGS__)
#define JS_NewRegexp(first, ...) (JS_NewRegexp)(UBI_MAKES_##first, __VA_ARGS__)
#define js_import_meta(first) (js_import_meta)(UBI_MAKES_##first)
/* These may call getters, valueOf and the like, so the frame is one of those that the stack of a later allocation names. */
#define js_op_define_class(first, ...) (js_op_define_class)(UBI_FIRST_##first, __VA_ARGS__)
#define js_for_in_start(first, ...) (js_for_in_start)(UBI_FIRST_##first, __VA_ARGS__)
#define js_for_of_start(first, ...) (js_for_of_start)(UBI_FIRST_##first, __VA_ARGS__)
#define js_append_enumerate(first, ...) (js_append_enumerate)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_CopyDataProperties(first, ...) (JS_CopyDataProperties)(UBI_FIRST_##first, __VA_ARGS__)
#define js_dynamic_import(first, ...) (js_dynamic_import)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_CallConstructorInternal(first, ...) (JS_CallConstructorInternal)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_GetProperty(first, ...) (JS_GetProperty)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_GetPropertyValue(first, ...) (JS_GetPropertyValue)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_GetPropertyInternal(first, ...) (JS_GetPropertyInternal)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_SetPropertyValue(first, ...) (JS_SetPropertyValue)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_SetPropertyInternal(first, ...) (JS_SetPropertyInternal)(UBI_FIRST_##first, __VA_ARGS__)
#define js_add_slow(first, ...) (js_add_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_binary_arith_slow(first, ...) (js_binary_arith_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_unary_arith_slow(first, ...) (js_unary_arith_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_relational_slow(first, ...) (js_relational_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_eq_slow(first, ...) (js_eq_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_for_of_next(first, ...) (js_for_of_next)(UBI_FIRST_##first, __VA_ARGS__)
#define js_operator_instanceof(first, ...) (js_operator_instanceof)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_GetGlobalVar(first, ...) (JS_GetGlobalVar)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_GetGlobalVarRef(first, ...) (JS_GetGlobalVarRef)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_SetGlobalVar(first, ...) (JS_SetGlobalVar)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_CheckGlobalVar(first, ...) (JS_CheckGlobalVar)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_CheckDefineGlobalVar(first, ...) (JS_CheckDefineGlobalVar)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_HasProperty(first, ...) (JS_HasProperty)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_DeleteProperty(first, ...) (JS_DeleteProperty)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_DeleteGlobalVar(first, ...) (JS_DeleteGlobalVar)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ToPropertyKey(first, ...) (JS_ToPropertyKey)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ValueToAtom(first, ...) (JS_ValueToAtom)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ToString(first, ...) (JS_ToString)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ToPrimitiveFree(first, ...) (JS_ToPrimitiveFree)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ConcatString(first, ...) (JS_ConcatString)(UBI_FIRST_##first, __VA_ARGS__)
#define js_operator_in(first, ...) (js_operator_in)(UBI_FIRST_##first, __VA_ARGS__)
#define js_operator_delete(first, ...) (js_operator_delete)(UBI_FIRST_##first, __VA_ARGS__)
#define js_operator_private_in(first, ...) (js_operator_private_in)(UBI_FIRST_##first, __VA_ARGS__)
#define js_post_inc_slow(first, ...) (js_post_inc_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_not_slow(first, ...) (js_not_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_shr_slow(first, ...) (js_shr_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define js_binary_logic_slow(first, ...) (js_binary_logic_slow)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_GetPrivateField(first, ...) (JS_GetPrivateField)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_SetPrivateField(first, ...) (JS_SetPrivateField)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_DefinePrivateField(first, ...) (JS_DefinePrivateField)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_CheckBrand(first, ...) (JS_CheckBrand)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_AddBrand(first, ...) (JS_AddBrand)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_DefineProperty(first, ...) (JS_DefineProperty)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_DefinePropertyValue(first, ...) (JS_DefinePropertyValue)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_DefinePropertyValueValue(first, ...) (JS_DefinePropertyValueValue)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_IteratorClose(first, ...) (JS_IteratorClose)(UBI_FIRST_##first, __VA_ARGS__)
#define js_iterator_get_value_done(first, ...) (js_iterator_get_value_done)(UBI_FIRST_##first, __VA_ARGS__)
#define js_for_in_next(first, ...) (js_for_in_next)(UBI_FIRST_##first, __VA_ARGS__)
#define js_for_await_of_next(first, ...) (js_for_await_of_next)(UBI_FIRST_##first, __VA_ARGS__)
#define js_has_unscopable(first, ...) (js_has_unscopable)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_SetPrototypeInternal(first, ...) (JS_SetPrototypeInternal)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_GetPrototype(first, ...) (JS_GetPrototype)(UBI_FIRST_##first, __VA_ARGS__)
/* These make an error. */
#define JS_ThrowTypeError(first, ...) (JS_ThrowTypeError)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ThrowReferenceError(first, ...) (JS_ThrowReferenceError)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ThrowInternalError(first, ...) (JS_ThrowInternalError)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ThrowReferenceErrorNotDefined(first, ...) (JS_ThrowReferenceErrorNotDefined)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ThrowReferenceErrorUninitialized(first, ...)                                                                \
    (JS_ThrowReferenceErrorUninitialized)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ThrowReferenceErrorUninitialized2(first, ...)                                                               \
    (JS_ThrowReferenceErrorUninitialized2)(UBI_RUNNING_##first, __VA_ARGS__)
#define JS_ThrowTypeErrorReadOnly(first, ...) (JS_ThrowTypeErrorReadOnly)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ThrowSyntaxErrorVarRedeclaration(first, ...)                                                                \
    (JS_ThrowSyntaxErrorVarRedeclaration)(UBI_FIRST_##first, __VA_ARGS__)
#define JS_ThrowTypeErrorNotAnObject(first) (JS_ThrowTypeErrorNotAnObject)(UBI_FIRST_##first)

/*
 * Which place in the source text an operation belongs to is recorded by the engine's parser for those that may throw, by newer
 * engines for no others; and by us for those that make objects or call what does (positions.h). An operation may follow those of
 * its operands, so where the innermost construct began is kept while it is parsed: the bytecode stays the same, only its table of
 * places differs.
 */
typedef struct ubi__text_place { /* small: five of them are kept per construct */
#if UBI_SOURCE_POS               /* engines that record offsets in the text */
    const uint8_t *text;
#else
    int line, column;
#endif
} ubi__text_place;
typedef struct ubi__construct {
    ubi__text_place begins; /* of the innermost literal, class, pattern, expression or statement */
    ubi__text_place spread; /* the last `...` in it */
    ubi__text_place call;   /* the last `(` in it */
    ubi__text_place name;   /* of the last property in it */
    ubi__text_place block;  /* the `static` of a block of a class, until that is compiled */
    int last_token;         /* the one before the token at hand, in it or in one that it holds */
} ubi__construct;

struct JSParseState;
static ubi__construct ubi__construct_begins(struct JSParseState *s);
static void ubi__construct_ends(const ubi__construct *outer);
#define UBI__CONSTRUCT(function, s, ...)                                                                               \
    ({                                                                                                                 \
        const ubi__construct ubi__outer = ubi__construct_begins(s);                                                    \
        int ubi__parsed = (function)(s, ##__VA_ARGS__);                                                                \
        ubi__construct_ends(&ubi__outer);                                                                              \
        ubi__parsed;                                                                                                   \
    })
#define js_parse_object_literal(first) UBI_PARSE_OBJECT_##first)
#define UBI_PARSE_OBJECT_JSParseState (js_parse_object_literal)(JSParseState
#define UBI_PARSE_OBJECT_s UBI__CONSTRUCT(js_parse_object_literal, s
#define js_parse_array_literal(first) UBI_PARSE_ARRAY_##first)
#define UBI_PARSE_ARRAY_JSParseState (js_parse_array_literal)(JSParseState
#define UBI_PARSE_ARRAY_s UBI__CONSTRUCT(js_parse_array_literal, s
#define js_parse_class(first, ...) UBI_PARSE_CLASS_##first, __VA_ARGS__)
#define UBI_PARSE_CLASS_JSParseState (js_parse_class)(JSParseState
#define UBI_PARSE_CLASS_s UBI__CONSTRUCT(js_parse_class, s
#define js_parse_destructuring_element(first, ...) UBI_PARSE_PATTERN_##first, __VA_ARGS__)
#define UBI_PARSE_PATTERN_JSParseState (js_parse_destructuring_element)(JSParseState
#define UBI_PARSE_PATTERN_s UBI__CONSTRUCT(js_parse_destructuring_element, s
#define js_parse_left_hand_side_expr(first) UBI_PARSE_TARGET_##first)
#define UBI_PARSE_TARGET_JSParseState (js_parse_left_hand_side_expr)(JSParseState
#define UBI_PARSE_TARGET_s UBI__CONSTRUCT(js_parse_left_hand_side_expr, s
#define js_parse_assign_expr2(first, ...) UBI_PARSE_EXPRESSION_##first, __VA_ARGS__)
#define UBI_PARSE_EXPRESSION_JSParseState (js_parse_assign_expr2)(JSParseState
#define UBI_PARSE_EXPRESSION_s UBI__CONSTRUCT(js_parse_assign_expr2, s
#define js_parse_statement_or_decl(first, ...) UBI_PARSE_STATEMENT_##first, __VA_ARGS__)
#define UBI_PARSE_STATEMENT_JSParseState (js_parse_statement_or_decl)(JSParseState
#define UBI_PARSE_STATEMENT_s UBI__CONSTRUCT(js_parse_statement_or_decl, s

static int ubi__next_token(struct JSParseState *s);
#define next_token(first) UBI_NEXT_TOKEN_##first)
#define UBI_NEXT_TOKEN_JSParseState (next_token)(JSParseState
#define UBI_NEXT_TOKEN_s ubi__next_token(s
static int ubi__parse_template(struct JSParseState *s, int call, int *argc);
#define js_parse_template(first, ...) UBI_PARSE_TEMPLATE_##first, __VA_ARGS__)
#define UBI_PARSE_TEMPLATE_JSParseState (js_parse_template)(JSParseState
#define UBI_PARSE_TEMPLATE_s ubi__parse_template(s

static int ubi__parse_property_name(struct JSParseState *s, JSAtom *name, int with_method, int with_var,
                                    int with_private);
#define js_parse_property_name(first, ...) UBI_PARSE_PROPERTY_NAME_##first, __VA_ARGS__)
#define UBI_PARSE_PROPERTY_NAME_JSParseState (js_parse_property_name)(JSParseState
#define UBI_PARSE_PROPERTY_NAME_s ubi__parse_property_name(s

#if UBI_SOURCE_LOC && !UBI_SOURCE_POS /* a function's place is that of a later token there, for some */
#define js_parse_function_decl2(first, ...) UBI_PARSE_FUNCTION_##first, __VA_ARGS__)
#define UBI_PARSE_FUNCTION_JSParseState (js_parse_function_decl2)(JSParseState
#define UBI_PARSE_FUNCTION_s UBI__PARSE_FUNCTION(s
static ubi__text_place ubi__place_of_text(const struct JSParseState *s, const uint8_t *text);
#define UBI__PARSE_FUNCTION(s, type, kind, name, text, line_number, column_number, exported, definition)               \
    ({                                                                                                                 \
        const uint8_t *ubi__text = text;                                                                               \
        ubi__text_place ubi__place = ubi__place_of_text(s, ubi__text);                                                 \
        (js_parse_function_decl2)(s, type, kind, name, ubi__text, ubi__place.line, ubi__place.column, exported,        \
                                  definition);                                                                         \
    })
#endif

/* Which of the engine's functions compiles: one that parses a name, a member or a call, one that parses a class, or another. */
typedef enum ubi__emitter { UBI__ANY_EMITTER, UBI__CALL_EMITTER, UBI__CLASS_EMITTER } ubi__emitter;
#define UBI__EMITTER                                                                                                   \
    (UBI_IN("js_parse_postfix_expr") ? UBI__CALL_EMITTER                                                               \
     : UBI_IN("js_parse_class")      ? UBI__CLASS_EMITTER                                                              \
                                     : UBI__ANY_EMITTER)
static void ubi__emit_op(struct JSParseState *s, ubi__emitter emitter, uint8_t op);
#define emit_op(first, op) UBI_EMIT_OP_##first, op)
#define UBI_EMIT_OP_JSParseState (emit_op)(JSParseState
#define UBI_EMIT_OP_s ubi__emit_op(s, UBI__EMITTER
static void ubi__emit_return(struct JSParseState *s, int has_value);
#define emit_return(first, has_value) UBI_EMIT_RETURN_##first, has_value)
#define UBI_EMIT_RETURN_JSParseState (emit_return)(JSParseState
#define UBI_EMIT_RETURN_s ubi__emit_return(s

#include "engines/quickjs/adapter/block_hooks.h"

/* ---- what `new` was called on --------------------------------------------------------------------------------------- */

/*
 * An object that a constructor makes comes out of js_create_from_ctor, except those of Object, Error and Proxy. Its birth
 * was reported already; now follows the constructor. `new_target` and `this_val` are arguments of the functions named.
 */
static JSValue new_target __attribute__((unused));
static JSValue UBI_OUT_OF_LINE ubi__create_classified(JSContext *ctx, JSValueConst constructor, int class_number);
static void UBI_COLD ubi__made_by_new(JSContext *ctx, JSValueConst object, JSValueConst constructor);
static inline __attribute__((always_inline)) JSValue ubi__made_by(JSContext *ctx, JSValue object, bool is_made,
                                                                  JSValueConst constructor) {
    if (is_made && ubi__watched())
        ubi__made_by_new(ctx, object, constructor);
    return object;
}

static JSValue js_create_from_ctor(JSContext *ctx, JSValueConst ctor, int class_id);
static inline JSValue ubi__create_from_ctor(JSContext *ctx, JSValueConst ctor, int class_number) {
    if (ubi__classified())
        return ubi__create_classified(ctx, ctor, class_number);
    return ubi__made_by(ctx, js_create_from_ctor(ctx, ctor, class_number), true, ctor);
}
#define js_create_from_ctor(first, ...) UBI_CREATE_FROM_CTOR_##first, __VA_ARGS__)
#define UBI_CREATE_FROM_CTOR_JSContext (js_create_from_ctor)(JSContext
#define UBI_CREATE_FROM_CTOR_ctx ubi__create_from_ctor(ctx

#define JS_NewObject(first) UBI_NEW_OBJECT_##first )
#define UBI_NEW_OBJECT_JSContext (JS_NewObject)(JSContext
#define UBI_NEW_OBJECT_ctx ubi__made_by(ctx, (JS_NewObject)(UBI_MAKES_ctx), UBI_IN("js_object_constructor"), new_target

static inline __attribute__((always_inline)) JSValue ubi__new_object_of(bool is_error, JSValueConst error_constructor,
                                                                        bool is_proxy, JSValueConst proxy_constructor,
                                                                        JSContext *ctx, JSValueConst proto,
                                                                        JSClassID class_id) {
    return ubi__made_by(ctx, JS_NewObjectProtoClass(ctx, proto, class_id), is_error || is_proxy,
                        is_error ? error_constructor : proxy_constructor);
}
#define JS_NewObjectProtoClass(first, ...) UBI_NEW_OBJECT_OF_##first, __VA_ARGS__)
#define UBI_NEW_OBJECT_OF_JSContext (JS_NewObjectProtoClass)(JSContext
#define UBI_NEW_OBJECT_OF_ctx                                                                                          \
    ubi__new_object_of(UBI_IN("js_error_constructor"), new_target, UBI_IN("js_proxy_constructor"), this_val,           \
                       UBI_MAKES_ctx

#if UBI_NEW_PROXY /* there the constructor of proxies calls an exported function */
static inline JSValue ubi__new_proxy(bool is_made, JSValueConst constructor, JSContext *ctx, JSValueConst target,
                                     JSValueConst handler) {
    return ubi__made_by(ctx, JS_NewProxy(ctx, target, handler), is_made, constructor);
}
#define JS_NewProxy(first, ...) UBI_NEW_PROXY_##first, __VA_ARGS__)
#define UBI_NEW_PROXY_JSContext (JS_NewProxy)(JSContext
#define UBI_NEW_PROXY_ctx ubi__new_proxy(UBI_IN("js_proxy_constructor"), this_val, ctx
#endif

#endif
