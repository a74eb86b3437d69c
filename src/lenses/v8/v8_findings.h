/* SPDX-License-Identifier: MIT
 *
 * v8_findings.h: rules that only heaps of V8 have the facts for, one or more in each v8_finding_*.c.
 */
#ifndef UBI_LENSES_V8_FINDINGS_H
#define UBI_LENSES_V8_FINDINGS_H

#include "lenses/finding_facts.h"
#include "lenses/v8/v8_fields.h"

extern ubi__finding_rule ubi__finding_v8_collections, ubi__finding_v8_stores, ubi__finding_v8_empties,
    ubi__finding_v8_detached, ubi__finding_v8_closures, ubi__finding_v8_timers, ubi__finding_v8_listeners,
    ubi__finding_v8_emitters, ubi__finding_v8_buffers;

#endif
