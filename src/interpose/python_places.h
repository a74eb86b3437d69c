/* SPDX-License-Identifier: MIT
 *
 * python_places.h: where instructions of Python's code objects are in its source, as they were located before.
 */
#ifndef UBI_INTERPOSE_PYTHON_PLACES_H
#define UBI_INTERPOSE_PYTHON_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/python.h"

/** Of all threads. */
typedef struct ubi__python_place ubi__python_place;

/** Where the answer for an instruction would be. @param at  the code object. */
ubi__python_place *ubi__python_place_of(uintptr_t at, uint32_t unit);
/** @param print  of the code object's contents. @return false: it is not there. */
bool ubi__python_place_recall(ubi__python_place *p, uintptr_t at, uint64_t print, uint32_t unit,
                              ubi__python_position *out);
/** It takes the place of another, unless another thread does so now. */
void ubi__python_place_keep(ubi__python_place *p, uintptr_t at, uint64_t print, uint32_t unit,
                            ubi__python_position position);

#endif
