# SPDX-License-Identifier: MIT
#
# libubiheap-symbols.so: names of native frames, for tools inside of other programs, which load it when they have stacks to name.
# So such programs need a reader of DWARF only then, and do without where it is missing.

set(ubi_symbols_exports ${PROJECT_SOURCE_DIR}/src/symbolize/exports.map)
add_library(ubiheap_symbols MODULE ${ubi_symbolize_sources})
set_target_properties(ubiheap_symbols PROPERTIES OUTPUT_NAME ubiheap-symbols PREFIX lib POSITION_INDEPENDENT_CODE ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/ubiheap LINK_DEPENDS ${ubi_symbols_exports} LINKER_LANGUAGE C)
target_include_directories(ubiheap_symbols SYSTEM PRIVATE ${UBI_IBERTY_INCLUDE_DIR})
target_include_directories(ubiheap_symbols PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(ubiheap_symbols PRIVATE ubi_flags ubiheap_static PkgConfig::UBI_DW ${UBI_IBERTY_LIBRARY} ${CMAKE_DL_LIBS})
target_link_options(ubiheap_symbols PRIVATE -Wl,--version-script=${ubi_symbols_exports} -Wl,-z,nodelete)
