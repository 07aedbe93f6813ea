# Language level, warnings, sanitizers; the same for every module.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

find_program(JSN_CCACHE ccache)
if(JSN_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${JSN_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${JSN_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${JSN_CCACHE})
endif()

# No contraction of a*b+c into one rounding: results must not depend on which
# instruction set a compiler chose for which loop. Fused multiply-adds are written out
# where they are wanted.
add_compile_options(
    "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>"
    "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Wwrite-strings>"
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fvisibility=hidden;-ffp-contract=off>")

# What turns an overrun that slipped through into an end of the program: guards on the
# stack, checked copies, addresses that cannot be foretold, tables that cannot be written
# after the start. Checked copies need an optimised build; sanitizers bring their own.
include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
if(NOT JSN_SANITIZE AND NOT JSN_FUZZ AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(harden -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    # Where the compiler does not know 3, libc's headers warn.
    set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
    check_c_source_compiles("#include <stdio.h>\nint main(void) { return 0; }" JSN_FORTIFY_3)
    unset(CMAKE_REQUIRED_FLAGS)
    if(JSN_FORTIFY_3)
        list(TRANSFORM harden REPLACE "SOURCE=2" "SOURCE=3")
    endif()
    list(JOIN harden "," harden_host)
    add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${harden}>"
                        "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${harden_host}>")
    add_link_options(LINKER:-z,relro,-z,now)
endif()

if(JSN_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()

# Coverage counters in the library, so that the fuzzer sees where its inputs lead.
if(JSN_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
    add_compile_definitions(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
    add_link_options(-fsanitize=fuzzer-no-link)
endif()
