/* SPDX-License-Identifier: MIT
 *
 * terminal.c: see terminal.h.
 *
 * Signal handlers touch one flag and call only what is safe in a handler. Quick work shows no progress: the line appears after
 * UNNOTICED_US and is drawn at most every REDRAW_US.
 */
#include "cli/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "base/silence.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/command.h"

/* ---- interrupts ------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupts, is_deferred;

static void process_leave(int signal_number) {
    (void)signal_number;
    _exit(UBI__EXIT_INTERRUPTED);
}

static void on_interrupt(int signal_number) {
    if (interrupts)
        process_leave(signal_number);
    interrupts = 1;
    if (!is_deferred)
        alarm(1);
}

/* A write past the file size limit then fails, as on a full disk. Programs that we start do not inherit it. */
static void on_size_limit(int signal_number) {
    (void)signal_number;
}

/* What is taken over, and what was there. */
static struct taken_over {
    int signal_number;
    void (*handler)(int);
    struct sigaction before;
} taken_over[] = {
    { .signal_number = SIGINT, .handler = on_interrupt },
    { .signal_number = SIGALRM, .handler = process_leave },
    { .signal_number = SIGPIPE, .handler = SIG_IGN },
    { .signal_number = SIGXFSZ, .handler = on_size_limit },
};

#define N_TAKEN_OVER (sizeof taken_over / sizeof *taken_over)

void ubi__interrupt_install(void) {
    for (size_t i = 0; i < N_TAKEN_OVER; i++) {
        struct sigaction action = { .sa_handler = taken_over[i].handler, .sa_flags = SA_RESTART };
        sigemptyset(&action.sa_mask);
        if (taken_over[i].signal_number == SIGINT)
            action.sa_flags = 0; /* ends a read that waits */
        sigaction(taken_over[i].signal_number, &action, &taken_over[i].before);
        if (taken_over[i].signal_number != SIGALRM && taken_over[i].before.sa_handler == SIG_IGN)
            sigaction(taken_over[i].signal_number, &taken_over[i].before, NULL);
    }
}

void ubi__interrupt_restore(void) {
    for (size_t i = 0; i < N_TAKEN_OVER; i++)
        sigaction(taken_over[i].signal_number, &taken_over[i].before, NULL);
}

int ubi__program_exit_code(int wait_status) {
    const struct rlimit none = { 0, 0 };
    sigset_t set;
    if (!WIFSIGNALED(wait_status))
        return WEXITSTATUS(wait_status);
    int number = WTERMSIG(wait_status);
    setrlimit(RLIMIT_CORE, &none); /* a second core file would be about us */
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return 128 + number;
}

void ubi__interrupt_accept(void) {
    alarm(0);
    interrupts = 0;
}

bool ubi__interrupt_settle(void) {
    static const int numbers[] = { SIGINT, SIGALRM };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGINT, &ignore, &before);
    if (interrupts) { /* sent before it was ignored; its alarm is still to come */
        sigaction(SIGINT, &before, NULL);
        return false;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &ignore, NULL);
    return true;
}

bool ubi__interrupted(void) {
    return interrupts != 0 && !is_deferred;
}

bool ubi__interrupt_defer(bool is_wanted) {
    bool was_deferred = is_deferred;
    is_deferred = is_wanted;
    return was_deferred;
}

/* ---- what it can show ------------------------------------------------------------------------------------------- */

#define NARROWEST 40
#define WIDEST 1000
#define TALLEST 1000

/* NULL for a variable that is empty, which POSIX treats as not set. */
static const char *color_setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool wants_color(int fd, const char *choice) {
    if (choice && strcmp(choice, "auto") != 0)
        return strcmp(choice, "always") == 0;
    const char *terminal = color_setting("TERM");
    return isatty(fd) && !color_setting("NO_COLOR") && !(terminal && strcmp(terminal, "dumb") == 0);
}

static bool shows_unicode(void) {
    const char *locale = color_setting("LC_ALL");
    if (!locale)
        locale = color_setting("LC_CTYPE");
    if (!locale)
        locale = color_setting("LANG");
    return !locale || strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
}

/* 0: not said. */
static unsigned long number_setting(const char *name) {
    const char *variable = color_setting(name);
    return variable ? strtoul(variable, NULL, 10) : 0;
}

static unsigned columns_clamp(unsigned long columns) {
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : (unsigned)columns;
}

static unsigned find_columns(int fd) {
    unsigned long columns = number_setting("COLUMNS");
    if (columns > 0)
        return columns_clamp(columns);
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return columns_clamp(size.ws_col);
    return UBI__COLUMNS_UNKNOWN;
}

unsigned ubi__terminal_lines(int fd) {
    unsigned long lines = number_setting("LINES");
    struct winsize size;
    if (lines == 0 && ioctl(fd, TIOCGWINSZ, &size) == 0)
        lines = size.ws_row;
    return lines > TALLEST ? TALLEST : (unsigned)lines;
}

ubi__style ubi__terminal_style(int fd, const char *choice) {
    return (ubi__style){ wants_color(fd, choice), shows_unicode(), find_columns(fd) };
}

/* ---- standard output -------------------------------------------------------------------------------------------- */

static bool write_fully(void *payload, const void *data, size_t n) {
    ubi__standard_output *output = payload;
    const char *from = data;
    while (n > 0) {
        if (ubi__interrupted())
            return false;
        ssize_t written = write(output->fd, from, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            output->is_reader_gone = errno == EPIPE;
            output->error = errno;
            return false;
        }
        from += written;
        n -= (size_t)written;
    }
    return true;
}

