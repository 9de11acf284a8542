# SPDX-License-Identifier: Apache-2.0
# Verilog into C++ libraries. Also installed: an outside project uses the same functions for RTL
# blocks of its own.
#
#   t3_verilate(<target> TOP <module> [PREFIX <class>] [FILELIST <file.f>] [SOURCES <file>...]
#               [PARAMETERS <Name=value>...] [ARGS <verilator argument>...] [INCLUDE_DIRS <dir>...]
#               [OPTIMIZE <fast> <slow>] [TRACE | TRACE_FST])
#
# adds the Verilated <module> to the library <target> (made here, static, if it does not exist) as
# class <class> (default V<module>). Several calls may add several sizes to one target. Assertions
# are on, warnings are errors, the generated headers count as system headers. OPTIMIZE replaces
# T3_VERILATED_OPTIMIZE for this module.
#
# Verilator runs at build time. What it writes is compiled as two files, one of what runs in every
# cycle and one of the rest: it writes a dozen small ones that all read the same headers, which takes
# the compiler longer than their contents. Paths are relative where they can be, so that a compiler
# cache knows the result in another checkout.
#
#   t3_read_filelist(<variable> <file.f>)
#
# reads a file list (one path per line, relative to the list's folder or to the one above it, where
# simulators read rtl/t3_track_trigger.f with -f; `//` and `#` comments; +incdir+) into absolute paths in
# <variable> and <variable>_INCLUDE_DIRS. hw/filelist.py reads the same for scripts, and refuses the same.

