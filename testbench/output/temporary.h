// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace t3 {

/// Makes an empty file beside `target`, for what is to become `target`, and puts its name into
/// `path`. Returns its descriptor, or -1 with errno. The file is locked as long as the descriptor
/// (or a copy of it) is open, and removed by an interrupt (interrupt.h) until `forgetTemporary`.
///
/// Files that were made for the same target by programs that are gone (killed, or the machine
/// stopped) are removed first, with their `companions`: those that nobody holds locked.
int makeTemporary(const std::string& target, std::string& path);

/// Names of files that a library may make for who holds the temporary file `path`: its result, and
/// what the FST library keeps beside that. A library may replace a file of that name, so these are
/// not the one that is locked.
std::vector<std::string> companions(const std::string& path);

}  // namespace t3
