/* SPDX-License-Identifier: MIT
 *
 * sealing.c: see sealing.h.
 *
 * Filters are programs of the classic BPF machine, which only jumps forwards. One gets the number of a call, its arguments and
 * where it comes from, and answers what the kernel does with it.
 */
#include "interpose/sealing.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"

#define SCRATCH 16 /* words of the machine */
#define SHIFT_BITS 32
_Static_assert((SCRATCH & (SCRATCH - 1)) == 0 && SCRATCH == BPF_MEMWORDS, "as the kernel has it");
#if defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE AUDIT_ARCH_X86_64
#endif

ubi__seal ubi__seal_now;

/* ---- what we call -------------------------------------------------------------------------------------------------- */

typedef struct wanted {
    long number;
    uint64_t arguments[6]; /* addresses are any */
} wanted;

#define ANY UINT64_C(0x7f0000001000)
#define FD 1000

static const wanted calls[] = {
    { SYS_mmap, { 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0 } },
    { SYS_mmap, { 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, FD, 0 } },
    { SYS_munmap, { ANY, 4096 } },
    { SYS_mremap, { ANY, 0, 4096, MREMAP_MAYMOVE } },
    { SYS_madvise, { ANY, 4096, MADV_WIPEONFORK } },
    { SYS_futex, { ANY, FUTEX_WAIT, 0, ANY } },
    { SYS_futex, { ANY, FUTEX_WAIT_PRIVATE, 2, 0 } },
    { SYS_futex, { ANY, FUTEX_WAKE_PRIVATE, 1 } },
    { SYS_rt_sigprocmask, { SIG_BLOCK, ANY, ANY, 8 } },
    { SYS_rt_sigprocmask, { SIG_SETMASK, ANY, 0, 8 } },
    { SYS_rt_sigprocmask, { UINT64_MAX, ANY, 0, 8 } },
    { SYS_gettid, { 0 } },
    { SYS_getpid, { 0 } },
    { SYS_kill, { 1, 0 } },
    { SYS_prlimit64, { 0, RLIMIT_STACK, 0, ANY } },
    { SYS_clock_gettime, { 1, ANY } },
    { SYS_openat, { (uint64_t)AT_FDCWD, ANY, O_RDONLY | O_CLOEXEC } },
    { SYS_read, { FD, ANY, 4096 } },
    { SYS_close, { FD } },
    { SYS_pread64, { FD, ANY, 256, 0 } },
    { SYS_fstat, { FD, ANY } },
    { SYS_fgetxattr, { FD, ANY, 0, 0 } },
    { SYS_faccessat, { (uint64_t)AT_FDCWD, ANY, X_OK } },
    { SYS_geteuid, { 0 } },
    { SYS_getegid, { 0 } },
    { SYS_process_vm_readv, { 1, ANY, 1, ANY, 1 } },
    { SYS_socket, { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC } },
    { SYS_connect, { FD, ANY, sizeof(struct sockaddr_un) } },
    { SYS_setsockopt, { FD, SOL_SOCKET, SO_RCVTIMEO, ANY, 16 } },
    { SYS_getsockopt, { FD, SOL_SOCKET, SO_PEERCRED, ANY, ANY } },
    { SYS_sendto, { FD, ANY, 24, MSG_NOSIGNAL } },
    { SYS_recvmsg, { FD, ANY, MSG_CMSG_CLOEXEC | MSG_WAITALL } },
};
#define CALLS (sizeof calls / sizeof *calls)

static void forbid_call(ubi__seal *seal, long number) {
    UBI_ASSERT(number >= 0 && number < UBI__SEALABLE);
    seal->is_sealed = true;
    seal->is_timeless |= number == SYS_clock_gettime; /* what the kernel maps for it may have to call it */
    seal->forbidden[number / 64] |= UINT64_C(1) << number % 64;
}

/* ---- filters -------------------------------------------------------------------------------------------------------- */

typedef struct machine {
    uint32_t a, x, scratch[SCRATCH];
    uint32_t input[sizeof(struct seccomp_data) / 4];
    bool is_broken;
} machine;

static uint32_t word_of(machine *m, uint32_t at) {
    if (at % 4 == 0 && at / 4 < sizeof m->input / sizeof *m->input)
        return m->input[at / 4];
    m->is_broken = true;
    return 0;
}

static uint32_t *scratch_of(machine *m, uint32_t at) {
    m->is_broken |= at >= SCRATCH;
    return &m->scratch[at % SCRATCH];
}

