/* SPDX-License-Identifier: MIT
 *
 * live_terminal.c: see live_terminal.h.
 */
#include "cli/commands/record/live_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

/* A terminal that takes nothing for so long is not drawn on this time. */
#define DRAWING_MS 1000
#define STANDARD_COLUMNS 80
#define STANDARD_ROWS 24

#define ENTER "\033[?1049h\033[?25l\033[2J"
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define END_OF_LINE "\033[K"
#define END_OF_SCREEN "\033[J"

/* ---- writing ------------------------------------------------------------------------------------------------------ */

/* @param is_patient  waits as long as it takes. */
static bool bytes_write(ubi__live_terminal *t, const char *bytes, size_t n, bool is_patient) {
    while (n > 0 && !t->is_gone) {
        ssize_t done = write(t->fd, bytes, n);
        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
            continue;
        }
        struct pollfd ready = { .fd = t->fd, .events = POLLOUT };
        if (errno == EAGAIN && poll(&ready, 1, is_patient ? -1 : DRAWING_MS) == 0)
            return false;
        t->is_gone |= (errno != EAGAIN && errno != EINTR) || (ready.revents & POLLERR);
    }
    return n == 0;
}

static bool text_write(ubi__live_terminal *t, const char *text) {
    return bytes_write(t, text, strlen(text), false);
}

/* ---- taking over -------------------------------------------------------------------------------------------------- */

static int resized_now = -1; /* an eventfd, for the handler */

static void on_resize(int number) {
    int before = errno;
    uint64_t one = 1;
    (void)number;
    (void)!write(resized_now, &one, sizeof one);
    errno = before;
}

static void resizes_watch(ubi__live_terminal *t) {
    struct sigaction action = { .sa_handler = on_resize, .sa_flags = SA_RESTART };
    resized_now = t->resized = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->resized >= 0)
        sigaction(SIGWINCH, &action, NULL);
}

static void resizes_forget(ubi__live_terminal *t) {
    if (t->resized < 0)
        return;
    signal(SIGWINCH, SIG_DFL);
    resized_now = -1;
    close(t->resized);
    t->resized = -1;
}

