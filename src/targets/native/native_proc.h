/* SPDX-License-Identifier: MIT
 *
 * native_proc.h: what the system says of a process: /proc.
 *
 * A process may end at any moment, so everything here may be unknown.
 */
#ifndef UBI_TARGETS_NATIVE_PROC_H
#define UBI_TARGETS_NATIVE_PROC_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

/** Bytes of a thread's name with the final NUL; the kernel's are shorter. */
#define UBI__THREAD_NAME_BYTES 64

/** Path of its executable; its length, cut at `size`; 0: unknown. Not NUL-terminated. */
size_t ubi__proc_executable(char *out, size_t size, pid_t pid);
/**
 * What it was started as, without folders: redis-server, whose file may be redis-check-rdb; else the name of its executable; "": unknown.
 * NUL-terminated.
 */
void ubi__proc_name(char *out, size_t size, pid_t pid);
/** Which file its executable is, whatever its path is by now. */
typedef struct ubi__proc_file {
    dev_t device;
    ino_t inode;
} ubi__proc_file;
/** False: unknown. */
bool ubi__proc_executable_file(ubi__proc_file *out, pid_t pid);
/** Its arguments, a NUL after each; their length, cut at `size`. */
size_t ubi__proc_arguments(char *out, size_t size, pid_t pid);
/** The name of a thread, NUL-terminated; false: unknown, and `out` is empty. */
bool ubi__proc_thread_name(char out[UBI__THREAD_NAME_BYTES], pid_t pid, pid_t tid);
/** Resident bytes; 0: unknown. */
uint64_t ubi__proc_resident(pid_t pid);
/** The most bytes that were resident since it became its program; 0: unknown, as of one that has ended. */
uint64_t ubi__proc_peak_resident(pid_t pid);
/** Whether it has waited for a child that ended, or that is unknown. Also of a process that has ended itself. */
bool ubi__proc_has_reaped(pid_t pid);
/** How long it has been there; 0: unknown. By the system's ticks: 10 ms. */
uint64_t ubi__proc_age_ns(pid_t pid);
/** Its parent; 0: unknown. */
pid_t ubi__proc_parent(pid_t pid);
/**
 * How a dead process ended, as waitpid would say; false: unknown. Kernels before 6.15 know it until its parent has asked.
 */
bool ubi__proc_exit_status(int *out, pid_t pid, int pidfd);
/**
 * Whether a living process has `entry` (NAME=VALUE) in the environment that it was started with, except those that
 * `is_known` knows. Cost: looks at all processes, some milliseconds.
 */
bool ubi__proc_some_have(const char *entry, bool (*is_known)(void *payload, pid_t pid), void *payload);

#endif
