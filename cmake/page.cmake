# The page of web/, built by npm while everything else is compiled, becomes a source of src/page.
# Presets of one checkout share packages and result in build/web.
option(GPUSCHED_PAGE "Build the page of web/ into the daemon; needs Node.js 18 and npm" ON)

# gpusched_page_source(VARIABLE): the source that has the files; empty: there will be none.
function(gpusched_page_source result)
  set(${result} "" PARENT_SCOPE)
  if(NOT GPUSCHED_PAGE)
    return()
  endif()
  find_program(NPM npm)
  find_program(NODE node)
  set(version)
  if(NPM AND NODE)
    execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE version ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" version "${version}")
  endif()
  if(NOT version)
    set(version none)
  endif()
  if(NOT version VERSION_GREATER_EQUAL 18)
    message(STATUS "The daemon is built without its page, which needs npm and Node.js 18 or newer "
                   "(here: ${version}); see docs/guide/page.md")
    return()
  endif()

  set(shared ${CMAKE_BINARY_DIR}/web)
  string(FIND ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/build/ begins)
  if(begins EQUAL 0)
    set(shared ${CMAKE_SOURCE_DIR}/build/web)
  endif()
  set(made ${CMAKE_BINARY_DIR}/page/page_files.cc)
  if(EXISTS ${made}.missing)  # Packages could not be had; perhaps now they can.
    file(REMOVE ${made} ${made}.missing)
  endif()
  set(one_at_a_time)
  find_program(FLOCK flock)
  if(FLOCK)
    set(one_at_a_time ${FLOCK} ${shared}.lock)
  endif()
  get_filename_component(around ${shared} DIRECTORY)
  file(MAKE_DIRECTORY ${around})
  add_custom_command(OUTPUT ${made}
    COMMAND ${one_at_a_time} ${NODE} ${CMAKE_SOURCE_DIR}/tools/build_page.mjs
            ${CMAKE_SOURCE_DIR}/web ${shared} ${made}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/build_page.mjs ${CMAKE_SOURCE_DIR}/tools/embed_page.mjs
    DEPFILE ${made}.d
    COMMENT "Building the page of web/"
    VERBATIM)
  set(${result} ${made} PARENT_SCOPE)
endfunction()
