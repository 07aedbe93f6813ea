# jsn_module(<name> SOURCES a.c ... [DEPENDS module ...] [LIBRARIES target ...])
#
# One object library a module. DEPENDS is the layering: the other modules whose headers
# its files may include (tests/tree holds the #include lines to it). LIBRARIES are
# jsn_dep_* targets. Object libraries, because the shared and the static libjensen are
# both made from the same objects.
define_property(GLOBAL PROPERTY JSN_MODULES BRIEF_DOCS "modules" FULL_DOCS "modules")
define_property(GLOBAL PROPERTY JSN_LAYERS BRIEF_DOCS "lines" FULL_DOCS "name: depends")

function(jsn_module name)
    cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
    add_library(jsn_${name} OBJECT ${arg_SOURCES})
    target_include_directories(jsn_${name} PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_BINARY_DIR}/generated)
    target_link_libraries(jsn_${name} PRIVATE ${arg_LIBRARIES} Threads::Threads)
    set_property(GLOBAL APPEND PROPERTY JSN_MODULES ${name})
    set_property(GLOBAL APPEND PROPERTY JSN_LIBRARIES ${arg_LIBRARIES})
    list(JOIN arg_DEPENDS " " depends)
    set_property(GLOBAL APPEND PROPERTY JSN_LAYERS "${name}: ${depends}")
endfunction()

# The two libraries from all modules: jensen (shared) and jensen_static.
function(jsn_libraries)
    get_property(modules GLOBAL PROPERTY JSN_MODULES)
    get_property(libraries GLOBAL PROPERTY JSN_LIBRARIES)
    list(REMOVE_DUPLICATES libraries)
    set(objects "")
    foreach(module ${modules})
        list(APPEND objects $<TARGET_OBJECTS:jsn_${module}>)
    endforeach()
    add_library(jensen_static STATIC ${objects})
    set_target_properties(jensen_static PROPERTIES OUTPUT_NAME jensen)
    add_library(jensen SHARED ${objects})
    set_target_properties(jensen PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    foreach(target jensen jensen_static)
        target_include_directories(${target} PUBLIC
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        target_link_libraries(${target} PRIVATE ${libraries} m Threads::Threads
                                                ${CMAKE_DL_LIBS})
    endforeach()
    get_property(layers GLOBAL PROPERTY JSN_LAYERS)
    list(JOIN layers "\n" text)
    file(WRITE ${PROJECT_BINARY_DIR}/layers.txt "${text}\n")
endfunction()
