/* SPDX-License-Identifier: MIT
 *
 * elf_symbols.c: see elf_symbols.h.
 */
#include "symbolize/elf_symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* A function that the table names. */
typedef struct candidate {
    uint64_t low, size_bytes, section_end;
    const char *name;
    unsigned rank; /* the lower, the better known */
} candidate;

UBI_VEC_DECLARE(vec_candidate, candidate);

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *header) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, header) && header->sh_type == type)
            return section;
    return NULL;
}

static bool is_function(const GElf_Sym *symbol, const GElf_Shdr *section) {
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC:
        return true;
    case STT_NOTYPE: /* assembler that does not say */
        return (section->sh_flags & SHF_EXECINSTR) != 0;
    default:
        return false;
    }
}

static unsigned rank_of(const GElf_Sym *symbol) {
    switch (GELF_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
        return 0;
    case STB_WEAK:
        return 1;
    default:
        return 2;
    }
}

/* Sections by number, for there are few and many symbols. */
typedef struct sections {
    GElf_Shdr *at;
    size_t n;
} sections;

static ubi_status read_sections(sections *out, Elf *elf, const ubi_allocator *a) {
    *out = (sections){ NULL, 0 };
    if (elf_getshdrnum(elf, &out->n) < 0)
        out->n = 0;
    if (out->n == 0)
        return UBI_OK;
    out->at = ubi__calloc_array(a, out->n, sizeof *out->at);
    if (!out->at)
        return ubi__fail_nomem();
    for (size_t i = 0; i < out->n; i++) {
        Elf_Scn *section = elf_getscn(elf, i);
        if (!section || !gelf_getshdr(section, &out->at[i]))
            out->at[i] = (GElf_Shdr){ .sh_type = SHT_NULL };
    }
    return UBI_OK;
}

static ubi_status read_candidates(vec_candidate *out, Elf *elf, Elf_Scn *table, size_t strings, const sections *all,
                                  const ubi_allocator *a) {
    Elf_Data *data = elf_getdata(table, NULL);
    GElf_Sym symbol;
    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= all->n ||
            !is_function(&symbol, &all->at[symbol.st_shndx]))
            continue;
        const GElf_Shdr *section = &all->at[symbol.st_shndx];
        const char *name = elf_strptr(elf, strings, symbol.st_name);
        if (name && *name)
            UBI_TRY(vec_candidate_push(out, a,
                                       (candidate){ symbol.st_value, symbol.st_size,
                                                    section->sh_addr + section->sh_size, name, rank_of(&symbol) }));
    }
    return UBI_OK;
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

static size_t underscores(const char *name) {
    return strspn(name, "_");
}

/* By address; of one address, the best first. */
static int by_address(const void *a, const void *b) {
    const candidate *l = a, *r = b;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if ((l->size_bytes == 0) != (r->size_bytes == 0))
        return l->size_bytes == 0 ? 1 : -1;
    size_t left = underscores(l->name), right = underscores(r->name);
    if (left != right)
        return left < right ? -1 : 1;
    if (l->rank != r->rank)
        return l->rank < r->rank ? -1 : 1;
    left = strlen(l->name);
    right = strlen(r->name);
    return left != right ? (left < right ? -1 : 1) : strcmp(l->name, r->name);
}

static ubi_status add(ubi__elf_symbols *s, uint64_t low, uint64_t high, const char *name, const ubi_allocator *a) {
    if (s->names.n == UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__vec_name_push(&s->names, a, name));
    return ubi__address_map_add(&s->map, low, high, (uint32_t)s->names.n - 1, a);
}

static ubi_status choose(ubi__elf_symbols *s, const vec_candidate *all, const ubi_allocator *a) {
    uint64_t sized_up_to = 0;
    for (size_t i = 0; i < all->n; i++) {
        const candidate *c = &all->at[i];
        size_t next = i + 1;
        while (next < all->n && all->at[next].low == c->low)
            next++;
        uint64_t end = c->low + c->size_bytes;
        if (c->size_bytes == 0) {
            end = next < all->n && all->at[next].low < c->section_end ? all->at[next].low : c->section_end;
            if (c->low < sized_up_to) /* a label within a function */
                end = c->low;
        } else if (end > sized_up_to)
            sized_up_to = end;
        UBI_TRY(add(s, c->low, end, c->name, a));
        i = next - 1;
    }
    return ubi__address_map_seal(&s->map, a);
}

static ubi_status read(ubi__elf_symbols *s, vec_candidate *candidates, sections *all, const ubi__elf_file *file,
                       const ubi_allocator *a) {
    GElf_Shdr header;
    Elf_Scn *table = find_table(file->elf, SHT_SYMTAB, &header);
    s->has_local = table != NULL;
    if (!table)
        table = find_table(file->elf, SHT_DYNSYM, &header);
    if (!table || header.sh_type == SHT_NOBITS)
        return UBI_OK;
    UBI_TRY(read_sections(all, file->elf, a));
    UBI_TRY(read_candidates(candidates, file->elf, table, header.sh_link, all, a));
    if (candidates->n == 0)
        return UBI_OK;
    qsort(candidates->at, candidates->n, sizeof *candidates->at, by_address);
    return choose(s, candidates, a);
}

ubi_status ubi__elf_symbols_read(ubi__elf_symbols *out, const ubi__elf_file *file, const ubi_allocator *allocator) {
    vec_candidate candidates = { NULL, 0, 0 };
    sections all = { NULL, 0 };
    *out = (ubi__elf_symbols){ .has_local = false };
    ubi_status status = file->elf ? read(out, &candidates, &all, file, allocator) : UBI_OK;
    vec_candidate_fini(&candidates, allocator);
    ubi__free_array(allocator, all.at, all.n, sizeof *all.at);
    if (status != UBI_OK)
        ubi__elf_symbols_fini(out, allocator);
    return status;
}

void ubi__elf_symbols_fini(ubi__elf_symbols *s, const ubi_allocator *allocator) {
    ubi__vec_name_fini(&s->names, allocator);
    ubi__address_map_fini(&s->map, allocator);
    *s = (ubi__elf_symbols){ .has_local = false };
}
