/* SPDX-License-Identifier: MIT
 *
 * block_classes.h: what the blocks are that a recorded runtime asks for, by class (recorded.h).
 *
 * Objects and their properties have the name of the script's function that `new` was called on, or else that of their class; elements of
 * arrays, records of maps and data of array buffers that of their object; frames of generators and async functions, and reactions of
 * promises, that of what they belong to; strings, shapes and code are called so. A block that has grown is what it was: the recorder sees
 * to that where it has recorded the block before; else, as in most samples, properties have the name that their object's prototype gives.
 * All other blocks are of unknown class.
 *
 * The prototype that a function gets at the first `new` is taken for an instance: it is made in the same way.
 */
#ifndef UBI_QUICKJS_BLOCK_CLASSES_H
#define UBI_QUICKJS_BLOCK_CLASSES_H

#include "engines/quickjs/adapter/constructor_names.h"
#include "engines/quickjs/adapter/recorded.h"

#define UBI__CLASS_NAME_BYTES 62 /* what counts of it */

/* NULL: nothing distinguishes the runtime's blocks. */
static ubi__recorded_classes *ubi__classes_of(JSRuntime *rt) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    return tools && tools->recorded && tools->recorded->classes.number_of ? &tools->recorded->classes : NULL;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

static uint8_t ubi__number_of_class(JSRuntime *rt, ubi__recorded_classes *classes, uint32_t class_number) {
    char name[UBI__CLASS_NAME_BYTES];
    if (class_number >= UBI__RECORDED_CLASSES)
        return 0;
    if (classes->of_class[class_number])
        return classes->of_class[class_number];
    if (class_number == JS_CLASS_PROXY)
        return classes->of_class[class_number] = classes->number_of("Proxy", strlen("Proxy"));
    size_t n = ubi__put_atom(ubi__tools_of(rt), name, sizeof name, rt->class_array[class_number].class_name);
    return classes->of_class[class_number] = classes->number_of(name, n);
}

static uint8_t ubi__number_of_kind(ubi__recorded_classes *classes, ubi__block_kind kind) {
    static const char *const names[UBI__BLOCK_KINDS] = { "string", "shape", "code" };
    if (!classes->of_kind[kind])
        classes->of_kind[kind] = classes->number_of(names[kind], strlen(names[kind]));
    return classes->of_kind[kind];
}

/* 0: it has no name, or is no function of a script that `new` makes objects of. */
static uint8_t ubi__number_of_constructor(ubi_quickjs *tools, JSObject *function) {
    ubi__recorded_classes *classes = &tools->recorded->classes;
    const JSFunctionBytecode *b = function->class_id == JS_CLASS_BYTECODE_FUNCTION ? ubi__bytecode_of(function) : NULL;
    char name[UBI__CLASS_NAME_BYTES];
    if (!b)
        return 0;
    uint32_t version = *ubi__deaths_at(tools->recorded, b);
    ubi__recorded_constructor *known = &classes->constructors[((uintptr_t)b >> 4) % UBI__RECORDED_CONSTRUCTORS];
    if (known->bytecode == b && known->version == version)
        return known->number;
    ubi__function_name text = ubi__name_of_function(function);
    size_t n = text.string ? ubi__put_string(name, sizeof name, text.string)
                           : ubi__put_atom(tools, name, sizeof name, text.atom);
    *known = (ubi__recorded_constructor){ b, version, n ? classes->number_of(name, n) : 0 };
    return known->number;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

static ubi__block_class ubi__blocks_begin(ubi__recorded_classes *classes, uint8_t made, uint8_t resized) {
    ubi__block_class before = classes->now;
    classes->now = (ubi__block_class){ made, resized };
    return before;
}

static ubi__block_class ubi__blocks_of_kind(JSRuntime *rt, ubi__block_kind kind) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (!classes)
        return (ubi__block_class){ 0, 0 };
    uint8_t number = ubi__number_of_kind(classes, kind);
    return ubi__blocks_begin(classes, number, number);
}

