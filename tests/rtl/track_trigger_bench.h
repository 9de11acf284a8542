// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/rtl/bits.h"
#include "tests/rtl/recording.h"
#include "tests/rtl/simulated.h"
#include "tlm/tracker/registers.h"

namespace t3::rtl_test {

/// One update at a lane.
struct Update {
  std::uint32_t wg = 0;
  std::uint32_t wf = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

/// One DMA command or notification, with the cycle in which it was first seen.
struct Command {
  std::uint64_t cycle = 0;
  std::uint32_t cmd = 0;
  std::uint32_t region = 0;
  std::uint32_t wg = 0;
  std::uint32_t wf = 0;
  std::uint64_t address = 0;
  friend bool operator==(const Command&, const Command&) = default;
};

using Record = std::array<std::uint32_t, 4>;

/// One request the unit made at its spill port.
struct SpillRequest {
  std::uint64_t cycle = 0;
  bool write = false;
  std::uint64_t address = 0;
  std::uint32_t bank = 0;
};

/// Sizes a Verilated t3_track_trigger was built with.
struct UnitSize {
  std::uint32_t lanes = 8;
  std::uint32_t banks = 8;
  std::uint32_t wgWidth = 16;
  std::uint32_t wfWidth = 3;
  std::uint32_t addrWidth = 48;
  std::uint32_t regions = 8;
  std::uint32_t geometries = 2;
  std::uint32_t commands = 4096;
};

/// Everything around a t3_track_trigger: lanes fed from queues, a DMA engine that may refuse, a
/// memory for spill records, an AXI4-Lite master, and checks of every stream's rules in every
/// cycle. One call of tick() is one clock cycle.
template <class Model>
class TrackTriggerBench {
  Simulated<Model> unit_;

 public:
  explicit TrackTriggerBench(UnitSize unit) : size(unit), lanes(unit.lanes) {
    vectors_.emplace(model->modelName());
    lastAccept.resize(unit.lanes);
    model->clk_i = 0;
    model->rst_ni = 0;
    model->eval();
    for (int i = 0; i < 3; ++i) clockModel();
    model->rst_ni = 1;
    model->eval();
    settle();
  }
  TrackTriggerBench(const TrackTriggerBench&) = delete;
  TrackTriggerBench& operator=(const TrackTriggerBench&) = delete;

  const UnitSize size;
  Model* const model = &unit_.model;

  // What the outside does. Functions are asked once per cycle.
  std::vector<std::deque<Update>> lanes;          ///< updates to offer, in order
  std::function<bool(std::uint32_t lane)> offer;  ///< may the lane start offering its next update?
  std::function<bool()> dmaReady;
  std::function<bool()> memReady;
  std::function<std::uint32_t()> memLatency;  ///< cycles until a read's answer
  std::function<std::uint32_t()> axiDelay;    ///< cycles before each channel's valid or ready
  bool skipIdleClocks = false;
  /// Random bits: in every cycle all inputs take some and go back before the clock, and no output
  /// may move.
  std::function<std::uint64_t()> disturb;

  // What happened.
  std::uint64_t cycle = 0;
  std::uint64_t clockedCycles = 0;
  std::vector<Command> commands;           ///< as taken by the DMA engine
  std::vector<std::uint64_t> commandSeen;  ///< cycle in which each became valid
  std::vector<Command> notifications;
  std::vector<SpillRequest> spills;
  std::map<std::uint64_t, Record> memory;
  std::vector<std::uint64_t> lastAccept;  ///< per lane, cycle of its latest accepted update
  std::uint64_t accepted = 0;
  std::uint64_t stalled = 0;                  ///< lane cycles with valid and not ready
  std::vector<std::string>* trace = nullptr;  ///< every output, every cycle

  /// Resets the unit, without regard to the clock, and forgets what was under way around it.
  void reset() {
    model->rst_ni = 0;
    model->eval();
    for (auto& lane : lanes) lane.clear();
    offering_ = 0;
    model->lane_valid_i = 0;
    model->s_axil_awvalid_i = model->s_axil_wvalid_i = model->s_axil_arvalid_i = 0;
    model->mem_rvalid_i = 0;
    answers_.clear();
    memory.clear();
    commands.clear();
    commandSeen.clear();
    notifications.clear();
    spills.clear();
    dmaSeen_ = false;
    dmaHeld_.reset();
    memHeld_.reset();
    bHeld_.reset();
    rHeld_.reset();
    clockModel();
    model->rst_ni = 1;
    model->eval();
  }

