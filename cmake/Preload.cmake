# SPDX-License-Identifier: MIT
#
# libubiheap-preload.so, the part of the native recorder that runs inside of recorded programs.
#
# Flags of its own: no sanitizers and no coverage, whatever the rest is built with, for its host is any program. -O2
# always: the hooks jump to the real functions instead of calling them, which is an optimization that they rely on.
# The walker is compiled in once more, with these flags.

ubi_glob(ubi_preload_sources ${PROJECT_SOURCE_DIR}/src/interpose/*.c ${PROJECT_SOURCE_DIR}/src/unwind/*.c)
set(ubi_preload_exports ${PROJECT_SOURCE_DIR}/src/interpose/exports.map)

add_library(ubiheap_preload MODULE ${ubi_preload_sources})
set_target_properties(ubiheap_preload PROPERTIES OUTPUT_NAME ubiheap-preload PREFIX lib C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/ubiheap LINK_DEPENDS ${ubi_preload_exports})
target_include_directories(ubiheap_preload PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(ubiheap_preload PRIVATE _GNU_SOURCE= NDEBUG)
target_compile_options(ubiheap_preload PRIVATE -O3 -g -fPIC -ftls-model=initial-exec -fomit-frame-pointer
    -fno-stack-protector -fcf-protection=none
    # The compiler must not make a call of calloc out of the body of calloc.
    -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wwrite-strings)
if(UBI_WERROR)
    target_compile_options(ubiheap_preload PRIVATE -Werror)
endif()
# Bound at once: resolving a name later would run the loader in the middle of a hook. Never unloaded.
target_link_options(ubiheap_preload PRIVATE -Wl,--version-script=${ubi_preload_exports} -Wl,-z,now -Wl,-z,nodelete
    -Wl,--no-undefined -Wl,--as-needed)
if(UBI_PORTABLE) # until glibc 2.34 threads are a library of their own
    target_link_libraries(ubiheap_preload PRIVATE -lpthread)
endif()
