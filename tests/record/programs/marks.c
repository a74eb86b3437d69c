/* SPDX-License-Identifier: MIT
 *
 * marks.c: a program that marks what it does, with ubiheap/core/marker.h and nothing else, and says on standard output what it has
 * marked. Built by markers_test.py, also as C++.
 *
 * A line: type, name, label (-: none), clock before and after in ns, thread, function, line of it (0: no stack).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ubiheap/core/marker.h>

#define NOINLINE __attribute__((noinline))

static unsigned long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}

/* Truths wait here, so that a line has no allocations in the middle of what is looked at. */
static char said[1 << 20];
static size_t n_said;
static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;

static void say(const char *type, const char *name, const char *label, unsigned long long before, const char *function,
                int line) {
    pthread_mutex_lock(&said_lock);
    n_said += (size_t)snprintf(said + n_said, sizeof said - n_said, "%s|%s|%s|%llu|%llu|%ld|%s|%d\n", type, name, label,
                               before, now(), (long)syscall(SYS_gettid), function, line);
    pthread_mutex_unlock(&said_lock);
}

static void tell(void) {
    for (size_t at = 0; at < n_said;) {
        ssize_t n = write(STDOUT_FILENO, said + at, n_said - at);
        if (n <= 0)
            _exit(99);
        at += (size_t)n;
    }
    n_said = 0;
}

#define START(name)                                                                                                    \
    do {                                                                                                               \
        unsigned long long before = now();                                                                             \
        UBI_TIMELINE_MARKER_START(name);                                                                               \
        say("start", name, "-", before, __func__, __LINE__);                                                           \
    } while (0)
#define END(name)                                                                                                      \
    do {                                                                                                               \
        unsigned long long before = now();                                                                             \
        UBI_TIMELINE_MARKER_END(name);                                                                                 \
        say("end", name, "-", before, __func__, 0);                                                                    \
    } while (0)
#define STAMP(name, label)                                                                                             \
    do {                                                                                                               \
        unsigned long long before = now();                                                                             \
        UBI_TIMELINE_TIMESTAMP(name, label);                                                                           \
        say("stamp", name, label, before, __func__, __LINE__);                                                         \
    } while (0)

void *volatile kept;

static void allocate(size_t n) {
    free(kept);
    kept = malloc(n);
}

/* ---- what there is to mark ------------------------------------------------------------------------------------------ */

NOINLINE static void begin_elsewhere(void) {
    START("split");
    allocate(11);
}

NOINLINE static void end_elsewhere(void) {
    END("split");
    allocate(12);
}

NOINLINE static void nested(int depth) {
    unsigned long long before = now();
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("nested");
    say("start", "nested", "-", before, __func__, __LINE__ - 1);
    allocate(100 + (size_t)depth);
    if (depth > 0)
        nested(depth - 1);
    allocate(200 + (size_t)depth);
    say("end", "nested", "-", now(), __func__, 0); /* at the end of the block, which comes now */
}

NOINLINE static void labelled(const char *label) {
    unsigned long long before = now();
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("labelled", label);
    say("start", "labelled", label, before, __func__, __LINE__ - 1);
    say("end", "labelled", "-", now(), __func__, 0);
}

NOINLINE static void without_stack(void) {
    unsigned long long before = now();
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_NO_STACK("no stack");
    say("start", "no stack", "-", before, __func__, 0);
    say("end", "no stack", "-", now(), __func__, 0);
}

/* Every type of value, at a time that is given. */
NOINLINE static void with_values(void) {
    ubi_marker_value values[4] = { { "text", UBI_MARKER_TEXT, 0, 0, "\xc3\xa4 \"quoted\"\n" },
                                   { "number", UBI_MARKER_NUMBER, 0, 1.5, NULL },
                                   { "yes", UBI_MARKER_BOOL, 1, 0, NULL },
                                   { "left out", UBI_MARKER_TEXT, 0, 0, NULL } };
    ubi_marker_extra extra = { now() - 1000000, values, 4 };
    ubi_marker_emit("values", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_NO_STACK), &extra);
    printf("values at %llu\n", (unsigned long long)extra.monotonic_ns);
    fflush(stdout);
}

