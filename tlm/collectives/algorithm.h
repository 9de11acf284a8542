// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tlm/transport/traffic.h"

namespace t3 {

struct Promise;

/// A buffer of a GPU, cut into chunks of equal size.
enum class AlgorithmBuffer : std::uint8_t { Input, Output, Scratch };
const char* nameOf(AlgorithmBuffer buffer);

/// What a step does to `count` chunks. A connection is a queue of messages from a thread block that
/// sends to one GPU on one channel to the thread block of that GPU that receives from it there.
struct StepKind {
  const char* name;  ///< as in a file
  bool receives = false, sends = false;
  bool readsSource = false, readsTarget = false, writesTarget = false;
  bool readsAll = false;   ///< the sources of all GPUs, added up by the switch between them
  bool writesAll = false;  ///< the targets of all GPUs, by one store that the switch copies

  /// It works only where a switch adds and copies.
  bool needsSwitch() const { return readsAll || writesAll; }
  /// What was received is added to the source.
  bool addsReceived() const { return receives && readsSource; }
  /// It makes a sum.
  bool adds() const { return addsReceived() || readsTarget || readsAll; }
};

extern const StepKind kSend,  // s: the source leaves
    kReceive,                 // r: what comes in becomes the target
    kReceiveCopySend,         // rcs: … and leaves as well
    kReceiveReduceSend,       // rrs: source + what comes in leaves, and is stored nowhere
    kReceiveReduceCopy,       // rrc: source + what comes in becomes the target
    kReceiveReduceCopySend,   // rrcs: … and leaves as well
    kCopy,                    // cpy: the source becomes the target
    kReduce,                  // re: target + source becomes the target
    kLoadSum,                 // ls: the sum of the sources of all GPUs becomes the target
    kStoreToAll,              // sa: the source becomes the target in all GPUs
    kNop;                     // nop: waits only

/// The kind that a file spells like this; null if there is none.
const StepKind* stepKindNamed(const std::string& name);
/// All spellings, for an error.
std::string stepKindNames();

struct AlgorithmStep {
  /// A step of another thread block of the same GPU that comes first.
  struct Dependency {
    std::uint32_t threadBlock = 0, step = 0;
  };

  const StepKind* kind = nullptr;
  AlgorithmBuffer sourceBuffer = AlgorithmBuffer::Input;
  AlgorithmBuffer targetBuffer = AlgorithmBuffer::Output;
  std::uint32_t source = 0, target = 0;  ///< first chunks; without meaning if the kind has none
  std::uint32_t count = 0;               ///< chunks
  std::optional<Dependency> dependency;
  bool hasDependents = false;  ///< others may wait for this step
  std::uint32_t line = 0;      ///< of the file
};

/// Steps that run one after another.
struct AlgorithmThreadBlock {
  std::optional<std::uint32_t> sendsTo, receivesFrom;  ///< GPUs
  std::uint32_t channel = 0;
  std::vector<AlgorithmStep> steps;
  std::uint32_t line = 0;
};

struct AlgorithmGpu {
  std::uint32_t inputChunks = 0, outputChunks = 0, scratchChunks = 0;
  std::vector<AlgorithmThreadBlock> threadBlocks;  ///< by number
  std::uint32_t line = 0;
};

/// A collective as its author wrote it: for each GPU thread blocks, and in each of them steps. All
/// thread blocks run at the same time.
struct Algorithm {
  std::string name;
  const Promise* promise = nullptr;  ///< what it computes
  bool inPlace = false;              ///< input and output share memory
  Protocol protocol = Protocol::Simple;
  std::uint32_t chunks = 0;  ///< of the larger one of input and output
  std::uint32_t channels = 0;
  std::vector<AlgorithmGpu> gpus;  ///< by number
  std::uint32_t line = 0;

  std::uint32_t gpuCount() const { return static_cast<std::uint32_t>(gpus.size()); }
  std::uint64_t steps() const;
  std::uint64_t threadBlocks() const;
  bool needsSwitch() const;  ///< one of its steps does
};

/// A place in an algorithm, for errors: "GPU 3, thread block 1, step 0".
struct AlgorithmPlace {
  std::uint32_t gpu = 0;
  std::optional<std::uint32_t> threadBlock = {}, step = {};

  std::string text() const;
};

/// What is wrong with an algorithm, in one line: "GPU 3, thread block 1, step 0: expected …".
class AlgorithmError : public std::runtime_error {
 public:
  AlgorithmError(std::uint32_t line, const std::string& text)
      : std::runtime_error(text), line_(line) {}
  AlgorithmError(std::uint32_t line, const AlgorithmPlace& place, const std::string& text)
      : AlgorithmError(line, place.text() + ": " + text) {}

  std::uint32_t line() const { return line_; }  ///< of the file; 0: of the whole

 private:
  std::uint32_t line_;
};

}  // namespace t3
