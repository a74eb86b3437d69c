/* SPDX-License-Identifier: MIT
 *
 * public_names_native.c: words of compiled code, of the recordings of such programs, and of timelines.
 *
 * A name that decides how a recording counts (recording/allocator_frames.c, recording/known_pools.c, timeline/marker_words.c)
 * must be here, or a copy would give other numbers than its original.
 */
#include "analyses/anonymize/public_names.h"

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

    /* Name spaces, of which std and the like are kept with what is in them. */
    { UBI__NAMES_NATIVE,
      "std|__gnu_cxx|__cxxabiv1|boost|container|alloc|core|at|failed|unwind|truncated|so|unknown|main" },

    /* Functions that ask for memory, and are nobody's own (recording/allocator_frames.c). */
    { UBI__NAMES_NATIVE,
      "wcsdup|mmap64|xzalloc|savestring|g_malloc_n|g_malloc0_n|g_realloc_n|g_slice_alloc|g_slice_alloc0|g_malloc|"
      "g_malloc0|g_realloc|g_strdup|g_strndup|g_memdup|PyMem_Malloc|PyMem_Calloc|PyMem_Realloc|PyMem_RawMalloc|"
      "PyMem_RawCalloc|PyMem_RawRealloc|PyObject_Malloc|PyObject_Calloc|PyObject_Realloc|PyType_GenericAlloc|"
      "sqlite3MallocZero|sqlite3DbMallocRaw|sqlite3DbMallocRawNN|sqlite3DbMallocZero|sqlite3DbRealloc|"
      "sqlite3DbReallocOrFree|sqlite3DbStrNDup|sqlite3_malloc|sqlite3Malloc|CRYPTO_zalloc|CRYPTO_malloc|CRYPTO_realloc|"
      "ggc_internal_alloc|ggc_internal_cleared_alloc|xmalloc|xcalloc|xrealloc|xstrdup|xstrndup|start_thread|clone3|_"
      "start|_init|_fini|"
      "__clone|__run_exit_handlers|__static_initialization_and_destruction_0|call_init|dl_main" },

    /* Beginnings of names that are the C library's, the compiler's, an allocator's or ubiheap's. */
    { UBI__NAMES_PREFIX,
      "_IO_|_Unwind_|_PyMem_|_PyObject_GC_|_PyObject_Malloc|_PyObject_New|_PyObject_Calloc|_PyObject_Realloc|_dl_|_int_"
      "|"
      "__GI_|__asan_|__cxa_|__gxx_|__interceptor_|__libc_|__lsan_|__pthread_|__rdl_|__rg_|__rust_|__sanitizer_|__tls_|"
      "__ubsan_|ubi_marker_|ubi__marker_|PyType_GenericAlloc" },

    { UBI__NAMES_FOLDER,
      "ubiheap|usr|bin|sbin|lib|lib32|lib64|libexec|local|include|opt|home|root|tmp|var|proc|share|src|build|debug|."
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
      "liblzma|libm|libmimalloc|libmvec|libncurses|libncursesw|libnsl|libnss_files|libpcre|libpcre2-8|libpthread|"
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