  void tick() {
    if (disturb) disturbInputs();
    driveLanes();
    driveMemory();
    model->dma_ready_i = !dmaReady || dmaReady();
    if (trace) trace->push_back(outputs());
    checkStable();

    const bool dmaTaken = model->dma_valid_o && model->dma_ready_i;
    const bool memTaken = model->mem_valid_o && model->mem_ready_i;
    const bool answerTaken = model->mem_rvalid_i && model->mem_rready_o;
    const bool ntf = model->ntf_valid_o;
    const bool axi = model->s_axil_awvalid_i || model->s_axil_wvalid_i || model->s_axil_arvalid_i ||
                     (model->s_axil_bvalid_o && model->s_axil_bready_i) ||
                     (model->s_axil_rvalid_o && model->s_axil_rready_i);
    const std::uint64_t valid = model->lane_valid_i;
    const std::uint64_t ready = model->lane_ready_o;

    if (model->dma_valid_o && !dmaSeen_) {
      commandSeen.push_back(cycle);
      dmaSeen_ = true;
    }
    if (dmaTaken) {
      commands.push_back({cycle, static_cast<std::uint32_t>(model->dma_cmd_o), model->dma_region_o,
                          static_cast<std::uint32_t>(model->dma_wg_o), model->dma_wf_o,
                          model->dma_addr_o});
      dmaSeen_ = false;
    }
    if (ntf) {
      notifications.push_back({cycle, static_cast<std::uint32_t>(model->ntf_cmd_o),
                               model->ntf_region_o, static_cast<std::uint32_t>(model->ntf_wg_o),
                               model->ntf_wf_o, model->ntf_addr_o});
    }
    if (memTaken) takeSpill();
    if (answerTaken) answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(answering_));

    mayStop =
        !model->busy_o && valid == 0 && !dmaTaken && !memTaken && !model->mem_rvalid_i && !axi;
    if (!(skipIdleClocks && mayStop)) {
      clockModel();
      ++clockedCycles;
    }
    for (std::uint32_t lane = 0; lane < size.lanes; ++lane) {
      if ((valid >> lane & 1u) == 0) continue;
      if ((ready >> lane & 1u) != 0) {
        lanes[lane].pop_front();
        offering_ &= ~(std::uint64_t{1} << lane);
        lastAccept[lane] = cycle;
        ++accepted;
      } else {
        ++stalled;
      }
    }
    ++cycle;
  }

  void ticks(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) tick();
  }

  /// Whether the cycle of the latest tick() needed no clock.
  bool mayStop = false;

  bool lanesEmpty() const {
    for (const auto& lane : lanes) {
      if (!lane.empty()) return false;
    }
    return true;
  }

  /// Ticks until nothing is offered, inside or on its way. False if it takes too long.
  bool drain(std::uint64_t limit = 100000) {
    for (std::uint64_t i = 0; i < limit; ++i) {
      if (lanesEmpty() && answers_.empty() && !model->busy_o && !model->mem_valid_o &&
          !(model->dma_valid_o)) {
        ticks(2);
        if (!model->busy_o && !model->dma_valid_o && answers_.empty()) return true;
      }
      tick();
    }
    return false;
  }

  /// Waits for the walk over the memories after reset or CTRL.clear.
  void waitOpen() {
    for (std::uint64_t i = 0; i < 20000 && !(model->lane_ready_o & 1u); ++i) tick();
    ASSERT_TRUE(model->lane_ready_o & 1u);
  }

  // ---- AXI4-Lite ------------------------------------------------------------------------------
  static constexpr std::uint32_t kOkay = 0;
  static constexpr std::uint32_t kSlvErr = 2;

  /// Order in which a write's address and data start.
  enum class Order { Together, AddressFirst, DataFirst };

