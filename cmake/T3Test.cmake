# SPDX-License-Identifier: Apache-2.0
# t3_add_tests(<executable> [SOURCES <file>...] [LIBRARIES <target>...] [DEFINITIONS <definition>...]
#              [TOGETHER <suite>...] [LONG_FIXTURES <fixture>])
#
# The GoogleTest executable of a folder: all its files that end in _test.cpp, and SOURCES. Its tests
# run inside sc_main, each as one CTest test in a process of its own. The folder below tests/ is the
# prefix of a test's name and its label. Suites whose name ends in "Long", and instances of that name,
# have the label `long` instead, which leaves them to `scripts/test --full`, and may need a fixture.
# A suite of TOGETHER is one CTest test in one process: what it looks at is slow to make.
#
# t3_add_check(<folder>/<name> [LONG] COMMAND <command>...) is a test that is a command.
#
# t3_discover_tests(<executable> <folder> [TOGETHER <suite>...] [LONG_FIXTURES <fixture>]) gives CTest the
# tests of an executable that is there.
find_package(GTest REQUIRED)
include(GoogleTest)

# Seconds. A default test takes 20 of processor time at most; machines are slower, and shared.
set(T3_TEST_TIMEOUT 900)
set(T3_LONG_TEST_TIMEOUT 7200)

function(t3_discover_tests target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "LONG_FIXTURES" "TOGETHER")
  set(filter "-*Long.*:Long/*")
  foreach(suite IN LISTS arg_TOGETHER)
    string(APPEND filter ":${suite}.*")
    t3_add_check("${folder}/${suite}" COMMAND ${target} "--gtest_filter=${suite}.*")
  endforeach()
  set(discovery NO_PRETTY_VALUES  # the name of a parameter, not a print of its bytes
                DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120)
  gtest_discover_tests(${target} TEST_PREFIX "${folder}/" TEST_FILTER "${filter}" ${discovery}
                       PROPERTIES TIMEOUT ${T3_TEST_TIMEOUT} LABELS "${folder}")
  gtest_discover_tests(${target} TEST_PREFIX "${folder}/" TEST_FILTER "*Long.*:Long/*" ${discovery}
                       PROPERTIES TIMEOUT ${T3_LONG_TEST_TIMEOUT} LABELS long
                                  FIXTURES_REQUIRED "${arg_LONG_FIXTURES}")
endfunction()

function(t3_add_check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG" "" "COMMAND")
  cmake_path(GET name PARENT_PATH label)
  set(timeout ${T3_TEST_TIMEOUT})
  if(arg_LONG)
    set(label long)
    set(timeout ${T3_LONG_TEST_TIMEOUT})
  endif()
  add_test(NAME "${name}" COMMAND ${arg_COMMAND})
  set_tests_properties("${name}" PROPERTIES TIMEOUT ${timeout} LABELS "${label}")
endfunction()

function(t3_add_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LONG_FIXTURES" "SOURCES;LIBRARIES;DEFINITIONS;TOGETHER")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "t3_add_tests(${target}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  file(GLOB tests CONFIGURE_DEPENDS *_test.cpp)
  add_executable(${target} ${tests} ${arg_SOURCES})
  t3_test_code(${target})
  set(support t3_test_support)
  if("t3_testbench" IN_LIST arg_LIBRARIES)
    set(support t3_program_test_support)
  endif()
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
  target_link_libraries(${target} PRIVATE ${support} ${arg_LIBRARIES})
  target_precompile_headers(${target} REUSE_FROM ${support})
  set_source_files_properties(${arg_SOURCES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  t3_unity(${target})
  t3_discover_tests(${target} "${folder}" TOGETHER ${arg_TOGETHER} LONG_FIXTURES ${arg_LONG_FIXTURES})
endfunction()
