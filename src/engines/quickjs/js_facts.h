/* SPDX-License-Identifier: MIT
 *
 * js_facts.h: what the API for scripts asks of the adapter, because quickjs.h does not provide it.
 *
 * Defined in adapter/script_facts.h. Nothing here runs code of scripts or allocates.
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

/** The realms of a runtime by number, oldest first; NULL after the last. */
JSContext *ubi__runtime_realm(JSRuntime *runtime, uint32_t index);

/** The keys Symbol.iterator and Symbol.toStringTag, whatever scripts did to theirs. Not owned; permanent. */
JSAtom ubi__iterator_atom(void);
JSAtom ubi__to_string_tag_atom(void);

/** Fills *id with a class number unless it has one. Not thread-safe. */
void ubi__new_class_id(JSRuntime *runtime, JSClassID *id);

/** What the tools were attached with. */
const ubi_allocator *ubi__tools_allocator(const ubi_quickjs *tools);
/** Another number for each attaching. */
uint64_t ubi__tools_serial(const ubi_quickjs *tools);

#endif
