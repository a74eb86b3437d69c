/* SPDX-License-Identifier: MIT
 *
 * firefox_producer.h: the parts of Firefox's producer, each in a file of its own.
 */
#ifndef UBI_LENSES_FIREFOX_PRODUCER_H
#define UBI_LENSES_FIREFOX_PRODUCER_H

#include "lenses/finding_facts.h"

extern const ubi__producer_findings ubi__firefox_findings; /* firefox_findings.c */

#endif
