// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/measured_algorithm.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include "testbench/config/spelling.h"
#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/promise.h"

namespace t3 {
namespace {

/// A part of a name that is a number from 1 to 64: channels, instances, rows.
std::optional<std::uint32_t> smallNumber(const std::string& word) {
  constexpr std::uint32_t kMost = 64;
  const auto value = numberFrom<std::uint32_t>(word);
  return value && *value >= 1 && *value <= kMost ? value : std::nullopt;
}

std::optional<Protocol> protocolNamed(std::string word) {
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "simple") return Protocol::Simple;
  if (word == "ll") return Protocol::Ll;
  if (word == "ll128") return Protocol::Ll128;
  return std::nullopt;
}

using Place = AlgorithmMaker::Place;
using Chunk = AlgorithmMaker::Chunk;

/// Of one GPU: adds its thread blocks.
struct Task {
  const MeasuredAlgorithm& measured;
  std::uint32_t gpu = 0, gpus = 0;
  AlgorithmMaker& maker;
};

/// A ring of a public MSCCL tool: each chunk in two steps, r and s.
void addRing(const Task& task) {
  const auto& [measured, gpu, gpus, maker] = task;
  const auto first = [&](std::uint32_t distance) { return (gpu + gpus - distance) % gpus; };
  for (std::uint32_t instance = 0; instance < measured.instances; ++instance) {
    for (std::uint32_t channel = 0; channel < measured.channels; ++channel) {
      std::vector<std::uint32_t> distances;
      for (std::uint32_t distance = 0; distance < gpus; ++distance) {
        if (first(distance) % measured.channels == channel) distances.push_back(distance);
      }
      if (distances.empty()) continue;
      const bool sends = distances.front() + 1 < gpus, receives = distances.back() != 0;
      const std::uint32_t block =
          maker.block(sends ? std::optional((gpu + 1) % gpus) : std::nullopt,
                      receives ? std::optional(first(1)) : std::nullopt,
                      instance * measured.channels + channel);
      for (const std::uint32_t distance : distances) {
        const std::uint32_t chunk = first(distance) * measured.instances + instance;
        if (distance != 0) maker.add(block, kReceive, chunk);
        if (distance + 1 < gpus) maker.add(block, kSend, chunk);
      }
    }
  }
}

void addAllPairs(const Task& task) {
  const auto& [measured, gpu, gpus, maker] = task;
  for (std::uint32_t instance = 0; instance < measured.instances; ++instance) {
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t peer = (gpu + distance) % gpus;
      const std::uint32_t block = maker.block(peer, peer, instance);
      maker.add(block, kSend, gpu * measured.instances + instance);
      maker.add(block, kReceive, peer * measured.instances + instance);
    }
  }
}

/// A GPU's share is as many chunks as there are GPUs. What the others have of it comes to scratch;
/// each thread block adds up one chunk, and sends all of them when all are there. One thread block
/// has no peer.
void addAllPairsReduced(const Task& task) {
  const auto& [measured, gpu, gpus, maker] = task;
  std::vector<std::uint32_t> peers;
  for (std::uint32_t peer = 0; peer < gpus; ++peer) {
    if (peer != gpu) peers.push_back(peer);
  }
  for (std::uint32_t instance = 0; instance < measured.instances; ++instance) {
    const auto share = [&](std::uint32_t owner) {
      return maker.chunk((instance * gpus + owner) * gpus, gpus);
    };
    const auto scratch = [&](std::size_t from, std::uint32_t count) {
      const auto before = instance * peers.size() + from;
      return Chunk{AlgorithmBuffer::Scratch, static_cast<std::uint32_t>(before) * gpus, count};
    };
    const std::uint32_t own = maker.block(std::nullopt, std::nullopt, instance);
    std::vector<std::uint32_t> blocks;
    std::vector<Place> received;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      blocks.push_back(maker.block(peers[i], peers[i], instance));
      const std::uint32_t there = gpu < peers[i] ? gpu : gpu - 1;  // this GPU among its peers
      maker.add(blocks[i], kSend, share(peers[i]), scratch(there, gpus));
      const Chunk comes = scratch(i, gpus);
      received.push_back(maker.add(blocks[i], kReceive, comes, comes));
    }
    std::vector<Place> added;
    for (std::uint32_t place = 0; place < gpus; ++place) {
      const std::size_t i = place < gpu ? place : place - 1;
      const std::uint32_t block = place == gpu ? own : blocks[i];
      std::vector<Place> after = received;
      if (place != gpu) std::erase_if(after, [&](Place one) { return one.threadBlock == block; });
      const Chunk target{share(gpu).buffer, share(gpu).number + place, 1};
      for (std::size_t from = 0; from < peers.size(); ++from) {
        Chunk source = scratch(from, 1);
        source.number += place;
        const Place last = maker.add(block, kReduce, source, target, std::exchange(after, {}));
        if (from + 1 == peers.size()) added.push_back(last);
      }
    }
    for (std::size_t i = 0; i < peers.size(); ++i) {
      std::vector<Place> after = added;
      std::erase_if(after, [&](Place one) { return one.threadBlock == blocks[i]; });
      maker.add(blocks[i], kSend, share(gpu), share(gpu), after);
      maker.add(blocks[i], kReceive, share(peers[i]), share(peers[i]));
    }
  }
}

