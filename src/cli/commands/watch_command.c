/* SPDX-License-Identifier: MIT
 *
 * watch_command.c: `ubiheap watch`, a Node.js program that saves a snapshot of its heap before its memory runs out.
 *
 * The work is done in the program (src/nodewatch/). Here it is started, and what it left is read when it has ended: by then its memory
 * is free, and reading a snapshot takes some.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "base/memory_limits.h"
#include "base/quantity.h"
#include "base/status.h"
#include "cli/cli_files.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "render/page.h"
#include "targets/node/node_run.h"

/* The graph of a file is smaller than the file; what is read ahead comes on top. */
#define MEMORY_PER_FILE_PERCENT 150
#define MEMORY_FIXED_BYTES (UINT64_C(32) << 20)

typedef struct watch_arguments {
    const char *directory, *reserve;
    bool wants_library;
} watch_arguments;

/* ---- what the program left ---------------------------------------------------------------------------------------- */

static bool has_room(const char *path) {
    struct stat about;
    ubi__memory_limit limit = ubi__memory_limit_read(0);
    return stat(path, &about) != 0 ||
           ubi__memory_room(&limit) >= (uint64_t)about.st_size / 100 * MEMORY_PER_FILE_PERCENT + MEMORY_FIXED_BYTES;
}

static bool complete_report(const char *path) {
    char line[256], nodes[UBI__HUMAN_TEXT];
    ubi_graph *graph = NULL;
    if (!has_room(path)) {
        ubi__print_line(path, "complete; there is no memory to read it here: ubiheap info says whether it can be read");
        return true;
    }
    if (ubi_graph_read_path(&graph, path, NULL, NULL) != UBI_OK) {
        ubi__print_line(path, ubi_error_message());
        return false;
    }
    snprintf(line, sizeof line, "read to its end: %s; what is in it: ubiheap report %s",
             ubi__human_things(nodes, ubi_graph_node_count(graph), "node"), ubi__file_argument(path, "FILE"));
    ubi__print_line(path, line);
    ubi_graph_unref(graph);
    return true;
}

/* The rest of one that was not finished is worthless, and its name would be in the way. */
static bool file_report(const ubi__node_file *file) {
    if (file->is_complete)
        return complete_report(file->path);
    ubi__print_line(file->path, "removed: the process ended while it was written; a larger --reserve begins sooner");
    unlink(file->path);
    return false;
}

static ubi_status files_report(const watch_arguments *a, int64_t since_s, bool *all_are_good) {
    ubi__vec_node_file files = { 0 };
    const ubi_allocator *allocator = ubi_allocator_default();
    ubi_status status = ubi__node_files_find(&files, a->directory ? a->directory : ".", since_s, allocator);
    for (size_t i = 0; i < files.n; i++)
        *all_are_good &= file_report(&files.at[i]);
    ubi__node_files_fini(&files, allocator);
    return status;
}

/* ---- command ------------------------------------------------------------------------------------------------------ */

static ubi_status directory_check(char out[PATH_MAX], const char *directory) {
    if (!realpath(directory, out))
        return ubi__fail(UBI_EINVAL, "--directory: no such folder: '%s'", directory);
    if (access(out, W_OK | X_OK) != 0)
        return ubi__fail(UBI_EINVAL, "--directory: cannot write in '%s'", directory);
    return UBI_OK;
}

static ubi_status settings_read(ubi__node_settings *out, const watch_arguments *a, char library[PATH_MAX],
                                char directory[PATH_MAX], char reserve[32]) {
    uint64_t reserve_bytes = 0;
    *out = (ubi__node_settings){ .library = library };
    if (a->reserve) {
        UBI_TRY(ubi__parse_size(&reserve_bytes, a->reserve, "--reserve"));
        if (reserve_bytes == 0)
            return ubi__fail(UBI_EINVAL, "--reserve: expected at least 1 byte");
        snprintf(reserve, 32, "%llu", (unsigned long long)reserve_bytes);
        out->reserve = reserve;
    }
    if (a->directory) {
        UBI_TRY(directory_check(directory, a->directory));
        out->directory = directory;
    }
    return ubi__node_library_find(library, PATH_MAX);
}

