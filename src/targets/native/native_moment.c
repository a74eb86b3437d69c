/* SPDX-License-Identifier: MIT
 *
 * native_moment.c: see native_moment.h.
 */
#include "targets/native/native_moment.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolize/elf_file.h"

/* A stack that is deeper is not looked at any further: what holds a lock of the C library is near its top. */
#define FRAMES_MAX 4096

struct ubi__native_moments {
    const ubi_allocator *allocator;
    const ubi__native_image *image;
    Dwfl_Callbacks callbacks;
    Dwfl *dwfl;
};

/* ---- files as the process sees them ---------------------------------------------------------------------------------- */

static int find_file(Dwfl_Module *module, void **own, const char *name, Dwarf_Addr base, char **path, Elf **elf) {
    void **arguments = NULL;
    const ubi__native_image *image;
    dwfl_module_info(module, &arguments, NULL, NULL, NULL, NULL, NULL, NULL);
    image = arguments ? *arguments : NULL;
    if (name[0] != '/' || !image) /* the kernel's own code, in no file */
        return dwfl_linux_proc_find_elf(module, own, name, base, path, elf);
    int fd = ubi__native_image_file(image, name);
    if (fd >= 0)
        *path = strdup(name);
    return fd;
}

/* Call frame information is in the file itself, and names that count are exported. */
static int find_no_debug_file(Dwfl_Module *module, void **own, const char *name, Dwarf_Addr base, const char *path,
                              const char *link, GElf_Word sum, char **found) {
    (void)module, (void)own, (void)name, (void)base, (void)path, (void)link, (void)sum, (void)found;
    return -1;
}

static int give_image(Dwfl_Module *module, void **own, const char *name, Dwarf_Addr start, void *image) {
    (void)module, (void)name, (void)start;
    *own = image;
    return DWARF_CB_OK;
}

static ubi_status moments_begin(ubi__native_moments *m) {
    m->callbacks = (Dwfl_Callbacks){ .find_elf = find_file, .find_debuginfo = find_no_debug_file };
    m->dwfl = dwfl_begin(&m->callbacks);
    if (!m->dwfl || dwfl_linux_proc_report(m->dwfl, m->image->pid) != 0 || dwfl_report_end(m->dwfl, NULL, NULL) != 0)
        return ubi__fail(UBI_EIO, "cannot see the libraries of process %ld", (long)m->image->pid);
    dwfl_getmodules(m->dwfl, give_image, (void *)(uintptr_t)m->image, 0);
    if (dwfl_linux_proc_attach(m->dwfl, m->image->pid, true) != 0)
        return ubi__fail(UBI_EIO, "cannot walk stacks of process %ld: %s", (long)m->image->pid, dwfl_errmsg(-1));
    return UBI_OK;
}

ubi_status ubi__native_moments_open(ubi__native_moments **out, const ubi__native_image *image) {
    ubi__native_moments *m = UBI_NEW(image->allocator, ubi__native_moments);
    if (!m)
        return ubi__fail_nomem();
    m->allocator = image->allocator;
    m->image = image;
    ubi_status status = moments_begin(m);
    if (status == UBI_OK)
        *out = m;
    else
        ubi__native_moments_close(m);
    return status;
}

void ubi__native_moments_close(ubi__native_moments *m) {
    if (!m)
        return;
    dwfl_end(m->dwfl);
    UBI_DELETE(m->allocator, m);
}

/* ---- what a frame says ----------------------------------------------------------------------------------------------- */

