/* SPDX-License-Identifier: MIT
 *
 * unrecorded_words.c: see unrecorded_words.h.
 */
#include "recording/unrecorded_words.h"

static const struct {
    const char *key, *words;
} reasons[UBI__UNRECORDED_COUNT] = {
    [UBI__UNRECORDED_CHOICE] = { "notFollowed", "children were not followed" },
    [UBI__UNRECORDED_STATIC] = { "static", "statically linked, so nothing can be loaded into it" },
    [UBI__UNRECORDED_RIGHTS] = { "rights", "runs with other rights (setuid, setgid or capabilities)" },
    [UBI__UNRECORDED_LIBRARY] = { "otherLibrary", "built for another C library than glibc" },
    [UBI__UNRECORDED_MACHINE] = { "otherMachine", "built for another kind of machine" },
    [UBI__UNRECORDED_ENVIRONMENT] = { "environment",
                                      "started without LD_PRELOAD and UBIHEAP_PRELOAD_SOCKET in its environment" },
    [UBI__UNRECORDED_DESCRIPTORS] = { "descriptors", "had no file descriptor left" },
    [UBI__UNRECORDED_UNREACHED] = { "unreached", "could not reach ubiheap: another root folder, or another user" },
    [UBI__UNRECORDED_MEMORY] = { "memory", "had no room for the memory that it shares with ubiheap" },
    [UBI__UNRECORDED_REFUSED] = { "refused", "ubiheap could not take it in" },
    [UBI__UNRECORDED_ALLOCATOR] = { "ownAllocator",
                                    "has a malloc of its own built in, which is called instead of the recorder's" },
};

const char *ubi__unrecorded_words(ubi__unrecorded why) {
    return (unsigned)why < UBI__UNRECORDED_COUNT ? reasons[why].words : "unknown";
}

const char *ubi__unrecorded_key(ubi__unrecorded why) {
    return (unsigned)why < UBI__UNRECORDED_COUNT ? reasons[why].key : "unknown";
}
