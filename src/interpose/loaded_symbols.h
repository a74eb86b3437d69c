/* SPDX-License-Identifier: MIT
 *
 * loaded_symbols.h: functions of loaded libraries by name, read from their tables in memory.
 *
 * dlsym would do, but takes the loader's lock, and allocates an error message when a name is not there: by an allocator that
 * may be the very one that called us. These take no lock, allocate nothing, and may be called at any time and by many.
 */
#ifndef UBI_INTERPOSE_LOADED_SYMBOLS_H
#define UBI_INTERPOSE_LOADED_SYMBOLS_H

/**
 * The first definition in the libraries that come after this one, in the loader's order: what dlsym(RTLD_NEXT, name) finds while
 * no library has been loaded by dlopen. NULL: none.
 */
void *ubi__loaded_next(const char *name);

/** The definition in the library that has this address, or in the program. NULL: none. */
void *ubi__loaded_in(const void *address, const char *name);

/**
 * The first definition in the library that has this address, and in those that it needs. NULL: none.
 * Libraries may come and go meanwhile: those that are looked into cannot, for code of them is running.
 */
void *ubi__loaded_needed_by(const void *address, const char *name);

#endif
