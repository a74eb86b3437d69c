/* SPDX-License-Identifier: MIT
 *
 * public_names.c: looking names up in the lists.
 */
#include "analyses/anonymize/public_names.h"

#include "analyses/anonymize/grammar.h"
#include "base/alloc.h"
#include "base/assert.h"

static ubi_status add_name(ubi__public_names *n, ubi_text name, uint32_t lists) {
    ubi_str_ix ix;
    UBI_TRY(ubi__vec_u32_reserve(&n->lists, n->names.allocator, 1));
    UBI_TRY(ubi__strtab_intern(&n->names, &ix, name));
    if (ix == n->lists.n)
        n->lists.at[n->lists.n++] = 0;
    n->lists.at[ix] |= lists;
    return UBI_OK;
}

static ubi_status add_groups(ubi__public_names *n, const ubi__name_group *group) {
    for (; group->names; group++)
        for (const char *name = group->names; *name;) {
            size_t length = group->lists & UBI__NAMES_WHOLE ? strlen(name) : strcspn(name, "|");
            UBI_TRY(add_name(n, (ubi_text){ name, length }, group->lists));
            name += length + (name[length] == '|');
        }
    return UBI_OK;
}

void ubi__public_names_check(const ubi__public_names *n) {
    UBI_ASSERT(n->lists.n == ubi__strtab_count(&n->names));
    for (size_t i = 0; UBI_CHECKS && i < n->lists.n; i++) {
        UBI_ASSERT(n->lists.at[i] & (UBI__NAMES_WHOLE - 1));
        UBI_ASSERT(n->lists.at[i] < UBI__NAMES_WHOLE << 1);
    }
}

ubi_status ubi__public_names_init(ubi__public_names *n, const ubi_allocator *allocator) {
    ubi__strtab_init(&n->names, allocator);
    n->lists = (ubi__vec_u32){ NULL, 0, 0 };
    UBI_TRY(add_groups(n, ubi__names_javascript));
    UBI_TRY(add_groups(n, ubi__names_web));
    UBI_TRY(add_groups(n, ubi__names_native));
    UBI_TRY(add_groups(n, ubi__names_libc));
    const ubi__grammar *grammar;
    for (size_t i = 0; (grammar = ubi__grammar_at(i)); i++)
        for (size_t k = 0; grammar->names && grammar->names[k]; k++)
            UBI_TRY(add_groups(n, grammar->names[k]));
    ubi__public_names_check(n);
    return UBI_OK;
}

void ubi__public_names_fini(ubi__public_names *n) {
    ubi__vec_u32_fini(&n->lists, n->names.allocator);
    ubi__strtab_fini(&n->names);
}

bool ubi__public_names_has(const ubi__public_names *n, unsigned lists, ubi_text name) {
    ubi_str_ix ix = ubi__strtab_find_interned(&n->names, name);
    return ix != UBI_NONE && (n->lists.at[ix] & lists) != 0;
}

/* ---- words of compiled code, recordings, timelines ---------------------------------------------------------------- */

/*
 * A name that decides how a recording counts (recording/known_frames.c, timeline/marker_words.c)
 * must be here, or a copy would give other numbers than its original.
 */

