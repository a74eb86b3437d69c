/* SPDX-License-Identifier: MIT
 *
 * timeline.h: what of a runtime is reported to the timeline: runs of scripts, who waits for promises, parsing.
 *
 * A run begins when a program calls into scripts while none is running, and ends when it comes back: a job, a function, a
 * script or module. What it runs is read from the engine's structures; the rest, with the timeline itself, is timeline.c.
 * Nothing here is called while no timeline is looked at.
 */
#ifndef UBI_QUICKJS_TIMELINE_HOOKS_H
#define UBI_QUICKJS_TIMELINE_HOOKS_H

#include <ubiheap/core/marker.h>

#include "engines/quickjs/adapter/recorded.h"
#include "engines/quickjs/adapter/registry.h"
#include "engines/quickjs/adapter/stack_capture.h"
#include "engines/quickjs/timeline.h"

/** Whether any timeline is looked at. */
static inline __attribute__((always_inline)) bool ubi__timeline_looked_at(void) {
    return __builtin_expect(__atomic_load_n(&ubi__marker_port.active, __ATOMIC_RELAXED) != 0, 0);
}

/** The tools of a runtime whose markers are wanted, or NULL. */
static UBI_COLD ubi_quickjs *ubi__timeline_tools(JSRuntime *rt, ubi__hook hook) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (!tools || tools->walk.is_frozen || !ubi__timeline_wants(&tools->timeline))
        return NULL;
    tools->hook_counts[hook]++;
    return tools;
}

/* ---- what runs ------------------------------------------------------------------------------------------------------ */

static void ubi__describe_code(ubi__trie_frame *out, ubi_quickjs *tools, JSFunctionBytecode *b) {
    out->function_name = b->func_name == JS_ATOM_NULL || b->func_name == JS_ATOM__eval_
                             ? UBI_NONE
                             : ubi__text_of_atom(tools, b->func_name);
    ubi__describe_position(out, tools, b, UBI__NO_PC);
}

/* The function that resumes when a promise that it waits for is settled. */
static JSValueConst ubi__awaiting_function(const JSObject *resolver) {
#if UBI_ASYNC_STATE_GC
    const JSAsyncFunctionState *state = resolver->u.async_function_data;
    return state->is_completed ? JS_UNDEFINED : state->frame.cur_func;
#else
    const JSAsyncFunctionData *data = resolver->u.async_function_data;
    return data->is_active ? data->func_state.frame.cur_func : JS_UNDEFINED;
#endif
}

/* The function that runs when something is called, behind bound functions and what resumes async ones. */
static JSValueConst ubi__function_behind(JSValueConst callable) {
    for (int i = 0; i < 8 && JS_VALUE_GET_TAG(callable) == JS_TAG_OBJECT; i++) {
        const JSObject *p = JS_VALUE_GET_OBJ(callable);
        if (p->class_id == JS_CLASS_BOUND_FUNCTION)
            callable = p->u.bound_function->func_obj;
        else if (p->class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE || p->class_id == JS_CLASS_ASYNC_FUNCTION_REJECT)
            callable = ubi__awaiting_function(p);
        else
            break;
    }
    return callable;
}

static ubi__trie_frame ubi__described_callable(ubi_quickjs *tools, JSValueConst callable) {
    ubi__trie_frame facts = { .function_name = UBI_NONE, .source = UBI_NONE };
    callable = ubi__function_behind(callable);
    if (JS_VALUE_GET_TAG(callable) != JS_TAG_OBJECT)
        return facts;
    JSObject *p = JS_VALUE_GET_OBJ(callable);
    JSFunctionBytecode *b = ubi__bytecode_of(p);
    if (b)
        ubi__describe_position(&facts, tools, b, UBI__NO_PC);
    facts.function_name = ubi__text_of_function(tools, p);
    return facts;
}

static UBI_COLD void ubi__end_run(JSRuntime *rt) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    if (tools)
        ubi__timeline_end_run(&tools->timeline);
}

/* ---- calls from outside --------------------------------------------------------------------------------------------- */

