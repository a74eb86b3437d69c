/* SPDX-License-Identifier: MIT
 *
 * function_name.h: names of functions, as short as a reader needs them.
 *
 * Compilers spell out what people leave out: std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > is
 * std::string. If that is still too long, what is in brackets gives way first, then namespaces, and the function's own
 * name last.
 */
#ifndef UBI_RENDER_FUNCTION_NAME_H
#define UBI_RENDER_FUNCTION_NAME_H

#include "render/display.h"

/** Longer names are cut in the middle first. */
#define UBI__FUNCTION_BYTES 8192

/**
 * The short form, as it may be given to ubi__display_text. Names that are not those of a compiler stay as they are.
 * @param out      out[UBI__FUNCTION_BYTES], overwritten.
 * @param columns  room for it. A name that cannot be shortened that far is longer.
 * @return bytes in `out`; not NUL-terminated. Cost: O(length).
 */
size_t ubi__short_function(char *out, const ubi__style *style, ubi_text name, size_t columns);

#endif
