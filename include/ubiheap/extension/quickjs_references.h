/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/quickjs_references.h: reports which references a program takes and releases; comes before its own source.
 *
 * JS_DupValue and JS_FreeValue are inline functions of quickjs.h, so the engine does not see them. The sources of a program that
 * embeds QuickJS are compiled with this header in front, and stay as they are:
 *
 *     cc -include ubiheap/extension/quickjs_references.h ...
 *
 * Then a runtime whose leaks are reported with `with_references` (ubiheap/extension/quickjs_leaks.h) knows where each reference was
 * taken. Functions of the engine become macros that call them: JS_NewObject(ctx) is what it was, and notes that the program has its
 * result. Sources compiled without this header work as before; what they take is reported without a stack.
 *
 * Cost while no runtime is recorded: a load and a predicted branch per call. C and C++.
 * Source: docs/how-to/find-a-leaked-reference.md.
 */
#ifndef UBIHEAP_QUICKJS_REFERENCES_H
#define UBIHEAP_QUICKJS_REFERENCES_H

#include <quickjs.h>

#include <ubiheap/core/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many runtimes are recorded, at most 255. */
extern unsigned char ubi_quickjs_references_recorded;

/** What a reference is released by. */
typedef enum ubi_quickjs_reference {
    UBI_QUICKJS_VALUE,  /**< JS_FreeValue */
    UBI_QUICKJS_TEXT,   /**< JS_FreeCString */
    UBI_QUICKJS_ATOM,   /**< JS_FreeAtom */
    UBI_QUICKJS_CONTEXT /**< JS_FreeContext */
} ubi_quickjs_reference;

/* `how` is static: the function that gave the reference. */
UBI_API void ubi_quickjs_reference_taken(const void *thing, ubi_quickjs_reference reference, const char *how);
UBI_API void ubi_quickjs_reference_released(const void *thing, ubi_quickjs_reference reference);
UBI_API void ubi_quickjs_atom_taken(JSRuntime *runtime, JSAtom atom, const char *how);
UBI_API void ubi_quickjs_atom_released(JSRuntime *runtime, JSAtom atom);
/** The string that JS_ToCString keeps for its text. */
UBI_API const void *ubi_quickjs_string_of_text(const void *text);

#ifdef __cplusplus
}
#endif

#define UBI_QUICKJS_INLINE static inline __attribute__((always_inline, unused))

