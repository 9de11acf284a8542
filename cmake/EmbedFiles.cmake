# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ header with the bytes of each of FILES (a list):
# `inline constexpr unsigned char <PREFIX>0[] = {…};`, <PREFIX>1 and so on.
set(text "// SPDX-License-Identifier: Apache-2.0\n// Made by cmake/EmbedFiles.cmake.\n#pragma once\n\nnamespace t3 {\n")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  string(APPEND text "inline constexpr unsigned char ${PREFIX}${number}[] = {${bytes}};\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND text "}  // namespace t3\n")
file(WRITE "${OUTPUT}.new" "${text}")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
