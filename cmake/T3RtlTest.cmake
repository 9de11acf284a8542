# SPDX-License-Identifier: Apache-2.0
# Unit tests of RTL under GoogleTest, as tests/rtl has them. Also installed: an outside project tests
# blocks of its own in the same way (tests/consumer).
#
#   t3_add_rtl_test(<name> TESTS <file.cpp>...
#                   [TOP <module> LIST <file.f> | SOURCES <file>... [PREFIX <class>]
#                    [PARAMETERS <Name=value>...] [ARGS <verilator argument>...]]
#                   [LIBRARIES <target>...] [WITHOUT_CTEST])
#
# makes the program <name>. It Verilates <module> as class <class> (default V<module>), which the tests
# include as "<class>.h"; blocks that t3_verilate() made elsewhere are LIBRARIES. The tests take from
# "rtl_test/simulated.h" a model with clock, reset and waveforms, from "rtl_test/bits.h" wide ports, from
# "rtl_test/random.h" seeds. CTest runs each of them as <name>/<suite>.<test>, unless told not to. The
# program draws with --wave FILE.fst, and FILE.gtkw is a view of it; a failed assertion of the RTL fails the test.
include("${CMAKE_CURRENT_LIST_DIR}/T3Verilate.cmake")
include(GoogleTest)

# Where rtl_test/ is; t3Config.cmake says where it is installed.
if(NOT T3_RTL_TEST_DIR)
  set(T3_RTL_TEST_DIR "${CMAKE_CURRENT_LIST_DIR}/../tests/support")
endif()

# t3_rtl_test: the headers and what they need. t3_rtl_test_main: main().
function(t3_rtl_test_targets)
  if(TARGET t3_rtl_test)
    return()
  endif()
  find_package(GTest REQUIRED)
  _t3_verilated_runtime()
  add_library(t3_rtl_test INTERFACE)
  target_include_directories(t3_rtl_test INTERFACE "${T3_RTL_TEST_DIR}")
  target_compile_features(t3_rtl_test INTERFACE cxx_std_20)
  target_link_libraries(t3_rtl_test INTERFACE GTest::gtest t3::verilated)
  add_library(t3_rtl_test_main OBJECT "${T3_RTL_TEST_DIR}/rtl_test/main.cpp"
                                      "${T3_RTL_TEST_DIR}/rtl_test/wave_view.cpp")
  target_link_libraries(t3_rtl_test_main PUBLIC t3_rtl_test)
endfunction()

function(t3_add_rtl_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT_CTEST" "TOP;LIST;PREFIX"
                        "TESTS;SOURCES;PARAMETERS;ARGS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TESTS)
    message(FATAL_ERROR " t3_add_rtl_test(${name}): expected TESTS, got ${ARGN}")
  endif()
  t3_rtl_test_targets()
  find_package(GTest REQUIRED)  # in this directory, too
  if(arg_TOP)
    t3_verilate(${name}_rtl TOP "${arg_TOP}" PREFIX "${arg_PREFIX}" FILELIST "${arg_LIST}" TRACE_FST
                SOURCES ${arg_SOURCES} PARAMETERS ${arg_PARAMETERS} ARGS ${arg_ARGS})
    list(APPEND arg_LIBRARIES ${name}_rtl)
  endif()
  add_executable(${name} ${arg_TESTS})
  target_link_libraries(${name} PRIVATE t3_rtl_test_main ${arg_LIBRARIES})
  if(NOT arg_WITHOUT_CTEST)
    gtest_discover_tests(${name} TEST_PREFIX "${name}/" DISCOVERY_MODE PRE_TEST)
  endif()
endfunction()
