/* SPDX-License-Identifier: MIT
 *
 * terminal.c: what the output can show.
 */
#include "cli/terminal.h"

#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NARROWEST 40
#define WIDEST 1000

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

static unsigned columns_clamp(unsigned long columns) {
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : (unsigned)columns;
}

static unsigned find_columns(int fd) {
    const char *variable = color_setting("COLUMNS");
    unsigned long columns = variable ? strtoul(variable, NULL, 10) : 0;
    if (columns > 0)
        return columns_clamp(columns);
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return columns_clamp(size.ws_col);
    return UBI__COLUMNS_UNKNOWN;
}

ubi__style ubi__terminal_style(int fd, const char *choice) {
    return (ubi__style){ wants_color(fd, choice), shows_unicode(), find_columns(fd) };
}
