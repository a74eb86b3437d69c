/* SPDX-License-Identifier: MIT
 *
 * constructor_names.h: what a program calls an object: `Connection`, where the engine's class is Object.
 *
 * It is the name of the constructor that the object's prototype has as its own, where that says more than the class does;
 * so an instance of `class Cache extends Map` is a Cache. What has a constructor of its own is a prototype, and no instance.
 *
 * Objects share few prototypes. What one gives to objects of a class is remembered in a table of fixed size, so most objects
 * cost one probe; the others a search of the prototype's properties. Names have numbers from 1 on: objects of one class and
 * one name are a group (node_ops.h). All of it lasts from freeze to thaw: 16 KiB, and at most 112 bytes for each name.
 */
#ifndef UBI_QUICKJS_CONSTRUCTOR_NAMES_H
#define UBI_QUICKJS_CONSTRUCTOR_NAMES_H

#include "engines/quickjs/adapter/function_names.h"
#include "engines/quickjs/adapter/state.h"
#include "engines/quickjs/adapter/texts.h"

#define UBI__CONSTRUCTOR_SLOTS 1024u /* a power of two */

/** What objects of a class with this prototype are called. */
typedef struct ubi__constructor_slot {
    const JSObject *prototype; /* NULL: free */
    uint32_t class_id;
    uint32_t name; /* its number; 0: nothing that the class does not say */
} ubi__constructor_slot;

typedef struct ubi__constructor_name {
    ubi_text text;
    size_t owned_bytes; /* 0: it lies in the engine's heap */
} ubi__constructor_name;

struct ubi__constructor_names {
    ubi__constructor_slot slots[UBI__CONSTRUCTOR_SLOTS];
    ubi__address_map numbers;  /* where a name lies, with the class -> its number + 1 */
    ubi__constructor_name *at; /* of number n: at[n - 1] */
    uint32_t n, capacity;
};

/** False: no memory. */
static bool ubi__constructor_names_begin(ubi_quickjs *tools) {
    tools->walk.constructors = ubi__tool_calloc(tools->allocator, 1, sizeof *tools->walk.constructors);
    return tools->walk.constructors != NULL;
}

