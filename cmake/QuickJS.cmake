# SPDX-License-Identifier: MIT
#
# ubi_add_quickjs(<target> <engine source folder>): a static library of the engine and our tools, compiled together.
# Everything else links it in place of the engine's own library. It links ${UBI_QUICKJS_LIBRARY} (default:
# ubiheap::ubiheap); our source is below ${UBI_QUICKJS_TOOLS_DIR}.
#
# The engine's source stays as it is. What it has is found by looking at it (probe.sh), never by its version.

function(ubi_add_quickjs target engine)
    set(tools ${UBI_QUICKJS_TOOLS_DIR})
    set(library ubiheap::ubiheap)
    if(UBI_QUICKJS_LIBRARY)
        set(library ${UBI_QUICKJS_LIBRARY})
    endif()
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${target})
    file(MAKE_DIRECTORY ${made})
    add_custom_command(OUTPUT ${made}/ubi_features.h
        COMMAND sh ${tools}/engines/quickjs/probe.sh ${engine} > ${made}/ubi_features.h.part
        COMMAND ${CMAKE_COMMAND} -E rename ${made}/ubi_features.h.part ${made}/ubi_features.h
        DEPENDS ${tools}/engines/quickjs/probe.sh ${tools}/engines/quickjs/adapter/hooks.h ${tools}/engines/quickjs/adapter/block_hooks.h ${engine}/quickjs.c ${engine}/quickjs.h
        COMMENT "What the QuickJS source in ${engine} has" VERBATIM)

    set(engine_sources "")
    foreach(name cutils libregexp libunicode libbf dtoa xsum)
        if(EXISTS ${engine}/${name}.c)
            list(APPEND engine_sources ${engine}/${name}.c)
        endif()
    endforeach()
    set(version "unknown")
    if(EXISTS ${engine}/VERSION)
        file(STRINGS ${engine}/VERSION version LIMIT_COUNT 1)
    else() # quickjs-ng has it in its header
        file(STRINGS ${engine}/quickjs.h numbers REGEX "define QJS_VERSION_(MAJOR|MINOR|PATCH)")
        string(REGEX MATCHALL "[0-9]+" numbers "${numbers}")
        if(numbers)
            list(JOIN numbers "." version)
        endif()
    endif()

    # The engine's own files, with the adapter in the place of quickjs.c: its warnings are not ours. Of the library it gets the
    # headers and none of the flags, so that it is compiled as the engine is without us.
    add_library(${target}_engine OBJECT ${engine_sources} ${tools}/engines/quickjs/adapter.c ${made}/ubi_features.h)
    target_compile_definitions(${target}_engine PRIVATE _GNU_SOURCE "CONFIG_VERSION=\"${version}\"" CONFIG_BIGNUM)
    target_compile_options(${target}_engine PRIVATE -w -fwrapv -fno-strict-aliasing)
    target_include_directories(${target}_engine PRIVATE ${tools} ${made} ${engine}
        $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
    file(GLOB_RECURSE adapter_parts CONFIGURE_DEPENDS ${tools}/engines/quickjs/adapter/*.h ${tools}/tracking/*.h)
    set_source_files_properties(${tools}/engines/quickjs/adapter.c PROPERTIES
        OBJECT_DEPENDS "${made}/ubi_features.h;${adapter_parts};${engine}/quickjs.c")

    # What any engine needs to track allocations: it knows nothing of this one, and its own tests link it alone.
    file(GLOB tracking_sources CONFIGURE_DEPENDS ${tools}/tracking/*.c)
    list(FILTER tracking_sources EXCLUDE REGEX "_(test|fuzz|bench)\\.c$")
    add_library(${target}_tracking OBJECT ${tracking_sources})
    target_include_directories(${target}_tracking PRIVATE ${tools})
    target_link_libraries(${target}_tracking PRIVATE ${library})

    file(GLOB tool_sources CONFIGURE_DEPENDS ${tools}/engines/quickjs/*.c)
    list(FILTER tool_sources EXCLUDE REGEX "/adapter\\.c$|_(test|fuzz|bench|selftest)\\.c$")
    add_library(${target} STATIC ${tool_sources} $<TARGET_OBJECTS:${target}_engine> $<TARGET_OBJECTS:${target}_tracking>)
    target_include_directories(${target} PRIVATE ${tools})
    target_include_directories(${target} SYSTEM PUBLIC ${engine} ${made})
    add_dependencies(${target} ${target}_engine)
    target_link_libraries(${target} PUBLIC ${library} m Threads::Threads ${CMAKE_DL_LIBS})
    foreach(part ${target} ${target}_engine ${target}_tracking)
        set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endforeach()

    # Does every hook fire in this engine? If not, the build ends here.
    add_executable(${target}_selftest ${tools}/engines/quickjs/hooks_selftest.c)
    target_include_directories(${target}_selftest PRIVATE ${tools})
    target_link_libraries(${target}_selftest PRIVATE ${target})
    if(NOT CMAKE_CROSSCOMPILING)
        add_custom_command(TARGET ${target}_selftest POST_BUILD COMMAND ${target}_selftest
            COMMENT "Do the hooks into ${engine} fire?" VERBATIM)
    endif()
endfunction()

# ubi_quickjs_references(<target>...): sources of a program tell which references they take and release, so that a report of
# leaks has their stacks (ubiheap/extension/quickjs_leaks.h).

function(ubi_quickjs_references)
    foreach(target ${ARGN})
        target_compile_options(${target} PRIVATE "SHELL:-include ubiheap/extension/quickjs_references.h")
    endforeach()
endfunction()

# ubi_add_quickjs_host(<host target> <target> <engine source folder>): a static library that runs
# scripts: std, os, workers from the engine's own quickjs-libc.c, and our event loop, console, timers. <target> is what
# ubi_add_quickjs made.

function(ubi_add_quickjs_host host target engine)
    set(tools ${UBI_QUICKJS_TOOLS_DIR})

    # The engine's own file, with the host's macros around: its warnings are not ours.
    add_library(${host}_libc OBJECT ${tools}/engines/quickjs/host/host_libc.c)
    target_compile_definitions(${host}_libc PRIVATE _GNU_SOURCE
        $<TARGET_PROPERTY:${target}_engine,COMPILE_DEFINITIONS>)
    target_compile_options(${host}_libc PRIVATE -w -fwrapv -fno-strict-aliasing)
    target_include_directories(${host}_libc PRIVATE ${tools} ${engine} $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(${host}_libc PRIVATE ${UBI_QUICKJS_LIBRARY})
    set_source_files_properties(${tools}/engines/quickjs/host/host_libc.c PROPERTIES
        OBJECT_DEPENDS ${engine}/quickjs-libc.c)

    file(GLOB host_sources CONFIGURE_DEPENDS ${tools}/engines/quickjs/host/*.c)
    list(FILTER host_sources EXCLUDE REGEX "/host_libc\\.c$|_(test|fuzz|bench)\\.c$")
    add_library(${host} STATIC ${host_sources} $<TARGET_OBJECTS:${host}_libc>)
    target_include_directories(${host} PRIVATE ${tools})
    target_link_libraries(${host} PUBLIC ${target})
    foreach(part ${host} ${host}_libc)
        set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endforeach()
    ubi_quickjs_references(${host} ${host}_libc)
endfunction()
