/* SPDX-License-Identifier: MIT
 *
 * run_lines.c: see run_lines.h.
 */
#include "cli/commands/run/run_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#ifdef UBI_LIBEDIT
#include <histedit.h>
#endif

#include "base/alloc.h"
#include "base/status.h"

/* What the history keeps; its file may have twice as many until it is read again. */
#define HISTORY_LINES 1000

struct ubi__run_lines {
    const ubi__script_shell *shell;
    const char *const *more_names;
    bool are_typed;
    bool is_stopped;    /* while the line is read */
    ubi__vec_u8 buffer; /* read, and not handed out from `begin` on; the line at the front ends in a zero */
    size_t begin;
    bool has_ended;
#ifdef UBI_LIBEDIT
    EditLine *editor; /* NULL: the terminal's own editing */
    History *history;
    const char *prompt;
    int typed_ahead_bytes; /* that the editor did not read yet */
    mbstate_t decoding;
#endif
};

/* ---- the history's file --------------------------------------------------------------------------------------------- */

bool ubi__run_history_path(char *out, size_t size) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n;
    if (state && state[0] == '/')
        n = snprintf(out, size, "%s/ubiheap/history", state);
    else if (home && home[0] == '/')
        n = snprintf(out, size, "%s/.local/state/ubiheap/history", home);
    else
        return false;
    return n > 0 && (size_t)n < size;
}

