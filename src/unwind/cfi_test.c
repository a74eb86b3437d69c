/* SPDX-License-Identifier: MIT
 *
 * Tests of cfi.h: what real libraries have none of (tests/unwind/cfi_readelf_test.py compares those), expressions,
 * and tables that are damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/cfi.h"

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof(((const uint8_t[]){ __VA_ARGS__ }))

/* ---- a module made by hand --------------------------------------------------------------------------------------- */

/** An index, a CIE and an FDE for addresses from 0x10000 on, in a block of its very size, so that a checker of memory sees what
 *  is read beyond. */
typedef struct made {
    uint8_t bytes[512];
    size_t n;
    size_t index; /* where it begins */
} made;

#define LOW 0x10000
#define FUNCTION_BYTES 0x1000

static void add(made *m, const void *bytes, size_t n) {
    assert_true(m->n + n <= sizeof m->bytes);
    if (n > 0)
        memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
}

static void add_number(made *m, uint64_t number, size_t n_bytes) {
    add(m, &number, n_bytes);
}

static void end_entry(made *m, size_t start) {
    uint32_t n = (uint32_t)(m->n - start - 4);
    memcpy(m->bytes + start, &n, 4);
}

typedef struct recipe {
    const char *letters; /* default: "" */
    const uint8_t *augmentation;
    size_t n_augmentation;
    uint8_t version, return_column; /* defaults: 1, 16 */
} recipe;

static made make(const recipe *r, const uint8_t *first, size_t n_first, const uint8_t *program, size_t n_program) {
    made m = { .n = 0 };
    // The section: CIE and FDE.
    add_number(&m, 0, 8);
    add_number(&m, r->version ? r->version : 1, 1);
    add(&m, r->letters ? r->letters : "", strlen(r->letters ? r->letters : "") + 1);
    add(&m, BYTES(1, 0x78)); // units: 1, -8
    add_number(&m, r->return_column ? r->return_column : 16, 1);
    if (r->letters && r->letters[0] == 'z')
        add_number(&m, r->n_augmentation, 1);
    add(&m, r->augmentation ? r->augmentation : (const uint8_t *)"", r->n_augmentation);
    add(&m, BYTES(0x0c, 7, 8, 0x90, 1)); // CFA: rsp + 8; pc: at CFA - 8
    add(&m, first, n_first);
    end_entry(&m, 0);
    size_t fde = m.n;
    add_number(&m, 0, 4);
    add_number(&m, m.n, 4);
    add_number(&m, LOW, 8);
    add_number(&m, FUNCTION_BYTES, 8);
    if (r->letters && r->letters[0] == 'z')
        add_number(&m, 0, 1);
    add(&m, program, n_program);
    end_entry(&m, fde);
    add_number(&m, 0, 4); // the section's end
    m.index = m.n;
    add(&m, BYTES(1, 0x1b, 0xff, 0xff)); // no table: all entries are looked at
    add_number(&m, (uint64_t) - (int64_t)m.n, 4);
    return m;
}

static ubi__cfi_found ask(const made *m, uintptr_t address, ubi__cfi_row *out) {
    uint8_t *bytes = malloc(m->n);
    assert_non_null(bytes);
    memcpy(bytes, m->bytes, m->n);
    ubi__cfi_bytes module = { bytes, bytes + m->n };
    ubi__cfi_found found = ubi__cfi_find(&module, bytes + m->index, address, out);
    free(bytes);
    return found;
}

static const recipe plain = { .letters = "" };

/** The row at an offset of the function. */
static ubi__cfi_row row_at(const recipe *r, const uint8_t *program, size_t n, uintptr_t offset) {
    made m = make(r, NULL, 0, program, n);
    ubi__cfi_row row;
    memset(&row, 0xaa, sizeof row);
    assert_int_equal(ask(&m, LOW + offset, &row), UBI__CFI_FOUND);
    return row;
}

