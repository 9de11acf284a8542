// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <span>
#include <string_view>

namespace t3 {

/// A row of a table of policies: a constant with static storage that brings all the rest of the
/// program needs to know of its policy. `name` is how people spell it; `table()` has the rows that
/// ship, the default first.
template <typename Row>
concept PolicyRow = requires(const Row& row) {
  { row.name } -> std::convertible_to<std::string_view>;
  { Row::table() } -> std::convertible_to<std::span<const Row* const>>;
};

/// The value of a setting that chooses one policy: which row.
///
/// Settings are read by name from the table. A program of one's own adds a policy without a change
/// to this library: it defines a row and assigns it to the setting,
///
///   constexpr ArbitrationPolicy kMine{.name = "mine", …};
///   config.hbm.arbitration = kMine;
///
/// Two choices are equal when they are the same row, not when rows have the same name.
template <typename Row>
class Choice {
 public:
  Choice() : row_(Row::table().front()) {}
  constexpr Choice(const Row& row) : row_(&row) {}  // NOLINT(google-explicit-constructor)
  Choice(const Row&& temporary) = delete;           // a row outlives its choices

  constexpr const Row& operator*() const { return *row_; }
  constexpr const Row* operator->() const { return row_; }
  constexpr bool operator==(const Choice&) const = default;

  /// The row of the table that has this name, or null.
  static const Row* find(std::string_view name) {
    for (const Row* row : Row::table()) {
      if (row->name == name) return row;
    }
    return nullptr;
  }

 private:
  const Row* row_;
};

}  // namespace t3
