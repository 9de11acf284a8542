# SPDX-License-Identifier: Apache-2.0
# t3_add_test(NAME <executable> SOURCES <file>... [LIBRARIES <target>...] [TIMEOUT <seconds>]
#             [LABELS <label>] [FIXTURES <fixture>])
#
# A GoogleTest executable whose tests run inside sc_main, each as one CTest test in a process of
# its own. The folder below tests/ is the prefix of the test's name and, unless another is given,
# the label. The label `long` leaves a test to `scripts/test --full`.
find_package(GTest REQUIRED)
include(GoogleTest)

function(t3_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT;LABELS;FIXTURES" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "t3_add_test(${arg_NAME}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS "${folder}")
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  t3_test_code(${arg_NAME})
  set(support t3_test_support)
  if("t3_testbench" IN_LIST arg_LIBRARIES)
    set(support t3_program_test_support)
  endif()
  target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${arg_NAME} PRIVATE ${support} ${arg_LIBRARIES})
  target_precompile_headers(${arg_NAME} REUSE_FROM ${support})
  gtest_discover_tests(
    ${arg_NAME}
    TEST_PREFIX "${folder}/"
    NO_PRETTY_VALUES  # the name of a parameter, not a print of its bytes
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT "${arg_TIMEOUT}" LABELS "${arg_LABELS}" FIXTURES_REQUIRED "${arg_FIXTURES}")
endfunction()
