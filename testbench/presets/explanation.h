// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace t3 {

/// What `word` means as a setting: of one, its default, legal values, what it is, and the presets
/// that set it to something else; of a group or of part of a name, a line for each setting in it or
/// with it in its name. "" stands for all. Throws ConfigError, with the nearest key, if there is
/// none.
std::string explanation(const std::string& word);

/// The dotted paths of all settings. Of settings that every GPU has (gpu0, gpu1, …) only the first
/// GPU's are there.
std::vector<std::string> settingPaths();

}  // namespace t3
