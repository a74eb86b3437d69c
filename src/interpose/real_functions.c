/* SPDX-License-Identifier: MIT
 *
 * real_functions.c: the functions that our hooks replace (real_functions.h), found in the tables of loaded libraries
 * (loaded_symbols.h).
 */
#include "interpose/real_functions.h"

#include <elf.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "base/assert.h"
#include "interpose/loaded_symbols.h"
#include "interpose/preload.h"
#include "interpose/system_calls.h"

/* ---- functions of loaded libraries by name ------------------------------------------------------------------------ */

/*
 * The loader's list is that of debuggers: a program has its address in its dynamic section. Nodes of the list are copied by the
 * kernel, which says so when one is no longer there, for a library may be unloaded by another thread. Of definitions with
 * versions, the one that is meant when none is asked for counts, which is the only one that is not hidden.
 */

/* Libraries that one needs, with all that these need. */
#define NEEDED_MAX 64
/* More than any program has loaded: a list that has become a ring ends. */
#define LIBRARIES_MAX 65536
#define PATH_BYTES 1024
#define HIDDEN_VERSION 0x8000

extern __typeof__(_r_debug) _r_debug __attribute__((weak));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden"))); /* of this library */

/* ---- tables of one library ---------------------------------------------------------------------------------------- */

typedef struct tables {
    uintptr_t bias;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Half) * versions; /* NULL: it has none */
    const uint32_t *gnu_hash;    /* NULL: see `hash` */
    const uint32_t *hash;
} tables;

/* Most loaders relocate these pointers in place; what they cannot write to stays as it was in the file. */
static const void *pointer_of(const ElfW(Dyn) * entry, uintptr_t bias) {
    uintptr_t p = entry->d_un.d_ptr;
    return (const void *)(p < bias ? p + bias : p);
}

static bool read_tables(tables *out, uintptr_t bias, const ElfW(Dyn) * dynamic) {
    *out = (tables){ .bias = bias };
    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            out->symbols = pointer_of(d, bias);
            break;
        case DT_STRTAB:
            out->names = pointer_of(d, bias);
            break;
        case DT_VERSYM:
            out->versions = pointer_of(d, bias);
            break;
        case DT_GNU_HASH:
            out->gnu_hash = pointer_of(d, bias);
            break;
        case DT_HASH:
            out->hash = pointer_of(d, bias);
            break;
        default:
            break;
        }
    return out->symbols && out->names && (out->gnu_hash || out->hash);
}

static bool is_definition(const tables *t, uint32_t i, const char *name) {
    const ElfW(Sym) *s = &t->symbols[i];
    unsigned type = ELF64_ST_TYPE(s->st_info), binding = ELF64_ST_BIND(s->st_info);
    return s->st_shndx != SHN_UNDEF && s->st_value != 0 &&
           (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE || type == STT_GNU_IFUNC) &&
           (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE) &&
           !(t->versions && (t->versions[i] & HIDDEN_VERSION)) && strcmp(t->names + s->st_name, name) == 0;
}

/* Numbers of symbols; 0: none, for the first symbol is never a definition. */
static uint32_t find_by_gnu_hash(const tables *t, const char *name) {
    uint32_t n_buckets = t->gnu_hash[0], first = t->gnu_hash[1], n_words = t->gnu_hash[2], shift = t->gnu_hash[3];
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(t->gnu_hash + 4);
    const uint32_t *buckets = (const uint32_t *)(bloom + n_words), *chain = buckets + n_buckets;
    const unsigned bits = 8 * sizeof *bloom;
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (uint8_t)*c;
    if (n_buckets == 0 || n_words == 0)
        return 0;
    ElfW(Addr) word = bloom[hash / bits % n_words];
    if (!(word >> hash % bits & word >> (hash >> shift) % bits & 1))
        return 0;
    uint32_t i = buckets[hash % n_buckets];
    for (; i >= first && i != 0; i++) {
        uint32_t other = chain[i - first];
        if ((other | 1) == (hash | 1) && is_definition(t, i, name))
            return i;
        if (other & 1)
            break;
    }
    return 0;
}

