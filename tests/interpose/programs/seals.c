/* SPDX-License-Identifier: MIT
 *
 * seals.c HOW BLOCKS: a program that forbids itself system calls, and allocates on; whoever makes one for it kills it.
 *
 * HOW: strict; prctl (a filter against some calls); seccomp (the same, by the other call); tight (a filter that allows no more than
 * strict); harmless (one that forbids what nobody does); refused (one that the kernel refuses). Then BLOCKS blocks are allocated and
 * freed out of memory that the C library has from before.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEMORY (64 << 20)

static void *kept[4096];

/* By one filter or another. */
static void make_filter(const int *numbers, int n, int is_list_of_allowed, struct sock_fprog *out) {
    static struct sock_filter f[64];
    int k = 0;
    f[k++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < n; i++) {
        f[k++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                              is_list_of_allowed ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS);
    }
    f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                          is_list_of_allowed ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW);
    *out = (struct sock_fprog){ (unsigned short)k, f };
}

static void seal(const char *how) {
    static const int some[] = { SYS_mmap,           SYS_munmap, SYS_futex,  SYS_gettid,
                                SYS_rt_sigprocmask, SYS_openat, SYS_mremap, SYS_brk };
    static const int few[] = { SYS_read, SYS_write, SYS_exit, SYS_rt_sigreturn }, none[] = { SYS_reboot };
    struct sock_fprog filter;
    long result = 0;
    if (!strcmp(how, "tight"))
        make_filter(few, 4, 1, &filter);
    else if (!strcmp(how, "harmless"))
        make_filter(none, 1, 0, &filter);
    else
        make_filter(some, 8, 0, &filter);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!strcmp(how, "refused")) {
        filter.filter[filter.len - 1].code = 0xffff;
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != -1)
            abort();
    } else if (!strcmp(how, "strict")) {
        result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    } else if (!strcmp(how, "seccomp")) {
        result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
    } else {
        result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    }
    if (result != 0)
        syscall(SYS_exit, 9);
}

int main(int argc, char **argv) {
    static const char done[] = "done\n";
    long n = argc > 2 ? atol(argv[2]) : 0;
    mallopt(M_TOP_PAD, MEMORY);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_MMAP_THRESHOLD, MEMORY);
    free(malloc(1));
    seal(argv[1]);
    for (long i = 0; i < n; i++) {
        free(kept[i % 4096]);
        kept[i % 4096] = i % 2 ? malloc((size_t)(1000 + i % 64)) : NULL;
    }
    syscall(SYS_write, 1, done, sizeof done - 1);
    syscall(SYS_exit, 0);
    return 1;
}
