/* SPDX-License-Identifier: MIT
 *
 * main.c: ubiheap, the command line tool.
 *
 * Makes the process fit to run a command (tool.h), and ends it with the result (ubi__finish).
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "cli/tool.h"

/* A large buffer. */
static ubi__standard_output standard_output;

/*
 * A closed descriptor 0 to 2 would be given to the next file opened, and output would go there. Programs that we start
 * find it closed, as we did.
 */
static void occupy_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
            _exit(UBI__EXIT_SYSTEM);
}

int main(int argc, char **argv) {
    occupy_standard_descriptors();
    ubi__interrupt_install();
    ubi__standard_output_init(&standard_output, STDOUT_FILENO);
    ubi__cli cli = { .output = &standard_output };
    int exit_code = UBI__EXIT_OK;
    ubi_status status = ubi__tool_run(&cli, argv, argc, &exit_code);
    return ubi__finish(&cli, status, exit_code);
}
