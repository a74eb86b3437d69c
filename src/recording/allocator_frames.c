/* SPDX-License-Identifier: MIT
 *
 * allocator_frames.c: see allocator_frames.h.
 */
#include "recording/allocator_frames.h"

/* Whole names. */
static const char *const functions[] = {
    /* C library */
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "strdup",
    "strndup",
    "wcsdup",
    "asprintf",
    "vasprintf",
    "mmap",
    "mmap64",
    "mremap",
    "operator new",
    "operator new[]",
    /* everybody's own */
    "xmalloc",
    "xcalloc",
    "xrealloc",
    "xreallocarray",
    "xnmalloc",
    "xzalloc",
    "xstrdup",
    "xstrndup",
    "xmemdup",
    "safe_malloc",
    "safe_calloc",
    "safe_realloc",
    /* GLib */
    "g_malloc",
    "g_malloc0",
    "g_malloc_n",
    "g_malloc0_n",
    "g_realloc",
    "g_realloc_n",
    "g_try_malloc",
    "g_try_malloc0",
    "g_try_realloc",
    "g_slice_alloc",
    "g_slice_alloc0",
    "g_strdup",
    "g_strndup",
    "g_memdup",
    "g_memdup2",
    /* CPython */
    "PyMem_Malloc",
    "PyMem_Calloc",
    "PyMem_Realloc",
    "PyMem_RawMalloc",
    "PyMem_RawCalloc",
    "PyMem_RawRealloc",
    "PyType_GenericAlloc",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
    /* SQLite */
    "sqlite3MemMalloc",
    "sqlite3MemRealloc",
    "sqlite3Malloc",
    "sqlite3MallocZero",
    "sqlite3Realloc",
    "sqlite3_malloc",
    "sqlite3_malloc64",
    "sqlite3_realloc",
    "sqlite3_realloc64",
    /* Perl */
    "Perl_safesysmalloc",
    "Perl_safesyscalloc",
    "Perl_safesysrealloc",
};

/* Beginnings of names. */
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
    "__libc_",
    "__interceptor_",
    "_PyMem_",
    "_PyObject_Malloc",
    "_PyObject_New",
    "_PyObject_GC_New",
};

static bool begins_with(ubi_text text, const char *beginning) {
    size_t n = strlen(beginning);
    return text.len >= n && memcmp(text.ptr, beginning, n) == 0;
}

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

static bool is_listed(ubi_text name) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (ubi__text_is(name, functions[i]))
            return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins_with(name, beginnings[i]))
            return true;
    return false;
}

bool ubi__is_allocator_function(ubi_text function) {
    ubi_text name = { function.ptr, end_of_name(function) };
    return name.len > 0 && (is_listed(name) || is_listed(without_return_type(name)));
}
