// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/collectives/algorithm_buffers.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/gpu/tiling.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// Where the first byte of a chunk is: of its bytes without gaps, or of the buffer in which its
/// segments lie.
struct ChunkPlace {
  std::uint64_t address = 0;
  bool dense = true;

  bool operator==(const ChunkPlace&) const = default;
};

/// Where an algorithm's chunks are in each GPU's memory, the same on all GPUs, and which bytes they
/// are.
struct StepLayout {
  std::shared_ptr<const std::vector<ChunkSegments>> shapes;
  std::vector<ChunkPlace> places;      ///< by slot of AlgorithmBuffers
  std::vector<std::uint32_t> shapeOf;  ///< the same
  std::uint64_t staging = 0;           ///< where messages that may not go to their target wait …
  std::uint64_t stagingStride = 0;     ///< … chunk by chunk

  /// Chunks of equal size without gaps.
  static StepLayout of(const AlgorithmBuffers& buffers, const AlgorithmLayout& layout);
};

/// What the kernel of one GPU does: an algorithm's steps chunk by chunk, with addresses.
///
///     step             loads               stores
///     s                source              remote
///     r                –                   –             the message is stored where it belongs
///     rcs              target              remote        the same
///     rrs              source, received    remote
///     rrc, rrcs        source, received    target, and remote
///     cpy              source              target
///     re               target, source      target
///     r, rcs (staged)  received            target, and remote
///
/// A message that is added, and one whose target may still be in use when it leaves, is stored in a
/// place of its own ("received"), so no sender waits for room. All others are stored where they
/// belong.
///
/// Steps are joined where that saves a pass through memory:
/// - What a step stores only for one other step to load, that step makes itself: several `re` or
///   `rrc` to one target are one sum, and a sum that leaves at once is not stored.
/// - A chunk that goes to several GPUs is loaded once, where it comes to be, and sent to all.
///
/// A step waits for data only: for its messages, and for earlier steps that touch the same chunk,
/// one of the two writing.
///
/// A chunk that is stored in all GPUs has the same place and the same number of its arrival in all
/// of them: these messages come first.
///
/// With `ownBlocks` all messages have places of their own, as in the buffers of a library's
/// connections: whoever receives one copies it to its target. Only what the
/// kernels of libraries do in one pass is joined: consecutive `re` from one buffer to one target,
/// and `sa` behind the `ls` of the same chunk.
struct StepProgram {
  struct Send {
    std::uint32_t port = 0;
    ChunkPlace destination = {};  ///< global
    std::uint32_t arrival = 0;    ///< its number at the receiver
    bool toAll = false;           ///< the switch copies it for all GPUs, this one too

    bool operator==(const Send&) const = default;
  };
  struct Dependency {
    std::uint32_t run = 0, step = 0;

    bool operator==(const Dependency&) const = default;
  };
  struct Step {
    std::uint32_t shape = 0;        ///< of its chunk
    std::vector<ChunkPlace> loads;  ///< what is added up
    bool loadsSum = false;          ///< the one load is of the sum of what all GPUs have there
    std::optional<ChunkPlace> store;
    std::vector<Send> sends;
    std::vector<std::uint32_t> arrivals;        ///< for which it waits
    std::vector<Dependency> dependencies;       ///< the same
    std::uint32_t threadBlock = 0, number = 0;  ///< of the algorithm

    /// It sends or takes a message; else it is local.
    bool hops() const { return !sends.empty() || !arrivals.empty(); }

    bool operator==(const Step&) const = default;
  };
  /// Steps of a thread block that issue their requests one after another. All send, or none, unless
  /// thread blocks work by themselves: then a thread block is one run.
  using Run = std::vector<Step>;
  struct Arrival {
    ChunkPlace destination;  ///< local
    std::uint32_t shape = 0;
    bool expected = true;  ///< by this kernel; else by another one of the GPU

    bool operator==(const Arrival&) const = default;
  };

  std::shared_ptr<const std::vector<ChunkSegments>> shapes;
  std::uint32_t ports = 1, threadBlocks = 0;
  std::uint32_t gpus = 0;              ///< that take part
  bool loadsSums = false;              ///< a GPU that takes part loads sums from the switch …
  bool sumsArrive = false;             ///< … and stores each in all GPUs
  Phase phase = Phase::ReduceScatter;  ///< of its traffic
  NodeId node = 0;                     ///< of the graph, as `Traffic::node`
  Protocol protocol = Protocol::Simple;
  bool ownBlocks = false;  ///< each thread block has a compute unit of its own
  std::vector<Run> runs;   ///< those that send nothing first
  std::vector<Arrival> arrivals;

  std::uint64_t chunkBytes(std::uint32_t shape) const { return (*shapes)[shape].bytes(); }
  std::vector<std::uint64_t> sentBytes() const;  ///< by port, to single GPUs
  std::uint64_t sumBytes() const;                ///< that it loads from the switch
  std::uint64_t toAllBytes() const;              ///< that it stores in all GPUs, once
};

/// By which of its `ports` a GPU reaches another one, for a channel.
struct AlgorithmPorts {
  std::uint32_t ports = 1;
  std::function<std::uint32_t(std::uint32_t from, std::uint32_t to, std::uint32_t channel)> port;
};

/// What programs are made from.
struct StepSource {
  const Algorithm& algorithm;
  const AlgorithmBuffers& buffers;
  const StepLayout& layout;
  const AlgorithmPorts& ports;
  Phase phase = Phase::ReduceScatter;  ///< of the traffic
  bool ownBlocks = false;
};

/// Of one of several kernels of a GPU.
struct KernelChannels {
  std::uint32_t first = 0, count = 0;
};

/// The channels of an algorithm, if there are several and none waits for another one of its GPU or
/// touches the same chunk. Then each is a kernel of its own, as each of several rings is.
std::vector<std::uint32_t> separateChannels(const StepSource& source);

/// The programs of all GPUs, of all channels or of some.
std::vector<StepProgram> makeStepPrograms(const StepSource& source, const AlgorithmMeaning& meaning,
                                          std::optional<KernelChannels> kernel = {});

/// The same of one GPU.
StepProgram makeStepProgram(const StepSource& source, const AlgorithmMeaning& meaning,
                            std::uint32_t gpu, std::optional<KernelChannels> kernel = {});

/// The program of one GPU; of GPUs that it does not talk to nothing need be said. Nobody checks
/// that messages that are not added find their target free, nor that order and dependencies order
/// all that touch the same chunk.
StepProgram makeStepProgram(const StepSource& source, std::uint32_t gpu,
                            std::optional<KernelChannels> kernel = {});

}  // namespace t3
