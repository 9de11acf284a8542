# SPDX-License-Identifier: Apache-2.0
# Run at build time: cmake -DFOLDER= -DPREFIX= -P T3VerilatedFiles.cmake
# Writes <PREFIX>__fast.cpp and <PREFIX>__slow.cpp, which include what Verilator wrote for this class
# into FOLDER (its list is <PREFIX>.cmake): see T3Verilate.cmake.
include("${FOLDER}/${PREFIX}.cmake")

foreach(speed IN ITEMS FAST SLOW)
  set(text "// What Verilator wrote for ${PREFIX}, as one file.\n")
  foreach(file IN LISTS ${PREFIX}_CLASSES_${speed} ${PREFIX}_SUPPORT_${speed})
    cmake_path(GET file FILENAME name)
    string(APPEND text "#include \"${name}\"\n")
  endforeach()
  string(TOLOWER "${speed}" speed)
  file(WRITE "${FOLDER}/${PREFIX}__${speed}.cpp" "${text}")
endforeach()