/* Functions that hold, or may hold, what the loader needs: the heap, its own lists, those of threads and of what ends a program. */
static const char *const busy[] = {
    "malloc",
    "free",
    "calloc",
    "realloc",
    "reallocarray",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "malloc_trim",
    "malloc_info",
    "malloc_stats",
    "mallinfo",
    "mallinfo2",
    "mallopt",
    "cfree",
    "fork",
    "_Fork",
    "vfork",
    "posix_spawn",
    "posix_spawnp",
    "pthread_create",
    "pthread_exit",
    "dlopen",
    "dlmopen",
    "dlclose",
    "dlsym",
    "dlvsym",
    "dladdr",
    "dladdr1",
    "dlinfo",
    "dlerror",
    "dl_iterate_phdr",
    "_dl_find_object",
    "exit",
    "quick_exit",
    "_exit",
    "abort",
    "__cxa_atexit",
    "__cxa_finalize",
    "on_exit",
    "__register_atfork",
    "__libc_freeres",
    "pthread_atfork",
    "pthread_key_create",
    "__tls_get_addr",
    "pthread_getattr_np",
    "pthread_setattr_default_np",
    "execve",
    "__nptl_create_event",
    "__cxa_thread_atexit_impl",
};

static bool is_busy_name(const char *name) {
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
        if (strcmp(busy[i], name) == 0)
            return true;
    return false;
}

static bool name_begins(const char *name, const char *const *starts, size_t n) {
    const char *slash = strrchr(name, '/');
    const char *file = slash ? slash + 1 : name;
    for (size_t i = 0; i < n; i++)
        if (strncmp(file, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Of the loader, of libraries that are allocators, and of ours, nothing is known but that locks may be held. */
static bool is_busy_file(const char *name) {
    static const char *const starts[] = { "ld-linux",           "ld-2.",        "ld.so",
                                          "libjemalloc",        "libtcmalloc",  "libmimalloc",
                                          "libubiheap-preload", "libheaptrack", "memfd:libubiheap" };
    return name_begins(name, starts, sizeof starts / sizeof *starts);
}

static bool is_c_library(const char *name) {
    static const char *const starts[] = { "libc.so", "libc-2.", "libpthread" };
    return name_begins(name, starts, sizeof starts / sizeof *starts);
}

/* ---- a stack --------------------------------------------------------------------------------------------------------- */

/*
 * Of the C library, only exported functions have names. Where the innermost frames are the C library's, one of them has to
 * have a harmless name: else it may be the allocator's insides, whose caller was replaced by a jump.
 */
typedef struct look {
    Dwfl *dwfl;
    size_t n;
    bool is_busy;
    bool is_inside, was_inside; /* the C library: all frames so far, and the innermost one */
    bool has_name;              /* one of those has a name */
} look;

/* The name of the function that a frame is in; NULL: none that is known. */
static const char *name_of(Dwfl_Module *module, Dwarf_Addr pc) {
    GElf_Sym symbol;
    GElf_Off offset;
    const char *name = dwfl_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL, NULL);
    return name && symbol.st_size && offset >= symbol.st_size
               ? NULL
               : name; /* else it is the nearest one, which ends before */
}

static void look_at_place(look *l, const char *file, const char *name) {
    bool is_library = file && is_c_library(file);
    if (l->n == 0)
        l->is_inside = l->was_inside = is_library;
    l->is_inside &= is_library;
    l->has_name |= l->is_inside && name;
    l->is_busy |= (file && is_busy_file(file)) || (name && is_busy_name(name));
    l->n++;
}

static int look_at_frame(Dwfl_Frame *frame, void *payload) {
    look *l = payload;
    Dwarf_Addr pc;
    bool is_exact;
    if (!dwfl_frame_pc(frame, &pc, &is_exact))
        return DWARF_CB_ABORT;
    pc -= !is_exact; /* calls return behind themselves */
    Dwfl_Module *module = dwfl_addrmodule(l->dwfl, pc);
    const char *file = module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
    look_at_place(l, file, module ? name_of(module, pc) : NULL);
    return l->is_busy || l->n >= FRAMES_MAX ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* A stack that cannot be walked to its end (code that was made at run time) is judged by what calls from there. */
bool ubi__native_moment_is_good(ubi__native_moments *m, pid_t tid) {
    look l = { .dwfl = m->dwfl };
    (void)dwfl_getthread_frames(m->dwfl, tid, look_at_frame, &l);
    return l.n > 0 && !l.is_busy && (!l.was_inside || l.has_name);
}
