/* SPDX-License-Identifier: MIT
 *
 * program_clock.c: see program_clock.h.
 */
#include "interpose/program_clock.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "interpose/system_calls.h"

#define NS_PER_S UINT64_C(1000000000)
#if defined(__aarch64__)
#define NAME "__kernel_clock_gettime"
#else
#define NAME "__vdso_clock_gettime"
#endif

typedef int look_fn(clockid_t clock, struct timespec *out);

static look_fn *_Atomic kernels; /* NULL: none */
static _Atomic uint64_t last_ns; /* what was seen last, by whichever thread */

/* The image has the headers of its sections, and is the kernel's, so it is as it should be. */
static look_fn *find_in_image(const char *image) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(image + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const ElfW(Sym) *symbols = (const ElfW(Sym) *)(image + sections[i].sh_offset);
        if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= header->e_shnum)
            continue;
        const char *names = image + sections[sections[i].sh_link].sh_offset;
        for (size_t j = 0; j < sections[i].sh_size / sizeof *symbols; j++)
            if (symbols[j].st_shndx != SHN_UNDEF && !strcmp(names + symbols[j].st_name, NAME))
                return (look_fn *)(uintptr_t)(image + symbols[j].st_value);
    }
    return NULL;
}

void ubi__program_clock_find(void) {
    const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
    if (image)
        atomic_store_explicit(&kernels, find_in_image(image), memory_order_relaxed);
}

uint64_t ubi__program_clock_ns(void) {
    struct timespec now = { 0 };
    if (ubi__seal_now.is_timeless)
        return atomic_load_explicit(&last_ns, memory_order_relaxed);
    look_fn *look = atomic_load_explicit(&kernels, memory_order_relaxed);
    if (!look || look(CLOCK_MONOTONIC, &now) != 0)
        (void)ubi__system(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    uint64_t now_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    atomic_store_explicit(&last_ns, now_ns, memory_order_relaxed);
    return now_ns;
}
