/* SPDX-License-Identifier: MIT
 *
 * cfi.c: from an instruction's address to its row of call frame information.
 *
 * The index of a module, .eh_frame_hdr, has the functions in the order of their addresses, and for each a description (FDE),
 * which refers to what several have in common (CIE). Both end in a program that goes through the function from its
 * start and changes the row as it passes instructions; it is run until it passes the wanted one.
 *
 * Data: `program` is such a run: the current row, the row that the CIE began with, and rows that were put aside.
 */
#include "unwind/cfi.h"

#include "base/assert.h"
#include "unwind/cfi_cursor.h"

/* How a pointer is written: its form in the low four bits, what it counts from in the others (LSB 10.5.1). */
enum {
    FORM = 0x0f,
    FORM_ABSOLUTE = 0x00,
    FORM_ULEB = 0x01,
    FORM_U16 = 0x02,
    FORM_U32 = 0x03,
    FORM_U64 = 0x04,
    FORM_SLEB = 0x09,
    FORM_S16 = 0x0a,
    FORM_S32 = 0x0b,
    FORM_S64 = 0x0c,
    FROM = 0xf0,
    FROM_NOTHING = 0x00,
    FROM_HERE = 0x10,
    FROM_INDEX = 0x30,
    OMITTED = 0xff,
};

/* Registers, by their DWARF numbers. */
enum { REGISTER_BP = 6, REGISTER_SP = 7, REGISTER_PC = 16 };

/* Instructions of programs (DWARF 5, 7.24). Three of them have an operand in their low six bits. */
enum {
    ADVANCE = 0x40,
    OFFSET = 0x80,
    RESTORE = 0xc0,
    NOP = 0x00,
    SET_LOC = 0x01,
    ADVANCE_1 = 0x02,
    ADVANCE_2 = 0x03,
    ADVANCE_4 = 0x04,
    OFFSET_EXTENDED = 0x05,
    RESTORE_EXTENDED = 0x06,
    UNDEFINED = 0x07,
    SAME_VALUE = 0x08,
    IN_REGISTER = 0x09,
    REMEMBER_STATE = 0x0a,
    RESTORE_STATE = 0x0b,
    DEF_CFA = 0x0c,
    DEF_CFA_REGISTER = 0x0d,
    DEF_CFA_OFFSET = 0x0e,
    DEF_CFA_EXPRESSION = 0x0f,
    EXPRESSION = 0x10,
    OFFSET_EXTENDED_SF = 0x11,
    DEF_CFA_SF = 0x12,
    DEF_CFA_OFFSET_SF = 0x13,
    VAL_OFFSET = 0x14,
    VAL_OFFSET_SF = 0x15,
    VAL_EXPRESSION = 0x16,
    GNU_ARGS_SIZE = 0x2e,
    GNU_NEGATIVE_OFFSET = 0x2f,
};

/* ---- pointers ---------------------------------------------------------------------------------------------------- */

/** A number in the given form. false: no such form. */
static bool read_number(ubi__cursor *c, uint8_t form, uintptr_t *out) {
    switch (form) {
    case FORM_ABSOLUTE:
    case FORM_U64:
        *out = ubi__cursor_unsigned(c, 8);
        break;
    case FORM_ULEB:
        *out = ubi__cursor_uleb(c);
        break;
    case FORM_U16:
        *out = ubi__cursor_unsigned(c, 2);
        break;
    case FORM_U32:
        *out = ubi__cursor_unsigned(c, 4);
        break;
    case FORM_SLEB:
        *out = (uintptr_t)ubi__cursor_sleb(c);
        break;
    case FORM_S16:
        *out = (uintptr_t)ubi__cursor_signed(c, 2);
        break;
    case FORM_S32:
        *out = (uintptr_t)ubi__cursor_signed(c, 4);
        break;
    case FORM_S64:
        *out = (uintptr_t)ubi__cursor_signed(c, 8);
        break;
    default:
        return false;
    }
    return !c->is_short;
}

/** A pointer. Indirect ones (0x80) do not occur in a table of functions: unsupported.
 *  @param index  NULL: nothing can count from it. */
