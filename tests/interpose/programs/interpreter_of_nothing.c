/*
 * An interpreter of nothing, whose scripts are calls of functions with numbers: what it runs is in a list of its own, as in any
 * interpreter. It shows that to the recorder, on several threads, in signal handlers, and in a child.
 *
 *     interpreter_of_nothing plain | threads | signals | fork
 *
 * Script function N at line L allocates a block of 100000 * N + L bytes.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/script_source.h"
#include "truth.h"

extern _Atomic uintptr_t *ubi_recorder_join_scripts(const ubi__script_source *source) __attribute__((weak));
extern void ubi_recorder_leave_scripts(const ubi__script_source *source) __attribute__((weak));

typedef struct activation {
    struct activation *outer;
    int function, line;
} activation;

typedef struct runtime {
    ubi__script_source source;
    activation *volatile innermost;
    _Atomic uintptr_t *thread;
    void *volatile last;
} runtime;

static _Thread_local int asked; /* how often names were asked for */

static size_t show_frames(const ubi__script_source *source, ubi__script_frame *frames, size_t max,
                          const ubi__script_frame *before, size_t n_before) {
    (void)before, (void)n_before;
    const runtime *r = source->payload;
    size_t n = 0;
    if (max == 0)
        return r->innermost != NULL;
    for (const activation *a = r->innermost; a && n < max; a = a->outer)
        frames[n++] = (ubi__script_frame){ .function = (uint64_t)a->function,
                                           .stack_address = (uintptr_t)a,
                                           .frame = a,
                                           .line = (uint32_t)a->line,
                                           .column = 7 };
    return n;
}

static size_t show_name(const ubi__script_source *source, const ubi__script_frame *frame, char *text, size_t room,
                        size_t *function_bytes) {
    const activation *a = frame->frame;
    (void)source;
    asked++;
    *function_bytes = (size_t)sprintf(text, "f%d", a->function);
    return *function_bytes + (size_t)snprintf(text + *function_bytes, room - *function_bytes, "script.x");
}

static void __attribute__((noinline)) helper(runtime *r, int size) {
    r->last = malloc((size_t)size);
    free(r->last);
}

/* Function N calls N - 1. */
static void __attribute__((noinline)) interpret(runtime *r, int function) {
    activation a = { r->innermost, function, 1 };
    r->innermost = &a;
    for (; a.line <= 3; a.line++)
        helper(r, 100000 * function + a.line);
    if (function > 1)
        interpret(r, function - 1);
    a.line = 9;
    helper(r, 100000 * function + a.line);
    r->innermost = a.outer;
}

static void begin(runtime *r) {
    memset(r, 0, sizeof *r);
    r->source = (ubi__script_source){ .version = UBI__SCRIPT_SOURCE_VERSION,
                                      .interpreter = (uintptr_t)interpret,
                                      .frames = show_frames,
                                      .name = show_name,
                                      .payload = r };
    ubi__script_join_fn join;
    UBI__RECORDER_FIND(join, ubi_recorder_join_scripts);
    r->thread = join ? join(&r->source) : NULL;
    if (!r->thread)
        abort();
}

static void end(runtime *r) {
    ubi__script_leave_fn leave;
    UBI__RECORDER_FIND(leave, ubi_recorder_leave_scripts);
    leave(&r->source);
    memset(r, 0xa5, sizeof *r);
}

static void plain(void) {
    runtime r, inner;
    begin(&r);
    helper(&r, 77); /* no script runs */
    for (int i = 0; i < 50; i++)
        interpret(&r, 3);
    if (asked != 3) /* names are asked for once */
        abort();
    begin(&inner); /* one in the other */
    activation a = { NULL, 8, 42 };
    r.innermost = &a;
    interpret(&inner, 1);
    r.innermost = NULL;
    end(&inner);
    end(&r);
    free(malloc(78));
}

/* Runtimes are made here, run there, and go away while others allocate. */
static void *run_one(void *payload) {
    for (int i = 0; i < 300; i++) {
        runtime *r = payload, own;
        atomic_store(r->thread, ubi__script_thread());
        interpret(r, 2);
        begin(&own);
        interpret(&own, 1);
        end(&own);
    }
    return NULL;
}

static void threads(void) {
    enum { N = 4 };
    static runtime runtimes[N];
    pthread_t them[N];
    for (int i = 0; i < N; i++) {
        begin(&runtimes[i]);
        pthread_create(&them[i], NULL, run_one, &runtimes[i]);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(them[i], NULL);
        end(&runtimes[i]);
    }
}

static void allocate_in_handler(int number) {
    (void)number;
    void *volatile p = malloc(555);
    free(p);
}

/* The handler finds the interpreter in the middle of something: its frames are not asked for. */
static void __attribute__((noinline)) raise_now(runtime *r) {
    activation broken = { (activation *)(uintptr_t)0x10, 1, 1 };
    activation *before = r->innermost;
    r->innermost = &broken;
    raise(SIGUSR1);
    r->innermost = before;
}

static void signals(void) {
    runtime r;
    begin(&r);
    signal(SIGUSR1, allocate_in_handler);
    activation a = { NULL, 5, 5 };
    r.innermost = &a;
    for (int i = 0; i < 100; i++)
        raise_now(&r);
    r.innermost = NULL;
    interpret(&r, 1);
    end(&r);
}

static void in_child(void) {
    runtime r;
    begin(&r);
    interpret(&r, 1);
    pid_t child = fork();
    interpret(&r, 2);
    end(&r);
    if (child == 0)
        _exit(0);
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    truth_begin();
    if (!strcmp(how, "plain"))
        plain();
    else if (!strcmp(how, "threads"))
        threads();
    else if (!strcmp(how, "signals"))
        signals();
    else
        in_child();
    truth_end();
    return 0;
}
