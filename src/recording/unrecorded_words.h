/* SPDX-License-Identifier: MIT
 *
 * unrecorded_words.h: why a program is not recorded, in words.
 */
#ifndef UBI_RECORDING_UNRECORDED_WORDS_H
#define UBI_RECORDING_UNRECORDED_WORDS_H

#include "recording/unrecorded.h"

/** After "not recorded: NAME: ", without final point. `why` may be any number. */
const char *ubi__unrecorded_words(ubi__unrecorded why);
/** In documents. */
const char *ubi__unrecorded_key(ubi__unrecorded why);

#endif
