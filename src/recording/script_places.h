/* SPDX-License-Identifier: MIT
 *
 * script_places.h: where in a native stack the frames of scripts belong.
 *
 * An interpreter runs each call of a script in a native frame of its own function. It is the frame where the activation keeps
 * something; a coroutine keeps nothing on the stack, so its frame is the one inside the function that resumed it. Of what is known
 * neither, the next frame of the interpreter is taken. A leaf, as part of other programs.
 */
#ifndef UBI_RECORDING_SCRIPT_PLACES_H
#define UBI_RECORDING_SCRIPT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A native frame, and where the part of the stack is that belongs to it. */
typedef struct ubi__native_frame {
    uintptr_t pc;        /* return address */
    uintptr_t low, high; /* [low, high) */
    bool is_interpreter;
} ubi__native_frame;

/** Native frames, innermost first; those before `next` have been passed. */
typedef struct ubi__native_rest {
    const ubi__native_frame *native;
    size_t n_native, next;
} ubi__native_rest;

/** Where an activation of a script is; an address of 0: unknown. */
typedef struct ubi__script_place {
    uintptr_t stack_address, resumer_address; /* as in base/script_source.h */
} ubi__script_place;

static inline size_t ubi__native_that_holds(const ubi__native_rest *r, uintptr_t address) {
    size_t i = r->next;
    while (i < r->n_native && !(r->native[i].low <= address && address < r->native[i].high))
        i++;
    return i;
}

/**
 * The native frame that a frame of a script stands for, from `next` on; n_native: it is not there. The one inside the resumer
 * may be passed already when both are one frame: the compiler put one function into the other.
 */
static inline size_t ubi__native_of_script(const ubi__native_rest *r, ubi__script_place place) {
    size_t i = r->next;
    if (place.stack_address)
        return ubi__native_that_holds(r, place.stack_address);
    if (place.resumer_address) {
        i = ubi__native_that_holds(r, place.resumer_address);
        return i > r->next && i < r->n_native ? i - 1 : i;
    }
    while (i < r->n_native && !r->native[i].is_interpreter)
        i++;
    return i;
}

/** Whether an activation is further out than the native frames that were read. */
static inline bool ubi__is_beyond_native(const ubi__native_rest *r, ubi__script_place place) {
    uintptr_t address = place.stack_address ? place.stack_address : place.resumer_address;
    return address && r->n_native && address >= r->native[r->n_native - 1].high;
}

#endif
