// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/named_algorithms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <optional>
#include <string_view>

#include "testbench/collective/collective_file.h"
#include "testbench/collective/measured_algorithm.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"
#include "tlm/collectives/algorithm_maker.h"
#include "tlm/collectives/collective.h"
#include "tlm/collectives/direct_route.h"
#include "tlm/collectives/ring_route.h"
#include "tlm/transport/index.h"

namespace t3 {
namespace {

using Chunk = AlgorithmMaker::Chunk;
using StepPlace = AlgorithmMaker::Place;

Algorithm emptyAlgorithm(const Promise& promise, std::uint32_t chunks, bool inPlace,
                         std::uint32_t channels) {
  Algorithm algorithm;
  algorithm.name = "built-in";
  algorithm.promise = &promise;
  algorithm.inPlace = inPlace;
  algorithm.chunks = chunks;
  algorithm.channels = channels;
  return algorithm;
}

/// Recursive halving reduces, recursive doubling gathers: log2(N) exchanges each, the first and the
/// last of half the chunks.
Algorithm halvingDoubling(std::uint32_t gpus) {
  struct Exchange {
    std::uint32_t sender, receiver;
    Chunk mine, theirs;
  };
  Algorithm algorithm = emptyAlgorithm(kAllReducePromise, gpus, true, 1);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(kAllReducePromise, gpus);
    std::vector<Exchange> exchanges;
    std::vector<StepPlace> before;
    std::uint32_t first = 0;
    for (std::uint32_t half = gpus / 2; half != 0; half /= 2) {
      const std::uint32_t partner = gpu ^ half;
      const Exchange exchange{
          maker.block(partner, std::nullopt), maker.block(std::nullopt, partner),
          maker.chunk(first + (gpu & half), half), maker.chunk(first + (partner & half), half)};
      maker.add(exchange.sender, kSend, exchange.theirs, exchange.theirs, before);
      before = {
          maker.add(exchange.receiver, kReceiveReduceCopy, exchange.mine, exchange.mine, before)};
      first = exchange.mine.number;
      exchanges.push_back(exchange);
    }
    for (; !exchanges.empty(); exchanges.pop_back()) {
      const Exchange& exchange = exchanges.back();
      maker.add(exchange.sender, kSend, exchange.mine, exchange.mine, before);
      before.push_back(maker.add(exchange.receiver, kReceive, exchange.theirs, exchange.theirs));
    }
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

/// Nodes of half the GPUs each: a ring in every node reduces, rings between the nodes reduce and
/// gather, the rings in the nodes gather.
Algorithm hierarchical(std::uint32_t gpus) {
  constexpr std::uint32_t kNodes = 2;
  const std::uint32_t places = gpus / kNodes;
  Algorithm algorithm = emptyAlgorithm(kAllReducePromise, gpus, true, 2);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(kAllReducePromise, gpus);
    const std::uint32_t node = gpu / places, place = gpu % places;
    const auto inside = [&](std::uint32_t of) { return node * places + of % places; };
    const std::uint32_t other = (gpu + places) % gpus;
    const std::uint32_t inner = maker.block(inside(place + 1), inside(place + places - 1), 0);
    const std::uint32_t outer = maker.block(other, other, 1);
    const auto group = [&](std::uint32_t distance) {
      return maker.chunk((place + places - distance) % places * kNodes, kNodes);
    };
    const auto ofNode = [&](std::uint32_t distance) {
      return maker.chunk(place * kNodes + (node + kNodes - distance) % kNodes);
    };
    const StepPlace reduced =
        maker.addRing(inner, places, group, {.reduces = true, .gathers = false, .after = {}});
    const StepPlace whole =
        maker.addRing(outer, kNodes, ofNode, {.reduces = true, .gathers = true, .after = reduced});
    maker.addRing(inner, places, group, {.reduces = false, .gathers = true, .after = whole});
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

template <const Promise& promise, std::uint32_t rings>
Algorithm ring(std::uint32_t gpus) {
  return algorithmOf(RingRoute(gpus, rings), promise);
}
template <const Promise& promise>
Algorithm direct(std::uint32_t gpus) {
  return algorithmOf(DirectRoute(gpus), promise);
}

template <const Promise& promise>
Algorithm nvls(std::uint32_t gpus) {
  return nvlsAlgorithm(promise, gpus);
}

struct Named {
  std::string_view name;
  Algorithm (*make)(std::uint32_t gpus);
  const char* needs = nullptr;  ///< of the number of GPUs, for an error
  bool (*fits)(std::uint32_t gpus) = [](std::uint32_t) { return true; };
};

constexpr std::array kNamed = {
    Named{"ring-reduce-scatter", ring<kReduceScatterPromise, 1>},
    Named{"ring-all-gather", ring<kAllGatherPromise, 1>},
    Named{"ring-all-reduce", ring<kAllReducePromise, 1>},
    Named{"two-rings-reduce-scatter", ring<kReduceScatterPromise, 2>},
    Named{"two-rings-all-gather", ring<kAllGatherPromise, 2>},
    Named{"two-rings-all-reduce", ring<kAllReducePromise, 2>},
    Named{"direct-reduce-scatter", direct<kReduceScatterPromise>},
    Named{"direct-all-gather", direct<kAllGatherPromise>},
    Named{"direct-all-reduce", direct<kAllReducePromise>},
    Named{"nvls-reduce-scatter", nvls<kReduceScatterPromise>},
    Named{"nvls-all-gather", nvls<kAllGatherPromise>},
    Named{"nvls-all-reduce", nvls<kAllReducePromise>},
    Named{"halving-doubling-all-reduce", halvingDoubling, "a power of two",
          [](std::uint32_t gpus) { return std::has_single_bit(gpus); }},
    Named{"hierarchical-all-reduce", hierarchical, "an even number from 4 on",
          [](std::uint32_t gpus) { return gpus >= 4 && gpus % 2 == 0; }},
    Named{"all-to-all", allToAll},
    Named{"ring-broadcast", [](std::uint32_t gpus) { return broadcast(gpus, gpus); }},
};

}  // namespace

Algorithm allToAll(std::uint32_t gpus) {
  Algorithm algorithm = emptyAlgorithm(kAllToAllPromise, gpus, false, 1);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(kAllToAllPromise, gpus, false);
    maker.add(maker.block(std::nullopt, std::nullopt), kCopy, gpu);
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t to = (gpu + distance) % gpus;
      maker.add(maker.block(to, std::nullopt), kSend, maker.chunk(to),
                {AlgorithmBuffer::Output, gpu});
    }
    for (std::uint32_t distance = 1; distance < gpus; ++distance) {
      const std::uint32_t from = (gpu + gpus - distance) % gpus;
      const Chunk arrived{AlgorithmBuffer::Output, from};
      maker.add(maker.block(std::nullopt, from), kReceive, arrived, arrived);
    }
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

Algorithm broadcast(std::uint32_t gpus, std::uint32_t places) {
  Algorithm algorithm = emptyAlgorithm(kBroadcastPromise, 1, true, places < gpus ? 2 : 1);
  const auto when = [](bool is, std::uint32_t gpu) {
    return is ? std::optional(gpu) : std::nullopt;
  };
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    AlgorithmMaker maker(kBroadcastPromise, 1);
    std::optional<StepPlace> there;
    const auto add = [&](std::optional<std::uint32_t> to, std::optional<std::uint32_t> from,
                         std::uint32_t channel) {
      if (!to && !from) return;
      const StepKind& kind = !from ? kSend : !to ? kReceive : kReceiveCopySend;
      there = maker.add(maker.block(to, from, channel), kind, 0, gpu == 0 ? std::nullopt : there);
    };
    const std::uint32_t place = gpu % places;
    if (place == 0) {
      add(when(gpu + places < gpus, gpu + places), when(gpu != 0, gpu - places), 1);
    }
    add(when(place + 1 < places, gpu + 1), when(place != 0, gpu - 1), 0);
    algorithm.gpus.push_back(maker.take());
  }
  return algorithm;
}

std::vector<std::string> algorithmNames() { return namesOf(kNamed); }

Algorithm algorithmNamed(const std::string& name, std::uint32_t gpus) {
  const auto named = [&name](Algorithm algorithm) {
    algorithm.name = name;
    return algorithm;
  };
  if (const auto measured = MeasuredAlgorithm::named(name)) return named(measured->algorithm(gpus));
  if (const auto bands = BandedScatter::named(name)) return named(bands->algorithm(gpus));
  for (const Named& one : kNamed) {
    if (one.name != name) continue;
    if (one.fits(gpus)) return named(one.make(gpus));
    throw ConfigError(name, "",
                      "expected a number of GPUs that is " + std::string(one.needs) + ", got " +
                          std::to_string(gpus));
  }
  throw ConfigError("", "",
                    "unknown collective " + inQuotes(name) + nearestNote(name, algorithmNames()));
}

std::vector<std::string> shippedCollectives() {
  std::vector<std::string> names;
  for (const Named& one : kNamed) {
    for (const char* gpus : {"-4", "-8"}) names.push_back(std::string(one.name) + gpus);
  }
  return names;
}

std::string mscclTextOf(const std::string& word) {
  std::error_code unknown;
  const bool isName = word != "-" && word.find_first_of("./") == std::string::npos;
  if (!isName || std::filesystem::exists(word, unknown)) return readTextFile(word);
  const std::size_t dash = std::min(word.rfind('-'), word.size());
  const auto gpus = numberFrom<unsigned>(word.substr(std::min(dash + 1, word.size())));
  const std::string name = word.substr(0, dash);
  const bool isKnown =
      std::ranges::find(kNamed, std::string_view(name), &Named::name) != kNamed.end() ||
      MeasuredAlgorithm::named(name);
  if (!gpus || !isKnown) {
    throw ConfigError(word, "",
                      "expected a file, or a collective that ships with its number of GPUs, such "
                      "as ring-all-reduce-8" +
                          nearestNote(word, shippedCollectives()));
  }
  if (*gpus < 2 || *gpus > kMostGpus) {
    throw ConfigError(
        word, "",
        "expected 2 to " + std::to_string(kMostGpus) + " GPUs, got " + std::to_string(*gpus));
  }
  return mscclText(algorithmNamed(name, *gpus));
}

}  // namespace t3
