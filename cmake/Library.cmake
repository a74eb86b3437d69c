# SPDX-License-Identifier: MIT
#
# The library, static and shared from the same objects, and the command line tool.

# ubi_glob(<out> <pattern>...): sources by pattern, without tests, fuzz targets and benches.
function(ubi_glob out)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARGN})
    list(FILTER found EXCLUDE REGEX "_(test|fuzz|bench)\\.c$")
    set(${out} "${found}" PARENT_SCOPE)
endfunction()

set(ubi_library_modules base unwind stacks graph recording timeline formats analyses lenses targets render session questions)
list(TRANSFORM ubi_library_modules REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1/*.c" OUTPUT_VARIABLE ubi_patterns)
ubi_glob(ubi_library_sources ${ubi_patterns})
list(FILTER ubi_library_sources EXCLUDE REGEX "/src/targets/(native|node)/")

set(ubi_dependencies PkgConfig::UBI_ISAL PkgConfig::UBI_ZLIB PkgConfig::UBI_SODIUM
    Threads::Threads m)

# Position-independent in both: visibility is hidden, so that costs next to nothing and everything is compiled once.
add_library(ubiheap_objects OBJECT ${ubi_library_sources})
set_target_properties(ubiheap_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(ubiheap_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(ubiheap_objects PRIVATE ubi_flags ${ubi_dependencies})

add_library(ubiheap_static STATIC $<TARGET_OBJECTS:ubiheap_objects>)
add_library(ubiheap_shared SHARED $<TARGET_OBJECTS:ubiheap_objects>)
set_target_properties(ubiheap_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
foreach(library ubiheap_static ubiheap_shared)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME ubiheap LINKER_LANGUAGE C
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:ubi_flags> ${ubi_dependencies})
endforeach()
# Sanitizers leave symbols to be found in the program; half-written work links in the other builds.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT UBI_SANITIZE)
    target_link_options(ubiheap_shared PRIVATE -Wl,--no-undefined)
endif()
# What libubiheap-server.so alone may use has a symbol version of its own.
target_link_options(ubiheap_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libubiheap.map)
set_target_properties(ubiheap_shared PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libubiheap.map)
# Threads that posted markers run code of ours when they exit, so dlclose must not take it away.
target_link_options(ubiheap_shared PRIVATE -Wl,-z,nodelete)
add_library(ubiheap::ubiheap ALIAS ubiheap_shared)
add_library(ubiheap::static ALIAS ubiheap_static)

# What sees our internals (tool, tests, fuzz targets, benches): hidden symbols are in the static library alone. With
# UBI_SHARED_INTERNALS nothing is hidden, and the parts are shared objects: an edit links those again and not all programs.
add_library(ubi_internal INTERFACE)
target_include_directories(ubi_internal INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
if(UBI_SHARED_INTERNALS)
    set(ubi_part SHARED)
    add_library(ubiheap_internals SHARED $<TARGET_OBJECTS:ubiheap_objects>)
    set_target_properties(ubiheap_internals PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(ubiheap_internals PRIVATE ubi_flags ${ubi_dependencies})
    target_link_libraries(ubi_internal INTERFACE ubiheap_internals ubi_flags ${ubi_dependencies})
    set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
else()
    set(ubi_part STATIC)
    target_link_libraries(ubi_internal INTERFACE ubiheap_static ubi_flags ${ubi_dependencies})
endif()

# Symbols of native code, and native programs under the recorder: libraries of their own, so that only the tool and tests
# need a reader of DWARF.
ubi_glob(ubi_symbolize_sources ${PROJECT_SOURCE_DIR}/src/symbolize/*.c)
add_library(ubi_symbolize ${ubi_part} ${ubi_symbolize_sources})
target_include_directories(ubi_symbolize SYSTEM PRIVATE ${UBI_IBERTY_INCLUDE_DIR})
target_link_libraries(ubi_symbolize PUBLIC ubi_internal PkgConfig::UBI_DW PRIVATE ${UBI_IBERTY_LIBRARY} ${CMAKE_DL_LIBS})
ubi_glob(ubi_native_sources ${PROJECT_SOURCE_DIR}/src/targets/native/*.c ${PROJECT_SOURCE_DIR}/src/targets/node/*.c)
if(ubi_native_sources)
    add_library(ubi_native ${ubi_part} ${ubi_native_sources})
    target_link_libraries(ubi_native PUBLIC ubi_symbolize)
endif()

# What serves heaps to others, static and shared. Tests and tool link ubi_server, which sees insides of ours as they do; programs
# link ubiheap_server, which has those that libubiheap.so gives it (src/base/server_api.h).
ubi_glob(ubi_server_sources ${PROJECT_SOURCE_DIR}/src/jobs/*.c ${PROJECT_SOURCE_DIR}/src/http/*.c ${PROJECT_SOURCE_DIR}/src/mcp/*.c
    ${PROJECT_SOURCE_DIR}/src/rdp/*.c ${PROJECT_SOURCE_DIR}/src/cdp/*.c)
add_library(ubi_server_objects OBJECT ${ubi_server_sources})
set_target_properties(ubi_server_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(ubi_server_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_include_directories(ubi_server_objects SYSTEM PRIVATE ${UBI_MICROHTTPD_INCLUDE_DIR} ${UBI_UV_INCLUDE_DIR} ${UBI_LWS_INCLUDE_DIR})
target_compile_definitions(ubi_server_objects PRIVATE UBI_LWS_MAJOR="${UBI_LWS_MAJOR}")
target_link_libraries(ubi_server_objects PRIVATE ubi_flags PkgConfig::UBI_SODIUM)
add_library(ubi_server ${ubi_part} $<TARGET_OBJECTS:ubi_server_objects>)
target_link_libraries(ubi_server PRIVATE $<BUILD_INTERFACE:ubi_internal> ${CMAKE_DL_LIBS} INTERFACE $<INSTALL_INTERFACE:ubiheap::static>)
add_library(ubiheap_server SHARED $<TARGET_OBJECTS:ubi_server_objects>)
set_target_properties(ubiheap_server PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
target_link_libraries(ubiheap_server PRIVATE $<BUILD_INTERFACE:ubi_flags> PkgConfig::UBI_SODIUM ${CMAKE_DL_LIBS} m
    PUBLIC ubiheap_shared)
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT UBI_SANITIZE)
    target_link_options(ubiheap_server PRIVATE -Wl,--no-undefined)
endif()
# The tree can be moved before it is installed: the Debian packages are made of a copy.
set_target_properties(ubiheap_server PROPERTIES OUTPUT_NAME ubiheap-server EXPORT_NAME server BUILD_RPATH_USE_ORIGIN ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set_target_properties(ubi_server PROPERTIES OUTPUT_NAME ubiheap-server$<$<BOOL:${UBI_SHARED_INTERNALS}>:-internals>
    EXPORT_NAME server_static ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
foreach(library ubi_server ubiheap_server)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
endforeach()

# The live JavaScript engine: a library of its own, which only the tool and tests link.
include(${CMAKE_CURRENT_LIST_DIR}/QuickJS.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ChooseQuickJS.cmake)
set(UBI_QUICKJS_TOOLS_DIR ${PROJECT_SOURCE_DIR}/src)
if(NOT UBI_QUICKJS_DIR AND DEFINED ENV{UBI_QUICKJS_DIR})
    set(UBI_QUICKJS_DIR $ENV{UBI_QUICKJS_DIR} CACHE PATH "QuickJS source to build the live engine with" FORCE)
endif()
ubi_choose_quickjs(UBI_QUICKJS_DIR ${PROJECT_SOURCE_DIR})
set(UBI_QUICKJS_CHOSEN ${UBI_QUICKJS_DIR} CACHE INTERNAL "For the licence in packages")
set(UBI_QUICKJS_LIBRARY ubi_internal)
ubi_add_quickjs(ubi_quickjs ${UBI_QUICKJS_DIR})
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release") # it has none of our flags
    target_compile_definitions(ubi_quickjs_engine PRIVATE UBI_CHECKS=1)
endif()
ubi_add_quickjs_host(ubi_quickjs_host ubi_quickjs ${UBI_QUICKJS_DIR})
if(NOT UBI_SANITIZE) # where memory runs out, assertions of the engine's own fail; the tools are tested on what users run
    target_compile_definitions(ubi_quickjs_engine PRIVATE NDEBUG)
endif()
if(UBI_COVERAGE)
    target_compile_options(ubi_quickjs_engine PRIVATE --coverage)
endif()
if(UBI_SANITIZE)
    foreach(part ubi_quickjs_engine ubi_quickjs_host_libc)
        target_compile_options(${part} PRIVATE ${ubi_sanitize_options})
    endforeach()
    if(CMAKE_C_COMPILER_ID MATCHES "Clang") # what the engine's own source does is not ours to mend
        set(ubi_ignored -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/quickjs-sanitizer-ignorelist.txt)
        target_compile_options(ubi_quickjs_engine PRIVATE ${ubi_ignored})
        target_compile_options(ubi_quickjs_host_libc PRIVATE ${ubi_ignored})
        target_compile_options(ubi_quickjs PUBLIC ${ubi_ignored}) # its header is included by all who use it
        # The interpreter is one function of ten thousand lines, which takes more than a minute to optimize with AddressSanitizer's
        # checks in it: where there are that many, they are called. ThreadSanitizer does without optimization; its frames stay small.
        if(UBI_SANITIZE MATCHES "thread")
            target_compile_options(ubi_quickjs_engine PRIVATE -O0)
        elseif(UBI_SANITIZE MATCHES "address")
            target_compile_options(ubi_quickjs_engine PRIVATE "SHELL:-mllvm -asan-instrumentation-with-call-threshold=500")
        endif()
    endif()
endif()

# Tracking alone, for its own tests and for engines that are not QuickJS.
add_library(ubi_tracking STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:ubi_quickjs_tracking>)
set_target_properties(ubi_tracking PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(ubi_tracking PUBLIC ubi_internal)

# Engines whose source is all ours need no more than a folder: each is a library, ubi_<folder>, that the tool links.
set(ubi_engines ubi_quickjs_host)
file(GLOB ubi_engine_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/src/engines/*)
foreach(folder ${ubi_engine_folders})
    get_filename_component(name ${folder} NAME)
    ubi_glob(sources ${folder}/*.c)
    if(NOT TARGET ubi_${name} AND sources)
        add_library(ubi_${name} STATIC ${sources})
        target_link_libraries(ubi_${name} PUBLIC ubi_internal ubi_tracking)
        list(APPEND ubi_engines ubi_${name})
    endif()
endforeach()

# The tool: all of src/cli but its main file is a library too, so that tests can link it.
ubi_glob(ubi_cli_sources ${PROJECT_SOURCE_DIR}/src/cli/*.c)
set(ubi_cli_main ${ubi_cli_sources})
list(FILTER ubi_cli_main INCLUDE REGEX "/(cli_)?main\\.c$")
list(REMOVE_ITEM ubi_cli_sources ${ubi_cli_main})
if(ubi_cli_sources)
    add_library(ubi_cli STATIC ${ubi_cli_sources})
    # It has the text of this program in it.
    set(ubi_scenario_program ${PROJECT_SOURCE_DIR}/src/cli/scenario/scenario_runner.mjs)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cli/scenario/scenario_runner.c PROPERTIES
        OBJECT_DEPENDS ${ubi_scenario_program} COMPILE_DEFINITIONS "UBI__SCENARIO_PROGRAM=\"${ubi_scenario_program}\"")
    # Engines are linked and not seen: the tool is compiled the same with any of them.
    list(TRANSFORM ubi_engines REPLACE "(.+)" "$<LINK_ONLY:\\1>" OUTPUT_VARIABLE ubi_linked_engines)
    target_link_libraries(ubi_cli INTERFACE ${ubi_linked_engines} PUBLIC $<TARGET_NAME_IF_EXISTS:ubi_native> ubi_symbolize ubi_server ubi_internal)
    if(UBI_LIBEDIT_FOUND)
        target_link_libraries(ubi_cli PRIVATE PkgConfig::UBI_LIBEDIT)
        target_compile_definitions(ubi_cli PRIVATE UBI_LIBEDIT)
    endif()
endif()
# For sanitizers, what answers, writes and talks is not optimized: its compilation takes a third of the time, and it runs briefly. For
# the tests that know an engine (the preset engine-2021), all that knows none.
set(ubi_unoptimized "")
if(UBI_SANITIZE AND NOT UBI_LIBFUZZER)
    set(ubi_unoptimized "timeline|symbolize|targets|engines|questions|render|session|jobs|http|mcp|rdp|cdp|cli")
elseif(UBI_TEST_LABELS AND NOT UBI_SANITIZE)
    set(ubi_unoptimized "base|graph|recording|timeline|formats|analyses|lenses|questions|render|session|jobs|http|mcp|rdp|cdp|cli")
endif()
if(ubi_unoptimized)
    get_target_property(ubi_engine_tools ubi_quickjs SOURCES)
    get_target_property(ubi_engine_host ubi_quickjs_host SOURCES)
    foreach(source ${ubi_library_sources} ${ubi_symbolize_sources} ${ubi_native_sources} ${ubi_server_sources} ${ubi_cli_sources}
            ${ubi_engine_tools} ${ubi_engine_host})
        if(source MATCHES "/src/(${ubi_unoptimized})/")
            set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -O0)
        endif()
    endforeach()
endif()

if(ubi_cli_main)
    add_executable(ubiheap_cli ${ubi_cli_main})
    set_target_properties(ubiheap_cli PROPERTIES OUTPUT_NAME ubiheap
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    target_link_libraries(ubiheap_cli PRIVATE $<TARGET_NAME_IF_EXISTS:ubi_cli> ubi_internal)
endif()
