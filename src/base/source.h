/* SPDX-License-Identifier: MIT
 *
 * source.h: where input bytes come from: a file, a descriptor, memory or a callback.
 *
 * A source is read forwards. It can be rewound to its start when it is seekable, in memory, or (pipes, callbacks) while no
 * more than UBI__SOURCE_RETAINED_BYTES were read: those are kept so that damaged input can be read a second time.
 * Used by one thread at a time.
 */
#ifndef UBI_BASE_SOURCE_H
#define UBI_BASE_SOURCE_H

#include "base/alloc.h"
#include "base/server_api.h"

#define UBI__SOURCE_RETAINED_BYTES ((size_t)4 << 20)

typedef ptrdiff_t (*ubi__source_read_fn)(void *payload, void *buffer, size_t size_bytes);

typedef struct ubi__source {
    const ubi_allocator *allocator;
    int fd; /* -1: memory or callback */
    bool owns_fd;
    int64_t start; /* seekable descriptors: where reading began; else -1 */
    const uint8_t *memory;
    uint64_t size; /* memory: its size; descriptors: bytes expected, 0 when unknown */
    uint64_t position;
    ubi__source_read_fn fn;
    void *payload;
    ubi__vec_u8 retained; /* what a source that cannot seek gave so far */
    bool is_retaining;
} ubi__source;

/** UBI_EFORMAT, in the words for a path that leads to a directory. */
UBI__SERVER_API ubi_status ubi__fail_directory(void);
/** `path` "-" is standard input. A directory is refused (UBI_EFORMAT). */
ubi_status ubi__source_open_path(ubi__source *s, const char *path, const ubi_allocator *a);
/**
 * The first bytes of a file, to guess what it is, before it is opened; "-" is standard input. Nothing of a pipe, which is left as
 * it is.
 * @return how many; 0 also when it cannot be read.
 */
size_t ubi__source_peek_path(uint8_t *out, size_t size, const char *path);
void ubi__source_open_fd(ubi__source *s, int fd, const ubi_allocator *a);
void ubi__source_open_memory(ubi__source *s, const void *data, size_t n, const ubi_allocator *a);
/** The same of memory that becomes the source's; `data` has none from here on. */
void ubi__source_open_owned(ubi__source *s, ubi__vec_u8 *data, const ubi_allocator *a);
void ubi__source_open_callback(ubi__source *s, ubi__source_read_fn fn, void *payload, const ubi_allocator *a);
void ubi__source_close(ubi__source *s);
/** Up to `size` bytes; *n 0 at the end. */
ubi_status ubi__source_read(ubi__source *s, void *buffer, size_t size, size_t *n);
/** Whether the source can surely be rewound, however much is read from it. */
bool ubi__source_can_rewind(const ubi__source *s);
/** Back to the start; false when these bytes are gone. */
bool ubi__source_rewind(ubi__source *s);
/** On from this byte of it; false where it cannot seek. */
bool ubi__source_go(ubi__source *s, uint64_t position);

#endif
