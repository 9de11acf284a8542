// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "tlm/gpu/egress_ports.h"
#include "tlm/gpu/gemm_blocks.h"
#include "tlm/gpu/gemm_context.h"
#include "tlm/gpu/gemm_launch.h"
#include "tlm/gpu/l2_cache.h"
#include "tlm/gpu/readiness.h"

namespace t3 {

/// Output tiles that leave the L2 for the memory and are not sent yet, row by row.
///
/// Rows are sent in ascending order of address, from the last address sent on; after the highest
/// comes the lowest again. Tiles side by side share DRAM rows, and the DRAM queue alone is too
/// short to find such neighbours (docs/gpu.md, "Write-backs").
class WriteBackQueue {
 public:
  /// For `waiter`: no workgroup waits for the tile.
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  /// One request.
  struct Row {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    WorkgroupId tile;
    std::uint32_t waiter = kNobody;
  };

  /// Makes the row with the lowest address the next one.
  void restart() { lastAddress_ = 0; }
  /// `waiter` is the slot whose store waits until the tile is sent.
  void add(WorkgroupId tile, const GemmBlocks::Place& at, std::uint32_t waiter) {
    tiles_.emplace(at.address, Waiting{tile, at, waiter});
  }
  /// Takes the next row. Only when not empty.
  Row next();

  bool empty() const { return tiles_.empty(); }
  std::size_t size() const { return tiles_.size(); }

 private:
  struct Waiting {
    WorkgroupId tile;
    GemmBlocks::Place rest;  ///< rows that are not sent yet
    std::uint32_t waiter;
  };

  std::map<std::uint64_t, Waiting> tiles_;  ///< by the address of their next row
  std::uint64_t lastAddress_ = 0;           ///< of the row sent last
};

/// The user of a `StorePath`.
class StoreClient {
 public:
  virtual ~StoreClient() = default;
  /// The ports have taken all stores of the tile of `slot`. May come from inside `store`.
  virtual void stored(std::uint32_t slot) = 0;
};

/// Brings the finished tiles of a GEMM to where the output map says.
///
///     math done ─► store path of the CU ─┬─ DmaMap:    updates, in order ─► gate ─┐
///                  (width per cycle)     ├─ Cached, WriteThrough ─► L2            ├─► memory
///                                        │          write-backs, by address ──────┘
///                                        └─ RemoteMap: updates ─────────────────────► egress
///
/// An uncached tile leaves band by band, one for each wavefront, one request for each row. A band
/// leaves when its cycles on the store path are over. A cached tile is written into the L2 as a
/// whole. It is stored when the write-backs that it caused are sent: those of the tiles that it
/// displaced, or its own if it is written through.
///
/// At the memory's port reads go first, because a load that waits stalls a compute unit sooner: a
/// store is sent only when no request waits there. Updates go before write-backs. An update whose
/// bytes are not ready waits, and every local store behind it. Stores that wait are bounded: a slot
/// takes no new workgroup before the ports have taken its stores.
///
/// A remote store is done when the link has taken it, every other one when the memory has performed
/// it.
///
/// In checked mode a tile's values are computed from the operands in memory when its math is done;
/// cached tiles are put into memory at once. Neither takes time (transport_dbg).
class StorePath {
 public:
  StorePath(GemmContext& context, EgressPorts& egress, L2Cache& l2, L2Bandwidth& l2Bandwidth,
            StoreClient& client);

  /// Local updates wait until `rule` says that their bytes are ready.
  void guardUpdates(Readiness& rule);
  void onUpdateWait(std::function<void(bool)> handler) { gate_.onWait(std::move(handler)); }

  void launch();
  /// The math of the tile in `slot` is done.
  void store(std::uint32_t slot, WorkgroupId tile);
  /// Sends what a read displaced in the L2; no store waits for it.
  void writeBackDisplaced() { addDisplaced(WriteBackQueue::kNobody); }
  /// All tiles are stored: sends what is dirty in the L2.
  void flush();
  /// Sends all stores that may go now.
  void pump();

  // Calls that the kernel passes on.
  void bandReady(std::uint32_t slot, WavefrontId wavefront);
  void cachedTileDone(std::uint32_t slot) { taken(slot, 1); }
  void accepted(const Payload& store);
  void completed(const Payload& store, Picoseconds when);

  /// Whether all stores since `launch` are done.
  bool drained() const { return !flushing_ && open_ == 0; }
  /// When the last of the stores so far is performed.
  Picoseconds lastPerformed() const { return lastPerformed_; }
  std::size_t waiting() const { return updates_.size() + writeBacks_.size(); }
  bool updateWaits() const { return gate_.waiting(); }

 private:
  /// The tile of a slot.
  struct Tile {
    WorkgroupId workgroup;
    OutputMap::Entry output;
    std::uint32_t pending = 0;          ///< requests the ports have not taken, sent or not
    std::vector<unsigned char> values;  ///< checked mode
  };
  struct ChunkStores {
    std::uint64_t left = 0;  ///< bytes not yet in memory
    Picoseconds latest = 0;
  };

  Picoseconds cycles(std::uint64_t bytes) const;
  void storeCached(std::uint32_t slot, Picoseconds when);
  void taken(std::uint32_t slot, std::uint32_t requests);
  void computeValues(Tile& tile) const;
  void writeValues(Tile& tile) const;
  std::vector<unsigned char> readRows(std::uint64_t operand, std::uint32_t first,
                                      std::uint32_t rows) const;
  void writeBack(GemmBlocks::Block block, std::uint32_t waiter);
  void addDisplaced(std::uint32_t waiter);
  void sendWriteBack();

  GemmContext& context_;
  EgressPorts& egress_;
  L2Cache& l2_;
  L2Bandwidth& l2Bandwidth_;
  StoreClient& client_;
  UpdateGate gate_;

  std::vector<Tile> tiles_;       ///< by slot
  std::deque<Payload*> updates_;  ///< for the memory
  WriteBackQueue writeBacks_;
  std::vector<ChunkStores> chunks_;
  std::uint64_t open_ = 0;  ///< requests that are not done
  bool flushing_ = false;   ///< the dirty tiles of the L2 are being written back
  Picoseconds lastPerformed_ = 0;
};

}  // namespace t3
