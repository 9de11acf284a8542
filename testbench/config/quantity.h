// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace t3 {

/// The number that `word` ("1.2us", "64 KiB", "600Gbit/s") is in `unit` ("ns", "bytes", "GB/s"):
/// the double nearest to the exact value. Nothing if `word` has no unit, or one of another
/// dimension, or is no number.
std::optional<double> inUnit(std::string_view word, std::string_view unit);

/// All units in which a value in `unit` may be given, `unit` itself among them; none for "".
std::vector<std::string> unitsLike(std::string_view unit);

/// For an error: "; units are ps, ns, us, ms or s"; "" if there is one at most.
std::string unitsNote(std::string_view unit);

}  // namespace t3
