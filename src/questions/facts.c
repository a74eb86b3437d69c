/* SPDX-License-Identifier: MIT
 *
 * facts.c: see facts.h.
 */
#include "questions/facts.h"

#include "base/assert.h"

void ubi__condition_value_check(const ubi__condition_value *m) {
    UBI_ASSERT(m->unknown == NULL || !m->is_estimate);
    UBI_ASSERT(!m->is_estimate || !m->is_negative);
    UBI_ASSERT(!m->is_estimate || m->low <= m->high);
    UBI_ASSERT((!m->low_below || m->low == 0) && (!m->high_below || m->high == 0) && m->high_below <= m->low_below);
    UBI_ASSERT(!m->is_estimate || m->basis_low <= m->basis_high);
    UBI_ASSERT(!m->is_negative || m->magnitude > 0);
}