static void plain(void) {
    STAMP("begin", "of it all");
    nested(3);
    begin_elsewhere();
    labelled("first");
    labelled("second, with \"quotes\"");
    without_stack();
    end_elsewhere();
    START("never ends");
    with_values();
}

static void names_of_any_kind(void) {
    char *text = (char *)malloc(5001);
    memset(text, 'n', 5000);
    text[5000] = '\0';
    ubi_marker_emit("", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_NO_STACK), NULL);
    ubi_marker_emit(text, UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_NO_STACK), NULL);
    ubi_marker_emit("bytes \xff\x01", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_NO_STACK), NULL);
    ubi_marker_value values[3] = { { text, UBI_MARKER_BOOL, 1, 0, NULL }, /* such a long key is left out */
                                   { "long", UBI_MARKER_TEXT, 0, 0, text },
                                   { "after", UBI_MARKER_BOOL, 0, 0, NULL } };
    ubi_marker_extra extra = { 0, values, 3 };
    ubi_marker_emit("long texts", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_NO_STACK), &extra);
    ubi_marker_value many[64];
    for (int i = 0; i < 64; i++)
        many[i] = (ubi_marker_value){ "long", UBI_MARKER_TEXT, 0, 0, text };
    ubi_marker_extra too_many = { 0, many, 64 };
    ubi_marker_emit("too many", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_NO_STACK), &too_many);
    free(text);
}

/* ---- threads -------------------------------------------------------------------------------------------------------- */

#define PER_THREAD 3000

static void *mark_many(void *number) {
    char label[32];
    for (int i = 0; i < PER_THREAD; i++) {
        snprintf(label, sizeof label, "%ld:%d", (long)number, i);
        UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("in thread", label);
        free(malloc(1000 + (size_t)(long)number));
    }
    return NULL;
}

static void threads(int n) {
    pthread_t ids[64];
    for (long i = 0; i < n; i++)
        pthread_create(&ids[i], NULL, mark_many, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
}

/* ---- signals ---------------------------------------------------------------------------------------------------------- */

static volatile int n_handled;

static void on_signal(int number) {
    (void)number;
    UBI_TIMELINE_TIMESTAMP("in handler", NULL);
    n_handled++;
}

/* Handlers come in the middle of allocations, and of markers. */
static void handlers(void) {
    struct itimerval every = { { 0, 200 }, { 0, 200 } };
    long n = 0;
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &every, NULL);
    while (n_handled < 20) {
        UBI_AUTO_GLOBAL_TIMELINE_MARKER_NO_STACK("interrupted");
        free(malloc(100));
        n++;
    }
    raise(SIGALRM); /* on a busy machine, all before may have come where a marker is lost */
    signal(SIGALRM, SIG_IGN);
    printf("%d %ld\n", n_handled, n);
    fflush(stdout);
}

static sigjmp_buf out_of_handler;

static void on_jump(int number) {
    (void)number;
    UBI_TIMELINE_TIMESTAMP("jumps", NULL);
    siglongjmp(out_of_handler, 1);
}

static void jumping_handlers(void) {
    struct itimerval every = { { 0, 500 }, { 0, 500 } };
    volatile int n = 0;
    signal(SIGALRM, on_jump);
    setitimer(ITIMER_REAL, &every, NULL);
    while (sigsetjmp(out_of_handler, 1), n++ < 15)
        for (;;)
            ubi_marker_emit("interrupted", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_NO_STACK), NULL);
    signal(SIGALRM, SIG_IGN);
    UBI_TIMELINE_TIMESTAMP("after", NULL);
}

/* ---- processes ------------------------------------------------------------------------------------------------------- */

