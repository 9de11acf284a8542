# SPDX-License-Identifier: Apache-2.0
# `cpack -G DEB`, in a build directory in which all but the tests is built: a Debian package of what
# T3Install.cmake lays out. Who only runs t3sim needs what dpkg-shlibdeps finds; who builds against
# t3::tlm needs the recommended packages as well.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME t3sim)
set(CPACK_PACKAGE_VENDOR "The T3 project")
set(CPACK_PACKAGE_CONTACT "The T3 project <t3@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "The program t3sim with its manual page and completions, the SystemC TLM models as a library with "
    "headers and a CMake package (find_package(t3)), the track-and-trigger unit and the merge unit of a switch "
    "in SystemVerilog with a small system around them, and the documentation.")
string(JOIN "" CPACK_PACKAGE_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "g++, cmake (>= 3.25), libsystemc-dev, verilator (>= 5.006), libboost1.81-dev, libimath-dev, zlib1g-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-matplotlib, python3-jinja2, fonts-dejavu-core, gtkwave")
include(CPack)
