/* SPDX-License-Identifier: MIT
 *
 * memory_runtimes.c: see memory_runtimes.h.
 */
#include "targets/native/memory_runtimes.h"

#include <elf.h>
#include <string.h>

#include "base/text.h"

#define MIB (UINT64_C(1) << 20)
/* The kernel begins below the stack, at random within 2^28 pages. */
#define ZONE_BYTES (UINT64_C(1) << 40)

/* ---- which ones --------------------------------------------------------------------------------------------------- */

typedef enum runtime_kind { GLIBC, PYTHON, JAVA, SCRIPTS, ALLOCATOR } runtime_kind;

/* A file by the beginning of its name, or the whole. A library that brings an engine and its own allocator has two rows. */
static const struct runtime {
    const char *file;
    bool is_whole;
    runtime_kind kind;
    const char *words;
    uint64_t allocator_bytes;
    bool has_break;
} runtimes[] = {
    { .file = "libc.so.6", .is_whole = true, .kind = GLIBC },
    { .file = "libc-2.", .kind = GLIBC },
    { .file = "python", .kind = PYTHON },
    { .file = "libpython", .kind = PYTHON },
    { .file = "libjvm.so", .is_whole = true, .kind = JAVA },
    { .file = "node", .is_whole = true, .kind = SCRIPTS, .words = "V8" },
    { .file = "nodejs", .is_whole = true, .kind = SCRIPTS, .words = "V8" },
    { .file = "libnode.so", .kind = SCRIPTS, .words = "V8" },
    { .file = "chromium", .is_whole = true, .kind = SCRIPTS, .words = "V8" },
    { .file = "chrome", .is_whole = true, .kind = SCRIPTS, .words = "V8" },
    { .file = "electron", .is_whole = true, .kind = SCRIPTS, .words = "V8" },
    { .file = "libxul.so", .is_whole = true, .kind = SCRIPTS, .words = "SpiderMonkey" },
    { .file = "libmozjs", .kind = SCRIPTS, .words = "SpiderMonkey" },
    { .file = "libxul.so", .is_whole = true, .kind = ALLOCATOR, .words = "mozjemalloc", .allocator_bytes = MIB },
    { .file = "libjemalloc", .kind = ALLOCATOR, .words = "jemalloc", .allocator_bytes = 2 * MIB },
    { .file = "libmimalloc", .kind = ALLOCATOR, .words = "mimalloc", .allocator_bytes = 4 * MIB },
    { .file = "libtcmalloc", .kind = ALLOCATOR, .words = "tcmalloc", .allocator_bytes = MIB, .has_break = true },
};

static void runtime_note(ubi__memory_runtimes *out, const struct runtime *found) {
    switch (found->kind) {
    case GLIBC:
        out->has_glibc = true;
        break;
    case PYTHON:
        out->has_python = true;
        break;
    case JAVA:
        out->has_java = true;
        break;
    case SCRIPTS:
        out->scripts = found->words;
        break;
    case ALLOCATOR:
        out->allocator = found->words;
        out->allocator_bytes = found->allocator_bytes;
        out->has_break = found->has_break;
        break;
    }
}

static void file_note(ubi__memory_runtimes *out, ubi_text path) {
    ubi_text name = ubi__text_base_name(path);
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (runtimes[i].is_whole ? ubi__text_is(name, runtimes[i].file) : ubi__text_begins(name, runtimes[i].file))
            runtime_note(out, &runtimes[i]);
}

/* Of the highest file: the loader of libraries, or a library. */
static void zone_note(ubi__memory_runtimes *out, uint64_t address) {
    out->low = address > ZONE_BYTES ? address - ZONE_BYTES : 0;
    out->high = address + ZONE_BYTES;
}

void ubi__memory_runtimes_find(ubi__memory_runtimes *out, const ubi__memory_maps *maps) {
    *out = (ubi__memory_runtimes){ .high = UINT64_MAX };
    for (size_t i = 0; i < maps->at.n; i++) {
        const ubi__memory_map *map = &maps->at.at[i];
        if (!map->has_file)
            continue;
        if (map->can_execute) /* code, which is what counts: data may have any name */
            file_note(out, ubi__memory_map_name(maps, map));
        zone_note(out, map->low);
    }
}

