# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays out, and the package that find_package(t3) finds:
#
#   include/t3/tlm/…        headers of t3::tlm, included as "tlm/<folder>/<file>.h"
#   include/t3/verilated/…  generated headers of t3::tracker_rtl, t3::merge_rtl, t3::stack_join_rtl, t3::codec_rtl
#   include/t3/driver/…     the driver of the unit, in C
#   lib/…                   libraries, and lib/cmake/t3
#   share/t3/rtl/…          the RTL that these were made of, and its file lists
#   share/t3/hw/…           checkers of its ports, and a small system in SystemVerilog (hw/example/run)
#   include/t3/rtl_test/…   what tests of RTL include, and main()
#   share/t3/example/…      a project that uses all of this
#   share/t3/data/…  collectives, topologies with their schedules, and iterations that ship, as files
#   share/t3/scripts/report draws what `t3sim reproduce` writes
#   share/doc/t3/docs/…     the pages that messages name
#   bin/t3sim
include(CMakePackageConfigHelpers)

set(T3_INSTALL_CMAKE "${CMAKE_INSTALL_LIBDIR}/cmake/t3")
set(T3_INSTALL_RTL "${CMAKE_INSTALL_DATADIR}/t3/rtl")
set(T3_INSTALL_HEADERS "${CMAKE_INSTALL_INCLUDEDIR}/t3")

set(T3_RTL_LIBRARIES t3_tracker_rtl t3_tracker_rtl_traced t3_merge_rtl t3_merge_rtl_traced t3_stack_join_rtl
                     t3_stack_join_rtl_traced
                     t3_codec_rtl)
foreach(target IN LISTS T3_RTL_LIBRARIES)
  get_target_property(verilated_dir ${target} T3_VERILATED_DIR)
  install(DIRECTORY "${verilated_dir}/" DESTINATION "${T3_INSTALL_HEADERS}/verilated"
          FILES_MATCHING PATTERN "*.h")
  target_include_directories(
    ${target} SYSTEM INTERFACE "$<INSTALL_INTERFACE:${T3_INSTALL_HEADERS}/verilated>")
endforeach()

install(TARGETS t3_tlm ${T3_RTL_LIBRARIES} t3_verilated EXPORT t3Targets)
install(DIRECTORY tlm/ DESTINATION "${T3_INSTALL_HEADERS}/tlm"
        FILES_MATCHING PATTERN "*.h")
# The RTL side by side, wherever it was. The typed unit is the tracker, which may be another unit, and what
# its list has beside ours. Of files of one name the tracker's: where both are installed, their times decide.
function(t3_installed_list unit)
  list(TRANSFORM ARGN REPLACE ".*/" "rtl/")
  list(REMOVE_DUPLICATES ARGN)
  list(JOIN ARGN "\n" files)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${unit}.f" CONTENT
       "// Sources of ${unit}, in compile order; paths are relative to the folder above.\n+incdir+rtl\n${files}\n")
endfunction()
t3_read_filelist(T3_OWN_FILES "${PROJECT_SOURCE_DIR}/rtl/t3_track_trigger.f")
t3_read_filelist(T3_TYPED_FILES "${PROJECT_SOURCE_DIR}/rtl/t3_tracker.f")
list(REMOVE_ITEM T3_TYPED_FILES ${T3_OWN_FILES})
t3_installed_list(t3_track_trigger ${T3_TRACKER_FILES})
t3_installed_list(t3_tracker ${T3_TRACKER_FILES} ${T3_TYPED_FILES})
t3_read_filelist(T3_MERGE_FILES "${PROJECT_SOURCE_DIR}/rtl/t3_switch_merge.f")
list(FILTER T3_MERGE_FILES INCLUDE REGEX "/rtl/[^/]*$")
t3_read_filelist(T3_JOIN_FILES "${PROJECT_SOURCE_DIR}/rtl/t3_stack_join.f")
set(other_files ${T3_MERGE_FILES} ${T3_JOIN_FILES} ${T3_TYPED_FILES})
list(REMOVE_DUPLICATES other_files)
list(TRANSFORM T3_TRACKER_FILES REPLACE ".*/" "" OUTPUT_VARIABLE tracker_names)
foreach(file IN LISTS other_files)
  get_filename_component(name "${file}" NAME)
  if(NOT name IN_LIST tracker_names)
    install(FILES "${file}" DESTINATION "${T3_INSTALL_RTL}")
  endif()
endforeach()
install(FILES rtl/t3_switch_merge.f rtl/t3_stack_join.f rtl/t3_block_codec.f DESTINATION "${T3_INSTALL_RTL}")
install(DIRECTORY rtl/switch rtl/codec DESTINATION "${T3_INSTALL_RTL}")

install(FILES ${T3_TRACKER_FILES} ${T3_TRACKER_HEADERS}
              "${PROJECT_BINARY_DIR}/generated/t3_track_trigger.f"
              "${PROJECT_BINARY_DIR}/generated/t3_tracker.f" DESTINATION "${T3_INSTALL_RTL}")
install(DIRECTORY hw/driver/ DESTINATION "${T3_INSTALL_HEADERS}/driver"
        FILES_MATCHING PATTERN "*.h")
install(DIRECTORY hw/checkers hw/example DESTINATION "${CMAKE_INSTALL_DATADIR}/t3/hw" USE_SOURCE_PERMISSIONS)
install(PROGRAMS hw/filelist.py DESTINATION "${CMAKE_INSTALL_DATADIR}/t3/hw")
install(DIRECTORY data/ DESTINATION "${CMAKE_INSTALL_DATADIR}/t3/data")
install(PROGRAMS scripts/report DESTINATION "${CMAKE_INSTALL_DATADIR}/t3/scripts")
install(DIRECTORY scripts/reports DESTINATION "${CMAKE_INSTALL_DATADIR}/t3/scripts" PATTERN __pycache__ EXCLUDE)

install(DIRECTORY tests/support/rtl_test DESTINATION "${T3_INSTALL_HEADERS}")
install(DIRECTORY tests/consumer/ DESTINATION "${CMAKE_INSTALL_DATADIR}/t3/example"
        PATTERN run.cmake EXCLUDE)

install(EXPORT t3Targets NAMESPACE t3:: DESTINATION "${T3_INSTALL_CMAKE}")
configure_package_config_file(cmake/t3Config.cmake.in "${PROJECT_BINARY_DIR}/generated/t3Config.cmake"
                              INSTALL_DESTINATION "${T3_INSTALL_CMAKE}"
                              PATH_VARS T3_INSTALL_RTL T3_INSTALL_HEADERS)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/t3ConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/t3Config.cmake"
              "${PROJECT_BINARY_DIR}/generated/t3ConfigVersion.cmake" cmake/FindSystemC.cmake
              cmake/T3RtlTest.cmake cmake/T3Verilate.cmake cmake/T3VerilatedFiles.cmake
        DESTINATION "${T3_INSTALL_CMAKE}")
install(FILES LICENSE README.md CHANGELOG.md TYPE DOC)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN tables EXCLUDE PATTERN "*.md" PATTERN "*.json" PATTERN "*.svg" PATTERN "*.png")
