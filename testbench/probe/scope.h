// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tlm/transport/clock.h"

namespace t3 {

// Reads which part of the system, and which time, somebody wants to look at. All functions throw a
// ConfigError that names `option` if the text makes no sense.

/// Parts between commas, none empty.
std::vector<std::string> listOf(const std::string& text, const std::string& option);

/// "1.2ms", "50us", "10ns", "3s", "714ps"; a number alone is ns.
Picoseconds timeOf(const std::string& word, const std::string& option);
/// The same, more than 0.
Picoseconds durationOf(const std::string& word, const std::string& option);

struct TimeWindow {
  Picoseconds first = 0, last = std::numeric_limits<Picoseconds>::max();

  bool contains(Picoseconds when) const { return when >= first && when < last; }
};
/// "1.2ms:1.4ms", "50us:" or ":1ms".
TimeWindow windowOf(const std::string& text, const std::string& option);

/// Whether `name` ("gpu3.hbm.ch7.bus") lies in `scope` ("gpu3.hbm", "*.hbm"), or is it.
bool liesIn(const std::string& name, const std::string& scope);
/// Whether one of the two may contain the other: `scope` "gpu3.tracker.t3_track_trigger.u_bank0"
/// and `name` "gpu3.tracker", for example.
bool overlaps(const std::string& name, const std::string& scope);

/// Scopes that are there in every simulation, for a shell to complete to.
std::vector<std::string> usualScopes();

/// Parts of the hierarchy that somebody wants to look at: "gpu3.tracker", "gpu3.hbm.ch7"; `*`
/// stands for one name. Remembers which of them exist.
class Scopes {
 public:
  explicit Scopes(std::vector<std::string> names)
      : names_(std::move(names)), found_(names_.size(), false) {}

  /// Whether `name` lies in one of them.
  bool contain(const std::string& name);
  /// Throws ConfigError if one of them was never found; `present` are names that exist.
  void checkFound(const std::string& option, const std::vector<std::string>& present) const;

 private:
  std::vector<std::string> names_;
  std::vector<bool> found_;
};

}  // namespace t3
