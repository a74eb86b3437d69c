/* SPDX-License-Identifier: MIT
 *
 * known_frames.c: see known_frames.h.
 *
 * Names of the C library have no underscores before them, of which an internal name of an exported function has more, and no
 * "_r" at the end. All must be among those that copies for others keep (analyses/anonymize/public_names.c).
 */
#include "recording/known_frames.h"

#include <string.h>

#include "base/text.h"
#include "recording/known_pools.h"

/* ---- allocators -------------------------------------------------------------------------------------------------- */

/* Whole names, of what is not named like malloc. */
static const char *const allocator_functions[] = {
    /* C library, C++ */
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "wcsdup",
    "getline",
    "mmap",
    "mmap64",
    "mremap",
    "operator new",
    "operator new[]",
    /* found in many programs */
    "xzalloc",
    "savestring",
    /* GLib */
    "g_malloc_n",
    "g_malloc0_n",
    "g_realloc_n",
    "g_slice_alloc",
    "g_slice_alloc0",
    /* CPython */
    "PyMem_Malloc",
    "PyMem_Calloc",
    "PyMem_Realloc",
    "PyMem_RawMalloc",
    "PyMem_RawCalloc",
    "PyMem_RawRealloc",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
    /* SQLite */
    "sqlite3MallocZero",
    "sqlite3DbMallocRaw",
    "sqlite3DbMallocRawNN",
    "sqlite3DbMallocZero",
    "sqlite3DbRealloc",
    "sqlite3DbReallocOrFree",
    "sqlite3DbStrNDup",
    /* OpenSSL */
    "CRYPTO_zalloc",
    /* GCC */
    "ggc_internal_alloc",
    "ggc_internal_cleared_alloc",
};

/* Ends of C functions' names, in lower case; digits may follow. */
static const char *const allocator_endings[] = { "malloc", "calloc",  "realloc", "reallocarray",
                                                 "strdup", "strndup", "memdup" };

/* Beginnings of names of containers and such. */
static const char *const container_beginnings[] = {
    "std::",
    "__gnu_cxx::",
    "boost::container::", /* libstdc++, libc++ and kin */
    "alloc::",
    "<alloc::",
    "core::",
    "<core::",
    "__rust_",
    "__rdl_",
    "__rg_", /* Rust */
    "_PyMem_",
    "_PyObject_Malloc",
    "_PyObject_New",
    "_PyObject_GC_",       /* may collect garbage */
    "PyType_GenericAlloc", /* CPython */
};

/* Up to the parameters, without what templates are made of. */
static size_t end_of_name(ubi_text f) {
    size_t depth = 0;
    for (size_t i = 0; i < f.len; i++) {
        if (f.ptr[i] == '<')
            depth++;
        else if (f.ptr[i] == '>' && depth)
            depth--;
        else if (f.ptr[i] == '(' && depth == 0 && i > 0)
            return i;
    }
    return f.len;
}

/* After the return type that names of templates begin with: the last space outside of templates. */
static ubi_text without_return_type(ubi_text name) {
    size_t depth = 0, start = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '<')
            depth++;
        else if (name.ptr[i] == '>' && depth)
            depth--;
        else if (name.ptr[i] == ' ' && depth == 0)
            start = i + 1;
    }
    return (ubi_text){ name.ptr + start, name.len - start };
}

static bool is_function(ubi_text name) {
    for (size_t i = 0; i < sizeof allocator_functions / sizeof *allocator_functions; i++)
        if (ubi__text_is(name, allocator_functions[i]))
            return true;
    return false;
}

static bool is_container(ubi_text name) {
    for (size_t i = 0; i < sizeof container_beginnings / sizeof *container_beginnings; i++)
        if (ubi__text_begins(name, container_beginnings[i]))
            return true;
    return false;
}