static bool ubi__begin_call(JSContext *ctx, JSValueConst function) {
    if (ctx->rt->current_stack_frame || JS_VALUE_GET_TAG(function) != JS_TAG_OBJECT)
        return false;
    ubi_quickjs *tools = ubi__timeline_tools(ctx->rt, UBI__HOOK_CALL);
    if (!tools || ubi__timeline_runs(&tools->timeline))
        return false;
    ubi__trie_frame facts = ubi__described_callable(tools, function);
    ubi__timeline_begin_run(&tools->timeline, &facts, "function call",
                            ubi__timeline_waiting_for(&tools->timeline, JS_VALUE_GET_PTR(function)));
    return true;
}

static UBI_COLD JSValue ubi__reported_call(JSContext *ctx, JSValueConst function, JSValueConst this_value, int argc,
                                           JSValueConst *argv) {
    JSRuntime *rt = ctx->rt;
    bool began = ubi__begin_call(ctx, function);
    JSValue result = ubi__engine_call(ctx, function, this_value, argc, argv);
    if (began)
        ubi__end_run(rt);
    return result;
}

JSValue JS_Call(JSContext *ctx, JSValueConst function, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__runs_on_this_thread(ctx->rt);
    if (ubi__timeline_looked_at())
        return ubi__reported_call(ctx, function, this_value, argc, argv);
    return ubi__engine_call(ctx, function, this_value, argc, argv);
}

/* ---- scripts and modules -------------------------------------------------------------------------------------------- */

static bool ubi__begin_program(JSContext *ctx, JSValueConst program) {
    int tag = JS_VALUE_GET_TAG(program);
    if (ctx->rt->current_stack_frame || (tag != JS_TAG_FUNCTION_BYTECODE && tag != JS_TAG_MODULE))
        return false;
    ubi_quickjs *tools = ubi__timeline_tools(ctx->rt, UBI__HOOK_PROGRAM);
    if (!tools || ubi__timeline_runs(&tools->timeline))
        return false;
    ubi__trie_frame facts = { .function_name = UBI_NONE, .source = UBI_NONE, .line = 1 };
    if (tag == JS_TAG_FUNCTION_BYTECODE)
        ubi__describe_code(&facts, tools, JS_VALUE_GET_PTR(program));
    else
        facts.source = ubi__text_of_atom(tools, ((JSModuleDef *)JS_VALUE_GET_PTR(program))->module_name);
    ubi__timeline_begin_run(&tools->timeline, &facts, tag == JS_TAG_MODULE ? "module evaluation" : "script evaluation",
                            0);
    return true;
}

