/* SPDX-License-Identifier: MIT
 *
 * spill_hooks.c: malloc and its relatives as they are called by a program with a spill, put into the tables of its libraries.
 *
 * A program that is loaded calls malloc through a slot of a table that the loader filled in. The slots of all libraries are given
 * our functions here, so no library has to be loaded before the program (LD_PRELOAD). Libraries that come later call malloc
 * itself, and free what they allocated.
 */
#include "nodewatch/spill.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MALLOC_ALIGNMENT 16

/* Of _FORTIFY_SOURCE; no header declares it. */
extern int __vsnprintf_chk(char *out, size_t size, int flag, size_t room, const char *format, va_list arguments);

/* ---- hooks -------------------------------------------------------------------------------------------------------- */

static void *spill_block(size_t size_bytes, size_t alignment) {
    return ubi__spill_takes(size_bytes) ? ubi__spill_alloc(size_bytes, alignment) : NULL;
}

static void *hook_malloc(size_t size_bytes) {
    void *block = spill_block(size_bytes, MALLOC_ALIGNMENT);
    return block ? block : malloc(size_bytes);
}

static void *hook_calloc(size_t n, size_t size_bytes) {
    size_t all_bytes;
    void *block = __builtin_mul_overflow(n, size_bytes, &all_bytes) ? NULL : spill_block(all_bytes, MALLOC_ALIGNMENT);
    return block ? memset(block, 0, all_bytes) : calloc(n, size_bytes);
}

static void hook_free(void *block) {
    if (ubi__spill_contains(block))
        ubi__spill_free(block);
    else
        free(block);
}

static void *hook_realloc(void *block, size_t size_bytes) {
    if (!block)
        return hook_malloc(size_bytes);
    if (!ubi__spill_contains(block))
        return realloc(block, size_bytes);
    size_t before_bytes = ubi__spill_block_bytes(block);
    void *moved = size_bytes ? hook_malloc(size_bytes) : NULL;
    if (moved)
        memcpy(moved, block, before_bytes < size_bytes ? before_bytes : size_bytes);
    if (moved || size_bytes == 0)
        hook_free(block);
    return moved;
}

static int hook_posix_memalign(void **out, size_t alignment, size_t size_bytes) {
    void *block = spill_block(size_bytes, alignment);
    if (!block)
        return posix_memalign(out, alignment, size_bytes);
    *out = block;
    return 0;
}

static void *hook_aligned_alloc(size_t alignment, size_t size_bytes) {
    void *block = spill_block(size_bytes, alignment);
    return block ? block : memalign(alignment, size_bytes);
}

static size_t hook_malloc_usable_size(void *block) {
    return ubi__spill_contains(block) ? ubi__spill_block_bytes(block) : malloc_usable_size(block);
}

/*
 * V8 formats each name of a snapshot into a kilobyte of its own and keeps it, often four digits, without writing to it again. That is
 * two thirds of all that the snapshot of a large array takes. The rest of such a block is given to the next one.
 */
static int formatted(const char *out, size_t size, int n) {
    if (n >= 0 && (size_t)n < size && ubi__spill_is_mine())
        ubi__spill_shrink(out, size, (size_t)n + 1);
    return n;
}

__attribute__((format(printf, 3, 0))) static int hook_vsnprintf(char *out, size_t size, const char *format,
                                                                va_list arguments) {
    return formatted(out, size, vsnprintf(out, size, format, arguments));
}

__attribute__((format(printf, 5, 0))) static int hook_vsnprintf_chk(char *out, size_t size, int flag, size_t room,
                                                                    const char *format, va_list arguments) {
    return formatted(out, size, __vsnprintf_chk(out, size, flag, room, format, arguments));
}

typedef void any_function(void);

