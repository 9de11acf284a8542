# SPDX-License-Identifier: Apache-2.0
# Debian's SystemC ships no CMake package. Defines the imported target SystemC::systemc.
#
# SYSTEMC_HOME (variable or environment) may name an installation elsewhere.

find_path(SystemC_INCLUDE_DIR NAMES systemc HINTS "${SYSTEMC_HOME}/include"
                                                  "$ENV{SYSTEMC_HOME}/include")
find_library(SystemC_LIBRARY NAMES systemc HINTS "${SYSTEMC_HOME}" "$ENV{SYSTEMC_HOME}"
             PATH_SUFFIXES lib lib-linux64)

if(SystemC_INCLUDE_DIR)
  set(_t3_sc_version "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h" _t3_line
         REGEX "^#define SC_VERSION_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" _t3_number "${_t3_line}")
    list(APPEND _t3_sc_version "${_t3_number}")
  endforeach()
  list(JOIN _t3_sc_version "." SystemC_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR VERSION_VAR SystemC_VERSION)
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(
    SystemC::systemc
    PROPERTIES IMPORTED_LOCATION "${SystemC_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}"
               # Debian built the library as C++17; its headers refuse to link with another
               # standard unless told that this is known.
               INTERFACE_COMPILE_DEFINITIONS "SC_CPLUSPLUS=201703L"
               INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