  /// Writes and returns the response.
  std::uint32_t write(std::uint32_t address, std::uint32_t data, std::uint32_t strobe = 0xf,
                      Order order = Order::Together) {
    std::uint32_t waitAddress = delay() + (order == Order::DataFirst ? 3u : 0u);
    std::uint32_t waitData = delay() + (order == Order::AddressFirst ? 3u : 0u);
    std::uint32_t waitResponse = delay();
    bool addressDone = false;
    bool dataDone = false;
    for (int i = 0; i < 40000; ++i) {
      model->s_axil_awvalid_i = !addressDone && waitAddress == 0;
      model->s_axil_awaddr_i = static_cast<SData>(address);
      model->s_axil_awprot_i = address / 4 % 8;  // ignored
      model->s_axil_wvalid_i = !dataDone && waitData == 0;
      model->s_axil_wdata_i = data;
      model->s_axil_wstrb_i = static_cast<CData>(strobe);
      model->s_axil_bready_i = model->s_axil_bvalid_o && waitResponse == 0;
      if (model->s_axil_bvalid_o && waitResponse > 0) --waitResponse;
      const bool takeAddress = model->s_axil_awvalid_i && model->s_axil_awready_o;
      const bool takeData = model->s_axil_wvalid_i && model->s_axil_wready_o;
      const bool takeResponse = model->s_axil_bvalid_o && model->s_axil_bready_i;
      const std::uint32_t response = model->s_axil_bresp_o;
      if (model->s_axil_bvalid_o && !(addressDone && dataDone)) {
        ADD_FAILURE() << "write response before address and data";
      }
      tick();
      addressDone |= takeAddress;
      dataDone |= takeData;
      if (waitAddress > 0) --waitAddress;
      if (waitData > 0) --waitData;
      if (takeResponse) {
        model->s_axil_bready_i = 0;
        return response;
      }
    }
    ADD_FAILURE() << "no write response";
    return 3;
  }

  struct ReadResult {
    std::uint32_t data = 0;
    std::uint32_t response = 3;
  };

  ReadResult tryRead(std::uint32_t address) {
    std::uint32_t waitAddress = delay();
    std::uint32_t waitData = delay();
    bool addressDone = false;
    for (int i = 0; i < 40000; ++i) {
      model->s_axil_arvalid_i = !addressDone && waitAddress == 0;
      model->s_axil_araddr_i = static_cast<SData>(address);
      model->s_axil_arprot_i = address / 4 % 8;  // ignored
      model->s_axil_rready_i = model->s_axil_rvalid_o && waitData == 0;
      if (model->s_axil_rvalid_o && waitData > 0) --waitData;
      const bool takeAddress = model->s_axil_arvalid_i && model->s_axil_arready_o;
      const bool takeData = model->s_axil_rvalid_o && model->s_axil_rready_i;
      const ReadResult result{model->s_axil_rdata_o, model->s_axil_rresp_o};
      tick();
      addressDone |= takeAddress;
      if (waitAddress > 0) --waitAddress;
      if (takeData) {
        model->s_axil_rready_i = 0;
        return result;
      }
    }
    ADD_FAILURE() << "no read response";
    return {};
  }

  std::uint32_t read(std::uint32_t address) {
    const ReadResult result = tryRead(address);
    EXPECT_EQ(result.response, kOkay) << "reading " << std::hex << address;
    return result.data;
  }
  std::uint64_t read64(std::uint32_t address) {
    const std::uint64_t low = read(address);
    return low | std::uint64_t{read(address + 4)} << 32;
  }
  void set(std::uint32_t address, std::uint32_t data) {
    EXPECT_EQ(write(address, data), kOkay) << "writing " << std::hex << address;
  }

  // ---- programming ----------------------------------------------------------------------------
  struct Geometry {
    std::uint32_t tilesAcross = 1;
    std::uint32_t tilesDown = 1;
    std::uint64_t spillBase = 0x10'0000'0000;
    std::uint32_t epoch = 1;
    std::array<std::array<std::uint32_t, 8>, 4> expected{};  ///< [class][wf]
  };
  struct Region {
    std::uint32_t geometry = 0;
    std::uint32_t wgFirst = 0;
    std::uint32_t wgLast = 0xffff;
    std::uint64_t pageFirst = 0;
    std::uint64_t pageLast = 0xf'ffff'ffff;
    std::uint32_t updatesPerElement = 1;
    std::uint32_t blockLog2 = 0;
    std::uint32_t cmdBase = 0;
    std::uint32_t target = 0;
    bool trigger = true;
    bool notify = false;
    bool park = false;
  };

  void program(std::uint32_t index, const Geometry& geometry) {
    namespace r = registers;
    const std::uint32_t base = r::geometry(index);
    const std::uint64_t reciprocal =
        ((std::uint64_t{1} << 32) + geometry.tilesAcross - 1) / geometry.tilesAcross;
    set(base + r::kGeoTilesAcross, geometry.tilesAcross);
    set(base + r::kGeoTilesDown, geometry.tilesDown);
    set(base + r::kGeoReciprocalLo, static_cast<std::uint32_t>(reciprocal));
    set(base + r::kGeoReciprocalHi, static_cast<std::uint32_t>(reciprocal >> 32));
    set(base + r::kGeoSpillBaseLo, static_cast<std::uint32_t>(geometry.spillBase));
    set(base + r::kGeoSpillBaseHi, static_cast<std::uint32_t>(geometry.spillBase >> 32));
    set(base + r::kGeoEpoch, geometry.epoch);
    for (std::uint32_t c = 0; c < 4; ++c) {
      for (std::uint32_t wf = 0; wf < 1u << size.wfWidth; ++wf) {
        set(base + r::expected(c, wf), geometry.expected[c][wf]);
      }
    }
  }

