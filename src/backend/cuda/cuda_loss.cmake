# The losses on the device; included by src/backend/cuda/CMakeLists.txt, which has CUDA
# enabled. The loss files are compiled as CUDA C++, once in float and once in double.
# The LANGUAGE property holds in that directory only: the host library compiles them as
# C. Gives the object libraries jsn_cuda_loss, jsn_cuda_loss_f32 and jsn_cuda_loss_f64.
file(GLOB loss_entries CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/loss/loss_*.c)
set_source_files_properties(${loss_entries} PROPERTIES LANGUAGE CUDA)

function(jsn_cuda_loss_library name)
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    # Set-up code and tables of parameters are the host's.
    target_compile_options(${name} PRIVATE
        "$<$<COMPILE_LANGUAGE:CUDA>:-Xcudafe;--diag_suppress=177>")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                             CUDA_STANDARD 17)
endfunction()

jsn_cuda_loss_library(jsn_cuda_loss cuda_loss.cu)
foreach(type f32 f64)
    jsn_cuda_loss_library(jsn_cuda_loss_${type} ${loss_entries})
    target_compile_definitions(jsn_cuda_loss_${type} PRIVATE
        "JSNI_LANES_HEADER=\"backend/cuda/cuda_loss_lanes.cuh\""
        "JSNI_ROW_HEADER=\"backend/cuda/cuda_loss_row.cuh\""
        "JSNI_KERNEL_HEADER=\"backend/cuda/loss_kernel.cuh\"")
endforeach()
target_compile_definitions(jsn_cuda_loss_f64 PRIVATE JSNI_CUDA_DOUBLE)