static const struct {
    const char *name;
    any_function *function;
} hooks[] = {
    { "malloc", (any_function *)hook_malloc },
    { "calloc", (any_function *)hook_calloc },
    { "free", (any_function *)hook_free },
    { "realloc", (any_function *)hook_realloc },
    { "posix_memalign", (any_function *)hook_posix_memalign },
    { "aligned_alloc", (any_function *)hook_aligned_alloc },
    { "memalign", (any_function *)hook_aligned_alloc },
    { "malloc_usable_size", (any_function *)hook_malloc_usable_size },
    { "vsnprintf", (any_function *)hook_vsnprintf },
    { "__vsnprintf_chk", (any_function *)hook_vsnprintf_chk },
};

/* ---- tables of libraries ------------------------------------------------------------------------------------------ */

/* What the dynamic section of a library says, as the loader has made it: addresses. */
typedef struct library_tables {
    ElfW(Addr) base;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * calls, *data;
    size_t n_calls, n_data;
    uintptr_t sealed, sealed_end; /* whole pages that the loader made read-only (RELRO) */
} library_tables;

/* Other threads call through the slot meanwhile: they see the old function or the new one. */
static void slot_set(void **slot, any_function *function) {
    __atomic_store_n(slot, (void *)(uintptr_t)function, __ATOMIC_RELAXED);
}

static void slots_set(const library_tables *tables, const ElfW(Rela) * relocations, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned type = (unsigned)ELF64_R_TYPE(relocations[i].r_info);
        const char *name = tables->names + tables->symbols[ELF64_R_SYM(relocations[i].r_info)].st_name;
        if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64) &&
            relocations[i].r_addend == 0)
            for (size_t h = 0; h < sizeof hooks / sizeof *hooks; h++)
                if (strcmp(name, hooks[h].name) == 0)
                    slot_set((void **)(tables->base + relocations[i].r_offset), hooks[h].function);
    }
}

static void dynamic_read(library_tables *out, const ElfW(Dyn) * entry) {
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *address = (const void *)entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_SYMTAB:
            out->symbols = address;
            break;
        case DT_STRTAB:
            out->names = address;
            break;
        case DT_JMPREL:
            out->calls = address;
            break;
        case DT_PLTRELSZ:
            out->n_calls = entry->d_un.d_val / sizeof *out->calls;
            break;
        case DT_RELA:
            out->data = address;
            break;
        case DT_RELASZ:
            out->n_data = entry->d_un.d_val / sizeof *out->data;
            break;
        default:
            break;
        }
    }
}

/* The C library frees what it allocated; the loader, too; the kernel's has addresses that are not made yet. */
static bool is_left_out(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strncmp(name, "libc.", 5) == 0 || strncmp(name, "ld-", 3) == 0 || strncmp(name, "linux-vdso", 10) == 0;
}

static void seal_find(library_tables *tables, const ElfW(Phdr) * header) {
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE), start = tables->base + header->p_vaddr;
    tables->sealed = start & ~(page_bytes - 1);
    tables->sealed_end = (start + header->p_memsz) & ~(page_bytes - 1);
}

static bool seal_set(const library_tables *tables, int protection) {
    size_t n_bytes = tables->sealed_end - tables->sealed;
    return n_bytes == 0 || mprotect((void *)tables->sealed, n_bytes, protection) == 0;
}

static int library_hook(struct dl_phdr_info *library, size_t size, void *own_base) {
    library_tables tables = { .base = library->dlpi_addr };
    (void)size;
    if (library->dlpi_addr == (ElfW(Addr))own_base || is_left_out(library->dlpi_name))
        return 0;
    for (size_t i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic_read(&tables, (const void *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr));
        else if (library->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            seal_find(&tables, &library->dlpi_phdr[i]);
    if (tables.symbols && tables.names && seal_set(&tables, PROT_READ | PROT_WRITE)) {
        slots_set(&tables, tables.calls, tables.calls ? tables.n_calls : 0);
        slots_set(&tables, tables.data, tables.data ? tables.n_data : 0);
        seal_set(&tables, PROT_READ);
    }
    return 0;
}

void ubi__spill_hooks_install(void) {
    Dl_info own;
    if (dladdr((const void *)(uintptr_t)ubi__spill_hooks_install, &own))
        dl_iterate_phdr(library_hook, own.dli_fbase);
}
