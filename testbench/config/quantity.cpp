// SPDX-License-Identifier: Apache-2.0
#include "testbench/config/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "testbench/config/spelling.h"

namespace t3 {
namespace {

enum class Dimension { Time, Frequency, Size, Rate, Energy, EnergyPerBit };

/// So many of the dimension's base unit: 10^tens x 2^twos.
struct Unit {
  const char* name;
  Dimension dimension;
  int tens, twos;
};

constexpr std::array kUnits = {
    Unit{"ps", Dimension::Time, -12, 0},
    Unit{"ns", Dimension::Time, -9, 0},
    Unit{"us", Dimension::Time, -6, 0},
    Unit{"ms", Dimension::Time, -3, 0},
    Unit{"s", Dimension::Time, 0, 0},
    Unit{"Hz", Dimension::Frequency, 0, 0},
    Unit{"kHz", Dimension::Frequency, 3, 0},
    Unit{"MHz", Dimension::Frequency, 6, 0},
    Unit{"GHz", Dimension::Frequency, 9, 0},
    Unit{"bytes", Dimension::Size, 0, 0},
    Unit{"B", Dimension::Size, 0, 0},
    Unit{"kB", Dimension::Size, 3, 0},
    Unit{"MB", Dimension::Size, 6, 0},
    Unit{"GB", Dimension::Size, 9, 0},
    Unit{"KiB", Dimension::Size, 0, 10},
    Unit{"MiB", Dimension::Size, 0, 20},
    Unit{"GiB", Dimension::Size, 0, 30},
    Unit{"MB/s", Dimension::Rate, 6, 0},
    Unit{"GB/s", Dimension::Rate, 9, 0},
    Unit{"TB/s", Dimension::Rate, 12, 0},
    Unit{"MiB/s", Dimension::Rate, 0, 20},
    Unit{"GiB/s", Dimension::Rate, 0, 30},
    Unit{"TiB/s", Dimension::Rate, 0, 40},
    Unit{"Mbit/s", Dimension::Rate, 6, -3},
    Unit{"Gbit/s", Dimension::Rate, 9, -3},
    Unit{"Tbit/s", Dimension::Rate, 12, -3},
    Unit{"pJ", Dimension::Energy, -12, 0},
    Unit{"nJ", Dimension::Energy, -9, 0},
    Unit{"uJ", Dimension::Energy, -6, 0},
    Unit{"fJ/bit", Dimension::EnergyPerBit, -15, 0},
    Unit{"pJ/bit", Dimension::EnergyPerBit, -12, 0},
    Unit{"nJ/bit", Dimension::EnergyPerBit, -9, 0},
};

const Unit* findUnit(std::string_view name) {
  const auto found =
      std::ranges::find_if(kUnits, [&](const Unit& unit) { return unit.name == name; });
  return found == kUnits.end() ? nullptr : &*found;
}

/// A decimal number at the beginning of a text.
struct Decimal {
  std::string digits;  ///< sign, digits and point
  int tens = 0;        ///< what stands behind an e
  std::size_t length = 0;
};

std::optional<Decimal> decimalAt(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  Decimal decimal;
  decimal.length = static_cast<std::size_t>(parsed.ptr - text.data());
  const std::string_view number = text.substr(0, decimal.length);
  const std::size_t exponent = std::min(number.find_first_of("eE"), number.size());
  decimal.digits = number.substr(0, exponent);
  if (exponent == number.size()) return decimal;
  std::string_view tens = number.substr(exponent + 1);
  if (tens.starts_with('+')) tens.remove_prefix(1);
  std::from_chars(tens.data(), tens.data() + tens.size(), decimal.tens);
  return decimal;
}

}  // namespace

std::optional<double> inUnit(std::string_view word, std::string_view unit) {
  const std::optional<Decimal> decimal = decimalAt(word);
  if (!decimal) return std::nullopt;
  std::string_view name = word.substr(decimal->length);
  while (name.starts_with(' ')) name.remove_prefix(1);
  if (name.empty()) return std::nullopt;
  int tens = decimal->tens, twos = 0;
  if (name != unit) {
    const Unit *from = findUnit(name), *to = findUnit(unit);
    if (from == nullptr || to == nullptr || from->dimension != to->dimension) return std::nullopt;
    tens += from->tens - to->tens;
    twos = from->twos - to->twos;
  }
  // The power of ten belongs to the text, so that there is one rounding; powers of two need none.
  const std::string scaled = decimal->digits + "e" + std::to_string(tens);
  double value = 0;
  const auto parsed = std::from_chars(scaled.data(), scaled.data() + scaled.size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return std::ldexp(value, twos);
}

std::vector<std::string> unitsLike(std::string_view unit) {
  if (unit.empty()) return {};
  const Unit* known = findUnit(unit);
  if (known == nullptr) return {std::string(unit)};
  std::vector<std::string> names;
  for (const Unit& other : kUnits) {
    if (other.dimension == known->dimension) names.emplace_back(other.name);
  }
  return names;
}

std::string unitsNote(std::string_view unit) {
  const std::vector<std::string> units = unitsLike(unit);
  return units.size() < 2 ? "" : "; units are " + alternatives(units);
}

}  // namespace t3
