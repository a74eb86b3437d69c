# SPDX-License-Identifier: MIT
#
# Benchmark programs. A file of bench/ that has a main function becomes a program; the others are shared by all of them.

file(GLOB ubi_bench_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
file(GLOB_RECURSE ubi_bench_programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_bench.c)
set(ubi_bench_shared "")
foreach(source ${ubi_bench_files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} main_line REGEX "^int main\\(")
    if(main_line)
        list(APPEND ubi_bench_programs ${source})
    else()
        list(APPEND ubi_bench_shared ${source})
    endif()
endforeach()

if(ubi_bench_shared)
    add_library(ubi_bench STATIC ${ubi_bench_shared})
    target_include_directories(ubi_bench PUBLIC ${PROJECT_SOURCE_DIR}/bench)
    target_link_libraries(ubi_bench PUBLIC ubi_internal)
endif()

foreach(source ${ubi_bench_programs})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench)
    target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:ubi_bench> ubi_internal)
endforeach()
