# SPDX-License-Identifier: MIT
#
# ubiheap-watch.node, the part of `ubiheap watch` that runs inside of Node.js programs.
#
# Flags of its own, as for the recorder's library: its host is any Node.js. It has of ours what reads the limits of the system.

ubi_glob(ubi_nodewatch_sources ${PROJECT_SOURCE_DIR}/src/nodewatch/*.c)
set(ubi_nodewatch_exports ${PROJECT_SOURCE_DIR}/src/nodewatch/exports.map)

add_library(ubiheap_watch MODULE ${ubi_nodewatch_sources} ${PROJECT_SOURCE_DIR}/src/base/memory_limits.c)
set_target_properties(ubiheap_watch PROPERTIES OUTPUT_NAME ubiheap-watch PREFIX "" SUFFIX .node
    C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/ubiheap
    LINK_DEPENDS ${ubi_nodewatch_exports})
target_include_directories(ubiheap_watch PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(ubiheap_watch PRIVATE _GNU_SOURCE= NDEBUG)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release") # as in Flags.cmake
    target_compile_definitions(ubiheap_watch PRIVATE UBI_CHECKS=1)
endif()
target_compile_options(ubiheap_watch PRIVATE -O2 -g -fPIC -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc
    -fno-builtin-free -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wwrite-strings)
if(UBI_WERROR)
    target_compile_options(ubiheap_watch PRIVATE -Werror)
endif()
# Never unloaded: V8 has its callbacks, and a thread is in it.
target_link_options(ubiheap_watch PRIVATE -Wl,--version-script=${ubi_nodewatch_exports} -Wl,-z,now -Wl,-z,nodelete
    -Wl,--no-undefined -Wl,--as-needed)
target_link_libraries(ubiheap_watch PRIVATE ${CMAKE_DL_LIBS})
if(UBI_PORTABLE) # until glibc 2.34 threads are a library of their own
    target_link_libraries(ubiheap_watch PRIVATE -lpthread)
endif()