static bool is_in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool ends_with(ubi_text name, const char *ending) {
    size_t n = strlen(ending);
    if (name.len < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((name.ptr[name.len - n + i] | 0x20) != ending[i])
            return false;
    return true;
}

static bool is_named_like_malloc(ubi_text name) {
    for (size_t i = 0; i < name.len; i++)
        if (!is_in_name(name.ptr[i]))
            return false;
    while (name.len && name.ptr[name.len - 1] >= '0' && name.ptr[name.len - 1] <= '9')
        name.len--;
    for (size_t i = 0; i < sizeof allocator_endings / sizeof *allocator_endings; i++)
        if (ends_with(name, allocator_endings[i]))
            return true;
    return false;
}

/* Compilers make parts of functions into others: "xmalloc.part.0". */
static ubi_text without_part(ubi_text name) {
    const char *dot = memchr(name.ptr, '.', name.len);
    return dot ? (ubi_text){ name.ptr, (size_t)(dot - name.ptr) } : name;
}

static ubi__allocator_role role_of_name(ubi_text name) {
    if (is_container(name))
        return UBI__CONTAINER;
    name = without_part(name);
    return is_function(name) || is_named_like_malloc(name) ? UBI__ALLOCATOR : UBI__NO_ALLOCATOR;
}

ubi__allocator_role ubi__allocator_role_of(ubi_text function) {
    if (function.len == 0)
        return UBI__NO_ALLOCATOR;
    ubi_text name = { function.ptr, end_of_name(function) };
    ubi__allocator_role role = role_of_name(name);
    return role == UBI__NO_ALLOCATOR ? role_of_name(without_return_type(name)) : role;
}

/* ---- the C library ----------------------------------------------------------------------------------------------- */

typedef struct pool_functions {
    ubi__libc_pool pool;
    bool is_given_out; /* what they ask for themselves is their caller's, who has to give it back; the rest they keep */
    const char *names;
} pool_functions;

static const pool_functions libc_functions[] = {
    { UBI__LIBC_LOADER, false,
      "|dlopen|dlmopen|dlsym|dlvsym|dlclose|dlinfo|dladdr|dladdr1|dlerror|dlerror_run|libc_dlopen_mode|libc_dlsym|"
      "libc_dlclose|dl_open|dl_catch_error|dl_catch_exception|dl_signal_error|dl_signal_exception|backtrace|"
      "pthread_cancel|pthread_exit|" },
    { UBI__LIBC_LOCALES, false,
      "|setlocale|bindtextdomain|textdomain|bind_textdomain_codeset|set_binding_values|gettext|dgettext|dcgettext|"
      "ngettext|dngettext|dcngettext|dcigettext|nl_find_locale|nl_find_domain|nl_load_locale_from_archive|" },
    { UBI__LIBC_LOCALES, true, "|newlocale|duplocale|" },
    { UBI__LIBC_ENVIRONMENT, false, "|setenv|putenv|unsetenv|clearenv|add_to_environ|" },
    { UBI__LIBC_NAMES, false,
      "|getpwnam|getpwuid|getpwent|setpwent|endpwent|fgetpwent|getgrnam|getgrgid|getgrent|setgrent|endgrent|fgetgrent|"
      "getgrouplist|initgroups|internal_getgrouplist|getspnam|getspent|fgetspent|sgetspent|getsgnam|getsgent|"
      "gethostbyname|gethostbyname2|gethostbyaddr|gethostent|sethostent|getservbyname|getservbyport|getservent|"
      "setservent|getprotobyname|getprotobynumber|getprotoent|getnetbyname|getnetbyaddr|getnetent|getrpcbyname|"
      "getrpcbynumber|getrpcent|getaliasbyname|getaliasent|getnameinfo|getnetgrent|setnetgrent|innetgr|check_pf|" },
    { UBI__LIBC_NAMES, true, "|getaddrinfo|" },
    { UBI__LIBC_TIME_ZONES, false,
      "|localtime|gmtime|mktime|timelocal|ctime|strftime|strftime_l|wcsftime|wcsftime_l|tzset|tzset_internal|tz_"
      "convert|"
      "tzfile_read|tzstring|syslog|vsyslog|getdate|" },
    { UBI__LIBC_MESSAGES, false, "|strerror|strerror_l|strsignal|perror|psignal|psiginfo|" },
    { UBI__LIBC_THREADS, false,
      "|pthread_create|pthread_create_2_1|thrd_create|pthread_setspecific|tss_set|pthread_atfork|register_atfork|"
      "atexit|cxa_atexit|on_exit|at_quick_exit|cxa_at_quick_exit|cxa_thread_atexit_impl|new_exitfn|" },
    { UBI__LIBC_CONVERSIONS, true, "|gconv_open|" },
    { UBI__LIBC_CONVERSIONS, false,
      "|wcsmbs_load_conv|fwide|btowc|wctob|mbrtowc|mbsrtowcs|mbsnrtowcs|mbstowcs|mbtowc|wcrtomb|wcsrtombs|wcsnrtombs|"
      "wcstombs|wctomb|mbrlen|mblen|mbrtoc8|mbrtoc16|mbrtoc32|c16rtomb|c32rtomb|" },
    { UBI__LIBC_STDIO, false, "|IO_file_doallocate|IO_wfile_doallocate|" },
    { UBI__LIBC_OTHERS, false,
      "|getmntent|getusershell|ttyname|getlogin|getpass|getfsent|getfsspec|getfsfile|getttyent|getttynam|"
      "register_printf_function|register_printf_specifier|register_printf_modifier|register_printf_type|" },
};

/* Beginnings of names that the library has to itself, without the underscores: of its databases and of its resolver. */
static const char *const libc_beginnings[] = { "nss_", "res_", "resolv_" };

/* What glibc is made of, by beginnings of file names; its converters have a folder of their own. */
static const char *const libc_libraries[] = { "libc.so.6",   "libc-2.",        "libpthread.so.0", "libpthread-2.",
                                              "libdl.so.2",  "libdl-2.",       "librt.so.1",      "librt-2.",
                                              "libanl.so.1", "libresolv.so.2", "libresolv-2.",    "libnss_" };
#define LOADER "ld-"
#define CONVERTERS "/gconv/"
#define START "libc_start_main"

const char *ubi__libc_pool_words(ubi__libc_pool pool) {
    static const char *const words[UBI__LIBC_POOL_COUNT] = {
        [UBI__LIBC_LOADER] = "tables of loaded libraries",
        [UBI__LIBC_LOCALES] = "libc's locales and translations",
        [UBI__LIBC_ENVIRONMENT] = "the environment",
        [UBI__LIBC_NAMES] = "libc's tables of users, hosts and services",
        [UBI__LIBC_TIME_ZONES] = "libc's time zone",
        [UBI__LIBC_MESSAGES] = "libc's messages of errors",
        [UBI__LIBC_THREADS] = "libc's tables of threads and exits",
        [UBI__LIBC_CONVERSIONS] = "libc's tables of character sets",
        [UBI__LIBC_STDIO] = "buffers of stdio",
        [UBI__LIBC_OTHERS] = "libc's own buffers",
    };
    return words[pool];
}

static bool text_begins_with(ubi_text text, const char *beginning) {
    size_t n = strlen(beginning);
    return text.len >= n && memcmp(text.ptr, beginning, n) == 0;
}

static ubi_text base_name(ubi_text path) {
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t start = slash ? (size_t)(slash + 1 - path.ptr) : 0;
    return (ubi_text){ path.ptr + start, path.len - start };
}

static bool is_of_libc(ubi_text path) {
    ubi_text name = base_name(path);
    for (size_t i = 0; i < sizeof libc_libraries / sizeof *libc_libraries; i++)
        if (text_begins_with(name, libc_libraries[i]))
            return true;
    return ubi__text_contains(path, ubi__text(CONVERTERS));
}

/* "getpwnam" of "__getpwnam_r". */
static ubi_text bare_name(ubi_text name) {
    while (name.len && name.ptr[0] == '_') {
        name.ptr++;
        name.len--;
    }
    if (text_begins_with(name, "GI_"))
        return bare_name((ubi_text){ name.ptr + 3, name.len - 3 });
    if (name.len > 2 && memcmp(name.ptr + name.len - 2, "_r", 2) == 0)
        name.len -= 2;
    return name;
}

/* Whether "|name|" is in a list. */
static bool is_listed(const char *names, ubi_text name) {
    for (const char *at = names; (at = strchr(at, '|')) != NULL && at[1]; at++) {
        size_t n = strcspn(at + 1, "|");
        if (n == name.len && memcmp(at + 1, name.ptr, n) == 0)
            return true;
    }
    return false;
}

static const pool_functions *pool_functions_of(ubi_text name) {
    static const pool_functions of_beginnings = { UBI__LIBC_NAMES, false, "" };
    for (size_t i = 0; i < sizeof libc_functions / sizeof *libc_functions; i++)
        if (is_listed(libc_functions[i].names, name))
            return &libc_functions[i];
    for (size_t i = 0; i < sizeof libc_beginnings / sizeof *libc_beginnings; i++)
        if (text_begins_with(name, libc_beginnings[i]))
            return &of_beginnings;
    return NULL;
}

static ubi__libc_frame libc_frame_decided(ubi__libc_frame frame, ubi__libc_pool own, ubi__libc_pool inner) {
    frame.is_known = true;
    frame.own = own;
    frame.inner = inner;
    return frame;
}

ubi__libc_frame ubi__libc_frame_of(const ubi__ubirec_tables *t, uint32_t frame) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    ubi__libc_frame out = { .is_libc = false };
    uint32_t n;
    if (f->type != UBI__UBIREC_NATIVE_FRAME)
        return out;
    ubi_text path = ubi__ubirec_string_at(t, t->modules.at[f->of].path);
    bool is_loader = text_begins_with(base_name(path), LOADER);
    if (!is_loader && !is_of_libc(path))
        return out;
    out.is_libc = true;
    if (is_loader)
        return libc_frame_decided(out, UBI__LIBC_LOADER, UBI__LIBC_LOADER);
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    if (n == 0)
        return out;
    /* What was inlined into it has no name without the library's symbols. */
    ubi_text name = bare_name(ubi__ubirec_string_at(t, symbols[n - 1].function));
    out.is_start = text_begins_with(name, START);
    const pool_functions *found = pool_functions_of(name);
    return found ? libc_frame_decided(out, found->is_given_out ? UBI__LIBC_NO_POOL : found->pool, found->pool) : out;
}

