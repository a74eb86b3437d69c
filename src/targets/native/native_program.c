/* SPDX-License-Identifier: MIT
 *
 * native_program.c: see native_program.h.
 */
#include "targets/native/native_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "recording/unrecorded.h"
#include "symbolize/elf_file.h"

/* Scripts whose interpreters are scripts; the kernel's own limit. */
#define MAX_INTERPRETERS 4
/* The kernel reads this many bytes of a script's first line. */
#define FIRST_LINE 256

/* ---- finding ------------------------------------------------------------------------------------------------------ */

static bool is_program(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

static ubi_status not_found(const char *name, int error, int *exit_code) {
    *exit_code = error == EACCES ? UBI__PROGRAM_CANNOT_RUN : UBI__PROGRAM_NOT_FOUND;
    return ubi__fail(UBI_EINVAL, "cannot run '%s': %s", name, strerror(error));
}

static ubi_status find_at(char *out, size_t size, const char *name, int *exit_code) {
    struct stat about;
    if ((size_t)snprintf(out, size, "%s", name) >= size)
        return not_found(name, ENAMETOOLONG, exit_code);
    if (is_program(out))
        return UBI_OK;
    return not_found(name, stat(out, &about) < 0 ? errno : EACCES, exit_code);
}

/* In the folders of PATH; an empty one is the working folder. */
static ubi_status find_in_path(char *out, size_t size, const char *name, int *exit_code) {
    const char *folder = getenv("PATH");
    int error = ENOENT;
    if (!folder)
        folder = "/bin:/usr/bin";
    for (;; folder++) {
        size_t n = strcspn(folder, ":");
        int written = snprintf(out, size, "%.*s%s%s", (int)n, folder, n ? "/" : "", name);
        if (written > 0 && (size_t)written < size) {
            if (is_program(out))
                return UBI_OK;
            if (access(out, F_OK) == 0)
                error = EACCES;
        }
        folder += n;
        if (!*folder)
            return not_found(name, error, exit_code);
    }
}

static ubi_status find_program(char *out, size_t size, const char *name, int *exit_code) {
    if (!*name)
        return not_found(name, ENOENT, exit_code);
    return strchr(name, '/') ? find_at(out, size, name, exit_code) : find_in_path(out, size, name, exit_code);
}

/* ---- whether it can be recorded ----------------------------------------------------------------------------------- */

/* A program that runs with other rights than the user's: the dynamic linker takes no library from the environment then. */
static ubi_status check_rights(const char *path, int fd) {
    struct stat about;
    if (fstat(fd, &about) < 0)
        return ubi__fail_errno(errno, "cannot look at '%s'", path);
    bool other_user = (about.st_mode & S_ISUID) && about.st_uid != geteuid();
    bool other_group = (about.st_mode & S_ISGID) && (about.st_mode & S_IXGRP) && about.st_gid != getegid();
    if (other_user || other_group)
        return ubi__fail(UBI_EINVAL,
                         "'%s' runs with the rights of another user or group (setuid, setgid), and into such programs "
                         "nothing can be loaded: record it as that user",
                         path);
    if (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
        return ubi__fail(UBI_EINVAL, "'%s' has capabilities of its own, and into such programs nothing can be loaded",
                         path);
    return UBI_OK;
}

static ssize_t read_at(void *fd, void *out, size_t n, uint64_t at) {
    return pread(*(const int *)fd, out, n, (off_t)at);
}

static ubi_status check_elf(const char *path, int fd) {
    char loader[UBI__LOADER_BYTES];
    switch (ubi__program_keeps_out(loader, read_at, &fd)) {
    case UBI__UNRECORDED_STATIC:
        return ubi__fail(
            UBI_EINVAL,
            "'%s' is statically linked, and into such programs nothing can be loaded: it cannot be recorded", path);
    case UBI__UNRECORDED_LIBRARY:
        return ubi__fail(
            UBI_EINVAL,
            "'%s' is built for %s, and the recorder is for programs of glibc: it cannot be recorded; build "
            "it for glibc",
            path, ubi__other_c_library(loader));
    case UBI__UNRECORDED_MACHINE:
        return ubi__fail(UBI_EINVAL,
                         "'%s' is a program for another kind of machine, or of 32 bits: it cannot be recorded", path);
    default:
        return UBI_OK;
    }
}

/* A sanitizer is an allocator that will not have another one before it. */
static ubi_status check_allocator(const char *path, int fd) {
    ubi__native_elf elf;
    ubi__native_elf_look(&elf, fd);
    if (!elf.sanitizer)
        return UBI_OK;
    return ubi__fail(
        UBI_EINVAL,
        "'%s' is built with %s, whose own malloc comes before any recorder: it cannot be recorded; build it "
        "without %s",
        path, elf.sanitizer, elf.sanitizer_option);
}

ubi_status ubi__native_program_check(const char *path, int fd) {
    UBI_TRY(check_elf(path, fd));
    return check_allocator(path, fd);
}

/* ---- scripts ------------------------------------------------------------------------------------------------------ */

/* A script's first line: the interpreter, and the rest, which the kernel makes one argument. */
typedef struct first_line {
    char text[FIRST_LINE + 1];
    char *interpreter, *argument; /* in `text`; argument "": none */
} first_line;

static bool read_first_line(first_line *out, const unsigned char *start, size_t n) {
    size_t length = n < FIRST_LINE ? n : FIRST_LINE;
    memcpy(out->text, start, length);
    out->text[length] = '\0';
    out->text[strcspn(out->text, "\n")] = '\0';
    out->interpreter = out->text + 2 + strspn(out->text + 2, " \t");
    char *end = out->interpreter + strcspn(out->interpreter, " \t");
    out->argument = end + strspn(end, " \t");
    *end = '\0';
    for (size_t i = strlen(out->argument); i > 0 && strchr(" \t", out->argument[i - 1]); i--)
        out->argument[i - 1] = '\0';
    return *out->interpreter != '\0';
}

/* The one program that env is asked for; options and variables are left to env. */
static bool is_for_env(const first_line *line) {
    const char *slash = strrchr(line->interpreter, '/');
    return slash && strcmp(slash, "/env") == 0 && *line->argument && line->argument[0] != '-' &&
           !strpbrk(line->argument, " \t=");
}

/* env, which is not started, would have put the interpreter and the path of the script before the arguments. */
static ubi_status do_without_env(ubi__native_program *p, const first_line *line, int *exit_code) {
    char **all = ubi__calloc_array(p->allocator, p->n_arguments + 2, sizeof *all);
    if (!all)
        return ubi__fail_nomem();
    memcpy(all + 2, p->arguments + 1, (p->n_arguments - 1) * sizeof *all);
    ubi__free_array(p->allocator, p->arguments, p->n_arguments + 1, sizeof *all);
    p->arguments = all;
    p->n_arguments++;
    snprintf(p->script, sizeof p->script, "%s", p->path);
    snprintf(p->interpreter, sizeof p->interpreter, "%s", line->argument);
    all[0] = p->interpreter;
    all[1] = p->script;
    return find_program(p->path, sizeof p->path, p->interpreter, exit_code);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

/* One file of the chain from the script to the program at its end. @param next  out: the interpreter of a script. */
static ubi_status check_file(const char *path, int fd, first_line *next, bool *is_script) {
    unsigned char start[FIRST_LINE];
    ssize_t n = pread(fd, start, sizeof start, 0);
    *is_script = n > 2 && start[0] == '#' && start[1] == '!';
    if (*is_script)
        return read_first_line(next, start, (size_t)n)
                   ? UBI_OK
                   : ubi__fail(UBI_EINVAL, "'%s' is a script that names no interpreter", path);
    if (n < SELFMAG || memcmp(start, ELFMAG, SELFMAG) != 0)
        return ubi__fail(
            UBI_EINVAL,
            "'%s' is neither a program nor a script that names its interpreter with #!; if it is a script, "
            "record its interpreter: ubiheap record -- sh '%s'",
            path, path);
    UBI_TRY(check_rights(path, fd));
    return ubi__native_program_check(path, fd);
}

static ubi_status open_and_check(const char *path, first_line *next, bool *is_script) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *is_script = false;
    if (fd < 0) /* it may be run but not read: that is not for us to refuse */
        return errno == EACCES ? UBI_OK : ubi__fail_errno(errno, "cannot open '%s'", path);
    ubi_status status = check_file(path, fd, next, is_script);
    close(fd);
    return status;
}

static ubi_status check_program(ubi__native_program *p, int *exit_code) {
    char path[sizeof p->path];
    first_line line;
    bool is_script;
    UBI_TRY(open_and_check(p->path, &line, &is_script));
    if (is_script && is_for_env(&line)) {
        UBI_TRY(do_without_env(p, &line, exit_code));
        UBI_TRY(open_and_check(p->path, &line, &is_script));
    }
    for (int i = 0; is_script && i < MAX_INTERPRETERS; i++) {
        snprintf(path, sizeof path, "%s", line.interpreter);
        if (!is_program(path))
            return not_found(path, ENOENT, exit_code);
        UBI_TRY(open_and_check(path, &line, &is_script));
    }
    return UBI_OK;
}

ubi_status ubi__native_program_find(ubi__native_program *out, char **words, size_t n_words, int *exit_code,
                                    const ubi_allocator *allocator) {
    out->allocator = ubi__allocator_or_default(allocator);
    out->n_arguments = n_words;
    out->arguments = ubi__calloc_array(out->allocator, n_words + 1, sizeof *out->arguments);
    if (!out->arguments)
        return ubi__fail_nomem();
    memcpy(out->arguments, words, n_words * sizeof *words);
    int refused = UBI__PROGRAM_CANNOT_RUN;
    ubi_status status = find_program(out->path, sizeof out->path, words[0], exit_code);
    if (status == UBI_OK) {
        status = check_program(out, &refused);
        if (status == UBI_EINVAL)
            *exit_code = refused;
    }
    if (status != UBI_OK)
        ubi__native_program_fini(out);
    return status;
}

void ubi__native_program_fini(ubi__native_program *p) {
    ubi__free_array(p->allocator, p->arguments, p->n_arguments + 1, sizeof *p->arguments);
    p->arguments = NULL;
}

/* ---- allocators that are built in --------------------------------------------------------------------------------- */

static const struct {
    const char *start, *name, *option;
    bool is_library_too; /* it is also in the way when it is a library */
} sanitizers[] = {
    { "__asan_init", "AddressSanitizer", "-fsanitize=address", true },
    { "__hwasan_init", "HWAddressSanitizer", "-fsanitize=hwaddress", true },
    { "__tsan_init", "ThreadSanitizer", "-fsanitize=thread", false },
    { "__msan_init", "MemorySanitizer", "-fsanitize=memory", false },
    { "__lsan_init", "LeakSanitizer", "-fsanitize=leak", false },
};

static const struct {
    const char *symbol, *name;
} allocators[] = {
    { "mallctl", "jemalloc" },
    { "je_mallctl", "jemalloc" },
    { "mi_malloc", "mimalloc" },
    { "tc_malloc", "tcmalloc" },
};

static void look_at_symbol(ubi__native_elf *out, const char *name, bool is_defined, bool is_dynamic) {
    if (strcmp(name, "malloc") == 0)
        out->has_malloc |= is_defined && is_dynamic;
    for (size_t i = 0; is_defined && i < sizeof allocators / sizeof *allocators; i++)
        if (strcmp(name, allocators[i].symbol) == 0)
            out->allocator = allocators[i].name;
    if (name[0] != '_')
        return;
    for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
        if ((is_defined || sanitizers[i].is_library_too) && strcmp(name, sanitizers[i].start) == 0) {
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
