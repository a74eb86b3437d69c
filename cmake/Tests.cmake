# SPDX-License-Identifier: MIT
#
# Tests. Every one runs in the source directory with
#   UBIHEAP          the command line tool that was just built
#   UBI_BUILD_DIR    the build directory
#   UBI_SOURCE_DIR   the source directory
#   UBI_QUICKJS_DIR  the source of the JavaScript engine in that tool
#   UBI_PRESET_KIND  `plain`, or the sanitizers, such as `address,undefined`
#   UBI_DEEP         1 when there is time for the long variant
# and may exit with 77 to say "skipped". Labels: the folder below src/ or tests/, `threads` when the file name has
# "thread" in it or tests/thread-tests.txt lists the test, `deep` (only with UBI_DEEP_TESTS) below tests/deep and for
# x_deep_test; `quick` for all that tests/slow-tests.txt does not call slow.

# Only against hanging: no test measures time or has a limit of its own. So that load never fails one, a test has 10 minutes
# and 40 times the processor seconds that tests/slow-tests.txt gives it: with ten busy processes on each core it needs 11 to 20.
set(ubi_test_timeout_seconds 600)
set(ubi_test_timeout_per_cost 40)
if(UBI_DEEP_TESTS)
    set(ubi_test_timeout_seconds 14400)
endif()

# Folders whose tests look at the sources or the finished build: once, in the release build, is enough.
set(ubi_once_folders ci-recipes growth layering api package format docs bench oracle web)

# Folders whose tests look at the library that is loaded into other programs, which no sanitizer is compiled into. What reads its events
# has one: record_test, preload_collector_test and the fuzz target run it under all of them.
set(ubi_unsanitized_folders interpose)
# Tests of values, in which an independent reader or a real program does most of the work. release runs them; under sanitizers cases_test,
# the other golden results, the tests in C and those with servers of our own (hostile_devtools_test) run the same code on the same files.
set(ubi_unsanitized_tests attach_firefox_test census_golden_test chrome_attach_test dominator_tree_golden_test export_npm_test
    http_rows_test leaks_examples_test manual_test mcp_scripted_caller_test node_attach_test schema_test server_tutorial_test
    treemap_pictures_test types_test v8_differential_test v8_summary_golden_test)

file(GLOB ubi_support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
list(FILTER ubi_support_sources EXCLUDE REGEX "_test\\.c$")
add_library(ubi_test_support INTERFACE)
target_include_directories(ubi_test_support INTERFACE ${PROJECT_SOURCE_DIR}/tests/support)
target_link_libraries(ubi_test_support INTERFACE ubi_internal PkgConfig::UBI_CMOCKA PkgConfig::UBI_JANSSON)
if(ubi_support_sources)
    add_library(ubi_test_support_code STATIC ${ubi_support_sources})
    target_compile_options(ubi_test_support_code PRIVATE -UNDEBUG)
    target_include_directories(ubi_test_support_code PUBLIC ${PROJECT_SOURCE_DIR}/tests/support)
    target_link_libraries(ubi_test_support_code PUBLIC ubi_internal PkgConfig::UBI_CMOCKA PkgConfig::UBI_JANSSON)
    target_link_libraries(ubi_test_support INTERFACE ubi_test_support_code)
endif()

# Hundreds of programs are linked for tests: LLVM's linker, where it is installed, takes a fraction of the time. Not for those that walk
# or look up their own code: their programs are linked as users' are. LLVM's has no call frame information of its PLT, for one. In the
# release build the others have no debug information, which is most of what there is to link: dev is for a debugger.
find_program(UBI_LLD ld.lld)
mark_as_advanced(UBI_LLD)
function(ubi_link_quickly name source)
    if(UBI_LLD AND NOT source MATCHES "/(unwind|stacks|symbolize|interpose|targets)/|/references_test")
        target_link_options(${name} PRIVATE -fuse-ld=lld $<$<CONFIG:Release>:-Wl,--strip-debug>)
        target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-g0>)
    endif()
endfunction()

file(STRINGS ${PROJECT_SOURCE_DIR}/tests/thread-tests.txt ubi_thread_tests REGEX "^[^#]")
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/slow-tests.txt ubi_slow_lines REGEX "^[^#]")
set(ubi_slow_tests "")
foreach(line ${ubi_slow_lines})
    if(NOT line MATCHES "^([a-z0-9_]+) ([0-9]+)( quick)?$")
        message(FATAL_ERROR "tests/slow-tests.txt: not `NAME SECONDS` or `NAME SECONDS quick`: ${line}")
    endif()
    set(ubi_seconds_of_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    list(APPEND ubi_tests_with_cost ${CMAKE_MATCH_1})
    if(NOT CMAKE_MATCH_3)
        list(APPEND ubi_slow_tests ${CMAKE_MATCH_1})
    endif()
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tests/thread-tests.txt tests/slow-tests.txt)

