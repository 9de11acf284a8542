// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// What of a file says nothing about the algorithm, for a note.
struct MscclNotes {
  std::vector<std::string> unread;  ///< attributes that no runtime reads
  std::uint64_t minBytes = 0;       ///< the runtime takes the algorithm for these sizes …
  std::uint64_t maxBytes = 0;       ///< … up to this one; 0: any
};

/// The algorithm in the text of an MSCCL XML file, as the tools of MSCCL and RCCL write it and
/// their runtimes read it. Every element and attribute must be one of the format's and have a value
/// of its kind; numbers of GPUs, thread blocks and steps must be complete. What the attributes mean
/// together is not looked at. Throws ConfigError: `source`, line, place, what was expected.
Algorithm readMscclText(const std::string& text, const std::string& source, MscclNotes& notes);

}  // namespace t3
