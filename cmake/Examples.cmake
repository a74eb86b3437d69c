# SPDX-License-Identifier: MIT
#
# Example programs: what a user's program sees, the public headers and the shared library.

file(GLOB ubi_examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
foreach(source ${ubi_examples})
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_link_libraries(example_${name} PRIVATE ubiheap_shared ubi_flags)
endforeach()

# Programs that embed the JavaScript engine: compiled with it and our tools.
file(GLOB ubi_quickjs_examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/quickjs/*.c)
foreach(source ${ubi_quickjs_examples})
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_link_libraries(example_${name} PRIVATE ubi_quickjs)
endforeach()
ubi_quickjs_references(example_leaked_reference)