static bool read_pointer(ubi__cursor *c, uint8_t encoding, const uint8_t *index, uintptr_t *out) {
    uintptr_t from = 0;
    switch (encoding & FROM) {
    case FROM_NOTHING:
        break;
    case FROM_HERE:
        from = (uintptr_t)c->at;
        break;
    case FROM_INDEX:
        if (!index)
            return false;
        from = (uintptr_t)index;
        break;
    default:
        return false;
    }
    uintptr_t number;
    if (!read_number(c, encoding & FORM, &number))
        return false;
    *out = from + number;
    return true;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

typedef struct cie {
    ubi__cursor program;
    uint64_t code_unit;
    int64_t data_unit;
    uint64_t return_column;
    uint8_t pointer_encoding;
    bool has_augmentation; /* so have its FDEs */
    bool is_signal_frame;
} cie;

typedef struct fde {
    cie common;
    ubi__cursor program;
    uintptr_t low, n_bytes; /* the function */
} fde;

static bool is_inside(const ubi__cfi_bytes *module, uintptr_t address) {
    return address >= (uintptr_t)module->low && address < (uintptr_t)module->high;
}

/** The entry of .eh_frame at `address`, after its length. false: none, or the end of the section. */
static bool open_entry(const ubi__cfi_bytes *module, uintptr_t address, ubi__cursor *out) {
    if (!is_inside(module, address))
        return false;
    const uint8_t *at = module->low + (address - (uintptr_t)module->low);
    ubi__cursor c = { .at = at, .high = module->high };
    uint64_t n = ubi__cursor_unsigned(&c, 4);
    if (n == UINT32_MAX)
        n = ubi__cursor_unsigned(&c, 8);
    if (c.is_short || n < 4 || n > ubi__cursor_left(&c))
        return false;
    *out = (ubi__cursor){ .at = c.at, .high = c.at + n };
    return true;
}

/** Letters that say what the augmentation's bytes are. Unknown ones make the rest of them unreadable. */
static bool read_augmentation(cie *out, ubi__cursor *letters, ubi__cursor *bytes) {
    uintptr_t ignored;
    for (uint8_t letter; (letter = ubi__cursor_u8(letters)) != 0;) {
        switch (letter) {
        case 'R':
            out->pointer_encoding = ubi__cursor_u8(bytes);
            break;
        case 'P': {
            uint8_t encoding = ubi__cursor_u8(bytes);
            if (encoding != OMITTED && !read_number(bytes, encoding & FORM, &ignored))
                return false;
            break;
        }
        case 'L':
            ubi__cursor_u8(bytes);
            break;
        case 'S':
            out->is_signal_frame = true;
            break;
        default:
            return false;
        }
    }
    return !bytes->is_short;
}

static bool read_cie(const ubi__cfi_bytes *module, uintptr_t address, cie *out) {
    ubi__cursor c;
    if (!open_entry(module, address, &c) || ubi__cursor_unsigned(&c, 4) != 0)
        return false;
    uint8_t version = ubi__cursor_u8(&c);
    ubi__cursor letters = c;
    while (ubi__cursor_u8(&c) != 0) // past the letters; 0 also at the end
        ;
    if (version != 1 && version != 3)
        return false;
    *out = (cie){ .pointer_encoding = FORM_ABSOLUTE };
    out->code_unit = ubi__cursor_uleb(&c);
    out->data_unit = ubi__cursor_sleb(&c);
    out->return_column = version == 1 ? ubi__cursor_u8(&c) : ubi__cursor_uleb(&c);
    if (ubi__cursor_left(&letters) > 0 && *letters.at == 'z') {
        ubi__cursor_u8(&letters);
        uint64_t n = ubi__cursor_uleb(&c);
        const uint8_t *p = ubi__cursor_take(&c, n);
        if (!p)
            return false;
        ubi__cursor bytes = { .at = p, .high = p + n };
        out->has_augmentation = true;
        if (!read_augmentation(out, &letters, &bytes))
            return false;
    } else if (ubi__cursor_u8(&letters) != 0) {
        return false;
    }
    out->program = c;
    return !c.is_short && out->return_column == REGISTER_PC;
}

/** @param body  of an entry. false also if it is a CIE. */
static bool read_fde(const ubi__cfi_bytes *module, ubi__cursor body, fde *out) {
    uintptr_t here = (uintptr_t)body.at;
    uint64_t back = ubi__cursor_unsigned(&body, 4);
    if (back == 0 || !read_cie(module, here - back, &out->common))
        return false;
    uint8_t encoding = out->common.pointer_encoding;
    if (!read_pointer(&body, encoding, NULL, &out->low) || !read_number(&body, encoding & FORM, &out->n_bytes))
        return false;
    if (out->common.has_augmentation)
        ubi__cursor_take(&body, ubi__cursor_uleb(&body));
    out->program = body;
    return !body.is_short;
}

static bool fde_covers(const fde *f, uintptr_t address) {
    return address - f->low < f->n_bytes;
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

/** The last entry of a sorted table of (function, FDE), both in 4 bytes from the index, that is not above `address`. */
static bool search_table(ubi__cursor table, uint64_t n, const uint8_t *index, uintptr_t address, uintptr_t *out) {
    const size_t row_bytes = 8;
    const uint8_t *rows = n <= ubi__cursor_left(&table) / row_bytes ? table.at : NULL;
    if (!rows || n == 0)
        return false;
    uint64_t low = 0;
    for (uint64_t high = n; high - low > 1;) {
        uint64_t middle = low + (high - low) / 2;
        int32_t start;
        memcpy(&start, rows + middle * row_bytes, sizeof start);
        if ((uintptr_t)index + (uintptr_t)(intptr_t)start <= address)
            low = middle;
        else
            high = middle;
    }
    int32_t pair[2];
    memcpy(pair, rows + low * row_bytes, sizeof pair);
    *out = (uintptr_t)index + (uintptr_t)(intptr_t)pair[1];
    return (uintptr_t)index + (uintptr_t)(intptr_t)pair[0] <= address;
}

/** For a section without a table: all of its entries, one after the other. */
static ubi__cfi_found scan_section(const ubi__cfi_bytes *module, uintptr_t section, uintptr_t address, fde *out) {
    ubi__cursor body;
    for (uintptr_t at = section; open_entry(module, at, &body); at = (uintptr_t)body.high) {
        if (read_fde(module, body, out) && fde_covers(out, address))
            return UBI__CFI_FOUND;
    }
    return UBI__CFI_NONE;
}

static ubi__cfi_found find_fde(const ubi__cfi_bytes *module, const uint8_t *index, uintptr_t address, fde *out) {
    if (!is_inside(module, (uintptr_t)index))
        return UBI__CFI_NONE;
    ubi__cursor c = { .at = index, .high = module->high };
    uint8_t version = ubi__cursor_u8(&c);
    uint8_t section_encoding = ubi__cursor_u8(&c);
    uint8_t count_encoding = ubi__cursor_u8(&c);
    uint8_t table_encoding = ubi__cursor_u8(&c);
    uintptr_t section, count, entry;
    if (version != 1 || !read_pointer(&c, section_encoding, index, &section))
        return UBI__CFI_BROKEN;
    if (count_encoding == OMITTED || table_encoding != (FROM_INDEX | FORM_S32))
        return scan_section(module, section, address, out);
    if (!read_pointer(&c, count_encoding, index, &count))
        return UBI__CFI_BROKEN;
    ubi__cursor body;
    if (!search_table(c, count, index, address, &entry))
        return UBI__CFI_NONE;
    if (!open_entry(module, entry, &body) || !read_fde(module, body, out))
        return UBI__CFI_BROKEN;
    return fde_covers(out, address) ? UBI__CFI_FOUND : UBI__CFI_NONE;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* gcc puts one row aside at a time. The stack that this runs on may be small. */
#define ROWS_ASIDE 8

typedef struct program {
    const cie *common;
    ubi__cursor code;
    uintptr_t location, wanted;
    ubi__cfi_row row, initial;
    ubi__cfi_row aside[ROWS_ASIDE];
    size_t n_aside;
} program;

/** Where the row says what it knows of a register; NULL: it is not followed. */
static ubi__cfi_place *place_of(ubi__cfi_row *row, uint64_t column) {
    switch (column) {
    case REGISTER_BP:
        return &row->bp;
    case REGISTER_SP:
        return &row->sp;
    case REGISTER_PC:
        return &row->pc;
    default:
        return NULL;
    }
}

static void set_place(program *p, uint64_t column, ubi__cfi_kind kind, int64_t offset) {
    ubi__cfi_place *place = place_of(&p->row, column);
    if (place)
        *place = (ubi__cfi_place){ .kind = (uint8_t)kind, .base = UBI__CFI_BASE_CFA, .offset = offset };
}

static void restore_place(program *p, uint64_t column) {
    ubi__cfi_place *place = place_of(&p->row, column);
    if (place)
        *place = *place_of(&p->initial, column);
}

/** Offsets are in units of the CIE, and wrap around as addresses do. */
static int64_t scaled_offset(const program *p, uint64_t offset) {
    return (int64_t)(offset * (uint64_t)p->common->data_unit);
}

static ubi__cfi_place read_expression(program *p, ubi__cfi_kind kind) {
    uint64_t n = ubi__cursor_uleb(&p->code);
    const uint8_t *bytes = ubi__cursor_take(&p->code, n);
    if (!bytes || n > UINT32_MAX)
        return (ubi__cfi_place){ .kind = UBI__CFI_UNSUPPORTED };
    return (ubi__cfi_place){ .kind = (uint8_t)kind, .expression_bytes = (uint32_t)n, .expression = bytes };
}

static void set_expression(program *p, uint64_t column, ubi__cfi_kind kind) {
    ubi__cfi_place read = read_expression(p, kind), *place = place_of(&p->row, column);
    if (place)
        *place = read;
}

static void set_cfa(program *p, uint64_t column, int64_t offset) {
    ubi__cfi_base base = column == REGISTER_BP ? UBI__CFI_BASE_BP : UBI__CFI_BASE_SP;
    bool followed = column == REGISTER_BP || column == REGISTER_SP;
    p->row.cfa = (ubi__cfi_place){ .kind = followed ? UBI__CFI_VALUE : UBI__CFI_UNSUPPORTED,
                                   .base = (uint8_t)base,
                                   .offset = offset };
}

/** The CFA's register alone changes; its offset stays, also while the register is one that is not followed. */
static void set_cfa_register(program *p, uint64_t column) {
    bool has_offset = p->row.cfa.kind == UBI__CFI_VALUE || p->row.cfa.kind == UBI__CFI_UNSUPPORTED;
    set_cfa(p, column, has_offset ? p->row.cfa.offset : 0);
}

static void set_cfa_offset(program *p, int64_t offset) {
    if (p->row.cfa.kind == UBI__CFI_VALUE || p->row.cfa.kind == UBI__CFI_UNSUPPORTED)
        p->row.cfa.offset = offset;
}

/** @return whether the row of the wanted address is still ahead. */
static bool program_advance(program *p, uint64_t units) {
    p->location += units * p->common->code_unit;
    return p->location <= p->wanted;
}

static bool run_short(program *p, uint8_t instruction, bool *more) {
    uint8_t operand = instruction & 0x3f;
    switch (instruction & 0xc0) {
    case ADVANCE:
        *more = program_advance(p, operand);
        return true;
    case OFFSET:
        set_place(p, operand, UBI__CFI_AT, scaled_offset(p, ubi__cursor_uleb(&p->code)));
        return true;
    case RESTORE:
        restore_place(p, operand);
        return true;
    default:
        return false;
    }
}

static bool run_cfa(program *p, uint8_t instruction) {
    ubi__cursor *c = &p->code;
    uint64_t column;
    switch (instruction) {
    case DEF_CFA:
        column = ubi__cursor_uleb(c);
        set_cfa(p, column, (int64_t)ubi__cursor_uleb(c));
        return true;
    case DEF_CFA_SF:
        column = ubi__cursor_uleb(c);
        set_cfa(p, column, scaled_offset(p, (uint64_t)ubi__cursor_sleb(c)));
        return true;
    case DEF_CFA_REGISTER:
        set_cfa_register(p, ubi__cursor_uleb(c));
        return true;
    case DEF_CFA_OFFSET:
        set_cfa_offset(p, (int64_t)ubi__cursor_uleb(c));
        return true;
    case DEF_CFA_OFFSET_SF:
        set_cfa_offset(p, scaled_offset(p, (uint64_t)ubi__cursor_sleb(c)));
        return true;
    case DEF_CFA_EXPRESSION:
        p->row.cfa = read_expression(p, UBI__CFI_VALUE_EXPRESSION);
        return true;
    default:
        return false;
    }
}

static bool run_register(program *p, uint8_t instruction) {
    ubi__cursor *c = &p->code;
    uint64_t column = ubi__cursor_uleb(c);
    switch (instruction) {
    case OFFSET_EXTENDED:
        set_place(p, column, UBI__CFI_AT, scaled_offset(p, ubi__cursor_uleb(c)));
        return true;
    case OFFSET_EXTENDED_SF:
        set_place(p, column, UBI__CFI_AT, scaled_offset(p, (uint64_t)ubi__cursor_sleb(c)));
        return true;
    case GNU_NEGATIVE_OFFSET:
        set_place(p, column, UBI__CFI_AT, scaled_offset(p, -ubi__cursor_uleb(c)));
        return true;
    case VAL_OFFSET:
        set_place(p, column, UBI__CFI_VALUE, scaled_offset(p, ubi__cursor_uleb(c)));
        return true;
    case VAL_OFFSET_SF:
        set_place(p, column, UBI__CFI_VALUE, scaled_offset(p, (uint64_t)ubi__cursor_sleb(c)));
        return true;
    case RESTORE_EXTENDED:
        restore_place(p, column);
        return true;
    case UNDEFINED:
        set_place(p, column, UBI__CFI_UNDEFINED, 0);
        return true;
    case SAME_VALUE:
        set_place(p, column, UBI__CFI_SAME, 0);
        return true;
    case IN_REGISTER:
        ubi__cursor_uleb(c);
        set_place(p, column, UBI__CFI_UNSUPPORTED, 0);
        return true;
    case EXPRESSION:
        set_expression(p, column, UBI__CFI_AT_EXPRESSION);
        return true;
    case VAL_EXPRESSION:
        set_expression(p, column, UBI__CFI_VALUE_EXPRESSION);
        return true;
    default:
        return false;
    }
}

/** Instructions that are neither about the CFA nor about one register. false: none of them, or it cannot be done. */
static bool run_other(program *p, uint8_t instruction, bool *more) {
    ubi__cursor *c = &p->code;
    switch (instruction) {
    case NOP:
        return true;
    case SET_LOC:
        if (!read_pointer(c, p->common->pointer_encoding, NULL, &p->location))
            return false;
        *more = p->location <= p->wanted;
        return true;
    case ADVANCE_1:
        *more = program_advance(p, ubi__cursor_unsigned(c, 1));
        return true;
    case ADVANCE_2:
        *more = program_advance(p, ubi__cursor_unsigned(c, 2));
        return true;
    case ADVANCE_4:
        *more = program_advance(p, ubi__cursor_unsigned(c, 4));
        return true;
    case REMEMBER_STATE:
        if (p->n_aside == ROWS_ASIDE)
            return false;
        p->aside[p->n_aside++] = p->row;
        return true;
    case RESTORE_STATE:
        if (p->n_aside == 0)
            return false;
        p->row = p->aside[--p->n_aside];
        return true;
    case GNU_ARGS_SIZE:
        ubi__cursor_uleb(c);
        return true;
    default:
        return false;
    }
}

static bool is_about_register(uint8_t instruction) {
    return (instruction >= OFFSET_EXTENDED && instruction <= IN_REGISTER) || instruction == EXPRESSION ||
           instruction == OFFSET_EXTENDED_SF || (instruction >= VAL_OFFSET && instruction <= VAL_EXPRESSION) ||
           instruction == GNU_NEGATIVE_OFFSET;
}

/** Runs instructions until they are used up or the wanted address is passed. */
static bool program_run(program *p, ubi__cursor code) {
    bool more = true;
    p->code = code;
    while (more && ubi__cursor_left(&p->code) > 0) {
        uint8_t instruction = ubi__cursor_u8(&p->code);
        bool known = (instruction & 0xc0)             ? run_short(p, instruction, &more)
                     : is_about_register(instruction) ? run_register(p, instruction)
                                                      : run_cfa(p, instruction) || run_other(p, instruction, &more);
        if (!known || p->code.is_short)
            return false;
    }
    return true;
}

ubi__cfi_found ubi__cfi_find(const ubi__cfi_bytes *module, const uint8_t *index, uintptr_t address, ubi__cfi_row *out) {
    fde f;
    ubi__cfi_found found = find_fde(module, index, address, &f);
    if (found != UBI__CFI_FOUND)
        return found;
    program p = { .common = &f.common, .location = f.low, .wanted = address };
    p.row.cfa.kind = UBI__CFI_UNSUPPORTED; // until the program says
    p.row.pc.kind = UBI__CFI_UNSUPPORTED;
    p.row.is_signal_frame = f.common.is_signal_frame;
    if (!program_run(&p, f.common.program))
        return UBI__CFI_BROKEN;
    p.initial = p.row;
    if (!program_run(&p, f.program))
        return UBI__CFI_BROKEN;
    UBI_ASSERT(p.n_aside <= ROWS_ASIDE && fde_covers(&f, address));
    UBI_ASSERT(p.row.cfa.kind == UBI__CFI_VALUE || p.row.cfa.kind == UBI__CFI_VALUE_EXPRESSION ||
               p.row.cfa.kind == UBI__CFI_UNSUPPORTED);
    *out = p.row;
    return UBI__CFI_FOUND;
}

ubi__cfi_found ubi__cfi_function(const ubi__cfi_bytes *module, const uint8_t *index, uintptr_t address,
                                 uintptr_t *start) {
    fde f;
    ubi__cfi_found found = find_fde(module, index, address, &f);
    if (found == UBI__CFI_FOUND)
        *start = f.low;
    return found;
}
