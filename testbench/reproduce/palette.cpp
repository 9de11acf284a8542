// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/palette.h"

#include <array>
#include <cstdio>
#include <string>

namespace t3 {
namespace {

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// From `begin` to the end of `end`, if both are there.
void eraseFrom(std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t first = text.find(begin);
  const std::size_t last = text.find(end, first);
  if (first != std::string::npos && last != std::string::npos) {
    text.erase(first, last + end.size() - first);
  }
}

/// As gnuplot writes it: "rgb( 18,  63, 115)" of lines and areas, "rgb(18,63,115)" of text.
std::string asGnuplotWrites(const std::string& colour, bool ofText) {
  const auto part = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), ofText ? "rgb(%d,%d,%d)" : "rgb(%3d, %3d, %3d)", part(1),
                part(3), part(5));
  return text.data();
}

}  // namespace

std::string inkVariables(bool dark) {
  std::string text;
  for (const Ink& colour : kInks) {
    text += std::string("--") + colour.name + ": " + (dark ? colour.dark : colour.light) + "; ";
  }
  return text;
}

std::string svgElement(std::string svg, const std::string& prefix, const std::string& attributes) {
  svg.erase(0, svg.find("<svg"));
  eraseFrom(svg, " width=", "\"\n");
  for (const char* space : {" xmlns=", " xmlns:xlink="}) eraseFrom(svg, space, "\"\n");
  replaceAll(svg, "xlink:href", "href");
  while (svg.find("<title>") != std::string::npos) eraseFrom(svg, "<title>", "</title>");
  eraseFrom(svg, "<desc>", "</desc>\n");
  eraseFrom(svg, R"(<rect x="0" y="0")", "/>\n");  // the ground
  while (svg.find("<filter") != std::string::npos) eraseFrom(svg, "<filter", "</filter>\n");
  svg.insert(4, " " + attributes);
  for (const char* before : {" id='", " id=\"", "'#"}) {
    replaceAll(svg, before, before + prefix);
  }
  for (const Ink& colour : kInks) {
    for (const bool ofText : {false, true}) {
      replaceAll(svg, asGnuplotWrites(colour.light, ofText),
                 std::string("var(--") + colour.name + ")");
    }
  }
  replaceAll(svg, "\"black\"", "\"var(--text)\"");
  replaceAll(svg, "\"gray\"", "\"var(--line)\"");
  replaceAll(svg, "\"#FFFFFF\"", "\"var(--page)\"");
  return svg;
}

}  // namespace t3
