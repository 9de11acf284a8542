// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace t3::rtl_test {

/// The view of a waveform: a.gtkw beside a.fst.
std::string viewPath(const std::string& fst);

/// Writes the view: the signals of the module under test, closed groups of those inside it, and a
/// marker at `failure`, in ps, around which it opens.
void writeView(const std::string& fst, const std::optional<std::uint64_t>& failure);

}  // namespace t3::rtl_test
