// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace t3::build {

/// What the program was built from, defined in a file that cmake/BuildInfo.cmake writes: it changes
/// with every commit, and who reads these is not compiled again.
extern const char* const kVersion;
extern const char* const kCommit;
extern const bool kDirty;  ///< the tree differed from the commit
/// List of the RTL, as seen from the project's folder.
extern const char* const kRtlList;
/// SHA-256 over the SHA-256 sums (hexadecimal, one per line) of the RTL files in list order.
extern const char* const kRtlSha256;
/// The same over the RTL with its headers, all files of tlm/ and what runs a simulation.
extern const char* const kModelSha256;

}  // namespace t3::build