void ubi__memory_runtimes_take_allocator(ubi__memory_runtimes *r, const char *name) {
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (runtimes[i].kind == ALLOCATOR && strcmp(runtimes[i].words, name) == 0)
            runtime_note(r, &runtimes[i]);
}

bool ubi__memory_is_elsewhere(const ubi__memory_runtimes *r, uint64_t address) {
    return address < r->low || address >= r->high;
}

/* ---- Python ------------------------------------------------------------------------------------------------------- */

/* struct pool_header of Objects/obmalloc.c. */
typedef struct python_header {
    uint32_t n_used, padding;
    uint64_t free_block, next, previous;
    uint32_t arena, size_class, next_offset, last_offset;
} python_header;
_Static_assert(sizeof(python_header) == 48, "as Python has it");

#define PYTHON_ALIGNMENT 16
#define PYTHON_CLASSES 32

/* Which offset is the last follows from the size, so that hardly anything else looks like this. */
static bool python_header_is_of(const python_header *h, uint64_t pool_bytes) {
    uint64_t size = ((uint64_t)h->size_class + 1) * PYTHON_ALIGNMENT;
    return h->size_class < PYTHON_CLASSES && h->last_offset == pool_bytes - size && h->next_offset >= sizeof *h &&
           h->next_offset <= pool_bytes && h->n_used <= (pool_bytes - sizeof *h) / size;
}

bool ubi__python_pool_read(ubi__python_pool *out, ubi__memory_look *look, uint64_t low, uint64_t high) {
    static const uint64_t sizes[] = { 16 << 10, 4 << 10 }; /* since 3.10; before */
    python_header h;
    if (!ubi__memory_look_read(look, &h, low, sizeof h))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (low % sizes[i] == 0 && sizes[i] <= high - low && python_header_is_of(&h, sizes[i])) {
            out->end = low + sizes[i];
            out->used_bytes = sizeof h + h.n_used * ((uint64_t)h.size_class + 1) * PYTHON_ALIGNMENT;
            return true;
        }
    return false;
}

/* ---- threads ------------------------------------------------------------------------------------------------------ */

#define BLOCK_ALIGNMENT 64

/* tcbhead_t: the first and the third word are its own address. */
static bool is_thread_block(const unsigned char *page, uint64_t offset, uint64_t address) {
    uint64_t words[3];
    memcpy(words, page + offset, sizeof words);
    return words[0] == address && words[2] == address;
}

uint64_t ubi__thread_block_find(ubi__memory_look *look, uint64_t low, uint64_t high) {
    unsigned char page[UBI__LOOK_PAGE];
    for (uint64_t at = low; at + sizeof page <= high; at += sizeof page) {
        if (!ubi__memory_look_read(look, page, at, sizeof page))
            continue;
        for (uint64_t i = 0; i < sizeof page; i += BLOCK_ALIGNMENT)
            if (is_thread_block(page, i, at + i))
                return at + i;
    }
    return 0;
}

/* ---- files that are loaded ---------------------------------------------------------------------------------------- */

static bool program_header_is_near(const Elf64_Ehdr *e) {
    return memcmp(e->e_ident, ELFMAG, SELFMAG) == 0 && e->e_ident[EI_CLASS] == ELFCLASS64 &&
           e->e_phentsize == sizeof(Elf64_Phdr) && e->e_phoff <= UBI__LOOK_PAGE;
}

uint64_t ubi__loaded_file_end(ubi__memory_look *look, uint64_t base, uint64_t high) {
    Elf64_Ehdr e;
    Elf64_Phdr p;
    uint64_t bias = 0, end = 0;
    bool has_first = false;
    if (!ubi__memory_look_read(look, &e, base, sizeof e) || !program_header_is_near(&e))
        return 0;
    for (uint64_t i = 0; i < e.e_phnum; i++) {
        if (!ubi__memory_look_read(look, &p, base + e.e_phoff + i * sizeof p, sizeof p))
            return 0;
        if (p.p_type != PT_LOAD || p.p_memsz > high || p.p_vaddr > high)
            continue;
        if (!has_first)
            bias = base - p.p_vaddr / UBI__LOOK_PAGE * UBI__LOOK_PAGE;
        has_first = true;
        uint64_t last = bias + p.p_vaddr + p.p_memsz;
        end = last > end && last <= high ? last : end;
    }
    return (end + UBI__LOOK_PAGE - 1) / UBI__LOOK_PAGE * UBI__LOOK_PAGE;
}
