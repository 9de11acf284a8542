// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "tlm/collectives/route.h"
#include "tlm/gpu/chunk_segments.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/loop.h"
#include "tlm/node/output_plan.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// The loop of a sublayer on a balanced fabric: what the one GPU that is simulated sends to the GPU
/// d places on comes back as what the one d places before would send to it, the same bytes of
/// another chunk.
///
/// All GPUs do the same with other chunks: where GPU 0 sends a part of a chunk to GPU d, the GPU
/// that sends to GPU 0 sends that part of `Route::asOfGpu0(chunk, d)`. So a write keeps its time,
/// its length and its place in the chunk, and changes chunk, with its workgroup id: an update keeps
/// its place in its tile, a gathered piece its place in the chunk, and one into a receive buffer,
/// which belongs to the arrival and not to the chunk, its address. Chunks have the same shape
/// (`chunksAreAlike`), but may lie differently in the rows of tiles; a write that is not contiguous
/// in its new chunk is passed on in pieces, back to back. Of a store into all other GPUs what each
/// of them would send to GPU 0 comes back, back to back too. It is a kernel's message for one
/// chunk, and the number of its arrival is the chunk's. So it is with a request for a sum: GPU 0
/// answers in place of all, at the places where theirs would ask; such a read keeps its length in
/// one piece.
///
/// Of a write in pieces the answer goes back when the last piece is taken.
class SymmetricLoop : public Loop {
 public:
  /// Requires `chunksAreAlike` of the tilings of all outputs that are in chunks.
  SymmetricLoop(const sc_core::sc_module_name& name, const std::vector<OutputPlan>& outputs,
                const Route& route, PayloadPool& pool);

  /// Whether the n-th tile of every chunk has the same rows and columns as that of every other.
  static bool chunksAreAlike(const Tiling& tiling);

  bool idle() const override { return original_ == nullptr; }

 private:
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) override;
  /// An output, whose chunks change places.
  struct Output {
    Tiling tiling;
    MemoryLayout layout;
    std::vector<std::vector<Segment>> segments;  ///< by chunk

    bool isIn(std::uint64_t address, std::uint64_t buffer) const;
    bool isGathered(std::uint64_t address) const { return isIn(address, layout.gathered()); }
  };

  /// In whose buffers a local address lies.
  const Output& outputAt(std::uint64_t address) const;
  WorkgroupId turned(const Output& output, WorkgroupId wg, GpuId destination) const;
  void turnUpdate(const Output& output, Payload& payload) const;
  std::vector<Segment> turnGathered(const Output& output, const Payload& payload) const;
  /// Of a part of one of the buffers that have the shape of the output.
  std::vector<Segment> turned(const Output& output, const Segment& part, GpuId destination) const;
  void addMulticast(const Payload& payload);
  tlm::tlm_sync_enum forwardPieces(Payload& payload, sc_core::sc_time& delay);
  bool sendPieces(const sc_core::sc_time& delay);
  void pieceDone(const sc_core::sc_time& delay);

  std::vector<Output> outputs_;
  PayloadPool& pool_;
  const Route& route_;

  Payload* original_ = nullptr;  ///< passed on in pieces, unanswered
  Picoseconds taken_ = 0;        ///< all that have been answered are, from here on
  std::deque<Payload*> pieces_;  ///< of it, not yet taken; the first may be refused
};

}  // namespace t3
