/* SPDX-License-Identifier: MIT
 *
 * elf_file.c: see elf_file.h.
 */
#include "symbolize/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ubi__elf_opened ubi__elf_file_open_fd(ubi__elf_file *f, int fd) {
    struct stat about;
    *f = UBI__ELF_FILE_NONE;
    if (fd < 0)
        return UBI__ELF_MISSING;
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode)) {
        close(fd);
        return UBI__ELF_MISSING;
    }
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        close(fd);
        return UBI__ELF_DAMAGED;
    }
    *f = (ubi__elf_file){ fd, elf };
    return UBI__ELF_OPENED;
}

ubi__elf_opened ubi__elf_file_open(ubi__elf_file *f, const char *path) {
    return ubi__elf_file_open_fd(f, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

void ubi__elf_file_close(ubi__elf_file *f) {
    elf_end(f->elf);
    if (f->fd >= 0)
        close(f->fd);
    *f = UBI__ELF_FILE_NONE;
}

ubi_text ubi__elf_build_id(const ubi__elf_file *f) {
    const void *bytes;
    ssize_t n = f->elf ? dwelf_elf_gnu_build_id(f->elf, &bytes) : 0;
    return n > 0 ? (ubi_text){ bytes, (size_t)n } : (ubi_text){ NULL, 0 };
}

bool ubi__elf_has_section(const ubi__elf_file *f, const char *name) {
    size_t names;
    GElf_Shdr header;
    if (!f->elf || elf_getshdrstrndx(f->elf, &names) < 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(f->elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *its_name = elf_strptr(f->elf, names, header.sh_name);
        if (its_name && strcmp(its_name, name) == 0)
            return true;
    }
    return false;
}