static void assert_place(const ubi__cfi_place *place, ubi__cfi_kind kind, int64_t offset) {
    assert_int_equal(place->kind, kind);
    assert_int_equal(place->offset, offset);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void a_function_covers_its_bytes_alone(void **state) {
    ubi__cfi_row row;
    (void)state;
    made m = make(&plain, NULL, 0, NULL, 0);
    assert_int_equal(ask(&m, LOW - 1, &row), UBI__CFI_NONE);
    assert_int_equal(ask(&m, LOW, &row), UBI__CFI_FOUND);
    assert_place(&row.cfa, UBI__CFI_VALUE, 8);
    assert_place(&row.pc, UBI__CFI_AT, -8);
    assert_int_equal(row.bp.kind, UBI__CFI_SAME);
    assert_false(row.is_signal_frame);
    assert_int_equal(ask(&m, LOW + FUNCTION_BYTES - 1, &row), UBI__CFI_FOUND);
    assert_int_equal(ask(&m, LOW + FUNCTION_BYTES, &row), UBI__CFI_NONE);
}

static void a_row_begins_with_the_instruction_after_its_change(void **state) {
    (void)state;
    // advance 2; CFA + 16; advance 0x140 in one, two, four bytes each with a change.
    const uint8_t program[] = { 0x42, 0x0e, 16,   0x02, 0x40, 0x0e, 24, 0x03, 0x00, 0x01,
                                0x0e, 32,   0x04, 0,    2,    0,    0,  0x0e, 40 };
    static const struct {
        uintptr_t offset;
        int64_t cfa;
    } golden[] = { { 0, 8 },     { 1, 8 },      { 2, 16 },     { 0x41, 16 },
                   { 0x42, 24 }, { 0x142, 32 }, { 0x341, 32 }, { 0x342, 40 } };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        ubi__cfi_row row = row_at(&plain, program, sizeof program, golden[i].offset);
        assert_place(&row.cfa, UBI__CFI_VALUE, golden[i].cfa);
    }
}

static void every_instruction_about_registers_is_understood(void **state) {
    (void)state;
    ubi__cfi_row row = row_at(&plain, BYTES(0x05, 6, 2), 0);
    assert_place(&row.bp, UBI__CFI_AT, -16);
    row = row_at(&plain, BYTES(0x11, 6, 0x7e), 0); // offset_extended_sf: -2
    assert_place(&row.bp, UBI__CFI_AT, 16);
    row = row_at(&plain, BYTES(0x2f, 6, 2), 0); // negative offset
    assert_place(&row.bp, UBI__CFI_AT, 16);
    row = row_at(&plain, BYTES(0x14, 7, 3), 0);
    assert_place(&row.sp, UBI__CFI_VALUE, -24);
    row = row_at(&plain, BYTES(0x15, 7, 0x7d), 0);
    assert_place(&row.sp, UBI__CFI_VALUE, 24);
    row = row_at(&plain, BYTES(0x07, 16), 0);
    assert_int_equal(row.pc.kind, UBI__CFI_UNDEFINED);
    row = row_at(&plain, BYTES(0x09, 16, 5), 0);
    assert_int_equal(row.pc.kind, UBI__CFI_UNSUPPORTED);
    row = row_at(&plain, BYTES(0x86, 2, 0x08, 6), 0);
    assert_int_equal(row.bp.kind, UBI__CFI_SAME);
    row = row_at(&plain, BYTES(0x09, 16, 5, 0x06, 16), 0); // restored: as the CIE has it
    assert_place(&row.pc, UBI__CFI_AT, -8);
    row = row_at(&plain, BYTES(0x86, 2, 0xc6), 0);
    assert_int_equal(row.bp.kind, UBI__CFI_SAME);
    row = row_at(&plain, BYTES(0x83, 2, 0x05, 0x90, 0x01, 7, 0x0e, 16), 0); // rbx and a register beyond: not followed
    assert_place(&row.cfa, UBI__CFI_VALUE, 16);
    row = row_at(&plain, BYTES(0x10, 6, 2, 0x77, 8), 0);
    assert_int_equal(row.bp.kind, UBI__CFI_AT_EXPRESSION);
    assert_int_equal(row.bp.expression_bytes, 2);
    row = row_at(&plain, BYTES(0x16, 6, 1, 0x30), 0);
    assert_int_equal(row.bp.kind, UBI__CFI_VALUE_EXPRESSION);
}

