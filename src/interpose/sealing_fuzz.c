/* SPDX-License-Identifier: MIT
 *
 * sealing_fuzz.c: any bytes as a filter of system calls, of a program that the recorder must not kill.
 *
 * An input is a byte of flags and instructions of 8 bytes each. With MEANINGFUL, instructions are made such that most of them mean
 * something; with all of REPEATED they are repeated up to 65,535, the most that a filter can say that it has.
 *
 * Promises checked: it ends, and reads no instruction that is not there; what was forbidden stays forbidden; nothing is forbidden
 * that we do not call; without the clock there is no time; a filter that always refuses forbids all that we call; one that never
 * does forbids nothing that the same filter with other answers allows.
 */
#include "interpose/sealing.c"

#include "fuzz_pieces.h"

#define WORDS (UBI__SEALABLE / 64)
#define LENGTH_MOST UINT16_MAX

enum flags { MEANINGFUL = 1, SEALED_BEFORE = 2, REPEATED = 0xf0 }; /* which takes long, and so is rare */

static const uint16_t codes[] = {
    BPF_LD | BPF_W | BPF_ABS,
    BPF_LD | BPF_W | BPF_LEN,
    BPF_LDX | BPF_W | BPF_LEN,
    BPF_LD | BPF_IMM,
    BPF_LDX | BPF_IMM,
    BPF_LD | BPF_MEM,
    BPF_LDX | BPF_MEM,
    BPF_ST,
    BPF_STX,
    BPF_MISC | BPF_TAX,
    BPF_MISC | BPF_TXA,
    BPF_RET | BPF_K,
    BPF_RET | BPF_A,
    BPF_ALU | BPF_ADD | BPF_K,
    BPF_ALU | BPF_ADD | BPF_X,
    BPF_ALU | BPF_SUB | BPF_X,
    BPF_ALU | BPF_MUL | BPF_X,
    BPF_ALU | BPF_DIV | BPF_K,
    BPF_ALU | BPF_DIV | BPF_X,
    BPF_ALU | BPF_AND | BPF_K,
    BPF_ALU | BPF_OR | BPF_X,
    BPF_ALU | BPF_XOR | BPF_X,
    BPF_ALU | BPF_LSH | BPF_K,
    BPF_ALU | BPF_LSH | BPF_X,
    BPF_ALU | BPF_RSH | BPF_X,
    BPF_ALU | BPF_NEG,
    BPF_JMP | BPF_JA,
    BPF_JMP | BPF_JEQ | BPF_K,
    BPF_JMP | BPF_JEQ | BPF_X,
    BPF_JMP | BPF_JGT | BPF_K,
    BPF_JMP | BPF_JGE | BPF_K,
    BPF_JMP | BPF_JGE | BPF_X,
    BPF_JMP | BPF_JSET | BPF_K,
    BPF_JMP | BPF_JSET | BPF_X,
};

/* Of a number that is nearly always out of range, one that mostly is not. */
static void give_meaning(struct sock_filter *i) {
    uint16_t code = i->code;
    i->code = codes[code % (sizeof codes / sizeof *codes)];
    if (BPF_CLASS(i->code) == BPF_LD && BPF_MODE(i->code) == BPF_ABS)
        i->k = i->k % 17 * 4;
    else if (BPF_MODE(i->code) == BPF_MEM || BPF_CLASS(i->code) == BPF_ST || BPF_CLASS(i->code) == BPF_STX)
        i->k %= SCRATCH + 1;
    else if (BPF_CLASS(i->code) == BPF_JMP && BPF_OP(i->code) == BPF_JA)
        i->k = code & 0x8000 ? i->k : i->k % 8;
    else if (i->code == (BPF_RET | BPF_K))
        i->k = code & 0x8000 ? i->k : SECCOMP_RET_ALLOW;
    i->jt = code & 0x4000 ? i->jt : i->jt % 8;
    i->jf = code & 0x4000 ? i->jf : i->jf % 8;
}

/* Exactly as long as it says, so that a read past its end is seen. */
static struct sock_fprog filter_of(uint8_t flags, const uint8_t *data, size_t size) {
    size_t n = size / sizeof(struct sock_filter), length = n > LENGTH_MOST ? LENGTH_MOST : n;
    if ((flags & REPEATED) == REPEATED && n > 0)
        length = LENGTH_MOST;
    struct sock_fprog filter = { .len = (uint16_t)length, .filter = malloc(length * sizeof *filter.filter) };
    require(filter.filter || length == 0, "no memory");
    for (size_t i = 0; i < length; i++) {
        memcpy(&filter.filter[i], data + i % n * sizeof *filter.filter, sizeof *filter.filter);
        if (flags & MEANINGFUL)
            give_meaning(&filter.filter[i]);
    }
    return filter;
}

static void answer_always(struct sock_fprog *filter, uint32_t answer) {
    for (size_t i = 0; i < filter->len; i++)
        if (BPF_CLASS(filter->filter[i].code) == BPF_RET)
            filter->filter[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
}

static bool is_in(const ubi__seal *seal, const ubi__seal *other) {
    for (size_t i = 0; i < WORDS; i++)
        if (seal->forbidden[i] & ~other->forbidden[i])
            return false;
    return true;
}

static ubi__seal all_that_we_call(void) {
    ubi__seal all = { 0 };
    for (size_t i = 0; i < CALLS; i++)
        forbid_call(&all, calls[i].number);
    return all;
}

static void check(const ubi__seal *seal, const ubi__seal *before, const ubi__seal *all) {
    bool is_empty = true;
    for (size_t i = 0; i < WORDS; i++)
        is_empty &= seal->forbidden[i] == 0;
    bool has_clock = !(seal->forbidden[SYS_clock_gettime / 64] >> SYS_clock_gettime % 64 & 1);
    require(is_in(before, seal), "something is allowed again");
    require(is_in(seal, all), "a call is forbidden that we do not make");
    require(seal->is_sealed == !is_empty, "sealed, and nothing is forbidden");
    require(has_clock || seal->is_timeless, "a time without a clock");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    uint8_t flags = f.left ? *f.at++ : 0;
    f.left -= f.left > 0;
    const ubi__seal all = all_that_we_call();
    ubi__seal before = { 0 };
    if (flags & SEALED_BEFORE)
        ubi__seal_strictly(&before);
    ubi__seal seal = before, again = before, allowed = { 0 }, refused = { 0 };
    struct sock_fprog filter = filter_of(flags, f.at, f.left);
    ubi__seal_by_filter(&seal, &filter);
    ubi__seal_by_filter(&again, &filter);
    check(&seal, &before, &all);
    require(memcmp(&seal, &again, sizeof seal) == 0, "another answer of the same filter");
    answer_always(&filter, SECCOMP_RET_ALLOW);
    ubi__seal_by_filter(&allowed, &filter);
    require(is_in(&allowed, &seal), "a broken filter that allows something");
    answer_always(&filter, SECCOMP_RET_ERRNO);
    ubi__seal_by_filter(&refused, &filter);
    require(is_in(&all, &refused), "a call is allowed that is always refused");
    free(filter.filter);
    return 0;
}
