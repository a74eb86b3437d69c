/* SPDX-License-Identifier: MIT
 *
 * loaded_symbols.h: functions of loaded libraries by name, read from their tables in memory.
 *
 * dlsym would do, but takes the loader's lock, and allocates an error message when a name is not there: by an allocator that
 * may be the very one that called us. These take no lock, allocate nothing, and may be called at any time and by many.
 */
#ifndef UBI_INTERPOSE_LOADED_SYMBOLS_H
#define UBI_INTERPOSE_LOADED_SYMBOLS_H

#include <stdbool.h>

/**
 * The first definition in the libraries that come after this one, in the loader's order: what dlsym(RTLD_NEXT, name) finds while
 * no library has been loaded by dlopen. Where this one was itself loaded so, the first one in all others. NULL: none.
 */
void *ubi__loaded_next(const char *name);

/** The definition in the library that has this address, or in the program. NULL: none. */
void *ubi__loaded_in(const void *address, const char *name);
/** This library's own definition. NULL: none. */
void *ubi__loaded_own(const char *name);
/** Whether a dynamic section is this library's. */
bool ubi__loaded_is_own(const void *dynamic);
/** Whether this library came after the C library: it was loaded into a program that ran already. */
bool ubi__loaded_is_late(void);

/**
 * The first definition in the library that has this address, and in those that it needs. NULL: none.
 * Libraries may come and go meanwhile: those that are looked into cannot, for code of them is running.
 */
void *ubi__loaded_needed_by(const void *address, const char *name);

#endif
