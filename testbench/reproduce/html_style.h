// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// How the page of `reproduce` looks: on light and dark screens, on narrow ones, and on paper.
std::string pageStyle();

/// Sorts a table by the column whose heading is clicked. Without it the page only loses that.
extern const char* const kPageScript;
/// What the page's content security policy calls the script: the hash of its text. The browser
/// refuses a script that is not this one, and a test clicks.
extern const char* const kPageScriptHash;

}  // namespace t3
