/* SPDX-License-Identifier: MIT
 *
 * allocator_frames.h: functions at the inner end of a stack that only pass a request for memory on: allocators, wrappers of
 * them that everybody knows, containers of standard libraries. Who wants to know where memory is asked for begins to read
 * behind them.
 */
#ifndef UBI_RECORDING_ALLOCATOR_FRAMES_H
#define UBI_RECORDING_ALLOCATOR_FRAMES_H

#include "base/text.h"

/** @param function  demangled name, with or without parameters and return type. */
bool ubi__is_allocator_function(ubi_text function);

#endif
