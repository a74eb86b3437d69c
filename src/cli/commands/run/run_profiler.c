/* SPDX-License-Identifier: MIT
 *
 * run_profiler.c: see run_profiler.h.
 *
 * Names are looked up when results are made, under the profiler's lock, which makes one symbolizer enough for all runtimes. A
 * profiler lives as long as the process: workers may use it until then. What the symbolizer read is freed when the main
 * program has finished; a worker that asks later gets addresses without names.
 */
#include "cli/commands/run/run_profiler.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbolize/symbolize.h"
#include "unwind/unwind.h"

typedef struct known_module {
    uintptr_t low;
    uint32_t number; /* of the symbolizer's */
    char name[64];   /* the file's, without its folder */
} known_module;

UBI_VEC_DECLARE(known_modules, known_module);

struct ubi__run_profiler {
    ubi_profiler *profiler;
    const char *hooks_folder;    /* see ubi__script_runner */
    pthread_mutex_t lock;        /* of what follows */
    bool has_finished;           /* no more names */
    ubi__symbolizer *symbolizer; /* NULL: not needed yet */
    known_modules modules;
};

static const char *without_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static ubi_status add_module(ubi__run_profiler *p, const ubi__unwind_module *module, known_module *out) {
    char path[4096];
    snprintf(path, sizeof path, "%s", module->path);
    if (!*path) {
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
    }
    *out = (known_module){ .low = module->low };
    snprintf(out->name, sizeof out->name, "%.63s", without_folder(path));
    UBI_TRY(ubi__symbolizer_add_module(p->symbolizer, &out->number, (ubi_text){ path, strlen(path) }, module->build_id,
                                       module->build_id_bytes));
    return known_modules_push(&p->modules, ubi_allocator_default(), *out);
}

static ubi_status need_module(ubi__run_profiler *p, const ubi__unwind_module *module, known_module *out) {
    for (size_t i = 0; i < p->modules.n; i++)
        if (p->modules.at[i].low == module->low) {
            *out = p->modules.at[i];
            return UBI_OK;
        }
    if (!p->symbolizer)
        UBI_TRY(ubi__symbolizer_new(&p->symbolizer, NULL, ubi_allocator_default()));
    return add_module(p, module, out);
}

/* "function (file.c:12)", or "function (module)" when lines are unknown. */
static ubi_status profiler_tell(const ubi__symbol *symbol, const known_module *module, ubi_profiler_name_fn name,
                                void *name_payload) {
    char text[UBI__SYMBOL_NAME_BYTES + 512], file[256];
    int n;
    if (symbol->file.ptr && symbol->line) {
        snprintf(file, sizeof file, "%.*s", (int)(symbol->file.len < 255 ? symbol->file.len : 255), symbol->file.ptr);
        n = snprintf(text, sizeof text, "%.*s (%s:%u)", (int)symbol->function.len, symbol->function.ptr,
                     without_folder(file), (unsigned)symbol->line);
    } else {
        n = snprintf(text, sizeof text, "%.*s (%s)", (int)symbol->function.len, symbol->function.ptr, module->name);
    }
    return name(name_payload, (ubi_text){ text, (size_t)n });
}

/* The tools' hooks are inlined into the engine's functions, and are not the program's. */
static bool is_hook(const ubi__symbol *symbol, const char *folder) {
    return symbol->is_inlined && symbol->file.ptr && memmem(symbol->file.ptr, symbol->file.len, folder, strlen(folder));
}

static ubi_status name_with_symbols(ubi__run_profiler *p, uintptr_t return_address, ubi_profiler_name_fn name,
                                    void *name_payload) {
    ubi__unwind_module found;
    known_module module;
    const ubi__symbol *symbols;
    size_t n;
    if (p->has_finished || !ubi__unwind_module_of(return_address, &found))
        return UBI_OK;
    UBI_TRY(need_module(p, &found, &module));
    UBI_TRY(ubi__symbolizer_look_up_return(p->symbolizer, &symbols, &n, module.number, return_address - found.bias));
    for (; n > 0; n--)
        if (symbols[n - 1].function.ptr && !is_hook(&symbols[n - 1], p->hooks_folder))
            UBI_TRY(profiler_tell(&symbols[n - 1], &module, name, name_payload));
    return UBI_OK;
}

static ubi_status name_address(void *payload, uintptr_t return_address, ubi_profiler_name_fn name, void *name_payload) {
    ubi__run_profiler *p = payload;
    pthread_mutex_lock(&p->lock);
    ubi_status status = name_with_symbols(p, return_address, name, name_payload);
    pthread_mutex_unlock(&p->lock);
    return status;
}

ubi_status ubi__run_profiler_new(ubi__run_profiler **out, const char *hooks_folder) {
    ubi__run_profiler *p = UBI_NEW(ubi_allocator_default(), ubi__run_profiler);
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    if (!p)
        return ubi__fail_nomem();
    p->hooks_folder = hooks_folder;
    pthread_mutex_init(&p->lock, NULL);
    options.name_address = name_address;
    options.payload = p;
    ubi_status status = ubi_profiler_new(&p->profiler, &options);
    if (status == UBI_OK)
        *out = p;
    else
        UBI_DELETE(ubi_allocator_default(), p);
    return status;
}

ubi_profiler *ubi__run_profiler_get(ubi__run_profiler *p) {
    return p->profiler;
}

/* A worker that is naming something right now is not waited for: that takes seconds in large programs. */
void ubi__run_profiler_finish(ubi__run_profiler *p) {
    if (!p || pthread_mutex_trylock(&p->lock) != 0)
        return;
    p->has_finished = true;
    ubi__symbolizer_free(p->symbolizer);
    p->symbolizer = NULL;
    known_modules_fini(&p->modules, ubi_allocator_default());
    pthread_mutex_unlock(&p->lock);
}
