/* SPDX-License-Identifier: MIT
 *
 * native_launch.c: starts the program, with the library that gets into it and the door where it knocks (native_launch.h).
 */
#include "targets/native/native_launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"
#include "recording/preload_wire.h"
#include "targets/native/native_proc.h"

extern char **environ;

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static const int passed_on[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

static bool is_passed_on(uint32_t number) {
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        if (number == (uint32_t)passed_on[i])
            return true;
    return false;
}

/* Blocked signals stay pending for the descriptor even where they are ignored. But who ignores SIGCHLD never learns how a
   child ended. */
static ubi_status take_signals(ubi__native_launch *l) {
    struct sigaction before;
    sigset_t ours;
    l->was_ignoring_children = sigaction(SIGCHLD, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (l->was_ignoring_children)
        signal(SIGCHLD, SIG_DFL);
    sigemptyset(&ours);
    sigaddset(&ours, SIGCHLD);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ); /* a file that is too large is an error like a full disk */
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&ours, passed_on[i]);
    sigprocmask(SIG_BLOCK, &ours, &l->mask_before);
    sigdelset(&ours, SIGPIPE);
    sigdelset(&ours, SIGXFSZ);
    l->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    return l->signals < 0 ? ubi__fail_errno(errno, "cannot wait for signals") : UBI_OK;
}

/* What it used is with what the children used that it waited for: whether there were any must be asked before it is reaped. */
static void learn_of_end(ubi__native_launch *l) {
    int status;
    struct rusage usage;
    siginfo_t end = { .si_pid = 0 };
    if (l->pid <= 0 || l->has_ended || waitid(P_PID, (id_t)l->pid, &end, WEXITED | WNOHANG | WNOWAIT) < 0 ||
        end.si_pid != l->pid)
        return;
    bool is_alone = !ubi__proc_has_reaped(l->pid);
    if (wait4(l->pid, &status, WNOHANG, &usage) != l->pid)
        return;
    l->has_ended = true;
    l->wait_status = status;
    uint64_t kib = is_alone && usage.ru_maxrss > 0 ? (uint64_t)usage.ru_maxrss : 0;
    l->peak_bytes = kib > l->own_peak_kib ? kib << 10 : 0;
}

bool ubi__native_launch_attend(ubi__native_launch *l) {
    struct signalfd_siginfo signal;
    bool wants_end = false;
    while (read(l->signals, &signal, sizeof signal) == sizeof signal) {
        if (!is_passed_on(signal.ssi_signo))
            continue;
        wants_end |= signal.ssi_signo != SIGUSR1 && signal.ssi_signo != SIGUSR2;
        /* The terminal's come from the kernel, and the program has them already. */
        if (signal.ssi_code <= 0 && l->pid > 0 && !l->has_ended)
            kill(l->pid, (int)signal.ssi_signo);
    }
    learn_of_end(l);
    return wants_end;
}

/* ---- the new process ---------------------------------------------------------------------------------------------- */

/* environ with our two variables: environment[n], then NULL. The first two are owned. */
typedef struct environment {
    const ubi_allocator *allocator;
    char *preload, *socket;
    size_t preload_bytes, socket_bytes;
    char **at;
    size_t n;
} environment;

static bool is_variable(const char *entry, const char *name) {
    size_t n = strlen(name);
    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static ubi_status make_entry(char **out, size_t *bytes, const ubi_allocator *a, const char *name, const char *value,
                             const char *rest) {
    *bytes = strlen(name) + strlen(value) + strlen(rest) + 3;
    *out = ubi__alloc_array(a, *bytes, 1);
    if (!*out)
        return ubi__fail_nomem();
    snprintf(*out, *bytes, "%s=%s%s%s", name, value, *rest ? ":" : "", rest);
    return UBI_OK;
}

static ubi_status environment_make(environment *e, const ubi__native_door *door, const ubi_allocator *a) {
    const char *preloaded = getenv("LD_PRELOAD");
    size_t n = 0;
    *e = (environment){ .allocator = a };
    UBI_TRY(make_entry(&e->preload, &e->preload_bytes, a, "LD_PRELOAD", door->library, preloaded ? preloaded : ""));
    UBI_TRY(make_entry(&e->socket, &e->socket_bytes, a, UBI__WIRE_SOCKET_VARIABLE, door->socket_path, ""));
    while (environ[n])
        n++;
    e->at = ubi__calloc_array(a, n + 3, sizeof *e->at);
    if (!e->at)
        return ubi__fail_nomem();
    e->n = n + 2;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_variable(environ[i], "LD_PRELOAD") && !is_variable(environ[i], UBI__WIRE_SOCKET_VARIABLE))
            e->at[kept++] = environ[i];
    e->at[kept++] = e->preload;
    e->at[kept] = e->socket;
    return UBI_OK;
}

