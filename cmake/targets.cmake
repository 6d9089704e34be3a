# gpusched_library(core SOURCES a.cc b.cc LINKS gpusched_base ...)  ->  target gpusched_core
function(gpusched_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(gpusched_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(gpusched_${name} PUBLIC gpusched_flags ${ARG_LINKS})
endfunction()

# gpusched_program(gpuschedd SOURCES main.cc LINKS ... [FULLY_STATIC])
# Release builds need nothing but glibc at run time; FULLY_STATIC not even that.
function(gpusched_program name)
  cmake_parse_arguments(ARG "FULLY_STATIC" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE gpusched_flags ${ARG_LINKS})
  if(GPUSCHED_STATIC)
    if(ARG_FULLY_STATIC)
      # Frames are found by the header that the linker makes, as in other programs. Without this the
      # start of a static program registers them, which reads all of them with g++ 13 (0.2 ms).
      # Code and constants in one mapping save page faults at every start. std::cout and its kin
      # (std::ios_base::Init) are not made either: nobody uses them, and string streams do not
      # need them.
      target_link_options(${name} PRIVATE -static -Wl,-z,noseparate-code -Wl,--eh-frame-hdr
        -Wl,--wrap=__register_frame_info -Wl,--wrap=__deregister_frame_info
        -Wl,--wrap=_ZNSt8ios_base4InitC1Ev -Wl,--wrap=_ZNSt8ios_base4InitD1Ev)
    else()
      target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
  endif()
endfunction()

# gpusched_test(core SOURCES a_test.cc LINKS gpusched_core): a folder's unit tests, one program.
function(gpusched_test name)
  if(NOT GPUSCHED_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE
    gpusched_flags ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR})
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()

# gpusched_fuzzer(config SOURCES fuzz/config_fuzz.cc LINKS gpusched_config): config_fuzz, with the
# `fuzz` preset only. `fuzzers` builds them all; seeds are the files of fuzz/seeds/NAME/.
function(gpusched_fuzzer name)
  if(NOT GPUSCHED_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_fuzz ${ARG_SOURCES})
  target_link_libraries(${name}_fuzz PRIVATE gpusched_flags ${ARG_LINKS})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name}_fuzz)
endfunction()

# gpusched_hot(core engine): what the simulation runs millions of times is optimised in every build.
function(gpusched_hot)
  foreach(name ${ARGN})
    target_compile_options(gpusched_${name} PRIVATE $<$<CONFIG:Debug>:-O1>)
  endforeach()
endfunction()

# gpusched_simulated_driver(nvml_test): for tests that include tests/support/simulated_driver.h.
function(gpusched_simulated_driver test)
  if(NOT GPUSCHED_TESTS)
    return()
  endif()
  target_compile_definitions(${test} PRIVATE
    SIMULATED_DRIVER_DIRECTORY="${CMAKE_BINARY_DIR}/sim"
    SIMULATED_SCENARIO_DIRECTORY="${CMAKE_SOURCE_DIR}/simdriver/scenarios")
  add_dependencies(${test} sim_nvidia-ml)
endfunction()