#ifdef UBI_LIBEDIT
/* The folders of a path that are missing. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

/* A history that cannot be kept is not a failure of the program. */
static FILE *history_open(const char *mode) {
    char path[4096];
    if (!ubi__run_history_path(path, sizeof path))
        return NULL;
    if (mode[0] != 'r')
        make_folders(path);
    int flags = mode[0] == 'r' ? O_RDONLY : mode[0] == 'a' ? O_WRONLY | O_APPEND | O_CREAT : O_WRONLY | O_TRUNC;
    int fd = open(path, flags | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, mode);
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

static void history_add(ubi__run_lines *lines, const char *text) {
    HistEvent event;
    history(lines->history, &event, H_ENTER, text);
}

static size_t history_load(ubi__run_lines *lines) {
    FILE *file = history_open("r");
    char *line = NULL;
    size_t capacity = 0, n = 0;
    ssize_t length;
    while (file && (length = getline(&line, &capacity, file)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        history_add(lines, line);
        n++;
    }
    free(line);
    if (file)
        fclose(file);
    return n;
}

/* Oldest first, which libedit calls the last. */
static void history_rewrite(ubi__run_lines *lines) {
    FILE *file = history_open("w");
    HistEvent event;
    if (!file)
        return;
    for (int found = history(lines->history, &event, H_LAST); found >= 0;
         found = history(lines->history, &event, H_PREV))
        fprintf(file, "%s\n", event.str);
    fclose(file);
}

static void history_remember(ubi__run_lines *lines, const char *text) {
    HistEvent newest;
    bool is_same = history(lines->history, &newest, H_FIRST) >= 0 && strcmp(newest.str, text) == 0;
    if (!*text || is_same)
        return;
    history_add(lines, text);
    FILE *file = history_open("a");
    if (!file)
        return;
    fprintf(file, "%s\n", text);
    fclose(file);
}

/* ---- completion ----------------------------------------------------------------------------------------------------- */

/* Names that continue what is typed, all of which begin with `common` bytes of the first one. */
typedef struct candidates {
    char **at;
    size_t n, capacity, common;
} candidates;

static void candidates_fini(candidates *c) {
    for (size_t i = 0; i < c->n; i++)
        free(c->at[i]);
    free(c->at);
}

static void candidates_add(void *payload, const char *name, size_t n) {
    candidates *c = payload;
    if (c->n == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 64;
        char **at = realloc(c->at, capacity * sizeof *at);
        if (!at)
            return;
        c->at = at;
        c->capacity = capacity;
    }
    char *copy = strndup(name, n);
    if (!copy)
        return;
    if (c->n == 0)
        c->common = n;
    c->at[c->n++] = copy;
    for (size_t i = 0; i < c->common; i++)
        if (c->at[0][i] != copy[i])
            c->common = i;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once. */
static void candidates_settle(candidates *c) {
    size_t kept = 0;
    qsort(c->at, c->n, sizeof *c->at, by_text);
    for (size_t i = 0; i < c->n; i++) {
        if (kept && strcmp(c->at[kept - 1], c->at[i]) == 0)
            free(c->at[i]);
        else
            c->at[kept++] = c->at[i];
    }
    c->n = kept;
}

#define MOST_SHOWN 200

/* In columns below the line. */
static void candidates_show(const candidates *c) {
    size_t widest = 1, shown = c->n < MOST_SHOWN ? c->n : MOST_SHOWN;
    for (size_t i = 0; i < shown; i++)
        widest = strlen(c->at[i]) > widest ? strlen(c->at[i]) : widest;
    size_t columns = 80 / (widest + 2) ? 80 / (widest + 2) : 1;
    for (size_t i = 0; i < shown; i++)
        printf("%s%-*s", i % columns ? "  " : "\n", (int)widest, c->at[i]);
    if (shown < c->n)
        printf("\n... %zu more", c->n - shown);
    putchar('\n');
    fflush(stdout);
}

/* @return how many bytes of the name are there. */
static size_t candidates_find(candidates *c, const ubi__run_lines *lines, const char *text, size_t n) {
    if (n == 0 || text[0] != '.')
        return lines->shell->ops->complete(lines->shell->payload, text, n, candidates_add, c);
    for (const char *const *name = lines->more_names; *name; name++)
        if (strncmp(*name, text, n) == 0)
            candidates_add(c, *name, strlen(*name));
    return n;
}

static unsigned char complete_name(EditLine *editor, int key) {
    const LineInfo *line = el_line(editor);
    ubi__run_lines *lines;
    candidates c = { 0 };
    unsigned char result = CC_REFRESH_BEEP;
    (void)key;
    el_get(editor, EL_CLIENTDATA, &lines);
    size_t typed = candidates_find(&c, lines, line->buffer, (size_t)(line->cursor - line->buffer));
    candidates_settle(&c);
    if (c.n && c.common > typed) {
        char *rest = strndup(c.at[0] + typed, c.common - typed);
        if (rest)
            el_insertstr(editor, rest);
        free(rest);
        result = CC_REFRESH;
    } else if (c.n > 1) {
        candidates_show(&c);
        result = CC_REDISPLAY;
    }
    candidates_fini(&c);
    return result;
}

/* ---- editing -------------------------------------------------------------------------------------------------------- */

/*
 * What was typed while a line was evaluated came to a terminal that makes lines itself: a ^D is its end of file, which is a zero
 * once the editor takes over. So zeros among what was typed ahead are ^D.
 */
static void note_typed_ahead(ubi__run_lines *lines) {
    int n = 0;
    lines->typed_ahead_bytes = ioctl(STDIN_FILENO, FIONREAD, &n) == 0 && n > 0 ? n : 0;
}

static char byte_as_typed(ubi__run_lines *lines, char byte) {
    enum { CONTROL_D = 4 };
    bool is_ahead = lines->typed_ahead_bytes > 0;
    lines->typed_ahead_bytes -= is_ahead;
    return is_ahead && byte == '\0' ? CONTROL_D : byte;
}

/* For libedit, which reads a character when it wants one: meanwhile, the program runs. */
static int read_character(EditLine *editor, wchar_t *out) {
    ubi__run_lines *lines;
    char byte;
    el_get(editor, EL_CLIENTDATA, &lines);
    for (;;) {
        if (!lines->shell->ops->wait(lines->shell->payload, STDIN_FILENO)) {
            lines->is_stopped = true;
            errno = EINTR;
            return -1;
        }
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (int)got;
        byte = byte_as_typed(lines, byte);
        size_t length = mbrtowc(out, &byte, 1, &lines->decoding);
        if (length == (size_t)-2)
            continue;
        if (length == (size_t)-1) {
            lines->decoding = (mbstate_t){ 0 };
            *out = L'?';
        }
        return 1;
    }
}

static char *prompt_text(EditLine *editor) {
    ubi__run_lines *lines;
    el_get(editor, EL_CLIENTDATA, &lines);
    return (char *)(uintptr_t)lines->prompt;
}

static void use_utf8(void) {
    setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
}

static void editor_open(ubi__run_lines *lines) {
    HistEvent event;
    use_utf8();
    lines->history = history_init();
    lines->editor = lines->history ? el_init("ubiheap", stdin, stdout, stderr) : NULL;
    if (!lines->editor)
        return;
    history(lines->history, &event, H_SETSIZE, HISTORY_LINES);
    el_set(lines->editor, EL_CLIENTDATA, lines);
    el_set(lines->editor, EL_PROMPT, prompt_text);
    el_set(lines->editor, EL_EDITOR, "emacs");
    el_set(lines->editor, EL_SIGNAL, 0);
    el_set(lines->editor, EL_HIST, history, lines->history);
    el_set(lines->editor, EL_GETCFN, read_character);
    el_wset(lines->editor, EL_ADDFN, L"ubiheap-complete", L"Completes a name", complete_name);
    el_set(lines->editor, EL_BIND, "\t", "ubiheap-complete", NULL);
    el_set(lines->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(lines->editor, NULL);
    if (history_load(lines) > 2 * HISTORY_LINES)
        history_rewrite(lines);
}

static void editor_close(ubi__run_lines *lines) {
    if (lines->editor)
        el_end(lines->editor);
    if (lines->history)
        history_end(lines->history);
}

static ubi__run_line edit_line(ubi__run_lines *lines, const char *prompt, const char **text, size_t *n) {
    int length = 0;
    lines->prompt = prompt;
    lines->is_stopped = false;
    el_resize(lines->editor);
    /* Else the prompt comes first, and a ^D typed at once is the terminal's end of file, which the editor never sees. */
    el_set(lines->editor, EL_PREP_TERM, 1);
    note_typed_ahead(lines);
    const char *line = el_gets(lines->editor, &length);
    if (lines->is_stopped) {
        puts("^C");
        el_reset(lines->editor);
        return UBI__RUN_LINE_STOPPED;
    }
    if (!line || length <= 0) {
        putchar('\n');
        return UBI__RUN_LINE_END;
    }
    lines->buffer.n = 0;
    *n = strcspn(line, "\n");
    if (ubi__vec_u8_reserve(&lines->buffer, ubi_allocator_default(), *n + 1) != UBI_OK)
        return UBI__RUN_LINE_END;
    memcpy(lines->buffer.at, line, *n);
    lines->buffer.at[*n] = '\0';
    *text = (const char *)lines->buffer.at;
    history_remember(lines, *text);
    return UBI__RUN_LINE;
}
#endif

/* ---- without an editor ---------------------------------------------------------------------------------------------- */

/* Appends what can be read. False: nothing more comes, or the user stopped it. */
static bool lines_fill(ubi__run_lines *lines) {
    enum { ROOM = 65536 };
    ssize_t got;
    if (ubi__vec_u8_reserve(&lines->buffer, ubi_allocator_default(), ROOM) != UBI_OK)
        return false;
    do {
        if (!lines->shell->ops->wait(lines->shell->payload, STDIN_FILENO)) {
            lines->is_stopped = true;
            return false;
        }
        got = read(STDIN_FILENO, lines->buffer.at + lines->buffer.n, ROOM - 1);
    } while (got < 0 && errno == EINTR);
    lines->has_ended = got <= 0;
    lines->buffer.n += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* What was handed out makes room. */
static void lines_drop(ubi__run_lines *lines) {
    size_t rest = lines->buffer.n - lines->begin;
    if (rest)
        memmove(lines->buffer.at, lines->buffer.at + lines->begin, rest);
    lines->buffer.n = rest;
    lines->begin = 0;
}

static ubi__run_line plain_line(ubi__run_lines *lines, const char **text, size_t *n) {
    uint8_t *newline = NULL;
    lines->is_stopped = false;
    lines_drop(lines);
    for (size_t seen = 0; !newline; seen = lines->buffer.n) {
        if (lines->buffer.n == seen && (lines->has_ended || !lines_fill(lines)))
            break;
        newline = memchr(lines->buffer.at + seen, '\n', lines->buffer.n - seen);
    }
    if (lines->is_stopped) {
        lines->begin = lines->buffer.n;
        putchar('\n');
        return UBI__RUN_LINE_STOPPED;
    }
    if (lines->buffer.n == 0)
        return UBI__RUN_LINE_END;
    *n = newline ? (size_t)(newline - lines->buffer.at) : lines->buffer.n; /* there is room for a zero */
    lines->buffer.at[*n] = '\0';
    lines->begin = newline ? *n + 1 : lines->buffer.n;
    *text = (const char *)lines->buffer.at;
    return UBI__RUN_LINE;
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static struct termios terminal_before;
static volatile bool is_terminal_changed;

void ubi__run_lines_abandon(void) {
    if (is_terminal_changed)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

ubi_status ubi__run_lines_open(ubi__run_lines **out, const ubi__script_shell *shell, const char *const *more_names) {
    ubi__run_lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return ubi__fail_nomem();
    lines->shell = shell;
    lines->more_names = more_names;
    lines->are_typed = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (lines->are_typed && tcgetattr(STDIN_FILENO, &terminal_before) == 0) {
        is_terminal_changed = true;
        atexit(ubi__run_lines_abandon); /* a script may end the program while a line is edited */
    }
#ifdef UBI_LIBEDIT
    if (lines->are_typed)
        editor_open(lines);
#endif
    *out = lines;
    return UBI_OK;
}

void ubi__run_lines_close(ubi__run_lines *lines) {
#ifdef UBI_LIBEDIT
    editor_close(lines);
#endif
    ubi__run_lines_abandon();
    is_terminal_changed = false;
    ubi__vec_u8_fini(&lines->buffer, ubi_allocator_default());
    free(lines);
}

bool ubi__run_lines_are_typed(const ubi__run_lines *lines) {
    return lines->are_typed;
}

ubi__run_line ubi__run_lines_next(ubi__run_lines *lines, const char *prompt, const char **text, size_t *n) {
#ifdef UBI_LIBEDIT
    if (lines->editor)
        return edit_line(lines, prompt, text, n);
#endif
    if (lines->are_typed) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    return plain_line(lines, text, n);
}
