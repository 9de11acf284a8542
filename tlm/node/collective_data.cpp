// SPDX-License-Identifier: Apache-2.0
#include "tlm/node/collective_data.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tlm/gpu/element_format.h"
#include "tlm/node/gemm_data.h"
#include "tlm/transport/mixed.h"

namespace t3 {
namespace {

/// Whole numbers up to this one are exact.
constexpr std::uint32_t mostExact(DataType type) {
  switch (type) {
    case DataType::Fp16:
      return 2048;
    case DataType::Bf16:
      return 256;
    case DataType::Fp32:
    case DataType::Int32:
      break;
  }
  return 1U << 20;
}

template <typename Format>
typename Format::Stored encoded(std::int64_t value) {
  return Format::encode(static_cast<typename Format::Value>(value));
}

template <typename Function>
void withFormat(DataType type, Function function) {
  switch (type) {
    case DataType::Fp16:
      return function(Fp16Format{});
    case DataType::Bf16:
      return function(Bf16Format{});
    case DataType::Fp32:
      return function(Fp32Format{});
    case DataType::Int32:
      return function(Int32Format{});
  }
}

}  // namespace

CollectiveData::CollectiveData(const AlgorithmMeaning& meaning, const AlgorithmLayout& layout,
                               DataType type, std::uint64_t seed, MemoryOf memory)
    : meaning_(meaning),
      layout_(layout),
      type_(type),
      seed_(seed),
      most_(std::max(1U, mostExact(type) / meaning.longestSum())),
      memory_(std::move(memory)) {}

std::int32_t CollectiveData::value(std::uint32_t gpu, std::uint32_t chunk,
                                   std::uint64_t element) const {
  const std::uint64_t bits = mixed(mixed(mixed(seed_ + gpu) + chunk) + element);
  return static_cast<std::int32_t>(bits % (2 * std::uint64_t{most_} + 1)) -
         static_cast<std::int32_t>(most_);
}

void CollectiveData::write(std::uint32_t gpu, std::uint64_t poisoned) {
  withFormat(type_, [&](auto format) { write<decltype(format)>(gpu, poisoned); });
}

template <typename Format>
void CollectiveData::write(std::uint32_t gpu, std::uint64_t poisoned) {
  poison(memory_(gpu), 0, poisoned);
  using Stored = typename Format::Stored;
  std::vector<Stored> chunk(layout_.chunkBytes() / sizeof(Stored));
  for (std::uint32_t c = 0; c < meaning_.buffers().inputSize(); ++c) {
    for (std::size_t e = 0; e < chunk.size(); ++e) chunk[e] = encoded<Format>(value(gpu, c, e));
    const std::uint32_t slot = meaning_.buffers().slot(gpu, AlgorithmBuffer::Input, c);
    memory_(gpu)(tlm::TLM_WRITE_COMMAND, layout_.address(slot), chunk.data(),
                 static_cast<std::uint32_t>(layout_.chunkBytes()));
  }
}

void CollectiveData::compare(std::uint32_t gpu, Verification& verification) {
  withFormat(type_, [&](auto format) { compare<decltype(format)>(gpu, verification); });
}

template <typename Format>
void CollectiveData::compare(std::uint32_t gpu, Verification& verification) {
  using Stored = typename Format::Stored;
  std::vector<Stored> chunk(layout_.chunkBytes() / sizeof(Stored));
  for (std::uint32_t c = 0; c < meaning_.buffers().outputSize(); ++c) {
    const Contributions* expected = meaning_.result(gpu, c);
    if (expected == nullptr) continue;
    const std::uint32_t slot = meaning_.buffers().slot(gpu, AlgorithmBuffer::Output, c);
    memory_(gpu)(tlm::TLM_READ_COMMAND, layout_.address(slot), chunk.data(),
                 static_cast<std::uint32_t>(layout_.chunkBytes()));
    for (std::size_t e = 0; e < chunk.size(); ++e) {
      std::int64_t sum = 0;
      for (const Contributions::Term& term : expected->terms()) {
        for (const auto& [first, end] : term.gpus.ranges()) {
          for (std::uint32_t g = first; g < end; ++g) sum += value(g, term.chunk, e);
        }
      }
      verification.mismatches += chunk[e] == encoded<Format>(sum) ? 0 : 1;
    }
    verification.elements += chunk.size();
  }
}

}  // namespace t3
