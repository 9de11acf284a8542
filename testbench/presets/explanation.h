// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace t3 {

/// What `word` means as a setting: its default, legal values, text, and the presets that set
/// another value. Of a group, or of part of a name, a line for each setting; "" stands for all.
/// Throws ConfigError, with the nearest key, if there is none.
std::string explanation(const std::string& word);

/// The dotted paths of all settings; of numbered groups (gpu0, gpu1, …) only the first.
std::vector<std::string> settingPaths();

/// docs/configuration.md, made from the descriptions of the settings and the table of presets.
std::string configurationDocument();

}  // namespace t3
