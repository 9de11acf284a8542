// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// All bytes of a file. Throws ConfigError naming its path.
std::string readTextFile(const std::string& path);

}  // namespace t3
