// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/track_trigger_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace t3::rtl_test {
namespace {

namespace r = registers;

void append(std::string& text, std::uint64_t value) {
  text += std::to_string(value);
  text += ' ';
}

}  // namespace

TrackTriggerBench::TrackTriggerBench(const Unit& unit)
    : unit_(unit.make()), size(unit.size), lanes(unit.size.lanes), vectors_(model->name()) {
  lastAccept.resize(size.lanes);
  model->clk_i = 0;
  model->rst_ni = 0;
  model->eval();
  for (int i = 0; i < 3; ++i) clockModel();
  model->rst_ni = 1;
  model->eval();
}

void TrackTriggerBench::reset() {
  model->rst_ni = 0;
  model->eval();
  for (auto& lane : lanes) lane.clear();
  offering_ = 0;
  model->lane_valid_i = 0;
  model->s_axil_awvalid_i = model->s_axil_wvalid_i = model->s_axil_arvalid_i = 0;
  model->s_axil_bready_i = model->s_axil_rready_i = 0;
  done.clear();
  doneSeen.clear();
  releases.clear();
  releaseSeen.clear();
  doneShown_ = releaseShown_ = false;
  doneHeld_.reset();
  relHeld_.reset();
  bHeld_.reset();
  rHeld_.reset();
  clockModel();
  model->rst_ni = 1;
  model->eval();
}

void TrackTriggerBench::tick() {
  if (disturb) disturbInputs();
  driveLanes();
  model->done_ready_i = takesDone && (!doneReady || doneReady());
  model->rel_ready_i = takesRows && (!releaseReady || releaseReady());
  if (trace) trace->push_back(outputs());
  checkStable();

  const bool doneTaken = model->done_valid_o && model->done_ready_i;
  const bool relTaken = model->rel_valid_o && model->rel_ready_i;
  const bool axi = model->s_axil_awvalid_i || model->s_axil_wvalid_i || model->s_axil_arvalid_i ||
                   (model->s_axil_bvalid_o && model->s_axil_bready_i) ||
                   (model->s_axil_rvalid_o && model->s_axil_rready_i);
  const std::uint32_t valid = model->lane_valid_i;
  const std::uint32_t ready = model->lane_ready_o;

  if (model->done_valid_o && !doneShown_) doneSeen.push_back(cycle);
  doneShown_ = model->done_valid_o && !doneTaken;
  if (doneTaken) done.push_back({cycle, model->done_slot_o, model->done_spoiled_o != 0});
  if (model->rel_valid_o && !releaseShown_) releaseSeen.push_back(cycle);
  releaseShown_ = model->rel_valid_o && !relTaken;
  if (relTaken) releases.push_back({cycle, model->rel_row_o, model->rel_spoiled_o != 0});

  mayStop = !model->busy_o && valid == 0 && !doneTaken && !relTaken && !axi;
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

void TrackTriggerBench::ticks(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) tick();
}

bool TrackTriggerBench::lanesEmpty() const {
  return std::all_of(lanes.begin(), lanes.end(), [](const auto& lane) { return lane.empty(); });
}

bool TrackTriggerBench::drain(std::uint64_t limit) {
  const auto quiet = [this] {
    return lanesEmpty() && !model->busy_o && !model->done_valid_o && !model->rel_valid_o;
  };
  for (std::uint64_t i = 0; i < limit; ++i) {
    if (quiet()) {
      ticks(2);
      if (quiet()) return true;
    }
    tick();
  }
  return false;
}

bool TrackTriggerBench::settle(std::uint64_t limit) {
  const auto quiet = [this] { return lanesEmpty() && !model->busy_o; };
  for (std::uint64_t i = 0; i < limit; ++i) {
    if (quiet()) {
      ticks(2);
      if (quiet()) return true;
    }
    tick();
  }
  return false;
}

