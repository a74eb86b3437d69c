# SPDX-License-Identifier: MIT
#
# ubi_choose_quickjs(<variable> <source folder>): the folder of the engine that ubiheap is built with. What <variable> names
# already is kept; otherwise it is the first of packaging/quickjs.txt that `make deps` could fetch. The choice is not cached, so
# that a build finds a source that was fetched later.

function(ubi_choose_quickjs variable root)
    set(chosen ${${variable}})
    if(chosen STREQUAL "${root}/third-party/quickjs") # the default of earlier versions, which put it into the cache
        unset(${variable} CACHE)
        set(chosen "")
    endif()
    if(NOT chosen)
        file(STRINGS ${root}/packaging/quickjs.txt rows REGEX "^[^#]")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${root}/packaging/quickjs.txt)
        set(first "")
        foreach(row ${rows})
            string(REGEX REPLACE " .*" "" folder "${row}")
            if(NOT first)
                set(first ${folder})
            endif()
            if(NOT chosen AND EXISTS ${root}/third-party/${folder}/quickjs.c)
                set(chosen ${root}/third-party/${folder})
                if(NOT folder STREQUAL first)
                    message(NOTICE "ubiheap: third-party/${first} is missing; built with the older ${folder}")
                endif()
            endif()
        endforeach()
        if(NOT chosen)
            set(chosen ${root}/third-party/${first})
        endif()
    endif()
    if(NOT EXISTS ${chosen}/quickjs.c)
        message(FATAL_ERROR "ubiheap needs the source of QuickJS, but ${chosen} has no quickjs.c. "
            "`make deps` fetches it; UBI_QUICKJS_DIR names another folder.")
    endif()
    set(${variable} ${chosen} PARENT_SCOPE)
endfunction()
