/* SPDX-License-Identifier: MIT
 *
 * cfi.h: call frame information, as compilers leave it in .eh_frame: where, at one instruction of a function, its
 * caller's registers are.
 *
 * Of all registers only those are followed that a walk needs: stack pointer, rbp and the return address of x86-64.
 * The tables of a module are taken as hostile: nothing outside of the given bytes is read, time is linear in what the
 * module says about one function (or, for tables without index, about all of them), and nothing recurses.
 *
 * Sources: DWARF 5, sections 2.5 and 6.4; Linux Standard Base Core 5.0, section 10.6 (.eh_frame, .eh_frame_hdr);
 * System V ABI for AMD64, section 3.6 (numbers of registers).
 */
#ifndef UBI_UNWIND_CFI_H
#define UBI_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What may be read: a module as it is mapped. */
typedef struct ubi__cfi_bytes {
    const uint8_t *low, *high;
} ubi__cfi_bytes;

typedef enum ubi__cfi_kind {
    UBI__CFI_SAME,          /* unchanged since the callee was entered */
    UBI__CFI_UNDEFINED,     /* cannot be known. Return address: there is no caller */
    UBI__CFI_AT,            /* in memory at base + offset */
    UBI__CFI_VALUE,         /* is base + offset */
    UBI__CFI_AT_EXPRESSION, /* in memory at an address that is computed */
    UBI__CFI_VALUE_EXPRESSION,
    UBI__CFI_UNSUPPORTED, /* in a register that is not followed, and the like */
} ubi__cfi_kind;

typedef enum ubi__cfi_base {
    UBI__CFI_BASE_CFA, /* of registers: the frame's canonical address, which is the caller's stack pointer */
    UBI__CFI_BASE_SP,  /* of the CFA itself */
    UBI__CFI_BASE_BP,
} ubi__cfi_base;

typedef struct ubi__cfi_place {
    uint8_t kind; /* ubi__cfi_kind */
    uint8_t base; /* ubi__cfi_base */
    uint32_t expression_bytes;
    union {
        int64_t offset;
        const uint8_t *expression; /* in the module */
    };
} ubi__cfi_place;

/** What is known at one instruction. The CFA is UBI__CFI_VALUE, UBI__CFI_VALUE_EXPRESSION or UBI__CFI_UNSUPPORTED. */
typedef struct ubi__cfi_row {
    ubi__cfi_place cfa, sp, bp, pc;
    bool is_signal_frame; /* the caller did not call: it was interrupted, at pc itself */
} ubi__cfi_row;

typedef enum ubi__cfi_found {
    UBI__CFI_FOUND,
    UBI__CFI_NONE,   /* nothing is said about this address */
    UBI__CFI_BROKEN, /* something is said that makes no sense, or that is not supported */
} ubi__cfi_found;

/** The row of the instruction at `address`. @param index  the module's .eh_frame_hdr. `out` is written if UBI__CFI_FOUND. */
ubi__cfi_found ubi__cfi_find(const ubi__cfi_bytes *module, const uint8_t *index, uintptr_t address, ubi__cfi_row *out);

/** Where the function begins that the instruction at `address` belongs to. */
ubi__cfi_found ubi__cfi_function(const ubi__cfi_bytes *module, const uint8_t *index, uintptr_t address,
                                 uintptr_t *start);

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/** What expressions may use. */
typedef struct ubi__cfi_state {
    uintptr_t pc, sp, bp;
    bool (*read)(void *payload, uintptr_t address, uintptr_t *out); /* a word of memory; false: may not be read */
    void *payload;
} ubi__cfi_state;

/** @param pushed  what lies on the expression's stack at first: NULL, or the CFA. @return false: unsupported, or it runs
 *  for too long, or it reads what may not be read. Reads the expression's bytes only. */
bool ubi__cfi_evaluate(const uint8_t *expression, size_t n_bytes, const ubi__cfi_state *state, const uintptr_t *pushed,
                       uintptr_t *out);

#endif
