/* SPDX-License-Identifier: MIT
 *
 * quickjs_producer.h: the parts of QuickJS's producer, each in a file of its own.
 */
#ifndef UBI_LENSES_QUICKJS_PRODUCER_H
#define UBI_LENSES_QUICKJS_PRODUCER_H

#include "lenses/finding_facts.h"

extern const ubi__producer_findings ubi__quickjs_findings; /* quickjs_findings.c */

#endif
