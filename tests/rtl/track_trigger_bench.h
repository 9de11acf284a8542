// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/rtl/register_value.h"
#include "tests/rtl/unit_model.h"
#include "tests/support/vectors.h"
#include "tlm/tracker/registers.h"

namespace t3::rtl_test {

/// One update at a lane.
struct Update {
  std::uint32_t wg = 0;
  std::uint32_t wf = 0;
  std::uint64_t address = 0;
  std::uint32_t weight = 0;
};

/// One slot that was done, with the cycle in which it was taken.
struct Done {
  std::uint64_t cycle = 0;
  std::uint32_t slot = 0;
  bool spoiled = false;
  friend bool operator==(const Done&, const Done&) = default;
  friend void PrintTo(const Done& done, std::ostream* out) {
    *out << "slot " << done.slot << (done.spoiled ? ", spoiled," : "") << " taken in cycle "
         << done.cycle;
  }
};

/// One row of blocks, with the cycle in which it was taken.
struct Release {
  std::uint64_t cycle = 0;
  std::uint32_t row = 0;  ///< its slot
  bool spoiled = false;
  friend bool operator==(const Release&, const Release&) = default;
  friend void PrintTo(const Release& release, std::ostream* out) {
    *out << "row slot " << release.row << " taken in cycle " << release.cycle;
  }
};

/// Causes of errors: bits of ERRORS.
enum Cause : std::uint32_t {
  kOverrun,
  kStray,
  kWeight,
  kOutside,
  kRowStray,
  kRowOutside,
  kArmedEarly,
  kRowArmedEarly,
  kInUse,
  kLocked,
  kDamaged,
  kCauses
};

/// Values of REG_STATE.
enum class State : std::uint32_t { Off, On, Stopped };

/// Everything around a t3_track_trigger: lanes fed from queues, neighbours that may refuse, an
/// AXI4-Lite master, and checks of the rules: what a stream shows stays until it is taken, and
/// every access is answered in time. One call of tick() is one clock cycle.
class TrackTriggerBench {
  std::unique_ptr<UnitModel> unit_;

 public:
  explicit TrackTriggerBench(const Unit& unit);
  TrackTriggerBench(const TrackTriggerBench&) = delete;
  TrackTriggerBench& operator=(const TrackTriggerBench&) = delete;

  const UnitSize size;
  UnitModel* const model = unit_.get();

  // What the outside does. Functions are asked once per cycle.
  std::vector<std::deque<Update>> lanes;          ///< updates to offer, in order
  std::function<bool(std::uint32_t lane)> offer;  ///< may the lane start offering its next update?
  bool takesDone = true, takesRows = true;        ///< whether the neighbours take anything
  std::function<bool()> doneReady;                ///< and if so, in this cycle?
  std::function<bool()> releaseReady;
  std::function<std::uint32_t()> axiDelay;  ///< cycles before each channel's valid or ready
  bool skipIdleClocks = false;
  /// Random bits: in every cycle all inputs take some and go back before the clock, and no output
  /// may move.
  std::function<std::uint64_t()> disturb;

  // What happened.
  std::uint64_t cycle = 0;
  std::uint64_t clockedCycles = 0;
  std::vector<Done> done;                  ///< as taken
  std::vector<std::uint64_t> doneSeen;     ///< cycle in which each became valid
  std::vector<Release> releases;           ///< as taken
  std::vector<std::uint64_t> releaseSeen;  ///< cycle in which each became valid
  std::vector<std::uint64_t> lastAccept;   ///< per lane, cycle of its latest accepted update
  std::uint64_t accepted = 0;
  std::uint64_t stalled = 0;                  ///< lane cycles with valid and not ready
  std::uint64_t slowestAnswer = 0;            ///< cycles from an access's last valid to its answer
  std::vector<std::string>* trace = nullptr;  ///< every output, every cycle

  /// Resets the unit, without regard to the clock, and forgets what was under way around it.
  void reset();

  void tick();
  void ticks(std::uint64_t count);

  /// Whether the cycle of the latest tick() needed no clock.
  bool mayStop = false;

  bool lanesEmpty() const;
  /// Ticks until nothing is offered or inside, and nothing waits for its neighbour. False if it
  /// takes too long.
  bool drain(std::uint64_t limit = 100000);
  /// The same with neighbours that refuse: what is shown to them may stand there.
  bool settle(std::uint64_t limit = 100000);
  /// Waits for the walk over the memories after reset or CTRL.clear.
  void waitOpen();
  /// Sets CTRL.clear and waits for its walk.
  void clear();

