/* page-server.c: a web server in small, which marks what it does; for "Mark what a native program does".
 *
 * Requests are lines on standard input, each the name of a page; answers go to standard output. Pages are rendered when they
 * are asked for the first time, and kept. Every hundred requests another thread writes statistics.
 *
 *     cc -g page-server.c -pthread
 *
 * ubiheap/core/marker.h is all that the markers need: no library is linked, and they cost nothing until somebody looks.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/marker.h>

#define N_SETTINGS 500
#define N_PAGES 64
#define REQUESTS_PER_STATISTICS 100

struct page {
    char name[32];
    char *text;
    int n_asked;
};

static char *settings[N_SETTINGS];
static struct page pages[N_PAGES];
static int n_pages;

static void load_settings(void) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("load settings");
    for (int i = 0; i < N_SETTINGS; i++) {
        settings[i] = malloc(64);
        snprintf(settings[i], 64, "setting-%d = %d", i, i * i);
    }
}

/* A template is filled in line by line, and the text grows with each of them. */
static char *render(const char *name) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("render", name);
    size_t n = 0;
    char *text = NULL;
    for (int i = 0; i < N_SETTINGS; i++) {
        char line[128];
        int used = snprintf(line, sizeof line, "<p>%s: %s</p>\n", name, settings[i]);
        text = realloc(text, n + (size_t)used + 1);
        memcpy(text + n, line, (size_t)used + 1);
        n += (size_t)used;
    }
    return text;
}

static struct page *find(const char *name) {
    for (int i = 0; i < n_pages; i++)
        if (strcmp(pages[i].name, name) == 0)
            return &pages[i];
    if (n_pages == N_PAGES)
        return NULL;
    struct page *page = &pages[n_pages++];
    snprintf(page->name, sizeof page->name, "%s", name);
    page->text = render(name);
    return page;
}

static void answer(const char *name) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("request", name);
    struct page *page = find(name);
    if (!page) {
        UBI_TIMELINE_TIMESTAMP("refused", name);
        puts("no room for more pages");
        return;
    }
    page->n_asked++;
    char *log = malloc(100);
    snprintf(log, 100, "%s: %zu bytes", name, strlen(page->text));
    puts(log);
    free(log);
}

static void *write_statistics(void *nothing) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("write statistics");
    char *text = malloc(N_PAGES * 48);
    size_t n = 0;
    for (int i = 0; i < n_pages; i++)
        n += (size_t)snprintf(text + n, 48, "%s %d\n", pages[i].name, pages[i].n_asked);
    fwrite(text, 1, n, stderr);
    free(text);
    return nothing;
}

static void begin_statistics(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, write_statistics, NULL) == 0)
        pthread_join(thread, NULL);
}

int main(void) {
    char line[32];
    int n = 0;
    load_settings();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        answer(line);
        if (++n % REQUESTS_PER_STATISTICS == 0)
            begin_statistics();
    }
    return 0;
}