static uint32_t find_by_hash(const tables *t, const char *name) {
    uint32_t n_buckets = t->hash[0], n_symbols = t->hash[1], hash = 0;
    const uint32_t *buckets = t->hash + 2, *chain = buckets + n_buckets;
    for (const char *c = name; *c; c++) {
        hash = (hash << 4) + (uint8_t)*c;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    if (n_buckets == 0)
        return 0;
    uint32_t i = buckets[hash % n_buckets];
    for (uint32_t steps = 0; i != 0 && i < n_symbols && steps < n_symbols; steps++, i = chain[i])
        if (is_definition(t, i, name))
            return i;
    return 0;
}

static void *find_in(uintptr_t bias, const ElfW(Dyn) * dynamic, const char *name) {
    tables t;
    if (!read_tables(&t, bias, dynamic))
        return NULL;
    uint32_t i = t.gnu_hash ? find_by_gnu_hash(&t, name) : find_by_hash(&t, name);
    if (i == 0)
        return NULL;
    uintptr_t address = bias + t.symbols[i].st_value;
    if (ELF64_ST_TYPE(t.symbols[i].st_info) == STT_GNU_IFUNC) /* the library chooses by the processor */
        return ((void *(*)(void))address)();
    return (void *)address;
}

/* ---- the loader's list --------------------------------------------------------------------------------------------- */

/* Of a program whose loader is not glibc's, as its dynamic section says. */
static const struct link_map *first_by_program(void) {
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    size_t n = segments ? getauxval(AT_PHNUM) : 0;
    uintptr_t bias = 0;
    const ElfW(Dyn) *d = NULL;
    for (size_t i = 0; i < n; i++)
        if (segments[i].p_type == PT_PHDR)
            bias = (uintptr_t)segments - segments[i].p_vaddr;
    for (size_t i = 0; i < n; i++)
        if (segments[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(bias + segments[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_DEBUG && d->d_un.d_ptr)
            return ((const struct r_debug *)d->d_un.d_ptr)->r_map;
    return NULL;
}

static const struct link_map *first_library(void) {
    return &_r_debug && _r_debug.r_map ? _r_debug.r_map : first_by_program();
}

/* False: it is not there any more. Where the kernel does not want to look for us, we look. */
static bool copy_memory(void *out, const void *from, size_t n, size_t *copied) {
    struct iovec here = { out, n }, there = { (void *)(uintptr_t)from, n };
    long pid = ubi__system(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long got = ubi__system(SYS_process_vm_readv, pid, (long)&here, 1, (long)&there, 1, 0);
    if (got == -EFAULT)
        return false;
    if (got < 0) {
        memcpy(out, from, n);
        got = (long)n;
    }
    *copied = (size_t)got;
    return true;
}

static bool copy_node(struct link_map *out, const struct link_map *from) {
    size_t n;
    return from && copy_memory(out, from, sizeof *out, &n) && n == sizeof *out;
}

static bool has_file_name(const struct link_map *node, const char *name) {
    char path[PATH_BYTES];
    size_t n;
    if (!node->l_name || !copy_memory(path, node->l_name, sizeof path, &n) || !memchr(path, 0, n))
        return false;
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, name) == 0;
}

/* The library that begins last before an address: each is in one piece. */
static bool library_at(uintptr_t address, struct link_map *out) {
    struct link_map node;
    bool found = false;
    unsigned n = 0;
    for (const struct link_map *at = first_library(); n < LIBRARIES_MAX && copy_node(&node, at); at = node.l_next, n++)
        if (node.l_ld && node.l_addr <= address && (!found || node.l_addr >= out->l_addr)) {
            *out = node;
            found = true;
        }
    return found;
}

static bool library_named(const char *name, struct link_map *out) {
    unsigned n = 0;
    for (const struct link_map *at = first_library(); n < LIBRARIES_MAX && copy_node(out, at); at = out->l_next, n++)
        if (out->l_ld && has_file_name(out, name))
            return true;
    return false;
}

/* ---- what is asked ------------------------------------------------------------------------------------------------ */

static void *find_from(const struct link_map *at, const char *name) {
    for (; at; at = at->l_next) {
        void *found = at->l_ld && at->l_ld != _DYNAMIC ? find_in(at->l_addr, at->l_ld, name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* Never unloaded, so where it was found it stays. */
static const struct link_map *own_node(void) {
    static const struct link_map *_Atomic known;
    const struct link_map *at = atomic_load_explicit(&known, memory_order_relaxed);
    if (at)
        return at;
    for (at = first_library(); at && at->l_ld != _DYNAMIC;)
        at = at->l_next;
    atomic_store_explicit(&known, at, memory_order_relaxed);
    return at;
}

bool ubi__loaded_is_own(const void *dynamic) {
    return dynamic == _DYNAMIC;
}

void *ubi__loaded_own(const char *name) {
    const struct link_map *own = own_node();
    return own ? find_in(own->l_addr, own->l_ld, name) : NULL;
}

/* The C library is what starts programs. */
bool ubi__loaded_is_late(void) {
    const struct link_map *own = own_node();
    return own && !find_from(own->l_next, "__libc_start_main");
}

void *ubi__loaded_next(const char *name) {
    const struct link_map *own = own_node();
    if (!own)
        return NULL;
    return find_from(ubi__loaded_is_late() ? first_library() : own->l_next, name);
}

/* Libraries to look into, each once, those that are nearer first. */
typedef struct search {
    struct {
        uintptr_t bias;
        const ElfW(Dyn) * dynamic;
    } libraries[NEEDED_MAX];
    size_t n;
} search;

static void add_library(search *s, const struct link_map *library) {
    for (size_t i = 0; i < s->n; i++)
        if (s->libraries[i].dynamic == library->l_ld)
            return;
    if (s->n == NEEDED_MAX || library->l_ld == _DYNAMIC)
        return;
    UBI_ASSERT(s->n < NEEDED_MAX && library->l_ld);
    s->libraries[s->n].bias = library->l_addr;
    s->libraries[s->n++].dynamic = library->l_ld;
}

static void add_needed(search *s, uintptr_t bias, const ElfW(Dyn) * dynamic) {
    struct link_map needed;
    tables t;
    if (!read_tables(&t, bias, dynamic))
        return;
    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && library_named(t.names + d->d_un.d_val, &needed))
            add_library(s, &needed);
}

void *ubi__loaded_in(const void *address, const char *name) {
    struct link_map library;
    return library_at((uintptr_t)address, &library) ? find_in(library.l_addr, library.l_ld, name) : NULL;
}

void *ubi__loaded_needed_by(const void *address, const char *name) {
    struct link_map library;
    search s = { .n = 0 };
    void *found = NULL;
    if (library_at((uintptr_t)address, &library))
        add_library(&s, &library);
    for (size_t i = 0; i < s.n && !found; i++) {
        found = find_in(s.libraries[i].bias, s.libraries[i].dynamic, name);
        if (!found)
            add_needed(&s, s.libraries[i].bias, s.libraries[i].dynamic);
    }
    return found;
}

/* ---- the next ones after ours ------------------------------------------------------------------------------------- */

/*
 * The next ones after ours, so that an allocator after us (jemalloc, tcmalloc, mimalloc; linked or preloaded) is real.
 * The look-up reads tables in memory and nothing else: it neither waits nor calls. So a thread that finds it undone does it,
 * also a signal handler that interrupted it, also an allocator in the middle of its own start. All find the same.
 */

/* ---- the first calls ----------------------------------------------------------------------------------------------- */

static void *first_malloc(size_t size) {
    ubi__resolve();
    return ubi__real.malloc(size);
}

static void first_free(void *p) {
    ubi__resolve();
    ubi__real.free(p);
}

static void *first_calloc(size_t n, size_t size) {
    ubi__resolve();
    return ubi__real.calloc(n, size);
}

static void *first_realloc(void *p, size_t size) {
    ubi__resolve();
    return ubi__real.realloc(p, size);
}

static int first_posix_memalign(void **out, size_t alignment, size_t size) {
    ubi__resolve();
    return ubi__real.posix_memalign(out, alignment, size);
}

static void *first_aligned_alloc(size_t alignment, size_t size) {
    ubi__resolve();
    return ubi__real.aligned_alloc(alignment, size);
}

static void *first_memalign(size_t alignment, size_t size) {
    ubi__resolve();
    return ubi__real.memalign(alignment, size);
}

static void *first_valloc(size_t size) {
    ubi__resolve();
    return ubi__real.valloc(size);
}

static void *first_pvalloc(size_t size) {
    ubi__resolve();
    return ubi__real.pvalloc(size);
}

static void *first_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset) {
    ubi__resolve();
    return ubi__real.mmap(at, size, access, flags, fd, offset);
}

static int first_munmap(void *at, size_t size) {
    ubi__resolve();
    return ubi__real.munmap(at, size);
}

static void *first_mremap(void *at, size_t size, size_t new_size, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    ubi__resolve();
    return ubi__real.mremap(at, size, new_size, flags, to);
}

static int first_brk(void *end) {
    ubi__resolve();
    return ubi__real.brk(end);
}

static void *first_sbrk(intptr_t by) {
    ubi__resolve();
    return ubi__real.sbrk(by);
}

static void *first_dlopen(const char *path, int mode) {
    ubi__resolve();
    return ubi__real.dlopen(path, mode);
}

static void *first_dlmopen(Lmid_t space, const char *path, int mode) {
    ubi__resolve();
    return ubi__real.dlmopen(space, path, mode);
}

static int first_dlclose(void *handle) {
    ubi__resolve();
    return ubi__real.dlclose(handle);
}

static long first_syscall(long number, ...) {
    va_list more;
    long a[6];
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    ubi__resolve();
    return ubi__real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int first_prctl(int option, ...) {
    va_list more;
    unsigned long a[4];
    va_start(more, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(more, unsigned long);
    va_end(more);
    ubi__resolve();
    return ubi__real.prctl(option, a[0], a[1], a[2], a[3]);
}

ubi__real_functions ubi__real = {
    .syscall = first_syscall,
    .prctl = first_prctl,
    .malloc = first_malloc,
    .free = first_free,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .posix_memalign = first_posix_memalign,
    .aligned_alloc = first_aligned_alloc,
    .memalign = first_memalign,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
    .mmap = first_mmap,
    .munmap = first_munmap,
    .mremap = first_mremap,
    .brk = first_brk,
    .sbrk = first_sbrk,
    .dlopen = first_dlopen,
    .dlmopen = first_dlmopen,
    .dlclose = first_dlclose,
};

/* ---- the lookup -------------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(ubi__real_functions) % sizeof(void *) == 0 && sizeof(void *) == sizeof(void (*)(void)),
               "pointers, all of them");

static const struct {
    const char *name;
    size_t at; /* in ubi__real_functions */
} functions[] = {
#define FUNCTION(name)                                                                                                 \
    { #name, offsetof(ubi__real_functions, name) }
    FUNCTION(syscall),
    FUNCTION(prctl),
    FUNCTION(malloc),
    FUNCTION(free),
    FUNCTION(calloc),
    FUNCTION(realloc),
    FUNCTION(posix_memalign),
    FUNCTION(aligned_alloc),
    FUNCTION(memalign),
    FUNCTION(valloc),
    FUNCTION(pvalloc),
    FUNCTION(free_sized),
    FUNCTION(free_aligned_sized),
    FUNCTION(mmap),
    FUNCTION(munmap),
    FUNCTION(mremap),
    FUNCTION(brk),
    FUNCTION(sbrk),
    FUNCTION(dlopen),
    FUNCTION(dlmopen),
    FUNCTION(dlclose),
#undef FUNCTION
};

/*
 * The others stay as they are until each is replaced by what it would have called, so it does not matter who calls which of them
 * meanwhile.
 */
void ubi__resolve(void) {
    static _Atomic bool is_done;
    if (atomic_load_explicit(&is_done, memory_order_acquire))
        return;
    _Static_assert(sizeof functions / sizeof *functions == sizeof ubi__real / sizeof(void *), "each is looked up");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = ubi__loaded_next(functions[i].name);
        __atomic_store_n((void **)((char *)&ubi__real + functions[i].at), found, __ATOMIC_RELAXED);
    }
    ubi__operators_resolve();
    atomic_store_explicit(&is_done, true, memory_order_release);
}
