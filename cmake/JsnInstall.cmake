# jsn_install(): what `cmake --install` puts where, beside the program (src/cli): the
# shared and the static library, the headers, jensen.pc, the CMake package. The target
# `product` builds all that is installed, and no test.
#
# The package is written out instead of exported, since an exported static library
# would want a target for every library it was built with.
include(CMakePackageConfigHelpers)

# The headers of the modules that JSN_ONLY_LOSSES builds.
set(JSN_LOSS_HEADERS image log loss machine option param status version)

function(jsn_install)
    add_custom_target(product DEPENDS jensen jensen_static)
    install(TARGETS jensen jensen_static
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    if(JSN_ONLY_LOSSES)
        foreach(header ${JSN_LOSS_HEADERS})
            install(FILES ${PROJECT_SOURCE_DIR}/include/jensen/${header}.h
                    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/jensen OPTIONAL)
        endforeach()
    else()
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/jensen
                DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
    endif()

    # What a loss of one's own is compiled with; 'jensen plugin new' says the folder.
    foreach(header core/hd.h loss/lanes.h loss/lanes_double.h loss/loss_limits.h loss/plugin.h loss/plugin_define.h
            loss/row.h backend/cuda/cuda_loss_args.h backend/cuda/cuda_loss_clip.cuh backend/cuda/cuda_loss_common.cuh
            backend/cuda/cuda_loss_lanes.cuh backend/cuda/cuda_loss_row.cuh backend/cuda/cuda_start.cuh
            backend/cuda/loss_kernel.cuh)
        get_filename_component(folder ${header} DIRECTORY)
        install(FILES ${PROJECT_SOURCE_DIR}/src/${header}
                DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/jensen/plugin/${folder})
    endforeach()

    # Direct dependencies only: what they need in turn is theirs to find.
    get_property(libraries GLOBAL PROPERTY JSN_LIBRARIES)
    list(REMOVE_DUPLICATES libraries)
    set(private "")
    foreach(library ${libraries})
        get_property(names TARGET ${library} PROPERTY JSN_LINK)
        list(APPEND private ${names})
    endforeach()
    list(APPEND private m pthread ${CMAKE_DL_LIBS})
    list(REMOVE_DUPLICATES private)
    list(TRANSFORM private PREPEND "-l" OUTPUT_VARIABLE flags)
    list(JOIN flags " " JSN_PRIVATE_FLAGS)
    set(JSN_PRIVATE_LIBRARIES "${private}")

    # Both find the prefix from where they lie, so that an installed tree can be moved.
    file(RELATIVE_PATH JSN_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" JSN_PC_PREFIX "${JSN_PC_PREFIX}")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/jensen.pc.in
                   ${PROJECT_BINARY_DIR}/jensen.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/jensen.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

    set(package ${CMAKE_INSTALL_LIBDIR}/cmake/jensen)
    file(RELATIVE_PATH JSN_CMAKE_PREFIX /${package} /)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/jensenConfig.cmake.in
                   ${PROJECT_BINARY_DIR}/jensenConfig.cmake @ONLY)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/jensenConfigVersion.cmake
        VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/jensenConfig.cmake
                  ${PROJECT_BINARY_DIR}/jensenConfigVersion.cmake
            DESTINATION ${package})
endfunction()
