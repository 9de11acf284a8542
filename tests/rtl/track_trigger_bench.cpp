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
  for (std::uint32_t lane = 0; lane < size.lanes; ++lane) model->lane_bytes_i.set(lane * 8, 8, 1);
  model->eval();
}

void TrackTriggerBench::reset() {
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
  releases.clear();
  releaseSeen.clear();
  spills.clear();
  marks.clear();
  dmaSeen_ = releaseShown_ = false;
  dmaHeld_.reset();
  relHeld_.reset();
  memHeld_.reset();
  bHeld_.reset();
  rHeld_.reset();
  clockModel();
  model->rst_ni = 1;
  model->eval();
}

void TrackTriggerBench::tick() {
  if (disturb) disturbInputs();
  driveLanes();
  driveMemory();
  model->dma_ready_i = !dmaReady || dmaReady();
  model->rel_ready_i = !releaseReady || releaseReady();
  if (trace) trace->push_back(outputs());
  checkStable();

  const bool dmaTaken = model->dma_valid_o && model->dma_ready_i;
  const bool relTaken = model->rel_valid_o && model->rel_ready_i;
  const bool memTaken = model->mem_valid_o && model->mem_ready_i;
  const bool answerTaken = model->mem_rvalid_i && model->mem_rready_o;
  const bool ntf = model->ntf_valid_o;
  const bool axi = model->s_axil_awvalid_i || model->s_axil_wvalid_i || model->s_axil_arvalid_i ||
                   (model->s_axil_bvalid_o && model->s_axil_bready_i) ||
                   (model->s_axil_rvalid_o && model->s_axil_rready_i);
  const std::uint32_t valid = model->lane_valid_i;
  const std::uint32_t ready = model->lane_ready_o;

  if (model->dma_valid_o && !dmaSeen_) {
    commandSeen.push_back(cycle);
    dmaSeen_ = true;
  }
  if (dmaTaken) {
    commands.push_back({cycle, model->dma_cmd_o, model->dma_region_o, model->dma_wg_o});
    dmaSeen_ = false;
  }
  if (model->rel_valid_o && !releaseShown_) releaseSeen.push_back(cycle);
  releaseShown_ = model->rel_valid_o && !relTaken;
  if (relTaken) releases.push_back({cycle, model->rel_row_o});
  if (ntf) {
    notifications.push_back({cycle, model->ntf_cmd_o, model->ntf_region_o, model->ntf_wg_o,
                             model->ntf_wf_o, model->ntf_addr_o});
  }
  if (memTaken) takeSpill();
  if (answerTaken && answeringUnasked_) {
    unasked.pop_front();
  } else if (answerTaken) {
    answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(answering_));
  }

  mayStop = !model->busy_o && valid == 0 && !dmaTaken && !relTaken && !memTaken &&
            !model->mem_rvalid_i && !axi;
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
  for (std::uint64_t i = 0; i < limit; ++i) {
    if (lanesEmpty() && answers_.empty() && !model->busy_o && !model->mem_valid_o &&
        !model->dma_valid_o && !model->rel_valid_o) {
      ticks(2);
      if (!model->busy_o && !model->dma_valid_o && !model->rel_valid_o && answers_.empty())
        return true;
    }
    tick();
  }
  return false;
}

void TrackTriggerBench::waitOpen() {
  for (std::uint64_t i = 0; i < 20000 && !(model->lane_ready_o & 1u); ++i) tick();
  ASSERT_TRUE(model->lane_ready_o & 1u);
}