static ubi__block_class ubi__blocks_of_class(JSRuntime *rt, uint32_t class_number) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (!classes)
        return (ubi__block_class){ 0, 0 };
    uint8_t number = ubi__number_of_class(rt, classes, class_number);
    return ubi__blocks_begin(classes, number, number);
}

static ubi__block_class ubi__blocks_of_elements(JSRuntime *rt, const struct JSObject *object) {
    return ubi__blocks_of_class(rt, object->class_id);
}

static ubi__block_class ubi__blocks_of_value(JSRuntime *rt, JSValueConst value) {
    bool is_object = JS_VALUE_GET_TAG(value) == JS_TAG_OBJECT;
    return ubi__blocks_of_class(rt, is_object ? JS_VALUE_GET_OBJ(value)->class_id : UBI__RECORDED_CLASSES);
}

/* What `new` of a script's function made is called by that: its prototype has the function. 0: nothing says so. */
static uint8_t ubi__number_of_prototype(JSRuntime *rt, const struct JSObject *object) {
    JSObject *prototype = object->shape ? object->shape->proto : NULL;
    JSObject *constructor = prototype ? ubi__own_constructor(rt, prototype) : NULL;
    return constructor ? ubi__number_of_constructor(ubi__tools_of(rt), constructor) : 0;
}

static uint8_t ubi__number_of_object(JSRuntime *rt, ubi__recorded_classes *classes, const struct JSObject *object) {
    uint8_t number = ubi__number_of_prototype(rt, object);
    return number ? number : ubi__number_of_class(rt, classes, object->class_id);
}

/* Properties grow, and another shape is made for them. */
static ubi__block_class ubi__blocks_of_properties(JSRuntime *rt, const struct JSObject *object) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (!classes)
        return (ubi__block_class){ 0, 0 };
    return ubi__blocks_begin(classes, ubi__number_of_kind(classes, UBI__BLOCK_SHAPE),
                             object ? ubi__number_of_object(rt, classes, object) : 0);
}

static void ubi__properties_grow(JSRuntime *rt, const struct JSObject *object) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (classes && object)
        classes->growing = ubi__number_of_object(rt, classes, object);
}

static void ubi__blocks_end(JSRuntime *rt, ubi__block_class before) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (classes)
        classes->now = before;
}

/* ---- objects -------------------------------------------------------------------------------------------------------- */

static void ubi__object_comes(JSRuntime *rt, uint32_t class_number) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (!classes)
        return;
    ubi__object_has_come(classes); /* one that had no memory */
    bool is_new = classes->constructor && classes->constructor_class == class_number &&
                  classes->constructor_frame == rt->current_stack_frame;
    uint8_t number = is_new ? classes->constructor : ubi__number_of_class(rt, classes, class_number);
    classes->outer = ubi__blocks_begin(classes, number, number);
    classes->n_blocks_coming = UBI__BLOCKS_OF_OBJECT;
}

typedef struct ubi__construction {
    const void *frame;
    uint32_t class_number;
    uint8_t number;
} ubi__construction;

/** @return what is given to ubi__construction_ends. */
static ubi__construction ubi__construction_begins(JSRuntime *rt, JSValueConst constructor, uint32_t class_number) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (!classes)
        return (ubi__construction){ NULL, 0, 0 };
    ubi__construction before = { classes->constructor_frame, classes->constructor_class, classes->constructor };
    classes->constructor_frame = rt->current_stack_frame;
    classes->constructor_class = class_number;
    classes->constructor = JS_VALUE_GET_TAG(constructor) == JS_TAG_OBJECT
                               ? ubi__number_of_constructor(ubi__tools_of(rt), JS_VALUE_GET_OBJ(constructor))
                               : 0;
    return before;
}

static void ubi__construction_ends(JSRuntime *rt, ubi__construction before) {
    ubi__recorded_classes *classes = ubi__classes_of(rt);
    if (!classes)
        return;
    classes->constructor_frame = before.frame;
    classes->constructor_class = before.class_number;
    classes->constructor = before.number;
}

#endif
