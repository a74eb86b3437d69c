# SPDX-License-Identifier: MIT
#
# The files of the web page, as tools/build-web.sh has built them: a list for src/http/page_files.c, which puts them into the server's
# library. Without them the list is empty, and the server shows a plain page.

set(UBI_PAGE_DIR ${PROJECT_SOURCE_DIR}/web/dist CACHE PATH "The web page as it was built; without it the server has a plain page")

function(ubi_page_type out path)
    if(path MATCHES "\\.html$")
        set(type "text/html")
    elseif(path MATCHES "\\.js$")
        set(type "text/javascript")
    elseif(path MATCHES "\\.css$")
        set(type "text/css")
    elseif(path MATCHES "\\.svg$")
        set(type "image/svg+xml")
    else()
        message(FATAL_ERROR "cmake/Page.cmake: no media type of ${path}")
    endif()
    set(${out} "${type}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE ubi_page_paths CONFIGURE_DEPENDS RELATIVE ${UBI_PAGE_DIR} ${UBI_PAGE_DIR}/*)
set(ubi_page_list "/* Made by cmake/Page.cmake: number, path, media type, tag, whether its name has the tag, file. */\n")
set(ubi_page_parts "")
set(ubi_page_number 0)
foreach(path ${ubi_page_paths})
    if(NOT "${path}.gz" IN_LIST ubi_page_paths)
        continue() # it is the packed form of another
    endif()
    file(SHA256 ${UBI_PAGE_DIR}/${path} tag)
    string(SUBSTRING ${tag} 0 32 tag)
    ubi_page_type(type "${path}")
    set(address /${path})
    set(has_tag_in_name true)
    if(path STREQUAL "index.html")
        set(address /)
        set(has_tag_in_name false)
    endif()
    string(APPEND ubi_page_list
        "UBI__PAGE_FILE(${ubi_page_number}, \"${address}\", \"${type}\", \"${tag}\", ${has_tag_in_name}, \"${UBI_PAGE_DIR}/${path}\")\n")
    list(APPEND ubi_page_parts ${UBI_PAGE_DIR}/${path} ${UBI_PAGE_DIR}/${path}.gz)
    math(EXPR ubi_page_number "${ubi_page_number} + 1")
endforeach()
if(ubi_page_number EQUAL 0)
    message(STATUS "ubiheap: without the web page; `make` builds it where npm is")
endif()
# The tags are those of the bytes.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ubi_page_parts})
set(ubi_page_folder ${PROJECT_BINARY_DIR}/page)
file(CONFIGURE OUTPUT ${ubi_page_folder}/page_list.h CONTENT "${ubi_page_list}" @ONLY)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/http/page_files.c PROPERTIES OBJECT_DEPENDS "${ubi_page_parts}"
    INCLUDE_DIRECTORIES ${ubi_page_folder})