static void environment_fini(environment *e) {
    ubi__free_array(e->allocator, e->preload, e->preload_bytes, 1);
    ubi__free_array(e->allocator, e->socket, e->socket_bytes, 1);
    ubi__free_array(e->allocator, e->at, e->n + 1, sizeof *e->at);
}

/* In the new process: waits at the gate, then becomes the program. Without us, the gate opens to nothing, and it ends. */
static void become_program(const ubi__native_launch *l, const ubi__native_program *p, const environment *e, int gate,
                           int failure) {
    char go;
    if (read(gate, &go, 1) != 1)
        _exit(UBI__PROGRAM_CANNOT_RUN);
    if (l->was_ignoring_children)
        signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_SETMASK, &l->mask_before, NULL);
    execve(p->path, p->arguments, e->at);
    int error = errno;
    if (write(failure, &error, sizeof error) != sizeof error)
        _exit(UBI__PROGRAM_CANNOT_RUN);
    _exit(error == ENOENT ? UBI__PROGRAM_NOT_FOUND : UBI__PROGRAM_CANNOT_RUN);
}

static ubi_status make_process(ubi__native_launch *l, const ubi__native_program *p, const environment *e) {
    int gate[2], failure[2];
    if (pipe2(gate, O_CLOEXEC) < 0)
        return ubi__fail_errno(errno, "cannot make a pipe");
    if (pipe2(failure, O_CLOEXEC) < 0) {
        int error = errno;
        close(gate[0]);
        close(gate[1]);
        return ubi__fail_errno(error, "cannot make a pipe");
    }
    struct rusage own;
    if (getrusage(RUSAGE_SELF, &own) == 0 && own.ru_maxrss > 0)
        l->own_peak_kib = (uint64_t)own.ru_maxrss;
    pid_t pid = fork();
    if (pid == 0) {
        close(gate[1]);
        become_program(l, p, e, gate[0], failure[1]);
    }
    int error = errno;
    close(gate[0]);
    close(failure[1]);
    l->gate = gate[1];
    l->failure = failure[0];
    if (pid < 0)
        return ubi__fail_errno(error, "cannot make a process");
    l->pid = pid;
    return UBI_OK;
}

static ubi_status open_launch(ubi__native_launch *l, const ubi__native_program *p, const ubi__native_door *door) {
    environment e;
    UBI_TRY(take_signals(l));
    ubi_status status = environment_make(&e, door, p->allocator);
    if (status == UBI_OK)
        status = make_process(l, p, &e);
    environment_fini(&e);
    return status;
}

ubi_status ubi__native_launch_open(ubi__native_launch *launch, const ubi__native_program *program,
                                   const ubi__native_door *door) {
    *launch = (ubi__native_launch){ .signals = -1, .gate = -1, .failure = -1 };
    ubi_status status = open_launch(launch, program, door);
    if (status != UBI_OK)
        ubi__native_launch_close(launch);
    return status;
}

ubi_status ubi__native_launch_none(ubi__native_launch *launch) {
    *launch = (ubi__native_launch){ .signals = -1, .gate = -1, .failure = -1, .has_ended = true };
    ubi_status status = take_signals(launch);
    if (status != UBI_OK)
        ubi__native_launch_close(launch);
    return status;
}

