/* SPDX-License-Identifier: MIT
 *
 * live_terminal.h: the terminal while it shows a program that runs: taken over, drawn on, given back.
 *
 * What the program, and we, write to a terminal meanwhile is kept in a file and follows when the view is closed; what goes elsewhere is
 * not touched. Keys are the view's: a program that would read them has no input.
 */
#ifndef UBI_CLI_LIVE_TERMINAL_H
#define UBI_CLI_LIVE_TERMINAL_H

#include <sys/types.h>
#include <termios.h>

#include "render/display.h"

typedef struct ubi__live_terminal {
    int fd;        /* of our own, which never waits */
    int resized;   /* readable once after each change of the size */
    int kept;      /* the file; -1: nothing is kept */
    int before[3]; /* what the standard descriptors were; -1: not replaced */
    off_t shown;   /* of the file */
    bool is_drawn; /* the view is there */
    bool is_gone;  /* the terminal */
    struct termios settings;
    unsigned columns, rows; /* as of the last look */
} ubi__live_terminal;

/**
 * Takes it over: what is written from now on is kept. Errors: UBI_EIO: there is none, or it cannot be drawn on, or is another job's.
 */
ubi_status ubi__live_terminal_open(ubi__live_terminal *t);
/** Asks how large it is. */
void ubi__live_terminal_measure(ubi__live_terminal *t);
/** Shows lines in place of what was there, as many as there are rows. Gives up on a terminal that takes nothing. */
void ubi__live_terminal_show(ubi__live_terminal *t, ubi_text lines);
/** Keys that were pressed since the last time. */
typedef struct ubi__live_keys {
    bool wants_end;  /* or the terminal is gone */
    unsigned n_next; /* how often the next process was asked for */
} ubi__live_keys;
ubi__live_keys ubi__live_terminal_keys(ubi__live_terminal *t);
/** Gives the screen back, as it was. */
void ubi__live_terminal_leave(ubi__live_terminal *t);
/** Shows what was kept since the last time. */
void ubi__live_terminal_follow(ubi__live_terminal *t);
/** Bytes that are kept. */
uint64_t ubi__live_terminal_kept(const ubi__live_terminal *t);
/** Leaves, follows, and gives everything back. */
void ubi__live_terminal_close(ubi__live_terminal *t);

#endif