static JSValue ubi__eval_function(JSContext *ctx, JSValue program, JSValueConst this_value, struct JSVarRef **var_refs,
                                  struct JSStackFrame *frame) {
    JSRuntime *rt = ctx->rt;
    ubi__runs_on_this_thread(rt);
    bool began = ubi__timeline_looked_at() && ubi__begin_program(ctx, program);
    JSValue result = JS_EvalFunctionInternal(ctx, program, this_value, var_refs, frame);
    if (began)
        ubi__end_run(rt);
    return result;
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------- */

/*
 * What a reaction is known by: the object that no other reaction has. That is the function which settles the promise that
 * `then` returned; `await` needs none, but has handlers of its own.
 */
static const void *ubi__object_or_null(JSValueConst value) {
    return JS_VALUE_GET_TAG(value) == JS_TAG_OBJECT ? JS_VALUE_GET_PTR(value) : NULL;
}

static ubi__async_ix ubi__waiting_for_reaction(ubi_quickjs *tools, JSValueConst *argv) {
    const void *settles = ubi__object_or_null(argv[0]), *handler = ubi__object_or_null(argv[2]);
    return ubi__timeline_waiting_for(&tools->timeline, settles ? settles : handler);
}

/* The function that a job of the engine's own calls; undefined: none, or the job is a program's. */
static JSValueConst ubi__called_by_job(const JSJobEntry *job) {
    bool is_reaction = job->job_func == promise_reaction_job && job->argc == 5;
    bool is_thenable = job->job_func == js_promise_resolve_thenable_job && job->argc == 3;
    return is_reaction || is_thenable ? job->argv[2] : JS_UNDEFINED;
}

static bool ubi__begin_job(JSRuntime *rt) {
    if (rt->current_stack_frame || list_empty(&rt->job_list))
        return false;
    const JSJobEntry *job = list_entry(rt->job_list.next, JSJobEntry, link);
    JSValueConst called = ubi__called_by_job(job);
    if (JS_VALUE_GET_TAG(called) != JS_TAG_OBJECT)
        return false;
    ubi_quickjs *tools = ubi__timeline_tools(rt, UBI__HOOK_JOB);
    if (!tools || ubi__timeline_runs(&tools->timeline))
        return false;
    ubi__async_ix link = job->argc == 5 ? ubi__waiting_for_reaction(tools, (JSValueConst *)job->argv) : 0;
    ubi__trie_frame facts = ubi__described_callable(tools, called);
    ubi__timeline_begin_run(&tools->timeline, &facts, "promise callback", link);
    return true;
}

int JS_ExecutePendingJob(JSRuntime *rt, JSContext **realm) {
    ubi__runs_on_this_thread(rt);
    bool began = ubi__timeline_looked_at() && ubi__begin_job(rt);
    int result = ubi__engine_execute_job(rt, realm);
    if (began)
        ubi__end_run(rt);
    return result;
}

/* ---- who waits for promises ----------------------------------------------------------------------------------------- */

static UBI_COLD void ubi__reported_reaction(JSContext *ctx, JSValueConst *handlers, JSValueConst *capability) {
    ubi_quickjs *tools = ubi__timeline_tools(ctx->rt, UBI__HOOK_REACTION);
    if (!tools)
        return;
    const void *settles = ubi__object_or_null(capability[0]);
    ubi__async_ix link = ubi__timeline_register(&tools->timeline);
    for (int i = 0; link && i < 2; i++) {
        const void *known_by = settles ? settles : ubi__object_or_null(handlers[i]);
        if (known_by)
            ubi__timeline_waits(&tools->timeline, known_by, link);
    }
}

static int ubi__promise_then(JSContext *ctx, JSValueConst promise, JSValueConst *handlers, JSValueConst *capability) {
    int result = UBI__WITH_BLOCKS(ctx->rt, ubi__blocks_of_class(ctx->rt, JS_CLASS_PROMISE),
                                  perform_promise_then(ctx, promise, handlers, capability));
    if (ubi__timeline_looked_at() && result == 0)
        ubi__reported_reaction(ctx, handlers, capability);
    return result;
}

/* ---- parsing -------------------------------------------------------------------------------------------------------- */

static UBI_COLD void ubi__reported_parse(JSRuntime *rt, const char *file) {
    ubi_quickjs *tools = ubi__timeline_tools(rt, file ? UBI__HOOK_PARSE_BEGIN : UBI__HOOK_PARSE_END);
    if (tools && file)
        ubi__timeline_begin_parse(&tools->timeline, file);
    else if (tools)
        ubi__timeline_end_parse(&tools->timeline);
}

static int ubi__parse_program(struct JSParseState *s) {
    JSRuntime *rt = s->ctx->rt;
    if (ubi__timeline_looked_at())
        ubi__reported_parse(rt, s->filename ? s->filename : "");
    int result = UBI__WITH_BLOCKS(rt, ubi__blocks_of_kind(rt, UBI__BLOCK_CODE), js_parse_program(s));
    if (result && ubi__timeline_looked_at())
        ubi__reported_parse(rt, NULL);
    return result;
}

static JSValue ubi__create_function(bool is_program, JSContext *ctx, struct JSFunctionDef *definition) {
    JSValue function =
        UBI__WITH_BLOCKS(ctx->rt, ubi__blocks_of_kind(ctx->rt, UBI__BLOCK_CODE), js_create_function(ctx, definition));
    if (is_program && ubi__timeline_looked_at())
        ubi__reported_parse(ctx->rt, NULL);
    return function;
}

/* ---- for timeline.c ------------------------------------------------------------------------------------------------- */

ubi__timeline *ubi__timeline_of_tools(ubi_quickjs *tools) {
    return &tools->timeline;
}

ubi__stack_ix ubi__timeline_capture(ubi__timeline *l) {
    return l->tools->runtime->current_stack_frame ? ubi__capture_stack(l->tools) : UBI__STACK_EMPTY;
}

const void *ubi__object_address(JSValueConst value) {
    return ubi__object_or_null(value);
}

#endif
