# SPDX-License-Identifier: Apache-2.0
# Target t3_build_info: <build>/generated/build_info.h says what was built. It is refreshed by every
# build, not by every configuration, because a commit does not configure anything.
t3_read_filelist(rtl_files "${PROJECT_SOURCE_DIR}/rtl/t3_track_trigger.f")
set(T3_BUILD_INFO "${PROJECT_BINARY_DIR}/generated/build_info.h")

add_custom_target(
  t3_build_info_file ALL
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
          "-DRTL_FILES=${rtl_files}" "-DOUTPUT=${T3_BUILD_INFO}" -P
          "${PROJECT_SOURCE_DIR}/cmake/BuildInfo.cmake"
  BYPRODUCTS "${T3_BUILD_INFO}"
  COMMENT "Looking at the commit" VERBATIM)
add_library(t3_build_info INTERFACE)
add_dependencies(t3_build_info t3_build_info_file)
target_include_directories(t3_build_info INTERFACE "${PROJECT_BINARY_DIR}/generated")