/// As NVIDIA's library goes round a ring: a thread block of each channel, with its part of every
/// GPU's share.
void addNcclRing(const Task& task) {
  const auto& [measured, gpu, gpus, maker] = task;
  const std::uint32_t channels = measured.channels * measured.instances;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const std::uint32_t block = maker.block((gpu + 1) % gpus, (gpu + gpus - 1) % gpus, channel);
    maker.addRing(block, gpus, [&](std::uint32_t distance) {
      return (gpu + gpus - distance) % gpus * channels + channel;
    });
  }
}

/// Loads that a switch adds up, and stores that it copies, of the own share.
void addMultimem(const Task& task) {
  const auto& [measured, gpu, gpus, maker] = task;
  for (std::uint32_t instance = 0; instance < measured.instances; ++instance) {
    const std::uint32_t block = maker.block(std::nullopt, std::nullopt);
    const std::uint32_t chunk = gpu * measured.instances + instance;
    if (maker.reduces()) maker.add(block, kLoadSum, chunk);
    if (maker.gathers()) maker.add(block, kStoreToAll, chunk);
  }
}

/// What runs under a word of a name, for the collectives that it is known for.
struct Family {
  const char* word;
  const Promise* promise;  ///< null: all three
  bool hasChannels;
  void (*add)(const Task& task);
  std::uint32_t (*chunks)(const MeasuredAlgorithm& measured, std::uint32_t gpus);  ///< of a share
  bool scratch = false;  ///< has room for what all others have of the share
};

std::uint32_t perInstance(const MeasuredAlgorithm& measured, std::uint32_t /*gpus*/) {
  return measured.instances;
}
std::uint32_t perInstanceAndGpu(const MeasuredAlgorithm& measured, std::uint32_t gpus) {
  return measured.instances * gpus;
}
std::uint32_t perChannel(const MeasuredAlgorithm& measured, std::uint32_t /*gpus*/) {
  return measured.channels * measured.instances;
}

constexpr Family kFamilies[] = {
    {"ring", &kAllGatherPromise, true, addRing, perInstance},
    {"allpair", &kAllGatherPromise, false, addAllPairs, perInstance},
    {"allpair", &kAllReducePromise, false, addAllPairsReduced, perInstanceAndGpu, true},
    {"nccl", nullptr, true, addNcclRing, perChannel},
    {"multimem", nullptr, false, addMultimem, perInstance},
};

struct CollectiveWord {
  const char* word;
  const Promise* promise;
};
constexpr CollectiveWord kCollectiveWords[] = {
    {"ag", &kAllGatherPromise}, {"ar", &kAllReducePromise}, {"rs", &kReduceScatterPromise}};

const Family* familyOf(const std::string& word, const Promise& promise) {
  const auto* const one = std::ranges::find_if(kFamilies, [&](const Family& family) {
    return family.word == word && (family.promise == nullptr || family.promise == &promise);
  });
  return one == std::end(kFamilies) ? nullptr : one;
}

}  // namespace

std::optional<MeasuredAlgorithm> MeasuredAlgorithm::named(const std::string& name) {
  const std::vector<std::string> words = split(name, '_');
  if (words.size() != 5) return std::nullopt;
  const auto* const collective =
      std::ranges::find(kCollectiveWords, words[0], &CollectiveWord::word);
  if (collective == std::end(kCollectiveWords)) return std::nullopt;
  const Family* family = familyOf(words[1], *collective->promise);
  const auto protocol = protocolNamed(words[2]);
  const auto instances = smallNumber(words[4]);
  if (family == nullptr || !protocol || !instances) return std::nullopt;
  const auto channels = family->hasChannels ? smallNumber(words[3]) : std::optional(1U);
  if (!channels || (!family->hasChannels && words[3] != "x")) return std::nullopt;
  return MeasuredAlgorithm{words[1], collective->promise, *protocol, *channels, *instances};
}

