# SPDX-License-Identifier: MIT
#
# What `make install` puts where: tool, libraries, headers, files for pkg-config and CMake, manual pages, completion,
# licence, documents and examples. The component `tool` is what needs no library of ours to be installed.

include(CMakePackageConfigHelpers)

set(ubi_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ubiheap)
set(ubi_help_dir ${PROJECT_BINARY_DIR}/help)

if(TARGET ubiheap_cli)
    install(TARGETS ubiheap_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
install(TARGETS ubiheap_preload ubiheap_watch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ubiheap COMPONENT tool)
install(TARGETS ubiheap_symbols LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ubiheap)
if(UBI_PORTABLE) # of the tool's libraries, those that Debian has no archive of
    set_target_properties(ubiheap_cli PROPERTIES INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/ubiheap")
    file(REAL_PATH ${UBI_PORTABLE_ROOT}/usr/lib/x86_64-linux-gnu/libisal.so.2 ubi_isal_file)
    install(FILES ${ubi_isal_file} RENAME libisal.so.2 DESTINATION ${CMAKE_INSTALL_LIBDIR}/ubiheap COMPONENT tool)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ubiheap DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Two export sets: a program that links the shared library needs none of our dependencies to be installed.
set_target_properties(ubiheap_shared PROPERTIES EXPORT_NAME ubiheap)
set_target_properties(ubiheap_static PROPERTIES EXPORT_NAME static)
install(TARGETS ubiheap_shared ubiheap_server EXPORT ubiheapTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ubiheap_static EXPORT ubiheapStaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(NOT UBI_SHARED_INTERNALS)
    install(TARGETS ubi_server EXPORT ubiheapStaticTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(export ubiheapTargets ubiheapStaticTargets)
    install(EXPORT ${export} NAMESPACE ubiheap:: DESTINATION ${ubi_cmake_dir})
endforeach()
set(ubi_quickjs_tools_dir ${CMAKE_INSTALL_DATADIR}/ubiheap/quickjs)
configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/ubiheapConfig.cmake.in
    ${PROJECT_BINARY_DIR}/ubiheapConfig.cmake INSTALL_DESTINATION ${ubi_cmake_dir}
    PATH_VARS ubi_quickjs_tools_dir)
# Until 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ubiheapConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ubiheapConfig.cmake ${PROJECT_BINARY_DIR}/ubiheapConfigVersion.cmake
    DESTINATION ${ubi_cmake_dir})

# The tools for a live QuickJS are compiled with the user's engine: source, and the function that does it.
foreach(header assert bits script_source table)
    install(FILES ${PROJECT_SOURCE_DIR}/src/base/${header}.h DESTINATION ${ubi_quickjs_tools_dir}/base)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/tracking DESTINATION ${ubi_quickjs_tools_dir}
    FILES_MATCHING PATTERN "*.[ch]" PATTERN "*_test.c" EXCLUDE PATTERN "*_for_tests.h" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/engines/quickjs DESTINATION ${ubi_quickjs_tools_dir}/engines
    FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.sh" PATTERN "*_test.c" EXCLUDE PATTERN "*_fuzz.c" EXCLUDE
    PATTERN "*_for_tests.h" EXCLUDE PATTERN "*_testing.h" EXCLUDE PATTERN "host" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/QuickJS.cmake DESTINATION ${ubi_cmake_dir})

# The .pc file finds its prefix from its own place, so that a tree can be moved or staged.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(ubi_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH ubi_pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" ubi_pc_up "${ubi_pc_up}")
    set(ubi_pc_prefix "\${pcfiledir}/${ubi_pc_up}")
endif()
foreach(directory LIBDIR INCLUDEDIR DATADIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}")
        set(ubi_pc_${directory} "${CMAKE_INSTALL_${directory}}")
    else()
        set(ubi_pc_${directory} "\${prefix}/${CMAKE_INSTALL_${directory}}")
    endif()
endforeach()
foreach(name ubiheap ubiheap-server)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# Manual pages and completion are what the tool says of itself, so a tool for another machine cannot give them.
if(TARGET ubiheap_cli AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT CMAKE_CROSSCOMPILING)
    add_custom_command(OUTPUT ${ubi_help_dir}/made
        COMMAND sh ${PROJECT_SOURCE_DIR}/tools/make-help.sh $<TARGET_FILE:ubiheap_cli> ${ubi_help_dir}
        DEPENDS ubiheap_cli ${PROJECT_SOURCE_DIR}/tools/make-help.sh
        COMMENT "Manual pages and completion" VERBATIM)
    add_custom_target(ubiheap_help ALL DEPENDS ${ubi_help_dir}/made)
    install(DIRECTORY ${ubi_help_dir}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tool)
    install(FILES ${ubi_help_dir}/ubiheap.bash RENAME ubiheap
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
endif()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool OPTIONAL)
foreach(folder docs examples)
    if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
    endif()
endforeach()

# What the user's shell needs to find all this; nothing to say of files that are on their way to another place.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(ubi_installed_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
    set(ubi_installed_libdir "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}")
endif()
install(CODE "if(\"\$ENV{DESTDIR}\" STREQUAL \"\")
    execute_process(COMMAND sh \"${PROJECT_SOURCE_DIR}/tools/after-install.sh\"
        \"\${CMAKE_INSTALL_PREFIX}\" \"${ubi_installed_libdir}\")
endif()")