void TrackTriggerBench::waitOpen() {
  for (std::uint64_t i = 0; i < 20000 && !(model->lane_ready_o & 1u); ++i) tick();
  ASSERT_TRUE(model->lane_ready_o & 1u);
  for (int i = 0; i < 20 && (read(r::kCtrl) & r::kCtrlClear) != 0; ++i) tick();
  ASSERT_EQ(read(r::kCtrl) & r::kCtrlClear, 0u) << "lanes are open, and CTRL.clear reads 1";
}

void TrackTriggerBench::clear() {
  set(r::kCtrl, r::kCtrlEnable | r::kCtrlClear);
  waitOpen();
}

std::vector<std::uint32_t> TrackTriggerBench::slotsDone() const {
  std::vector<std::uint32_t> slots;
  for (const Done& one : done) slots.push_back(one.slot);
  return slots;
}

std::vector<std::uint32_t> TrackTriggerBench::rowsReleased() const {
  std::vector<std::uint32_t> rows;
  for (const Release& one : releases) rows.push_back(one.row);
  return rows;
}

AccessResponse TrackTriggerBench::write(std::uint32_t address, std::uint32_t data,
                                        std::uint32_t strobe, Order order,
                                        std::optional<std::uint32_t> prot) {
  return {access(address, data, strobe, order, prot), address, cycle};
}

AccessResponse TrackTriggerBench::writePrivileged(std::uint32_t address, std::uint32_t data) {
  // The uppermost bit says nothing to the unit.
  return write(address, data, 0xf, Order::Together, (address / 4 % 8 & 4u) | 1u);
}

