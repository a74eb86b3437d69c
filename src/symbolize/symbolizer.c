/* SPDX-License-Identifier: MIT
 *
 * symbolizer.c: modules and the functions at their addresses. See symbolize.h.
 *
 * Names are unfolded once and kept; the texts of an answer are there and in the mapped files.
 *
 * Which Debian package would bring debug information is found in dpkg's lists of files. A file may be known to its package by
 * another path than the one it was mapped from: a symbolic link leads to it (libfoo.so.1), or it was packaged as /lib/x, which is
 * /usr/lib/x today. All of these are looked for at once, by the hash of the path.
 */
#include "symbolize/symbolize.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/text.h"
#include "base/u64_map.h"
#include "symbolize/demangle.h"
#include "symbolize/dwarf_code.h"

#define PACKAGE_NAME_BYTES 128

typedef struct package_query {
    const char *path;                 /* of a file, absolute */
    char package[PACKAGE_NAME_BYTES]; /* out: such as "libfoo1-dbgsym"; "": no package has the file */
} package_query;

/* ---- packages: the questions ------------------------------------------------------------------------------------- */

typedef struct package_search {
    package_query *queries;
    ubi__u64_map by_path; /* hash of a path: number of the query */
    DIR *lists;
} package_search;

/* ---- the questions ------------------------------------------------------------------------------------------------ */

static ubi_status ask_for_path(package_search *s, const char *path, uint32_t query) {
    static const char merged[] = "/usr/";
    UBI_TRY(ubi__u64_map_put(&s->by_path, ubi__hash_bytes(path, strlen(path)), query));
    if (strncmp(path, merged, strlen(merged)) != 0)
        return UBI_OK;
    path += strlen("/usr");
    return ubi__u64_map_put(&s->by_path, ubi__hash_bytes(path, strlen(path)), query);
}

static ubi_status ask_all(package_search *s, size_t n) {
    char resolved[PATH_MAX];
    for (size_t i = 0; i < n && i < UBI_NONE; i++) {
        s->queries[i].package[0] = '\0';
        UBI_TRY(ask_for_path(s, s->queries[i].path, (uint32_t)i));
        if (realpath(s->queries[i].path, resolved))
            UBI_TRY(ask_for_path(s, resolved, (uint32_t)i));
    }
    return UBI_OK;
}

/* ---- packages: the answers -------------------------------------------------------------------------------------------------- */

/* From "libc6:amd64.list". Nearly all packages have a -dbgsym of their own; the C library's is older than these. */
static void name_debug_package(char out[PACKAGE_NAME_BYTES], const char *list) {
    size_t n = strcspn(list, ":");
    const char *suffix = "-dbgsym";
    if (!list[n])
        n = strlen(list) - strlen(".list");
    if (n == strlen("libc6") && memcmp(list, "libc6", n) == 0)
        suffix = "-dbg";
    if (n + strlen(suffix) < PACKAGE_NAME_BYTES)
        snprintf(out, PACKAGE_NAME_BYTES, "%.*s%s", (int)n, list, suffix);
}

static void read_list(package_search *s, FILE *file, const char *name) {
    char line[PATH_MAX];
    while (fgets(line, sizeof line, file)) {
        uint32_t query = ubi__u64_map_get(&s->by_path, ubi__hash_bytes(line, strcspn(line, "\n")));
        if (query != UBI_NONE)
            name_debug_package(s->queries[query].package, name);
    }
}

static bool is_list(const char *name) {
    size_t n = strlen(name);
    return n > strlen(".list") && strcmp(name + n - strlen(".list"), ".list") == 0;
}

static void read_lists(package_search *s) {
    for (struct dirent *entry; (entry = readdir(s->lists));) {
        int fd = is_list(entry->d_name) ? openat(dirfd(s->lists), entry->d_name, O_RDONLY | O_CLOEXEC) : -1;
        FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
        if (file) {
            read_list(s, file, entry->d_name);
            fclose(file);
        } else if (fd >= 0)
            close(fd);
    }
}

