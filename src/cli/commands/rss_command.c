/* SPDX-License-Identifier: MIT
 *
 * rss_command.c: `ubiheap rss`, what the resident memory of a running process is used for.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "render/residence_page.h"
#include "targets/native/allocator_parts.h"
#include "targets/native/memory_use.h"

#define STANDARD_LIMIT "8"

typedef struct rss_arguments {
    uint64_t limit;
} rss_arguments;

#define AT(field) offsetof(rss_arguments, field)

/* A process by its number. */
typedef struct process {
    uint64_t pid;
    int folder;     /* /proc/PID: it stays that process's when the number is given again */
    char name[256]; /* as the kernel has it, which cuts it; "": unknown */
} process;

static void name_read(process *p) {
    int fd = openat(p->folder, "comm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, p->name, sizeof p->name - 1);
    if (fd >= 0)
        close(fd);
    while (n > 0 && p->name[n - 1] == '\n')
        n--;
    p->name[n > 0 ? n : 0] = '\0';
}

static ubi_status pid_read(process *p, const char *word) {
    UBI_TRY(ubi__parse_number(&p->pid, word, "PID"));
    if (p->pid == 0 || p->pid > INT_MAX)
        return ubi__fail(UBI_EINVAL, "PID: expected the number of a process, not '%s'", word);
    return UBI_OK;
}

static ubi_status process_open(process *p) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%llu", (unsigned long long)p->pid);
    p->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p->folder < 0)
        return errno == ENOENT ? ubi__fail(UBI_EIO, "there is no process of this number")
                               : ubi__fail_errno(errno, "cannot open %s", path);
    name_read(p);
    return UBI_OK;
}

/* ---- what is shown -------------------------------------------------------------------------------------------------- */

static void document_write(ubi__cli *cli, const process *p, const ubi__residence *r) {
    ubi__json json;
    ubi__document_open(&json, cli, "ubiheap.rss/1");
    ubi__json_member_u64(&json, "pid", p->pid);
    ubi__json_member_string(&json, "name", p->name);
    ubi__residence_json(&json, r);
    ubi__document_end(&json);
}

/* What can be found out otherwise. */
static void undivided_write(const ubi__page *page, const process *p, const ubi__residence *r) {
    char words[256];
    for (size_t i = 0; i < r->rows.n; i++) {
        ubi_text name = ubi__residence_row_name(r, &r->rows.at[i]);
        if (r->rows.at[i].kind != UBI__RESIDENCE_ALLOCATOR || !ubi__allocator_can_be_asked(name))
            continue;
        snprintf(words, sizeof words,
                 "What %.*s has in use, and what is free, is not seen from outside: `ubiheap attach %llu` and `ubiheap "
                 "record` ask it, where it is a library.",
                 (int)name.len, name.ptr, (unsigned long long)p->pid);
        ubi__out_char(page->out, '\n');
        ubi__write_words(page, UBI__INK_DIM, words);
    }
}

static void page_write(const ubi__page *page, const process *p, const ubi__residence *r, uint64_t limit) {
    char line[sizeof p->name + 32], size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    snprintf(line, sizeof line, "%s %llu", p->name, (unsigned long long)p->pid);
    ubi__write_fact(page, "Process", ubi__text(line), 11);
    snprintf(line, sizeof line, "%s in %s", ubi__human_size(size, r->total.resident_bytes),
             ubi__human_things(count, r->n_mappings, "mapping"));
    ubi__write_fact(page, "Resident", ubi__text(line), 11);
    ubi__human_size(size, r->total.share_bytes);
    snprintf(line, sizeof line, "%s, when what processes share is divided by their number", size);
    ubi__write_fact(page, "Its share", ubi__text(line), 11);
    ubi__out_char(page->out, '\n');
    ubi__residence_table(page, r, limit, NULL, 0);
    undivided_write(page, p, r);
    if (r->is_divided)
        return;
    ubi__out_char(page->out, '\n');
    ubi__write_words(page, UBI__INK_YELLOW,
                     "What is in its memory may not be read by us, so mappings are judged by their names and shapes "
                     "alone. Run this as root, or as a user who may trace it.");
}

static ubi_status rss_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    static char label[64]; /* what a message is about that is printed after this */
    const rss_arguments *a = values;
    process p = { .folder = -1 };
    ubi__residence r;
    (void)n_operands, (void)exit_code;
    UBI_TRY(pid_read(&p, operands[0]));
    snprintf(label, sizeof label, "process %llu", (unsigned long long)p.pid);
    cli->subject = label;
    UBI_TRY(process_open(&p));
    ubi_status status = ubi__memory_use_read(&r, p.folder, ubi_allocator_default());
    close(p.folder);
    if (status == UBI_OK && cli->common.wants_json)
        document_write(cli, &p, &r);
    else if (status == UBI_OK)
        page_write(&cli->page, &p, &r, a->limit);
    ubi__residence_fini(&r);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__LIMIT(AT(limit), "rows of each group; 0: all", STANDARD_LIMIT),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "rss 4711", "what fills the memory of this process" },
    { "rss --limit 0 4711", "with every library" },
    { "rss --json $PPID", "the same for a program" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "rss",
    .operands = "PID",
    .summary = "explain the resident memory of any running process",
    .question = "The kernel says that this process has 800 MiB. What are they?",
    .description =
        "One table from the kernel's number down: what the allocator has given to the program, what threads keep for "
        "themselves and what is free; heaps of JavaScript engines, Python's objects, Java's heap, classes and code; "
        "stacks; each mapped file with its variables; shared memory, and what else the kernel has a name for. The rest "
        "is unknown. Resident adds up to the kernel's RSS; Share is the kernel's PSS, in which a page that n processes "
        "have counts for an n-th.\n"
        "\n"
        "The process is not stopped, and it is not traced: /proc/PID/smaps has mappings and sizes, and where we might "
        "trace the process, its memory is read as well, as far as it is in RAM: of glibc's malloc, chunk by chunk; of "
        "mimalloc 2.0, page by page; of Python, pool by pool. Other allocators (jemalloc, tcmalloc, Firefox's), and "
        "the heaps of V8, SpiderMonkey and Java are known by the shapes and places of their mappings, and not "
        "divided.\n"
        "\n"
        "A process that changes while it is read may leave a part of the allocator undivided; the sum is right.\n",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(rss_arguments),
};

const ubi__command ubi__command_rss = {
    .usage = &usage,
    .run = rss_run,
};
