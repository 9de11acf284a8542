// SPDX-License-Identifier: Apache-2.0
#include "tests/tlm/tracker/tracker_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tlm/tracker/registers.h"
#include "tlm/tracker/tracker.h"

namespace t3::test {
namespace {

namespace r = registers;

constexpr std::uint32_t kInterleave = 256;  // bytes of one channel in a row
constexpr std::uint32_t kLine = 128;

template <class Message>
Message messageOf(const Payload& payload) {
  EXPECT_TRUE(payload.is_write());
  EXPECT_EQ(payload.get_data_length(), sizeof(Message));
  Message message;
  std::memcpy(&message, payload.get_data_ptr(), sizeof message);
  return message;
}

}  // namespace

TrackerBench::TrackerBench(const sc_core::sc_module_name& name, const TrackerConfig& config,
                           const Maker& maker)
    : sc_module(name),
      takenOrder(config.lanes),
      period_(Clock(config.clock_mhz).period()),
      tracker_(maker(config)),
      channels_(std::size_t{config.lanes} * kChannels),
      taps_("taps", config.lanes),
      wakes_("wakes", [this](std::uint32_t index) { pump(index); }) {
  for (std::uint32_t lane = 0; lane < config.lanes; ++lane) {
    taps_[lane].register_nb_transport_bw(this, &TrackerBench::laneResponse, static_cast<int>(lane));
    taps_[lane].bind(tracker_->lanes[lane]);
  }
  registers_.bind(tracker_->registers);
  commands_.service = [this](const Payload& payload) {
    const auto message = messageOf<TriggerMessage>(payload);
    EXPECT_EQ(payload.get_address(), message.command.value);
    commands.push_back({message, now()});
    return dmaBusy();
  };
  tracker_->commands.bind(commands_.target);
  releases_.service = [this](const Payload& payload) {
    const auto message = messageOf<ReleaseMessage>(payload);
    EXPECT_EQ(payload.get_address(), message.row);
    releases.push_back({message.row, now()});
    return releaseBusy();
  };
  tracker_->releases.bind(releases_.target);
  tracker_->onInterrupt([this] {
    interrupts.push_back(now());
    onInterrupt();
  });
}

// ---- channels ---------------------------------------------------------------------------------

void TrackerBench::report(const Report& report) {
  const std::uint32_t index = report.lane * kChannels + report.channel;
  channels_[index].reports.push_back(report);
  wakes_.post(std::max(report.when, now()), index);
}

void TrackerBench::reportTile(const Tiling& tiling, std::uint64_t base, std::uint32_t workgroup,
                              std::uint32_t wavefront, Picoseconds when) {
  const Rectangle area = tiling.wavefrontTile(WorkgroupId{workgroup}, WavefrontId{wavefront});
  const auto lanes = static_cast<std::uint32_t>(taps_.size());
  for (std::uint32_t row = 0; row < area.rows; ++row) {
    std::uint64_t address = base + tiling.offset(area, row);
    const std::uint64_t end = address + std::uint64_t{area.columns} * tiling.elementBytes();
    while (address < end) {
      const std::uint64_t cut = std::min(end, (address / kInterleave + 1) * kInterleave);
      const auto channel = static_cast<std::uint32_t>(address / kInterleave % (lanes * kChannels));
      report({channel / kChannels, channel % kChannels, workgroup, wavefront, address,
              static_cast<std::uint32_t>(cut - address), when});
      address = cut;
    }
  }
}

void TrackerBench::pump(std::uint32_t index) {
  Channel& channel = channels_[index];
  while (channel.waiting == nullptr && !channel.reports.empty() &&
         channel.reports.front().when <= now()) {
    const Report report = channel.reports.front();
    channel.reports.pop_front();
    Payload& payload = pool_.allocate(tlm::TLM_WRITE_COMMAND, report.address, report.bytes, false);
    TrafficExtension& extension = traffic(payload);
    extension.tracked = true;
    extension.workgroup = WorkgroupId{report.workgroup};
    extension.wavefront = WavefrontId{report.wavefront};
    extension.context = index;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = fromPicoseconds(report.ahead);
    if (taps_[report.lane]->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
      taken(index, payload);
    } else {
      channel.waiting = &payload;
    }
  }
}

void TrackerBench::taken(std::uint32_t index, Payload& payload) {
  EXPECT_TRUE(payload.is_response_ok());
  const TrafficExtension& extension = traffic(std::as_const(payload));
  ++reported;
  lastTaken[{extension.workgroup.value, extension.wavefront.value}] = now();
  takenOrder[index / kChannels].push_back(payload.get_address());
  payload.release();
}

tlm::tlm_sync_enum TrackerBench::laneResponse(int /*lane*/, Payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time&) {
  EXPECT_EQ(phase, tlm::BEGIN_RESP);
  const auto index = static_cast<std::uint32_t>(traffic(std::as_const(payload)).context);
  EXPECT_EQ(channels_[index].waiting, &payload);
  channels_[index].waiting = nullptr;
  taken(index, payload);
  wakes_.post(now(), index);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

// ---- software ---------------------------------------------------------------------------------

tlm::tlm_response_status TrackerBench::access(tlm::tlm_command command, std::uint32_t address,
                                              std::uint32_t& value, std::uint8_t strobes,
                                              bool privileged) {
  std::array<unsigned char, 4> enables{};
  for (std::size_t i = 0; i < 4; ++i) enables[i] = (strobes >> i & 1) != 0 ? 0xff : 0;
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  if (strobes != 0xf || nameAllBytes_) {
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(enables.size());
  }
  UnprivilegedAccess unprivileged;
  if (!privileged) payload.set_extension(&unprivileged);
  registers_->b_transport(payload, registerTime_);
  payload.clear_extension(&unprivileged);
  return payload.get_response_status();
}

bool TrackerBench::tryWrite(std::uint32_t address, std::uint32_t value, std::uint8_t strobes,
                            bool privileged) {
  return access(tlm::TLM_WRITE_COMMAND, address, value, strobes, privileged) ==
         tlm::TLM_OK_RESPONSE;
}

std::optional<std::uint32_t> TrackerBench::tryRead(std::uint32_t address) {
  std::uint32_t value = 0;
  if (access(tlm::TLM_READ_COMMAND, address, value, 0xf, true) != tlm::TLM_OK_RESPONSE) {
    return std::nullopt;
  }
  return value;
}

void TrackerBench::write(std::uint32_t address, std::uint32_t value) {
  ASSERT_TRUE(tryWrite(address, value)) << "write of 0x" << std::hex << address;
}

std::uint32_t TrackerBench::read(std::uint32_t address) {
  const auto value = tryRead(address);
  EXPECT_TRUE(value.has_value()) << "read of 0x" << std::hex << address;
  return value.value_or(0);
}

std::uint64_t TrackerBench::read64(std::uint32_t address) {
  const std::uint64_t low = read(address);
  return std::uint64_t{read(address + 4)} << 32 | low;
}

void TrackerBench::clear() {
  write(r::kCtrl, r::kCtrlClear);
  while ((read(r::kCtrl) & r::kCtrlClear) != 0) {
  }
}

void TrackerBench::enable() { write(r::kCtrl, r::kCtrlEnable); }

void TrackerBench::setWindow(std::uint32_t index, std::uint64_t firstAddress,
                             std::uint64_t lastAddress) {
  const std::uint32_t base = r::window(index);
  const std::uint64_t first = firstAddress / 4096, last = lastAddress / 4096;
  write(base + r::kWindowPageFirst, static_cast<std::uint32_t>(first));
  write(base + r::kWindowPageLast, static_cast<std::uint32_t>(last));
  write(base + r::kWindowPageHigh,
        static_cast<std::uint32_t>(first >> 32 | last >> 32 << r::kWindowPageHighLastShift));
}

void TrackerBench::program(std::uint32_t index, const RegionSetup& setup) {
  const std::uint32_t base = r::region(index);
  write(base + r::kRegCtrl,
        (setup.trigger ? r::kRegCtrlTrigger : 0) | (setup.firstRow ? r::kRegCtrlRows : 0) |
            setup.shift << r::kRegCtrlShiftShift | setup.window << r::kRegCtrlWindowShift);
  write(base + r::kRegWgFirst, setup.firstWorkgroup);
  write(base + r::kRegWgLast, setup.lastWorkgroup);
  write(base + r::kRegSlotFirst, setup.firstSlot);
  write(base + r::kRegSlotLast, setup.lastSlot());
  write(base + r::kRegRowFirst, setup.firstRow.value_or(0));
  write(base + r::kRegRowPhase, setup.rowPhase);
  // A tracker without rows takes nothing else.
  write(base + r::kRegRowReciprocal,
        setup.firstRow ? ((1U << 26) + setup.blocksPerRow - 1) / setup.blocksPerRow : 0);
  write(base + r::kRegTarget, setup.target);
}

void TrackerBench::setState(std::uint32_t index, std::uint32_t state) {
  write(r::region(index) + r::kRegState, state);
}

void TrackerBench::fill(std::uint32_t index, std::uint32_t bytes) {
  write(r::kFill, index << r::kFillRegionShift | bytes);
  while ((read(r::kStatus) & r::kStatusFilling) != 0) {
  }
}

void TrackerBench::programRegion(std::uint32_t index, const RegionSetup& setup,
                                 const Tiling& tiling, std::uint32_t contributions) {
  program(index, setup);
  setState(index, kStopped);
  for (std::uint32_t slot = setup.firstSlot; slot <= setup.lastSlot(); ++slot) {
    write(r::slot(slot), static_cast<std::uint32_t>(bytesOf(setup, tiling, slot)) * contributions);
  }
  setState(index, kOn);
}

void TrackerBench::programAll(const Tiling& tiling, std::uint64_t base, std::uint32_t contributions,
                              std::uint32_t shift) {
  setWindow(0, base, base + tiling.outputBytes() - 1);
  programRegion(0, {.lastWorkgroup = tiling.tiles() - 1, .shift = shift}, tiling, contributions);
  enable();
}

void TrackerBench::run() {
  sc_core::sc_start();
  EXPECT_TRUE(tracker_->idle()) << tracker_->waiting();
  for (const Channel& channel : channels_) {
    EXPECT_EQ(channel.waiting, nullptr);
    EXPECT_TRUE(channel.reports.empty());
  }
  EXPECT_EQ(pool_.inUse(), 0U);
}

// ---- scoreboard -------------------------------------------------------------------------------

std::uint64_t bytesOf(const RegionSetup& setup, const Tiling& tiling, std::uint32_t slot) {
  std::uint64_t bytes = 0;
  for (std::uint32_t wg = setup.firstWorkgroup; wg <= setup.lastWorkgroup; ++wg) {
    for (std::uint32_t wf = 0; wf < tiling.wavefronts(); ++wf) {
      if (setup.slotOf(wg, wf) != slot) continue;
      bytes += tiling.bytes(tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf}));
    }
  }
  return bytes;
}

