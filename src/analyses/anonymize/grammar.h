/* SPDX-License-Identifier: MIT
 *
 * grammar.h: what the texts of one producer look like, beside what all heaps have.
 *
 * An anonymizer takes texts of any producer, and does not learn whose: it knows all grammars. Which producers there are, the lenses
 * know, so lenses/producers.c defines ubi__grammar_at.
 */
#ifndef UBI_ANALYSES_ANONYMIZE_GRAMMAR_H
#define UBI_ANALYSES_ANONYMIZE_GRAMMAR_H

#include <ubiheap/core/anonymize.h>

#include "analyses/anonymize/public_names.h"

typedef struct ubi__grammar {
    const ubi__name_group *const *names; /**< public names of its own: lists, ended by NULL; NULL: none */
    /** Whether a type, a class or a node can only be called so by this producer. NULL: no. */
    bool (*is_node_name)(const ubi_anonymizer *a, ubi_text text);
    /** Appends the name of a node, a type or a class for which `is_node_name` holds. */
    ubi_status (*node_name)(ubi_anonymizer *a, ubi_text text);
    /** The same of fields of the engine. */
    bool (*is_field)(const ubi_anonymizer *a, ubi_text text);
    ubi_status (*field)(ubi_anonymizer *a, ubi_text text);
} ubi__grammar;

/** NULL after the last. */
const ubi__grammar *ubi__grammar_at(size_t i);

#endif
