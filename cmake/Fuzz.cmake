# SPDX-License-Identifier: MIT
#
# Fuzz targets. With UBI_LIBFUZZER a libFuzzer program each, else the same file with the replay driver. Either way ctest
# replays fuzz/corpus/<target>/.

file(GLOB_RECURSE ubi_fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_fuzz.c)
foreach(source ${ubi_fuzz_sources})
    ubi_test_wanted(wanted ${source})
    if(NOT wanted)
        continue()
    endif()
    get_filename_component(name ${source} NAME_WE)
    set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    target_compile_options(${name} PRIVATE -UNDEBUG)
    target_link_libraries(${name} PRIVATE ubi_test_support)
    ubi_link_what_is_tested(${name} ${source})
    if(UBI_LIBFUZZER)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        set(replay $<TARGET_FILE:${name}> -runs=0 -rss_limit_mb=4096 ${corpus})
    else()
        target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay_main.c)
        set(replay $<TARGET_FILE:${name}> ${corpus})
    endif()
    ubi_register_test(${name}_replay ${source} ${replay})
    set_property(TEST ${name}_replay APPEND PROPERTY LABELS fuzz)
endforeach()