void ubi__standard_output_init(ubi__standard_output *output, int fd) {
    ubi__out_init(&output->out, write_fully, output);
    output->fd = fd;
    output->is_reader_gone = false;
    output->error = 0;
}

ubi_status ubi__standard_output_flush(ubi__standard_output *output) {
    if (ubi__out_flush(&output->out) == UBI_OK)
        return UBI_OK;
    if (output->error == 0)
        return ubi__fail_cancelled();
    return ubi__fail_errno(output->error, "cannot write to standard output");
}

/* ---- standard error --------------------------------------------------------------------------------------------- */

/* Large buffer, one per process. */
static ubi__standard_output standard_error;

/* Made safe: messages quote file names, arguments and strings of snapshots. */
void ubi__print_line(const char *subject, const char *message) {
    ubi__style style = ubi__terminal_style(STDERR_FILENO, "never");
    ubi__out *out = &standard_error.out;
    ubi__standard_output_init(&standard_error, STDERR_FILENO);
    ubi__out_string(out, "ubiheap: ");
    if (subject) {
        ubi__display_text(out, &style, ubi__text(subject), SIZE_MAX);
        ubi__out_string(out, ": ");
    }
    ubi__display_text(out, &style, ubi__text(message), SIZE_MAX);
    ubi__out_char(out, '\n');
    ubi__out_flush(out);
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

#define UNNOTICED_US 300000
#define REDRAW_US 100000
#define LEAVING_UNNOTICED_US 1000000

uint64_t ubi__clock_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void ubi__progress_line_init(ubi__progress_line *line, bool enabled, bool may_speak) {
    line->is_enabled = enabled;
    line->is_shown = false;
    line->may_speak = may_speak;
    line->is_silent = false;
    line->silent_after = NULL;
    line->leaving_us = 0;
    line->has_said_leaving = false;
    line->clock_us = ubi__clock_us;
    line->started_us = line->clock_us();
    line->drawn_us = 0;
}

static void write_stderr(const char *text) {
    size_t n = strlen(text);
    if (write(STDERR_FILENO, text, n) < 0)
        return; /* progress is a courtesy */
}

static void line_draw(ubi__progress_line *line, const char *stage, uint64_t done, uint64_t total) {
    char text[192], a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    if (strcmp(stage, "transferring") == 0) /* bytes, from elsewhere */
        snprintf(text, sizeof text, "\r\x1b[K%s %s of %s", stage, ubi__human_size(a, done), ubi__human_size(b, total));
    else if (total)
        snprintf(text, sizeof text, "\r\x1b[K%s %3.0f%%", stage, 100 * (double)done / (double)total);
    else if (done)
        snprintf(text, sizeof text, "\r\x1b[K%s %" PRIu64, stage, done);
    else
        snprintf(text, sizeof text, "\r\x1b[K%s", stage);
    write_stderr(text);
    line->is_shown = true;
}

/* Once for each wait. */
static void silence_report(ubi__progress_line *line, const char *stage) {
    char text[400];
    if (line->is_silent)
        return;
    line->is_silent = true;
    if (!line->may_speak)
        return;
    ubi__progress_line_clear(line);
    snprintf(text, sizeof text, "%s%s%s", line->silent_after ? line->silent_after : "", line->silent_after ? ": " : "",
             stage);
    ubi__print_line(NULL, text);
}

static void stage_note(ubi__progress_line *line, const char *stage) {
    if (ubi__stage_is_silence(stage)) {
        silence_report(line, stage);
        return;
    }
    line->is_silent = false;
    line->silent_after = stage;
}

/* An interrupt came before, and was heard: only another one ends the process from now on. Written as it is, since messages end with one. */
static void leaving_report(ubi__progress_line *line, const char *stage) {
    uint64_t now = line->clock_us();
    char text[400];
    if (line->leaving_us == 0) {
        line->leaving_us = now;
        if (interrupts)
            alarm(0);
    }
    if (line->has_said_leaving || !line->may_speak || now - line->leaving_us < LEAVING_UNNOTICED_US)
        return;
    line->has_said_leaving = true;
    ubi__progress_line_clear(line);
    snprintf(text, sizeof text, "ubiheap: %s\n", stage);
    write_stderr(text);
}

static bool progress_report(void *payload, const char *stage, uint64_t done, uint64_t total) {
    ubi__progress_line *line = payload;
    if (ubi__stage_is_leaving(stage)) {
        leaving_report(line, stage);
        return true;
    }
    if (ubi__interrupted())
        return false;
    stage_note(line, stage);
    if (line->is_silent)
        stage = line->silent_after ? line->silent_after : stage; /* the words were said */
    if (!line->is_enabled)
        return true;
    uint64_t now = line->clock_us();
    if (now - line->started_us >= UNNOTICED_US && now - line->drawn_us >= REDRAW_US) {
        line_draw(line, stage, done, total);
        line->drawn_us = now;
    }
    return true;
}

ubi_progress ubi__progress_line_callbacks(ubi__progress_line *line) {
    return (ubi_progress){ progress_report, line };
}

void ubi__progress_line_clear(ubi__progress_line *line) {
    if (line->is_shown)
        write_stderr("\r\x1b[K");
    line->is_shown = false;
}