static void every_instruction_about_the_cfa_is_understood(void **state) {
    (void)state;
    ubi__cfi_row row = row_at(&plain, BYTES(0x0c, 6, 16), 0);
    assert_place(&row.cfa, UBI__CFI_VALUE, 16);
    assert_int_equal(row.cfa.base, UBI__CFI_BASE_BP);
    row = row_at(&plain, BYTES(0x0d, 6), 0);
    assert_place(&row.cfa, UBI__CFI_VALUE, 8);
    assert_int_equal(row.cfa.base, UBI__CFI_BASE_BP);
    row = row_at(&plain, BYTES(0x12, 7, 0x7e), 0); // -2 units
    assert_place(&row.cfa, UBI__CFI_VALUE, 16);
    row = row_at(&plain, BYTES(0x13, 0x7d), 0);
    assert_place(&row.cfa, UBI__CFI_VALUE, 24);
    row = row_at(&plain, BYTES(0x0d, 10), 0);
    assert_int_equal(row.cfa.kind, UBI__CFI_UNSUPPORTED);
    row = row_at(&plain, BYTES(0x0d, 10, 0x0e, 48, 0x0d, 7), 0); // the offset outlives the register
    assert_place(&row.cfa, UBI__CFI_VALUE, 48);
    row = row_at(&plain, BYTES(0x0f, 2, 0x77, 8), 0);
    assert_int_equal(row.cfa.kind, UBI__CFI_VALUE_EXPRESSION);
    row = row_at(&plain, BYTES(0x0e, 16, 0x86, 2, 0x0a, 0x0e, 8, 0xc6, 0x0b), 0);
    assert_place(&row.cfa, UBI__CFI_VALUE, 16); // remembered
    assert_place(&row.bp, UBI__CFI_AT, -16);
    row = row_at(&plain, BYTES(0x2e, 0x90, 0x01, 0x00, 0x0e, 16), 0); // arguments' size: passed over
    assert_place(&row.cfa, UBI__CFI_VALUE, 16);
    row = row_at(&plain, BYTES(0x01, 0x10, 0, 1, 0, 0, 0, 0, 0, 0x0e, 16), 0x0f); // set_loc
    assert_place(&row.cfa, UBI__CFI_VALUE, 8);
    row = row_at(&plain, BYTES(0x01, 0x10, 0, 1, 0, 0, 0, 0, 0, 0x0e, 16), 0x10);
    assert_place(&row.cfa, UBI__CFI_VALUE, 16);
}

static void augmentations_are_understood(void **state) {
    static const uint8_t bytes[] = { 0x0b, 1, 2, 3, 4, 0x0c, 0x00 }; // P: sdata4 and 4 bytes; L; R: absolute
    (void)state;
    recipe r = { .letters = "zPLRS", .augmentation = bytes, .n_augmentation = sizeof bytes };
    ubi__cfi_row row = row_at(&r, BYTES(0x0e, 16), 0);
    assert_place(&row.cfa, UBI__CFI_VALUE, 16);
    assert_true(row.is_signal_frame);
    r = (recipe){ .letters = "z", .version = 3 };
    row = row_at(&r, BYTES(0x0e, 16), 0);
    assert_place(&row.cfa, UBI__CFI_VALUE, 16);
    assert_false(row.is_signal_frame);
}

static void what_is_not_supported_is_not_taken_for_something_else(void **state) {
    static const recipe strange[] = {
        { .letters = "eh" },
        { .letters = "z?" },
        { .version = 2 },
        { .return_column = 17 },
        { .letters = "zP", .augmentation = (const uint8_t *)"\x0f", .n_augmentation = 1 },
        { .letters = "zR" },
    };
    ubi__cfi_row row;
    (void)state;
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        made m = make(&strange[i], NULL, 0, NULL, 0);
        assert_int_equal(ask(&m, LOW, &row), UBI__CFI_NONE); // by a scan; entries that cannot be read are passed over
    }
    static const struct {
        uint8_t n, bytes[16];
    } programs[] = {
        { 1, { 0x3f } },
        { 1, { 0x1d } }, // no such instruction
        { 1, { 0x0b } },
        { 9, { 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a } }, // nothing, too much remembered
        { 1, { 0x0e } },
        { 2, { 0x0c, 7 } },
        { 1, { 0x80 | 6 } },
        { 2, { 0x0f, 1 } }, // cut off
        { 3, { 0x0f, 9, 0 } },
        { 2, { 0x03, 1 } },
        { 2, { 0x0e, 0x80 } },
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        made m = make(&plain, NULL, 0, programs[i].bytes, programs[i].n);
        assert_int_equal(ask(&m, LOW, &row), UBI__CFI_BROKEN);
        m = make(&plain, programs[i].bytes, programs[i].n, NULL, 0);
        assert_int_equal(ask(&m, LOW, &row), UBI__CFI_BROKEN);
    }
    made m = make(&plain, NULL, 0, BYTES(0x41, 0x3f)); // what comes after the wanted instruction is not run
    assert_int_equal(ask(&m, LOW, &row), UBI__CFI_FOUND);
    assert_int_equal(ask(&m, LOW + 1, &row), UBI__CFI_BROKEN);
}

