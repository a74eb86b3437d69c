/* SPDX-License-Identifier: MIT
 *
 * edges_code.h: edges of bytecode, modules and realms.
 */
#ifndef UBI_QUICKJS_EDGES_CODE_H
#define UBI_QUICKJS_EDGES_CODE_H

#include "engines/quickjs/adapter/edges_object.h"

/* ---- bytecode ------------------------------------------------------------------------------------------------------- */

static inline bool ubi__format_has_atom(int format) {
    return format == OP_FMT_atom || format == OP_FMT_atom_u8 || format == OP_FMT_atom_u16 ||
           format == OP_FMT_atom_label_u8 || format == OP_FMT_atom_label_u16;
}

/* Instructions that name an atom hold it. */
UBI__INLINE void ubi__instruction_edges(ubi__sink *sink, ubi__purpose purpose, const JSFunctionBytecode *b) {
    const uint8_t *code = b->byte_code_buf;
    for (int at = 0; at < b->byte_code_len;) {
        const JSOpCode *instruction = &short_opcode_info(code[at]);
        if (ubi__format_has_atom(instruction->fmt))
            ubi__atom_edge(sink, purpose, get_u32(code + at + 1), UBI__NAMED("instruction atom"));
        at += instruction->size;
    }
}

UBI__INLINE void ubi__bytecode_name_edges(ubi__sink *sink, ubi__purpose purpose, const JSFunctionBytecode *b) {
    ubi__atom_edge(sink, purpose, b->func_name, UBI__NAMED("func_name"));
    if (b->vardefs)
        for (int i = 0; i < b->arg_count + b->var_count; i++)
            ubi__atom_edge(sink, purpose, b->vardefs[i].var_name, UBI__NAMED("variable name"));
    for (int i = 0; i < b->closure_var_count; i++)
        ubi__atom_edge(sink, purpose, b->closure_var[i].var_name, UBI__NAMED("closure variable name"));
#if UBI_HAS_DEBUG_BIT
    if (!b->has_debug)
        return;
#endif
#if UBI_DEBUG_STRUCT
    ubi__atom_edge(sink, purpose, b->debug.filename, UBI__NAMED("filename"));
#else
    ubi__atom_edge(sink, purpose, b->filename, UBI__NAMED("filename"));
#endif
}

UBI__INLINE void ubi__bytecode_edges(ubi__sink *sink, ubi__purpose purpose, const JSFunctionBytecode *b) {
    ubi__edge(sink, purpose, b->realm, UBI__REALM, true, UBI__NAMED("realm"));
    for (int i = 0; i < b->cpool_count; i++)
        ubi__value_edge(sink, purpose, b->cpool[i], UBI__NUMBERED("constant ", (uint32_t)i));
    ubi__bytecode_name_edges(sink, purpose, b);
    if (b->byte_code_buf)
        ubi__instruction_edges(sink, purpose, b);
}

/* ---- modules -------------------------------------------------------------------------------------------------------- */

static ubi__name ubi__name_by_module(ubi__sink *sink, JSValueConst value) {
    const JSModuleDef *m = sink->origin;
    const void *met = JS_VALUE_HAS_REF_COUNT(value) ? JS_VALUE_GET_PTR(value) : NULL;
    if (met && met == JS_VALUE_GET_PTR(m->module_ns))
        return UBI__NAMED("namespace");
    if (met && met == JS_VALUE_GET_PTR(m->func_obj))
        return UBI__NAMED("function");
    if (met && met == JS_VALUE_GET_PTR(m->meta_obj))
        return UBI__NAMED("meta");
    if (met)
        return UBI__NAMED("exception");
    uint32_t nth = sink->position; /* variables of local exports come first, in their order */
    for (int i = 0; i < m->export_entries_count; i++) {
        const JSExportEntry *entry = &m->export_entries[i];
        if (entry->export_type == JS_EXPORT_TYPE_LOCAL && entry->u.local.var_ref && nth-- == 0)
            return UBI__ATOM_NAMED(entry->export_name);
    }
    return UBI__NAMED(NULL);
}

UBI__INLINE void ubi__module_name_edges(ubi__sink *sink, ubi__purpose purpose, const JSModuleDef *m) {
    ubi__atom_edge(sink, purpose, m->module_name, UBI__NAMED("name"));
    for (int i = 0; i < m->req_module_entries_count; i++)
        ubi__atom_edge(sink, purpose, m->req_module_entries[i].module_name, UBI__NAMED("required module name"));
    for (int i = 0; i < m->export_entries_count; i++) {
        ubi__atom_edge(sink, purpose, m->export_entries[i].export_name, UBI__NAMED("export name"));
        ubi__atom_edge(sink, purpose, m->export_entries[i].local_name, UBI__NAMED("local name"));
    }
    for (int i = 0; i < m->import_entries_count; i++)
        ubi__atom_edge(sink, purpose, m->import_entries[i].import_name, UBI__NAMED("import name"));
}

UBI__INLINE void ubi__module_edges(ubi__sink *sink, ubi__purpose purpose, JSModuleDef *m) {
    ubi__sink *before;
    sink->tools->hook_counts[UBI__HOOK_MODULE]++;
    ubi__begin_marks(sink, &before, ubi__name_by_module);
    sink->origin = m;
    (js_mark_module_def)(sink->rt, m, ubi__walk_mark);
    ubi__end_marks(before);
    ubi__module_name_edges(sink, purpose, m);
}

/* The engine's collector does not know modules, so its realm reports their edges. We make them nodes that the realm owns. */
static void ubi__walk_meets_module(JSRuntime *rt, JSModuleDef *m) {
    ubi__sink *sink = ubi__marked_into;
    ubi__edge(sink, sink->purpose, m, UBI__MODULE, true, UBI__NAMED("module"));
}

/* ---- realms --------------------------------------------------------------------------------------------------------- */

#define UBI__COMPARE_REALM_FIELD(field)                                                                                \
    if (JS_VALUE_HAS_REF_COUNT(realm->field) && JS_VALUE_GET_PTR(realm->field) == met)                                 \
        return UBI__NAMED(#field);

#define UBI__COMPARE_REALM_SHAPE(field)                                                                                \
    if (realm->field == met)                                                                                           \
        return UBI__NAMED(#field);

/* A realm reports some hundred values in an order that changes from version to version: what they are is found by looking. */
static ubi__name ubi__name_by_realm(ubi__sink *sink, JSValueConst value) {
    JSContext *realm = (JSContext *)sink->origin;
    const void *met = sink->met;
    UBI_REALM_SHAPES(UBI__COMPARE_REALM_SHAPE)
    if (JS_VALUE_GET_TAG(value) == JS_TAG_MODULE)
        return UBI__NAMED("module");
    UBI_REALM_FIELDS(UBI__COMPARE_REALM_FIELD)
    for (int i = 0; i < sink->rt->class_count; i++)
        if (JS_VALUE_HAS_REF_COUNT(realm->class_proto[i]) && JS_VALUE_GET_PTR(realm->class_proto[i]) == met)
            return UBI__ATOM_NAMED_AFTER("prototype of ", sink->rt->class_array[i].class_name);
    return UBI__NAMED("native error prototype");
}

UBI__INLINE void ubi__realm_edges(ubi__sink *sink, ubi__purpose purpose, JSContext *realm) {
    ubi__sink *before;
    ubi__begin_marks(sink, &before, ubi__name_by_realm);
    sink->origin = realm;
    if (realm->class_proto) /* else it is being made */
        mark_children(sink->rt, &realm->header, ubi__walk_mark);
    ubi__end_marks(before);
}

#endif