static int kept_file(void) {
    const char *folder = getenv("TMPDIR");
    int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    fd = memfd_create("output", MFD_CLOEXEC);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

/* Descriptors that are a terminal, for us and for what we start. */
static ubi_status output_keep(ubi__live_terminal *t) {
    t->kept = kept_file();
    if (t->kept < 0)
        return ubi__fail_errno(errno, "--live: cannot keep what the program writes");
    for (int i = 0; i < 3; i++) {
        int instead = i == 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : t->kept;
        if (isatty(i) && instead >= 0) {
            t->before[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
            (void)dup2(instead, i);
        }
        if (i == 0 && instead >= 0)
            close(instead);
    }
    return UBI_OK;
}

static void output_give_back(ubi__live_terminal *t) {
    for (int i = 0; i < 3; i++)
        if (t->before[i] >= 0) {
            (void)dup2(t->before[i], i);
            close(t->before[i]);
            t->before[i] = -1;
        }
}

/* Keys come one by one and are not echoed; those that send signals still do, but the one that would leave us stopped. */
static void keys_take(ubi__live_terminal *t) {
    struct termios raw = t->settings;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    raw.c_iflag &= (tcflag_t) ~(IXON | ICRNL);
    raw.c_oflag |= OPOST | ONLCR;
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;
    (void)tcsetattr(t->fd, TCSANOW, &raw);
}

static ubi_status terminal_find(ubi__live_terminal *t) {
    const char *kind = getenv("TERM");
    t->fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (t->fd < 0)
        return ubi__fail(UBI_EIO, "--live draws on the terminal, and there is none");
    if (!kind || !*kind || strcmp(kind, "dumb") == 0 || tcgetattr(t->fd, &t->settings) != 0)
        return ubi__fail(UBI_EIO, "--live: this terminal cannot be drawn on (TERM is '%s')", kind ? kind : "");
    if (tcgetpgrp(t->fd) != getpgrp())
        return ubi__fail(UBI_EIO, "--live: the terminal belongs to another job: start this one in the foreground");
    return UBI_OK;
}

ubi_status ubi__live_terminal_open(ubi__live_terminal *t) {
    *t = (ubi__live_terminal){ .fd = -1, .resized = -1, .kept = -1, .before = { -1, -1, -1 } };
    ubi_status status = terminal_find(t);
    if (status == UBI_OK)
        status = output_keep(t);
    if (status != UBI_OK) {
        if (t->fd >= 0)
            close(t->fd);
        return status;
    }
    resizes_watch(t);
    keys_take(t);
    ubi__live_terminal_measure(t);
    t->is_drawn = text_write(t, ENTER);
    return UBI_OK;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------ */

void ubi__live_terminal_measure(ubi__live_terminal *t) {
    struct winsize size = { 0 };
    uint64_t n;
    if (t->resized >= 0)
        (void)!read(t->resized, &n, sizeof n);
    bool is_known = ioctl(t->fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    t->columns = is_known ? size.ws_col : STANDARD_COLUMNS;
    t->rows = is_known ? size.ws_row : STANDARD_ROWS;
}

/* Each line ends what was there before; the last one has no end, or the screen would move. */
void ubi__live_terminal_show(ubi__live_terminal *t, ubi_text lines) {
    bool is_shown = text_write(t, HOME);
    for (unsigned row = 0; is_shown && row < t->rows && lines.len; row++) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t n = end ? (size_t)(end - lines.ptr) : lines.len;
        if (row > 0)
            is_shown = text_write(t, "\n");
        is_shown = is_shown && bytes_write(t, lines.ptr, n, false) && text_write(t, END_OF_LINE);
        n += end != NULL;
        lines = (ubi_text){ lines.ptr + n, lines.len - n };
    }
    if (is_shown)
        (void)text_write(t, END_OF_SCREEN);
}

ubi__live_keys ubi__live_terminal_keys(ubi__live_terminal *t) {
    char keys[64];
    ubi__live_keys pressed = { false, 0 };
    ssize_t n = read(t->fd, keys, sizeof keys);
    struct pollfd state = { .fd = t->fd };
    if (poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)))
        t->is_gone = true;
    for (ssize_t i = 0; i < n; i++) {
        pressed.wants_end |= keys[i] == 'q' || keys[i] == 'Q';
        pressed.n_next += keys[i] == 'n' || keys[i] == 'N';
    }
    pressed.wants_end |= t->is_gone;
    return pressed;
}

/* ---- giving back -------------------------------------------------------------------------------------------------- */

void ubi__live_terminal_leave(ubi__live_terminal *t) {
    if (!t->is_drawn)
        return;
    t->is_drawn = false;
    (void)text_write(t, LEAVE);
    (void)tcsetattr(t->fd, TCSANOW, &t->settings);
}

uint64_t ubi__live_terminal_kept(const ubi__live_terminal *t) {
    struct stat about;
    return fstat(t->kept, &about) == 0 ? (uint64_t)about.st_size : 0;
}

void ubi__live_terminal_follow(ubi__live_terminal *t) {
    char bytes[16384];
    ssize_t n;
    while (!t->is_gone && (n = pread(t->kept, bytes, sizeof bytes, t->shown)) > 0) {
        if (!bytes_write(t, bytes, (size_t)n, true))
            return;
        t->shown += n;
    }
}

void ubi__live_terminal_close(ubi__live_terminal *t) {
    ubi__live_terminal_leave(t);
    output_give_back(t);
    ubi__live_terminal_follow(t);
    resizes_forget(t);
    (void)tcsetattr(t->fd, TCSANOW, &t->settings);
    close(t->kept);
    close(t->fd);
}
