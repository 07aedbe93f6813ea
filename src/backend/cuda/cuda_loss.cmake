# The losses on the device; included by src/backend/cuda/CMakeLists.txt, which has CUDA
# enabled. The loss files are compiled as CUDA C++, once in float and once in double.
# The LANGUAGE property holds in that directory only: the host library compiles them as
# C. Gives JSN_CUDA_LOSS_OBJECTS, a global property too.
file(GLOB loss_entries CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/loss/loss_*.c
     ${PROJECT_SOURCE_DIR}/src/loss/method_*.c)
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

function(jsn_cuda_loss_build name kernel)
    jsn_cuda_loss_library(${name} ${ARGN})
    target_compile_definitions(${name} PRIVATE
        "JSNI_LANES_HEADER=\"backend/cuda/cuda_loss_lanes.cuh\""
        "JSNI_ROW_HEADER=\"backend/cuda/cuda_loss_row.cuh\""
        "JSNI_KERNEL_HEADER=\"backend/cuda/${kernel}\"")
endfunction()

jsn_cuda_loss_library(jsn_cuda_loss cuda_check.c cuda_loss.cu cuda_loss_table.c cuda_plugin.c)
target_include_directories(jsn_cuda_loss SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
jsn_cuda_loss_build(jsn_cuda_loss_f32 loss_kernel.cuh ${loss_entries})
jsn_cuda_loss_build(jsn_cuda_loss_f64 loss_kernel.cuh ${loss_entries})
target_compile_definitions(jsn_cuda_loss_f64 PRIVATE JSNI_CUDA_DOUBLE)

# Of clipped logits, in double.
jsn_cuda_loss_build(jsn_cuda_loss_clip loss_kernel.cuh ${loss_entries})
target_compile_definitions(jsn_cuda_loss_clip PRIVATE JSNI_CUDA_DOUBLE JSNI_CUDA_CLIP)

# With a sample in registers: one build for each number of classes a thread, with the
# threads a sample that the table in cuda_loss.cu has. A loss file says in its last lines
# whether it sees two views together.
foreach(entry ${loss_entries})
    file(STRINGS ${entry} joint REGEX "JSNI_JOINT")
    set(views 1)
    if(joint)
        set(views 2)
    endif()
    set_property(SOURCE ${entry} APPEND PROPERTY COMPILE_DEFINITIONS
                 JSNI_HELD_VIEWS=${views})
endforeach()
set(JSN_CUDA_LOSS_OBJECTS $<TARGET_OBJECTS:jsn_cuda_loss>
    $<TARGET_OBJECTS:jsn_cuda_loss_f32> $<TARGET_OBJECTS:jsn_cuda_loss_f64>
    $<TARGET_OBJECTS:jsn_cuda_loss_clip>)
set(lanes_of_8 32)
set(lanes_of_16 32)
set(lanes_of_32 32)
foreach(held 8 16 32)
    jsn_cuda_loss_build(jsn_cuda_loss_h${held} cuda_loss_held.cuh ${loss_entries})
    target_compile_definitions(jsn_cuda_loss_h${held} PRIVATE
        JSNI_HELD=${held} JSNI_HELD_LANES=${lanes_of_${held}}
        JSNI_HELD_SUFFIX=_h${held})
    list(APPEND JSN_CUDA_LOSS_OBJECTS $<TARGET_OBJECTS:jsn_cuda_loss_h${held}>)
endforeach()
set_property(GLOBAL PROPERTY JSN_CUDA_LOSS_OBJECTS ${JSN_CUDA_LOSS_OBJECTS})

# The same kernel of gjs for bench_cuda_loss: classes a thread, threads a sample, blocks
# that should fit a multiprocessor.
set(sweep_objects)
foreach(variant 8_32_4 8_32_6 8_32_8 8_128_4 8_128_6 8_128_8 16_64_6 16_64_8 16_64_10
        32_32_2 32_32_3 32_32_4)
    string(REPLACE "_" ";" numbers ${variant})
    list(GET numbers 0 held)
    list(GET numbers 1 lanes)
    list(GET numbers 2 blocks)
    jsn_cuda_loss_build(jsn_cuda_sweep_${variant} cuda_loss_held.cuh
        ${PROJECT_SOURCE_DIR}/src/loss/loss_gjs.c)
    target_compile_definitions(jsn_cuda_sweep_${variant} PRIVATE
        JSNI_HELD=${held} JSNI_HELD_LANES=${lanes} JSNI_HELD_BLOCKS=${blocks}
        JSNI_HELD_SUFFIX=_h${variant})
    set_target_properties(jsn_cuda_sweep_${variant} PROPERTIES EXCLUDE_FROM_ALL ON)
    list(APPEND sweep_objects $<TARGET_OBJECTS:jsn_cuda_sweep_${variant}>)
endforeach()