void Scoreboard::arm(const Tiling& tiling, std::uint32_t contributions) {
  for (std::uint32_t slot = setup_.firstSlot; slot <= setup_.lastSlot(); ++slot) {
    arm(slot, static_cast<std::uint32_t>(bytesOf(setup_, tiling, slot)) * contributions);
  }
}

void Scoreboard::add(const Report& report) {
  const std::uint64_t lines =
      (report.address + report.bytes - 1) / kLine - report.address / kLine + 1;
  const std::uint64_t page = report.address / 4096;
  if (report.workgroup < setup_.firstWorkgroup || report.workgroup > setup_.lastWorkgroup ||
      page < firstPage_ || page > lastPage_) {
    untracked += lines;
    return;
  }
  updates += lines;
  Slot& slot = slots_[setup_.slotOf(report.workgroup, report.wavefront)];
  slot.got += report.bytes;
  slot.last = std::max(slot.last, report.when);
}

void expectJust(TrackerBench& bench, const Scoreboard& expected) {
  std::map<std::uint32_t, std::vector<Picoseconds>> said;
  for (const auto& [message, time] : bench.commands) said[message.command.value].push_back(time);
  bool surplus = false;
  std::uint64_t done = 0;
  for (const auto& [number, slot] : expected.slots()) {
    const auto& times = said[number];
    const std::uint32_t value = bench.read(r::slot(number));
    if (slot.got > slot.armed) {
      surplus = true;
      EXPECT_LE(times.size(), 1U) << "slot " << number;
    } else if (slot.got == slot.armed && slot.armed != 0) {
      ++done;
      ASSERT_EQ(times.size(), 1U) << "slot " << number;
      EXPECT_GT(times[0], slot.last) << "slot " << number << " before its last update";
      EXPECT_EQ(value, 0U) << "slot " << number;
    } else {
      EXPECT_EQ(times.size(), 0U) << "slot " << number;
      EXPECT_EQ(value, slot.armed - slot.got) << "slot " << number;
    }
    said.erase(number);
  }
  EXPECT_TRUE(said.empty()) << "a command of no slot";

  const TrackerStatistics statistics = bench.tracker().statistics();
  EXPECT_EQ(statistics.updates, expected.updates);
  EXPECT_EQ(statistics.untracked, expected.untracked);
  EXPECT_EQ(statistics.triggers, bench.commands.size());
  EXPECT_EQ(statistics.completed, bench.commands.size());
  EXPECT_EQ(statistics.taken, bench.commands.size());
  EXPECT_EQ(statistics.overrun + statistics.stray != 0, surplus);
  if (!surplus) {
    EXPECT_EQ(statistics.completed, done);
    EXPECT_EQ(statistics.errors, 0U);
  }
}

}  // namespace t3::test