static ubi_status library_print(ubi__cli *cli) {
    char library[PATH_MAX];
    UBI_TRY(ubi__node_library_find(library, sizeof library));
    ubi__out_printf(cli->page.out, "%s\n", library);
    return UBI_OK;
}

static ubi_status watch_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const watch_arguments *a = values;
    char library[PATH_MAX], directory[PATH_MAX], reserve[32];
    ubi__node_settings settings;
    int wait_status = 0, start_code = UBI__EXIT_OK;
    bool all_are_good = true;
    if (cli->common.wants_json)
        return ubi__fail(UBI_EINVAL, "--json: standard output belongs to the program; 'ubiheap report' has --json");
    if (a->wants_library && n_operands == 0)
        return library_print(cli);
    if (a->wants_library || n_operands == 0)
        return ubi__fail(UBI_EINVAL, a->wants_library
                                         ? "--print-library takes no program"
                                         : "expected PROGRAM [ARGUMENT...], as in: ubiheap watch -- node server.js");
    UBI_TRY(settings_read(&settings, a, library, directory, reserve));
    int64_t start_s = (int64_t)time(NULL);
    ubi__interrupt_restore();
    ubi_status status = ubi__node_run(&wait_status, &start_code, &settings, operands);
    ubi__interrupt_install();
    if (status != UBI_OK && start_code != UBI__EXIT_OK) { /* as a shell would end */
        ubi__print_line(cli->subject, ubi_error_message());
        *exit_code = start_code;
        return UBI_OK;
    }
    UBI_TRY(status);
    UBI_TRY(files_report(a, start_s, &all_are_good));
    *exit_code = ubi__program_exit_code(wait_status);
    if (*exit_code == UBI__EXIT_OK && !all_are_good)
        *exit_code = UBI__EXIT_SYSTEM;
    return UBI_OK;
}

#define AT(field) offsetof(watch_arguments, field)

static const ubi__parameter parameters[] = {
    UBI__TEXT("directory", 0, AT(directory), "DIR", "where snapshots go, on a disk with room for thirty times the heap",
              "the working folder"),
    UBI__TEXT(
        "reserve", 0, AT(reserve), "BYTES",
        "memory that is left of the control group's limit when the snapshot begins; more begins sooner and is quicker",
        "4 times the heap and 96 MiB"),
    UBI__FLAG("print-library", 0, AT(wants_library),
              "print the path of the library that a program loads: node --require=PATH server.js needs no ubiheap"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "watch -- node server.js", "a snapshot before the container's memory runs out" },
    { "watch --directory /data -- npm start", "all Node.js processes, and snapshots on a volume" },
    { "watch --print-library", "the file that an image needs for node --require=FILE server.js" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "watch",
    .operands = "PROGRAM [ARGUMENT...]",
    .summary = "run a Node.js program and save its heap before memory runs out",
    .question = "What filled the memory when my Node.js server was killed?",
    .description = "Runs PROGRAM, Node.js 18 to 24 or what starts it, with a library in each Node.js process. Once in "
                   "the life of a process it "
                   "saves a heap snapshot, oom-TIME-PID.heapsnapshot: when V8 is about to give up at the limit of its "
                   "heap, or when the limit of the "
                   "control group or of the address space leaves no more than a snapshot needs. Then the process "
                   "continues, and ends as it would "
                   "have without.\n"
                   "\n"
                   "What V8 needs for a snapshot, up to thirty times the heap, is put in a file without a name next to "
                   "the snapshot, so that it counts "
                   "as memory that the kernel can take back. The snapshot gets its name when it is complete. A line on "
                   "standard error says so, "
                   "and when PROGRAM has ended, it is read to its end. If there is no room from the beginning, a line "
                   "says that, and the program "
                   "runs without.\n"
                   "\n"
                   "Standard input and output, terminal, signals and exit status are the program's; 127 when there is "
                   "no such program, 126 when it "
                   "cannot be run, 4 when it ended well and a snapshot did not.\n",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 0,
    .max_operands = INT_MAX,
    .has_options_first = true,
    .arguments_bytes = sizeof(watch_arguments),
};

const ubi__command ubi__command_watch = {
    .usage = &usage,
    .run = watch_run,
};
