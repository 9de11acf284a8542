// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// docs/configuration.md, made from the descriptions of the settings and the table of presets.
std::string configurationDocument();

}  // namespace t3
