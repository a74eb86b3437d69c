/* SPDX-License-Identifier: MIT
 *
 * preload_area.c: see preload_area.h.
 */
#include "recording/preload_area.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/status.h"

#define USUAL_DEPTH 128
#define MAX_DEPTH 65536
#define MAX_PERIOD ((uint64_t)1 << 48)

static void fill(ubi__wire_header *header, const ubi__preload_settings *s) {
    header->magic = UBI__WIRE_MAGIC;
    header->version = UBI__WIRE_VERSION;
    header->flags = s->flags;
    header->area_bytes = UBI__WIRE_AREA_BYTES;
    header->period_bytes = s->period_bytes;
    header->seed = s->seed;
    header->chunk_quota = s->period_bytes == 1 ? UBI__WIRE_QUOTA_EXACT : UBI__WIRE_QUOTA_SAMPLING;
    header->max_depth = s->max_depth;
    header->reader_pid = getpid();
}

static ubi_status make_area(ubi__preload_area *out, int fd) {
    if (ftruncate(fd, (off_t)UBI__WIRE_AREA_BYTES) != 0)
        return ubi__fail_errno(errno, "cannot make the memory that is shared with the program");
    /* Nobody can take pages away from under us. */
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return ubi__fail_errno(errno, "cannot seal the memory that is shared with the program");
    void *p = mmap(NULL, UBI__WIRE_AREA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (p == MAP_FAILED)
        return ubi__fail_errno(errno, "cannot map the memory that is shared with the program");
    out->header = p;
    fill(p, &out->settings);
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
    ubi_status status = make_area(&area, area.fd);
    if (status != UBI_OK)
        close(area.fd);
    else
        *out = area;
    return status;
}

void ubi__preload_area_free(ubi__preload_area *area) {
    if (!area->header)
        return;
    munmap(area->header, UBI__WIRE_AREA_BYTES);
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
    ubi__wire_welcome welcome = { .magic = UBI__WIRE_MAGIC, .area_bytes = UBI__WIRE_AREA_BYTES };
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
    area->clock_us = clock_us;
    atomic_store_explicit(&area->header->clock_us, clock_us, memory_order_relaxed);
}

void ubi__preload_area_stop(ubi__preload_area *area) {
    atomic_store_explicit(&area->header->clock_us, UBI__WIRE_CLOCK_STOP, memory_order_relaxed);
}
