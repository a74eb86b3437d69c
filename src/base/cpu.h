/* SPDX-License-Identifier: MIT
 *
 * cpu.h: building one function for several processors.
 *
 * UBI__CLONES_POPCNT in front of a function with many __builtin_popcount makes a second version that uses the instruction,
 * chosen when the program is loaded. Sanitizers start before such choices can be made, so there it means nothing.
 */
#ifndef UBI_BASE_CPU_H
#define UBI_BASE_CPU_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UBI__SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UBI__SANITIZED 1
#endif

#if defined(__x86_64__) && defined(__linux__) && !defined(UBI__SANITIZED) && !defined(__POPCNT__)
#define UBI__CLONES_POPCNT __attribute__((target_clones("popcnt", "default")))
#else
#define UBI__CLONES_POPCNT
#endif

#endif