static void ubi__constructor_names_end(ubi_quickjs *tools) {
    ubi__constructor_names *names = tools->walk.constructors;
    if (!names)
        return;
    for (uint32_t i = 0; i < names->n; i++)
        if (names->at[i].owned_bytes)
            ubi__tools_free(tools, (void *)(uintptr_t)names->at[i].text.ptr, names->at[i].owned_bytes);
    ubi__tool_free(tools->allocator, names->at, names->capacity, sizeof *names->at);
    ubi__address_map_fini(&names->numbers, tools->allocator);
    ubi__tool_free(tools->allocator, names, 1, sizeof *names);
    tools->walk.constructors = NULL;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* Of a string, or of an atom that is a number. False: no memory. */
static bool ubi__make_constructor_name(ubi_quickjs *tools, ubi__constructor_name *out, const JSString *string,
                                       JSAtom atom) {
    enum { DIGITS = 11 };
    *out = (ubi__constructor_name){ .text = string ? ubi__borrowed_text(string) : (ubi_text){ NULL, 0 } };
    if (out->text.ptr)
        return true;
    size_t room = string ? (size_t)string->len * 3 : DIGITS;
    char *bytes = ubi__tools_alloc(tools, room);
    if (!bytes)
        return false;
    size_t length = string ? ubi__string_to_utf8(bytes, string)
                           : (size_t)snprintf(bytes, room, "%u", (unsigned)__JS_AtomToUInt32(atom));
    *out = (ubi__constructor_name){ { bytes, length }, room };
    return true;
}

/* That something is made by Object says nothing of it, whatever its class. */
static bool ubi__says_more_than_class(ubi_quickjs *tools, ubi_text name, uint32_t class_id) {
    static const ubi_text object = { "Object", 6 };
    ubi_text class_name = ubi__node_text(tools, tools->runtime->class_array[class_id].class_name);
    return !(name.len == object.len && memcmp(name.ptr, object.ptr, name.len) == 0) &&
           !(class_name.ptr && name.len == class_name.len && memcmp(name.ptr, class_name.ptr, name.len) == 0);
}

/* The number of a new name; 0: it says no more than the class; UBI_NONE: no memory. */
static uint32_t ubi__add_constructor_name(ubi_quickjs *tools, const JSString *string, JSAtom atom, uint32_t class_id) {
    ubi__constructor_names *names = tools->walk.constructors;
    ubi__constructor_name name;
    if (!ubi__tool_reserve(tools->allocator, (void **)&names->at, &names->capacity, names->n + 1, sizeof *names->at) ||
        !ubi__make_constructor_name(tools, &name, string, atom))
        return UBI_NONE;
    if (ubi__says_more_than_class(tools, name.text, class_id)) {
        names->at[names->n++] = name;
        return names->n;
    }
    if (name.owned_bytes)
        ubi__tools_free(tools, (void *)(uintptr_t)name.text.ptr, name.owned_bytes);
    return 0;
}

/* The same for a name that may be known. Strings lie at even addresses, below 2^48 like all nodes. */
static uint32_t ubi__number_constructor_name(ubi_quickjs *tools, ubi__function_name name, uint32_t class_id) {
    const JSString *string = name.string ? name.string : ubi__atom_string(tools->runtime, name.atom);
    if (!string && !__JS_AtomIsTaggedInt(name.atom))
        return 0;
    uint64_t where = string ? (uint64_t)(uintptr_t)string : (uint64_t)name.atom << 1 | 1;
    uint64_t *known = ubi__address_map_at(&tools->walk.constructors->numbers, where << 16 | class_id, tools->allocator);
    if (!known)
        return UBI_NONE;
    if (*known == 0) {
        uint32_t number = ubi__add_constructor_name(tools, string, name.atom, class_id);
        if (number == UBI_NONE)
            return UBI_NONE;
        *known = (uint64_t)number + 1;
    }
    return (uint32_t)(*known - 1);
}

/* ---- constructors --------------------------------------------------------------------------------------------------- */

/* A function that the property `constructor` holds; NULL: it is not there, or computed. */
static JSObject *ubi__own_constructor(JSRuntime *rt, JSObject *prototype) {
    JSProperty *property;
    if (!prototype->shape)
        return NULL;
    const JSShapeProperty *found = find_own_property(&property, prototype, JS_ATOM_constructor);
    if (!found || (found->flags & JS_PROP_TMASK) != JS_PROP_NORMAL ||
        JS_VALUE_GET_TAG(property->u.value) != JS_TAG_OBJECT)
        return NULL;
    JSObject *function = JS_VALUE_GET_OBJ(property->u.value);
    return ubi__bytecode_of(function) || rt->class_array[function->class_id].call ? function : NULL;
}

static inline ubi__constructor_slot *ubi__slot_of_prototype(ubi_quickjs *tools, const JSObject *prototype,
                                                            uint32_t class_id) {
    uint32_t hash = ubi__address_hash((uintptr_t)prototype) + class_id;
    return &tools->walk.constructors->slots[hash & (UBI__CONSTRUCTOR_SLOTS - 1)];
}

static UBI_COLD uint32_t ubi__look_at_prototype(ubi_quickjs *tools, JSObject *prototype, uint32_t class_id) {
    JSObject *constructor = ubi__own_constructor(tools->runtime, prototype);
    uint32_t name = constructor ? ubi__number_constructor_name(tools, ubi__name_of_function(constructor), class_id) : 0;
    if (name != UBI_NONE)
        *ubi__slot_of_prototype(tools, prototype, class_id) = (ubi__constructor_slot){ prototype, class_id, name };
    return name;
}

static bool ubi__has_own_constructor(JSObject *p) {
    JSProperty *property;
    return find_own_property(&property, p, JS_ATOM_constructor) != NULL;
}

/**
 * The number of what an object that has a shape is called beyond its class; 0: nothing; UBI_NONE: no memory to find out.
 * Only while the heap is frozen.
 */
static inline uint32_t ubi__constructor_of(ubi_quickjs *tools, JSObject *p) {
    JSObject *prototype = p->shape->proto;
    if (!prototype)
        return 0;
    const ubi__constructor_slot *slot = ubi__slot_of_prototype(tools, prototype, p->class_id);
    uint32_t name = slot->prototype == prototype && slot->class_id == p->class_id
                        ? slot->name
                        : ubi__look_at_prototype(tools, prototype, p->class_id);
    return __builtin_expect(name != 0, 0) && ubi__has_own_constructor(p) ? 0 : name;
}

static inline ubi_text ubi__constructor_text(const ubi_quickjs *tools, uint32_t name) {
    return name == 0 || name == UBI_NONE ? (ubi_text){ NULL, 0 } : tools->walk.constructors->at[name - 1].text;
}

#endif