std::uint32_t TrackTriggerBench::write(std::uint32_t address, std::uint32_t data,
                                       std::uint32_t strobe, Order order) {
  std::uint32_t waitAddress = delay() + (order == Order::DataFirst ? 3u : 0u);
  std::uint32_t waitData = delay() + (order == Order::AddressFirst ? 3u : 0u);
  std::uint32_t waitResponse = delay();
  bool addressDone = false;
  bool dataDone = false;
  for (int i = 0; i < 40000; ++i) {
    model->s_axil_awvalid_i = !addressDone && waitAddress == 0;
    model->s_axil_awaddr_i = address;
    model->s_axil_awprot_i = address / 4 % 8;  // ignored
    model->s_axil_wvalid_i = !dataDone && waitData == 0;
    model->s_axil_wdata_i = data;
    model->s_axil_wstrb_i = strobe;
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

TrackTriggerBench::ReadResult TrackTriggerBench::tryRead(std::uint32_t address) {
  std::uint32_t waitAddress = delay();
  std::uint32_t waitData = delay();
  bool addressDone = false;
  for (int i = 0; i < 40000; ++i) {
    model->s_axil_arvalid_i = !addressDone && waitAddress == 0;
    model->s_axil_araddr_i = address;
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

std::uint32_t TrackTriggerBench::read(std::uint32_t address) {
  const ReadResult result = tryRead(address);
  EXPECT_EQ(result.response, kOkay) << "reading " << std::hex << address;
  return result.data;
}

std::uint64_t TrackTriggerBench::read64(std::uint32_t address) {
  const std::uint64_t low = read(address);
  return low | std::uint64_t{read(address + 4)} << 32;
}

void TrackTriggerBench::set(std::uint32_t address, std::uint32_t data) {
  EXPECT_EQ(write(address, data), kOkay) << "writing " << std::hex << address;
}

void TrackTriggerBench::program(std::uint32_t index, const Geometry& geometry) {
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

void TrackTriggerBench::program(std::uint32_t index, const Region& region) {
  const std::uint32_t base = r::region(index);
  set(base + r::kRegWgFirst, region.wgFirst);
  set(base + r::kRegWgLast, region.wgLast);
  set(base + r::kRegPageFirst, static_cast<std::uint32_t>(region.pageFirst));
  set(base + r::kRegPageLast, static_cast<std::uint32_t>(region.pageLast));
  set(base + r::kRegPageHigh,
      static_cast<std::uint32_t>(region.pageFirst >> 32 | (region.pageLast >> 32) << 16));
  set(base + r::kRegCmdBase, region.cmdBase);
  set(base + r::kRegTarget, region.target);
  set(base + r::kRegRelease, region.firstRow ? r::kRegReleaseEnable | *region.firstRow : 0u);
  set(base + r::kRegCtrl, r::kRegCtrlEnable | (region.trigger ? r::kRegCtrlTrigger : 0u) |
                              (region.notify ? r::kRegCtrlNotify : 0u) |
                              (region.park ? r::kRegCtrlPark : 0u) |
                              region.geometry << r::kRegCtrlGeometryShift |
                              region.updatesPerElement << r::kRegCtrlUpdatesShift |
                              region.blockLog2 << r::kRegCtrlBlockLog2Shift);
}

void TrackTriggerBench::enable() { set(r::kCtrl, r::kCtrlEnable); }

void TrackTriggerBench::clockModel() {
  vectors_.write(*model);
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
      {m.lane_bytes_i, size.lanes * 8, {}},
      {m.dma_ready_i, 1, {}},
      {m.rel_ready_i, 1, {}},
      {m.mem_ready_i, 1, {}},
      {m.mem_rvalid_i, 1, {}},
      {m.mem_rid_i, static_cast<std::uint32_t>(std::countr_zero(size.banks)), {}},
      {m.mem_rdata_i, 128, {}},
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
    model->lane_bytes_i.set(lane * 8, 8, update.bytes);
    offering_ |= bit;
  }
  model->lane_valid_i.set(0, size.lanes, offering_);
}

void TrackTriggerBench::takeSpill() {
  const std::uint64_t address = model->mem_addr_o;
  EXPECT_EQ(address % 32, 0u);
  const SpillRequest request{cycle, model->mem_write_o != 0, address, model->mem_id_o};
  if (model->mem_write_o) {
    Record& record = memory[address];
    for (std::size_t word = 0; word < record.size(); ++word)
      record[word] = model->mem_wdata_o.word(word);
    constexpr std::uint32_t kLive = 83;
    const bool live = (record[kLive / 32] >> (kLive % 32) & 1u) != 0;
    (live ? spills : marks).push_back(request);
    return;
  }
  spills.push_back(request);
  for (const Answer& answer : answers_) {
    EXPECT_NE(answer.bank, model->mem_id_o) << "two reads outstanding in one bank";
  }
  const auto found = memory.find(address);
  answers_.push_back({cycle + 1 + (memLatency ? memLatency() : 0), model->mem_id_o,
                      found == memory.end() ? Record{} : found->second});
}

void TrackTriggerBench::driveMemory() {
  model->mem_ready_i = !memReady || memReady();
  model->mem_rvalid_i = 0;
  const auto give = [this](std::uint32_t bank, const Record& data) {
    model->mem_rvalid_i = 1;
    model->mem_rid_i = bank;
    for (std::size_t word = 0; word < data.size(); ++word)
      model->mem_rdata_i.word(word) = data[word];
  };
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].due > cycle) continue;
    answering_ = i;
    answeringUnasked_ = false;
    return give(answers_[i].bank, answers_[i].data);
  }
  answeringUnasked_ = !unasked.empty();
  if (answeringUnasked_) give(unasked.front().first, unasked.front().second);
}

TrackTriggerBench::Word TrackTriggerBench::dmaWord() const {
  return {model->dma_cmd_o, model->dma_region_o, model->dma_wg_o};
}

TrackTriggerBench::Word TrackTriggerBench::memWord() const {
  const AnyPort& data = model->mem_wdata_o;
  return {model->mem_write_o, model->mem_addr_o, model->mem_id_o, data.word(0),
          data.word(1),       data.word(2),      data.word(3)};
}

std::string TrackTriggerBench::outputs() const {
  std::string text;
  const auto put = [&text](const auto&... ports) { (append(text, ports), ...); };
  put(model->lane_ready_o, model->dma_valid_o, model->rel_valid_o, model->rel_row_o,
      model->ntf_valid_o, model->ntf_cmd_o, model->ntf_region_o, model->ntf_wg_o, model->ntf_wf_o,
      model->ntf_addr_o, model->mem_valid_o, model->mem_rready_o, model->s_axil_awready_o,
      model->s_axil_wready_o, model->s_axil_bvalid_o, model->s_axil_bresp_o,
      model->s_axil_arready_o, model->s_axil_rvalid_o, model->s_axil_rdata_o, model->s_axil_rresp_o,
      model->irq_o, model->busy_o);
  for (const std::uint64_t value : dmaWord()) append(text, value);
  for (const std::uint64_t value : memWord()) append(text, value);
  return text;
}

/// A stream that was valid and not taken shows the same word again.
void TrackTriggerBench::checkStable() {
  check(dmaHeld_, model->dma_valid_o, model->dma_ready_i, dmaWord(), "dma");
  check(relHeld_, model->rel_valid_o, model->rel_ready_i, {model->rel_row_o}, "rel");
  check(memHeld_, model->mem_valid_o, model->mem_ready_i, memWord(), "mem");
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
