# SPDX-License-Identifier: Apache-2.0
# Compiler settings of this project. Included by the top level only; an outside project that uses
# t3::tlm keeps its own.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Asan or Coverage" FORCE)
endif()

# No NDEBUG anywhere: an assertion that only holds in debug builds checks nothing people run.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g -D_GLIBCXX_ASSERTIONS")
set(CMAKE_CXX_FLAGS_ASAN
    "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all")
set(CMAKE_CXX_FLAGS_COVERAGE "-O0 -g --coverage")
# Debuggers and sanitizers name sources from the source folder on, in every checkout.
add_compile_options("$<$<CONFIG:Debug,Asan>:-fdebug-prefix-map=${CMAKE_SOURCE_DIR}=.>")

if(T3_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

find_program(T3_CCACHE ccache)
if(T3_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Another checkout compiles the same: paths below the source folder count from there, and where the
  # compiler runs does not count. Precompiled headers need the first two kinds of sloppiness; the
  # file times differ between clean builds.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${T3_CCACHE}")
endif()

# t3_own_code(<target>): what holds for code we write (not for Verilator's output).
function(t3_own_code target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms in inlined std::string code (GCC bugs 105329, 105651), and in std::regex under the
    # address sanitizer (GCC bug 105562).
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                           $<$<CONFIG:Asan>:-Wno-maybe-uninitialized>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    # Lets ccache see through a precompiled header.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# t3_test_code(<target>): own code of tests, which runs for a moment: compiled in half the time.
function(t3_test_code target)
  t3_own_code(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# t3_unity(<target>): compiles up to 10 files of a folder as one, in half the processor time or less. Names
# in anonymous namespaces are therefore unique in a folder; a file of tests has a namespace of its own,
# t3::link_test. With T3_UNITY off each file is a command of its own, as clang-tidy wants it.
function(t3_unity target)
  if(NOT T3_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(count 0)
  set(last "")
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(count 0)
      set(last "${folder}")
    endif()
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    math(EXPR batch "${count} / 10")
    math(EXPR count "${count} + 1")
    string(MAKE_C_IDENTIFIER "${folder}_${batch}" group)
    set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
