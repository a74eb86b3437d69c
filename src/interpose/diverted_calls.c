/* SPDX-License-Identifier: MIT
 *
 * diverted_calls.c: see diverted_calls.h.
 */
#include "interpose/diverted_calls.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "interpose/loaded_symbols.h"
#include "interpose/system_calls.h"

#define PAGE_BYTES ((uintptr_t)4096)
/* Allocations of a thread after dlopen, at which it looks for what was loaded: the loader itself may make the first ones. */
#define LOOKS 8

_Atomic bool ubi__calls_are_diverted;

static ubi__lock lock;              /* of slots, and what protects them */
static _Atomic uint64_t adds_known; /* how many modules had ever been loaded when all were looked at */

/* ---- one module ---------------------------------------------------------------------------------------------------- */

typedef struct module {
    uintptr_t bias, low, high;
    const ElfW(Phdr) * segments;
    size_t n_segments;
    uintptr_t sealed_low, sealed_high; /* pages that the loader has made read-only (RELRO); empty: none */
    bool is_open;                      /* they can be written to, for the moment */
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * calls, *data;
    size_t n_calls, n_data;
} module;

static const void *pointer_of(const module *m, const ElfW(Dyn) * entry) {
    uintptr_t p = entry->d_un.d_ptr;
    return (const void *)(p < m->bias ? p + m->bias : p);
}

static void read_segments(module *m) {
    m->low = UINTPTR_MAX;
    for (size_t i = 0; i < m->n_segments; i++) {
        const ElfW(Phdr) *s = &m->segments[i];
        uintptr_t at = m->bias + s->p_vaddr;
        if (s->p_type == PT_LOAD) {
            m->low = at < m->low ? at : m->low;
            m->high = at + s->p_memsz > m->high ? at + s->p_memsz : m->high;
        } else if (s->p_type == PT_DYNAMIC) {
            m->dynamic = (const ElfW(Dyn) *)at;
        } else if (s->p_type == PT_GNU_RELRO) {
            m->sealed_low = at & -PAGE_BYTES;
            m->sealed_high = (at + s->p_memsz) & -PAGE_BYTES;
        }
    }
}

static void read_dynamic(module *m) {
    size_t call_bytes = 0, data_bytes = 0;
    bool has_addends = true;
    for (const ElfW(Dyn) *d = m->dynamic; d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            m->symbols = pointer_of(m, d);
            break;
        case DT_STRTAB:
            m->names = pointer_of(m, d);
            break;
        case DT_JMPREL:
            m->calls = pointer_of(m, d);
            break;
        case DT_PLTRELSZ:
            call_bytes = d->d_un.d_val;
            break;
        case DT_RELA:
            m->data = pointer_of(m, d);
            break;
        case DT_RELASZ:
            data_bytes = d->d_un.d_val;
            break;
        case DT_PLTREL:
            has_addends = d->d_un.d_val == DT_RELA;
            break;
        default:
            break;
        }
    bool is_readable = m->symbols && m->names;
    m->n_calls = is_readable && m->calls && has_addends ? call_bytes / sizeof *m->calls : 0;
    m->n_data = is_readable && m->data ? data_bytes / sizeof *m->data : 0;
}

/* The loader calls the malloc that it has found itself; we are not in our own way. */
static bool is_left_alone(const module *m) {
    return !m->dynamic || ubi__loaded_is_own(m->dynamic) || m->bias == getauxval(AT_BASE);
}

/* ---- slots --------------------------------------------------------------------------------------------------------- */

static bool is_in_writable_segment(const module *m, uintptr_t slot) {
    for (size_t i = 0; i < m->n_segments; i++) {
        const ElfW(Phdr) *s = &m->segments[i];
        if (s->p_type == PT_LOAD && (s->p_flags & PF_W) && slot - (m->bias + s->p_vaddr) < s->p_memsz)
            return true;
    }
    return false;
}

static bool protect_sealed(const module *m, int access) {
    return ubi__system(SYS_mprotect, (long)m->sealed_low, (long)(m->sealed_high - m->sealed_low), access, 0, 0, 0) == 0;
}

/* Other threads may read the slot at any time: it is one aligned word. */
static bool write_slot(module *m, uintptr_t slot, uintptr_t value) {
    bool is_sealed = slot - m->sealed_low < m->sealed_high - m->sealed_low;
    if (is_sealed && !m->is_open && !(m->is_open = protect_sealed(m, PROT_READ | PROT_WRITE)))
        return false;
    __atomic_store_n((uintptr_t *)slot, value, __ATOMIC_RELEASE);
    return true;
}

