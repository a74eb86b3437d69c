/* SPDX-License-Identifier: MIT
 *
 * script_classes.c: see script_classes.h.
 */
#include "interpose/script_classes.h"

#include <string.h>

#include "base/script_source.h"
#include "interpose/chunk_writer.h"

#define NO_CLASS 1u
#define FIRST_CLASS 2u

typedef struct script_class {
    uint8_t name_bytes;
    char name[UBI__WIRE_CLASS_BYTES];
} script_class;
_Static_assert(UBI__WIRE_CLASS_BYTES <= UINT8_MAX && UBI__WIRE_CLASSES <= UINT8_MAX, "both are a byte");

static script_class classes[UBI__WIRE_CLASSES]; /* classes[n_classes), by number; they stay as they are */
static _Atomic uint32_t n_classes = FIRST_CLASS;
static ubi__lock classes_lock;

/* ---- owners of runtimes ------------------------------------------------------------------------------------------- */

/* Under the lock. */
static uint32_t class_of_name(const char *name, size_t name_bytes) {
    uint32_t n = atomic_load_explicit(&n_classes, memory_order_relaxed);
    for (uint32_t i = FIRST_CLASS; i < n; i++)
        if (classes[i].name_bytes == name_bytes && memcmp(classes[i].name, name, name_bytes) == 0)
            return i;
    if (n == UBI__WIRE_CLASSES)
        return NO_CLASS;
    memcpy(classes[n].name, name, name_bytes);
    classes[n].name_bytes = (uint8_t)name_bytes;
    atomic_store_explicit(&n_classes, n + 1, memory_order_release);
    return n;
}

UBI__HOOK unsigned char ubi_recorder_script_class(const char *name, size_t name_bytes) {
    ubi__signals before;
    name_bytes = name_bytes < UBI__WIRE_CLASS_BYTES ? name_bytes : UBI__WIRE_CLASS_BYTES;
    if (name_bytes == 0 || !ubi__lock_take(&classes_lock, &before))
        return NO_CLASS;
    uint32_t number = class_of_name(name, name_bytes);
    ubi__lock_give(&classes_lock, before);
    return (unsigned char)number;
}

void ubi__script_classes_after_fork(void) {
    classes_lock = 0;
}

/* ---- the stream --------------------------------------------------------------------------------------------------- */

void ubi__script_classes_restart(ubi__context *c) {
    c->script_class = NO_CLASS;
    memset(c->classes_said, 0, sizeof c->classes_said);
}

static void class_put(ubi__context *c, unsigned number) {
    uint8_t *said = &c->classes_said[number % UBI__WIRE_CLASSES / 8], bit = (uint8_t)(1u << number % 8);
    bool is_class = number >= FIRST_CLASS && number < atomic_load_explicit(&n_classes, memory_order_acquire);
    size_t name_bytes = is_class && !(*said & bit) ? classes[number].name_bytes : 0;
    uint8_t *at = c->at;
    c->script_class = number;
    *at++ = UBI__OP_CONTROL | UBI__CONTROL_CLASS << UBI__OP_KIND_SHIFT;
    at = ubi__wire_put(at, is_class ? number : NO_CLASS);
    at = ubi__wire_put(at, name_bytes);
    if (name_bytes) {
        memcpy(at, classes[number].name, name_bytes);
        *said |= bit;
    }
    ubi__chunk_commit(c, at + name_bytes);
}

bool ubi__script_class_say(ubi__context *c, unsigned number, size_t room_bytes) {
    /* Another chunk begins without a class, so it comes first. */
    if (!ubi__chunk_has_room(c, UBI__WIRE_RECORD_BYTES + UBI__WIRE_CLASS_BYTES + room_bytes))
        return false;
    if (c->script_class != number)
        class_put(c, number);
    return true;
}
