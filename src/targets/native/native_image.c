/* SPDX-License-Identifier: MIT
 *
 * native_image.c: see native_image.h.
 */
#include "targets/native/native_image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/elf_file.h"

#define LINE_BYTES 4352
/* More than any program has. */
#define MAPPINGS_MAX 1000000
/* Code is searched in pieces of this size. */
#define PIECE_BYTES ((size_t)64 * 1024)

ubi_status ubi__native_image_open(ubi__native_image *out, pid_t pid, const ubi_allocator *allocator) {
    char path[64];
    *out = (ubi__native_image){ .allocator = allocator, .pid = pid };
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
    out->memory = open(path, O_RDWR | O_CLOEXEC);
    if (out->memory < 0)
        return ubi__fail_errno(errno, "cannot reach the memory of process %ld", (long)pid);
    ubi_status status = ubi__native_image_look(out);
    if (status != UBI_OK)
        ubi__native_image_close(out);
    return status;
}

void ubi__native_image_close(ubi__native_image *image) {
    if (image->memory >= 0)
        close(image->memory);
    image->memory = -1;
    ubi__vec_native_mapping_fini(&image->mappings, image->allocator);
}

static bool mapping_read(ubi__native_mapping *m, const char *line) {
    char access[8];
    int at = 0;
    *m = (ubi__native_mapping){ .low = 0 };
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 " %n", &m->low,
               &m->high, access, &m->offset, &m->device_major, &m->device_minor, &m->inode, &at) < 7 ||
        m->low >= m->high)
        return false;
    m->is_executable = access[2] == 'x';
    snprintf(m->name, sizeof m->name, "%s", line + at);
    m->name[strcspn(m->name, "\n")] = '\0';
    m->is_stack = strcmp(m->name, "[stack]") == 0;
    return true;
}

static ubi_status mappings_read(ubi__native_image *image, FILE *file) {
    char line[LINE_BYTES];
    ubi__native_mapping m;
    image->mappings.n = 0;
    while (fgets(line, sizeof line, file) && image->mappings.n < MAPPINGS_MAX)
        if (mapping_read(&m, line))
            UBI_TRY(ubi__vec_native_mapping_push(&image->mappings, image->allocator, m));
    return image->mappings.n > 0 ? UBI_OK
                                 : ubi__fail(UBI_EIO, "process %ld has no memory: it has ended", (long)image->pid);
}

ubi_status ubi__native_image_look(ubi__native_image *image) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)image->pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return ubi__fail_errno(errno, "cannot see what process %ld has mapped", (long)image->pid);
    ubi_status status = mappings_read(image, file);
    fclose(file);
    return status;
}

const ubi__native_mapping *ubi__native_image_at(const ubi__native_image *image, uint64_t address) {
    size_t low = 0, high = image->mappings.n; /* the kernel lists them in order */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ubi__native_mapping *m = &image->mappings.at[middle];
        if (address >= m->low && address < m->high)
            return m;
        if (address < m->low)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const ubi__native_mapping *ubi__native_image_find(const ubi__native_image *image, bool (*matches)(const char *name)) {
    for (size_t i = 0; i < image->mappings.n; i++) {
        const ubi__native_mapping *m = &image->mappings.at[i];
        const char *slash = strrchr(m->name, '/');
        if (slash && m->offset == 0 && matches(slash + 1))
            return m;
    }
    return NULL;
}

bool ubi__native_image_read(const ubi__native_image *image, void *out, uint64_t address, size_t n) {
    return address <= INT64_MAX && pread(image->memory, out, n, (off_t)address) == (ssize_t)n;
}

bool ubi__native_image_write(const ubi__native_image *image, uint64_t address, const void *data, size_t n) {
    return address <= INT64_MAX && pwrite(image->memory, data, n, (off_t)address) == (ssize_t)n;
}

int ubi__native_image_file(const ubi__native_image *image, const char *path) {
    char seen[LINE_BYTES];
    snprintf(seen, sizeof seen, "/proc/%ld/root%s", (long)image->pid, path);
    return open(seen, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static uint64_t exported_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    GElf_Sym symbol;
    for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
        const char *found = symbol.st_shndx == SHN_UNDEF ? NULL : elf_strptr(elf, header->sh_link, symbol.st_name);
        if (found && strcmp(found, name) == 0)
            return symbol.st_value;
    }
    return 0;
}

uint64_t ubi__elf_exported(int fd, const char *name) {
    ubi__elf_file file;
    GElf_Shdr header;
    uint64_t found = 0;
    if (ubi__elf_file_open_fd(&file, fcntl(fd, F_DUPFD_CLOEXEC, 0)) != UBI__ELF_OPENED)
        return 0;
    for (Elf_Scn *section = NULL; !found && (section = elf_nextscn(file.elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            found = exported_in(file.elf, section, &header, name);
    ubi__elf_file_close(&file);
    return found;
}

static uint64_t search_range(const ubi__native_image *image, uint64_t low, uint64_t high, const void *bytes, size_t n) {
    static uint8_t piece[PIECE_BYTES];
    for (uint64_t at = low; at + n <= high; at += PIECE_BYTES - n + 1) {
        size_t here = high - at < PIECE_BYTES ? (size_t)(high - at) : PIECE_BYTES;
        if (!ubi__native_image_read(image, piece, at, here))
            return 0;
        const uint8_t *found = memmem(piece, here, bytes, n);
        if (found)
            return at + (uint64_t)(found - piece);
    }
    return 0;
}

uint64_t ubi__native_image_search(const ubi__native_image *image, const ubi__native_mapping *file, const void *bytes,
                                  size_t n) {
    uint64_t found = 0;
    for (size_t i = 0; i < image->mappings.n && !found; i++) {
        const ubi__native_mapping *m = &image->mappings.at[i];
        if (m->is_executable && m->inode == file->inode && strcmp(m->name, file->name) == 0)
            found = search_range(image, m->low, m->high, bytes, n);
    }
    return found;
}