/* ---- pools -------------------------------------------------------------------------------------------------------- */

typedef struct pool {
    const char *words;
    const char *file;            /* the source file of the function that asks ends so; NULL: any */
    const char *module, *caller; /* their file names begin so; NULL: any */
    uint64_t least_bytes, most_bytes;
} pool;

/*
 * The reserve (libsupc++/eh_alloc.cc) is made by a constructor of the library: 72,704 bytes up to GCC 12, 73,728 since 13, on 64 bits.
 */
static const pool pools[] = {
    { "libstdc++'s reserve for exceptions", "eh_alloc.cc", NULL, NULL, 0, UINT64_MAX },
    { "libstdc++'s reserve for exceptions", NULL, "libstdc++.so", "ld-", 64 << 10, 80 << 10 },
};

/* What is known about a frame; empty texts: nothing. */
typedef struct place {
    ubi_text file, module;
} place;

static place place_of(const ubi__ubirec_tables *t, uint32_t trace) {
    const ubi__ubirec_frame *f = &t->frames.at[t->traces.at[trace].frame];
    place p = { { "", 0 }, { "", 0 } };
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, t->traces.at[trace].frame, &n);
    if (f->type == UBI__UBIREC_NATIVE_FRAME)
        p.module = ubi__text_base_name(ubi__ubirec_string_at(t, t->modules.at[f->of].path));
    if (n > 0) {
        const ubi__ubirec_symbol_row *symbol = &symbols[ubi__asking_symbol(t, symbols, n)];
        p.file = ubi__ubirec_string_at(t, symbol->file);
    }
    return p;
}

