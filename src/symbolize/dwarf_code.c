/* SPDX-License-Identifier: MIT
 *
 * dwarf_code.c: see dwarf_code.h.
 */
#include "symbolize/dwarf_code.h"

#include <dwarf.h>

#include "base/assert.h"

/* Entries that lie deeper are left out. */
#define MAX_DEPTH 256

/* ---- walking ------------------------------------------------------------------------------------------------------ */

/* A walk over the entries below another, each before those below it. */
typedef struct walk {
    Dwarf_Die path[MAX_DEPTH];
    uint32_t scope[MAX_DEPTH]; /* the walker's, of each entry of the path */
    size_t depth;              /* of the current entry, from 0 */
    Dwarf_Off last;            /* entries come in rising order, or the file is damaged: this ends every walk */
} walk;

static bool walk_is_in_order(walk *w) {
    Dwarf_Off offset = dwarf_dieoffset(&w->path[w->depth]);
    if (offset == (Dwarf_Off)-1 || offset <= w->last)
        return false;
    UBI_ASSERT(w->depth < MAX_DEPTH);
    w->last = offset;
    return true;
}

static bool walk_start(walk *w, Dwarf_Die *root) {
    w->depth = 0;
    w->last = dwarf_dieoffset(root);
    return dwarf_child(root, &w->path[0]) == 0 && walk_is_in_order(w);
}

/* To the next entry: below the current one if allowed, else after it. */
static bool walk_on(walk *w, bool may_descend) {
    if (may_descend && w->depth + 1 < MAX_DEPTH && dwarf_child(&w->path[w->depth], &w->path[w->depth + 1]) == 0) {
        w->depth++;
        return walk_is_in_order(w);
    }
    for (;;) {
        Dwarf_Die next;
        if (dwarf_siblingof(&w->path[w->depth], &next) == 0) {
            w->path[w->depth] = next;
            return walk_is_in_order(w);
        }
        if (w->depth == 0)
            return false;
        w->depth--;
    }
}

/* All ranges of code of an entry, under `value`. */
static ubi_status add_ranges(ubi__address_map *map, Dwarf_Die *die, uint32_t value, const ubi_allocator *a) {
    Dwarf_Addr base, low, high;
    for (ptrdiff_t offset = 0; (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0;)
        UBI_TRY(ubi__address_map_add(map, low, high, value, a));
    return UBI_OK;
}

/* ---- inlined calls of a function ---------------------------------------------------------------------------------- */

static bool may_hold_calls(int tag) {
    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

static ubi_status visit_call(ubi__dwarf_function *f, walk *w, bool *may_descend, const ubi_allocator *a) {
    Dwarf_Die *die = &w->path[w->depth];
    uint32_t around = w->depth ? w->scope[w->depth - 1] : UBI_NONE;
    int tag = dwarf_tag(die);
    *may_descend = may_hold_calls(tag);
    w->scope[w->depth] = around;
    if (tag != DW_TAG_inlined_subroutine || f->inlined.n >= UBI_NONE)
        return UBI_OK;
    uint32_t ix = (uint32_t)f->inlined.n;
    UBI_TRY(ubi__vec_dwarf_scope_push(&f->inlined, a, (ubi__dwarf_scope){ *die, around, UBI_NONE }));
    w->scope[w->depth] = ix;
    return add_ranges(&f->map, die, ix, a);
}

static ubi_status read_calls(ubi__dwarf_function *f, const ubi_allocator *a) {
    walk w;
    bool may_descend;
    for (bool more = walk_start(&w, &f->self.die); more; more = walk_on(&w, may_descend))
        UBI_TRY(visit_call(f, &w, &may_descend, a));
    UBI_TRY(ubi__address_map_seal(&f->map, a));
    f->is_read = true;
    return UBI_OK;
}

static void forget_calls(ubi__dwarf_function *f, const ubi_allocator *a) {
    ubi__vec_dwarf_scope_fini(&f->inlined, a);
    ubi__address_map_fini(&f->map, a);
}

/* ---- functions of a unit ------------------------------------------------------------------------------------------ */

/* Whether functions may lie below. Those within functions are rare and would cost a walk over all of the code's entries: a
   unit is read that thoroughly only when an address is found in none of the others. */
static bool may_hold_functions(int tag, bool thorough) {
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return thorough;
    default:
        return false;
    }
}

static ubi_status visit_function(ubi__dwarf_unit *u, Dwarf_Die *die, const ubi_allocator *a) {
    if (dwarf_tag(die) != DW_TAG_subprogram || u->functions.n >= UBI_NONE)
        return UBI_OK;
    size_t ranges = u->map.ranges.n;
    UBI_TRY(add_ranges(&u->map, die, (uint32_t)u->functions.n, a));
    if (u->map.ranges.n == ranges) /* a declaration, or only inlined */
        return UBI_OK;
    ubi__dwarf_function f = { .self = { *die, UBI_NONE, UBI_NONE } };
    return ubi__vec_dwarf_function_push(&u->functions, a, f);
}

static void forget_functions(ubi__dwarf_unit *u, const ubi_allocator *a) {
    for (size_t i = 0; i < u->functions.n; i++)
        forget_calls(&u->functions.at[i], a);
    ubi__vec_dwarf_function_fini(&u->functions, a);
    ubi__address_map_fini(&u->map, a);
}

static ubi_status read_functions(ubi__dwarf_unit *u, bool thorough, const ubi_allocator *a) {
    walk w;
    forget_functions(u, a);
    for (bool more = walk_start(&w, &u->root); more;
         more = walk_on(&w, may_hold_functions(dwarf_tag(&w.path[w.depth]), thorough)))
        UBI_TRY(visit_function(u, &w.path[w.depth], a));
    UBI_TRY(ubi__address_map_seal(&u->map, a));
    u->is_read = true;
    u->is_thorough = thorough;
    return UBI_OK;
}

static ubi_status find_function(ubi__dwarf_unit *u, ubi__dwarf_function **out, uint64_t address,
                                const ubi_allocator *a) {
    *out = NULL;
    if (!u->is_read)
        UBI_TRY(read_functions(u, false, a));
    uint32_t ix = ubi__address_map_find(&u->map, address);
    if (ix == UBI_NONE && !u->is_thorough) {
        UBI_TRY(read_functions(u, true, a));
        ix = ubi__address_map_find(&u->map, address);
    }
    if (ix != UBI_NONE)
        *out = &u->functions.at[UBI_INDEX(ix, u->functions.n)];
    return UBI_OK;
}

/* ---- units of a file ---------------------------------------------------------------------------------------------- */

static ubi_status read_units(ubi__dwarf_code *code) {
    const ubi_allocator *a = code->allocator;
    Dwarf_CU *cu = NULL;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die die, split;
    while (dwarf_get_units(code->dwarf, cu, &cu, &version, &type, &die, &split) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        if (code->units.n >= UBI_NONE)
            break;
        bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit;
        ubi__dwarf_unit unit = { .lines = die, .root = is_split ? split : die };
        UBI_TRY(add_ranges(&code->map, &die, (uint32_t)code->units.n, a));
        UBI_TRY(ubi__vec_dwarf_unit_push(&code->units, a, unit));
    }
    return ubi__address_map_seal(&code->map, a);
}

ubi_status ubi__dwarf_code_open(ubi__dwarf_code *code, const ubi__elf_file *file, const ubi_allocator *allocator) {
    *code = (ubi__dwarf_code){ .allocator = allocator };
    code->dwarf = file->elf ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL) : NULL;
    if (!code->dwarf)
        return UBI_OK;
    ubi_status status = read_units(code);
    if (status != UBI_OK)
        ubi__dwarf_code_close(code);
    return status;
}

