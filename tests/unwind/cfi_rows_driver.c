/* SPDX-License-Identifier: MIT
 *
 * cfi_rows_driver.c: what src/unwind/cfi.h reads, in the words of readelf.
 *
 *     cfi_rows_driver FILE < addresses
 *
 * Loads an ELF file as the loader would, but without running it, and prints a line for each address (hexadecimal, as
 * in the file) of standard input: the address, where the CFA is, where rbp and the return address are.
 */
#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unwind/cfi.h"

typedef struct image {
    ubi__cfi_bytes bytes;
    uint64_t start; /* address of the first byte, in the file's headers */
    const uint8_t *index;
} image;

static uint64_t end_of_image(const Elf64_Ehdr *header, const Elf64_Phdr *segments) {
    uint64_t end = 0;
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr + segments[i].p_memsz > end)
            end = segments[i].p_vaddr + segments[i].p_memsz;
    }
    return end;
}

static uint64_t start_of_image(const Elf64_Ehdr *header, const Elf64_Phdr *segments) {
    uint64_t start = UINT64_MAX;
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr < start)
            start = segments[i].p_vaddr;
    }
    return start;
}

/** Copies the segments to where they belong beside each other. */
static image load(const char *path) {
    int fd = open(path, O_RDONLY);
    off_t n = lseek(fd, 0, SEEK_END);
    assert(n > (off_t)sizeof(Elf64_Ehdr));
    const uint8_t *file = mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, fd, 0);
    assert(file != MAP_FAILED);
    close(fd);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(file + header->e_phoff);
    uint64_t start = start_of_image(header, segments), size_bytes = end_of_image(header, segments) - start;
    uint8_t *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    image out = { .bytes = { memory, memory + size_bytes }, .start = start };
    for (size_t i = 0; i < header->e_phnum; i++) {
        uint8_t *at = memory + (segments[i].p_vaddr - start); // of those that are loaded
        if (segments[i].p_type == PT_LOAD && segments[i].p_filesz > 0)
            memcpy(at, file + segments[i].p_offset, segments[i].p_filesz);
        if (segments[i].p_type == PT_GNU_EH_FRAME)
            out.index = at;
    }
    munmap((void *)file, (size_t)n);
    return out;
}

static void print_place(const ubi__cfi_place *place) {
    switch (place->kind) {
    case UBI__CFI_SAME:
    case UBI__CFI_UNDEFINED: // readelf has the same letter for both, when it comes to it
        printf(" u");
        break;
    case UBI__CFI_AT:
        printf(" c%+ld", (long)place->offset);
        break;
    case UBI__CFI_VALUE:
        printf(" v%+ld", (long)place->offset);
        break;
    case UBI__CFI_AT_EXPRESSION:
        printf(" exp");
        break;
    case UBI__CFI_VALUE_EXPRESSION:
        printf(" vexp");
        break;
    default:
        printf(" r");
    }
}

static void print_row(unsigned long address, ubi__cfi_found found, const ubi__cfi_row *row) {
    printf("%lx", address);
    if (found != UBI__CFI_FOUND) {
        printf(" %s\n", found == UBI__CFI_NONE ? "none" : "broken");
        return;
    }
    if (row->cfa.kind == UBI__CFI_VALUE_EXPRESSION)
        printf(" exp");
    else if (row->cfa.kind == UBI__CFI_VALUE)
        printf(" %s%+ld", row->cfa.base == UBI__CFI_BASE_BP ? "rbp" : "rsp", (long)row->cfa.offset);
    else
        printf(" other");
    print_place(&row->bp);
    print_place(&row->pc);
    printf("\n");
}

int main(int argc, char **argv) {
    unsigned long address;
    if (argc != 2)
        return 2;
    image file = load(argv[1]);
    while (scanf("%lx", &address) == 1) {
        ubi__cfi_row row;
        uintptr_t wanted = (uintptr_t)file.bytes.low + (address - file.start);
        print_row(address, ubi__cfi_find(&file.bytes, file.index, wanted, &row), &row);
    }
    return 0;
}