Algorithm MeasuredAlgorithm::algorithm(std::uint32_t gpus) const {
  const Family& family = *familyOf(kind, *promise);
  Algorithm algorithm;
  algorithm.name = "measured";
  algorithm.promise = promise;
  algorithm.inPlace = true;
  algorithm.protocol = protocol;
  algorithm.channels = channels * instances;
  const std::uint32_t share = family.chunks(*this, gpus);
  algorithm.chunks = gpus * share;
  const std::uint32_t scratch = family.scratch ? (gpus - 1) * share : 0;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(*promise, algorithm.chunks, true, scratch);
    family.add({*this, gpu, gpus, maker});
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

std::string collectiveWord(const Promise& promise) {
  return std::ranges::find(kCollectiveWords, &promise, &CollectiveWord::promise)->word;
}

std::string ncclAlgorithm(const Promise& promise, std::uint32_t gpus, std::uint64_t bytes) {
  struct Cost {
    const char* protocol;
    double base_us, step_us, gb_s;  ///< a ring without and with its steps; all channels
  };
  constexpr double kRing = 360;  // GB/s of 24 channels, as the library's search finds them
  constexpr Cost kCosts[] = {
      {"ll", 6.6, 0.6, 141}, {"ll128", 14, 1.9, 0.92 * kRing}, {"simple", 8.4, 3.4, kRing}};
  const bool both = &promise == &kAllReducePromise;
  const double steps = (both ? 2.0 : 1.0) * (gpus - 1);
  const auto time = [&](const Cost& cost) {
    return cost.base_us + steps * cost.step_us +
           static_cast<double>(bytes) / 1000 * steps / gpus / cost.gb_s;
  };
  const Cost& best = *std::ranges::min_element(kCosts, {}, time);
  return collectiveWord(promise) + "_nccl_" + best.protocol + "_24_1";
}

namespace {

AlgorithmGpu stepsOf(const BandedScatter& bands, std::uint32_t gpu, std::uint32_t gpus) {
  AlgorithmMaker maker(kReduceScatterPromise, gpus * bands.sends);
  const auto message = [&](std::uint32_t owner, std::uint32_t number) {
    return maker.chunk(owner % gpus * bands.sends + number);
  };
  // Two steps for each message: in the one between, the chunks that stay are due, when the next GPU
  // receives the first message.
  std::vector<Place> clock;
  const std::uint32_t ticks = 2 * (bands.sends * gpus - 1);
  const std::uint32_t clockBlock = maker.block(std::nullopt, std::nullopt);
  for (std::uint32_t tick = 0; tick + 1 < ticks; ++tick) {
    clock.push_back(maker.add(clockBlock, kNop, {.count = 0}, {}));
  }
  for (std::uint32_t distance = 1; distance < gpus; ++distance) {
    const std::uint32_t block = maker.block((gpu + distance) % gpus, std::nullopt);
    for (std::uint32_t number = 0; number < bands.sends; ++number) {
      const auto chunks = message(gpu + distance, number);
      maker.add(block, kSend, chunks, chunks, {clock[2 * (number * gpus + distance) - 2]});
    }
  }
  std::vector<std::vector<Place>> added(bands.sends);
  for (std::uint32_t distance = 1; distance < gpus; ++distance) {
    const std::uint32_t block = maker.block(std::nullopt, (gpu + gpus - distance) % gpus);
    for (std::uint32_t number = 0; number < bands.sends; ++number) {
      const auto chunks = message(gpu, number);
      added[number] = {maker.add(block, kReceiveReduceCopy, chunks, chunks, added[number])};
    }
  }
  return maker.take();
}

}  // namespace

std::optional<BandedScatter> BandedScatter::named(const std::string& name) {
  const std::vector<std::string> words = split(name, '_');
  if (words.size() != 3 || words[0] != "rs" || words[1] != "bands") return std::nullopt;
  const auto sends = smallNumber(words[2]);
  if (!sends) return std::nullopt;
  return BandedScatter{*sends};
}

Algorithm BandedScatter::algorithm(std::uint32_t gpus) const {
  Algorithm algorithm;
  algorithm.name = "bands";
  algorithm.promise = &kReduceScatterPromise;
  algorithm.inPlace = true;
  algorithm.chunks = gpus * sends;
  algorithm.channels = 1;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
    algorithm.gpus.push_back(stepsOf(*this, gpu, gpus));
  return algorithm;
}

}  // namespace t3
