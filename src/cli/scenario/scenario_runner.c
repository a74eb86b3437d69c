/* SPDX-License-Identifier: MIT
 *
 * scenario_runner.c: see scenario_runner.h.
 */
#include "cli/scenario/scenario_runner.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/status.h"

/* UBI__SCENARIO_PROGRAM is the path of scenario_runner.mjs, from cmake/Library.cmake. */
__asm__(".pushsection .rodata\n"
        ".global ubi__scenario_program\n.hidden ubi__scenario_program\nubi__scenario_program:\n"
        ".incbin \"" UBI__SCENARIO_PROGRAM "\"\n"
        ".byte 0\n.popsection\n");
extern const char ubi__scenario_program[] __attribute__((visibility("hidden")));

/* ---- the browser ---------------------------------------------------------------------------------------------------- */

/* Of Debian first. */
static const char *const browsers[] = { "chromium",      "chromium-browser", "google-chrome-stable",
                                        "google-chrome", "microsoft-edge",   NULL };

static bool is_in_path(char out[PATH_MAX], const char *name) {
    for (const char *at = getenv("PATH"); at && *at; at = *at ? at + 1 : at) {
        int length = (int)strcspn(at, ":");
        int n = snprintf(out, PATH_MAX, "%.*s/%s", length, at, name);
        if (length && n < PATH_MAX && access(out, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

static ubi_status browser_find(char out[PATH_MAX], const char *chosen) {
    const char *named = chosen ? chosen : getenv("CHROME_PATH");
    if (named && *named) {
        snprintf(out, PATH_MAX, "%s", named);
        return UBI_OK;
    }
    for (const char *const *name = browsers; *name; name++)
        if (is_in_path(out, *name))
            return UBI_OK;
    return ubi__fail(UBI_EIO, "there is no Chromium or Chrome in PATH: install Debian's package chromium, or name a "
                              "browser with --browser FILE or CHROME_PATH");
}

/* ---- starting ------------------------------------------------------------------------------------------------------- */

static void options_write(ubi__json *json, const ubi__scenario_runner *r, const ubi__scenario_options *o,
                          const char *browser) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "script", r->script);
    ubi__json_member_string(json, "url", o->url);
    ubi__json_member_string(json, "browser", browser);
    ubi__json_member_string(json, "profile", r->profile);
    ubi__json_member_bool(json, "isShown", o->is_shown);
    ubi__json_member_u64(json, "warmUps", o->warm_ups);
    ubi__json_member_i64(json, "repeats", (int64_t)o->times - 1);
    ubi__json_member_u64(json, "patienceMs", o->patience_us / 1000);
    ubi__json_object_end(json);
}

static ubi_status program_start(ubi__scenario_runner *r, const char *options, int channel) {
    char *const words[] = { (char[]){ "node" },         (char[]){ "--input-type=module" },
                            (char[]){ "--eval" },       (char *)(uintptr_t)ubi__scenario_program,
                            (char *)(uintptr_t)options, NULL };
    if (ubi__beside_start_program(&r->program, words, channel) == UBI_OK)
        return UBI_OK;
    return ubi__fail(UBI_EIO, "--do needs Node.js 18 or later, as 'node' in PATH");
}

static ubi_status channel_open(ubi__scenario_runner *r, const char *options) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ubi__fail_errno(errno, "cannot make a socket");
    r->channel = ends[0];
    ubi_status status = program_start(r, options, ends[1]);
    close(ends[1]);
    return status;
}

static ubi_status profile_make(ubi__scenario_runner *r) {
    char path[PATH_MAX];
    const char *chosen = getenv("TMPDIR");
    const char *folder = chosen && *chosen ? chosen : "/tmp";
    int n = snprintf(path, sizeof path, "%s/ubiheap-browser-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path || !mkdtemp(path))
        return ubi__fail_errno(errno, "cannot make a folder in %s", folder);
    memcpy(r->profile, path, sizeof path);
    return UBI_OK;
}

ubi_status ubi__scenario_runner_start(ubi__scenario_runner *r, const ubi__scenario_options *o) {
    char browser[PATH_MAX];
    ubi__vec_u8 text = { NULL, 0, 0 };
    ubi__bytes_sink sink = { &text, ubi_allocator_default() };
    ubi__json json;
    *r = (ubi__scenario_runner){ .channel = -1 };
    if (!realpath(o->script, r->script))
        return ubi__fail_errno(errno, "--do: cannot read %s", o->script);
    UBI_TRY(browser_find(browser, o->browser));
    UBI_TRY(profile_make(r));
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    options_write(&json, r, o, browser);
    ubi_status status = ubi__json_flush(&json);
    if (status == UBI_OK)
        status = ubi__vec_u8_push(&text, ubi_allocator_default(), 0);
    status = status == UBI_OK ? channel_open(r, (const char *)text.at) : ubi__fail_nomem();
    ubi__vec_u8_fini(&text, ubi_allocator_default());
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static bool line_take(ubi_text *out, ubi__scenario_runner *r) {
    const char *end = memchr(r->read, '\n', r->n_read);
    if (!end)
        return false;
    r->n_returned = (size_t)(end - r->read) + 1;
    *out = (ubi_text){ r->read, r->n_returned - 1 };
    return true;
}

ubi_status ubi__scenario_runner_read(ubi_text *out, ubi__scenario_runner *r, int milliseconds) {
    struct pollfd ready = { .fd = r->channel, .events = POLLIN };
    memmove(r->read, r->read + r->n_returned, r->n_read - r->n_returned);
    r->n_read -= r->n_returned;
    r->n_returned = 0;
    *out = (ubi_text){ NULL, 0 };
    if (line_take(out, r) || poll(&ready, 1, milliseconds) <= 0)
        return UBI_OK;
    ssize_t n = recv(r->channel, r->read + r->n_read, sizeof r->read - r->n_read, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return UBI_OK;
    if (n <= 0)
        return ubi__fail(UBI_EIO, "the script ended Node.js before the scenario was over");
    r->n_read += (size_t)n;
    (void)line_take(out, r);
    return UBI_OK;
}

void ubi__scenario_runner_answer(const ubi__scenario_runner *r) {
    (void)send(r->channel, "\n", 1, MSG_NOSIGNAL);
}

/* ---- the end -------------------------------------------------------------------------------------------------------- */

static int entry_remove(const char *path, const struct stat *facts, int type, struct FTW *place) {
    (void)facts, (void)type, (void)place;
    (void)remove(path);
    return 0;
}

#define TICK_US 20000
#define PATIENT_TURNS 100
#define REMOVING_TURNS 500

/* The browser may outlive Node.js. As long as one of a group is there, its number is no other's. */
static void group_end(ubi__beside *program) {
    pid_t group = program->group;
    if (group == 0)
        return;
    (void)kill(-group, SIGTERM);
    ubi__beside_stop(program);
    for (int i = 0; i < PATIENT_TURNS && kill(-group, 0) == 0; i++)
        usleep(TICK_US);
    (void)kill(-group, SIGKILL);
    for (int i = 0; i < PATIENT_TURNS && kill(-group, 0) == 0; i++)
        usleep(TICK_US);
}

/* What is being killed may write a last file meanwhile. */
static void profile_remove(const char *path) {
    for (int i = 0; i < REMOVING_TURNS && path[0] && access(path, F_OK) == 0; i++) {
        if (i > 0)
            usleep(TICK_US);
        (void)nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
    }
}

void ubi__scenario_runner_stop(ubi__scenario_runner *r) {
    if (r->channel >= 0)
        close(r->channel);
    group_end(&r->program);
    profile_remove(r->profile);
    *r = (ubi__scenario_runner){ .channel = -1 };
}
