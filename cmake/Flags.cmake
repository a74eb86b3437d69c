# SPDX-License-Identifier: MIT
#
# Compiler flags: ubi_flags for everything of ours.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
if(NOT UBI_FLAGS_RELEASE_SET)
    set(CMAKE_C_FLAGS_RELEASE "-O3 -g -DNDEBUG" CACHE STRING "Flags of release builds" FORCE)
    set(UBI_FLAGS_RELEASE_SET ON CACHE INTERNAL "")
endif()

add_library(ubi_flags INTERFACE)
target_compile_options(ubi_flags INTERFACE $<$<NOT:$<BOOL:${UBI_SHARED_INTERNALS}>>:-fvisibility=hidden>
    -fno-semantic-interposition
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wwrite-strings)
# Defined empty, as a file that defines it for itself does.
target_compile_definitions(ubi_flags INTERFACE _GNU_SOURCE= _FILE_OFFSET_BITS=64)

# Invariants run in all builds but those for users: src/base/assert.h.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_definitions(ubi_flags INTERFACE UBI_CHECKS=1)
endif()

if(UBI_WERROR)
    target_compile_options(ubi_flags INTERFACE -Werror)
endif()

if(UBI_SANITIZE)
    set(ubi_sanitize_options -fsanitize=${UBI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(UBI_LIBFUZZER)
        list(APPEND ubi_sanitize_options -fsanitize=fuzzer-no-link)
    endif()
    target_compile_options(ubi_flags INTERFACE ${ubi_sanitize_options})
    target_link_options(ubi_flags INTERFACE ${ubi_sanitize_options})
endif()

if(UBI_COVERAGE)
    target_compile_options(ubi_flags INTERFACE --coverage)
    target_link_options(ubi_flags INTERFACE --coverage)
endif()
