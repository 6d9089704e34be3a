# Flags shared by every target.
add_library(gpusched_flags INTERFACE)
target_include_directories(gpusched_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(gpusched_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum -Wnon-virtual-dtor
  -Wno-missing-field-initializers)
# For those who change the code; a newer compiler's new warning must not stop a user's build.
if(GPUSCHED_WARNINGS_ARE_ERRORS)
  target_compile_options(gpusched_flags INTERFACE -Werror)
endif()
# Nothing compiled depends on where the checkout is.
target_compile_options(gpusched_flags INTERFACE -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
target_compile_definitions(gpusched_flags INTERFACE GPUSCHED_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 in inlined library code, not in ours.
  target_compile_options(gpusched_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(GPUSCHED_SANITIZE)
  target_compile_options(gpusched_flags INTERFACE -fsanitize=${GPUSCHED_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(GPUSCHED_SANITIZE MATCHES "undefined")
    # A third of the build's time for what a segmentation fault or the address sanitizer shows too.
    target_compile_options(gpusched_flags INTERFACE
      -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  endif()
  target_link_options(gpusched_flags INTERFACE -fsanitize=${GPUSCHED_SANITIZE})
endif()
if(GPUSCHED_FUZZERS)
  # Another compiler than the one the warnings were tuned for: they are not errors here.
  target_compile_options(gpusched_flags INTERFACE -Wno-error -fno-sanitize-recover=all
                         -fsanitize=fuzzer-no-link,address,undefined)
  target_link_options(gpusched_flags INTERFACE -fsanitize=address,undefined)
endif()

# gpusched_alone(a.cc b.cc): not compiled together with neighbours, because of what it includes.
function(gpusched_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

find_program(CCACHE ccache)
if(CCACHE)
  # Paths count from the checkout, so that one clone's results serve another's.
  set(in_any_clone ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${in_any_clone})
  set(CMAKE_C_COMPILER_LAUNCHER ${in_any_clone})
endif()