static void forks(void) {
    UBI_TIMELINE_MARKER_START("before");
    if (fork() == 0) {
        UBI_TIMELINE_TIMESTAMP("child", NULL);
        printf("child %d\n", ubi_marker_is_observed());
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    UBI_TIMELINE_MARKER_END("before");
}

static void dies(void) {
    for (int i = 0; i < 10000; i++)
        UBI_TIMELINE_TIMESTAMP("before the end", NULL);
    kill(getpid(), SIGKILL);
}

static void *exits(void *payload) {
    UBI_TIMELINE_MARKER_START("open at exit");
    return payload;
}

static pthread_key_t key;

static void at_thread_exit(void *payload) {
    (void)payload;
    UBI_TIMELINE_TIMESTAMP("destructor", NULL);
}

static void *has_destructor(void *payload) {
    pthread_setspecific(key, &key);
    return payload;
}

static void thread_exits(void) {
    pthread_t id;
    pthread_key_create(&key, at_thread_exit);
    pthread_create(&id, NULL, exits, NULL);
    pthread_join(id, NULL);
    pthread_create(&id, NULL, has_destructor, NULL);
    pthread_join(id, NULL);
}

/* ---- modules --------------------------------------------------------------------------------------------------------- */

static void plugins(const char *path) {
    for (int i = 0; i < 3; i++) {
        void *module = dlopen(path, RTLD_NOW);
        void (*run)(int) = (void (*)(int))dlsym(module, "run");
        if (!run)
            _exit(98);
        run(i);
        dlclose(module);
        UBI_TIMELINE_TIMESTAMP("closed", NULL);
        if (dlopen(path, RTLD_NOW | RTLD_NOLOAD)) /* it must really be gone */
            _exit(97);
    }
}

#define PLUGIN_TURNS 50

static void *reload(void *path) {
    for (int i = 0; i < PLUGIN_TURNS; i++) {
        void *module = dlopen((const char *)path, RTLD_NOW);
        void (*run)(int) = (void (*)(int))dlsym(module, "run");
        if (!run)
            _exit(98);
        run(i);
        dlclose(module);
    }
    return NULL;
}

/* Threads mark, another loads and closes a module that marks, and children are made in the middle of it. */
static void storm(const char *path, int n_children) {
    pthread_t ids[5];
    for (long i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, mark_many, (void *)i);
    pthread_create(&ids[4], NULL, reload, (void *)path);
    for (int i = 0; i < n_children; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            UBI_TIMELINE_TIMESTAMP("child", NULL);
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
    for (int i = 0; i < 5; i++)
        pthread_join(ids[i], NULL);
}

__attribute__((constructor)) static void constructed(void) {
    UBI_TIMELINE_TIMESTAMP("constructor", NULL);
}

static int is_marked(const char *what, const char *wanted) {
    return strcmp(what, wanted) == 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "plain";
    if (is_marked(what, "plain"))
        plain();
    else if (is_marked(what, "names"))
        names_of_any_kind();
    else if (is_marked(what, "threads"))
        threads(atoi(argv[2]));
    else if (is_marked(what, "handlers"))
        handlers();
    else if (is_marked(what, "jumps"))
        jumping_handlers();
    else if (is_marked(what, "fork"))
        forks();
    else if (is_marked(what, "kill"))
        dies();
    else if (is_marked(what, "thread-exit"))
        thread_exits();
    else if (is_marked(what, "plugins"))
        plugins(argv[2]);
    else if (is_marked(what, "storm"))
        storm(argv[2], atoi(argv[3]));
    else if (is_marked(what, "observed"))
        printf("%d\n", ubi_marker_is_observed());
    else if (is_marked(what, "until-unobserved")) {
        puts("ready");
        fflush(stdout);
        while (ubi_marker_is_observed()) {
            UBI_TIMELINE_TIMESTAMP("still", NULL);
            usleep(1000);
        }
    }
    tell();
    return 0;
}
