/* SPDX-License-Identifier: MIT
 *
 * dwarf_code.h: what DWARF says about the code at an address.
 *
 * Three steps, each read when it is first needed and kept: the units of the file and the ranges of their code; the
 * functions of a unit; the inlined calls in a function, as a tree. Depth and order of entries are checked, so that a damaged
 * file costs no more than its size.
 *
 * Memory: what libdw keeps of the units that were met; 80 bytes per unit, 112 per function, 48 per inlined call.
 */
#ifndef UBI_SYMBOLIZE_DWARF_CODE_H
#define UBI_SYMBOLIZE_DWARF_CODE_H

#include <elfutils/libdw.h>

#include "symbolize/address_map.h"
#include "symbolize/elf_file.h"

/** An entry of the DWARF that is a function or an inlined call. */
typedef struct ubi__dwarf_scope {
    Dwarf_Die die;
    uint32_t caller; /* the inlined call, of the same function, that this one is in; UBI_NONE: the function itself */
    ubi_str_ix name; /* of the caller's; UBI_NONE: not asked for yet */
} ubi__dwarf_scope;

UBI_VEC_DECLARE(ubi__vec_dwarf_scope, ubi__dwarf_scope);

typedef struct ubi__dwarf_function {
    ubi__dwarf_scope self;
    bool is_read;
    ubi__vec_dwarf_scope inlined; /* callers before what they call */
    ubi__address_map map;         /* of `inlined` */
} ubi__dwarf_function;

UBI_VEC_DECLARE(ubi__vec_dwarf_function, ubi__dwarf_function);

typedef struct ubi__dwarf_unit {
    Dwarf_Die lines; /* whose line table counts */
    Dwarf_Die root;  /* whose children the functions are; differs from `lines` in split units */
    bool is_read, is_thorough;
    ubi__vec_dwarf_function functions;
    ubi__address_map map; /* of `functions` */
} ubi__dwarf_unit;

UBI_VEC_DECLARE(ubi__vec_dwarf_unit, ubi__dwarf_unit);

typedef struct ubi__dwarf_code {
    const ubi_allocator *allocator;
    Dwarf *dwarf; /* NULL: there is none */
    ubi__vec_dwarf_unit units;
    ubi__address_map map; /* of `units` */
} ubi__dwarf_code;

/** What is at an address. */
typedef struct ubi__dwarf_place {
    ubi__dwarf_unit *unit;         /* NULL: nothing is known */
    ubi__dwarf_function *function; /* NULL: only the unit is known */
    ubi__dwarf_scope *inlined;     /* the innermost inlined call, or NULL */
} ubi__dwarf_place;

/** The file stays open as long as `code`. Missing DWARF is not an error. Errors: UBI_ENOMEM. */
ubi_status ubi__dwarf_code_open(ubi__dwarf_code *code, const ubi__elf_file *file, const ubi_allocator *allocator);
void ubi__dwarf_code_close(ubi__dwarf_code *code);
/** @param out  borrowed until the code is closed; the next call may move what it points to. Errors: UBI_ENOMEM. */
ubi_status ubi__dwarf_code_find(ubi__dwarf_code *code, ubi__dwarf_place *out, uint64_t address);

/** The name in the symbol table, that is, mangled; NULL: the DWARF does not say. Borrowed from the file, as all of these. */
const char *ubi__dwarf_linkage_name(Dwarf_Die *die);
const char *ubi__dwarf_plain_name(Dwarf_Die *die);
/** Where the code at an address comes from. NULL and 0 where nothing is known. */
const char *ubi__dwarf_line(ubi__dwarf_unit *unit, uint64_t address, uint32_t *line, uint32_t *column);
/** Where an inlined call is. */
const char *ubi__dwarf_call(ubi__dwarf_unit *unit, Dwarf_Die *inlined, uint32_t *line, uint32_t *column);

#endif
