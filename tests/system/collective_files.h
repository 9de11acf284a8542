// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <string>

#include "tests/testbench/temporary_directory.h"

namespace t3::test {

/// A file of collectives/.
inline std::string fileOf(const std::string& name) {
  return std::string(T3_COLLECTIVES) + "/" + name;
}

/// The least topology that has the links of a file.
inline std::string topologyFor(const std::string& file) {
  if (file.starts_with("nvls-")) return "merging-switch";
  if (file.starts_with("two-rings-")) return "bidirectional-ring";
  return file.starts_with("ring-") ? "ring" : "fully-connected";
}

/// A shipped ring with an output of its own: what a GPU adds to must stay what it is.
inline std::string outOfPlace(const std::string& file, const std::string& outputChunks) {
  std::string text = readFile(fileOf(file));
  const auto replace = [&](const std::string& from, const std::string& to) {
    text = std::regex_replace(text, std::regex(from), to);
  };
  replace(R"(inplace="1" outofplace="0")", R"(inplace="0" outofplace="1")");
  replace(R"(o_chunks="0")", R"(o_chunks=")" + outputChunks + '"');
  replace(R"((type="rrcs".*)dstbuf="i")", R"($1dstbuf="o")");
  replace(R"((type="rrc".*)dstbuf="i" dstoff="\d")", R"($1dstbuf="o" dstoff="0")");
  replace(R"re((type="(?:rcs|r)") srcbuf="i"(.*)dstbuf="i")re", R"($1 srcbuf="o"$2dstbuf="o")");
  return text;
}

}  // namespace t3::test
