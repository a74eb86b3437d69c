/* SPDX-License-Identifier: MIT
 *
 * host_text.h: text that grows, outside of the engine's memory. The first failed allocation sticks.
 */
#ifndef UBI_QUICKJS_HOST_TEXT_H
#define UBI_QUICKJS_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** All zero: empty. */
typedef struct ubi__host_text {
    char *ptr; /* ptr[n], no zero byte follows */
    size_t n, capacity;
    bool has_failed;
} ubi__host_text;

void ubi__host_text_add(ubi__host_text *text, const char *bytes, size_t n);
void ubi__host_text_puts(ubi__host_text *text, const char *string);
void ubi__host_text_printf(ubi__host_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ubi__host_text_repeat(ubi__host_text *text, char c, size_t n);
/** The lines of an error's stack, of which those in the middle are left out when there are many. No newline at the end. */
void ubi__host_text_stack(ubi__host_text *text, const char *stack, size_t n);
void ubi__host_text_fini(ubi__host_text *text);

#endif
