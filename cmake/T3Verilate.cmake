# SPDX-License-Identifier: Apache-2.0
# Verilog into C++ libraries. Also installed: an outside project uses the same functions for RTL
# blocks of its own.
#
#   t3_verilate(<target> TOP <module> [PREFIX <class>] [FILELIST <file.f>] [SOURCES <file>...]
#               [PARAMETERS <Name=value>...] [ARGS <verilator argument>...] [INCLUDE_DIRS <dir>...]
#               [TRACE | TRACE_FST])
#
# adds the Verilated <module> to the library <target> (made here, static, if it does not exist) as
# class <class> (default V<module>). Several calls may add several sizes to one target. Assertions
# are on, warnings are errors, the generated headers count as system headers.
#
#   t3_read_filelist(<variable> <file.f>)
#
# reads a file list (one path per line, relative to the list's folder or to the one above it, which
# is the repository for rtl/; `//` and `#` comments; +incdir+) into absolute paths in <variable> and
# <variable>_INCLUDE_DIRS.

function(t3_read_filelist variable filelist)
  cmake_path(ABSOLUTE_PATH filelist NORMALIZE)
  cmake_path(GET filelist PARENT_PATH folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${filelist}")
  file(STRINGS "${filelist}" lines)
  set(files "")
  set(include_dirs "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "(//|#).*$" "" line "${line}")
    string(STRIP "${line}" line)
    if(NOT line)
      continue()
    endif()
    string(REGEX REPLACE "^\\+incdir\\+" "" path "${line}")
    set(absolute "${folder}/${path}")
    if(NOT EXISTS "${absolute}")
      cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${folder}/.." NORMALIZE
                 OUTPUT_VARIABLE absolute)
    endif()
    if(NOT EXISTS "${absolute}")
      message(FATAL_ERROR "${filelist}: no such file: ${path}")
    endif()
    if(path STREQUAL line)
      list(APPEND files "${absolute}")
    else()
      list(APPEND include_dirs "${absolute}")
    endif()
  endforeach()
  set(${variable} "${files}" PARENT_SCOPE)
  set(${variable}_INCLUDE_DIRS "${include_dirs}" PARENT_SCOPE)
endfunction()

set(T3_VERILATED_OPTIMIZE "-O3;-O1" CACHE STRING
    "Compiler optimisation of Verilated code: of what runs in every cycle, and of the rest")

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
  target_compile_options(t3_verilated PRIVATE ${VERILATOR_CFLAGS})
  target_compile_features(t3_verilated PUBLIC cxx_std_20)
  target_link_libraries(t3_verilated PUBLIC Threads::Threads ZLIB::ZLIB ${VERILATOR_MT_CFLAGS})
endfunction()

function(t3_verilate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACE;TRACE_FST" "TOP;PREFIX;FILELIST"
                        "SOURCES;PARAMETERS;ARGS;INCLUDE_DIRS")
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
  _t3_verilated_runtime()
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
  endif()

  set(arguments --assert -Wall -O3 --x-assign fast --x-initial fast ${arg_ARGS})
  foreach(directory IN LISTS arg_INCLUDE_DIRS)
    list(APPEND arguments "-I${directory}")
  endforeach()
  foreach(parameter IN LISTS arg_PARAMETERS)
    list(APPEND arguments "-G${parameter}")
  endforeach()
  if(arg_TRACE)
    set(trace TRACE)
  elseif(arg_TRACE_FST)
    set(trace TRACE_FST)
  else()
    set(trace "")
  endif()
  # verilate() hands its include directories to users as ordinary ones, and adds the run-time
  # library's sources and flags to every target; the properties it touches are put right below.
  set(properties INTERFACE_INCLUDE_DIRECTORIES LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
  foreach(property IN LISTS properties)
    get_target_property(before_${property} ${target} ${property})
    if(NOT before_${property})
      set(before_${property} "")
    endif()
  endforeach()
  list(GET T3_VERILATED_OPTIMIZE 0 fast)
  list(GET T3_VERILATED_OPTIMIZE 1 slow)
  verilate(${target} ${trace} TOP_MODULE "${arg_TOP}" PREFIX "${arg_PREFIX}"
           SOURCES ${arg_SOURCES} VERILATOR_ARGS ${arguments}
           OPT_FAST ${fast} OPT_SLOW ${slow})
  foreach(property IN LISTS properties)
    set_target_properties(${target} PROPERTIES ${property} "${before_${property}}")
  endforeach()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${VERILATOR_ROOT}/")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")

  get_target_property(binary_dir ${target} BINARY_DIR)
  set(generated "${binary_dir}/CMakeFiles/${target}.dir/${arg_PREFIX}.dir")
  target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${generated}>")
  get_target_property(prepared ${target} T3_VERILATED_DIRS)
  if(NOT prepared)
    # Generated code is not what sanitizers and coverage are for, and they make it very slow to build.
    target_compile_options(
      ${target} PRIVATE ${VERILATOR_CFLAGS} $<$<CONFIG:Asan>:-fno-sanitize=all>
                        "$<$<CONFIG:Coverage>:-fno-profile-arcs;-fno-test-coverage>")
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_link_libraries(${target} PUBLIC t3::verilated)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY T3_VERILATED_DIRS "${generated}")
endfunction()