set(ubi_test_environment UBI_BUILD_DIR=${PROJECT_BINARY_DIR} UBI_SOURCE_DIR=${PROJECT_SOURCE_DIR}
    UBI_QUICKJS_DIR=${UBI_QUICKJS_DIR} PYTHONDONTWRITEBYTECODE=1
    XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/none) # no answers from what a user's earlier programs kept
if(UBI_DEEP_TESTS)
    list(APPEND ubi_test_environment UBI_DEEP=1)
endif()
if(TARGET ubiheap_cli)
    list(APPEND ubi_test_environment UBIHEAP=$<TARGET_FILE:ubiheap_cli>)
endif()
if(UBI_SANITIZE)
    # A sanitizer's exit status must not look like one of the tool's own; a refused allocation must look like one.
    list(APPEND ubi_test_environment UBI_PRESET_KIND=${UBI_SANITIZE}
        ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:hard_rss_limit_mb=4096
        UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
        TSAN_OPTIONS=exitcode=99:allocator_may_return_null=1:hard_rss_limit_mb=4096)
else()
    list(APPEND ubi_test_environment UBI_PRESET_KIND=plain)
endif()

function(ubi_is_unsanitized out name source)
    set(unsanitized OFF)
    foreach(folder ${ubi_unsanitized_folders})
        if(source MATCHES "/tests/${folder}/")
            set(unsanitized ON)
        endif()
    endforeach()
    if(name IN_LIST ubi_unsanitized_tests)
        set(unsanitized ON)
    endif()
    set(${out} ${unsanitized} PARENT_SCOPE)
endfunction()

function(ubi_test_labels out name source)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${source})
    string(REGEX REPLACE "^[^/]+/([^/]+)/.*$" "\\1" labels "${relative}")
    if(name MATCHES "_deep_test$")
        list(APPEND labels deep)
    endif()
    if(name MATCHES "thread" OR name IN_LIST ubi_thread_tests)
        list(APPEND labels threads)
    endif()
    if(NOT name IN_LIST ubi_slow_tests AND NOT name MATCHES "_deep_test$")
        list(APPEND labels quick)
    endif()
    set(${out} ${labels} PARENT_SCOPE)
endfunction()

# What a test's own code is compiled with. Most run for less time than they take to compile, so all but those with a cost are
# not optimized where that takes long; dev has the warnings that need it. What is tested is always compiled as the preset says.
function(ubi_compile_test name)
    target_compile_options(${name} PRIVATE -UNDEBUG)
    if((UBI_SANITIZE OR UBI_TEST_LABELS OR CMAKE_BUILD_TYPE STREQUAL Release) AND NOT name IN_LIST ubi_tests_with_cost)
        target_compile_options(${name} PRIVATE -O0)
    endif()
endfunction()

# ubi_register_test(<name> <source file> <command>...): the ctest entry.
function(ubi_register_test name source)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    ubi_test_labels(labels ${name} ${source})
    set(cost 0.5)
    if(DEFINED ubi_seconds_of_${name})
        set(cost ${ubi_seconds_of_${name}})
    endif()
    string(REGEX REPLACE "\\..*" "" whole_cost ${cost})
    math(EXPR timeout_seconds "${ubi_test_timeout_seconds} + ${ubi_test_timeout_per_cost} * ${whole_cost}")
    set_tests_properties(${name} PROPERTIES
        LABELS "${labels}" COST ${cost} SKIP_RETURN_CODE 77 TIMEOUT ${timeout_seconds}
        ENVIRONMENT "${ubi_test_environment}")
endfunction()

# The library of its own that a folder becomes, for the tests and fuzz targets in that folder.
function(ubi_link_what_is_tested name source)
    if(source MATCHES "/src/cli/" AND TARGET ubi_cli)
        target_link_libraries(${name} PRIVATE ubi_cli)
    endif()
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${source})
    if(relative MATCHES "^(src/engines|tests)/([^/]+)/")
        target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:ubi_${CMAKE_MATCH_2}>)
    endif()
    if(source MATCHES "/(src|tests)/(jobs|http|mcp|rdp|cdp)/|/tests/quickjs/(http|memory)_")
        target_link_libraries(${name} PRIVATE ubi_server)
    endif()
    if(source MATCHES "/src/tracking/") # without any engine
        target_link_libraries(${name} PRIVATE ubi_tracking)
    endif()
    if(source MATCHES "/src/symbolize/|/src/targets/native/")
        target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:ubi_native> ubi_symbolize)
    endif()
