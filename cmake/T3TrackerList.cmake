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