static bool has_beginning(ubi_text text, const char *start) {
    ubi_text prefix = ubi__text(start ? start : "");
    return text.len >= prefix.len && ubi__text_equal((ubi_text){ text.ptr, prefix.len }, prefix);
}

static bool has_ending(ubi_text text, const char *end) {
    ubi_text suffix = ubi__text(end ? end : "");
    return text.len >= suffix.len &&
           ubi__text_equal((ubi_text){ text.ptr + text.len - suffix.len, suffix.len }, suffix);
}

static bool is_pool(const pool *p, const place *asks, const place *calls, uint64_t mean_bytes) {
    return has_ending(asks->file, p->file) && has_beginning(asks->module, p->module) &&
           has_beginning(calls->module, p->caller) && p->least_bytes <= mean_bytes && mean_bytes <= p->most_bytes;
}

const char *ubi__known_pool(const ubi__sites *sites, const ubi__site *site) {
    const ubi__ubirec_tables *t = &sites->summary->tables;
    const ubi__estimate *all = &site->by[UBI__MEASURE_TOTAL];
    if (site->pool != UBI__LIBC_NO_POOL && site->of_class == UBI__UBIREC_HEAP)
        return ubi__libc_pool_words(site->pool);
    if (site->heavy == UBI__UBIREC_NO_TRACE || all->samples == 0 || site->of_class != UBI__UBIREC_HEAP)
        return NULL;
    uint32_t caller = t->traces.at[site->heavy].caller;
    place asks = place_of(t, site->heavy), calls = { { "", 0 }, { "", 0 } };
    if (caller != UBI__UBIREC_NO_TRACE)
        calls = place_of(t, caller);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        if (is_pool(&pools[i], &asks, &calls, (uint64_t)(all->met_bytes / (double)all->samples)))
            return pools[i].words;
    return NULL;
}

void ubi__known_pools_sum(ubi__estimate *kept, ubi__estimate *rest, const ubi__sites *sites) {
    *kept = *rest = (ubi__estimate){ 0 };
    for (size_t i = 0; i < sites->rows.n; i++) {
        const ubi__site *site = &sites->rows.at[i];
        const ubi__estimate *leaked = &site->by[UBI__MEASURE_LEAKED];
        if (site->of_class == UBI__UBIREC_HEAP && leaked->samples)
            ubi__estimate_join(ubi__known_pool(sites, site) ? kept : rest, leaked);
    }
}
