# Optional libraries. Each one found becomes a target jsn_dep_<id> and sets
# JSN_HAVE_<ID>; what was found, with its version, is what `jensen doctor` prints.
set(JSN_FEATURE_ROWS "")
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

function(jsn_feature name purpose version)
    set(JSN_FEATURE_ROWS
        "${JSN_FEATURE_ROWS} \\\n    {\"${name}\", \"${purpose}\", \"${version}\"},"
        PARENT_SCOPE)
endfunction()

# jsn_dependency(<id> <pkg-config module> <name> <purpose>)
macro(jsn_dependency id module name purpose)
    string(TOUPPER ${id} _upper)
    set(JSN_HAVE_${_upper} OFF)
    set(_version "")
    if(PkgConfig_FOUND AND NOT JSN_MINIMAL AND NOT JSN_ONLY_LOSSES)
        pkg_check_modules(JSN_${_upper} QUIET IMPORTED_TARGET ${module})
        if(JSN_${_upper}_FOUND)
            set(JSN_HAVE_${_upper} ON)
            set(_version ${JSN_${_upper}_VERSION})
            add_library(jsn_dep_${id} INTERFACE)
            target_link_libraries(jsn_dep_${id} INTERFACE PkgConfig::JSN_${_upper})
            # For those who link the static library: JsnInstall.cmake.
            set_property(TARGET jsn_dep_${id} PROPERTY JSN_LINK ${JSN_${_upper}_LIBRARIES})
        endif()
    endif()
    jsn_feature("${name}" "${purpose}" "${_version}")
endmacro()

jsn_dependency(turbojpeg libturbojpeg "libjpeg-turbo" "reads and writes JPEG")
# The same library's other interface. Other libraries are called libjpeg, too, but only
# libjpeg-turbo's reads parts of images.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES jpeg)
check_symbol_exists(jpeg_crop_scanline "stdio.h;jpeglib.h" JSN_JPEG_CROPS)
unset(CMAKE_REQUIRED_LIBRARIES)
if(JSN_JPEG_CROPS)
    jsn_dependency(jpeg libjpeg "libjpeg" "reads parts of JPEGs")
else()
    set(JSN_HAVE_JPEG OFF)
    jsn_feature("libjpeg" "reads parts of JPEGs" "")
endif()
jsn_dependency(png libpng "libpng" "reads and writes PNG")
jsn_dependency(webp libwebp "libwebp" "reads WebP")
jsn_dependency(archive libarchive "libarchive" "reads tar and zip archives")
jsn_dependency(curl libcurl "libcurl" "downloads data sets")
jsn_dependency(microhttpd libmicrohttpd "libmicrohttpd" "serves the page of jensen review")
jsn_dependency(yaml yaml-0.1 "libyaml" "reads YAML configuration files")
jsn_dependency(sqlite sqlite3 "SQLite" "keeps studies in a file")
jsn_dependency(pq libpq "libpq" "keeps studies on a PostgreSQL server")

# oneDNN 2.x brings a CMake package, no pkg-config file.
set(JSN_HAVE_ONEDNN OFF)
set(_version "")
if(NOT JSN_MINIMAL AND NOT JSN_ONLY_LOSSES)
    find_path(JSN_DNNL_INCLUDE dnnl.h)
    find_library(JSN_DNNL_LIBRARY dnnl)
    # its OpenMP runtime, which we tell to use one thread a caller
    find_library(JSN_GOMP_LIBRARY NAMES gomp libgomp.so.1)
    if(JSN_DNNL_INCLUDE AND JSN_DNNL_LIBRARY AND JSN_GOMP_LIBRARY)
        set(JSN_HAVE_ONEDNN ON)
        file(GLOB _headers ${JSN_DNNL_INCLUDE}/dnnl_version.h
                           ${JSN_DNNL_INCLUDE}/oneapi/dnnl/dnnl_version.h)
        foreach(_header ${_headers})
            file(STRINGS ${_header} _lines REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH)")
            string(REGEX REPLACE "[^0-9;]" "" _numbers "${_lines}")
            string(REPLACE ";" "." _found "${_numbers}")
            if(_found)
                set(_version ${_found})
            endif()
        endforeach()
        if(NOT _version)
            set(_version found)
        endif()
        add_library(jsn_dep_onednn INTERFACE)
        target_include_directories(jsn_dep_onednn SYSTEM INTERFACE ${JSN_DNNL_INCLUDE})
        target_link_libraries(jsn_dep_onednn INTERFACE ${JSN_DNNL_LIBRARY}
                                                       ${JSN_GOMP_LIBRARY})
        set_property(TARGET jsn_dep_onednn PROPERTY JSN_LINK dnnl :libgomp.so.1)
        # Its exceptions can be caught in C++ alone.
        include(CheckLanguage)
        check_language(CXX)
        if(CMAKE_CXX_COMPILER)
            enable_language(CXX)
            check_pie_supported(LANGUAGES CXX) # C++ links the program then
            set_property(TARGET jsn_dep_onednn APPEND PROPERTY JSN_LINK stdc++)
        else()
            message(STATUS "no C++ compiler: running out of memory inside oneDNN ends the program")
        endif()
    endif()
endif()
jsn_feature("oneDNN" "fast CPU training" "${_version}")

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/core/feature_rows.h CONTENT
"/* core/feature_rows.h - written by cmake/JsnDependencies.cmake. */
#define JSNI_FEATURE_ROWS @JSN_FEATURE_ROWS@
" @ONLY)
