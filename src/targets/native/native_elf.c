/* SPDX-License-Identifier: MIT
 *
 * native_elf.c: see native_elf.h.
 *
 * ThreadSanitizer and LeakSanitizer work as libraries after the recorder; AddressSanitizer insists on being first.
 */
#include "targets/native/native_elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>

#include "symbolize/elf_file.h"

static const struct {
    const char *start, *name, *option;
    bool as_library; /* it is also in the way when it is a library */
} sanitizers[] = {
    { "__asan_init", "AddressSanitizer", "-fsanitize=address", true },
    { "__hwasan_init", "HWAddressSanitizer", "-fsanitize=hwaddress", true },
    { "__tsan_init", "ThreadSanitizer", "-fsanitize=thread", false },
    { "__msan_init", "MemorySanitizer", "-fsanitize=memory", false },
    { "__lsan_init", "LeakSanitizer", "-fsanitize=leak", false },
};

static void look_at_symbol(ubi__native_elf *out, const char *name, bool is_defined, bool is_dynamic) {
    if (strcmp(name, "malloc") == 0)
        out->has_malloc |= is_defined && is_dynamic;
    if (name[0] != '_')
        return;
    for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
        if ((is_defined || sanitizers[i].as_library) && strcmp(name, sanitizers[i].start) == 0) {
            out->sanitizer = sanitizers[i].name;
            out->sanitizer_option = sanitizers[i].option;
        }
}

static void look_at_table(ubi__native_elf *out, Elf *elf, Elf_Scn *section, const GElf_Shdr *header) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    GElf_Sym symbol;
    for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name)
            look_at_symbol(out, name, symbol.st_shndx != SHN_UNDEF, header->sh_type == SHT_DYNSYM);
    }
}

/* Sanitizers that are part of the program may not be among the symbols for the loader. */
void ubi__native_elf_look(ubi__native_elf *out, int fd) {
    ubi__elf_file file;
    GElf_Shdr header;
    *out = (ubi__native_elf){ .sanitizer = NULL };
    if (ubi__elf_file_open_fd(&file, fcntl(fd, F_DUPFD_CLOEXEC, 0)) != UBI__ELF_OPENED)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file.elf, section));)
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
            look_at_table(out, file.elf, section, &header);
    ubi__elf_file_close(&file);
}
