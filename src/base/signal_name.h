/* SPDX-License-Identifier: MIT
 *
 * signal_name.h: what a signal is called.
 */
#ifndef UBI_BASE_SIGNAL_NAME_H
#define UBI_BASE_SIGNAL_NAME_H

#include <stdint.h>

/** Without SIG, such as KILL; NULL for a number that has no name. Static. */
const char *ubi__signal_name(uint32_t number);

#endif