void ubi__dwarf_code_close(ubi__dwarf_code *code) {
    for (size_t i = 0; i < code->units.n; i++)
        forget_functions(&code->units.at[i], code->allocator);
    ubi__vec_dwarf_unit_fini(&code->units, code->allocator);
    ubi__address_map_fini(&code->map, code->allocator);
    dwarf_end(code->dwarf);
    code->dwarf = NULL;
}

ubi_status ubi__dwarf_code_find(ubi__dwarf_code *code, ubi__dwarf_place *out, uint64_t address) {
    ubi__dwarf_place place = { NULL, NULL, NULL };
    uint32_t ix = ubi__address_map_find(&code->map, address);
    if (ix != UBI_NONE) {
        place.unit = &code->units.at[UBI_INDEX(ix, code->units.n)];
        UBI_TRY(find_function(place.unit, &place.function, address, code->allocator));
    }
    if (place.function && !place.function->is_read) {
        ubi_status status = read_calls(place.function, code->allocator);
        if (status != UBI_OK) {
            forget_calls(place.function, code->allocator);
            return status;
        }
    }
    if (place.function && (ix = ubi__address_map_find(&place.function->map, address)) != UBI_NONE)
        place.inlined = &place.function->inlined.at[UBI_INDEX(ix, place.function->inlined.n)];
    *out = place;
    return UBI_OK;
}

/* ---- names and lines ---------------------------------------------------------------------------------------------- */

/* Inlined calls and copies of functions refer to their origin, and definitions to their declaration. */
static const char *text_of(Dwarf_Die *die, unsigned attribute) {
    Dwarf_Attribute place;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &place));
}

const char *ubi__dwarf_linkage_name(Dwarf_Die *die) {
    const char *name = text_of(die, DW_AT_linkage_name);
    return name ? name : text_of(die, DW_AT_MIPS_linkage_name);
}

const char *ubi__dwarf_plain_name(Dwarf_Die *die) {
    return text_of(die, DW_AT_name);
}

const char *ubi__dwarf_line(ubi__dwarf_unit *unit, uint64_t address, uint32_t *line, uint32_t *column) {
    int number = 0, place = 0;
    Dwarf_Line *row = dwarf_getsrc_die(&unit->lines, address);
    *line = *column = 0;
    if (!row)
        return NULL;
    if (dwarf_lineno(row, &number) == 0 && number > 0)
        *line = (uint32_t)number;
    if (dwarf_linecol(row, &place) == 0 && place > 0)
        *column = (uint32_t)place;
    return dwarf_linesrc(row, NULL, NULL);
}

static uint32_t number_of(Dwarf_Die *die, unsigned attribute) {
    Dwarf_Attribute place;
    Dwarf_Word value;
    if (dwarf_formudata(dwarf_attr(die, attribute, &place), &value) != 0 || value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

const char *ubi__dwarf_call(ubi__dwarf_unit *unit, Dwarf_Die *inlined, uint32_t *line, uint32_t *column) {
    Dwarf_Files *files;
    size_t n;
    uint32_t file = number_of(inlined, DW_AT_call_file);
    *line = number_of(inlined, DW_AT_call_line);
    *column = number_of(inlined, DW_AT_call_column);
    if (!dwarf_hasattr(inlined, DW_AT_call_file) || dwarf_getsrcfiles(&unit->root, &files, &n) != 0 || file >= n)
        return NULL;
    return dwarf_filesrc(files, file, NULL, NULL);
}