static void shut_descriptor(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

ubi_status ubi__native_launch_go(ubi__native_launch *l, const ubi__native_program *program, int *exit_code) {
    int error = 0;
    ssize_t n;
    UBI_ASSERT(l->pid > 0 && l->gate >= 0 && l->failure >= 0); /* it waits */
    if (write(l->gate, "", 1) != 1)
        return ubi__fail_errno(errno, "cannot start '%s'", program->path);
    shut_descriptor(&l->gate);
    do
        n = read(l->failure, &error, sizeof error); /* ends when exec has closed it */
    while (n < 0 && errno == EINTR);
    shut_descriptor(&l->failure);
    if (n != sizeof error)
        return UBI_OK;
    *exit_code = error == ENOENT ? UBI__PROGRAM_NOT_FOUND : UBI__PROGRAM_CANNOT_RUN;
    return ubi__fail(UBI_EINVAL, "cannot run '%s': %s", program->path, strerror(error));
}

/* What has come meanwhile is ours, not for those who work after us. */
static void drop_signals(void) {
    const struct timespec at_once = { 0 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    while (sigtimedwait(&set, NULL, &at_once) > 0) {
    }
}

void ubi__native_launch_close(ubi__native_launch *l) {
    bool waits = l->gate >= 0 && l->pid > 0 && !l->has_ended;
    shut_descriptor(&l->gate);
    shut_descriptor(&l->failure);
    if (waits)
        waitpid(l->pid, &l->wait_status, 0);
    shut_descriptor(&l->signals);
    drop_signals();
    if (l->was_ignoring_children)
        signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_SETMASK, &l->mask_before, NULL);
}

/* ---- the door ----------------------------------------------------------------------------------------------------- */

#define BACKLOG 128
/* What an answer may take: a process that says nothing must not hold up the others. */
#define PATIENCE_S 1
#define PREFIX "ubiheap-"
#define UNIQUE "XXXXXX"
#define SOCKET "socket"
#define CONTROL "control" /* native_control.h */
/* So old a folder has been locked by its maker, if that lives. */
#define SURELY_LOCKED_S 10
#define MANY_GENERATIONS 1000

/* ---- the folder --------------------------------------------------------------------------------------------------- */

/* Whether it is a folder of a ubiheap of this user that is gone. A new one may not be locked yet. */
static bool is_leftover(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           time(NULL) - about.st_mtime > SURELY_LOCKED_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* What is not of our making stays, and the folder with it. */
static void remove_leftover(int parent, const char *name) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_leftover(fd)) {
        (void)unlinkat(fd, SOCKET, 0);
        (void)unlinkat(fd, CONTROL, 0);
        (void)unlinkat(fd, UBI__WIRE_LIBRARY, 0);
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    }
    close(fd);
}

bool ubi__native_door_is_folder(const char *name) {
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && strlen(name) == strlen(PREFIX UNIQUE);
}

static void remove_leftovers(const char *path) {
    DIR *parent = opendir(path);
    if (!parent)
        return;
    for (struct dirent *e; (e = readdir(parent));)
        if (ubi__native_door_is_folder(e->d_name))
            remove_leftover(dirfd(parent), e->d_name);
    closedir(parent);
}

