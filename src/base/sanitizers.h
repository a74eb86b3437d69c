/* SPDX-License-Identifier: MIT
 *
 * sanitizers.h: with which sanitizer this file is compiled, under either compiler; each is 0 or 1.
 */
#ifndef UBI_BASE_SANITIZERS_H
#define UBI_BASE_SANITIZERS_H

#if defined(__has_feature)
#define UBI_HAS_SANITIZER(feature) __has_feature(feature)
#else
#define UBI_HAS_SANITIZER(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || UBI_HAS_SANITIZER(address_sanitizer)
#define UBI_HAS_ADDRESS_SANITIZER 1
#else
#define UBI_HAS_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || UBI_HAS_SANITIZER(thread_sanitizer)
#define UBI_HAS_THREAD_SANITIZER 1
#else
#define UBI_HAS_THREAD_SANITIZER 0
#endif

#define UBI_IS_SANITIZED (UBI_HAS_ADDRESS_SANITIZER || UBI_HAS_THREAD_SANITIZER)

#endif
