// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// The algorithm in an MSCCL XML file, as MSCCL's tools write it and its runtime reads it. Every
/// element and attribute must be one of the format's and have a value of its kind;
/// numbers of GPUs, thread blocks and steps must be complete. What the attributes mean together is
/// not looked at. Throws ConfigError: file, line, place, what was expected.
Algorithm readMscclFile(const std::string& path);
/// The same of a text; errors name `source`.
Algorithm readMscclText(const std::string& text, const std::string& source);

}  // namespace t3
