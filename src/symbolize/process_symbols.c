/* SPDX-License-Identifier: MIT
 *
 * process_symbols.c: see process_symbols.h; the only interface of libubiheap-symbols.so.
 *
 * That module is loaded by tools inside of a program when they have stacks to name, so that programs need a reader of DWARF
 * only then.
 */
#include "symbolize/process_symbols.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbolize/symbolize.h"
#include "unwind/unwind.h"

typedef struct process_module {
    uintptr_t low;
    uint32_t number; /* of the symbolizer's */
    char name[64];   /* the file's, without its folder */
} process_module;

UBI_VEC_DECLARE(process_modules, process_module);

static pthread_mutex_t symbols_lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static ubi__symbolizer *symbols_of_process;                      /* NULL: not needed yet */
static process_modules modules_of_process;

static const char *path_without_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static ubi_status process_module_add(const ubi__unwind_module *module, process_module *out) {
    char path[4096];
    snprintf(path, sizeof path, "%s", module->path);
    if (!*path) {
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
    }
    *out = (process_module){ .low = module->low };
    snprintf(out->name, sizeof out->name, "%.63s", path_without_folder(path));
    UBI_TRY(ubi__symbolizer_add_module(symbols_of_process, &out->number, (ubi_text){ path, strlen(path) },
                                       module->build_id, module->build_id_bytes));
    return process_modules_push(&modules_of_process, ubi_allocator_default(), *out);
}

static ubi_status process_module_need(const ubi__unwind_module *module, process_module *out) {
    for (size_t i = 0; i < modules_of_process.n; i++)
        if (modules_of_process.at[i].low == module->low) {
            *out = modules_of_process.at[i];
            return UBI_OK;
        }
    if (!symbols_of_process)
        UBI_TRY(ubi__symbolizer_new(&symbols_of_process, NULL, ubi_allocator_default()));
    return process_module_add(module, out);
}

/* "function (file.c:12)", or "function (module)" when lines are unknown. */
static ubi_status symbol_report(const ubi__symbol *symbol, const process_module *module, ubi__symbol_name_fn name,
                                void *name_payload) {
    char text[UBI__SYMBOL_NAME_BYTES + 512], file[256];
    int n;
    if (symbol->file.ptr && symbol->line) {
        snprintf(file, sizeof file, "%.*s", (int)(symbol->file.len < 255 ? symbol->file.len : 255), symbol->file.ptr);
        n = snprintf(text, sizeof text, "%.*s (%s:%u)", (int)symbol->function.len, symbol->function.ptr,
                     path_without_folder(file), (unsigned)symbol->line);
    } else {
        n = snprintf(text, sizeof text, "%.*s (%s)", (int)symbol->function.len, symbol->function.ptr, module->name);
    }
    return name(name_payload, (ubi_text){ text, (size_t)n });
}

static bool symbol_is_left_out(const ubi__symbol *symbol, const char *folder) {
    return folder && symbol->is_inlined && symbol->file.ptr &&
           memmem(symbol->file.ptr, symbol->file.len, folder, strlen(folder));
}

static ubi_status address_name(const char *folder, uintptr_t return_address, ubi__symbol_name_fn name,
                               void *name_payload) {
    ubi__unwind_module found;
    process_module module;
    const ubi__symbol *symbols;
    size_t n;
    if (!ubi__unwind_module_of(return_address, &found))
        return UBI_OK;
    UBI_TRY(process_module_need(&found, &module));
    UBI_TRY(
        ubi__symbolizer_look_up_return(symbols_of_process, &symbols, &n, module.number, return_address - found.bias));
    for (; n > 0; n--)
        if (symbols[n - 1].function.ptr && !symbol_is_left_out(&symbols[n - 1], folder))
            UBI_TRY(symbol_report(&symbols[n - 1], &module, name, name_payload));
    return UBI_OK;
}

ubi_status ubi_symbols_name_address(void *payload, uintptr_t return_address, ubi__symbol_name_fn name,
                                    void *name_payload) {
    pthread_mutex_lock(&symbols_lock);
    ubi_status status = address_name(payload, return_address, name, name_payload);
    pthread_mutex_unlock(&symbols_lock);
    return status;
}

void ubi_symbols_forget(void) {
    if (pthread_mutex_trylock(&symbols_lock) != 0)
        return;
    ubi__symbolizer_free(symbols_of_process);
    symbols_of_process = NULL;
    process_modules_fini(&modules_of_process, ubi_allocator_default());
    modules_of_process = (process_modules){ 0 };
    pthread_mutex_unlock(&symbols_lock);
}