const ubi__name_group ubi__names_native[] = {
    /* Words of C, C++ and Rust, and of demangled names. */
    { UBI__NAMES_NATIVE,
      "abi|alignas|alignof|anonymous|as|auto|await|bool|branch|by|char|char16_t|char32_t|char8_t|class|clone|cold|co_"
      "await|"
      "const|constprop|construction|covariant|crate|cxx11|decltype|default|delete|dyn|enum|explicit|false|float|double|"
      "fn|for|"
      "function|global|guard|i128|i16|i32|i64|i8|impl|in|init|inline|int|int128|isize|isra|keyed|lambda|lambda1|lazy|"
      "literal|llvm|local|long|lto_priv|mangled|mod|mut|name|namespace|new|noexcept|non|nullptr|offset|operator|"
      "override|"
      "part|partial|private|protected|ptrdiff_t|public|reference|return|self|short|signed|size_t|ssize_t|static|str|"
      "struct|"
      "super|switch|template|temporary|this|thread_local|thunk|to|transaction|true|type|typeinfo|typename|u128|u16|u32|"
      "u64|"
      "u8|uint16_t|uint32_t|uint64_t|uint8_t|uintptr_t|union|unsigned|usize|va_list|variable|virtual|void|volatile|"
      "vtable|"
      "VTT|wchar_t|wrapper|where|int16_t|int32_t|int64_t|int8_t|intptr_t|__int128" },

    /* Name spaces; std and the like are kept with what is in them. */
    { UBI__NAMES_NATIVE,
      "std|__gnu_cxx|__cxxabiv1|boost|container|alloc|core|at|failed|unwind|truncated|so|unknown|main" },

    /* Functions that ask for memory, and are public (recording/known_frames.c). */
    { UBI__NAMES_NATIVE,
      "wcsdup|getline|mmap64|xzalloc|savestring|g_malloc_n|g_malloc0_n|g_realloc_n|g_slice_alloc|g_slice_alloc0|g_"
      "malloc|"
      "g_malloc0|g_realloc|g_strdup|g_strndup|g_memdup|PyMem_Malloc|PyMem_Calloc|PyMem_Realloc|PyMem_RawMalloc|"
      "PyMem_RawCalloc|PyMem_RawRealloc|PyObject_Malloc|PyObject_Calloc|PyObject_Realloc|PyType_GenericAlloc|"
      "sqlite3MallocZero|sqlite3DbMallocRaw|sqlite3DbMallocRawNN|sqlite3DbMallocZero|sqlite3DbRealloc|"
      "sqlite3DbReallocOrFree|sqlite3DbStrNDup|sqlite3_malloc|sqlite3Malloc|CRYPTO_zalloc|CRYPTO_malloc|CRYPTO_realloc|"
      "ggc_internal_alloc|ggc_internal_cleared_alloc|xmalloc|xcalloc|xrealloc|xstrdup|xstrndup|start_thread|clone3|_"
      "start|_init|_fini|"
      "__clone|__run_exit_handlers|__static_initialization_and_destruction_0|call_init|dl_main" },

    /* Functions of the C library that keep what they ask for (recording/known_frames.c). */
    { UBI__NAMES_NATIVE,
      "dlopen|__dlopen|dlmopen|__dlmopen|dlsym|__dlsym|dlvsym|__dlvsym|dlclose|__dlclose|dlinfo|__dlinfo|dladdr|"
      "__dladdr|dladdr1|__dladdr1|dlerror|__dlerror|dlerror_run|__dlerror_run|libc_dlopen_mode|__libc_dlopen_mode|"
      "libc_dlsym|__libc_dlsym|libc_dlclose|__libc_dlclose|dl_open|__dl_open|dl_catch_error|__dl_catch_error|"
      "dl_catch_exception|__dl_catch_exception|dl_signal_error|__dl_signal_error|dl_signal_exception|"
      "__dl_signal_exception|backtrace|__backtrace|pthread_cancel|__pthread_cancel|pthread_exit|__pthread_exit|"
      "setlocale|__setlocale|bindtextdomain|__bindtextdomain|textdomain|__textdomain|bind_textdomain_codeset|"
      "__bind_textdomain_codeset|set_binding_values|__set_binding_values|gettext|__gettext|gettext_r|__gettext_r|"
      "dgettext|__dgettext|dcgettext|__dcgettext|ngettext|__ngettext|dngettext|__dngettext|dcngettext|__dcngettext|"
      "dcigettext|__dcigettext|nl_find_locale|__nl_find_locale|nl_find_domain|__nl_find_domain|"
      "nl_load_locale_from_archive|__nl_load_locale_from_archive|newlocale|__newlocale|duplocale|__duplocale|setenv|"
      "__setenv|putenv|__putenv|unsetenv|__unsetenv|clearenv|__clearenv|add_to_environ|__add_to_environ|getpwnam|"
      "__getpwnam|getpwnam_r|__getpwnam_r|getpwuid|__getpwuid|getpwuid_r|__getpwuid_r|getpwent|__getpwent|getpwent_r|"
      "__getpwent_r|setpwent|__setpwent|endpwent|__endpwent|fgetpwent|__fgetpwent|fgetpwent_r|__fgetpwent_r|getgrnam|"
      "__getgrnam|getgrnam_r|__getgrnam_r|getgrgid|__getgrgid|getgrgid_r|__getgrgid_r|getgrent|__getgrent|getgrent_r|"
      "__getgrent_r|setgrent|__setgrent|endgrent|__endgrent|fgetgrent|__fgetgrent|fgetgrent_r|__fgetgrent_r|"
      "getgrouplist|__getgrouplist|getgrouplist_r|__getgrouplist_r|initgroups|__initgroups|internal_getgrouplist|"
      "__internal_getgrouplist|getspnam|__getspnam|getspnam_r|__getspnam_r|getspent|__getspent|getspent_r|"
      "__getspent_r|fgetspent|__fgetspent|fgetspent_r|__fgetspent_r|sgetspent|__sgetspent|sgetspent_r|__sgetspent_r|"
      "getsgnam|__getsgnam|getsgnam_r|__getsgnam_r|getsgent|__getsgent|getsgent_r|__getsgent_r|gethostbyname|"
      "__gethostbyname|gethostbyname_r|__gethostbyname_r|gethostbyname2|__gethostbyname2|gethostbyname2_r|"
      "__gethostbyname2_r|gethostbyaddr|__gethostbyaddr|gethostbyaddr_r|__gethostbyaddr_r|gethostent|__gethostent|"
      "gethostent_r|__gethostent_r|sethostent|__sethostent|getservbyname|__getservbyname|getservbyname_r|"
      "__getservbyname_r|getservbyport|__getservbyport|getservbyport_r|__getservbyport_r|getservent|__getservent|"
      "getservent_r|__getservent_r|setservent|__setservent|getprotobyname|__getprotobyname|getprotobyname_r|"
      "__getprotobyname_r|getprotobynumber|__getprotobynumber|getprotobynumber_r|__getprotobynumber_r|getprotoent|"
      "__getprotoent|getprotoent_r|__getprotoent_r|getnetbyname|__getnetbyname|getnetbyname_r|__getnetbyname_r|"
      "getnetbyaddr|__getnetbyaddr|getnetbyaddr_r|__getnetbyaddr_r|getnetent|__getnetent|getnetent_r|__getnetent_r|"
      "getrpcbyname|__getrpcbyname|getrpcbyname_r|__getrpcbyname_r|getrpcbynumber|__getrpcbynumber|getrpcbynumber_r|"
      "__getrpcbynumber_r|getrpcent|__getrpcent|getrpcent_r|__getrpcent_r|getaliasbyname|__getaliasbyname|"
      "getaliasbyname_r|__getaliasbyname_r|getaliasent|__getaliasent|getaliasent_r|__getaliasent_r|getnameinfo|"
      "__getnameinfo|getnameinfo_r|__getnameinfo_r|getnetgrent|__getnetgrent|getnetgrent_r|__getnetgrent_r|"
      "setnetgrent|__setnetgrent|innetgr|__innetgr|check_pf|__check_pf|getaddrinfo|__getaddrinfo|getaddrinfo_r|"
      "__getaddrinfo_r|localtime|__localtime|localtime_r|__localtime_r|gmtime|__gmtime|gmtime_r|__gmtime_r|mktime|"
      "__mktime|timelocal|__timelocal|ctime|__ctime|ctime_r|__ctime_r|strftime|__strftime|strftime_l|__strftime_l|"
      "wcsftime|__wcsftime|wcsftime_l|__wcsftime_l|tzset|__tzset|tzset_internal|__tzset_internal|tz_|__tz_|convert|"
      "__convert|tzfile_read|__tzfile_read|tzstring|__tzstring|syslog|__syslog|vsyslog|__vsyslog|getdate|__getdate|"
      "getdate_r|__getdate_r|strerror|__strerror|strerror_r|__strerror_r|strerror_l|__strerror_l|strsignal|"
      "__strsignal|perror|__perror|psignal|__psignal|psiginfo|__psiginfo|pthread_create|__pthread_create|"
      "pthread_create_2_1|__pthread_create_2_1|thrd_create|__thrd_create|pthread_setspecific|__pthread_setspecific|"
      "tss_set|__tss_set|pthread_atfork|__pthread_atfork|register_atfork|__register_atfork|atexit|__atexit|cxa_atexit|"
      "__cxa_atexit|on_exit|__on_exit|at_quick_exit|__at_quick_exit|cxa_at_quick_exit|__cxa_at_quick_exit|"
      "cxa_thread_atexit_impl|__cxa_thread_atexit_impl|new_exitfn|__new_exitfn|gconv_open|__gconv_open|"
      "wcsmbs_load_conv|__wcsmbs_load_conv|fwide|__fwide|btowc|__btowc|wctob|__wctob|mbrtowc|__mbrtowc|mbsrtowcs|"
      "__mbsrtowcs|mbsnrtowcs|__mbsnrtowcs|mbstowcs|__mbstowcs|mbtowc|__mbtowc|wcrtomb|__wcrtomb|wcsrtombs|"
      "__wcsrtombs|wcsnrtombs|__wcsnrtombs|wcstombs|__wcstombs|wctomb|__wctomb|mbrlen|__mbrlen|mblen|__mblen|mbrtoc8|"
      "__mbrtoc8|mbrtoc16|__mbrtoc16|mbrtoc32|__mbrtoc32|c16rtomb|__c16rtomb|c32rtomb|__c32rtomb|IO_file_doallocate|"
      "__IO_file_doallocate|IO_wfile_doallocate|__IO_wfile_doallocate|getmntent|__getmntent|getmntent_r|__getmntent_r|"
      "getusershell|__getusershell|getusershell_r|__getusershell_r|ttyname|__ttyname|ttyname_r|__ttyname_r|getlogin|"
      "__getlogin|getlogin_r|__getlogin_r|getpass|__getpass|getpass_r|__getpass_r|getfsent|__getfsent|getfsent_r|"
      "__getfsent_r|getfsspec|__getfsspec|getfsspec_r|__getfsspec_r|getfsfile|__getfsfile|getfsfile_r|__getfsfile_r|"
      "getttyent|__getttyent|getttyent_r|__getttyent_r|getttynam|__getttynam|getttynam_r|__getttynam_r|"
      "register_printf_function|__register_printf_function|register_printf_specifier|__register_printf_specifier|"
      "register_printf_modifier|__register_printf_modifier|register_printf_type|__register_printf_type|tz_convert|"
      "___pthread_setspecific|___asprintf|asprintf|vasprintf|__vasprintf_internal" },

    /* Beginnings of names that are the C library's, the compiler's, an allocator's or ubiheap's. */
    { UBI__NAMES_PREFIX,
      "_IO_|_Unwind_|_PyMem_|_PyObject_GC_|_PyObject_Malloc|_PyObject_New|_PyObject_Calloc|_PyObject_Realloc|_dl_|_int_"
      "|"
      "__GI_|__asan_|__cxa_|__gxx_|__interceptor_|__libc_|__lsan_|__pthread_|__rdl_|__rg_|__rust_|__sanitizer_|__tls_|"
      "__ubsan_|ubi_marker_|ubi__marker_|PyType_GenericAlloc|__nss_|_nss_|__res_|__resolv_" },

    { UBI__NAMES_FOLDER,
      "ubiheap|gconv|usr|bin|sbin|lib|lib32|lib64|libexec|local|include|opt|home|root|tmp|var|proc|share|src|build|"
      "debug|."
      "build-id|"
      "x86_64-linux-gnu|aarch64-linux-gnu|x86_64|aarch64|i386-linux-gnu|c++|bits|ext|backward|debug|gcc|linux|sys|"
      /* of the sources of glibc and of GCC's libraries */
      "libstdc++-v3|libsupc++|libgcc|glibc|csu|elf|dlfcn|inet|io|libio|malloc|math|misc|nptl|nss|posix|resolv|rt|"
      "signal|"
      "socket|stdio-common|stdlib|string|sysdeps|time|unix|sysv|wcsmbs|iconv|intl|locale|multiarch|generic|ieee754|"
      "eh_alloc.cc|eh_throw.cc|new_op.cc|new_opv.cc|new_opa.cc|del_op.cc|del_ops.cc|del_opv.cc|malloc.c|arena.c|"
      "hooks.c|libc-start.c|libc_start_call_main.h|start.S|start.c|dl-init.c|dl-open.c|dl-load.c|dl-object.c|dl-"
      "minimal.c|"
      "dl-minimal-malloc.c|dl-catch.c|dl-error-skeleton.c|rtld.c|dlopen.c|pthread_create.c|clone.S|clone3.S|"
      "filedoalloc.c|"
      "fileops.c|genops.c|wfiledoalloc.c|strdup.c|strndup.c|iofopen.c|fopen.c|getdelim.c|iogetdelim.c|vasprintf.c|"
      "iovasprintf.c|setlocale.c|findlocale.c|loadlocale.c|exit.c|cxa_atexit.c|cxa_finalize.c|mmap.c|mmap64.c|printf.c|"
      "vfprintf-internal.c|new_allocator.h|alloc_traits.h|basic_string.h|basic_string.tcc|stl_vector.h|vector.tcc|"
      "hashtable.h|hashtable_policy.h|stl_tree.h|stl_map.h|stl_list.h|list.tcc|deque.tcc|stl_deque.h|shared_ptr_base.h|"
      "shared_ptr.h|unique_ptr.h|std_function.h|invoke.h|std_thread.h|unordered_map.h|unordered_set.h|stl_construct.h|"
      "stl_uninitialized.h|allocator.h|allocated_ptr.h|basic_ios.h|locale_init.cc|ios_init.cc|string-inst.cc|thread.cc|"
      "(unknown)|<unknown>|??|[vdso]|[vsyscall]|[heap]|[stack]" },

    { UBI__NAMES_LIBRARY,
      "ld|ld-linux|ld-linux-x86-64|ld-linux-aarch64|ld-musl-x86_64|libanl|libasan|libatomic|libbsd|libbz2|libc|libc++|"
      "libc++abi|libcrypt|libcrypto|libcurl|libdl|libdw|libelf|libexpat|libffi|libgcc_s|libgio-2.0|libglib-2.0|"
      "libgmodule-2.0|libgobject-2.0|libgomp|libgtk-3|libgtk-4|libicudata|libicui18n|libicuuc|libisal|libjemalloc|"
      "liblsan|"
      "liblzma|libm|libmimalloc|libmvec|libncurses|libncursesw|libnsl|libnss_compat|libnss_dns|libnss_files|libnss_"
      "hesiod|libnss_myhostname|libnss_mymachines|libnss_resolve|libnss_sss|libnss_systemd|libpcre|libpcre2-8|"
      "libpthread|"
      "libpython3|libreadline|libresolv|librt|libselinux|libsodium|libsqlite3|libssl|libstdc++|libtcmalloc|"
      "libtcmalloc_minimal|libtinfo|libtsan|libubiheap|libubiheap-preload|libubsan|libunwind|libutil|libuv|libxml2|"
      "libz|"
      "libzstd|linux-gate|linux-vdso" },

    { UBI__NAMES_SOURCE, "S|adb|ads|asm|c|c++|cc|cpp|cxx|d|f|f90|go|h|h++|hh|hpp|hxx|inc|inl|ipp|l|ll|m|mm|nim|o|py|"
                         "pyx|rs|s|swift|tcc|tpp|"
                         "txx|y|zig|ubirec|timeline|conf|cfg|txt|sh|exe" },

    /* Details of markers, figures of memory. */
    { UBI__NAMES_DETAIL,
      "causeName|type|eventPhase|isAnimationOnly|workerOperation|messagePortOperation|unixTime|nonincrementalReason|"
      "cycle|"
      "rectangles|restyleHint|name|total|domSize|styleSize|jsObjectsSize|jsStringsSize|jsOtherSize|otherSize|heapLive|"
      "resident|heap" },
    /* What engines and hosts say in them (timeline/marker_words.c; js::gcreason of SpiderMonkey). */
    { UBI__NAMES_DETAIL,
      "<script> element|promise callback|promise initializer|Worker runnable|javascript: URI|EventHandlerNonNull|"
      "EventListener.handleEvent|setInterval handler|setTimeout handler|FrameRequestCallback|script evaluation|"
      "module evaluation|queueMicrotask callback|message handler|descriptor handler|signal handler|"
      "serializeDataOffMainThread|serializeDataOnMainThread|deserializeDataOffMainThread|deserializeDataOnMainThread|"
      "serializeData|deserializeData|GC mode|API|EAGER_ALLOC_TRIGGER|DESTROY_RUNTIME|ROOTS_REMOVED|LAST_DITCH|"
      "TOO_MUCH_MALLOC|ALLOC_TRIGGER|DEBUG_GC|COMPARTMENT_REVIVED|RESET|OUT_OF_NURSERY|EVICT_NURSERY|SHARED_MEMORY_"
      "LIMIT|"
      "DOM_WORKER|PERIODIC_FULL_GC|INCREMENTAL_TOO_SLOW|ABORT_GC|FULL_WHOLE_CELL_BUFFER|FULL_GENERIC_BUFFER|"
      "FULL_VALUE_BUFFER|FULL_CELL_PTR_BUFFER|FULL_SLOT_BUFFER|FULL_SHAPE_BUFFER|MEM_PRESSURE|CC_FINISHED|CC_FORCED|"
      "LOAD_END|PAGE_HIDE|INTER_SLICE_GC|USER_INACTIVE|FULL_GC_TIMER|requested|ForceGC|click|input|change|load|error|"
      "message|keydown|keyup|mousemove|mousedown|mouseup|scroll|resize|focus|blur|submit|DOMContentLoaded" },

    { UBI__NAMES_WORD,
      "Linux|Debian|GNU|generic|amd64|arm64|x86_64|aarch64|ubiheap|main|Main|thread|Thread|worker|Worker|pool|GC|timer|"
      "signal|gmain|gdbus" },
    { 0, NULL },
};