/* A hook and what it replaces, of the name that was looked up last: names come in runs. */
typedef struct pair {
    uintptr_t hook, real;
} pair;

static bool pair_find(pair *out, const char *name) {
    out->hook = (uintptr_t)ubi__loaded_own(name);
    out->real = out->hook ? (uintptr_t)ubi__loaded_next(name) : 0;
    return out->hook && out->real && out->hook != out->real;
}

/* A call that was never made leads into the module's own table, where the loader would be asked. */
static bool is_unbound(const module *m, const ElfW(Rela) * r, uintptr_t value) {
    return ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT && value - m->low < m->high - m->low &&
           m->symbols[ELF64_R_SYM(r->r_info)].st_shndx == SHN_UNDEF;
}

typedef struct task {
    bool is_back;
    ubi__diverted *count;
} task;

static void change_slot(module *m, const ElfW(Rela) * r, const task *t) {
    unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
    uintptr_t slot = m->bias + r->r_offset;
    pair p;
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) || r->r_addend != 0 ||
        slot % sizeof(uintptr_t) || !is_in_writable_segment(m, slot) ||
        !pair_find(&p, m->names + m->symbols[ELF64_R_SYM(r->r_info)].st_name))
        return;
    uintptr_t value = __atomic_load_n((const uintptr_t *)slot, __ATOMIC_ACQUIRE);
    if (!t->is_back && value == p.hook)
        t->count->n_slots++; /* since an earlier time */
    bool is_wanted = t->is_back ? value == p.hook : value == p.real || is_unbound(m, r, value);
    if (!is_wanted)
        return;
    if (write_slot(m, slot, t->is_back ? p.real : p.hook))
        t->count->n_slots++;
    else
        t->count->n_refused++;
}

static void change_module(module *m, const task *t) {
    ubi__signals before;
    if (is_left_alone(m) || !ubi__lock_take(&lock, &before))
        return;
    for (size_t i = 0; i < m->n_calls; i++)
        change_slot(m, &m->calls[i], t);
    for (size_t i = 0; i < m->n_data; i++)
        if (ELF64_R_TYPE(m->data[i].r_info) != R_X86_64_RELATIVE)
            change_slot(m, &m->data[i], t);
    if (m->is_open)
        (void)protect_sealed(m, PROT_READ);
    ubi__lock_give(&lock, before);
}

/* ---- all modules --------------------------------------------------------------------------------------------------- */

static int change_next(struct dl_phdr_info *info, size_t size, void *payload) {
    module m = { .bias = info->dlpi_addr, .segments = info->dlpi_phdr, .n_segments = info->dlpi_phnum };
    const task *t = payload;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
        atomic_store_explicit(&adds_known, info->dlpi_adds, memory_order_relaxed);
    read_segments(&m);
    read_dynamic(&m);
    change_module(&m, t);
    return 0;
}

static void change_all(ubi__diverted *out, bool is_back) {
    task t = { .is_back = is_back, .count = out };
    *out = (ubi__diverted){ 0 };
    dl_iterate_phdr(change_next, &t);
}

void ubi__calls_divert(ubi__diverted *out) {
    atomic_store(&ubi__calls_are_diverted, true);
    change_all(out, false);
}

void ubi__calls_restore(ubi__diverted *out) {
    atomic_store(&ubi__calls_are_diverted, false);
    change_all(out, true);
}

/* ---- modules that come later ---------------------------------------------------------------------------------------- */

void ubi__calls_expect_module(ubi__thread *thread) {
    thread->module_looks = LOOKS;
    thread->remaining_bytes =
        0; /* the next allocation takes the slow way; a new step is drawn, which is as good as the old one */
}

static int read_adds(struct dl_phdr_info *info, size_t size, void *adds) {
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
        *(uint64_t *)adds = info->dlpi_adds;
    return 1;
}

void ubi__calls_divert_new(ubi__thread *thread) {
    ubi__diverted unused;
    uint64_t adds = 0;
    thread->module_looks--;
    if (!atomic_load_explicit(&ubi__calls_are_diverted, memory_order_relaxed))
        return;
    dl_iterate_phdr(read_adds, &adds);
    if (adds != atomic_load_explicit(&adds_known, memory_order_relaxed)) {
        thread->module_looks = 0;
        change_all(&unused, false);
    } else if (thread->module_looks && !ubi__process_state.is_exact) {
        thread->remaining_bytes = 0;
    }
}
