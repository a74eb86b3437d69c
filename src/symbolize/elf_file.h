/* SPDX-License-Identifier: MIT
 *
 * elf_file.h: an ELF file that is open, its separate debug file, and the functions that its symbol table names.
 *
 * Only regular files are opened, so that nothing waits; what libelf does not take for ELF counts as not there.
 *
 * Of names of one address the one is kept that people know: with fewer leading underscores, then global before weak
 * before local, then the shorter. A symbol without a size, as hand-written assembler leaves them, reaches to the next one.
 *
 * Memory: 32 bytes per function. Names are borrowed from the file, which has to stay open.
 */
#ifndef UBI_SYMBOLIZE_ELF_FILE_H
#define UBI_SYMBOLIZE_ELF_FILE_H

#include <libelf.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "symbolize/address_map.h"

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef struct ubi__elf_file {
    int fd; /* -1: none */
    Elf *elf;
} ubi__elf_file;

#define UBI__ELF_FILE_NONE ((ubi__elf_file){ -1, NULL })

/** How opening went. */
typedef enum ubi__elf_opened { UBI__ELF_OPENED, UBI__ELF_MISSING, UBI__ELF_DAMAGED } ubi__elf_opened;

/** `f` is set in any case. */
ubi__elf_opened ubi__elf_file_open(ubi__elf_file *f, const char *path);
/** The same; takes the descriptor over. */
ubi__elf_opened ubi__elf_file_open_fd(ubi__elf_file *f, int fd);
void ubi__elf_file_close(ubi__elf_file *f);

/** Borrowed; NULL text: it has none. */
ubi_text ubi__elf_build_id(const ubi__elf_file *f);
/** Whether it has a section of this name that is in the file. */
bool ubi__elf_has_section(const ubi__elf_file *f, const char *name);

/** What is looked for when a debug file is. */
typedef struct ubi__debug_search {
    const char *root;          /* /usr/lib/debug */
    const char *path;          /* of the module */
    ubi_text build_id;         /* of the module; empty: unknown */
    const ubi__elf_file *main; /* the module when it is there and its own, else without a file */
    bool with_debuginfod;
} ubi__debug_search;

/**
 * Opens the debug file that belongs to a module: one with its build-id, or with the checksum that its .gnu_debuglink says.
 * @return whether there is one; else `out` is without a file.
 */
bool ubi__debug_file_open(ubi__elf_file *out, const ubi__debug_search *search);

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

UBI_VEC_DECLARE(ubi__vec_name, const char *);

typedef struct ubi__elf_symbols {
    ubi__vec_name names; /* by the values of `map` */
    ubi__address_map map;
    bool has_local; /* it is the full table, not that of exported functions */
} ubi__elf_symbols;

/** Every name has a place, and every place a name. */
void ubi__elf_symbols_check(const ubi__elf_symbols *s);
/** Reads .symtab, or .dynsym where that is all there is. A damaged table is an empty one. Errors: UBI_ENOMEM. */
ubi_status ubi__elf_symbols_read(ubi__elf_symbols *out, const ubi__elf_file *file, const ubi_allocator *allocator);
void ubi__elf_symbols_fini(ubi__elf_symbols *s, const ubi_allocator *allocator);
/** As it is in the file, mangled; NULL: there is none. */
static inline const char *ubi__elf_symbols_find(const ubi__elf_symbols *s, uint64_t address) {
    uint32_t i = ubi__address_map_find(&s->map, address);
    return i == UBI_NONE ? NULL : s->names.at[UBI_INDEX(i, s->names.n)];
}

#endif