/*
 * Answers queries[n] from dpkg's lists of the files of packages, root/NAME.list, in one pass over them. Without such lists,
 * on another system, all answers are empty. Cost: reads all lists, 10 to 100 ms.
 */
static ubi_status find_debug_packages(package_query *queries, size_t n, const char *root,
                                      const ubi_allocator *allocator) {
    package_search s = { .queries = queries };
    ubi__u64_map_init(&s.by_path, allocator);
    ubi_status status = ask_all(&s, n);
    if (status == UBI_OK && (s.lists = opendir(root))) {
        read_lists(&s);
        closedir(s.lists);
    }
    ubi__u64_map_fini(&s.by_path);
    return status;
}

typedef struct module {
    char *path;        /* path[path_bytes], with a final NUL */
    size_t path_bytes; /* owned */
    uint8_t *build_id; /* build_id[n_build_id], owned */
    size_t n_build_id; /* 0: unknown */
    bool is_open, is_package_known;
    ubi__symbol_obstacle obstacle;
    ubi__elf_file main, debug;
    ubi__dwarf_code dwarf;
    ubi__elf_symbols symbols;
    char package[PACKAGE_NAME_BYTES];
} module;

UBI_VEC_DECLARE(vec_module, module);
UBI_VEC_DECLARE(vec_symbol, ubi__symbol);

struct ubi__symbolizer {
    const ubi_allocator *allocator;
    char *debug_root, *package_root; /* owned */
    bool with_debuginfod;
    vec_module modules;
    ubi__strtab module_keys; /* entry i: what distinguishes modules.at[i] from others */
    ubi__strtab names;       /* as they are shown */
    ubi__u64_map by_pointer; /* where a name lies in a file: its number in `names` */
    vec_symbol answer;
    ubi__vec_u32 answer_names; /* of answer.at[], while `names` still grows */
};

/* ---- life --------------------------------------------------------------------------------------------------------- */

static ubi_status copy_bytes(void *out, const void *from, size_t n, const ubi_allocator *a) {
    void *copy = ubi__alloc_array(a, n, 1);
    if (!copy)
        return ubi__fail_nomem();
    memcpy(copy, from, n);
    *(void **)out = copy;
    return UBI_OK;
}

static ubi_status copy_path(char **out, const char *path, const char *standard, const ubi_allocator *a) {
    const char *from = path ? path : standard;
    return copy_bytes(out, from, strlen(from) + 1, a);
}

static ubi_status copy_options(ubi__symbolizer *s, const ubi__symbolizer_options *o) {
    s->with_debuginfod = o->with_debuginfod;
    UBI_TRY(copy_path(&s->debug_root, o->debug_root, "/usr/lib/debug", s->allocator));
    return copy_path(&s->package_root, o->package_root, "/var/lib/dpkg/info", s->allocator);
}

ubi_status ubi__symbolizer_new(ubi__symbolizer **out, const ubi__symbolizer_options *options,
                               const ubi_allocator *allocator) {
    const ubi__symbolizer_options standard = { .with_debuginfod = false };
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__symbolizer *s = UBI_NEW(a, ubi__symbolizer);
    if (!s)
        return ubi__fail_nomem();
    s->allocator = a;
    ubi__strtab_init(&s->module_keys, a);
    ubi__strtab_init(&s->names, a);
    ubi__u64_map_init(&s->by_pointer, a);
    ubi_status status = copy_options(s, options ? options : &standard);
    if (status == UBI_OK)
        *out = s;
    else
        ubi__symbolizer_free(s);
    return status;
}

static void module_fini(module *m, const ubi_allocator *a) {
    ubi__dwarf_code_close(&m->dwarf);
    ubi__elf_symbols_fini(&m->symbols, a);
    ubi__elf_file_close(&m->debug);
    ubi__elf_file_close(&m->main);
    ubi__free_array(a, m->path, m->path_bytes, 1);
    ubi__free_array(a, m->build_id, m->n_build_id, 1);
}

