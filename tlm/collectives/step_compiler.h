// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tlm/collectives/step_program.h"

namespace t3 {

/// Things numbered from 0, each of which has one before it or is the first of a chain. Whether a
/// thing is on the chain of another takes logarithmic time, because each knows one far before it,
/// too (Myers, "An Applicative Random-Access Stack", Information Processing Letters 1983).
class AncestorChains {
 public:
  /// The next thing. `before` has a lower number; the number of the thing itself: it is a first.
  void add(std::uint32_t before) {
    const auto number = static_cast<std::uint32_t>(links_.size());
    Link link{number, number, 0};
    if (before != number) {
      const Link& next = links_[before];
      const Link& far = links_[next.far];
      const bool joins = next.length - far.length == far.length - links_[far.far].length;
      link = {before, joins ? far.far : before, next.length + 1};
    }
    links_.push_back(link);
  }
  /// Whether `thing` is `from`, or somewhere before it on its chain.
  bool holds(std::uint32_t from, std::uint32_t thing) const {
    const std::uint32_t length = links_[thing].length;
    while (links_[from].length > length) {
      const Link& link = links_[from];
      from = links_[link.far].length >= length ? link.far : link.before;
    }
    return from == thing;
  }

 private:
  struct Link {
    std::uint32_t before = 0, far = 0, length = 0;
  };
  std::vector<Link> links_;
};

/// Cuts the steps of an algorithm chunk by chunk into *parts*, joins those that save a pass through
/// memory, and writes the programs of GPUs (`StepProgram` says what that means). A *value* is what
/// a chunk of a buffer is for a while: one part makes or receives it, others read it. A *message*
/// is one chunk that a GPU receives.
class StepCompiler {
 public:
  explicit StepCompiler(const StepSource& source);

  /// All steps of all GPUs.
  StepCompiler(const StepSource& source, const AlgorithmMeaning& meaning);

  /// Adds the next step of a thread block. Steps are added in an order in which they may run.
  void add(std::uint32_t g, std::uint32_t b, std::uint32_t s);
  void join();
  StepProgram program(std::uint32_t g, std::optional<KernelChannels> kernel);

 private:
  /// One chunk of a message that a GPU receives.
  struct Message {
    std::uint32_t slot = 0, shape = 0, channel = 0;
    bool added = false;  ///< to something
    bool staged = false;
    std::optional<std::uint32_t> sender = {};  ///< part; none: nobody asks if the target is free
  };
  struct Gpu {
    std::vector<Message> messages = {};
    std::vector<std::vector<std::uint32_t>> received = {};   ///< [thread block]: first messages
    std::vector<std::uint32_t> taken = {}, sent = {};        ///< messages, by thread block
    std::vector<std::optional<std::uint32_t>> present = {};  ///< values, by slot
    std::vector<std::uint32_t> parts = {};                   ///< what it does
  };
  struct Load {
    std::optional<std::uint32_t> value = {};
    std::uint32_t message = 0;  ///< without a value
  };
  struct Send {
    std::uint32_t gpu = 0, channel = 0, message = 0;
    bool toAll = false;
  };
  /// A step that stores in all GPUs, and its first message.
  struct ToAll {
    std::uint32_t gpu = 0, threadBlock = 0, step = 0, message = 0;
  };
  /// What a step does to one chunk.
  struct Part {
    std::uint32_t gpu = 0, threadBlock = 0, step = 0, shape = 0;
    std::vector<Load> loads = {};
    bool loadsSum = false;                   ///< of what all GPUs have there
    std::optional<std::uint32_t> made = {};  ///< value that it stores
    std::vector<Send> sends = {};
    std::vector<std::uint32_t> before = {};    ///< parts for which it waits
    std::optional<std::uint32_t> partOf = {};  ///< another one does it

    bool copies(std::uint32_t value) const {
      return !partOf && !made && !loadsSum && loads.size() == 1 && loads.front().value == value;
    }
    bool doesSomething() const { return !partOf && (made || !sends.empty()); }
  };
  /// What a chunk of a buffer is for a while.
  struct Value {
    std::uint32_t gpu = 0, slot = 0, shape = 0;
    std::optional<std::uint32_t> maker = {};                ///< part that makes or receives it
    std::optional<std::uint32_t> message = {};              ///< which has brought it
    std::vector<std::uint32_t> readers = {};                ///< parts
    std::optional<std::uint32_t> earlier = {}, later = {};  ///< values of the slot
  };

  std::uint32_t slot(std::uint32_t gpu, AlgorithmBuffer buffer, std::uint32_t chunk) const;
  Gpu& at(std::uint32_t g);
  std::uint32_t nextReceived(std::uint32_t g, std::uint32_t b);
  std::uint32_t nextSent(std::uint32_t g, std::uint32_t b);
  std::uint32_t messageToAll(std::uint32_t g, std::uint32_t b, std::uint32_t s) const;

  // --- what the parts do to the chunks ----------------------------------------------------------

  std::uint32_t present(std::uint32_t g, std::uint32_t slot);
  void read(std::uint32_t part, std::uint32_t slot);
  std::uint32_t write(std::uint32_t part, std::uint32_t slot,
                      std::optional<std::uint32_t> message = {});
  std::vector<std::uint32_t> usersOf(std::uint32_t v) const;
  bool placeMessage(std::uint32_t part, std::uint32_t g, std::uint32_t target,
                    std::uint32_t number);
  bool allBefore(std::uint32_t part, std::vector<std::uint32_t> others);

  // --- joins ------------------------------------------------------------------------------------

  bool isResult(const Value& value) const;
  void forget(std::uint32_t v);
  bool fusesWithNext(std::uint32_t p) const;
  void joinSum(std::uint32_t p);
  bool staysUntil(const Part& part, std::uint32_t reader) const;
  void joinSends(std::uint32_t v);

  // --- the program ------------------------------------------------------------------------------

  bool isStoredInAll(const Part& part) const;
  std::vector<std::vector<std::uint32_t>> runsOf(
      const std::vector<std::vector<std::uint32_t>>& blocks) const;
  ChunkPlace placeOf(std::uint32_t g, const Message& message);
  StepProgram::Step stepOf(const Part& part);
  void addWaits(std::uint32_t p, const std::map<std::uint32_t, StepProgram::Dependency>& places,
                StepProgram::Step& step);

  const StepSource& source_;
  std::vector<ToAll> toAll_;
  std::uint32_t messagesToAll_ = 0;
  std::map<std::uint32_t, Gpu> gpus_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> sums_;  ///< parts that load what all GPUs have
  std::vector<Value> values_;
  AncestorChains chains_;  ///< of parts: the way that a chunk has come, from message to message
  std::vector<std::uint32_t> seen_;  ///< by part: the last search that met it
  std::uint32_t search_ = 0;
};

}  // namespace t3
