// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// "AMD EPYC", or the architecture where the kernel has no name for it.
std::string processorName();

/// This machine: its name, its processor, and how many cores and how much memory it has.
std::string machineText();

/// Date and time of day now, in UTC.
std::string dateText();

}  // namespace t3
