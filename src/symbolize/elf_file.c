/* SPDX-License-Identifier: MIT
 *
 * elf_file.c: see elf_file.h.
 *
 * A candidate for a debug file is taken by what it is, not by its name: its build-id is the module's, or, when one of the two
 * has none, its checksum is the one in the module's .gnu_debuglink.
 *
 * libdebuginfod is opened when it is needed, so that names of functions need neither it nor the libraries for the network that
 * it brings along.
 */
#include "symbolize/elf_file.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"

/* ---- files ------------------------------------------------------------------------------------------------------- */

ubi__elf_opened ubi__elf_file_open_fd(ubi__elf_file *f, int fd) {
    struct stat about;
    *f = UBI__ELF_FILE_NONE;
    if (fd < 0)
        return UBI__ELF_MISSING;
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode)) {
        close(fd);
        return UBI__ELF_MISSING;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        close(fd);
        return UBI__ELF_DAMAGED;
    }
    *f = (ubi__elf_file){ fd, elf };
    return UBI__ELF_OPENED;
}

ubi__elf_opened ubi__elf_file_open(ubi__elf_file *f, const char *path) {
    return ubi__elf_file_open_fd(f, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

void ubi__elf_file_close(ubi__elf_file *f) {
    elf_end(f->elf);
    if (f->fd >= 0)
        close(f->fd);
    *f = UBI__ELF_FILE_NONE;
}

ubi_text ubi__elf_build_id(const ubi__elf_file *f) {
    const void *bytes;
    ssize_t n = f->elf ? dwelf_elf_gnu_build_id(f->elf, &bytes) : 0;
    return n > 0 ? (ubi_text){ bytes, (size_t)n } : (ubi_text){ NULL, 0 };
}

bool ubi__elf_has_section(const ubi__elf_file *f, const char *name) {
    size_t names;
    GElf_Shdr header;
    if (!f->elf || elf_getshdrstrndx(f->elf, &names) < 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(f->elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *its_name = elf_strptr(f->elf, names, header.sh_name);
        if (its_name && strcmp(its_name, name) == 0)
            return true;
    }
    return false;
}

/* ---- debug files from servers that the user has named ------------------------------------------------------------ */

#define LIBRARY "libdebuginfod.so.1"

typedef struct client client;

typedef struct library {
    client *(*begin)(void);
    int (*find)(client *c, const unsigned char *build_id, int n_build_id, char **path);
    void (*end)(client *c);
} library;

static bool library_resolve(library *l, void *handle) {
    *(void **)&l->begin = dlsym(handle, "debuginfod_begin");
    *(void **)&l->find = dlsym(handle, "debuginfod_find_debuginfo");
    *(void **)&l->end = dlsym(handle, "debuginfod_end");
    return l->begin && l->find && l->end;
}

static int client_find(const library *l, ubi_text build_id) {
    client *c = l->begin();
    if (!c)
        return -1;
    int fd = l->find(c, (const unsigned char *)build_id.ptr, (int)build_id.len, NULL);
    l->end(c);
    return fd < 0 ? -1 : fd;
}

/* A descriptor of the debug file of a build-id, which is sent to the servers of DEBUGINFOD_URLS; -1: none. May take long;
   DEBUGINFOD_TIMEOUT bounds it. */
static int debuginfod_find(ubi_text build_id) {
    const char *servers = getenv("DEBUGINFOD_URLS");
    library l;
    if (!servers || !*servers)
        return -1;
    void *handle =
        dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL); /* stays open: unloading what uses the network is not safe */
    return handle && library_resolve(&l, handle) ? client_find(&l, build_id) : -1;
}

/* ---- whether it is the one ---------------------------------------------------------------------------------------- */

static bool checksum_is(int fd, GElf_Word expected) {
    static unsigned char buffer[65536];
    uLong crc = crc32(0, NULL, 0);
    off_t at = 0;
    for (ssize_t n; (n = pread(fd, buffer, sizeof buffer, at)) != 0; at += n) {
        if (n < 0)
            return false;
        crc = crc32(crc, buffer, (uInt)n);
    }
    return crc == expected;
}

static bool is_same_file(int a, int b) {
    struct stat left, right;
    return a >= 0 && b >= 0 && fstat(a, &left) == 0 && fstat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

/* @param checksum  of a .gnu_debuglink, or NULL: only the build-id counts. */
static bool is_debug_file_of(const ubi__elf_file *candidate, const ubi__debug_search *search,
                             const GElf_Word *checksum) {
    ubi_text build_id = ubi__elf_build_id(candidate);
    if (is_same_file(candidate->fd, search->main->fd))
        return false;
    if (build_id.len && search->build_id.len)
        return ubi__text_equal(build_id, search->build_id);
    return checksum && checksum_is(candidate->fd, *checksum);
}

static bool try_file(ubi__elf_file *out, const char *path, const ubi__debug_search *search, const GElf_Word *checksum) {
    if (ubi__elf_file_open(out, path) == UBI__ELF_OPENED && is_debug_file_of(out, search, checksum))
        return true;
    ubi__elf_file_close(out);
    return false;
}

/* ---- where it may be ---------------------------------------------------------------------------------------------- */

/* root/.build-id/xx/rest.debug */
static bool try_build_id(ubi__elf_file *out, const ubi__debug_search *search) {
    char path[PATH_MAX];
    size_t n;
    if (search->build_id.len < 2)
        return false;
    n = (size_t)snprintf(path, sizeof path, "%s/.build-id/", search->root);
    for (size_t i = 0; i < search->build_id.len && n < sizeof path; i++)
        n += (size_t)snprintf(path + n, sizeof path - n, i == 0 ? "%02x/" : "%02x", (uint8_t)search->build_id.ptr[i]);
    if (n + sizeof ".debug" > sizeof path)
        return false;
    memcpy(path + n, ".debug", sizeof ".debug");
    return try_file(out, path, search, NULL);
}

/* Beside the file, in .debug/ there, and in the same folder below the root. */
static bool try_link(ubi__elf_file *out, const ubi__debug_search *search) {
    char path[PATH_MAX];
    GElf_Word checksum;
    const char *name = search->main->elf ? dwelf_elf_gnu_debuglink(search->main->elf, &checksum) : NULL;
    const char *slash = strrchr(search->path, '/');
    int folder = slash ? (int)(slash - search->path) : 0;
    if (!name || !*name || strchr(name, '/') || !slash)
        return false;
    static const char *const forms[] = { "%s%.*s/%s", "%s%.*s/.debug/%s", "%s%.*s/%s" };
    for (int i = 0; i < 3; i++) {
        int n = snprintf(path, sizeof path, forms[i], i == 2 ? search->root : "", folder, search->path, name);
        if (n > 0 && (size_t)n < sizeof path && try_file(out, path, search, &checksum))
            return true;
    }
    return false;
}

bool ubi__debug_file_open(ubi__elf_file *out, const ubi__debug_search *search) {
    *out = UBI__ELF_FILE_NONE;
    if (try_build_id(out, search) || try_link(out, search))
        return true;
    if (!search->with_debuginfod || search->build_id.len == 0)
        return false;
    if (ubi__elf_file_open_fd(out, debuginfod_find(search->build_id)) == UBI__ELF_OPENED &&
        is_debug_file_of(out, search, NULL))
        return true;
    ubi__elf_file_close(out);
    return false;
}

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

static size_t count_underscores(const char *name) {
    return strspn(name, "_");
}

/* By address; of one address, the best first. */
static int by_address(const void *a, const void *b) {
    const candidate *l = a, *r = b;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if ((l->size_bytes == 0) != (r->size_bytes == 0))
        return l->size_bytes == 0 ? 1 : -1;
    size_t left = count_underscores(l->name), right = count_underscores(r->name);
    if (left != right)
        return left < right ? -1 : 1;
    if (l->rank != r->rank)
        return l->rank < r->rank ? -1 : 1;
    left = strlen(l->name);
    right = strlen(r->name);
    return left != right ? (left < right ? -1 : 1) : strcmp(l->name, r->name);
}

static ubi_status add_symbol(ubi__elf_symbols *s, uint64_t low, uint64_t high, const char *name,
                             const ubi_allocator *a) {
    if (s->names.n == UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__vec_name_push(&s->names, a, name));
    return ubi__address_map_add(&s->map, low, high, (uint32_t)s->names.n - 1, a);
}

void ubi__elf_symbols_check(const ubi__elf_symbols *s) {
    ubi__address_map_check(&s->map);
    UBI_ASSERT(s->names.n > 0 || s->map.starts.n == 0);
    for (size_t i = 0; UBI_CHECKS && i < s->map.starts.n; i++)
        UBI_ASSERT(s->map.starts.at[i].value < s->names.n || s->map.starts.at[i].value == UBI_NONE);
}

static ubi_status choose_symbols(ubi__elf_symbols *s, const vec_candidate *all, const ubi_allocator *a) {
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
        UBI_TRY(add_symbol(s, c->low, end, c->name, a));
        i = next - 1;
    }
    return ubi__address_map_seal(&s->map, a);
}

static ubi_status read_symbols(ubi__elf_symbols *s, vec_candidate *candidates, sections *all, const ubi__elf_file *file,
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
    return choose_symbols(s, candidates, a);
}

ubi_status ubi__elf_symbols_read(ubi__elf_symbols *out, const ubi__elf_file *file, const ubi_allocator *allocator) {
    vec_candidate candidates = { NULL, 0, 0 };
    sections all = { NULL, 0 };
    *out = (ubi__elf_symbols){ .has_local = false };
    ubi_status status = file->elf ? read_symbols(out, &candidates, &all, file, allocator) : UBI_OK;
    vec_candidate_fini(&candidates, allocator);
    ubi__free_array(allocator, all.at, all.n, sizeof *all.at);
    if (status == UBI_OK)
        ubi__elf_symbols_check(out);
    else
        ubi__elf_symbols_fini(out, allocator);
    return status;
}

void ubi__elf_symbols_fini(ubi__elf_symbols *s, const ubi_allocator *allocator) {
    ubi__vec_name_fini(&s->names, allocator);
    ubi__address_map_fini(&s->map, allocator);
    *s = (ubi__elf_symbols){ .has_local = false };
}
