# SPDX-License-Identifier: MIT
"""A terminal in small: a program behind a pseudoterminal, and what its screen shows.

It knows what ubiheap's views send, and fails on anything else: text, line feeds, carriage returns, moves to the upper left, erasing,
colours, the alternate screen and the cursor."""
import errno
import fcntl
import os
import pty
import re
import struct
import termios

SEQUENCE = re.compile(rb"\x1b\[(\??[0-9;]*)([A-Za-z])")


class SmallTerminal:
    def __init__(self, command, columns=80, rows=24, environment=None, folder=None, before_exec=None):
        self.columns, self.rows = columns, rows
        self.main, self.other = [], []  # lines of the usual and of the alternate screen
        self.is_alternate, self.has_cursor, self.has_colour = False, True, False
        self.was_alternate = False
        self.row = self.column = 0
        self.old_size = None  # from a change of the size until the first screen that was begun afterwards
        self.bytes = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                if folder:
                    os.chdir(folder)
                if before_exec:
                    before_exec()
                os.execvpe(command[0], command, environment or os.environ)
            finally:
                os._exit(127)
        self.resize(columns, rows)
        self.settings = termios.tcgetattr(self.fd)

    def resize(self, columns, rows):
        """The kernel sends SIGWINCH when it changes. What was begun for the old size may still come, or one screen more, whose
        program had asked for the size before."""
        self.old_size = (self.columns, self.rows), 2
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.fd, keys)

    # ---- the screen

    @property
    def screen(self):
        return self.other if self.is_alternate else self.main

    def line(self):
        while len(self.screen) <= self.row:
            self.screen.append("")
        return self.screen[self.row]

    def put(self, character):
        line = self.line()
        if self.is_alternate:
            columns, rows = map(max, (self.columns, self.rows), self.old_size[0] if self.old_size else (0, 0))
            assert self.column < columns, f"a line that is too long: {line!r} and {character!r}"
            assert self.row < rows, f"below the screen: {character!r}"
        line = line.ljust(self.column)
        self.screen[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def sequence(self, parameters, letter):
        if letter == "H" and parameters == "":
            self.row = self.column = 0
            if self.old_size:
                size, screens = self.old_size
                self.old_size = (size, screens - 1) if screens else None
        elif letter == "K" and parameters == "":
            self.screen[self.row] = self.line()[:self.column]
        elif letter == "J" and parameters in ("", "2"):
            self.line()
            if parameters == "2":
                self.screen[:] = []
            else:
                self.screen[self.row] = self.screen[self.row][:self.column]
                del self.screen[self.row + 1:]
        elif letter == "m":
            self.has_colour = True
        elif parameters == "?1049":
            self.is_alternate = letter == "h"
            self.was_alternate |= self.is_alternate
            self.row, self.column = (0, 0) if self.is_alternate else (len(self.main), 0)
        elif parameters == "?25":
            self.has_cursor = letter == "h"
        else:
            raise AssertionError(f"an unknown sequence: {parameters}{letter}")

    def take(self, data):
        self.bytes += data
        while self.bytes:
            if self.bytes[0] == 0x1b:
                found = SEQUENCE.match(self.bytes)
                if not found:
                    return
                self.sequence(found[1].decode(), found[2].decode())
                self.bytes = self.bytes[found.end():]
            elif self.bytes[:1] in (b"\n", b"\r"):
                self.row += self.bytes[:1] == b"\n"
                self.column = 0 if self.bytes[:1] == b"\r" else self.column
                self.bytes = self.bytes[1:]
            else:
                n = 1 if self.bytes[0] < 0x80 else 2 if self.bytes[0] < 0xe0 else 3 if self.bytes[0] < 0xf0 else 4
                if len(self.bytes) < n:
                    return
                self.put(self.bytes[:n].decode())
                self.bytes = self.bytes[n:]

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen)

    # ---- events

    def read(self):
        """What comes next. False: the program, and all that it started, is gone."""
        try:
            data = os.read(self.fd, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return False
        self.take(data)
        return bool(data)

    def wait_for(self, holds):
        """Until a condition on the terminal holds, after some output."""
        while not holds(self):
            assert self.read(), "it ended before that:\n" + self.text()

    def wait_for_text(self, pattern):
        self.wait_for(lambda terminal: re.search(pattern, terminal.text()))

    def end(self):
        """Reads to the end; the exit status as of subprocess."""
        while self.read():
            pass
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
