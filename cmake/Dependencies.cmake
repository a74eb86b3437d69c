# SPDX-License-Identifier: MIT
#
# What has to be installed. Everything that is missing is reported in one message, by Debian package.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig)
if(NOT PKG_CONFIG_FOUND)
    message(FATAL_ERROR "ubiheap needs pkg-config (Debian package pkg-config). `make deps` installs it.")
endif()

set(ubi_missing "")
if(UBI_PORTABLE) # archives where there are any
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
endif()

# ubi_need(<variable> <pkg-config module> <Debian package>): makes the target PkgConfig::<variable>.
macro(ubi_need variable module package)
    pkg_check_modules(${variable} QUIET IMPORTED_TARGET ${module})
    if(NOT ${variable}_FOUND)
        string(APPEND ubi_missing "\n  ${module} (Debian package ${package})")
    endif()
endmacro()

ubi_need(UBI_ISAL libisal libisal-dev)
ubi_need(UBI_ZLIB zlib zlib1g-dev)
ubi_need(UBI_SODIUM libsodium libsodium-dev)
ubi_need(UBI_DW libdw libdw-dev)
if(UBI_PORTABLE AND UBI_DW_FOUND) # what libdw.a needs, and pkg-config tells for shared libraries alone
    foreach(name lzma bz2 z)
        find_library(UBI_${name}_LIBRARY ${name} REQUIRED)
        mark_as_advanced(UBI_${name}_LIBRARY)
        target_link_libraries(PkgConfig::UBI_DW INTERFACE ${UBI_${name}_LIBRARY})
    endforeach()
    target_link_libraries(PkgConfig::UBI_DW INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
endif()
find_path(UBI_IBERTY_INCLUDE_DIR libiberty/demangle.h)
find_library(UBI_IBERTY_LIBRARY iberty)
mark_as_advanced(UBI_IBERTY_INCLUDE_DIR UBI_IBERTY_LIBRARY)
if(NOT UBI_IBERTY_INCLUDE_DIR OR NOT UBI_IBERTY_LIBRARY)
    string(APPEND ubi_missing "\n  libiberty (Debian package libiberty-dev)")
endif()
# Its header alone: the library is loaded when serving starts.
find_path(UBI_MICROHTTPD_INCLUDE_DIR microhttpd.h)
mark_as_advanced(UBI_MICROHTTPD_INCLUDE_DIR)
if(NOT UBI_MICROHTTPD_INCLUDE_DIR)
    string(APPEND ubi_missing "\n  libmicrohttpd (Debian package libmicrohttpd-dev)")
endif()
# The same: it is loaded when listening starts.
find_path(UBI_UV_INCLUDE_DIR uv.h)
mark_as_advanced(UBI_UV_INCLUDE_DIR)
if(NOT UBI_UV_INCLUDE_DIR)
    string(APPEND ubi_missing "\n  libuv (Debian package libuv1-dev)")
endif()
# The same: it is loaded when the DevTools protocol is spoken. Its structs are those of one version, whose number its file has.
find_path(UBI_LWS_INCLUDE_DIR libwebsockets.h)
find_library(UBI_LWS_LIBRARY websockets)
mark_as_advanced(UBI_LWS_INCLUDE_DIR UBI_LWS_LIBRARY)
if(UBI_LWS_INCLUDE_DIR AND UBI_LWS_LIBRARY)
    file(REAL_PATH ${UBI_LWS_LIBRARY} ubi_lws_file)
    string(REGEX MATCH "[0-9]+$" UBI_LWS_MAJOR ${ubi_lws_file})
else()
    string(APPEND ubi_missing "\n  libwebsockets (Debian package libwebsockets-dev)")
endif()
if(UBI_BUILD_TESTS OR UBI_LIBFUZZER)
    ubi_need(UBI_CMOCKA cmocka libcmocka-dev)
    ubi_need(UBI_JANSSON jansson libjansson-dev)
endif()

# Tests are written for Debian's own python3 and its packages; another one that comes first on PATH may lack them.
find_program(UBI_PYTHON3 python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(UBI_PYTHON3 python3)
if(UBI_BUILD_TESTS AND NOT UBI_PYTHON3)
    string(APPEND ubi_missing "\n  python3 (Debian package python3)")
endif()

# Optional: the tool's alone, for the prompt of `ubiheap run`. Archives have no use for it: its terminal database is the system's.
if(NOT UBI_PORTABLE)
    pkg_check_modules(UBI_LIBEDIT QUIET IMPORTED_TARGET libedit)
    if(NOT UBI_LIBEDIT_FOUND)
        message(STATUS "No libedit (Debian package libedit-dev): the prompt of `ubiheap run` will have no history and no completion")
    endif()
endif()

if(ubi_missing)
    message(FATAL_ERROR "ubiheap needs:${ubi_missing}\n`make deps` installs what is missing.")
endif()
