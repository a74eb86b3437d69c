/* SPDX-License-Identifier: MIT
 *
 * cfi_expression.c: the small stack machine of DWARF expressions, as far as call frame information uses it.
 *
 * Invariant: bytes outside of the expression are never read, jumps included, the stack has a fixed size, and the
 * number of operations is limited.
 */
#include "base/assert.h"
#include "unwind/cfi.h"
#include "unwind/cfi_cursor.h"

#define STACK_WORDS 32
#define MAX_OPERATIONS 256

/* DWARF 5, 7.7.1. */
enum {
    OP_ADDR = 0x03,
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST1S = 0x09,
    OP_CONST2U = 0x0a,
    OP_CONST2S = 0x0b,
    OP_CONST4U = 0x0c,
    OP_CONST4S = 0x0d,
    OP_CONST8U = 0x0e,
    OP_CONST8S = 0x0f,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_OVER = 0x14,
    OP_PICK = 0x15,
    OP_SWAP = 0x16,
    OP_ROT = 0x17,
    OP_ABS = 0x19,
    OP_AND = 0x1a,
    OP_MINUS = 0x1c,
    OP_MUL = 0x1e,
    OP_NEG = 0x1f,
    OP_NOT = 0x20,
    OP_OR = 0x21,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_SHR = 0x25,
    OP_SHRA = 0x26,
    OP_XOR = 0x27,
    OP_BRA = 0x28,
    OP_EQ = 0x29,
    OP_GE = 0x2a,
    OP_GT = 0x2b,
    OP_LE = 0x2c,
    OP_LT = 0x2d,
    OP_NE = 0x2e,
    OP_SKIP = 0x2f,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4f,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8f,
    OP_BREGX = 0x92,
    OP_NOP = 0x96,
};

enum { REGISTER_BP = 6, REGISTER_SP = 7, REGISTER_PC = 16 };

typedef struct machine {
    const ubi__cfi_state *state;
    const uint8_t *low; /* of the expression */
    ubi__cursor code;
    uintptr_t words[STACK_WORDS];
    size_t n;
} machine;

static bool machine_push(machine *m, uintptr_t word) {
    if (m->n == STACK_WORDS)
        return false;
    m->words[m->n++] = word;
    UBI_ASSERT(m->n <= STACK_WORDS);
    return true;
}

static bool push_register(machine *m, uint64_t column, int64_t offset) {
    switch (column) {
    case REGISTER_BP:
        return machine_push(m, m->state->bp + (uintptr_t)offset);
    case REGISTER_SP:
        return machine_push(m, m->state->sp + (uintptr_t)offset);
    case REGISTER_PC:
        return machine_push(m, m->state->pc + (uintptr_t)offset);
    default:
        return false;
    }
}

static bool machine_jump(machine *m, int64_t distance) {
    if (distance < m->low - m->code.at || distance > m->code.high - m->code.at)
        return false;
    m->code.at += distance;
    UBI_ASSERT(m->code.at >= m->low && m->code.at <= m->code.high);
    return true;
}

/** Operations that push a constant. `done` says whether it was one. */
static bool run_constant(machine *m, uint8_t op, bool *done) {
    ubi__cursor *c = &m->code;
    *done = true;
    switch (op) {
    case OP_ADDR:
    case OP_CONST8U:
    case OP_CONST8S:
        return machine_push(m, ubi__cursor_unsigned(c, 8));
    case OP_CONST1U:
        return machine_push(m, ubi__cursor_unsigned(c, 1));
    case OP_CONST1S:
        return machine_push(m, (uintptr_t)ubi__cursor_signed(c, 1));
    case OP_CONST2U:
        return machine_push(m, ubi__cursor_unsigned(c, 2));
    case OP_CONST2S:
        return machine_push(m, (uintptr_t)ubi__cursor_signed(c, 2));
    case OP_CONST4U:
        return machine_push(m, ubi__cursor_unsigned(c, 4));
    case OP_CONST4S:
        return machine_push(m, (uintptr_t)ubi__cursor_signed(c, 4));
    case OP_CONSTU:
        return machine_push(m, ubi__cursor_uleb(c));
    case OP_CONSTS:
        return machine_push(m, (uintptr_t)ubi__cursor_sleb(c));
    default:
        *done = false;
        return true;
    }
}

/** Operations that take one word and leave one. */
static bool run_unary(machine *m, uint8_t op, bool *done) {
    *done = op == OP_DEREF || op == OP_ABS || op == OP_NEG || op == OP_NOT || op == OP_PLUS_UCONST;
    if (!*done)
        return true;
    if (m->n == 0)
        return false;
    uintptr_t *top = &m->words[m->n - 1];
    switch (op) {
    case OP_DEREF:
        return m->state->read(m->state->payload, *top, top);
    case OP_ABS:
        *top = (intptr_t)*top < 0 ? -*top : *top;
        return true;
    case OP_NEG:
        *top = -*top;
        return true;
    case OP_NOT:
        *top = ~*top;
        return true;
    default:
        *top += ubi__cursor_uleb(&m->code);
        return true;
    }
}

