/* SPDX-License-Identifier: MIT
 *
 * elf_symbols.h: the functions that a symbol table names, to be found by address.
 *
 * Of names of one address the one is kept that people know: with fewer leading underscores, then global before weak
 * before local, then the shorter. A symbol without a size, as hand-written assembler leaves them, reaches to the next one.
 *
 * Memory: 32 bytes per function. Names are borrowed from the file, which has to stay open.
 */
#ifndef UBI_SYMBOLIZE_ELF_SYMBOLS_H
#define UBI_SYMBOLIZE_ELF_SYMBOLS_H

#include "symbolize/address_map.h"
#include "symbolize/elf_file.h"

UBI_VEC_DECLARE(ubi__vec_name, const char *);

typedef struct ubi__elf_symbols {
    ubi__vec_name names; /* by the values of `map` */
    ubi__address_map map;
    bool has_local; /* it is the full table, not that of exported functions */
} ubi__elf_symbols;

/** Reads .symtab, or .dynsym where that is all there is. A damaged table is an empty one. Errors: UBI_ENOMEM. */
ubi_status ubi__elf_symbols_read(ubi__elf_symbols *out, const ubi__elf_file *file, const ubi_allocator *allocator);
void ubi__elf_symbols_fini(ubi__elf_symbols *s, const ubi_allocator *allocator);
/** As it is in the file, mangled; NULL: there is none. */
static inline const char *ubi__elf_symbols_find(const ubi__elf_symbols *s, uint64_t address) {
    uint32_t i = ubi__address_map_find(&s->map, address);
    return i == UBI_NONE ? NULL : s->names.at[i];
}

#endif
