/* SPDX-License-Identifier: MIT
 *
 * recording_names.h: names of native frames that a recording lacks, found by someone else: what reads recordings reads no DWARF.
 */
#ifndef UBI_RECORDING_RECORDING_NAMES_H
#define UBI_RECORDING_RECORDING_NAMES_H

#include "recording/ubirec_tables.h"

/** Why addresses of a module have no names, or no lines. */
typedef struct ubi__recording_hint {
    uint32_t module;
    char text[256]; /**< one sentence, without final point */
} ubi__recording_hint;

#define UBI__RECORDING_HINTS 8

typedef struct ubi__recording_hints {
    ubi__recording_hint at[UBI__RECORDING_HINTS]; /**< at[n], the modules that lack most first */
    size_t n, n_left_out;
} ubi__recording_hints;

/**
 * Adds symbols that the tables lack (ubi__ubirec_tables_add_symbols) and that are at hand.
 * @param hints     zeroed; gets what is missing even so. NULL: no one asks. @param progress  or NULL.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
typedef ubi_status ubi__recording_namer(ubi__ubirec_tables *tables, ubi__recording_hints *hints,
                                        const ubi_progress *progress);

#endif
