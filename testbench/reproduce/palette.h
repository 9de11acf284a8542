// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

namespace t3 {

/// A colour of the page and its figures, on a light ground and on a dark one. Scripts and files of
/// figures have the light one; in the page it is the variable of that name, so that the theme of
/// the reader chooses.
struct Ink {
  const char* name;
  const char* light;
  const char* dark;
  bool series;  ///< draws data: at least 3 to 1 against the page in both themes
};

namespace ink {
inline constexpr Ink kPage{"page", "#ffffff", "#16181b", false};
inline constexpr Ink kText{"text", "#202020", "#e4e4e4", true};
inline constexpr Ink kQuiet{"quiet", "#505050", "#b4b7bc", false};
inline constexpr Ink kLine{"line", "#d9dbde", "#3a3d42", false};
// Pairs of one hue: the second is the quieter.
inline constexpr Ink kNavy{"navy", "#123f73", "#b5d7f5", true};
inline constexpr Ink kBlue{"blue", "#3f87c5", "#4a8fd0", true};
inline constexpr Ink kBrown{"brown", "#8a3d06", "#f3c592", true};
inline constexpr Ink kOrange{"orange", "#c8701a", "#cf7d2a", true};
inline constexpr Ink kSlate{"slate", "#4b4f55", "#d4d6da", true};
inline constexpr Ink kGrey{"grey", "#858a91", "#858a91", true};
inline constexpr Ink kRed{"red", "#c00000", "#ff6b6b", true};
}  // namespace ink

inline constexpr std::array<Ink, 11> kInks = {ink::kPage,  ink::kText, ink::kQuiet, ink::kLine,
                                              ink::kNavy,  ink::kBlue, ink::kBrown, ink::kOrange,
                                              ink::kSlate, ink::kGrey, ink::kRed};

/// "--page: #ffffff; …": what the page's style sheet calls them.
std::string inkVariables(bool dark);

/// A figure that gnuplot made, as an element of the page: it has the width of its place, its
/// colours are the page's variables, and its ids begin with `prefix`, because those of two figures
/// would be equal.
std::string svgElement(std::string svg, const std::string& prefix, const std::string& attributes);

}  // namespace t3
