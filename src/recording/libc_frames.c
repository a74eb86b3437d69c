/* SPDX-License-Identifier: MIT
 *
 * libc_frames.c: see libc_frames.h.
 *
 * Names stand without the underscores before them, of which an internal name of an exported function has more, and without "_r" behind
 * them. All must be among those that copies for others keep (analyses/anonymize/public_names_native.c).
 */
#include "recording/libc_frames.h"

#include <string.h>

#include "base/text.h"

typedef struct pool_functions {
    ubi__libc_pool pool;
    bool gives; /* what they ask for themselves is their caller's, who has to give it back; the rest they keep */
    const char *names;
} pool_functions;

static const pool_functions known[] = {
    { UBI__LIBC_LOADER, false,
      "|dlopen|dlmopen|dlsym|dlvsym|dlclose|dlinfo|dladdr|dladdr1|dlerror|dlerror_run|libc_dlopen_mode|libc_dlsym|"
      "libc_dlclose|dl_open|dl_catch_error|dl_catch_exception|dl_signal_error|dl_signal_exception|backtrace|"
      "pthread_cancel|pthread_exit|" },
    { UBI__LIBC_LOCALES, false,
      "|setlocale|bindtextdomain|textdomain|bind_textdomain_codeset|set_binding_values|gettext|dgettext|dcgettext|"
      "ngettext|dngettext|dcngettext|dcigettext|nl_find_locale|nl_find_domain|nl_load_locale_from_archive|" },
    { UBI__LIBC_LOCALES, true, "|newlocale|duplocale|" },
    { UBI__LIBC_ENVIRONMENT, false, "|setenv|putenv|unsetenv|clearenv|add_to_environ|" },
    { UBI__LIBC_NAMES, false,
      "|getpwnam|getpwuid|getpwent|setpwent|endpwent|fgetpwent|getgrnam|getgrgid|getgrent|setgrent|endgrent|fgetgrent|"
      "getgrouplist|initgroups|internal_getgrouplist|getspnam|getspent|fgetspent|sgetspent|getsgnam|getsgent|"
      "gethostbyname|gethostbyname2|gethostbyaddr|gethostent|sethostent|getservbyname|getservbyport|getservent|"
      "setservent|getprotobyname|getprotobynumber|getprotoent|getnetbyname|getnetbyaddr|getnetent|getrpcbyname|"
      "getrpcbynumber|getrpcent|getaliasbyname|getaliasent|getnameinfo|getnetgrent|setnetgrent|innetgr|check_pf|" },
    { UBI__LIBC_NAMES, true, "|getaddrinfo|" },
    { UBI__LIBC_TIME_ZONES, false,
      "|localtime|gmtime|mktime|timelocal|ctime|strftime|strftime_l|wcsftime|wcsftime_l|tzset|tzset_internal|tz_"
      "convert|"
      "tzfile_read|tzstring|syslog|vsyslog|getdate|" },
    { UBI__LIBC_MESSAGES, false, "|strerror|strerror_l|strsignal|perror|psignal|psiginfo|" },
    { UBI__LIBC_THREADS, false,
      "|pthread_create|pthread_create_2_1|thrd_create|pthread_setspecific|tss_set|pthread_atfork|register_atfork|"
      "atexit|cxa_atexit|on_exit|at_quick_exit|cxa_at_quick_exit|cxa_thread_atexit_impl|new_exitfn|" },
    { UBI__LIBC_CONVERSIONS, true, "|gconv_open|" },
    { UBI__LIBC_CONVERSIONS, false,
      "|wcsmbs_load_conv|fwide|btowc|wctob|mbrtowc|mbsrtowcs|mbsnrtowcs|mbstowcs|mbtowc|wcrtomb|wcsrtombs|wcsnrtombs|"
      "wcstombs|wctomb|mbrlen|mblen|mbrtoc8|mbrtoc16|mbrtoc32|c16rtomb|c32rtomb|" },
    { UBI__LIBC_STDIO, false, "|IO_file_doallocate|IO_wfile_doallocate|" },
    { UBI__LIBC_OTHERS, false,
      "|getmntent|getusershell|ttyname|getlogin|getpass|getfsent|getfsspec|getfsfile|getttyent|getttynam|"
      "register_printf_function|register_printf_specifier|register_printf_modifier|register_printf_type|" },
};

/* Beginnings of names that the library has to itself, without the underscores: of its databases and of its resolver. */
static const char *const name_beginnings[] = { "nss_", "res_", "resolv_" };

