/* SPDX-License-Identifier: MIT
 *
 * recorded.h: a recording as users of the library have it.
 */
#ifndef UBI_RECORDING_RECORDED_H
#define UBI_RECORDING_RECORDED_H

#include <ubiheap/profiler.h>

#include "recording/recording.h"

struct ubi_recording {
    ubi__recording tables;
};

/** Names of native frames, for ubi__recorded_new; see ubi_profiler_options. */
typedef struct ubi__address_names {
    ubi_status (*name)(void *payload, uintptr_t return_address, ubi_profiler_name_fn fn, void *fn_payload);
    void *payload;
} ubi__address_names;

/**
 * A recording in which addresses have names. `from` is left as it is.
 * @param names  name NULL: an address is called by its module.
 * Errors: UBI_ENOMEM, UBI_ELIMIT, or what naming says. Cost: O(names + traces + events), and each address is named once.
 */
ubi_status ubi__recorded_new(ubi_recording **out, const ubi__recording *from, const ubi__address_names *names);

/** The name that stands for an address until it has one: "0x" and 16 digits. Names of scripts' frames end in ")". */
#define UBI__ADDRESS_NAME_BYTES 18
void ubi__address_name(char text[UBI__ADDRESS_NAME_BYTES + 1], uintptr_t address);
bool ubi__address_of_name(uintptr_t *out, ubi_text name);

#endif
