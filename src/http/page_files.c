/* SPDX-License-Identifier: MIT
 *
 * page_files.c: the files of the web page. The assembler puts them into the program: no compiler reads a megabyte of digits.
 */
#include <stddef.h>
#include <string.h>

#include "http/page_files.h"

/* A byte follows each, so that no two of these names are of one place. */
#define UBI__PAGE_BYTES(name, file)                                                                                    \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global " #name "\n.hidden " #name "\n" #name ":\n"                                                       \
            ".incbin \"" file "\"\n"                                                                                   \
            ".global " #name "_end\n.hidden " #name "_end\n" #name "_end:\n"                                           \
            ".byte 0\n.popsection\n");                                                                                 \
    extern const char name[] __attribute__((visibility("hidden")));                                                    \
    extern const char name##_end[] __attribute__((visibility("hidden")));

#define UBI__PAGE_FILE(number, path, type, tag, has_tag_in_name, file)                                                 \
    UBI__PAGE_BYTES(ubi__page_plain_##number, file)                                                                    \
    UBI__PAGE_BYTES(ubi__page_packed_##number, file ".gz")
#include <page_list.h>
#undef UBI__PAGE_FILE

/* Ended by one without a path. */
static const ubi__page_file page_files[] = {
#define UBI__PAGE_FILE(number, path, type, tag, has_tag_in_name, file)                                                 \
    { path,                                                                                                            \
      type,                                                                                                            \
      tag,                                                                                                             \
      has_tag_in_name,                                                                                                 \
      { ubi__page_plain_##number, ubi__page_plain_##number##_end },                                                    \
      { ubi__page_packed_##number, ubi__page_packed_##number##_end } },
#include <page_list.h>
    { .path = NULL },
};

const ubi__page_file *ubi__page_file_find(const char *path) {
    for (const ubi__page_file *file = page_files; file->path; file++)
        if (strcmp(file->path, path) == 0)
            return file;
    return NULL;
}
