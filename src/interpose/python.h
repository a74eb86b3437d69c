/* SPDX-License-Identifier: MIT
 *
 * python.h: frames of Python scripts, read from the structures of CPython (python.c).
 */
#ifndef UBI_INTERPOSE_PYTHON_H
#define UBI_INTERPOSE_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ubi__unwind_module;

/** A module was met: if it is an interpreter that is known, its frames are in stacks from now on. Any thread. Cost: microseconds for a
 *  program and for a library whose name says that it may be one; else none. */
void ubi__python_look(const struct ubi__unwind_module *module);

/* ---- for tests: where a line is ---------------------------------------------------------------------------------- */

/** What a code object's table of locations says. */
typedef struct ubi__python_position {
    uint32_t line, column; /* from 1; 0: unknown */
} ubi__python_position;

/**
 * Decodes such a table (CPython 3.11 and newer, Objects/locations.md) up to an instruction. Any bytes may be in it.
 * @param first_line  of the function. @param unit  number of the instruction's first code unit. Cost: O(n).
 */
ubi__python_position ubi__python_locate(const uint8_t *table, size_t n, int32_t first_line, uint32_t unit);

#endif
