/* SPDX-License-Identifier: MIT
 *
 * name_scheme.h: a class scheme for tests below the lenses: coarse type and the best name there is (descriptive name, else
 * class, else script file, else type) of what is reachable, and of the root only if an edge leads to it.
 */
#ifndef UBI_TESTS_NAME_SCHEME_H
#define UBI_TESTS_NAME_SCHEME_H

#include <ubiheap/core/classes.h>

ubi_class_scheme name_scheme(const ubi_graph *graph);

#endif
