/* SPDX-License-Identifier: MIT
 *
 * line_facts.c: whose facts a graph has.
 */
#include "formats/line_facts.h"

#include "formats/v8/v8_facts.h"

const ubi__line_facts *ubi__line_facts_of(const ubi_graph *graph) {
    return ubi__v8_facts_of(graph) ? &ubi__v8_line_facts : NULL;
}