std::uint32_t TrackTriggerBench::access(std::uint32_t address, std::uint32_t data,
                                        std::uint32_t strobe, Order order,
                                        std::optional<std::uint32_t> prot) {
  std::uint32_t waitAddress = delay() + (order == Order::DataFirst ? 3u : 0u);
  std::uint32_t waitData = delay() + (order == Order::AddressFirst ? 3u : 0u);
  std::uint32_t waitResponse = delay();
  bool addressDone = false;
  bool dataDone = false;
  std::optional<std::uint64_t> began;
  bool answered = false;
  for (int i = 0; i < 40000; ++i) {
    model->s_axil_awvalid_i = !addressDone && waitAddress == 0;
    model->s_axil_awaddr_i = address;
    model->s_axil_awprot_i = prot.value_or(address / 4 % 8 & 6u);
    model->s_axil_wvalid_i = !dataDone && waitData == 0;
    model->s_axil_wdata_i = data;
    model->s_axil_wstrb_i = strobe;
    model->s_axil_bready_i = model->s_axil_bvalid_o && waitResponse == 0;
    if (model->s_axil_bvalid_o && waitResponse > 0) --waitResponse;
    const bool takeAddress = model->s_axil_awvalid_i && model->s_axil_awready_o;
    const bool takeData = model->s_axil_wvalid_i && model->s_axil_wready_o;
    const bool takeResponse = model->s_axil_bvalid_o && model->s_axil_bready_i;
    const std::uint32_t response = model->s_axil_bresp_o;
    if (!began && (addressDone || model->s_axil_awvalid_i) && (dataDone || model->s_axil_wvalid_i))
      began = cycle;
    if (model->s_axil_bvalid_o && !(addressDone && dataDone)) {
      ADD_FAILURE() << "write response before address and data";
    } else if (model->s_axil_bvalid_o && !answered) {
      checkAnswer(*began, "writing", address);
      answered = true;
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

TrackTriggerBench::ReadResult TrackTriggerBench::tryRead(std::uint32_t address) {
  std::uint32_t waitAddress = delay();
  std::uint32_t waitData = delay();
  bool addressDone = false;
  std::optional<std::uint64_t> began;
  bool answered = false;
  for (int i = 0; i < 40000; ++i) {
    model->s_axil_arvalid_i = !addressDone && waitAddress == 0;
    model->s_axil_araddr_i = address;
    model->s_axil_arprot_i = address / 4 % 8;  // ignored
    model->s_axil_rready_i = model->s_axil_rvalid_o && waitData == 0;
    if (model->s_axil_rvalid_o && waitData > 0) --waitData;
    const bool takeAddress = model->s_axil_arvalid_i && model->s_axil_arready_o;
    const bool takeData = model->s_axil_rvalid_o && model->s_axil_rready_i;
    const ReadResult result{model->s_axil_rdata_o, model->s_axil_rresp_o};
    if (!began && model->s_axil_arvalid_i) began = cycle;
    if (model->s_axil_rvalid_o && !answered) {
      checkAnswer(began.value_or(cycle), "reading", address);
      answered = true;
    }
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

void TrackTriggerBench::checkAnswer(std::uint64_t began, const char* what, std::uint32_t address) {
  slowestAnswer = std::max(slowestAnswer, cycle - began);
  EXPECT_LE(cycle - began, kSlowestAnswer)
      << what << " " << registerText(address) << ", in cycle " << cycle;
}

RegisterValue<std::uint32_t> TrackTriggerBench::read(std::uint32_t address) {
  const ReadResult result = tryRead(address);
  EXPECT_EQ(AccessResponse(result.response, address, cycle), kOkay) << "of a read";
  return {result.data, address, cycle};
}

RegisterValue<std::uint64_t> TrackTriggerBench::read64(std::uint32_t address) {
  const std::uint64_t low = read(address);
  return {low | std::uint64_t{read(address + 4)} << 32, address, cycle};
}

void TrackTriggerBench::set(std::uint32_t address, std::uint32_t data) {
  EXPECT_EQ(write(address, data), kOkay) << "of a write";
}

void TrackTriggerBench::program(std::uint32_t index, const Window& window) {
  const std::uint32_t base = r::window(index);
  set(base + r::kWindowPageFirst, static_cast<std::uint32_t>(window.pageFirst));
  set(base + r::kWindowPageLast, static_cast<std::uint32_t>(window.pageLast));
  set(base + r::kWindowPageHigh,
      static_cast<std::uint32_t>(window.pageFirst >> 32 | (window.pageLast >> 32)
                                                              << r::kWindowPageHighLastShift));
}

std::uint32_t TrackTriggerBench::lastSlot(const Region& region) const {
  if (region.slotLast) return *region.slotLast;
  const std::uint32_t ids = (region.wgLast - region.wgFirst + 1) << size.wfWidth;
  return region.slotFirst + ((ids - 1) >> region.shift);
}

void TrackTriggerBench::program(std::uint32_t index, const Region& region) {
  const std::uint32_t base = r::region(index);
  setState(index, State::Off);
  set(base + r::kRegCtrl,
      (region.trigger ? r::kRegCtrlTrigger : 0u) | (region.firstRow ? r::kRegCtrlRows : 0u) |
          region.shift << r::kRegCtrlShiftShift | region.window << r::kRegCtrlWindowShift);
  set(base + r::kRegWgFirst, region.wgFirst);
  set(base + r::kRegWgLast, region.wgLast);
  set(base + r::kRegSlotFirst, region.slotFirst);
  set(base + r::kRegSlotLast, lastSlot(region));
  set(base + r::kRegRowFirst, region.firstRow.value_or(0));
  set(base + r::kRegRowPhase, region.rowPhase);
  set(base + r::kRegRowReciprocal, ((1u << 26) + region.blocksPerRow - 1) / region.blocksPerRow);
  set(base + r::kRegTarget, region.target);
  set(base + r::kRegDone, 0);
}

void TrackTriggerBench::setState(std::uint32_t index, State state) {
  set(r::region(index) + r::kRegState, static_cast<std::uint32_t>(state));
}

void TrackTriggerBench::fill(std::uint32_t index, std::uint32_t bytes) {
  set(r::kFill, index << r::kFillRegionShift | bytes);
  for (int i = 0; i < 20000; ++i) {
    if ((read(r::kStatus) & r::kStatusFilling) == 0) return;
  }
  ADD_FAILURE() << "the fill never ends";
}

void TrackTriggerBench::start(std::uint32_t index, const Region& region, std::uint32_t bytes) {
  program(index, region);
  setState(index, State::Stopped);
  fill(index, bytes);
  setState(index, State::On);
}

void TrackTriggerBench::enable() { set(r::kCtrl, r::kCtrlEnable); }

std::uint32_t TrackTriggerBench::bankOf(std::uint32_t slot) const {
  const auto width = static_cast<std::uint32_t>(std::countr_zero(size.banks));
  std::uint32_t bank = 0;
  for (; slot != 0; slot >>= width) bank ^= slot % size.banks;
  return bank;
}

void TrackTriggerBench::expectErrors(std::uint32_t cause, std::uint32_t count) {
  EXPECT_EQ(read(r::kErrors), count == 0 ? 0u : 1u << cause);
  for (std::uint32_t other = 0; other < kCauses; ++other) {
    EXPECT_EQ(read(r::errorCount(other)), other == cause ? std::min(count, 255u) : 0u)
        << "cause " << other;
  }
  EXPECT_EQ(read(r::kIrqStatus) & r::kIrqStatusError, count == 0 ? 0u : r::kIrqStatusError);
}

void TrackTriggerBench::expectFirst(std::uint32_t cause, std::uint32_t region, std::uint32_t info) {
  EXPECT_EQ(read(r::kErrorFirst), r::kErrorFirstValid | cause << r::kErrorFirstCauseShift |
                                      region << r::kErrorFirstRegionShift);
  EXPECT_EQ(read(r::kErrorInfo), info);
}

void TrackTriggerBench::forgetErrors() {
  set(r::kErrors, ~0u);
  set(r::kErrorFirst, r::kErrorFirstValid);
  set(r::kIrqStatus, r::kIrqStatusError);
}

void TrackTriggerBench::clockModel() {
  const UnitPorts& m = *model;
  // In the order of vectors_tb.sv.
  vectors_.line(m.rst_ni, m.lane_valid_i, m.lane_wg_i, m.lane_wf_i, m.lane_addr_i, m.lane_weight_i,
                m.done_ready_i, m.rel_ready_i, m.s_axil_awvalid_i, m.s_axil_awaddr_i,
                m.s_axil_awprot_i, m.s_axil_wvalid_i, m.s_axil_wdata_i, m.s_axil_wstrb_i,
                m.s_axil_bready_i, m.s_axil_arvalid_i, m.s_axil_araddr_i, m.s_axil_arprot_i,
                m.s_axil_rready_i, m.lane_ready_o, m.done_valid_o, m.done_slot_o, m.done_spoiled_o,
                m.rel_valid_o, m.rel_row_o, m.rel_spoiled_o, m.s_axil_awready_o, m.s_axil_wready_o,
                m.s_axil_bvalid_o, m.s_axil_bresp_o, m.s_axil_arready_o, m.s_axil_rvalid_o,
                m.s_axil_rdata_o, m.s_axil_rresp_o, m.irq_o, m.alert_o, m.busy_o);
  unit_->edge();
}

void TrackTriggerBench::disturbInputs() {
  UnitModel& m = *model;
  m.eval();
  const std::string before = outputs();
  struct Input {
    AnyPort port;
    std::uint32_t width;
    std::vector<std::uint8_t> old;
  };
  std::vector<Input> inputs{
      {m.lane_valid_i, size.lanes, {}},
      {m.lane_wg_i, size.lanes * size.wgWidth, {}},
      {m.lane_wf_i, size.lanes * size.wfWidth, {}},
      {m.lane_addr_i, size.lanes * size.addrWidth, {}},
      {m.lane_weight_i, size.lanes * size.weightWidth, {}},
      {m.done_ready_i, 1, {}},
      {m.rel_ready_i, 1, {}},
      {m.s_axil_awvalid_i, 1, {}},
      {m.s_axil_awaddr_i, 16, {}},
      {m.s_axil_awprot_i, 3, {}},
      {m.s_axil_wvalid_i, 1, {}},
      {m.s_axil_wdata_i, 32, {}},
      {m.s_axil_wstrb_i, 4, {}},
      {m.s_axil_bready_i, 1, {}},
      {m.s_axil_arvalid_i, 1, {}},
      {m.s_axil_araddr_i, 16, {}},
      {m.s_axil_arprot_i, 3, {}},
      {m.s_axil_rready_i, 1, {}},
  };
  for (Input& input : inputs) {
    input.old = input.port.image();
    for (std::uint32_t bit = 0; bit < input.width; bit += 32)
      input.port.set(bit, std::min(32u, input.width - bit), disturb());
  }
  m.eval();
  EXPECT_EQ(before, outputs()) << "an output follows an input within cycle " << cycle;
  for (Input& input : inputs) input.port.restore(input.old);
  m.eval();
}

void TrackTriggerBench::driveLanes() {
  for (std::uint32_t lane = 0; lane < size.lanes; ++lane) {
    const std::uint64_t bit = std::uint64_t{1} << lane;
    if ((offering_ & bit) != 0 || lanes[lane].empty() || (offer && !offer(lane))) continue;
    const Update& update = lanes[lane].front();
    model->lane_wg_i.set(lane * size.wgWidth, size.wgWidth, update.wg);
    model->lane_wf_i.set(lane * size.wfWidth, size.wfWidth, update.wf);
    model->lane_addr_i.set(lane * size.addrWidth, size.addrWidth, update.address);
    model->lane_weight_i.set(lane * size.weightWidth, size.weightWidth, update.weight);
    offering_ |= bit;
  }
  model->lane_valid_i.set(0, size.lanes, offering_);
}

std::string TrackTriggerBench::outputs() const {
  std::string text;
  const auto put = [&text](const auto&... ports) { (append(text, ports), ...); };
  put(model->lane_ready_o, model->done_valid_o, model->done_slot_o, model->done_spoiled_o,
      model->rel_valid_o, model->rel_row_o, model->rel_spoiled_o, model->s_axil_awready_o,
      model->s_axil_wready_o, model->s_axil_bvalid_o, model->s_axil_bresp_o,
      model->s_axil_arready_o, model->s_axil_rvalid_o, model->s_axil_rdata_o, model->s_axil_rresp_o,
      model->irq_o, model->alert_o, model->busy_o);
  return text;
}

/// A stream that was valid and not taken shows the same word again.
void TrackTriggerBench::checkStable() {
  check(doneHeld_, model->done_valid_o, model->done_ready_i,
        {model->done_slot_o, model->done_spoiled_o}, "done");
  check(relHeld_, model->rel_valid_o, model->rel_ready_i, {model->rel_row_o, model->rel_spoiled_o},
        "rel");
  check(bHeld_, model->s_axil_bvalid_o, model->s_axil_bready_i, {model->s_axil_bresp_o}, "B");
  check(rHeld_, model->s_axil_rvalid_o, model->s_axil_rready_i,
        {model->s_axil_rdata_o, model->s_axil_rresp_o}, "R");
}

void TrackTriggerBench::check(std::optional<Word>& held, bool valid, bool ready, const Word& word,
                              const char* stream) const {
  if (held) {
    EXPECT_TRUE(valid) << stream << " valid fell in cycle " << cycle;
    if (valid) {
      EXPECT_EQ(*held, word) << stream << " changed in cycle " << cycle;
    }
  }
  held.reset();
  if (valid && !ready) held = word;
}

}  // namespace t3::rtl_test
