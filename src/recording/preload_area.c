/* SPDX-License-Identifier: MIT
 *
 * preload_area.c: see preload_area.h.
 */
#include "recording/preload_area.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/status.h"

#define USUAL_DEPTH 128
#define MAX_DEPTH 65536
#define MAX_PERIOD ((uint64_t)1 << 48)
/* An area takes at most one part in this many of the address space that this process may have. */
#define SHARE_OF_LIMIT 8

void ubi__preload_area_check(const ubi__preload_area *area) {
    UBI_ASSERT(area->header && area->fd >= 0);
    UBI_ASSERT(area->n_chunks >= UBI__WIRE_SEGMENT_CHUNKS && area->n_chunks <= UBI__WIRE_CHUNKS);
    UBI_ASSERT(area->n_chunks % UBI__WIRE_SEGMENT_CHUNKS == 0);
    UBI_ASSERT(area->settings.period_bytes >= 1 && area->settings.period_bytes <= MAX_PERIOD);
    UBI_ASSERT(area->settings.max_depth >= 1 && area->settings.max_depth <= MAX_DEPTH);
}

static void header_fill(ubi__wire_header *header, uint32_t n_chunks, const ubi__preload_settings *s) {
    header->n_chunks = n_chunks;
    header->magic = UBI__WIRE_MAGIC;
    header->version = UBI__WIRE_VERSION;
    header->flags = s->flags;
    header->period_bytes = s->period_bytes;
    header->seed = s->seed;
    header->chunk_quota = s->period_bytes == 1 ? UBI__WIRE_QUOTA_EXACT : UBI__WIRE_QUOTA_SAMPLING;
    header->max_depth = s->max_depth;
    header->reader_pid = getpid();
    header->zero_ns = s->zero_ns;
    header->recording = s->is_paused ? 0 : UBI__RECORDING_IS_ON | UBI__RECORDING_HAS_BLOCKS;
    header->look_ticks = ubi__tick_counter_is_good() ? ubi__tick_counter_quarter_ms() : 0;
}

/* False: errno says why not. */
static bool size_and_map(ubi__preload_area *out, uint32_t n_chunks) {
    size_t size_bytes = ubi__wire_area_bytes(n_chunks);
    if (ftruncate(out->fd, (off_t)size_bytes) != 0)
        return false;
    void *p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, out->fd, 0);
    if (p == MAP_FAILED)
        return false;
    out->header = p;
    out->n_chunks = n_chunks;
    return true;
}

/* Address space that is limited is for others, too. */
static uint32_t most_chunks(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur / SHARE_OF_LIMIT > ubi__wire_area_bytes(UBI__WIRE_CHUNKS))
        return UBI__WIRE_CHUNKS;
    uint32_t n = (uint32_t)(limit.rlim_cur / SHARE_OF_LIMIT / UBI__WIRE_CHUNK_BYTES);
    n -= n % UBI__WIRE_SEGMENT_CHUNKS;
    return n ? n : UBI__WIRE_SEGMENT_CHUNKS;
}

/* As large as it may be: chunks for all threads that there may be, or for fewer. */
static ubi_status make_area(ubi__preload_area *out) {
    uint32_t n = most_chunks();
    while (!size_and_map(out, n)) {
        if (n <= UBI__WIRE_SEGMENT_CHUNKS)
            return ubi__fail_errno(errno, "cannot make the memory that is shared with the program");
        n /= 2;
        n -= n % UBI__WIRE_SEGMENT_CHUNKS;
    }
    header_fill(out->header, n, &out->settings);
    /* The program cannot remove pages under us. */
    if (fcntl(out->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return ubi__fail_errno(errno, "cannot seal the memory that is shared with the program");
    return UBI_OK;
}

ubi_status ubi__preload_area_new(ubi__preload_area *out, const ubi__preload_settings *settings) {
    ubi__preload_area area = { .fd = -1, .settings = *settings };
    if (area.settings.max_depth == 0)
        area.settings.max_depth = USUAL_DEPTH;
    if (settings->period_bytes == 0 || settings->period_bytes > MAX_PERIOD || area.settings.max_depth > MAX_DEPTH)
        return ubi__fail(UBI_EINVAL, "no such sampling period or depth of stacks");
    area.fd = memfd_create("ubiheap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (area.fd < 0)
        return ubi__fail_errno(errno, "cannot make memory to share with the program");
    ubi_status status = make_area(&area);
    if (status == UBI_OK)
        *out = area;
    else if (area.header)
        ubi__preload_area_free(&area);
    else
        close(area.fd);
    return status;
}

void ubi__preload_area_free(ubi__preload_area *area) {
    if (!area->header)
        return;
    munmap(area->header, ubi__wire_area_bytes(area->n_chunks));
    close(area->fd);
    area->header = NULL;
}

ubi_status ubi__preload_receive_hello(int socket, ubi__wire_hello *out) {
    ubi__wire_hello hello;
    ssize_t n;
    do
        n = recv(socket, &hello, sizeof hello, MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return ubi__fail_errno(errno, "cannot hear what a program says");
    if (n != (ssize_t)sizeof hello || hello.magic != UBI__WIRE_MAGIC)
        return ubi__fail(UBI_EFORMAT, "who connects is not " UBI__WIRE_LIBRARY);
    if (hello.version != UBI__WIRE_VERSION)
        return ubi__fail(UBI_EFORMAT, UBI__WIRE_LIBRARY " is of another version: %u, expected %u", hello.version,
                         UBI__WIRE_VERSION);
    *out = hello;
    return UBI_OK;
}

ubi_status ubi__preload_send_welcome(int socket, const ubi__preload_area *area) {
    ubi__preload_area_check(area);
    uint32_t first = area->settings.period_bytes == 1 ? UBI__WIRE_FIRST_EXACT : UBI__WIRE_FIRST_SAMPLING;
    ubi__wire_welcome welcome = { .magic = UBI__WIRE_MAGIC,
                                  .n_chunks = area->n_chunks,
                                  .first_chunks = first < area->n_chunks ? first : area->n_chunks };
    struct iovec part = { .iov_base = &welcome, .iov_len = sizeof welcome };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
    memcpy(CMSG_DATA(&control.header), &area->fd, sizeof area->fd);
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    ssize_t n;
    do
        n = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof welcome)
        return ubi__fail_errno(n < 0 ? errno : EPIPE, "cannot hand a program its memory");
    return UBI_OK;
}

void ubi__preload_area_tick(ubi__preload_area *area, uint64_t clock_us) {
    UBI_ASSERT(clock_us != UBI__WIRE_CLOCK_STOP);
    area->clock_us = clock_us;
    atomic_store_explicit(&area->header->clock_us, clock_us, memory_order_relaxed);
}

bool ubi__preload_area_is_sound(const ubi__preload_area *area) {
    const ubi__wire_header *h = area->header;
    const ubi__preload_settings *s = &area->settings;
    return h->magic == UBI__WIRE_MAGIC && h->version == UBI__WIRE_VERSION && h->n_chunks == area->n_chunks &&
           h->flags == s->flags && h->period_bytes == s->period_bytes && h->seed == s->seed;
}

/* Who waits need not wait for the end of a slice. */
void ubi__preload_area_stop(ubi__preload_area *area) {
    atomic_store(&area->header->clock_us, UBI__WIRE_CLOCK_STOP);
    atomic_fetch_add(&area->header->freed_chunks, 1);
    syscall(SYS_futex, &area->header->freed_chunks, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}