static void free_path(char *path, const ubi_allocator *a) {
    if (path)
        ubi__free_array(a, path, strlen(path) + 1, 1);
}

void ubi__symbolizer_free(ubi__symbolizer *s) {
    if (!s)
        return;
    const ubi_allocator *a = s->allocator;
    for (size_t i = 0; i < s->modules.n; i++)
        module_fini(&s->modules.at[i], a);
    vec_module_fini(&s->modules, a);
    vec_symbol_fini(&s->answer, a);
    ubi__vec_u32_fini(&s->answer_names, a);
    ubi__u64_map_fini(&s->by_pointer);
    ubi__strtab_fini(&s->names);
    ubi__strtab_fini(&s->module_keys);
    free_path(s->debug_root, a);
    free_path(s->package_root, a);
    UBI_DELETE(a, s);
}

/* The build-id after its length, then the path, so that no two modules have one key. */
static ubi_status make_key(ubi__vec_u8 *out, ubi_text path, ubi_text build_id, const ubi_allocator *a) {
    uint64_t n_build_id = build_id.len;
    UBI_TRY(ubi__vec_u8_reserve(out, a, sizeof n_build_id + build_id.len + path.len));
    memcpy(out->at, &n_build_id, sizeof n_build_id);
    out->n = sizeof n_build_id;
    if (build_id.len)
        memcpy(out->at + out->n, build_id.ptr, build_id.len);
    out->n += build_id.len;
    if (path.len)
        memcpy(out->at + out->n, path.ptr, path.len);
    out->n += path.len;
    return UBI_OK;
}

static ubi_status make_module(module *out, ubi_text path, ubi_text build_id, const ubi_allocator *a) {
    module m = { .main = UBI__ELF_FILE_NONE, .debug = UBI__ELF_FILE_NONE, .dwarf = { .allocator = a } };
    m.path_bytes = path.len + 1;
    m.path = ubi__calloc_array(a, m.path_bytes, 1);
    if (!m.path)
        return ubi__fail_nomem();
    if (path.len)
        memcpy(m.path, path.ptr, path.len);
    ubi_status status = build_id.len ? copy_bytes(&m.build_id, build_id.ptr, build_id.len, a) : UBI_OK;
    m.n_build_id = m.build_id ? build_id.len : 0;
    if (status == UBI_OK)
        *out = m;
    else
        module_fini(&m, a);
    return status;
}

static ubi_status append_module(ubi__symbolizer *s, uint32_t *out, ubi_text key, ubi_text path, ubi_text build_id) {
    module m;
    uint32_t number;
    UBI_TRY(vec_module_reserve(&s->modules, s->allocator, 1));
    UBI_TRY(make_module(&m, path, build_id, s->allocator));
    ubi_status status = ubi__strtab_intern(&s->module_keys, &number, key);
    if (status != UBI_OK) {
        module_fini(&m, s->allocator);
        return status;
    }
    UBI_ASSERT(number == s->modules.n);
    *out = number; /* keys and modules have the same numbers */
    s->modules.at[s->modules.n++] = m;
    return UBI_OK;
}

ubi_status ubi__symbolizer_add_module(ubi__symbolizer *s, uint32_t *out, ubi_text path, const uint8_t *build_id,
                                      size_t n_build_id) {
    ubi_text id = { (const char *)build_id, n_build_id };
    ubi__vec_u8 key = { NULL, 0, 0 };
    ubi_status status = make_key(&key, path, id, s->allocator);
    if (status == UBI_OK) {
        ubi_text text = { (const char *)key.at, key.n };
        uint32_t known = ubi__strtab_find_interned(&s->module_keys, text);
        if (known != UBI_NONE)
            *out = known;
        else
            status = append_module(s, out, text, path, id);
    }
    ubi__vec_u8_fini(&key, s->allocator);
    return status;
}

