/* SPDX-License-Identifier: MIT
 *
 * node_inspector_test.c: ports of a process, and whether it may be signalled, from files like those of /proc that the test writes.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cdp/node_cluster.h"
#include "cdp/node_inspector.h"

#define PID 77

typedef struct place {
    char root[64];
} place;

static void folder_make(const place *p, const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s%s", p->root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void file_write(const place *p, const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s%s", p->root, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void link_make(const place *p, const char *name, const char *to) {
    char path[200];
    snprintf(path, sizeof path, "%s%s", p->root, name);
    (void)unlink(path);
    assert_int_equal(symlink(to, path), 0);
}

static int place_open(void **state) {
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    snprintf(p->root, sizeof p->root, "/tmp/ubiheap-node-XXXXXX");
    assert_non_null(mkdtemp(p->root));
    folder_make(p, "/proc");
    folder_make(p, "/proc/77");
    folder_make(p, "/proc/77/fd");
    folder_make(p, "/proc/77/net");
    link_make(p, "/proc/77/exe", "/usr/bin/node");
    *state = p;
    return 0;
}

static int place_close(void **state) {
    place *p = *state;
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", p->root);
    int status = system(command);
    free(p);
    return status;
}

#define HEAD "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
#define ROW(local, state, inode)                                                                                       \
    "   0: " local " 00000000:0000 " state " 00000000:00000000 00:00000000 00000000  1000        0 " inode             \
    " 1 0000000000000000 100 0 0 10 0\n"

static void test_ports_are_those_that_listen_and_are_the_process_s(void **state) {
    const place *p = *state;
    ubi__node_ports ports;
    link_make(p, "/proc/77/fd/0", "/dev/null");
    link_make(p, "/proc/77/fd/5", "socket:[1000]");
    link_make(p, "/proc/77/fd/6", "socket:[1001]");
    file_write(p, "/proc/77/net/tcp",
               HEAD ROW("0100007F:240D", "0A", "1000") ROW("0100007F:240E", "01", "1000") /* connected */
               ROW("0100007F:240F", "0A", "1002")                                         /* another's */
               ROW("00000000:1F90", "0A", "1001") ROW("0A00000A:1F91", "0A", "1001")      /* on a network alone */
               "junk\n");
    file_write(p, "/proc/77/net/tcp6",
               HEAD ROW("00000000000000000000000001000000:2410", "0A", "1000")
                   ROW("00000000000000000000000000000000:1F90", "0A", "1001"));
    assert_int_equal(ubi__node_ports_find(&ports, p->root, PID), UBI_OK);
    assert_int_equal(ports.n, 3);
    assert_int_equal(ports.at[0], 9229);
    assert_int_equal(ports.at[1], 8080);
    assert_int_equal(ports.at[2], 9232);
}

static void test_the_port_of_an_inspector_is_among_the_arguments(void **state) {
    static const struct {
        const char *arguments; /* with a space in place of each NUL */
        uint16_t port;
    } programs[] = { { "node server.js", 9229 },
                     { "node --inspect-port=9300 server.js", 9300 },
                     { "node --inspect-port=127.0.0.1:9301 server.js", 9301 },
                     { "node --debug-port=0 server.js", 0 },
                     { "node --inspect-port=99999 --inspect-port=x server.js", 9229 } };
    const place *p = *state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/proc/77/cmdline", p->root);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        for (const char *at = programs[i].arguments; *at; at++)
            fputc(*at == ' ' ? '\0' : *at, file);
        fputc('\0', file);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(ubi__node_inspector_port(p->root, PID), programs[i].port);
    }
    file_write(p, "/proc/77/net/tcp",
               HEAD ROW("0100007F:240D", "0A", "1") ROW("0100007F:240E", "01", "2") ROW("0A00000A:1F91", "0A", "3"));
    assert_true(ubi__node_port_is_taken(p->root, PID, 9229));
    assert_false(ubi__node_port_is_taken(p->root, PID, 9230)); /* connected */
    assert_false(ubi__node_port_is_taken(p->root, PID, 8081)); /* on a network alone */
    assert_false(ubi__node_has_ended(p->root, PID));
    assert_true(ubi__node_has_ended(p->root, PID + 1));
}

