// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/measured_algorithm.h"

#include <algorithm>
#include <cctype>

#include "testbench/config/spelling.h"
#include "tlm/collectives/algorithm_maker.h"

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

void addRing(const MeasuredAlgorithm& measured, std::uint32_t gpu, std::uint32_t gpus,
             AlgorithmMaker& maker) {
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

void addAllPairs(const MeasuredAlgorithm& measured, std::uint32_t gpu, std::uint32_t gpus,
                 AlgorithmMaker& maker) {
  for (std::uint32_t instance = 0; instance < measured.instances; ++instance) {
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t peer = (gpu + distance) % gpus;
      const std::uint32_t block = maker.block(peer, peer, instance);
      maker.add(block, kSend, gpu * measured.instances + instance);
      maker.add(block, kReceive, peer * measured.instances + instance);
    }
  }
}

}  // namespace

std::optional<MeasuredAlgorithm> MeasuredAlgorithm::named(const std::string& name) {
  const std::vector<std::string> words = split(name, '_');
  if (words.size() != 5 || words[0] != "ag") return std::nullopt;
  const auto protocol = protocolNamed(words[2]);
  const auto instances = smallNumber(words[4]);
  if (!protocol || !instances) return std::nullopt;
  if (words[1] == "allpair" && words[3] == "x") {
    return MeasuredAlgorithm{Kind::AllPairs, *protocol, 1, *instances};
  }
  const auto channels = smallNumber(words[3]);
  if (words[1] != "ring" || !channels) return std::nullopt;
  return MeasuredAlgorithm{Kind::Ring, *protocol, *channels, *instances};
}

Algorithm MeasuredAlgorithm::algorithm(std::uint32_t gpus) const {
  Algorithm algorithm;
  algorithm.name = "measured";
  algorithm.promise = &kAllGatherPromise;
  algorithm.inPlace = true;
  algorithm.protocol = protocol;
  algorithm.chunks = gpus * instances;
  algorithm.channels = channels * instances;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(kAllGatherPromise, algorithm.chunks);
    (kind == Kind::Ring ? addRing : addAllPairs)(*this, gpu, gpus, maker);
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

namespace {

using Place = AlgorithmMaker::Place;

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
