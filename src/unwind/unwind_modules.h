/* SPDX-License-Identifier: MIT
 *
 * unwind_modules.h: which loaded file an address belongs to, and where its call frame information is.
 *
 * The loader knows. glibc 2.35 and newer answer without a lock (_dl_find_object, for which the name is looked up when the
 * program runs, so that one build serves both); otherwise dl_iterate_phdr answers, which locks out dlopen meanwhile.
 */
#ifndef UBI_UNWIND_UNWIND_MODULES_H
#define UBI_UNWIND_UNWIND_MODULES_H

#include "unwind/cfi.h"

typedef struct ubi__module_tables {
    ubi__cfi_bytes bytes; /* what is mapped around them */
    const uint8_t *index; /* its .eh_frame_hdr; NULL: it has none */
} ubi__module_tables;

/** false: no module has this address. */
bool ubi__module_tables_at(uintptr_t address, ubi__module_tables *out);

/** Where the kernel began this process: in the loader, which then enters the program. 0: unknown. */
uintptr_t ubi__process_entry(void);

#endif