static void test_a_process_without_sockets_has_no_ports(void **state) {
    const place *p = *state;
    ubi__node_ports ports;
    assert_int_equal(ubi__node_ports_find(&ports, p->root, PID), UBI_OK);
    assert_int_equal(ports.n, 0);
    assert_int_equal(ubi__node_ports_find(&ports, p->root, 78), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "there is no process 78");
}

static void test_only_node_that_catches_the_signal_gets_it(void **state) {
    const place *p = *state;
    file_write(p, "/proc/77/status", "Name:\tnode\nSigCgt:\t0000000100004602\n");
    assert_int_equal(ubi__node_check(p->root, PID), UBI_OK);
    file_write(p, "/proc/77/status", "Name:\tnode\nSigCgt:\t0000000100004402\n");
    assert_int_equal(ubi__node_check(p->root, PID), UBI_ESTATE);
    assert_non_null(strstr(ubi_error_message(), "--disable-sigusr1"));
    file_write(p, "/proc/77/status", "Name:\tnode\n");
    assert_int_equal(ubi__node_check(p->root, PID), UBI_ESTATE);
    file_write(p, "/proc/77/status", "SigCgt:\tffffffffffffffff\n");
    link_make(p, "/proc/77/exe", "/usr/bin/sleep");
    assert_int_equal(ubi__node_check(p->root, PID), UBI_ESTATE);
    assert_non_null(strstr(ubi_error_message(), "process 77 is sleep, not Node.js"));
    assert_int_equal(ubi__node_check(p->root, 78), UBI_ENOTFOUND);
}

/* The default of the signal is to end the process. */
static void test_another_program_is_left_alone(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        execlp("sleep", "sleep", "1000", NULL);
        _exit(127);
    }
    assert_true(child > 0);
    assert_int_equal(ubi__node_open(child), UBI_ESTATE);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void connections_to_a_port_are_counted(void **state) {
    const place *p = *state;
    link_make(p, "/proc/77/fd/9", "socket:[900]");
    link_make(p, "/proc/77/fd/8", "socket:[901]");
    file_write(p, "/proc/77/net/tcp",
               "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
               "   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 899 1\n"
               "   1: 0100007F:240D 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 900 1\n"
               "   2: 0100007F:9999 0100007F:240D 01 00000000:00000000 00:00000000 00000000     0        0 902 1\n"
               "   3: 0100007F:240E 0100007F:240D 01 00000000:00000000 00:00000000 00000000     0        0 901 1\n");
    assert_int_equal(ubi__node_connection_count(p->root, PID, 9229), 1);
    assert_int_equal(ubi__node_connection_count(p->root, PID, 9231), 0);
    assert_int_equal(ubi__node_connection_count(p->root, PID + 1, 9229), 0);
}

/* Of three children one is of the cluster. */
static void members_are_children_that_say_so(void **state) {
    place *p = *state;
    ubi__node_members members = { NULL, 0, 0 };
    const ubi_allocator *a = ubi_allocator_default();
    for (unsigned pid = 78; pid <= 80; pid++) {
        char name[64], text[64];
        snprintf(name, sizeof name, "/proc/%u", pid);
        folder_make(p, name);
        snprintf(name, sizeof name, "/proc/%u/stat", pid);
        snprintf(text, sizeof text, "%u (no) de) S %u 1 1", pid, pid == 80 ? 1 : PID);
        file_write(p, name, text);
        snprintf(name, sizeof name, "/proc/%u/environ", pid);
        file_write(p, name, pid == 79 ? "HOME=/" : "NODE_UNIQUE_ID=1");
    }
    assert_int_equal(ubi__node_members_find(&members, p->root, PID, false, a), UBI_OK);
    assert_int_equal(members.n, 1);
    assert_int_equal(members.at[0].pid, 78);
    ubi__node_members_fini(&members, a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(connections_to_a_port_are_counted, place_open, place_close),
        cmocka_unit_test_setup_teardown(test_ports_are_those_that_listen_and_are_the_process_s, place_open,
                                        place_close),
        cmocka_unit_test_setup_teardown(test_the_port_of_an_inspector_is_among_the_arguments, place_open, place_close),
        cmocka_unit_test_setup_teardown(test_a_process_without_sockets_has_no_ports, place_open, place_close),
        cmocka_unit_test_setup_teardown(test_only_node_that_catches_the_signal_gets_it, place_open, place_close),
        cmocka_unit_test_setup_teardown(members_are_children_that_say_so, place_open, place_close),
        cmocka_unit_test(test_another_program_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