/* ---- opening a module --------------------------------------------------------------------------------------------- */

static ubi_text recorded_build_id(const module *m) {
    return (ubi_text){ (const char *)m->build_id, m->n_build_id };
}

/* The file itself, when it is the one that was recorded. */
static ubi__symbol_obstacle open_main(module *m) {
    if (m->path[0] != '/')
        return UBI__OBSTACLE_NO_FILE;
    ubi__elf_opened opened = ubi__elf_file_open(&m->main, m->path);
    if (opened != UBI__ELF_OPENED)
        return opened == UBI__ELF_MISSING ? UBI__OBSTACLE_MISSING : UBI__OBSTACLE_DAMAGED;
    if (m->n_build_id && !ubi__text_equal(ubi__elf_build_id(&m->main), recorded_build_id(m))) {
        ubi__elf_file_close(&m->main);
        return UBI__OBSTACLE_CHANGED;
    }
    return UBI__OBSTACLE_STRIPPED;
}

static void open_debug(const ubi__symbolizer *s, module *m) {
    ubi__debug_search search = { .root = s->debug_root,
                                 .path = m->path,
                                 .build_id = m->n_build_id ? recorded_build_id(m) : ubi__elf_build_id(&m->main),
                                 .main = &m->main,
                                 .with_debuginfod = s->with_debuginfod };
    ubi__debug_file_open(&m->debug, &search);
}

/* The debug file's table has the names that were stripped; else what is left in the file. */
static ubi_status open_symbols(const ubi__symbolizer *s, module *m) {
    UBI_TRY(ubi__elf_symbols_read(&m->symbols, &m->debug, s->allocator));
    if (m->symbols.names.n > 0)
        return UBI_OK;
    return ubi__elf_symbols_read(&m->symbols, &m->main, s->allocator);
}

static ubi_status open_module(const ubi__symbolizer *s, module *m) {
    m->obstacle = open_main(m);
    if (ubi__elf_has_section(&m->main, ".debug_info") || ubi__elf_has_section(&m->main, ".zdebug_info"))
        UBI_TRY(ubi__dwarf_code_open(&m->dwarf, &m->main, s->allocator));
    if (m->dwarf.units.n == 0) {
        ubi__dwarf_code_close(&m->dwarf);
        open_debug(s, m);
        UBI_TRY(ubi__dwarf_code_open(&m->dwarf, &m->debug, s->allocator));
    }
    if (m->dwarf.units.n > 0)
        m->obstacle = UBI__OBSTACLE_NONE;
    UBI_TRY(open_symbols(s, m));
    UBI_ASSERT((m->obstacle == UBI__OBSTACLE_NONE) == (m->dwarf.units.n > 0));
    m->is_open = true;
    return UBI_OK;
}

