# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ header with the names and bytes of FILES (a list):
# `inline constexpr EmbeddedFile NAME[] = {…};`.
set(text "// SPDX-License-Identifier: Apache-2.0\n// Made by cmake/EmbedFiles.cmake.\n#pragma once\n
#include \"testbench/config/embedded_file.h\"\n\nnamespace t3 {\n")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  string(APPEND text "inline constexpr unsigned char ${NAME}${number}[] = {${bytes}};\n")
  cmake_path(GET file FILENAME name)
  list(APPEND table "{\"${name}\", ${NAME}${number}, sizeof ${NAME}${number}}")
  math(EXPR number "${number} + 1")
endforeach()
list(JOIN table ", " table)
string(APPEND text "inline constexpr EmbeddedFile ${NAME}[] = {${table}};\n}  // namespace t3\n")
file(WRITE "${OUTPUT}.new" "${text}")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