  void program(std::uint32_t index, const Region& region) {
    namespace r = registers;
    const std::uint32_t base = r::region(index);
    set(base + r::kRegWgFirst, region.wgFirst);
    set(base + r::kRegWgLast, region.wgLast);
    set(base + r::kRegPageFirst, static_cast<std::uint32_t>(region.pageFirst));
    set(base + r::kRegPageLast, static_cast<std::uint32_t>(region.pageLast));
    set(base + r::kRegPageHigh,
        static_cast<std::uint32_t>(region.pageFirst >> 32 | (region.pageLast >> 32) << 16));
    set(base + r::kRegCmdBase, region.cmdBase);
    set(base + r::kRegTarget, region.target);
    set(base + r::kRegCtrl, r::kRegCtrlEnable | (region.trigger ? r::kRegCtrlTrigger : 0u) |
                                (region.notify ? r::kRegCtrlNotify : 0u) |
                                (region.park ? r::kRegCtrlPark : 0u) |
                                region.geometry << r::kRegCtrlGeometryShift |
                                region.updatesPerElement << r::kRegCtrlUpdatesShift |
                                region.blockLog2 << r::kRegCtrlBlockLog2Shift);
  }

  void enable() { set(registers::kCtrl, registers::kCtrlEnable); }

  /// Index of the bank that keeps a wavefront tile.
  std::uint32_t bankOf(std::uint32_t wg, std::uint32_t wf) const { return (wg ^ wf) % size.banks; }

 private:
  struct Answer {
    std::uint64_t due = 0;
    std::uint32_t bank = 0;
    Record data{};
  };

  std::uint32_t delay() { return axiDelay ? axiDelay() : 0; }

  void settle() {
    for (std::uint32_t lane = 0; lane < size.lanes; ++lane)
      setBits(model->lane_bytes_i, lane * 8, 8, 1);
    model->eval();
  }

  void clockModel() {
    vectors_->write(*model);
    unit_.edge();
  }

  void disturbInputs() {
    Model& m = *model;
    m.eval();
    const std::string before = outputs();
    std::vector<std::function<void()>> restore;
    const auto change = [&](auto& port, std::uint32_t width) {
      restore.push_back([&port, old = port] { port = old; });
      for (std::uint32_t bit = 0; bit < width; bit += 32)
        setBits(port, bit, std::min(32u, width - bit), disturb());
    };
    change(m.lane_valid_i, size.lanes);
    change(m.lane_wg_i, size.lanes * size.wgWidth);
    change(m.lane_wf_i, size.lanes * size.wfWidth);
    change(m.lane_addr_i, size.lanes * size.addrWidth);
    change(m.lane_bytes_i, size.lanes * 8);
    change(m.dma_ready_i, 1);
    change(m.mem_ready_i, 1);
    change(m.mem_rvalid_i, 1);
    change(m.mem_rid_i, static_cast<std::uint32_t>(std::countr_zero(size.banks)));
    change(m.mem_rdata_i, 128);
    change(m.s_axil_awvalid_i, 1);
    change(m.s_axil_awaddr_i, 16);
    change(m.s_axil_awprot_i, 3);
    change(m.s_axil_wvalid_i, 1);
    change(m.s_axil_wdata_i, 32);
    change(m.s_axil_wstrb_i, 4);
    change(m.s_axil_bready_i, 1);
    change(m.s_axil_arvalid_i, 1);
    change(m.s_axil_araddr_i, 16);
    change(m.s_axil_arprot_i, 3);
    change(m.s_axil_rready_i, 1);
    m.eval();
    EXPECT_EQ(before, outputs()) << "an output follows an input within cycle " << cycle;
    for (const auto& input : restore) input();
    m.eval();
  }

  void driveLanes() {
    for (std::uint32_t lane = 0; lane < size.lanes; ++lane) {
      const std::uint64_t bit = std::uint64_t{1} << lane;
      if ((offering_ & bit) != 0 || lanes[lane].empty() || (offer && !offer(lane))) continue;
      const Update& update = lanes[lane].front();
      setBits(model->lane_wg_i, lane * size.wgWidth, size.wgWidth, update.wg);
      setBits(model->lane_wf_i, lane * size.wfWidth, size.wfWidth, update.wf);
      setBits(model->lane_addr_i, lane * size.addrWidth, size.addrWidth, update.address);
      setBits(model->lane_bytes_i, lane * 8, 8, update.bytes);
      offering_ |= bit;
    }
    setBits(model->lane_valid_i, 0, size.lanes, offering_);
  }

