# The oneDNN backend: sources for jsn_module(backend), included by ../CMakeLists.txt when
# oneDNN was found. The kernel files are compiled once for each instruction set of
# instruction_sets.h; which one runs is decided when the program runs.
set(_kernel_files depthwise_kernels.c norm_kernels.c pool_kernels.c reduce_kernels.c wino_conv.c
                  wino_gradient.c wino_input.c wino_weights.c)
list(TRANSFORM _kernel_files PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

set(JSN_ONEDNN_SOURCES
    onednn/backend_onednn.c onednn/dn_again.c onednn/dn_backward.c onednn/dn_conv.c onednn/dn_depthwise.c onednn/dn_forward.c
    onednn/dn_fuse.c onednn/dn_gradient.c onednn/dn_limit.c onednn/dn_linear.c onednn/dn_memory.c
    onednn/dn_norm.c onednn/dn_source.c onednn/dn_steps.c onednn/dn_time.c onednn/dnnl_api.c
    onednn/dnnl_conv.c
    onednn/dnnl_tensor.c onednn/kernel_set.c)
if(CMAKE_CXX_COMPILER)
    list(APPEND JSN_ONEDNN_SOURCES onednn/dnnl_calls.cc)
else()
    list(APPEND JSN_ONEDNN_SOURCES onednn/dnnl_calls_bare.c)
endif()
set(JSN_ONEDNN_DEFINITIONS JSN_HAVE_ONEDNN)

function(jsn_kernel_set name)
    add_library(jsn_kernels_${name} OBJECT ${_kernel_files})
    target_include_directories(jsn_kernels_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                           ${PROJECT_SOURCE_DIR}/src)
    string(TOUPPER ${name} _level)
    target_compile_definitions(jsn_kernels_${name} PRIVATE JSNI_KERNEL_SET=${name}
                                                           JSNI_LEVEL_${_level})
    target_compile_options(jsn_kernels_${name} PRIVATE ${ARGN})
    # objects of the libraries, as a module's are
    set_property(GLOBAL APPEND PROPERTY JSN_MODULES kernels_${name})
endfunction()

# Vectors are passed between functions that are all inlined: no calling convention is at stake.
jsn_kernel_set(plain -Wno-psabi)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    jsn_kernel_set(avx2 -mavx2 -mfma)
    jsn_kernel_set(avx512 -mavx512f -mavx2 -mfma)
    list(APPEND JSN_ONEDNN_DEFINITIONS JSN_KERNELS_X86)
endif()
