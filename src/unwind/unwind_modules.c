/* SPDX-License-Identifier: MIT
 *
 * unwind_modules.c: asking the loader for modules.
 *
 * A program whose segments have gaps between them is known to the loader segment by segment. So the bounds of what it
 * says about an address need not hold the tables: these have bounds of their own.
 *
 * Data: `module` is what both ways of asking find out. Program headers are those that the loader has, or that the
 * kernel has given the program; or they are read at the start of the mapping, if an ELF header is there that says
 * where they are.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "unwind/unwind.h"
#include "unwind/unwind_modules.h"

typedef struct segments {
    const ElfW(Phdr) * at;
    size_t n;
} segments;

typedef struct module {
    uintptr_t low, high; /* of what is mapped around the address in one piece */
    uintptr_t bias;
    const char *path;
    const uint8_t *index; /* .eh_frame_hdr */
    ubi__cfi_bytes around_index;
    bool is_program;
    segments headers; /* n is 0: still unknown */
} module;

/* ---- with a lock, where there is nothing better ------------------------------------------------------------------ */

typedef struct search {
    uintptr_t address;
    module found;
} search;

/** Fills in what is at `s->address`, if this module is. @return 1: it is, and the search is over. */
static int look_at(struct dl_phdr_info *info, size_t size_bytes, void *payload) {
    (void)size_bytes;
    search *s = payload;
    module m = { .low = UINTPTR_MAX,
                 .bias = info->dlpi_addr,
                 .path = info->dlpi_name,
                 .headers = { info->dlpi_phdr, info->dlpi_phnum } };
    bool inside = false;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + segment->p_vaddr, high = low + segment->p_memsz;
        if (segment->p_type == PT_GNU_EH_FRAME)
            m.index = (const uint8_t *)low;
        if (segment->p_type != PT_LOAD)
            continue;
        m.low = low < m.low ? low : m.low;
        m.high = high > m.high ? high : m.high;
        inside = inside || (s->address >= low && s->address < high);
    }
    m.around_index = (ubi__cfi_bytes){ (const uint8_t *)m.low, (const uint8_t *)m.high };
    if (inside)
        s->found = m;
    return inside;
}

static bool find_by_list(uintptr_t address, module *out) {
    search s = { .address = address };
    if (dl_iterate_phdr(look_at, &s) == 0)
        return false;
    *out = s.found;
    return true;
}

/* ---- without ----------------------------------------------------------------------------------------------------- */

#ifndef DLFO_STRUCT_HAS_EH_DBASE // headers before glibc 2.35, whatever the program meets: as it is on x86-64
struct dl_find_object {
    unsigned long long dlfo_flags;
    void *dlfo_map_start, *dlfo_map_end;
    struct link_map *dlfo_link_map;
    void *dlfo_eh_frame;
    unsigned long long reserved[7];
};
extern int _dl_find_object(void *address, struct dl_find_object *out);
#endif

extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

static bool module_find(uintptr_t address, module *out) {
    if (!_dl_find_object)
        return find_by_list(address, out);
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    const struct link_map *map = found.dlfo_link_map;
    *out = (module){ .low = (uintptr_t)found.dlfo_map_start,
                     .high = (uintptr_t)found.dlfo_map_end,
                     .bias = map->l_addr,
                     .path = map->l_name,
                     .index = found.dlfo_eh_frame,
                     .is_program = !map->l_prev && map->l_name[0] == '\0' };
    if (out->index && _dl_find_object((void *)out->index, &found) == 0)
        out->around_index = (ubi__cfi_bytes){ found.dlfo_map_start, found.dlfo_map_end };
    return true;
}

bool ubi__module_tables_at(uintptr_t address, ubi__module_tables *out) {
    module m;
    if (!module_find(address, &m))
        return false;
    *out = (ubi__module_tables){ .bytes = m.around_index, .index = m.index };
    return true;
}

uintptr_t ubi__process_entry(void) {
    uintptr_t loader = getauxval(AT_BASE);
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)loader;
    if (!loader) // no loader, or it was run as a program
        return getauxval(AT_ENTRY);
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 ? loader + header->e_entry : 0;
}

/* ---- what recordings say of a module ----------------------------------------------------------------------------- */

static bool is_within(const module *m, uintptr_t low, uintptr_t size_bytes) {
    return low >= m->low && low <= m->high && size_bytes <= m->high - low;
}

/** The program headers that an ELF header at the start of a mapping points to. */
static segments read_headers(const module *m) {
    const segments none = { NULL, 0 };
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)m->low;
    if (m->low % sizeof(void *) != 0 || !is_within(m, m->low, sizeof *header) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff % sizeof(void *) != 0 || header->e_phoff > m->high - m->low ||
        !is_within(m, m->low + header->e_phoff, header->e_phnum * sizeof(ElfW(Phdr))))
        return none;
    return (segments){ (const ElfW(Phdr) *)(m->low + header->e_phoff), header->e_phnum };
}

/** Finds the program headers, and with those that are certain all that is mapped, from the first segment to the last. */
static void module_complete(module *m) {
    if (m->headers.n == 0 && m->is_program)
        m->headers = (segments){ (const ElfW(Phdr) *)getauxval(AT_PHDR), getauxval(AT_PHNUM) };
    for (size_t i = 0; i < m->headers.n; i++) {
        const ElfW(Phdr) *segment = &m->headers.at[i];
        uintptr_t low = m->bias + segment->p_vaddr, high = low + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        m->low = low < m->low ? low : m->low;
        m->high = high > m->high ? high : m->high;
    }
    if (m->headers.n == 0)
        m->headers = read_headers(m);
}

static uintptr_t rounded_to_words(uint32_t size_bytes) {
    return ((uintptr_t)size_bytes + 3) & ~(uintptr_t)3;
}

/** The build-id among the notes of one segment. */
static void look_for_build_id(const uint8_t *at, uintptr_t size_bytes, ubi__unwind_module *out) {
    ElfW(Nhdr) note;
    while (size_bytes >= sizeof note) {
        memcpy(&note, at, sizeof note);
        uintptr_t name_bytes = rounded_to_words(note.n_namesz), text_bytes = rounded_to_words(note.n_descsz);
        if (name_bytes + text_bytes > size_bytes - sizeof note)
            return;
        const uint8_t *name = at + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 && note.n_descsz > 0) {
            out->build_id = name + name_bytes;
            out->build_id_bytes = note.n_descsz;
            return;
        }
        at += sizeof note + name_bytes + text_bytes;
        size_bytes -= sizeof note + name_bytes + text_bytes;
    }
}

bool ubi__unwind_module_of(uintptr_t pc, ubi__unwind_module *out) {
    module m;
    if (!module_find(pc - 1, &m))
        return false;
    module_complete(&m);
    *out = (ubi__unwind_module){ .path = m.path, .bias = m.bias, .low = m.low, .high = m.high };
    for (size_t i = 0; i < m.headers.n && !out->build_id; i++) {
        const ElfW(Phdr) *segment = &m.headers.at[i];
        if (segment->p_type == PT_NOTE && is_within(&m, m.bias + segment->p_vaddr, segment->p_memsz))
            look_for_build_id((const uint8_t *)(m.bias + segment->p_vaddr), segment->p_memsz, out);
    }
    return true;
}

uintptr_t ubi__unwind_function_of(uintptr_t pc) {
    ubi__module_tables tables;
    uintptr_t start;
    if (!ubi__module_tables_at(pc - 1, &tables) || !tables.index ||
        ubi__cfi_function(&tables.bytes, tables.index, pc - 1, &start) != UBI__CFI_FOUND)
        return 0;
    return start;
}
