/* SPDX-License-Identifier: MIT
 *
 * demangle.h: names as their programmers wrote them: C++ of the Itanium ABI, Rust old and new.
 *
 * By libiberty, through its calls that hand out text piece by piece: they allocate nothing, which its others do and end the
 * process when they cannot. A name can be built to unfold to more text than there is memory for; it is cut when `size` is
 * full. Strings of C++ are called std::string.
 */
#ifndef UBI_SYMBOLIZE_DEMANGLE_H
#define UBI_SYMBOLIZE_DEMANGLE_H

#include <ubiheap/core/base.h>

/** Mangled names of more bytes stay as they are: the stack that they need grows with them. */
#define UBI__MANGLED_BYTES 4096

/**
 * Writes the plain form of `name` to out[size], NUL-terminated, and its length to *n; cut, it ends in "...". What is not
 * mangled, or badly, comes out as it is. What compilers append to names of parts and copies of functions (".cold",
 * ".isra.0") is left out, and so is the version of a symbol ("@@GLIBC_2.2.5").
 *
 * @param size  at least 8.
 */
void ubi__demangle(char *out, size_t size, size_t *n, ubi_text name);

#endif