static void damaged_tables_are_not_read_beyond_their_end(void **state) {
    static const uint8_t program[] = { 0x42, 0x0e, 16, 0x86, 2, 0x0f, 2, 0x77, 8, 0x0a, 0x0b };
    ubi__cfi_row row;
    (void)state;
    made whole = make(&plain, BYTES(0x0e, 16), program, sizeof program);
    for (size_t at = 0; at < whole.n; at++) {
        for (unsigned value = 0; value < 256; value++) {
            made m = whole;
            m.bytes[at] = (uint8_t)value;
            (void)ask(&m, LOW + value % 8, &row); // AddressSanitizer judges
        }
    }
    for (size_t n = whole.index; n < whole.n; n++) {
        made m = whole;
        m.n = n;
        if (n > whole.index + 2)
            assert_int_not_equal(ask(&m, LOW, &row), UBI__CFI_FOUND);
    }
    ubi__cfi_bytes module = { whole.bytes, whole.bytes + whole.n };
    assert_int_equal(ubi__cfi_find(&module, NULL, LOW, &row), UBI__CFI_NONE);
    assert_int_equal(ubi__cfi_find(&module, module.high, LOW, &row), UBI__CFI_NONE);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void functions_are_found_by_halving(void **state) {
    // Below the code, in one block: an index of n functions of 16 bytes with gaps, all described by the same CIE.
    enum { MAX = 40, GAP = 24, FUNCTION = 16 };
    (void)state;
    for (int32_t n = 0; n <= MAX; n++) {
        struct {
            uint8_t index[8];
            int32_t count, rows[MAX][2];
            uint8_t cie[24];
            struct {
                uint32_t n, back;
                int32_t low, n_bytes;
                uint8_t augmentation, program[3];
            } fdes[MAX];
            uint8_t code[MAX * GAP];
        } m = { .index = { 1, 0x1b, 0x03, 0x3b }, .count = n };
        uint8_t cie[24] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1 };
        memcpy(m.cie, cie, sizeof cie);
        int32_t section = (int32_t)(m.cie - (m.index + 4));
        memcpy(m.index + 4, &section, 4);
        for (int32_t i = 0; i < n; i++) {
            m.fdes[i].n = sizeof m.fdes[i] - 4;
            m.fdes[i].back = (uint32_t)((uint8_t *)&m.fdes[i].back - m.cie);
            m.fdes[i].low = (int32_t)(m.code + (ptrdiff_t)i * GAP - (uint8_t *)&m.fdes[i].low);
            m.fdes[i].n_bytes = FUNCTION;
            m.fdes[i].program[0] = 0x0e;
            m.fdes[i].program[1] = (uint8_t)i;
            m.rows[i][0] = (int32_t)(m.code + (ptrdiff_t)i * GAP - m.index);
            m.rows[i][1] = (int32_t)((uint8_t *)&m.fdes[i] - m.index);
        }
        ubi__cfi_bytes module = { (const uint8_t *)&m, (const uint8_t *)(&m + 1) };
        for (int32_t i = -1; i < n * GAP + 2; i++) {
            ubi__cfi_row row;
            ubi__cfi_found found = ubi__cfi_find(&module, m.index, (uintptr_t)m.code + (uintptr_t)(intptr_t)i, &row);
            bool inside = i >= 0 && i < n * GAP && i % GAP < FUNCTION;
            assert_int_equal(found, inside ? UBI__CFI_FOUND : UBI__CFI_NONE);
            if (inside)
                assert_place(&row.cfa, UBI__CFI_VALUE, i / GAP);
        }
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/** Memory that has twice its address at each place, from 1000 to 2000. */
static bool read_double(void *payload, uintptr_t address, uintptr_t *out) {
    (void)payload;
    *out = 2 * address;
    return address >= 1000 && address < 2000;
}

static const ubi__cfi_state machine = { .pc = 0x1005, .sp = 1200, .bp = 1500, .read = read_double };

static void expressions_are_computed(void **state) {
    static const struct {
        uintptr_t result;
        uint8_t n, bytes[20];
    } golden[] = {
        { 5, 1, { 0x35 } },
        { 31, 1, { 0x4f } },
        { 1208, 2, { 0x77, 8 } },       // rsp + 8
        { 1492, 2, { 0x76, 0x78 } },    // rbp - 8
        { 1200, 3, { 0x92, 7, 0 } },    // the same register by number
        { 2416, 3, { 0x77, 8, 0x06 } }, // what is there
        { 0xfe, 2, { 0x08, 0xfe } },    // constants
        { (uintptr_t)-2, 2, { 0x09, 0xfe } },
        { 0xfffe, 3, { 0x0a, 0xfe, 0xff } },
        { (uintptr_t)-2, 3, { 0x0b, 0xfe, 0xff } },
        { 0xfffffffe, 5, { 0x0c, 0xfe, 0xff, 0xff, 0xff } },
        { (uintptr_t)-2, 5, { 0x0d, 0xfe, 0xff, 0xff, 0xff } },
        { 0x0807060504030201, 9, { 0x0e, 1, 2, 3, 4, 5, 6, 7, 8 } },
        { 0x0807060504030201, 9, { 0x0f, 1, 2, 3, 4, 5, 6, 7, 8 } },
        { 0x0807060504030201, 9, { 0x03, 1, 2, 3, 4, 5, 6, 7, 8 } },
        { 300, 3, { 0x10, 0xac, 0x02 } },
        { (uintptr_t)-300, 3, { 0x11, 0xd4, 0x7d } },
        { 3, 3, { 0x33, 0x12, 0x96 } },          // dup, nop
        { 3, 3, { 0x33, 0x35, 0x13 } },          // drop
        { 3, 3, { 0x33, 0x35, 0x14 } },          // over
        { 2, 5, { 0x32, 0x33, 0x35, 0x15, 2 } }, // pick
        { 3, 3, { 0x33, 0x35, 0x16 } },          // swap
        { 3, 4, { 0x31, 0x33, 0x35, 0x17 } },    // rot: 5 1 3
        { 1, 5, { 0x31, 0x33, 0x35, 0x17, 0x13 } },
        { 5, 6, { 0x31, 0x33, 0x35, 0x17, 0x13, 0x13 } },
        { 2, 3, { 0x09, 0xfe, 0x19 } },             // abs
        { 2, 2 + 1, { 0x09, 0xfe, 0x1f } },         // neg
        { (uintptr_t)-4, 2, { 0x33, 0x20 } },       // not
        { 1, 3, { 0x33, 0x35, 0x1a } },             // and
        { (uintptr_t)-2, 3, { 0x33, 0x35, 0x1c } }, // minus
        { 15, 3, { 0x33, 0x35, 0x1e } },            // mul
        { 7, 3, { 0x33, 0x35, 0x21 } },             // or
        { 8, 3, { 0x33, 0x35, 0x22 } },             // plus
        { 131, 3, { 0x33, 0x23, 0x80 } },           // plus 128: cut off, see below
        { 96, 3, { 0x33, 0x35, 0x24 } },            // shl
        { 0, 4, { 0x33, 0x08, 64, 0x24 } },
        { 1, 3, { 0x43, 0x34, 0x25 } }, // shr: 19 >> 4
        { 0, 4, { 0x33, 0x08, 64, 0x25 } },
        { (uintptr_t)-1, 4, { 0x09, 0xfe, 0x31, 0x26 } }, // shra
        { (uintptr_t)-1, 5, { 0x09, 0xfe, 0x08, 200, 0x26 } },
        { 6, 3, { 0x33, 0x35, 0x27 } }, // xor
        { 0, 3, { 0x33, 0x35, 0x29 } }, // eq ge gt le lt ne
        { 1, 3, { 0x35, 0x33, 0x2a } },
        { 0, 4, { 0x09, 0xfe, 0x33, 0x2b } },
        { 1, 3, { 0x33, 0x33, 0x2c } },
        { 1, 4, { 0x09, 0xfe, 0x33, 0x2d } },
        { 1, 3, { 0x33, 0x35, 0x2e } },
        { 3, 5, { 0x33, 0x2f, 1, 0, 0x35 } },       // skip
        { 3, 6, { 0x33, 0x31, 0x28, 1, 0, 0x35 } }, // bra
        { 5, 6, { 0x33, 0x30, 0x28, 1, 0, 0x35 } },
        { 0, 7, { 0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff } }, // counts down from 5
        // The stub of a function of another module: rsp + 8, and 8 more after its push, 11 bytes from its start.
        { 1208, 11, { 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        uintptr_t result = 0xdead;
        bool cut_off = golden[i].bytes[golden[i].n - 1] == 0x80;
        uint8_t *bytes = malloc(golden[i].n); // of its very size
        assert_non_null(bytes);
        memcpy(bytes, golden[i].bytes, golden[i].n);
        assert_int_equal(ubi__cfi_evaluate(bytes, golden[i].n, &machine, NULL, &result), !cut_off);
        assert_int_equal(result, cut_off ? 0xdead : golden[i].result);
        free(bytes);
    }
    ubi__cfi_state behind_push = machine;
    behind_push.pc = 0x100b;
    uintptr_t result, cfa = 77;
    assert_true(ubi__cfi_evaluate(BYTES(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22), &behind_push, NULL,
                                  &result));
    assert_int_equal(result, 1216);
    assert_true(ubi__cfi_evaluate(BYTES(0x23, 3), &machine, &cfa, &result));
    assert_int_equal(result, 80);
}

static void expressions_that_cannot_be_computed_are_refused(void **state) {
    static const struct {
        uint8_t n, bytes[8];
    } wrong[] = {
        { 0, { 0 } },          // nothing left
        { 1, { 0x06 } },       // nothing to take
        { 2, { 0x33, 0x22 } }, // too little
        { 1, { 0x13 } },
        { 1, { 0x12 } },
        { 2, { 0x33, 0x14 } },
        { 3, { 0x33, 0x15, 1 } },
        { 2, { 0x33, 0x16 } },
        { 3, { 0x33, 0x33, 0x17 } },
        { 1, { 0x1f } },
        { 3, { 0x28, 0, 0 } },
        { 2, { 0x33, 0x06 } },             // not to be read
        { 3, { 0x2f, 0xfd, 0xff } },       // for ever
        { 4, { 0x31, 0x2f, 0xfc, 0xff } }, // and fuller
        { 4, { 0x33, 0x2f, 1, 0 } },       // to beyond the end
        { 4, { 0x33, 0x2f, 0xfb, 0xff } }, // to before the start
        { 2, { 0x0a, 1 } },                // cut off
        { 2, { 0x70, 0 } },
        { 3, { 0x92, 3, 0 } }, // registers that are not followed
        { 3, { 0x33, 0x33, 0x1b } },
        { 1, { 0x9c } },
        { 1, { 0xff } }, // unknown operations
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uintptr_t result = 0xdead;
        assert_false(ubi__cfi_evaluate(wrong[i].bytes, wrong[i].n, &machine, NULL, &result));
        assert_int_equal(result, 0xdead);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_covers_its_bytes_alone),
        cmocka_unit_test(a_row_begins_with_the_instruction_after_its_change),
        cmocka_unit_test(every_instruction_about_registers_is_understood),
        cmocka_unit_test(every_instruction_about_the_cfa_is_understood),
        cmocka_unit_test(augmentations_are_understood),
        cmocka_unit_test(what_is_not_supported_is_not_taken_for_something_else),
        cmocka_unit_test(damaged_tables_are_not_read_beyond_their_end),
        cmocka_unit_test(functions_are_found_by_halving),
        cmocka_unit_test(expressions_are_computed),
        cmocka_unit_test(expressions_that_cannot_be_computed_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
