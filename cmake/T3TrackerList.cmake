# SPDX-License-Identifier: Apache-2.0
# The sources of the track-and-trigger unit, in one list that everything reads which compiles the unit:
#
#   T3_TRACKER_LIST              -D T3_TRACKER_LIST=my.f builds another unit (docs/your-rtl.md)
#   T3_TRACKER_FILES             its files, T3_TRACKER_FILES_INCLUDE_DIRS, and T3_TRACKER_HEADERS in those
#   T3_TRACKER_IS_OURS           whether it is rtl/t3_track_trigger.f
#   T3_TRACKER_NAME              the list as seen from the project's folder, for people
set(_t3_ours "${PROJECT_SOURCE_DIR}/rtl/t3_track_trigger.f")
set(T3_TRACKER_LIST "${_t3_ours}" CACHE FILEPATH "File list of the track-and-trigger unit")
cmake_path(ABSOLUTE_PATH T3_TRACKER_LIST NORMALIZE)
t3_read_filelist(T3_TRACKER_FILES "${T3_TRACKER_LIST}")
list(TRANSFORM T3_TRACKER_FILES_INCLUDE_DIRS APPEND "/*.*vh" OUTPUT_VARIABLE _t3_headers)
file(GLOB T3_TRACKER_HEADERS CONFIGURE_DEPENDS ${_t3_headers})
cmake_path(COMPARE "${T3_TRACKER_LIST}" EQUAL "${_t3_ours}" T3_TRACKER_IS_OURS)
set(_t3_others ${T3_TRACKER_FILES})
list(FILTER _t3_others EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/rtl/")
if(NOT T3_TRACKER_IS_OURS AND NOT _t3_others)  # as hw/filelist.py says
  message(FATAL_ERROR " ${T3_TRACKER_LIST}: names files of rtl/ alone: the list of a copy names the copy's")
endif()
_t3_from_project(T3_TRACKER_NAME "${T3_TRACKER_LIST}")

# The size of the unit in the system: -D "T3_TRACKER_PARAMETERS=NumLanes=16;QueueDepth=128". The rest stays as the RTL
# has it. The tests in tests/rtl have sizes of their own.
set(T3_TRACKER_PARAMETERS "" CACHE STRING "Parameters of the track-and-trigger unit in the system: Name=value;...")
set(_t3_sizes NumLanes NumBanks NumWindows NumRegions NumSlots NumRows QueueDepth)
foreach(parameter IN LISTS T3_TRACKER_PARAMETERS)
  string(REGEX MATCH "^([A-Za-z]+)=[1-9][0-9]*$" _t3_fits "${parameter}")
  if(parameter STREQUAL "NumRows=0")  # a unit without rows
    continue()
  endif()
  if(NOT _t3_fits OR NOT CMAKE_MATCH_1 IN_LIST _t3_sizes)
    list(JOIN _t3_sizes ", " _t3_names)
    message(FATAL_ERROR " T3_TRACKER_PARAMETERS: expected Name=number with a name of ${_t3_names}; got '${parameter}'")
  endif()
endforeach()
if(T3_TRACKER_PARAMETERS)
  list(JOIN T3_TRACKER_PARAMETERS ", " _t3_names)
  string(APPEND T3_TRACKER_NAME " with ${_t3_names}")
endif()

# t3_sources_of(<variable> <module>): the files of the list that this module is made of: the packages, its own, and
# those of the modules that it names, found by the names of the files.
function(t3_sources_of variable module)
  set(wanted ${module})
  set(found "")
  while(wanted)
    list(POP_FRONT wanted name)
    foreach(file IN LISTS T3_TRACKER_FILES)
      cmake_path(GET file STEM stem)
      if(NOT stem STREQUAL name OR file IN_LIST found)
        continue()
      endif()
      list(APPEND found "${file}")
      file(READ "${file}" text)
      string(REGEX REPLACE "//[^\n]*" "" text "${text}")
      string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_$]*" words "${text}")
      list(REMOVE_DUPLICATES words)
      list(APPEND wanted ${words})
    endforeach()
  endwhile()
  if(NOT found)
    message(FATAL_ERROR " ${T3_TRACKER_LIST}: no file is called ${module}.sv, which has unit tests")
  endif()
  set(sources "")
  foreach(file IN LISTS T3_TRACKER_FILES)  # in compile order
    if(file IN_LIST found OR file MATCHES "_pkg\\.sv$")
      list(APPEND sources "${file}")
    endif()
  endforeach()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()
