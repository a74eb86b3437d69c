/* SPDX-License-Identifier: MIT
 *
 * allocator_frames.c: see allocator_frames.h.
 */
#include "recording/allocator_frames.h"

#include "base/text_parts.h"

/* Whole names, of what is not named like malloc. */
static const char *const functions[] = {
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
    /* everybody's own */
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

/* Ends of C functions' names, in small letters; digits may follow. */
static const char *const endings[] = { "malloc", "calloc", "realloc", "reallocarray", "strdup", "strndup", "memdup" };

/* Beginnings of names of containers and the like. */
static const char *const beginnings[] = {
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

/* Behind the return type that names of templates begin with: the last space that is in no template. */
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
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (ubi__text_is(name, functions[i]))
            return true;
    return false;
}

static bool is_container(ubi_text name) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (ubi__text_begins(name, beginnings[i]))
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
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, endings[i]))
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
