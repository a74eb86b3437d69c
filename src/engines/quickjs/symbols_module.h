/* SPDX-License-Identifier: MIT
 *
 * symbols_module.h: names of native frames, by a module that is loaded when they are asked for.
 */
#ifndef UBI_QUICKJS_SYMBOLS_MODULE_H
#define UBI_QUICKJS_SYMBOLS_MODULE_H

#include <ubiheap/extension/native_stacks.h>

/** By libubiheap-symbols.so, which lies near libubiheap or the program; NULL: it is not there. Never unloaded. Any thread. */
const ubi_native_names *ubi__symbols_module(void);
/** Frees what it read of modules; names that are asked for later are read again. */
void ubi__symbols_module_forget(void);

#endif
