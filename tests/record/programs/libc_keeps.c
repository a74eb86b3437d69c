/* SPDX-License-Identifier: MIT
 *
 * libc_keeps.c: NAME: a function of the C library is called once, and what the program has to give back is given back, or leaked,
 * where the name says so.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *volatile sink;

static void *idle(void *x) {
    return x;
}

/* ---- what the library keeps --------------------------------------------------------------------------------------- */

static void locales(void) {
    setlocale(LC_ALL, "C.UTF-8");
    freelocale(newlocale(LC_ALL_MASK, "C.UTF-8", 0));
    bindtextdomain("x", "/tmp");
    textdomain("x");
}

static void translations(void) {
    locales();
    sink = gettext("hello");
}

static void environment(void) {
    setenv("UBIHEAP_TEST", "one", 1);
    setenv("UBIHEAP_TEST", "another", 1);
}

static void users(void) {
    char room[4096];
    struct passwd row, *found;
    sink = getpwnam("root");
    getpwuid_r(0, &row, room, sizeof room, &found);
    sink = getgrnam("root");
}

static void hosts(void) {
    struct addrinfo *all;
    if (getaddrinfo("localhost", "80", NULL, &all) == 0)
        freeaddrinfo(all);
    sink = gethostbyname("localhost");
    sink = getservbyname("http", "tcp");
}

static void libraries(void) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    sink = dlsym(library, "no_such_function");
    sink = dlerror();
    dlclose(library);
    sink = dlopen("no-such-library.so", RTLD_NOW);
}

static void messages(void) {
    sink = strerror(12345);
    sink = strsignal(63);
}

static void time_zone(void) {
    tzset();
}

static void local_time(void) {
    time_t now = 0;
    sink = localtime(&now);
}

static void standard_output(void) {
    printf("hello\n");
}

static void conversions(void) {
    iconv_close(iconv_open("UTF-16", "ISO-8859-1"));
}

static void threads(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    pthread_join(thread, NULL);
}

/* ---- what the program has to give back ------------------------------------------------------------------------------ */

static void strdup_leaked(void) {
    sink = strdup("hello");
}

static void asprintf_leaked(void) {
    char *text;
    if (asprintf(&text, "%d", 12) > 0)
        sink = text;
}

static void getline_leaked(void) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = fopen("/proc/self/stat", "r");
    if (getline(&text, &n, f) > 0)
        sink = text;
    fclose(f);
}

static void fopen_leaked(void) {
    sink = fopen("/proc/self/stat", "r");
}

static void memory_stream_leaked(void) {
    static char *text;
    static size_t n;
    FILE *f = open_memstream(&text, &n);
    fprintf(f, "hello");
    fclose(f);
}

static void scandir_leaked(void) {
    struct dirent **all;
    if (scandir("/", &all, NULL, alphasort) > 0)
        sink = all;
}

static void realpath_leaked(void) {
    sink = realpath("/", NULL);
}

static void getaddrinfo_leaked(void) {
    struct addrinfo *all;
    if (getaddrinfo("127.0.0.1", "80", NULL, &all) == 0)
        sink = all;
}

static void newlocale_leaked(void) {
    sink = (void *)newlocale(LC_ALL_MASK, "C.UTF-8", 0);
}

static void iconv_leaked(void) {
    sink = (void *)iconv_open("UTF-16", "ISO-8859-1");
}

#define ROW(name)                                                                                                      \
    { #name, name }
static const struct {
    const char *name;
    void (*call)(void);
} rows[] = {
    ROW(locales),
    ROW(translations),
    ROW(environment),
    ROW(users),
    ROW(hosts),
    ROW(libraries),
    ROW(messages),
    ROW(time_zone),
    ROW(local_time),
    ROW(standard_output),
    ROW(conversions),
    ROW(threads),
    ROW(strdup_leaked),
    ROW(asprintf_leaked),
    ROW(getline_leaked),
    ROW(fopen_leaked),
    ROW(memory_stream_leaked),
    ROW(scandir_leaked),
    ROW(realpath_leaked),
    ROW(getaddrinfo_leaked),
    ROW(newlocale_leaked),
    ROW(iconv_leaked),
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(argv[1], rows[i].name) == 0) {
            rows[i].call();
            return 0;
        }
    return 2;
}