static uint32_t machine_load(machine *m, const struct sock_filter *i) {
    switch (BPF_MODE(i->code)) {
    case BPF_ABS:
        return word_of(m, i->k);
    case BPF_IMM:
        return i->k;
    case BPF_MEM:
        return *scratch_of(m, i->k);
    case BPF_LEN:
        return sizeof m->input;
    default:
        m->is_broken = true;
        return 0;
    }
}

static void machine_calculate(machine *m, const struct sock_filter *i) {
    uint32_t other = BPF_SRC(i->code) == BPF_X ? m->x : i->k;
    switch (BPF_OP(i->code)) {
    case BPF_ADD:
        m->a += other;
        break;
    case BPF_SUB:
        m->a -= other;
        break;
    case BPF_MUL:
        m->a *= other;
        break;
    case BPF_DIV:
        m->is_broken |= other == 0;
        m->a = other ? m->a / other : 0;
        break;
    case BPF_AND:
        m->a &= other;
        break;
    case BPF_OR:
        m->a |= other;
        break;
    case BPF_XOR:
        m->a ^= other;
        break;
    case BPF_LSH:
        m->a = other < SHIFT_BITS ? m->a << other : 0;
        break;
    case BPF_RSH:
        m->a = other < SHIFT_BITS ? m->a >> other : 0;
        break;
    case BPF_NEG:
        m->a = 0 - m->a;
        break;
    default:
        m->is_broken = true;
    }
}

/* How many instructions are passed over. */
static uint32_t machine_jump(machine *m, const struct sock_filter *i) {
    uint32_t other = BPF_SRC(i->code) == BPF_X ? m->x : i->k;
    bool is_true = false;
    switch (BPF_OP(i->code)) {
    case BPF_JA:
        return i->k;
    case BPF_JEQ:
        is_true = m->a == other;
        break;
    case BPF_JGT:
        is_true = m->a > other;
        break;
    case BPF_JGE:
        is_true = m->a >= other;
        break;
    case BPF_JSET:
        is_true = m->a & other;
        break;
    default:
        m->is_broken = true;
    }
    return is_true ? i->jt : i->jf;
}

/* What the filter says. */
static uint32_t answer_of(const struct sock_fprog *filter, machine *m) {
    for (uint64_t at = 0; at < filter->len && !m->is_broken; at++) {
        const struct sock_filter *i = &filter->filter[at];
        switch (BPF_CLASS(i->code)) {
        case BPF_LD:
            m->a = machine_load(m, i);
            break;
        case BPF_LDX:
            m->x = machine_load(m, i);
            break;
        case BPF_ST:
            *scratch_of(m, i->k) = m->a;
            break;
        case BPF_STX:
            *scratch_of(m, i->k) = m->x;
            break;
        case BPF_ALU:
            machine_calculate(m, i);
            break;
        case BPF_JMP:
            at += machine_jump(m, i);
            break;
        case BPF_RET:
            return BPF_RVAL(i->code) == BPF_A ? m->a : i->k;
        default: /* BPF_MISC */
            if (BPF_MISCOP(i->code) == BPF_TAX)
                m->x = m->a;
            else
                m->a = m->x;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

static bool is_allowed(const struct sock_fprog *filter, const wanted *call) {
    struct seccomp_data data = { .nr = (int)call->number, .arch = MACHINE, .instruction_pointer = (uintptr_t)calls };
    machine m = { .a = 0 };
    memcpy(data.args, call->arguments, sizeof data.args);
    memcpy(m.input, &data, sizeof m.input);
    _Static_assert(sizeof data == sizeof m.input, "the machine reads all of it, by words");
    uint32_t answer = answer_of(filter, &m) & SECCOMP_RET_ACTION_FULL;
    return answer == SECCOMP_RET_ALLOW || answer == SECCOMP_RET_LOG;
}

void ubi__seal_by_filter(ubi__seal *seal, const struct sock_fprog *filter) {
    for (size_t i = 0; i < CALLS; i++)
        if (!filter || !filter->filter || !is_allowed(filter, &calls[i]))
            forbid_call(seal, calls[i].number);
}

void ubi__seal_strictly(ubi__seal *seal) {
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].number != SYS_read)
            forbid_call(seal, calls[i].number);
    seal->is_timeless = true; /* the kernel forbids the processor's counter, too */
}