  void takeSpill() {
    const std::uint64_t address = model->mem_addr_o;
    EXPECT_EQ(address % 32, 0u);
    spills.push_back({cycle, model->mem_write_o != 0, address, model->mem_id_o});
    if (model->mem_write_o) {
      for (std::uint32_t word = 0; word < 4; ++word)
        memory[address][word] = model->mem_wdata_o[word];
      return;
    }
    for (const Answer& answer : answers_) {
      EXPECT_NE(answer.bank, model->mem_id_o) << "two reads outstanding in one bank";
    }
    const auto found = memory.find(address);
    answers_.push_back({cycle + 1 + (memLatency ? memLatency() : 0), model->mem_id_o,
                        found == memory.end() ? Record{} : found->second});
  }

  void driveMemory() {
    model->mem_ready_i = !memReady || memReady();
    model->mem_rvalid_i = 0;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      if (answers_[i].due > cycle) continue;
      answering_ = i;
      model->mem_rvalid_i = 1;
      model->mem_rid_i = static_cast<CData>(answers_[i].bank);
      for (std::uint32_t word = 0; word < 4; ++word)
        model->mem_rdata_i[word] = answers_[i].data[word];
      return;
    }
  }

  std::string dmaOutputs() const {
    return join(model->dma_cmd_o, model->dma_region_o, model->dma_wg_o, model->dma_wf_o,
                model->dma_addr_o);
  }
  std::string memOutputs() const {
    return join(model->mem_write_o, model->mem_addr_o, model->mem_id_o, model->mem_wdata_o[0],
                model->mem_wdata_o[1], model->mem_wdata_o[2], model->mem_wdata_o[3]);
  }

 public:
  /// Every output of the unit as text.
  std::string outputs() const {
    return join(model->lane_ready_o, model->dma_valid_o) + dmaOutputs() +
           join(model->ntf_valid_o, model->ntf_cmd_o, model->ntf_region_o, model->ntf_wg_o,
                model->ntf_wf_o, model->ntf_addr_o, model->mem_valid_o, model->mem_rready_o) +
           memOutputs() +
           join(model->s_axil_awready_o, model->s_axil_wready_o, model->s_axil_bvalid_o,
                model->s_axil_bresp_o, model->s_axil_arready_o, model->s_axil_rvalid_o,
                model->s_axil_rdata_o, model->s_axil_rresp_o, model->irq_o, model->busy_o);
  }

 private:
  template <class... Values>
  static std::string join(const Values&... values) {
    std::string text;
    ((text += std::to_string(static_cast<std::uint64_t>(values)) + ' '), ...);
    return text;
  }

  /// A stream that was valid and not taken shows the same word again.
  void checkStable() {
    check(dmaHeld_, model->dma_valid_o, model->dma_ready_i, &TrackTriggerBench::dmaOutputs, "dma");
    check(memHeld_, model->mem_valid_o, model->mem_ready_i, &TrackTriggerBench::memOutputs, "mem");
    check(bHeld_, model->s_axil_bvalid_o, model->s_axil_bready_i, &TrackTriggerBench::bOutputs,
          "B");
    check(rHeld_, model->s_axil_rvalid_o, model->s_axil_rready_i, &TrackTriggerBench::rOutputs,
          "R");
  }
  std::string bOutputs() const { return join(model->s_axil_bresp_o); }
  std::string rOutputs() const { return join(model->s_axil_rdata_o, model->s_axil_rresp_o); }

  void check(std::optional<std::string>& held, bool valid, bool ready,
             std::string (TrackTriggerBench::*payload)() const, const char* stream) {
    if (held) {
      EXPECT_TRUE(valid) << stream << " valid fell in cycle " << cycle;
      if (valid) {
        EXPECT_EQ(*held, (this->*payload)()) << stream << " changed in cycle " << cycle;
      }
    }
    held.reset();
    if (valid && !ready) held = (this->*payload)();
  }

  std::optional<VectorWriter> vectors_;
  std::uint64_t offering_ = 0;
  std::vector<Answer> answers_;
  std::size_t answering_ = 0;
  bool dmaSeen_ = false;
  std::optional<std::string> dmaHeld_, memHeld_, bHeld_, rHeld_;
};

}  // namespace t3::rtl_test