  std::vector<std::uint32_t> slotsDone() const;     ///< as taken
  std::vector<std::uint32_t> rowsReleased() const;  ///< as taken

  // ---- AXI4-Lite ------------------------------------------------------------------------------
  static constexpr std::uint32_t kOkay = 0;
  static constexpr std::uint32_t kSlvErr = 2;
  /// Promise 10.
  static constexpr std::uint64_t kSlowestAnswer = 16;

  /// Order in which a write's address and data start.
  enum class Order { Together, AddressFirst, DataFirst };

  /// Writes and returns the response.
  /// Not privileged unless `prot`, awprot, says so.
  AccessResponse write(std::uint32_t address, std::uint32_t data, std::uint32_t strobe = 0xf,
                       Order order = Order::Together,
                       std::optional<std::uint32_t> prot = std::nullopt);
  AccessResponse writePrivileged(std::uint32_t address, std::uint32_t data);

  struct ReadResult {
    std::uint32_t data = 0;
    std::uint32_t response = 3;
  };
  ReadResult tryRead(std::uint32_t address);

  // The response must be good.
  RegisterValue<std::uint32_t> read(std::uint32_t address);
  RegisterValue<std::uint64_t> read64(std::uint32_t address);
  void set(std::uint32_t address, std::uint32_t data);

  // ---- programming ----------------------------------------------------------------------------
  struct Window {
    std::uint64_t pageFirst = 0;
    std::uint64_t pageLast = 0xf'ffff'ffff;
  };
  struct Region {
    std::uint32_t window = 0;
    std::uint32_t wgFirst = 0;
    std::uint32_t wgLast = 0;
    std::uint32_t shift = 0;  ///< log2 of the wavefront ids of a block
    std::uint32_t slotFirst = 0;
    std::optional<std::uint32_t> slotLast = std::nullopt;  ///< empty: of the last block
    bool trigger = true;
    std::optional<std::uint32_t> firstRow = std::nullopt;  ///< empty: no rows
    std::uint32_t rowPhase = 0;
    std::uint32_t blocksPerRow = 1;
    std::uint32_t target = 0;
  };

  void program(std::uint32_t index, const Window& window);
  /// Turns the region off and writes its settings.
  void program(std::uint32_t index, const Region& region);
  void setState(std::uint32_t index, State state);
  /// Arms all slots of a region, and waits until that is done.
  void fill(std::uint32_t index, std::uint32_t bytes);
  /// A whole region as docs/tracker.md, "Arm", tells: settings, stopped, FILL, on.
  void start(std::uint32_t index, const Region& region, std::uint32_t bytes);
  void enable();

  /// The slot of the region's last block.
  std::uint32_t lastSlot(const Region& region) const;
  /// Index of the bank that keeps a slot.
  std::uint32_t bankOf(std::uint32_t slot) const;

  // ---- errors ---------------------------------------------------------------------------------
  /// ERRORS and the counts are of this cause alone, and the interrupt is there; count 0: no error.
  void expectErrors(std::uint32_t cause, std::uint32_t count);
  /// ERROR_FIRST and ERROR_INFO.
  void expectFirst(std::uint32_t cause, std::uint32_t region, std::uint32_t info);
  /// Forgets ERRORS, the first error and IRQ_STATUS.error. Counts stay.
  void forgetErrors();

  /// Every output of the unit as text.
  std::string outputs() const;

 private:
  /// What accompanies the valid of a stream.
  using Word = std::array<std::uint64_t, 2>;

  std::uint32_t delay() { return axiDelay ? axiDelay() : 0; }
  std::uint32_t access(std::uint32_t address, std::uint32_t data, std::uint32_t strobe, Order order,
                       std::optional<std::uint32_t> prot);
  void clockModel();
  void disturbInputs();
  void driveLanes();
  void checkStable();
  void check(std::optional<Word>& held, bool valid, bool ready, const Word& word,
             const char* stream) const;
  void checkAnswer(std::uint64_t began, const char* what, std::uint32_t address);

  test::Vectors vectors_;
  std::uint64_t offering_ = 0;
  bool doneShown_ = false;
  bool releaseShown_ = false;
  std::optional<Word> doneHeld_, relHeld_, bHeld_, rHeld_;
};

}  // namespace t3::rtl_test