/** a op b. false: no such operation. Shifts by more than a word has bits push everything out. */
static bool combine_words(uint8_t op, uintptr_t a, uintptr_t b, uintptr_t *out) {
    intptr_t sa = (intptr_t)a, sb = (intptr_t)b;
    bool far = b > 63;
    switch (op) {
    case OP_AND:
        *out = a & b;
        return true;
    case OP_MINUS:
        *out = a - b;
        return true;
    case OP_MUL:
        *out = a * b;
        return true;
    case OP_OR:
        *out = a | b;
        return true;
    case OP_PLUS:
        *out = a + b;
        return true;
    case OP_SHL:
        *out = far ? 0 : a << b;
        return true;
    case OP_SHR:
        *out = far ? 0 : a >> b;
        return true;
    case OP_SHRA:
        *out = (uintptr_t)(sa >> (far ? 63 : b));
        return true;
    case OP_XOR:
        *out = a ^ b;
        return true;
    case OP_EQ:
        *out = a == b;
        return true;
    case OP_GE:
        *out = sa >= sb;
        return true;
    case OP_GT:
        *out = sa > sb;
        return true;
    case OP_LE:
        *out = sa <= sb;
        return true;
    case OP_LT:
        *out = sa < sb;
        return true;
    case OP_NE:
        *out = a != b;
        return true;
    default:
        return false;
    }
}

static bool run_binary(machine *m, uint8_t op, bool *done) {
    uintptr_t result;
    uintptr_t a = m->n >= 2 ? m->words[m->n - 2] : 0, b = m->n >= 2 ? m->words[m->n - 1] : 0;
    *done = combine_words(op, a, b, &result);
    if (!*done)
        return true;
    if (m->n < 2)
        return false;
    m->words[--m->n - 1] = result;
    return true;
}

/** Operations that move words about. */
static bool run_stack(machine *m, uint8_t op, bool *done) {
    uintptr_t *end = m->words + m->n;
    *done = true;
    switch (op) {
    case OP_DUP:
        return m->n >= 1 && machine_push(m, end[-1]);
    case OP_DROP:
        return m->n >= 1 && m->n-- > 0;
    case OP_OVER:
        return m->n >= 2 && machine_push(m, end[-2]);
    case OP_PICK: {
        uint8_t depth = ubi__cursor_u8(&m->code);
        return depth < m->n && machine_push(m, end[-1 - (ptrdiff_t)depth]);
    }
    case OP_SWAP:
    case OP_ROT: {
        size_t n = op == OP_SWAP ? 2 : 3;
        if (m->n < n)
            return false;
        uintptr_t top = end[-1];
        memmove(end - n + 1, end - n, (n - 1) * sizeof *end);
        end[-(ptrdiff_t)n] = top;
        return true;
    }
    default:
        *done = false;
        return true;
    }
}

static bool run_jump(machine *m, uint8_t op, bool *done) {
    *done = op == OP_SKIP || op == OP_BRA || op == OP_NOP;
    if (!*done || op == OP_NOP)
        return true;
    int64_t distance = ubi__cursor_signed(&m->code, 2);
    if (op == OP_SKIP)
        return machine_jump(m, distance);
    return m->n >= 1 && (m->words[--m->n] == 0 || machine_jump(m, distance));
}

static bool run_operation(machine *m, uint8_t op) {
    if (op >= OP_LIT0 && op <= OP_LIT31)
        return machine_push(m, op - OP_LIT0);
    if (op >= OP_BREG0 && op <= OP_BREG31)
        return push_register(m, op - OP_BREG0, ubi__cursor_sleb(&m->code));
    if (op == OP_BREGX) {
        uint64_t column = ubi__cursor_uleb(&m->code);
        return push_register(m, column, ubi__cursor_sleb(&m->code));
    }
    static bool (*const kinds[])(machine *, uint8_t, bool *) = { run_constant, run_unary, run_binary, run_stack,
                                                                 run_jump };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool done;
        if (!kinds[i](m, op, &done))
            return false;
        if (done)
            return true;
    }
    return false;
}

bool ubi__cfi_evaluate(const uint8_t *expression, size_t n_bytes, const ubi__cfi_state *state, const uintptr_t *pushed,
                       uintptr_t *out) {
    machine m = { .state = state, .low = expression, .code = { .at = expression, .high = expression + n_bytes } };
    if (pushed)
        machine_push(&m, *pushed);
    for (unsigned done = 0; ubi__cursor_left(&m.code) > 0; done++) {
        if (done == MAX_OPERATIONS || !run_operation(&m, ubi__cursor_u8(&m.code)) || m.code.is_short)
            return false;
    }
    if (m.n == 0)
        return false;
    *out = m.words[m.n - 1];
    return true;
}