static ubi_status opened_module(ubi__symbolizer *s, module **out, uint32_t ix) {
    UBI_ASSERT(s->modules.n == ubi__strtab_count(&s->module_keys));
    module *m = &s->modules.at[UBI_INDEX(ix, s->modules.n)];
    ubi_status status = m->is_open ? UBI_OK : open_module(s, m);
    if (status != UBI_OK) { /* as if it had not been tried */
        ubi__dwarf_code_close(&m->dwarf);
        ubi__elf_symbols_fini(&m->symbols, s->allocator);
        ubi__elf_file_close(&m->debug);
        ubi__elf_file_close(&m->main);
    }
    *out = m;
    return status;
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

/* The C library calls its functions by second names inside of itself: "__GI_strdup" is strdup. */
static const char *as_in_source(const char *name) {
    static const char internal[] = "__GI_";
    return strncmp(name, internal, sizeof internal - 1) == 0 ? name + sizeof internal - 1 : name;
}

static ubi_status name_at(ubi__symbolizer *s, ubi_str_ix *out, const char *in_file) {
    char plain[UBI__SYMBOL_NAME_BYTES];
    size_t n;
    *out = ubi__u64_map_get(&s->by_pointer, (uintptr_t)in_file);
    if (*out != UBI_NONE)
        return UBI_OK;
    ubi__demangle(plain, sizeof plain, &n, ubi__text(as_in_source(in_file)));
    UBI_TRY(ubi__strtab_append(&s->names, out, (ubi_text){ plain, n }));
    return ubi__u64_map_put(&s->by_pointer, (uintptr_t)in_file, *out);
}

static bool is_mangled(const char *name) {
    return name && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/**
 * The full name of a function. Compilers leave the linkage name out for functions that other files cannot call: there
 * the symbol table has it, unless the function is inlined.
 * @param symbol  the name in the symbol table at this address, or NULL; only of code that is not inlined.
 */
static ubi_status name_of(ubi__symbolizer *s, ubi__dwarf_scope *scope, const char *symbol) {
    if (scope->name != UBI_NONE)
        return UBI_OK;
    const char *name = ubi__dwarf_linkage_name(&scope->die);
    if (!name && is_mangled(symbol))
        name = symbol;
    if (!name)
        name = ubi__dwarf_plain_name(&scope->die);
    if (!name)
        name = symbol;
    return name && *name ? name_at(s, &scope->name, name) : UBI_OK;
}

/* ---- looking up --------------------------------------------------------------------------------------------------- */

static ubi_status push_answer(ubi__symbolizer *s, ubi_str_ix name, const ubi__symbol *symbol) {
    UBI_TRY(ubi__vec_u32_push(&s->answer_names, s->allocator, name));
    return vec_symbol_push(&s->answer, s->allocator, *symbol);
}

/* From the innermost inlined call outwards: a function is at the place of what it called. */
static ubi_status push_functions(ubi__symbolizer *s, const ubi__dwarf_place *place, const char *symbol,
                                 uint64_t address) {
    ubi__dwarf_function *f = place->function;
    ubi__symbol row = { .is_inlined = true };
    row.file = ubi__text(ubi__dwarf_line(place->unit, address, &row.line, &row.column));
    for (ubi__dwarf_scope *scope = place->inlined; scope;) {
        UBI_TRY(name_of(s, scope, NULL));
        UBI_TRY(push_answer(s, scope->name, &row));
        row.file = ubi__text(ubi__dwarf_call(place->unit, &scope->die, &row.line, &row.column));
        UBI_ASSERT(scope->caller == UBI_NONE || &f->inlined.at[scope->caller] < scope);
        scope = scope->caller == UBI_NONE ? NULL : &f->inlined.at[scope->caller];
    }
    UBI_TRY(name_of(s, &f->self, symbol));
    row.is_inlined = false;
    return push_answer(s, f->self.name, &row);
}

/* Code that no function of the DWARF holds, such as from assembler. */
static ubi_status push_symbol(ubi__symbolizer *s, const ubi__dwarf_place *place, const char *symbol, uint64_t address) {
    ubi__symbol row = { .is_inlined = false };
    ubi_str_ix name = UBI_NONE;
    if (place->unit)
        row.file = ubi__text(ubi__dwarf_line(place->unit, address, &row.line, &row.column));
    if (symbol)
        UBI_TRY(name_at(s, &name, symbol));
    return symbol || row.file.ptr ? push_answer(s, name, &row) : UBI_OK;
}

ubi_status ubi__symbolizer_look_up(ubi__symbolizer *s, const ubi__symbol **out, size_t *n_out, uint32_t module_ix,
                                   uint64_t address) {
    module *m;
    ubi__dwarf_place place;
    s->answer.n = s->answer_names.n = 0;
    UBI_TRY(opened_module(s, &m, module_ix));
    UBI_TRY(ubi__dwarf_code_find(&m->dwarf, &place, address));
    const char *symbol = ubi__elf_symbols_find(&m->symbols, address);
    if (place.function)
        UBI_TRY(push_functions(s, &place, symbol, address));
    else
        UBI_TRY(push_symbol(s, &place, symbol, address));
    UBI_ASSERT(s->answer.n == s->answer_names.n && (!place.function || s->answer.n > 0));
    for (size_t i = 0; i < s->answer.n; i++) /* the table does not move any more */
        s->answer.at[i].function = ubi__strtab_get(&s->names, s->answer_names.at[i]);
    *out = s->answer.at;
    *n_out = s->answer.n;
    return UBI_OK;
}

ubi_status ubi__symbolizer_look_up_return(ubi__symbolizer *s, const ubi__symbol **out, size_t *n_out,
                                          uint32_t module_ix, uint64_t address) {
    UBI_TRY(ubi__symbolizer_look_up(s, out, n_out, module_ix, address - 1));
    bool is_known = *n_out > 0 && (*out)[*n_out - 1].function.ptr;
    return is_known ? UBI_OK : ubi__symbolizer_look_up(s, out, n_out, module_ix, address);
}

/* ---- facts -------------------------------------------------------------------------------------------------------- */

UBI_VEC_DECLARE(vec_query, package_query);

static bool wants_package(const module *m) {
    return m->is_open && m->obstacle == UBI__OBSTACLE_STRIPPED && !m->is_package_known;
}

static ubi_status answer_queries(ubi__symbolizer *s, vec_query *queries) {
    for (size_t i = 0; i < s->modules.n; i++) {
        package_query query = { .path = s->modules.at[i].path };
        if (wants_package(&s->modules.at[i]))
            UBI_TRY(vec_query_push(queries, s->allocator, query));
    }
    UBI_TRY(find_debug_packages(queries->at, queries->n, s->package_root, s->allocator));
    for (size_t i = 0, answered = 0; answered < queries->n; i++) {
        module *m = &s->modules.at[i];
        if (!wants_package(m))
            continue;
        memcpy(m->package, queries->at[answered++].package, sizeof m->package);
        m->is_package_known = true;
    }
    return UBI_OK;
}

/* Of all modules that are open: the lists are read once for all of them. */
static ubi_status find_packages(ubi__symbolizer *s) {
    vec_query queries = { NULL, 0, 0 };
    ubi_status status = answer_queries(s, &queries);
    vec_query_fini(&queries, s->allocator);
    return status;
}

static ubi__symbol_detail detail_of(const module *m) {
    if (m->dwarf.units.n > 0)
        return UBI__SYMBOLS_LINES;
    if (m->symbols.names.n == 0)
        return UBI__SYMBOLS_NONE;
    return m->symbols.has_local ? UBI__SYMBOLS_NAMES : UBI__SYMBOLS_EXPORTED;
}

ubi_status ubi__symbolizer_facts(ubi__symbolizer *s, ubi__symbol_facts *out, uint32_t module_ix) {
    module *m;
    UBI_TRY(opened_module(s, &m, module_ix));
    if (wants_package(m))
        UBI_TRY(find_packages(s));
    *out = (ubi__symbol_facts){ .detail = detail_of(m), .obstacle = m->obstacle };
    if (m->package[0])
        out->package = ubi__text(m->package);
    return UBI_OK;
}

const char *ubi__symbol_obstacle_words(ubi__symbol_obstacle obstacle) {
    switch (obstacle) {
    case UBI__OBSTACLE_NONE:
        return "";
    case UBI__OBSTACLE_NO_FILE:
        return "it is not a file";
    case UBI__OBSTACLE_MISSING:
        return "the file is not there";
    case UBI__OBSTACLE_CHANGED:
        return "the file has changed since";
    case UBI__OBSTACLE_DAMAGED:
        return "the file cannot be read as ELF";
    case UBI__OBSTACLE_STRIPPED:
        return "it has no debug information";
    }
    return "";
}
