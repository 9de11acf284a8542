// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tlm/collectives/algorithm.h"

namespace t3 {

/// A collective in place as software that was measured runs it: public MSCCL tools, NVIDIA's
/// library, kernels of multimem instructions.
///
/// - `ring`: chunk c starts on GPU c and goes round, on channel c % channels. A thread block of
///   each channel takes chunks in the order of their distance from their first GPU, and receives
///   and sends each in two steps.
/// - `allpair`: a thread block for each other GPU sends it the own chunk and receives the other's.
///   An all-reduce first sends every GPU its share; each thread block adds up a part of the own
///   one, by `re` steps, and sends all of it.
/// - `nccl`: a ring on every channel, each with its part of every share. What a GPU receives it
///   sends on in the same step.
/// - `multimem`: thread blocks load sums of the own share, which a switch makes, and store them in
///   all GPUs.
///
/// Instances repeat all thread blocks on channels of their own, each with its share of every chunk.
struct MeasuredAlgorithm {
  std::string kind;
  const Promise* promise = nullptr;
  Protocol protocol = Protocol::Simple;
  std::uint32_t channels = 1;  ///< of a ring
  std::uint32_t instances = 1;

  /// Of a name like ag_ring_simple_4_2 (collective `ag`, `ar` or `rs`, protocol, channels,
  /// instances) or ar_allpair_ll_x_8; the protocol in small or capital letters. Empty if it is
  /// none.
  static std::optional<MeasuredAlgorithm> named(const std::string& name);

  Algorithm algorithm(std::uint32_t gpus) const;
};

/// The word with which names of an all-gather, an all-reduce or a reduce-scatter begin.
std::string collectiveWord(const Promise& promise);

/// The name of the ring that NVIDIA's library takes on one node of GPUs with NVLink 4 for an array
/// of so many bytes: 24 channels, and the protocol that its cost model says is the fastest
/// (NCCL 2.19 and later, src/graph/tuning.cc: latencies of NVLink, rates of Hopper on one node).
std::string ncclAlgorithm(const Promise& promise, std::uint32_t gpus, std::uint64_t bytes);

/// A reduce-scatter in place behind a GEMM whose output copy engines send (docs/silicon.md).
///
/// A GPU's band is `sends` chunks, which every other GPU sends it one by one. The GEMM makes the
/// bands message by message: the first one to the next GPU, the one that stays, the first one to
/// the GPU after the next, …, then the second ones.
///
/// A thread block of empty steps is the clock that spaces the messages in the order of the file, by
/// which the GEMM goes. As each send waits for such a step, the DMA engine does it; it is no store
/// of the GEMM's own.
struct BandedScatter {
  std::uint32_t sends = 1;

  /// Of a name like rs_bands_2 (sends). Empty if it is none.
  static std::optional<BandedScatter> named(const std::string& name);

  Algorithm algorithm(std::uint32_t gpus) const;
};

}  // namespace t3
