/* SPDX-License-Identifier: MIT
 *
 * empty_library.c: a library that does nothing, to be preloaded.
 */
void empty_library_function(void);
void empty_library_function(void) {
}
