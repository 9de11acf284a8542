// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// The name of standard input where a file could be named.
inline constexpr const char* kStandardInput = "-";

/// All bytes of a file, or of standard input. What can be read only once, a pipe, is kept: this
/// process may read it again. Throws ConfigError naming its path.
std::string readBytes(const std::string& path);

/// The same of a text in UTF-8, without the byte-order mark that may be in front of it.
std::string readTextFile(const std::string& path);

/// For inputs that processes of their own read again, of this machine or of others: throws
/// ConfigError naming `option` unless it is an ordinary file whose name the job can hold.
void requireReadableAgain(const std::string& option, const std::string& path);

}  // namespace t3
