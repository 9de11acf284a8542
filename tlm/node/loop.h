// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "tlm/collectives/gpus_alike.h"
#include "tlm/collectives/route.h"
#include "tlm/gpu/memory_layout.h"
#include "tlm/gpu/tiling.h"
#include "tlm/node/output_plan.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/payload.h"

namespace t3 {

/// Stands for all other GPUs where one GPU is simulated for all: what that one sends on a link
/// comes back at that time as what another one would send to it. Who derives from this says what
/// that is.
///
///     link.out ─► in, out ─► ingress.link
///
/// Sockets: base protocol, no time of its own. Here a write is passed through as the object it is.
class Loop : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Loop> in{"in"};
  tlm_utils::simple_initiator_socket<Loop> out{"out"};

  virtual bool idle() const { return true; }

 protected:
  explicit Loop(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_nb_transport_fw(this, &Loop::forward);
    out.register_nb_transport_bw(this, &Loop::backward);
  }

  virtual tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    return out->nb_transport_fw(payload, phase, delay);
  }
  virtual tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
    return in->nb_transport_bw(payload, phase, delay);
  }
};

/// Of an algorithm alone: a write goes to the chunk that is to GPU 0 what its own is to the GPU for
/// which it was meant. It lies in one chunk, and is counted by the same number or tile.
class AlgorithmLoop : public Loop {
 public:
  /// `alike` outlives the loop.
  AlgorithmLoop(const sc_core::sc_module_name& name, const GpusAlike& alike)
      : Loop(name), alike_(alike) {}

 private:
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_REQ) {
      const std::uint64_t address = payload.get_address();
      payload.set_address(alike_.asOfGpu0(gpuOf(address), localAddress(address)));
    }
    return Loop::forward(payload, phase, delay);
  }

  const GpusAlike& alike_;
};

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
