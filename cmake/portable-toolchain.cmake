# SPDX-License-Identifier: MIT
#
# For programs that run on other machines: this machine's compiler, with the C library and the libraries that
# tools/portable-root.sh has unpacked into UBI_PORTABLE_ROOT. Goes together with UBI_PORTABLE.

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES UBI_PORTABLE_ROOT)
set(CMAKE_SYSROOT ${UBI_PORTABLE_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${UBI_PORTABLE_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${UBI_PORTABLE_ROOT}/usr/lib/x86_64-linux-gnu/pkgconfig:${UBI_PORTABLE_ROOT}/usr/share/pkgconfig)
# gcc looks beside itself for start files and libraries, before it looks into the root.
foreach(kind EXE MODULE SHARED)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-B${UBI_PORTABLE_ROOT}/usr/lib/x86_64-linux-gnu \
-L${UBI_PORTABLE_ROOT}/usr/lib/x86_64-linux-gnu -L${UBI_PORTABLE_ROOT}/lib/x86_64-linux-gnu")
endforeach()
# What the build itself runs must not meet a C library that does not fit this machine's loader.
set(CMAKE_SKIP_BUILD_RPATH ON)
