/* SPDX-License-Identifier: MIT
 *
 * v8_findings.h: rules that only heaps of V8 have the facts for, one or more in each v8_finding_*.c.
 */
#ifndef UBI_LENSES_V8_FINDINGS_H
#define UBI_LENSES_V8_FINDINGS_H

#include "lenses/finding_facts.h"
#include "lenses/v8/v8_fields.h"

extern ubi__finding_rule ubi__finding_v8_stores, ubi__finding_v8_empties, ubi__finding_v8_timers,
    ubi__finding_v8_listeners, ubi__finding_v8_emitters, ubi__finding_v8_fibers;

/* Variables that nothing reads. */
ubi_status ubi__v8_variable_is_unread(bool *out, const ubi__finding_facts *f, const ubi__captured *variable);

/* Collections. */
ubi__entries ubi__v8_entries_of(const ubi__finding_facts *f, ubi_node_ix node, ubi__node_bits *seen);
bool ubi__v8_edge_is_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e);
bool ubi__v8_node_is_data(const ubi__finding_facts *f, ubi_node_ix node);
bool ubi__v8_collection_is_of_runtime(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix example);
ubi__dead ubi__v8_node_is_dead(const ubi__finding_facts *f, ubi_node_ix node);

/* Promises. */
bool ubi__v8_promise_awaited(ubi__awaited *out, const ubi__finding_facts *f, ubi_node_ix node);

#endif
