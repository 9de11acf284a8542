// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/collectives/algorithm.h"

namespace t3 {

// Algorithms by name: those of data/collectives/ and of `t3sim collective`.

/// Every GPU sends every other one its chunk.
Algorithm allToAll(std::uint32_t gpus);
/// GPU 0's buffer along its rail over nodes of `places` GPUs, and in each node along the ring.
Algorithm broadcast(std::uint32_t gpus, std::uint32_t places);

/// Without those of MeasuredAlgorithm and BandedScatter, of which there are many.
std::vector<std::string> algorithmNames();
/// Throws ConfigError if there is none of that name, or none for so many GPUs.
Algorithm algorithmNamed(const std::string& name, std::uint32_t gpus);

/// The names of the files of collectives/: an algorithm and its number of GPUs.
std::vector<std::string> shippedCollectives();
/// The MSCCL XML of the file `word`, or of an algorithm and its number of GPUs,
/// "ring-all-reduce-8", where there is no such file. Throws ConfigError.
std::string mscclTextOf(const std::string& word);

}  // namespace t3
