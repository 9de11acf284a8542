// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "tlm/gpu/gpu_config.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// A kernel that runs workgroups on the slots of a compute array.
class SlotUser {
 public:
  virtual ~SlotUser() = default;
  /// A workgroup waits for a slot.
  virtual bool wantsSlot() const = 0;
  /// Starts that workgroup in `slot`, which it holds until the user gives it back.
  virtual void begin(std::uint32_t slot) = 0;
  /// The matrix unit for which the workgroup in `slot` waited is now its own.
  virtual void matrixUnitFree(std::uint32_t /*slot*/) {}
};

/// The compute units of a GPU, as kernels that run at once share them: slots, each for one
/// workgroup, and of every unit the matrix unit and the fill path. Slots 0 … units - 1 are the
/// first of each unit, then come the second ones, and so on.
///
/// A free slot goes to the first user, in the order of `add`, that has a workgroup for it.
/// Workgroups are never interrupted. Whole units can be claimed: a claim goes before all users, and
/// gets all of its units or none. The units with the fewest workgroups, of equals the last, are
/// kept free for the first claim until all are. One unit always stays with the users, so their work
/// goes on whatever claims wait for.
class ComputeArray {
 public:
  explicit ComputeArray(const GpuConfig& config);

  /// Users that were added earlier go first. A user must outlive the array's last call of it.
  void add(SlotUser& user) { users_.push_back(&user); }

  std::uint32_t slots() const { return static_cast<std::uint32_t>(holders_.size()); }
  std::uint32_t computeUnitOf(std::uint32_t slot) const {
    return slot % static_cast<std::uint32_t>(matrixUnits_.size());
  }

  /// A user has new workgroups: gives free slots to those who want them.
  void offer();
  void giveBack(std::uint32_t slot);

  /// Of numbers of units, which are free.
  using Claimed = std::function<void(const std::vector<std::uint32_t>& units)>;
  /// Calls `claimed` when `count` units are there, perhaps at once. Requires `count` < units.
  void claim(std::uint32_t count, Claimed claimed);
  void unclaim(const std::vector<std::uint32_t>& units);
  /// That have no units yet.
  std::size_t claimsWaiting() const { return claims_.size(); }

  /// Takes the matrix unit for the workgroup in `slot`, or else puts it into the unit's queue:
  /// false, and `matrixUnitFree` follows.
  bool takeMatrixUnit(std::uint32_t slot);
  /// The workgroup in `slot` that has it is done with it.
  void freeMatrixUnit(std::uint32_t slot);

  /// Until when the fill path of the unit of `slot` is taken.
  Picoseconds& fillPathFree(std::uint32_t slot) { return fillPaths_[computeUnitOf(slot)]; }

 private:
  struct MatrixUnit {
    bool busy = false;
    std::deque<std::uint32_t> queue;  ///< slots that wait for it
  };

  struct Claim {
    std::uint32_t count = 0;
    Claimed claimed;
    std::vector<std::uint32_t> units;  ///< kept free for it
  };

  void give(std::uint32_t slot);
  bool isFree(std::uint32_t unit) const;
  void serveClaims();
  void keepFor(Claim& claim);

  std::vector<SlotUser*> users_;
  std::vector<SlotUser*> holders_;  ///< by slot; null: free
  std::deque<Claim> claims_;        ///< in their order
  std::vector<bool> kept_;          ///< by unit: claimed, or kept free for the first claim
  std::uint32_t claimed_ = 0;       ///< units
  std::vector<MatrixUnit> matrixUnits_;
  std::vector<Picoseconds> fillPaths_;
};

}  // namespace t3