UBI_QUICKJS_INLINE int ubi_quickjs_is_recorded(void) {
    return __builtin_expect(__atomic_load_n(&ubi_quickjs_references_recorded, __ATOMIC_RELAXED) != 0, 0);
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

UBI_QUICKJS_INLINE JSValue ubi_quickjs_took(JSValue value, const char *how) {
    if (ubi_quickjs_is_recorded() && JS_VALUE_HAS_REF_COUNT(value))
        ubi_quickjs_reference_taken(JS_VALUE_GET_PTR(value), UBI_QUICKJS_VALUE, how);
    return value;
}

/** It is released, or becomes another owner's. */
UBI_QUICKJS_INLINE JSValue ubi_quickjs_gave(JSValue value) {
    if (ubi_quickjs_is_recorded() && JS_VALUE_HAS_REF_COUNT(value))
        ubi_quickjs_reference_released(JS_VALUE_GET_PTR(value), UBI_QUICKJS_VALUE);
    return value;
}

UBI_QUICKJS_INLINE const JSValue *ubi_quickjs_gave_values(int count, const JSValue *values) {
    for (int i = 0; ubi_quickjs_is_recorded() && i < count; i++)
        ubi_quickjs_gave(values[i]);
    return values;
}

UBI_QUICKJS_INLINE JSValue ubi_quickjs_took_promise(JSValue promise, const JSValue *functions) {
    if (ubi_quickjs_is_recorded() && !JS_IsException(promise)) {
        ubi_quickjs_took(functions[0], "JS_NewPromiseCapability");
        ubi_quickjs_took(functions[1], "JS_NewPromiseCapability");
    }
    return ubi_quickjs_took(promise, "JS_NewPromiseCapability");
}

UBI_QUICKJS_INLINE int ubi_quickjs_took_property(int found, const JSPropertyDescriptor *property) {
    if (ubi_quickjs_is_recorded() && found > 0 && property) {
        ubi_quickjs_took(property->value, "JS_GetOwnProperty");
        ubi_quickjs_took(property->getter, "JS_GetOwnProperty");
        ubi_quickjs_took(property->setter, "JS_GetOwnProperty");
    }
    return found;
}

#define JS_DupValue(...) ubi_quickjs_took((JS_DupValue)(__VA_ARGS__), "JS_DupValue")
#define JS_DupValueRT(...) ubi_quickjs_took((JS_DupValueRT)(__VA_ARGS__), "JS_DupValueRT")
#define JS_FreeValue(context, value) (JS_FreeValue)(context, ubi_quickjs_gave(value))
#define JS_FreeValueRT(runtime, value) (JS_FreeValueRT)(runtime, ubi_quickjs_gave(value))

/* They give a reference. */
#define JS_AtomToValue(...) ubi_quickjs_took((JS_AtomToValue)(__VA_ARGS__), "JS_AtomToValue")
#define JS_AtomToString(...) ubi_quickjs_took((JS_AtomToString)(__VA_ARGS__), "JS_AtomToString")
#define JS_NewBigInt64(...) ubi_quickjs_took((JS_NewBigInt64)(__VA_ARGS__), "JS_NewBigInt64")
#define JS_NewBigUint64(...) ubi_quickjs_took((JS_NewBigUint64)(__VA_ARGS__), "JS_NewBigUint64")
#define JS_GetException(...) ubi_quickjs_took((JS_GetException)(__VA_ARGS__), "JS_GetException")
#define JS_NewError(...) ubi_quickjs_took((JS_NewError)(__VA_ARGS__), "JS_NewError")
#define JS_NewStringLen(...) ubi_quickjs_took((JS_NewStringLen)(__VA_ARGS__), "JS_NewStringLen")
#define JS_NewString(...) ubi_quickjs_took((JS_NewString)(__VA_ARGS__), "JS_NewString")
#define JS_NewAtomString(...) ubi_quickjs_took((JS_NewAtomString)(__VA_ARGS__), "JS_NewAtomString")
#define JS_ToString(...) ubi_quickjs_took((JS_ToString)(__VA_ARGS__), "JS_ToString")
#define JS_ToPropertyKey(...) ubi_quickjs_took((JS_ToPropertyKey)(__VA_ARGS__), "JS_ToPropertyKey")
#define JS_NewObjectProtoClass(...) ubi_quickjs_took((JS_NewObjectProtoClass)(__VA_ARGS__), "JS_NewObjectProtoClass")
#define JS_NewObjectClass(...) ubi_quickjs_took((JS_NewObjectClass)(__VA_ARGS__), "JS_NewObjectClass")
#define JS_NewObjectProto(...) ubi_quickjs_took((JS_NewObjectProto)(__VA_ARGS__), "JS_NewObjectProto")
#define JS_NewObject(...) ubi_quickjs_took((JS_NewObject)(__VA_ARGS__), "JS_NewObject")
#define JS_NewArray(...) ubi_quickjs_took((JS_NewArray)(__VA_ARGS__), "JS_NewArray")
#define JS_NewDate(...) ubi_quickjs_took((JS_NewDate)(__VA_ARGS__), "JS_NewDate")
#define JS_GetProperty(...) ubi_quickjs_took((JS_GetProperty)(__VA_ARGS__), "JS_GetProperty")
#define JS_GetPropertyStr(...) ubi_quickjs_took((JS_GetPropertyStr)(__VA_ARGS__), "JS_GetPropertyStr")
#define JS_GetPropertyUint32(...) ubi_quickjs_took((JS_GetPropertyUint32)(__VA_ARGS__), "JS_GetPropertyUint32")
#define JS_GetPropertyInt64(...) ubi_quickjs_took((JS_GetPropertyInt64)(__VA_ARGS__), "JS_GetPropertyInt64")
#define JS_GetPropertyInternal(...) ubi_quickjs_took((JS_GetPropertyInternal)(__VA_ARGS__), "JS_GetPropertyInternal")
#define JS_GetPrototype(...) ubi_quickjs_took((JS_GetPrototype)(__VA_ARGS__), "JS_GetPrototype")
#define JS_GetClassProto(...) ubi_quickjs_took((JS_GetClassProto)(__VA_ARGS__), "JS_GetClassProto")
#define JS_Call(...) ubi_quickjs_took((JS_Call)(__VA_ARGS__), "JS_Call")
#define JS_Invoke(...) ubi_quickjs_took((JS_Invoke)(__VA_ARGS__), "JS_Invoke")
#define JS_CallConstructor(...) ubi_quickjs_took((JS_CallConstructor)(__VA_ARGS__), "JS_CallConstructor")
#define JS_CallConstructor2(...) ubi_quickjs_took((JS_CallConstructor2)(__VA_ARGS__), "JS_CallConstructor2")
#define JS_Eval(...) ubi_quickjs_took((JS_Eval)(__VA_ARGS__), "JS_Eval")
#define JS_EvalThis(...) ubi_quickjs_took((JS_EvalThis)(__VA_ARGS__), "JS_EvalThis")
#define JS_GetGlobalObject(...) ubi_quickjs_took((JS_GetGlobalObject)(__VA_ARGS__), "JS_GetGlobalObject")
#define JS_ParseJSON(...) ubi_quickjs_took((JS_ParseJSON)(__VA_ARGS__), "JS_ParseJSON")
#define JS_ParseJSON2(...) ubi_quickjs_took((JS_ParseJSON2)(__VA_ARGS__), "JS_ParseJSON2")
#define JS_JSONStringify(...) ubi_quickjs_took((JS_JSONStringify)(__VA_ARGS__), "JS_JSONStringify")
#define JS_NewArrayBuffer(...) ubi_quickjs_took((JS_NewArrayBuffer)(__VA_ARGS__), "JS_NewArrayBuffer")
#define JS_NewArrayBufferCopy(...) ubi_quickjs_took((JS_NewArrayBufferCopy)(__VA_ARGS__), "JS_NewArrayBufferCopy")
#define JS_NewTypedArray(...) ubi_quickjs_took((JS_NewTypedArray)(__VA_ARGS__), "JS_NewTypedArray")
#define JS_GetTypedArrayBuffer(...) ubi_quickjs_took((JS_GetTypedArrayBuffer)(__VA_ARGS__), "JS_GetTypedArrayBuffer")
#define JS_PromiseResult(...) ubi_quickjs_took((JS_PromiseResult)(__VA_ARGS__), "JS_PromiseResult")
#define JS_GetImportMeta(...) ubi_quickjs_took((JS_GetImportMeta)(__VA_ARGS__), "JS_GetImportMeta")
#define JS_GetModuleNamespace(...) ubi_quickjs_took((JS_GetModuleNamespace)(__VA_ARGS__), "JS_GetModuleNamespace")
#define JS_ReadObject(...) ubi_quickjs_took((JS_ReadObject)(__VA_ARGS__), "JS_ReadObject")
#define JS_LoadModule(...) ubi_quickjs_took((JS_LoadModule)(__VA_ARGS__), "JS_LoadModule")
#define JS_NewCFunction(...) ubi_quickjs_took((JS_NewCFunction)(__VA_ARGS__), "JS_NewCFunction")
#define JS_NewCFunction2(...) ubi_quickjs_took((JS_NewCFunction2)(__VA_ARGS__), "JS_NewCFunction2")
#define JS_NewCFunctionMagic(...) ubi_quickjs_took((JS_NewCFunctionMagic)(__VA_ARGS__), "JS_NewCFunctionMagic")
#define JS_NewCFunctionData(...) ubi_quickjs_took((JS_NewCFunctionData)(__VA_ARGS__), "JS_NewCFunctionData")
#define JS_NewSymbol(...) ubi_quickjs_took((JS_NewSymbol)(__VA_ARGS__), "JS_NewSymbol")
#define JS_NewProxy(...) ubi_quickjs_took((JS_NewProxy)(__VA_ARGS__), "JS_NewProxy")
#define JS_Eval2(...) ubi_quickjs_took((JS_Eval2)(__VA_ARGS__), "JS_Eval2")
#define JS_NewStringUTF16(...) ubi_quickjs_took((JS_NewStringUTF16)(__VA_ARGS__), "JS_NewStringUTF16")
#define JS_NewTwoByteString(...) ubi_quickjs_took((JS_NewTwoByteString)(__VA_ARGS__), "JS_NewTwoByteString")
#define JS_NewCFunction3(...) ubi_quickjs_took((JS_NewCFunction3)(__VA_ARGS__), "JS_NewCFunction3")
#define JS_NewCFunctionData2(...) ubi_quickjs_took((JS_NewCFunctionData2)(__VA_ARGS__), "JS_NewCFunctionData2")
#define JS_NewCClosure(...) ubi_quickjs_took((JS_NewCClosure)(__VA_ARGS__), "JS_NewCClosure")
#define JS_NewUint8Array(...) ubi_quickjs_took((JS_NewUint8Array)(__VA_ARGS__), "JS_NewUint8Array")
#define JS_NewUint8ArrayCopy(...) ubi_quickjs_took((JS_NewUint8ArrayCopy)(__VA_ARGS__), "JS_NewUint8ArrayCopy")
#define JS_NewSettledPromise(...) ubi_quickjs_took((JS_NewSettledPromise)(__VA_ARGS__), "JS_NewSettledPromise")
#define JS_PromiseThen(...) ubi_quickjs_took((JS_PromiseThen)(__VA_ARGS__), "JS_PromiseThen")
#define JS_GetProxyTarget(...) ubi_quickjs_took((JS_GetProxyTarget)(__VA_ARGS__), "JS_GetProxyTarget")
#define JS_GetProxyHandler(...) ubi_quickjs_took((JS_GetProxyHandler)(__VA_ARGS__), "JS_GetProxyHandler")
#define JS_GetModulePrivateValue(...)                                                                                  \
    ubi_quickjs_took((JS_GetModulePrivateValue)(__VA_ARGS__), "JS_GetModulePrivateValue")
#define JS_GetFunctionProto(...) ubi_quickjs_took((JS_GetFunctionProto)(__VA_ARGS__), "JS_GetFunctionProto")
#define JS_EvalThis2(...) ubi_quickjs_took((JS_EvalThis2)(__VA_ARGS__), "JS_EvalThis2")
#define JS_ReadObject2(...) ubi_quickjs_took((JS_ReadObject2)(__VA_ARGS__), "JS_ReadObject2")
#define JS_ToNumber(...) ubi_quickjs_took((JS_ToNumber)(__VA_ARGS__), "JS_ToNumber")
#define JS_ToObject(...) ubi_quickjs_took((JS_ToObject)(__VA_ARGS__), "JS_ToObject")
#define JS_ToObjectString(...) ubi_quickjs_took((JS_ToObjectString)(__VA_ARGS__), "JS_ToObjectString")
#define JS_NewPromiseCapability(context, functions)                                                                    \
    ubi_quickjs_took_promise((JS_NewPromiseCapability)(context, functions), functions)
#define JS_GetOwnProperty(context, property, ...)                                                                      \
    ubi_quickjs_took_property((JS_GetOwnProperty)(context, property, __VA_ARGS__), property)

/* They take references over, whether they succeed or not. */
#define JS_Throw(context, value) (JS_Throw)(context, ubi_quickjs_gave(value))
#define JS_EvalFunction(context, function)                                                                             \
    ubi_quickjs_took((JS_EvalFunction)(context, ubi_quickjs_gave(function)), "JS_EvalFunction")
#define JS_SetClassProto(context, class_id, value) (JS_SetClassProto)(context, class_id, ubi_quickjs_gave(value))
#define JS_SetProperty(context, object, name, value) (JS_SetProperty)(context, object, name, ubi_quickjs_gave(value))
#define JS_SetPropertyStr(context, object, name, value)                                                                \
    (JS_SetPropertyStr)(context, object, name, ubi_quickjs_gave(value))
#define JS_SetPropertyUint32(context, object, i, value)                                                                \
    (JS_SetPropertyUint32)(context, object, i, ubi_quickjs_gave(value))
#define JS_SetPropertyInt64(context, object, i, value)                                                                 \
    (JS_SetPropertyInt64)(context, object, i, ubi_quickjs_gave(value))
#define JS_SetPropertyInternal(context, object, name, value, ...)                                                      \
    (JS_SetPropertyInternal)(context, object, name, ubi_quickjs_gave(value), __VA_ARGS__)
#define JS_DefinePropertyValue(context, object, name, value, flags)                                                    \
    (JS_DefinePropertyValue)(context, object, name, ubi_quickjs_gave(value), flags)
#define JS_DefinePropertyValueUint32(context, object, i, value, flags)                                                 \
    (JS_DefinePropertyValueUint32)(context, object, i, ubi_quickjs_gave(value), flags)
#define JS_DefinePropertyValueStr(context, object, name, value, flags)                                                 \
    (JS_DefinePropertyValueStr)(context, object, name, ubi_quickjs_gave(value), flags)
#define JS_DefinePropertyGetSet(context, object, name, getter, setter, flags)                                          \
    (JS_DefinePropertyGetSet)(context, object, name, ubi_quickjs_gave(getter), ubi_quickjs_gave(setter), flags)
#define JS_SetModuleExport(context, module, name, value)                                                               \
    (JS_SetModuleExport)(context, module, name, ubi_quickjs_gave(value))
#define JS_SetModulePrivateValue(context, module, value)                                                               \
    (JS_SetModulePrivateValue)(context, module, ubi_quickjs_gave(value))
#define JS_NewArrayFrom(context, count, values)                                                                        \
    UBI_QUICKJS_MADE_FROM(JS_NewArrayFrom, count, values, context, ubi_count)
#define JS_NewObjectFrom(context, count, names, values)                                                                \
    UBI_QUICKJS_MADE_FROM(JS_NewObjectFrom, count, values, context, ubi_count, names)
#define JS_NewObjectFromStr(context, count, names, values)                                                             \
    UBI_QUICKJS_MADE_FROM(JS_NewObjectFromStr, count, values, context, ubi_count, names)
#define UBI_QUICKJS_MADE_FROM(function, count, values, ...)                                                            \
    __extension__({                                                                                                    \
        const int ubi_count = (count);                                                                                 \
        ubi_quickjs_took((function)(__VA_ARGS__, ubi_quickjs_gave_values(ubi_count, values)), #function);              \
    })

/* ---- texts -------------------------------------------------------------------------------------------------------- */

UBI_QUICKJS_INLINE void ubi_quickjs_note_text(const void *text, const char *how) {
    if (ubi_quickjs_is_recorded() && text)
        ubi_quickjs_reference_taken(ubi_quickjs_string_of_text(text), UBI_QUICKJS_TEXT, how);
}
UBI_QUICKJS_INLINE void ubi_quickjs_note_freed_text(const void *text) {
    if (ubi_quickjs_is_recorded() && text)
        ubi_quickjs_reference_released(ubi_quickjs_string_of_text(text), UBI_QUICKJS_TEXT);
}

UBI_QUICKJS_INLINE const char *ubi_quickjs_took_text(const char *text, const char *how) {
    ubi_quickjs_note_text(text, how);
    return text;
}
UBI_QUICKJS_INLINE const char *ubi_quickjs_gave_text(const char *text) {
    ubi_quickjs_note_freed_text(text);
    return text;
}

/* In units of 16 bits. */
UBI_QUICKJS_INLINE const uint16_t *ubi_quickjs_took_units(const uint16_t *text, const char *how) {
    ubi_quickjs_note_text(text, how);
    return text;
}
UBI_QUICKJS_INLINE const uint16_t *ubi_quickjs_gave_units(const uint16_t *text) {
    ubi_quickjs_note_freed_text(text);
    return text;
}

#define JS_ToCString(...) ubi_quickjs_took_text((JS_ToCString)(__VA_ARGS__), "JS_ToCString")
#define JS_ToCStringLen(...) ubi_quickjs_took_text((JS_ToCStringLen)(__VA_ARGS__), "JS_ToCStringLen")
#define JS_ToCStringLen2(...) ubi_quickjs_took_text((JS_ToCStringLen2)(__VA_ARGS__), "JS_ToCStringLen2")
#define JS_AtomToCString(...) ubi_quickjs_took_text((JS_AtomToCString)(__VA_ARGS__), "JS_AtomToCString")
#define JS_AtomToCStringLen(...) ubi_quickjs_took_text((JS_AtomToCStringLen)(__VA_ARGS__), "JS_AtomToCStringLen")
#define JS_ToCStringUTF16(...) ubi_quickjs_took_units((JS_ToCStringUTF16)(__VA_ARGS__), "JS_ToCStringUTF16")
#define JS_ToCStringLenUTF16(...) ubi_quickjs_took_units((JS_ToCStringLenUTF16)(__VA_ARGS__), "JS_ToCStringLenUTF16")
#define JS_FreeCString(context, text) (JS_FreeCString)(context, ubi_quickjs_gave_text(text))
#define JS_FreeCStringRT(runtime, text) (JS_FreeCStringRT)(runtime, ubi_quickjs_gave_text(text))
#define JS_FreeCStringUTF16(context, text) (JS_FreeCStringUTF16)(context, ubi_quickjs_gave_units(text))
#define JS_FreeCStringRT_UTF16(runtime, text) (JS_FreeCStringRT_UTF16)(runtime, ubi_quickjs_gave_units(text))

/* ---- atoms -------------------------------------------------------------------------------------------------------- */

UBI_QUICKJS_INLINE JSAtom ubi_quickjs_took_atom(JSContext *context, JSAtom atom, const char *how) {
    if (ubi_quickjs_is_recorded())
        ubi_quickjs_atom_taken(JS_GetRuntime(context), atom, how);
    return atom;
}

UBI_QUICKJS_INLINE JSAtom ubi_quickjs_took_atom_of(JSRuntime *runtime, JSAtom atom, const char *how) {
    if (ubi_quickjs_is_recorded())
        ubi_quickjs_atom_taken(runtime, atom, how);
    return atom;
}

UBI_QUICKJS_INLINE JSAtom ubi_quickjs_gave_atom(JSRuntime *runtime, JSAtom atom) {
    if (ubi_quickjs_is_recorded())
        ubi_quickjs_atom_released(runtime, atom);
    return atom;
}

UBI_QUICKJS_INLINE JSAtom ubi_quickjs_NewAtomLen(JSContext *context, const char *text, size_t n) {
    return ubi_quickjs_took_atom(context, JS_NewAtomLen(context, text, n), "JS_NewAtomLen");
}
UBI_QUICKJS_INLINE JSAtom ubi_quickjs_NewAtom(JSContext *context, const char *text) {
    return ubi_quickjs_took_atom(context, JS_NewAtom(context, text), "JS_NewAtom");
}
UBI_QUICKJS_INLINE JSAtom ubi_quickjs_DupAtom(JSContext *context, JSAtom atom) {
    return ubi_quickjs_took_atom(context, JS_DupAtom(context, atom), "JS_DupAtom");
}
UBI_QUICKJS_INLINE JSAtom ubi_quickjs_ValueToAtom(JSContext *context, JSValueConst value) {
    return ubi_quickjs_took_atom(context, JS_ValueToAtom(context, value), "JS_ValueToAtom");
}
UBI_QUICKJS_INLINE void ubi_quickjs_FreeAtom(JSContext *context, JSAtom atom) {
    JS_FreeAtom(context, ubi_quickjs_gave_atom(JS_GetRuntime(context), atom));
}
UBI_QUICKJS_INLINE void ubi_quickjs_FreeAtomRT(JSRuntime *runtime, JSAtom atom) {
    JS_FreeAtomRT(runtime, ubi_quickjs_gave_atom(runtime, atom));
}
UBI_QUICKJS_INLINE int ubi_quickjs_GetOwnPropertyNames(JSContext *context, JSPropertyEnum **names, uint32_t *n,
                                                       JSValueConst object, int flags) {
    int status = JS_GetOwnPropertyNames(context, names, n, object, flags);
    for (uint32_t i = 0; status == 0 && ubi_quickjs_is_recorded() && i < *n; i++)
        ubi_quickjs_took_atom(context, (*names)[i].atom, "JS_GetOwnPropertyNames");
    return status;
}
UBI_QUICKJS_INLINE JSPropertyEnum *ubi_quickjs_gave_names(JSContext *context, JSPropertyEnum *names, uint32_t n) {
    for (uint32_t i = 0; ubi_quickjs_is_recorded() && i < n; i++)
        ubi_quickjs_gave_atom(JS_GetRuntime(context), names[i].atom);
    return names;
}
#define JS_NewAtomLen ubi_quickjs_NewAtomLen
#define JS_NewAtom ubi_quickjs_NewAtom
#define JS_DupAtom ubi_quickjs_DupAtom
#define JS_ValueToAtom ubi_quickjs_ValueToAtom
#define JS_FreeAtom ubi_quickjs_FreeAtom
#define JS_FreeAtomRT ubi_quickjs_FreeAtomRT
#define JS_NewAtomUInt32(context, n) ubi_quickjs_took_atom(context, (JS_NewAtomUInt32)(context, n), "JS_NewAtomUInt32")
#define JS_GetModuleName(context, module)                                                                              \
    ubi_quickjs_took_atom(context, (JS_GetModuleName)(context, module), "JS_GetModuleName")
#define JS_GetScriptOrModuleName(context, levels)                                                                      \
    ubi_quickjs_took_atom(context, (JS_GetScriptOrModuleName)(context, levels), "JS_GetScriptOrModuleName")
#define JS_DupAtomRT(runtime, atom) ubi_quickjs_took_atom_of(runtime, (JS_DupAtomRT)(runtime, atom), "JS_DupAtomRT")
#define JS_GetClassName(runtime, class_id)                                                                             \
    ubi_quickjs_took_atom_of(runtime, (JS_GetClassName)(runtime, class_id), "JS_GetClassName")
#define JS_GetOwnPropertyNames ubi_quickjs_GetOwnPropertyNames
#define JS_FreePropertyEnum(context, names, n)                                                                         \
    (JS_FreePropertyEnum)(context, ubi_quickjs_gave_names(context, names, n), n)

/* ---- contexts ----------------------------------------------------------------------------------------------------- */

UBI_QUICKJS_INLINE JSContext *ubi_quickjs_took_context(JSContext *context, const char *how) {
    if (ubi_quickjs_is_recorded() && context)
        ubi_quickjs_reference_taken(context, UBI_QUICKJS_CONTEXT, how);
    return context;
}

UBI_QUICKJS_INLINE JSContext *ubi_quickjs_gave_context(JSContext *context) {
    if (ubi_quickjs_is_recorded() && context)
        ubi_quickjs_reference_released(context, UBI_QUICKJS_CONTEXT);
    return context;
}

#define JS_NewContext(...) ubi_quickjs_took_context((JS_NewContext)(__VA_ARGS__), "JS_NewContext")
#define JS_NewContextRaw(...) ubi_quickjs_took_context((JS_NewContextRaw)(__VA_ARGS__), "JS_NewContextRaw")
#define JS_DupContext(...) ubi_quickjs_took_context((JS_DupContext)(__VA_ARGS__), "JS_DupContext")
#define JS_FreeContext(context) (JS_FreeContext)(ubi_quickjs_gave_context(context))

#endif
