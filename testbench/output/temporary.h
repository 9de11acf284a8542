// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace t3 {

/// Makes an empty file beside `target`, for what is to become `target`, and puts its name into
/// `path`. Returns its descriptor, or -1 with errno. The file is locked as long as the descriptor
/// (or a copy of it) is open, and removed by an interrupt (interrupt.h) until `forgetTemporary`.
///
/// Files that were made for the same target by programs that are gone (killed, or the machine
/// stopped) are removed first: those that nobody holds locked.
int makeTemporary(const std::string& target, std::string& path);

/// The file that the FST library keeps beside a file that it writes.
std::string companion(const std::string& path);

}  // namespace t3
