/* SPDX-License-Identifier: MIT
 *
 * run_settings.c: see run_settings.h.
 */
#include "cli/commands/run/run_settings.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"

const char *const ubi__run_trigger_names[UBI__RUN_TRIGGERS] = { "exit", "signal", "gc", "interval", "oom", "command" };

/* ---- settings ----------------------------------------------------------------------------------------------------- */

static ubi_status read_moment(ubi__run_settings *s, const char *word) {
    for (int i = 0; i <= UBI__RUN_AT_GC; i++)
        if (strcmp(word, ubi__run_trigger_names[i]) == 0) {
            s->wants_snapshot[i] = true;
            return UBI_OK;
        }
    if (word[0] < '0' || word[0] > '9')
        return ubi__fail(UBI_EINVAL, "--snapshot-at: expected exit, signal, gc or a time such as 10s, not '%s'", word);
    if (s->interval_us)
        return ubi__fail(UBI_EINVAL, "--snapshot-at: two intervals are given, of which one is '%s'", word);
    s->wants_snapshot[UBI__RUN_AT_INTERVAL] = true;
    return ubi__parse_duration(&s->interval_us, word, "--snapshot-at");
}

/* Stack reserved for the engine's C functions and the tools. */
#define STACK_RESERVE (512u << 10)

static ubi_status read_stack_size(ubi__run_settings *s, const char *text) {
    struct rlimit limit;
    if (!text)
        return UBI_OK;
    UBI_TRY(ubi__parse_size(&s->stack_limit_bytes, text, "--stack-size"));
    if (s->stack_limit_bytes < 1024)
        return ubi__fail(UBI_EINVAL, "--stack-size: %s is too small", text);
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        s->stack_limit_bytes > (limit.rlim_cur > STACK_RESERVE ? limit.rlim_cur - STACK_RESERVE : 0))
        return ubi__fail(UBI_EINVAL, "--stack-size: %s is more than the system gives (ulimit -s: %llu KiB)", text,
                         (unsigned long long)limit.rlim_cur / 1024);
    return UBI_OK;
}

static ubi_status read_heap_limit(ubi__run_settings *s, const char *text) {
    if (!text)
        return UBI_OK;
    UBI_TRY(ubi__parse_size(&s->heap_limit_bytes, text, "--heap-limit"));
    if (s->heap_limit_bytes == 0)
        return ubi__fail(UBI_EINVAL, "--heap-limit: %s is too small", text);
    return UBI_OK;
}

/* Final outputs that can show where things were allocated. */
static bool wants_sites(const ubi__run_settings *s, const ubi__run_arguments *a,
                        const ubi__breakdown_choice *breakdown) {
    if (a->sites)
        return a->sites > 0;
    for (int i = 0; i < UBI__RUN_TRIGGERS; i++)
        if (s->wants_snapshot[i])
            return true;
    return a->allocation_log || a->probability || a->is_interactive ||
           (s->wants_census && ubi__text_contains(breakdown->json, ubi__text("allocationStack")));
}

static ubi_status settings_check(const ubi__run_arguments *a) {
    if (a->is_module && a->is_script)
        return ubi__fail(UBI_EINVAL, "--module and --script exclude each other");
    if (a->is_module && a->must_print)
        return ubi__fail(UBI_EINVAL, "--print does not go with --module: a module has no value");
    if (a->allocation_log && a->sites < 0)
        return ubi__fail(UBI_EINVAL, "--allocation-log does not go with --no-sites");
    if (a->timeline && strcmp(a->timeline, "-") == 0)
        return ubi__fail(UBI_EINVAL, "--timeline: standard output belongs to the script");
    if (!a->census_at && (a->by.breakdown.text || a->by.wants_tree || a->by.inverted || a->by.filter))
        return ubi__fail(UBI_EINVAL, "options of the census need --census-at exit");
    return UBI_OK;
}

static ubi_status check_pattern(const char *pattern) {
    char name[4096];
    const ubi__run_name any = { "x", 1, 0, UBI__RUN_AT_EXIT };
    if (!pattern)
        return UBI_OK;
    if (strcmp(pattern, "-") == 0)
        return ubi__fail(UBI_EINVAL, "--snapshot-output: standard output belongs to the script");
    return ubi__run_file_name(name, sizeof name, pattern, &any);
}

ubi_status ubi__run_settings_read(ubi__run_settings *out, const ubi__run_arguments *a,
                                  const ubi__breakdown_choice *breakdown) {
    ubi__run_settings s = { .wants_census = a->census_at != NULL, .probability = 1 };
    UBI_TRY(settings_check(a));
    UBI_TRY(check_pattern(a->snapshot_output));
    for (uint32_t i = 0; i < a->snapshot_at.n; i++)
        UBI_TRY(read_moment(&s, a->snapshot_at.at[i]));
    s.wants_snapshot[UBI__RUN_AT_OOM] = a->wants_snapshot_on_oom;
    UBI_TRY(read_heap_limit(&s, a->heap_limit));
    UBI_TRY(read_stack_size(&s, a->stack_size));
    if (a->probability)
        UBI_TRY(ubi__parse_probability(&s.probability, a->probability, "--sampling-probability"));
    s.with_sites = wants_sites(&s, a, breakdown);
    *out = s;
    return UBI_OK;
}

/* ---- names of files ----------------------------------------------------------------------------------------------- */

/* The script's name without folder and extension. */
static ubi_text script_stem(const char *path) {
    if (strcmp(path, "-") == 0)
        return ubi__text("stdin");
    if (strcmp(path, UBI__RUN_CODE) == 0)
        return ubi__text("cmdline");
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return (ubi_text){ name, dot && dot != name ? (size_t)(dot - name) : strlen(name) };
}

/* What replaces a letter; NULL text: unknown letter. */
static ubi_text value_of(char letter, const ubi__run_name *name, char number[24]) {
    switch (letter) {
    case 's':
        return script_stem(name->script);
    case 't':
        return ubi__text(ubi__run_trigger_names[name->trigger]);
    case '%':
        return ubi__text("%");
    case 'n':
        snprintf(number, 24, "%u", name->number);
        return ubi__text(number);
    case 'w':
        snprintf(number, 24, "%u", name->worker);
        return ubi__text(number);
    case 'p':
        snprintf(number, 24, "%ld", (long)getpid());
        return ubi__text(number);
    default:
        return (ubi_text){ NULL, 0 };
    }
}

ubi_status ubi__run_file_name(char *out, size_t size, const char *pattern, const ubi__run_name *name) {
    char number[24];
    size_t n = 0;
    for (const char *p = pattern; *p; p++) {
        ubi_text part = { p, 1 };
        if (*p == '%')
            part = value_of(*++p, name, number);
        if (!part.ptr)
            return ubi__fail(UBI_EINVAL, "--snapshot-output: '%s' has a %% that is not %%s, %%n, %%w, %%t, %%p or %%%%",
                             pattern);
        if (part.len >= size - n)
            return ubi__fail(UBI_EINVAL, "--snapshot-output: the name is too long");
        memcpy(out + n, part.ptr, part.len);
        n += part.len;
    }
    out[n] = '\0';
    return n ? UBI_OK : ubi__fail(UBI_EINVAL, "--snapshot-output: the name is empty");
}
