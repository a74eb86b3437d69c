/* SPDX-License-Identifier: MIT
 *
 * v8_producer.h: the parts of V8's producer, each in a file of its own.
 */
#ifndef UBI_LENSES_V8_PRODUCER_H
#define UBI_LENSES_V8_PRODUCER_H

#include "lenses/producer.h"

extern const ubi__producer_words ubi__v8_producer_words;     /* v8_words.c */
extern const ubi__string_rules ubi__v8_string_rules;         /* v8_names.c */
extern const struct ubi__grammar ubi__v8_grammar;            /* v8_grammar.c */
extern const struct ubi__producer_findings ubi__v8_findings; /* v8_findings.c */
extern const ubi__producer_history ubi__v8_history;          /* v8_producer.c */

/* v8_fields.c */
ubi_status ubi__v8_code_files_init(ubi__code_files *out, const ubi_graph *graph, const ubi_allocator *a);
/* v8_hidden_fields.c */
size_t ubi__v8_fields_without_edges(ubi_text out[UBI__MOST_FIELDS_WITHOUT_EDGES], const ubi_graph *graph,
                                    ubi_node_ix node);

/* v8_scopes.c */
ubi_status ubi__v8_scopes_init(ubi__code_scopes *out, const ubi_graph *graph, const ubi_allocator *a);
void ubi__v8_scope_words(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, const ubi__code_scope *scope);

/* v8_fields.c */
ubi_text ubi__v8_code_file(const ubi__code_files *files, const ubi_graph *graph, ubi_node_ix node);

#endif
