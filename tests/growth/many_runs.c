/* SPDX-License-Identifier: MIT
 *
 * many_runs.c: runs the main function of a program once for each command line of a file, each in a child of its own. A library to
 * preload. Under valgrind, which takes longer to start a program than most runs take, all of them start once.
 *
 * $MANY_RUNS is a folder: `runs` has the words of each command line, each ended by a zero, and an empty word after the last.
 * $MANY_RUNS_OF is the program: valgrind's own, which this is loaded into first, runs as it is.
 * `warm` is such a file, too: these run first, in the process that all others are forked from, so that valgrind has translated most of
 * the program's code when they start. What run i writes to standard error goes to `i.err`; `done` gets a line `process exit-status` per run.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_MOST_WORDS = 64, PATH_BYTES = 4096 };

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static main_function *program_main;

static int open_in_folder(const char *name, int flags) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", getenv("MANY_RUNS"), name);
    int file = open(path, flags | O_CLOEXEC, 0600);
    if (file < 0) {
        perror(path);
        _exit(125);
    }
    return file;
}

typedef struct command_lines {
    char *next, *end;
} command_lines;

static command_lines command_lines_open(const char *name) {
    int file = open_in_folder(name, O_RDONLY);
    struct stat about;
    fstat(file, &about);
    size_t n_bytes = (size_t)about.st_size;
    char *words = n_bytes ? mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    return (command_lines){ words, words + n_bytes };
}

/* Fills in `words` from the second on; 0: there is no further line. */
static int command_lines_next(command_lines *lines, char **words) {
    if (lines->next == lines->end)
        return 0;
    int n = 1;
    for (; *lines->next; lines->next += strlen(lines->next) + 1)
        if (n < N_MOST_WORDS)
            words[n++] = lines->next;
    lines->next++;
    words[n] = NULL;
    return n;
}

static pid_t start_run(size_t i, int n_words, char **words, char **environment) {
    pid_t child = fork();
    if (child != 0)
        return child;
    char name[32];
    snprintf(name, sizeof name, "%zu.err", i);
    dup2(open_in_folder(name, O_WRONLY | O_CREAT | O_TRUNC), STDERR_FILENO);
    exit(program_main(n_words, words, environment));
}

static int run_all(int argc, char **argv, char **environment) {
    (void)argc;
    char *words[N_MOST_WORDS + 1] = { argv[0] };
    command_lines warm = command_lines_open("warm"), runs = command_lines_open("runs");
    int done = open_in_folder("done", O_WRONLY | O_CREAT | O_TRUNC);
    unsetenv("LD_PRELOAD");
    for (int n; (n = command_lines_next(&warm, words));)
        program_main(n, words, environment);
    size_t i = 0;
    for (int n; (n = command_lines_next(&runs, words)); i++) {
        int status = 0;
        pid_t child = start_run(i, n, words, environment);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 125;
        dprintf(done, "%d %d\n", (int)child, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    return 0;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

/* The dynamic loader's name for the function that calls main. */
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    const char *program = getenv("MANY_RUNS_OF");
    return start(program && strcmp(argv[0], program) == 0 ? run_all : main, argc, argv, init, fini, rtld_fini,
                 stack_end);
}