/* What glibc is made of, by beginnings of file names; its converters have a folder of their own. */
static const char *const libraries[] = { "libc.so.6",   "libc-2.",        "libpthread.so.0", "libpthread-2.",
                                         "libdl.so.2",  "libdl-2.",       "librt.so.1",      "librt-2.",
                                         "libanl.so.1", "libresolv.so.2", "libresolv-2.",    "libnss_" };
#define LOADER "ld-"
#define CONVERTERS "/gconv/"
#define START "libc_start_main"

const char *ubi__libc_pool_words(ubi__libc_pool pool) {
    static const char *const words[UBI__LIBC_POOL_COUNT] = {
        [UBI__LIBC_LOADER] = "tables of loaded libraries",
        [UBI__LIBC_LOCALES] = "libc's locales and translations",
        [UBI__LIBC_ENVIRONMENT] = "the environment",
        [UBI__LIBC_NAMES] = "libc's tables of users, hosts and services",
        [UBI__LIBC_TIME_ZONES] = "libc's time zone",
        [UBI__LIBC_MESSAGES] = "libc's messages of errors",
        [UBI__LIBC_THREADS] = "libc's tables of threads and exits",
        [UBI__LIBC_CONVERSIONS] = "libc's tables of character sets",
        [UBI__LIBC_STDIO] = "buffers of stdio",
        [UBI__LIBC_OTHERS] = "libc's own buffers",
    };
    return words[pool];
}

static bool begins_with(ubi_text text, const char *beginning) {
    size_t n = strlen(beginning);
    return text.len >= n && memcmp(text.ptr, beginning, n) == 0;
}

static ubi_text base_name(ubi_text path) {
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t start = slash ? (size_t)(slash + 1 - path.ptr) : 0;
    return (ubi_text){ path.ptr + start, path.len - start };
}

static bool is_of_libc(ubi_text path) {
    ubi_text name = base_name(path);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (begins_with(name, libraries[i]))
            return true;
    return ubi__text_contains(path, ubi__text(CONVERTERS));
}

/* "getpwnam" of "__getpwnam_r". */
static ubi_text bare_name(ubi_text name) {
    while (name.len && name.ptr[0] == '_') {
        name.ptr++;
        name.len--;
    }
    if (begins_with(name, "GI_"))
        return bare_name((ubi_text){ name.ptr + 3, name.len - 3 });
    if (name.len > 2 && memcmp(name.ptr + name.len - 2, "_r", 2) == 0)
        name.len -= 2;
    return name;
}

/* Whether "|name|" is in a list. */
static bool is_listed(const char *names, ubi_text name) {
    for (const char *at = names; (at = strchr(at, '|')) != NULL && at[1]; at++) {
        size_t n = strcspn(at + 1, "|");
        if (n == name.len && memcmp(at + 1, name.ptr, n) == 0)
            return true;
    }
    return false;
}

static const pool_functions *pool_functions_of(ubi_text name) {
    static const pool_functions of_beginnings = { UBI__LIBC_NAMES, false, "" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_listed(known[i].names, name))
            return &known[i];
    for (size_t i = 0; i < sizeof name_beginnings / sizeof *name_beginnings; i++)
        if (begins_with(name, name_beginnings[i]))
            return &of_beginnings;
    return NULL;
}

static ubi__libc_frame decided(ubi__libc_frame frame, ubi__libc_pool own, ubi__libc_pool inner) {
    frame.decides = true;
    frame.own = own;
    frame.inner = inner;
    return frame;
}

ubi__libc_frame ubi__libc_frame_of(const ubi__ubirec_tables *t, uint32_t frame) {
    const ubi__ubirec_frame *f = &t->frames.at[frame];
    ubi__libc_frame out = { .is_libc = false };
    uint32_t n;
    if (f->type != UBI__UBIREC_NATIVE_FRAME)
        return out;
    ubi_text path = ubi__ubirec_string_at(t, t->modules.at[f->of].path);
    bool is_loader = begins_with(base_name(path), LOADER);
    if (!is_loader && !is_of_libc(path))
        return out;
    out.is_libc = true;
    if (is_loader)
        return decided(out, UBI__LIBC_LOADER, UBI__LIBC_LOADER);
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    if (n == 0)
        return out;
    /* What was inlined into it has no name without the library's symbols. */
    ubi_text name = bare_name(ubi__ubirec_string_at(t, symbols[n - 1].function));
    out.is_start = begins_with(name, START);
    const pool_functions *found = pool_functions_of(name);
    return found ? decided(out, found->gives ? UBI__LIBC_NO_POOL : found->pool, found->pool) : out;
}
