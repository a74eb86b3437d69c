/* SPDX-License-Identifier: MIT
 *
 * js_facts.h: what the API for scripts asks of the adapter, because quickjs.h does not provide it.
 *
 * Defined in adapter/script_facts.h and adapter/content_facts.h. Nothing here runs code of scripts or allocates.
 */
#ifndef UBI_QUICKJS_JS_FACTS_H
#define UBI_QUICKJS_JS_FACTS_H

#include "engines/quickjs/engine.h"

/** What only the engine knows of an object. */
typedef struct ubi__object_facts {
    JSAtom class_name; /**< such as Array; the runtime's own reference */
    bool is_array;     /**< as Array.isArray says, so also a proxy of an array */
    bool is_proxy;
    bool is_bound;    /**< made by Function.prototype.bind */
    JSContext *realm; /**< of its function, or the one whose prototypes it inherits from; NULL: unknown */
} ubi__object_facts;

void ubi__object_facts_of(ubi__object_facts *out, JSRuntime *runtime, JSValueConst object);

/** What an object of some of the language's classes holds beside its properties. */
typedef struct ubi__content_facts {
    enum {
        UBI__CONTENT_OTHER,
        UBI__CONTENT_DATE,
        UBI__CONTENT_REG_EXP,
        UBI__CONTENT_MAP,
        UBI__CONTENT_SET,
        UBI__CONTENT_WEAK_MAP,
        UBI__CONTENT_WEAK_SET,
        UBI__CONTENT_PROMISE,
        UBI__CONTENT_PROXY,
        UBI__CONTENT_WRAPPER,
        UBI__CONTENT_ARRAY_BUFFER,
        UBI__CONTENT_TYPED_ARRAY
    } of;
    /** DATE: its time, a number; REG_EXP: its pattern, a string; PROMISE: what it settled with; PROXY: its target; WRAPPER: its primitive.
     * Borrowed. */
    JSValueConst value;
    JSValueConst handler;   /**< PROXY; borrowed */
    uint32_t flags;         /**< REG_EXP: as the engine counts them: from bit 0 "gimsuyd", and v is bit 8 */
    uint32_t entry_count;   /**< MAP, SET, WEAK_MAP, WEAK_SET */
    uint32_t element_count; /**< TYPED_ARRAY */
    uint64_t byte_length;   /**< ARRAY_BUFFER, TYPED_ARRAY */
    int promise_state;      /**< PROMISE: 0 pending, 1 fulfilled, 2 rejected */
} ubi__content_facts;

void ubi__content_facts_of(ubi__content_facts *out, JSValueConst object);
/**
 * Entries of a collection, in their order.
 * @param pairs  [2 * most]: keys and values in turn, borrowed. @return how many there were. Cost: O(first + most).
 */
uint32_t ubi__entries_read(JSValueConst *pairs, JSValueConst object, uint64_t first, uint32_t most);

/** Where a function of a script is defined, and what kind it is. */
typedef struct ubi__function_facts {
    JSAtom source; /**< its file's name; the runtime's own reference; JS_ATOM_NULL: unknown, or it is native */
    uint32_t line, column;
    uint32_t parameter_count;
    bool is_async, is_generator;
} ubi__function_facts;

void ubi__function_facts_of(ubi__function_facts *out, JSValueConst function);
/** The name of one of its parameters; JS_ATOM_NULL: it has none, such as a pattern. Borrowed. */
JSAtom ubi__parameter_name(JSValueConst function, uint32_t index);

/** The realms of a runtime by number, oldest first; NULL after the last. */
JSContext *ubi__runtime_realm(JSRuntime *runtime, uint32_t index);

/** The keys Symbol.iterator and Symbol.toStringTag, whatever scripts did to theirs. Not owned; permanent. */
JSAtom ubi__iterator_atom(void);
JSAtom ubi__to_string_tag_atom(void);

/**
 * Code that is run for a console, and can be ended from a safe point within it: the engine asks now and then whether it shall stop. While
 * it runs there are safe points, also where the embedder has no interrupt handler. Runs are within each other.
 */
typedef struct ubi__js_run {
    struct ubi__js_run *outer; /**< the next of its console */
    ubi_quickjs *tools;
    JSInterruptHandler *handler; /**< the embedder's; NULL: it has none */
    void *handler_payload;
    JSInterruptHandler *before; /**< what is to be restored */
    void *before_payload;
    bool must_stop;
} ubi__js_run;
void ubi__js_run_begin(ubi__js_run *run, ubi_quickjs *tools);
void ubi__js_run_end(ubi__js_run *run);

/** The object whose properties are a realm's variables that its global object has not: let, const, class. Borrowed. */
JSValueConst ubi__lexical_scope(JSContext *ctx);

/** An error that no code catches: of a run that was stopped. A promise may have it as its reason even so. */
bool ubi__is_uncatchable(JSValueConst error);

/** Fills *id with a class number unless it has one. Not thread-safe. */
void ubi__new_class_id(JSRuntime *runtime, JSClassID *id);

JSRuntime *ubi__tools_runtime(const ubi_quickjs *tools);
/** The first realm of a scope that lives, of the runtime for NULL; NULL: there is none. */
JSContext *ubi__scope_realm(const ubi_quickjs *tools, const ubi_quickjs_scope *scope);
/** Whether a realm belongs to a scope; to NULL belong all. */
bool ubi__scope_includes(const ubi_quickjs_scope *scope, const JSContext *realm);
/** NULL belongs to all. Errors: UBI_EMISMATCH. */
ubi_status ubi__scope_belongs(const ubi_quickjs_scope *scope, const ubi_quickjs *tools);

/** The list of consoles that are open, for js_console.c. */
struct ubi__js_console **ubi__tools_consoles(ubi_quickjs *tools);

/** What the tools were attached with. */
const ubi_allocator *ubi__tools_allocator(const ubi_quickjs *tools);
/** Another number for each attaching. */
uint64_t ubi__tools_serial(const ubi_quickjs *tools);

#endif