function(t3_read_filelist variable filelist)
  cmake_path(ABSOLUTE_PATH filelist NORMALIZE)
  cmake_path(GET filelist PARENT_PATH folder)
  if(NOT EXISTS "${filelist}" OR IS_DIRECTORY "${filelist}")
    message(FATAL_ERROR " ${filelist}: no such file list")  # a space in front: not wrapped
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${filelist}")
  file(STRINGS "${filelist}" lines)
  set(files "")
  set(include_dirs "")
  set(names "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "(//|#).*$" "" line "${line}")
    string(STRIP "${line}" line)
    if(NOT line)
      continue()
    endif()
    string(REGEX REPLACE "^\\+incdir\\+" "" path "${line}")
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${folder}" NORMALIZE OUTPUT_VARIABLE absolute)
    if(NOT EXISTS "${absolute}")
      cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${folder}/.." NORMALIZE OUTPUT_VARIABLE absolute)
    endif()
    cmake_path(GET absolute FILENAME name)
    if(NOT EXISTS "${absolute}")
      message(FATAL_ERROR " ${filelist}: no such file: ${path}")
    elseif(NOT path STREQUAL line)
      list(APPEND include_dirs "${absolute}")
    elseif(name IN_LIST names)
      message(FATAL_ERROR " ${filelist}: two files are called ${name}")
    else()
      list(APPEND files "${absolute}")
      list(APPEND names "${name}")
    endif()
  endforeach()
  if(NOT files)
    message(FATAL_ERROR " ${filelist}: names no file")
  endif()
  set(${variable} "${files}" PARENT_SCOPE)
  set(${variable}_INCLUDE_DIRS "${include_dirs}" PARENT_SCOPE)
endfunction()

set(T3_VERILATED_OPTIMIZE "-O3;-O0" CACHE STRING
    "Compiler optimisation of Verilated code: of what runs in every cycle, and of the rest")
set(_t3_verilated_files "${CMAKE_CURRENT_LIST_DIR}/T3VerilatedFiles.cmake")

# Verilator's own run-time library, once, shared by every Verilated block of a program.
function(_t3_verilated_runtime)
  if(TARGET t3::verilated)
    return()
  endif()
  find_package(Threads REQUIRED)
  find_package(ZLIB REQUIRED)  # of FST files
  set(include "${VERILATOR_ROOT}/include")
  add_library(t3_verilated STATIC "${include}/verilated.cpp" "${include}/verilated_threads.cpp"
                                  "${include}/verilated_save.cpp" "${include}/verilated_vcd_c.cpp"
                                  "${include}/verilated_fst_c.cpp")
  add_library(t3::verilated ALIAS t3_verilated)
  set_target_properties(t3_verilated PROPERTIES EXPORT_NAME verilated)
  target_include_directories(t3_verilated SYSTEM PUBLIC "${include}" "${include}/vltstd")
  target_compile_definitions(t3_verilated PRIVATE VM_COVERAGE=0 VM_SC=0 VM_TRACE=1 VM_TRACE_VCD=1
                                                  VM_TRACE_FST=1)
  # Time comes from each model's VerilatedContext, never from a global function.
  target_compile_definitions(t3_verilated PUBLIC VL_TIME_CONTEXT)
  # Its writer of FST files stores numbers at addresses that are not aligned.
  target_compile_options(t3_verilated PRIVATE ${VERILATOR_CFLAGS}
                                              $<$<CONFIG:Asan>:-fno-sanitize=alignment>)
  target_compile_features(t3_verilated PUBLIC cxx_std_20)
  target_link_libraries(t3_verilated PUBLIC Threads::Threads ZLIB::ZLIB ${VERILATOR_MT_CFLAGS})
endfunction()

# The path as seen from the project's folder, if it is inside.
function(_t3_from_project variable path)
  cmake_path(ABSOLUTE_PATH path NORMALIZE)
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${path}" inside)
  if(inside)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
  endif()
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()

function(t3_verilate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACE;TRACE_FST" "TOP;PREFIX;FILELIST"
                        "SOURCES;PARAMETERS;ARGS;INCLUDE_DIRS;OPTIMIZE")
  if(NOT arg_TOP)
    message(FATAL_ERROR "t3_verilate: TOP is missing")
  endif()
  if(NOT arg_PREFIX)
    set(arg_PREFIX "V${arg_TOP}")
  endif()
  if(arg_FILELIST)
    t3_read_filelist(listed "${arg_FILELIST}")
    list(PREPEND arg_SOURCES ${listed})  # packages come first
    list(APPEND arg_INCLUDE_DIRS ${listed_INCLUDE_DIRS})
  endif()
  if(NOT arg_OPTIMIZE)
    set(arg_OPTIMIZE "${T3_VERILATED_OPTIMIZE}")
  endif()
  _t3_verilated_runtime()
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
  endif()
  get_target_property(binary_dir ${target} BINARY_DIR)
  set(generated "${binary_dir}/${target}")

  set(arguments --cc --top-module "${arg_TOP}" --prefix "${arg_PREFIX}" --make cmake
      --assert -Wall -O3 --x-assign fast --x-initial fast ${arg_ARGS})
  set(definitions VM_SC=0)
  foreach(kind IN ITEMS COVERAGE TRACE TRACE_VCD TRACE_FST)
    set(${kind} 0)
  endforeach()
  if(arg_TRACE)
    list(APPEND arguments --trace)
    set(TRACE 1)
    set(TRACE_VCD 1)
  elseif(arg_TRACE_FST)
    list(APPEND arguments --trace-fst)
    set(TRACE 1)
    set(TRACE_FST 1)
  endif()
  if(arg_ARGS MATCHES "--coverage")
    set(COVERAGE 1)
  endif()
  foreach(kind IN ITEMS COVERAGE TRACE TRACE_VCD TRACE_FST)
    list(APPEND definitions VM_${kind}=${${kind}})
  endforeach()

  set(inputs "")
  foreach(directory IN LISTS arg_INCLUDE_DIRS)
    file(GLOB headers CONFIGURE_DEPENDS "${directory}/*.svh" "${directory}/*.vh")
    list(APPEND inputs ${headers})
    _t3_from_project(directory "${directory}")
    list(APPEND arguments "-I${directory}")
  endforeach()
  foreach(parameter IN LISTS arg_PARAMETERS)
    list(APPEND arguments "-G${parameter}")
  endforeach()
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    list(APPEND inputs "${source}")
    _t3_from_project(source "${source}")
    list(APPEND arguments "${source}")
  endforeach()

  set(fast "${generated}/${arg_PREFIX}__fast.cpp")
  set(slow "${generated}/${arg_PREFIX}__slow.cpp")
  add_custom_command(
    OUTPUT "${fast}" "${slow}" "${generated}/${arg_PREFIX}.h"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${generated}"
    COMMAND "${CMAKE_COMMAND}" -E env "VERILATOR_ROOT=${VERILATOR_ROOT}" "${VERILATOR_BIN}"
            --Mdir "${generated}" ${arguments}
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${generated}" "-DPREFIX=${arg_PREFIX}" -P
            "${_t3_verilated_files}"
    DEPENDS "${VERILATOR_BIN}" "${_t3_verilated_files}" ${inputs}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "Verilating ${arg_TOP} as ${arg_PREFIX}"
    VERBATIM)
  if(TARGET t3_generated)  # for tools that read sources without building them
    add_custom_target(${arg_PREFIX}_files DEPENDS "${fast}" "${slow}" "${generated}/${arg_PREFIX}.h")
    add_dependencies(t3_generated ${arg_PREFIX}_files)
    add_dependencies(${target} ${arg_PREFIX}_files)
  endif()
  set_source_files_properties("${fast}" "${slow}" PROPERTIES COMPILE_DEFINITIONS "${definitions}"
                                                             SKIP_PRECOMPILE_HEADERS ON)
  list(GET arg_OPTIMIZE 0 optimize)
  set_source_files_properties("${fast}" PROPERTIES COMPILE_OPTIONS "${optimize}")
  list(GET arg_OPTIMIZE 1 optimize)
  set_source_files_properties("${slow}" PROPERTIES COMPILE_OPTIONS "${optimize}")
  target_sources(${target} PRIVATE "${fast}" "${slow}" "${generated}/${arg_PREFIX}.h")

  get_target_property(prepared ${target} T3_VERILATED_DIR)
  if(NOT prepared)
    target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${generated}>")
    # Generated code is not what sanitizers and coverage are for, and they make it very slow to build.
    target_compile_options(
      ${target} PRIVATE ${VERILATOR_CFLAGS} $<$<CONFIG:Asan>:-fno-sanitize=all>
                        "$<$<CONFIG:Coverage>:-fno-profile-arcs;-fno-test-coverage>")
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_link_libraries(${target} PUBLIC t3::verilated)
    set_target_properties(${target} PROPERTIES T3_VERILATED_DIR "${generated}")
  endif()
endfunction()
