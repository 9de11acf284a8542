// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_layout.h"
#include "tlm/collectives/algorithm_meaning.h"

namespace t3 {

/// What the kernel of one GPU does: an algorithm's steps, with addresses.
///
///     step             loads               stores
///     s                source              remote
///     r                –                   –             the message is stored where it belongs
///     rcs              target              remote        the same
///     rrs              source, received    remote
///     rrc, rrcs        source, received    target, and remote
///     cpy              source              target
///     re               target, sources     target        neighbours that add to one target are one
///     r, rcs (staged)  received            target, and remote
///
/// A message that is added, and one whose target is still in use when it leaves, is stored in a
/// place of its own ("received"), so no sender has to wait for room. All others are stored where
/// they belong (`AlgorithmMeaning::targetIsFree`), as over links that write into another GPU's
/// memory. A step that only waits, and for which nobody waits, is part of the next one.
struct StepProgram {
  struct Send {
    std::uint32_t port = 0;
    std::uint64_t destination = 0;  ///< global address
    std::uint32_t arrival = 0;      ///< its number at the receiver
  };
  struct Step {
    std::uint32_t chunks = 0;          ///< that follow one another wherever the step has addresses
    std::vector<std::uint64_t> loads;  ///< what is added up; nothing: the step only waits
    std::optional<std::uint64_t> store;
    std::optional<Send> send;
    std::optional<std::uint32_t> arrival;                 ///< for which it waits
    std::vector<AlgorithmStep::Dependency> dependencies;  ///< on steps of other thread blocks
    std::uint32_t number = 0;                             ///< in the file
  };
  using ThreadBlock = std::vector<Step>;
  struct Arrival {
    std::uint64_t destination = 0;  ///< local address
    std::uint32_t chunks = 0;
  };

  std::uint64_t chunkBytes = 0;
  std::uint32_t ports = 1;
  std::vector<ThreadBlock> threadBlocks;
  std::vector<Arrival> arrivals;
  std::vector<std::uint64_t> sentBytes;  ///< by port
};

/// By which of its `ports` a GPU reaches another one, for a channel.
struct AlgorithmPorts {
  std::uint32_t ports = 1;
  std::function<std::uint32_t(std::uint32_t from, std::uint32_t to, std::uint32_t channel)> port;
};

/// The programs of all GPUs.
std::vector<StepProgram> makeStepPrograms(const AlgorithmMeaning& meaning,
                                          const AlgorithmLayout& layout,
                                          const AlgorithmPorts& ports);

}  // namespace t3