endfunction()

# What 2021-03-27 has not.
if(EXISTS ${UBI_QUICKJS_DIR}/quickjs.h)
    file(STRINGS ${UBI_QUICKJS_DIR}/quickjs.h ubi_engine_is_newer REGEX "JS_EVAL_FLAG_ASYNC" LIMIT_COUNT 1)
endif()

# Whether tests of this file belong to the configuration at hand.
function(ubi_test_wanted out source)
    set(wanted ON)
    foreach(folder ${ubi_once_folders})
        if(source MATCHES "/tests/${folder}/" AND (UBI_SANITIZE OR UBI_COVERAGE OR NOT CMAKE_BUILD_TYPE STREQUAL Release))
            set(wanted OFF)
        endif()
    endforeach()
    get_filename_component(name ${source} NAME_WE)
    ubi_is_unsanitized(unsanitized ${name} ${source})
    if(UBI_SANITIZE AND unsanitized)
        set(wanted OFF)
    endif()
    # They are made from the text of the older engine, which the preset engine-2021 has.
    if(source MATCHES "/tests/quickjs/variants/" AND (UBI_SANITIZE OR UBI_COVERAGE OR ubi_engine_is_newer))
        set(wanted OFF)
    endif()
    if(source MATCHES "/tests/bench/" AND NOT UBI_BUILD_BENCH)
        set(wanted OFF)
    endif()
    if(source MATCHES "/tests/deep/|_deep_test\\.[a-z]+$" AND NOT UBI_DEEP_TESTS)
        set(wanted OFF)
    endif()
    ubi_test_labels(labels ${name} ${source})
    if(UBI_TEST_LABELS)
        set(others "${labels}")
        list(REMOVE_ITEM others ${UBI_TEST_LABELS})
        if("${others}" STREQUAL "${labels}")
            set(wanted OFF)
        endif()
    endif()
    set(${out} ${wanted} PARENT_SCOPE)
endfunction()

if(UBI_BUILD_TESTS)
    file(GLOB_RECURSE ubi_c_tests CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/src/*_test.c ${PROJECT_SOURCE_DIR}/tests/*_test.c)
    file(GLOB_RECURSE ubi_script_tests CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/tests/*_test.py ${PROJECT_SOURCE_DIR}/tests/*_test.sh)

    foreach(source ${ubi_c_tests})
        ubi_test_wanted(wanted ${source})
        if(NOT wanted)
            continue()
        endif()
        get_filename_component(name ${source} NAME_WE)
        add_executable(${name} ${source})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        ubi_compile_test(${name})
        ubi_link_quickly(${name} ${source})
        target_link_libraries(${name} PRIVATE ubi_test_support)
        ubi_link_what_is_tested(${name} ${source})
        if(source MATCHES "/tests/bench/")
            target_link_libraries(${name} PRIVATE ubi_bench)
        endif()
        ubi_register_test(${name} ${source} $<TARGET_FILE:${name}>)
    endforeach()

    foreach(source ${ubi_script_tests})
        ubi_test_wanted(wanted ${source})
        if(NOT wanted)
            continue()
        endif()
        get_filename_component(name ${source} NAME_WE)
        get_filename_component(folder ${source} DIRECTORY)
        list(APPEND ubi_folders_of_scripts ${folder})
        if(source MATCHES "\\.py$")
            ubi_register_test(${name} ${source} ${UBI_PYTHON3} ${source})
        else()
            ubi_register_test(${name} ${source} sh ${source})
        endif()
    endforeach()

    # Programs that the scripts of their folder call: $UBI_BUILD_DIR/tests/x_driver.
    file(GLOB_RECURSE ubi_drivers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_driver.c)
    foreach(source ${ubi_drivers})
        get_filename_component(name ${source} NAME_WE)
        get_filename_component(folder ${source} DIRECTORY)
        if(NOT folder IN_LIST ubi_folders_of_scripts)
            continue()
        endif()
        add_executable(${name} ${source})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        target_compile_options(${name} PRIVATE -UNDEBUG)
        ubi_link_quickly(${name} ${source})
        target_link_libraries(${name} PRIVATE ubi_test_support)
        if(source MATCHES "/tests/symbolize/")
            target_link_libraries(${name} PRIVATE ubi_symbolize)
        endif()
        if(source MATCHES "/tests/(http|rdp|cdp)/")
            target_link_libraries(${name} PRIVATE ubi_server)
        endif()
    endforeach()
endif()