static bool make_folder(ubi__native_door *door, const char *parent) {
    if (!parent || parent[0] != '/' ||
        (size_t)snprintf(door->folder, sizeof door->folder, "%s/" PREFIX UNIQUE, parent) >= sizeof door->folder)
        return false;
    if (!mkdtemp(door->folder))
        return false;
    door->lock = open(door->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (door->lock < 0 || flock(door->lock, LOCK_EX | LOCK_NB) < 0) {
        int error = errno;
        rmdir(door->folder);
        if (door->lock >= 0)
            close(door->lock);
        door->lock = -1;
        errno = error;
        return false;
    }
    remove_leftovers(parent);
    return true;
}

static ubi_status listen_there(ubi__native_door *door) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    bool is_root = geteuid() == 0;
    snprintf(door->socket_path, sizeof door->socket_path, "%s/" SOCKET, door->folder);
    memcpy(address.sun_path, door->socket_path, sizeof address.sun_path);
    door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (door->fd < 0 || bind(door->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(door->fd, BACKLOG) < 0)
        return ubi__fail_errno(errno, "cannot make a socket in %s", door->folder);
    if (is_root && (chmod(door->folder, 0711) < 0 || chmod(door->socket_path, 0666) < 0))
        return ubi__fail_errno(errno, "cannot make a socket in %s", door->folder);
    return UBI_OK;
}

static ubi_status place_library(ubi__native_door *door, const char *library) {
    if (!strpbrk(library, " :\t\n")) {
        if ((size_t)snprintf(door->library, sizeof door->library, "%s", library) < sizeof door->library)
            return UBI_OK;
        return ubi__fail(UBI_EIO, "the path of " UBI__WIRE_LIBRARY " is too long");
    }
    snprintf(door->library, sizeof door->library, "%s/" UBI__WIRE_LIBRARY, door->folder);
    if (symlink(library, door->library) < 0)
        return ubi__fail_errno(errno, "cannot make a link in %s", door->folder);
    door->has_link = true;
    return UBI_OK;
}

ubi_status ubi__native_door_open(ubi__native_door *door, const char *library) {
    *door = (ubi__native_door){ .fd = -1, .lock = -1 };
    if (!make_folder(door, getenv("XDG_RUNTIME_DIR")) && !make_folder(door, getenv("TMPDIR")) &&
        !make_folder(door, "/tmp"))
        return ubi__fail_errno(errno, "cannot make a folder in /tmp");
    ubi_status status = listen_there(door);
    if (status == UBI_OK)
        status = place_library(door, library);
    if (status != UBI_OK)
        ubi__native_door_close(door);
    return status;
}

void ubi__native_door_shut(ubi__native_door *door) {
    if (door->fd < 0)
        return;
    close(door->fd);
    door->fd = -1;
    unlink(door->socket_path);
    if (door->has_link)
        unlink(door->library);
    door->has_link = false;
}

void ubi__native_door_close(ubi__native_door *door) {
    ubi__native_door_shut(door);
    if (door->lock < 0)
        return;
    rmdir(door->folder);
    close(door->lock);
    door->lock = -1;
}

/* ---- who knocks --------------------------------------------------------------------------------------------------- */

static bool descends_from_us(pid_t pid) {
    for (int generations = 0; generations < MANY_GENERATIONS && pid > 1; generations++)
        if ((pid = ubi__proc_parent(pid)) == getpid())
            return true;
    return false;
}

static bool is_one_of_ours(int socket, pid_t *pid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0)
        return false;
    *pid = peer.pid;
    return peer.uid == geteuid() || (geteuid() == 0 && descends_from_us(peer.pid));
}

int ubi__native_door_answer(ubi__native_door *door, pid_t *pid) {
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    for (;;) {
        int socket = accept4(door->fd, NULL, NULL, SOCK_CLOEXEC);
        if (socket < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (socket < 0)
            return -1;
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        if (is_one_of_ours(socket, pid))
            return socket;
        close(socket);
    }
}

/* ---- the library -------------------------------------------------------------------------------------------------- */

/* From the folder of the tool. */
static const char *const folders[] = { "../lib/ubiheap", "../lib/x86_64-linux-gnu/ubiheap", "../lib64/ubiheap",
                                       "../lib" };

static bool is_there(char *out, size_t size, const char *path) {
    char whole[PATH_MAX];
    if (!realpath(path, whole) || access(whole, R_OK) < 0)
        return false;
    return (size_t)snprintf(out, size, "%s", whole) < size;
}

ubi_status ubi__native_part_find(char *out, size_t size, const char *file, const char *variable) {
    char tool[PATH_MAX], path[PATH_MAX + 64];
    const char *named = getenv(variable);
    if (named && *named)
        return is_there(out, size, named) ? UBI_OK
                                          : ubi__fail(UBI_EIO, "%s names '%s', which is not there", variable, named);
    size_t n = ubi__proc_executable(tool, sizeof tool - 1, getpid());
    tool[n] = '\0';
    char *slash = strrchr(tool, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", tool, folders[i], file);
        if (is_there(out, size, path))
            return UBI_OK;
    }
    return ubi__fail(UBI_EIO, "cannot find %s in %s/../lib/ubiheap; %s can name it", file, tool, variable);
}

ubi_status ubi__native_library_find(char *out, size_t size) {
    return ubi__native_part_find(out, size, UBI__WIRE_LIBRARY, "UBIHEAP_PRELOAD");
}
