# Everything from the distribution's packages; docs/adr/ has one page per choice.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Header only: Asio and Beast.
find_package(nlohmann_json REQUIRED)
find_path(TL_EXPECTED_INCLUDE tl/expected.hpp REQUIRED)
find_path(FMT_INCLUDE fmt/format.h REQUIRED)
# src/base/fmt_impl.cc compiles fmt once, for the version that it knows; else every file does.
option(GPUSCHED_FMT_ONCE "Compile fmt once instead of in every file that formats" OFF)
file(STRINGS ${FMT_INCLUDE}/fmt/core.h FMT_VERSION REGEX "#define FMT_VERSION 90[01]00")
if(NOT GPUSCHED_FMT_ONCE OR NOT FMT_VERSION)
  target_compile_definitions(gpusched_flags INTERFACE FMT_HEADER_ONLY)
endif()
find_path(SQLITE3_INCLUDE sqlite3.h REQUIRED)
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
find_path(YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
# Static libraries first: release binaries need nothing but glibc at run time.
find_library(SQLITE3_LIBRARY NAMES libsqlite3.a sqlite3 REQUIRED)
find_library(ZLIB_LIBRARY NAMES libz.a z REQUIRED)
find_library(YAML_CPP_LIBRARY NAMES libyaml-cpp.a yaml-cpp REQUIRED)
find_path(NCURSES_INCLUDE curses.h REQUIRED)
find_library(NCURSESW_LIBRARY NAMES libncursesw.a ncursesw REQUIRED)
find_library(TINFO_LIBRARY NAMES libtinfo.a tinfo)  # Where ncurses does not hold it itself.

find_path(OPENSSL_INCLUDE openssl/ssl.h REQUIRED)
find_library(SSL_LIBRARY NAMES libssl.a ssl REQUIRED)
find_library(CRYPTO_LIBRARY NAMES libcrypto.a crypto REQUIRED)

add_library(dependency_openssl INTERFACE)
target_include_directories(dependency_openssl SYSTEM INTERFACE ${OPENSSL_INCLUDE})
target_link_libraries(dependency_openssl INTERFACE
  ${SSL_LIBRARY} ${CRYPTO_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})

add_library(dependency_sqlite INTERFACE)
target_include_directories(dependency_sqlite SYSTEM INTERFACE ${SQLITE3_INCLUDE})
target_link_libraries(dependency_sqlite INTERFACE
  ${SQLITE3_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} m)

add_library(dependency_zlib INTERFACE)
target_include_directories(dependency_zlib SYSTEM INTERFACE ${ZLIB_INCLUDE})
target_link_libraries(dependency_zlib INTERFACE ${ZLIB_LIBRARY})

add_library(dependency_yaml INTERFACE)
target_include_directories(dependency_yaml SYSTEM INTERFACE ${YAML_CPP_INCLUDE})
target_link_libraries(dependency_yaml INTERFACE ${YAML_CPP_LIBRARY})
target_compile_definitions(dependency_yaml INTERFACE YAML_CPP_STATIC_DEFINE)

add_library(dependency_ncurses INTERFACE)
target_include_directories(dependency_ncurses SYSTEM INTERFACE ${NCURSES_INCLUDE})
target_link_libraries(dependency_ncurses INTERFACE
  ${NCURSESW_LIBRARY} $<$<BOOL:${TINFO_LIBRARY}>:${TINFO_LIBRARY}>)
# Functions instead of macros: names such as move and filter are ours.
target_compile_definitions(dependency_ncurses INTERFACE NCURSES_NOMACROS NCURSES_WIDECHAR=1)

add_library(dependency_asio INTERFACE)
target_include_directories(dependency_asio SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(dependency_asio INTERFACE BOOST_ASIO_SEPARATE_COMPILATION
  BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_CONCEPTS)
target_link_libraries(dependency_asio INTERFACE Threads::Threads)

if(GPUSCHED_TESTS)
  find_package(GTest REQUIRED)
  find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
  add_library(dependency_rapidcheck INTERFACE)
  target_link_libraries(dependency_rapidcheck INTERFACE ${RAPIDCHECK_LIBRARY})
endif()
if(GPUSCHED_BENCHMARKS)
  find_package(benchmark QUIET)
endif()
