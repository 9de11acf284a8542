# SPDX-License-Identifier: Apache-2.0
# Run at build time: cmake -DSOURCE_DIR= -DVERSION= -DRTL_LIST= -DRTL_FILES= -DRTL_HEADERS= -DOUTPUT=
#                    -P BuildInfo.cmake
# Writes the file that says what a program was built from (testbench/build_info.h), and touches it
# only if that changed.

set(commit "unknown")
set(dirty "false")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(
    COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE_DIR}" rev-parse HEAD
    OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit "${head}")
    # Untracked files count: they may be part of the build.
    execute_process(
      COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE_DIR}" --no-optional-locks status --porcelain
      OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(changes)
      set(dirty "true")
    endif()
  endif()
endif()

# One hash over the contents in list order: that of the concatenation of the files' own hashes.
set(hashes "")
foreach(file IN LISTS RTL_FILES)
  file(SHA256 "${file}" hash)
  string(APPEND hashes "${hash}\n")
endforeach()
string(SHA256 rtl_sha256 "${hashes}")

# What a simulation's result depends on besides its configuration: any change here makes stored
# results of `t3sim reproduce`, `sweep` and `validate` stale, a change of the reports does not: the
# models, all RTL, who reads or makes an algorithm, who simulates a job, and what a stored run has.
file(GLOB_RECURSE model_files LIST_DIRECTORIES false "${SOURCE_DIR}/tlm/*" "${SOURCE_DIR}/rtl/*"
     "${SOURCE_DIR}/testbench/collective/*" "${SOURCE_DIR}/testbench/simulate/*"
     "${SOURCE_DIR}/testbench/report/run_record.*")
list(APPEND model_files ${RTL_FILES} ${RTL_HEADERS})
list(REMOVE_DUPLICATES model_files)
list(SORT model_files)
set(hashes "")
foreach(file IN LISTS model_files)
  file(SHA256 "${file}" hash)
  string(APPEND hashes "${hash}\n")
endforeach()
string(SHA256 model_sha256 "${hashes}")

set(text
    "// Generated at build time by cmake/BuildInfo.cmake.
#include \"testbench/build_info.h\"

namespace t3::build {

const char* const kVersion = \"${VERSION}\";
const char* const kCommit = \"${commit}\";
const bool kDirty = ${dirty};
const char* const kRtlList = \"${RTL_LIST}\";
const char* const kRtlSha256 = \"${rtl_sha256}\";
const char* const kModelSha256 = \"${model_sha256}\";

}  // namespace t3::build
")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${text}" @ONLY)
