// SPDX-License-Identifier: Apache-2.0
#include "tests/tlm/tracker/tracker_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tlm/tracker/registers.h"

namespace t3::test {
namespace {

namespace r = registers;

constexpr std::uint32_t kInterleave = 256;  // bytes of one channel in a row
constexpr std::uint32_t kLine = 128;

}  // namespace

TrackerBench::TrackerBench(const sc_core::sc_module_name& name, const TrackerConfig& config,
                           const Maker& maker)
    : sc_module(name),
      takenOrder(config.lanes),
      period_(Clock(config.clock_mhz).period()),
      tracker_(maker(config)),
      channels_(std::size_t{config.lanes} * kChannels),
      taps_("taps", config.lanes),
      wakes_("wakes", [this](std::uint32_t index) { pump(index); }),
      commandsDone_("commandsDone",
                    [this](Payload* payload) {
                      tlm::tlm_phase phase = tlm::BEGIN_RESP;
                      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
                      commandSocket_->nb_transport_bw(*payload, phase, delay);
                    }),
      releasesDone_("releasesDone",
                    [this](Payload* payload) {
                      tlm::tlm_phase phase = tlm::BEGIN_RESP;
                      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
                      releaseSocket_->nb_transport_bw(*payload, phase, delay);
                    }),
      recordsTaken_("recordsTaken",
                    [this](Payload* payload) {
                      tlm::tlm_phase phase = tlm::END_REQ;
                      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
                      recordSocket_->nb_transport_bw(*payload, phase, delay);
                      takeRecord(*payload);
                    }),
      recordsDone_("recordsDone", [this](Payload* payload) {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        recordSocket_->nb_transport_bw(*payload, phase, delay);
        payload->release();
      }) {
  for (std::uint32_t lane = 0; lane < config.lanes; ++lane) {
    taps_[lane].register_nb_transport_bw(this, &TrackerBench::laneResponse, static_cast<int>(lane));
    taps_[lane].bind(tracker_->lanes[lane]);
  }
  registers_.bind(tracker_->registers);
  commandSocket_.register_nb_transport_fw(this, &TrackerBench::command);
  tracker_->commands.bind(commandSocket_);
  notificationSocket_.register_nb_transport_fw(this, &TrackerBench::notification);
  tracker_->notifications.bind(notificationSocket_);
  releaseSocket_.register_nb_transport_fw(this, &TrackerBench::release);
  tracker_->releases.bind(releaseSocket_);
  recordSocket_.register_nb_transport_fw(this, &TrackerBench::recordRequest);
  tracker_->spill.bind(recordSocket_);
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
                                              std::uint32_t& value, std::uint8_t strobes) {
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
  registers_->b_transport(payload, registerTime_);
  return payload.get_response_status();
}

bool TrackerBench::tryWrite(std::uint32_t address, std::uint32_t value, std::uint8_t strobes) {
  return access(tlm::TLM_WRITE_COMMAND, address, value, strobes) == tlm::TLM_OK_RESPONSE;
}

std::optional<std::uint32_t> TrackerBench::tryRead(std::uint32_t address) {
  std::uint32_t value = 0;
  if (access(tlm::TLM_READ_COMMAND, address, value, 0xf) != tlm::TLM_OK_RESPONSE) {
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

void TrackerBench::programGeometry(std::uint32_t index, const Tiling& tiling, std::uint32_t epoch,
                                   std::uint64_t spillBase) {
  const std::uint32_t base = r::geometry(index);
  const std::uint64_t across = tiling.tilesAcross();
  const std::uint64_t reciprocal = ((std::uint64_t{1} << 32) + across - 1) / across;
  write(base + r::kGeoTilesAcross, tiling.tilesAcross());
  write(base + r::kGeoTilesDown, tiling.tilesDown());
  write(base + r::kGeoReciprocalLo, static_cast<std::uint32_t>(reciprocal));
  write(base + r::kGeoReciprocalHi, static_cast<std::uint32_t>(reciprocal >> 32));
  write(base + r::kGeoSpillBaseLo, static_cast<std::uint32_t>(spillBase));
  write(base + r::kGeoSpillBaseHi, static_cast<std::uint32_t>(spillBase >> 32));
  write(base + r::kGeoEpoch, epoch);
  // Every tile of the grid writes its class: the last one of a class wins, all are alike.
  for (std::uint32_t wg :
       {0U, tiling.tilesAcross() - 1, tiling.tiles() - tiling.tilesAcross(), tiling.tiles() - 1}) {
    const bool lastRow = wg / tiling.tilesAcross() == tiling.tilesDown() - 1;
    const bool lastColumn = wg % tiling.tilesAcross() == tiling.tilesAcross() - 1;
    for (std::uint32_t wf = 0; wf < tiling.wavefronts(); ++wf) {
      const auto bytes = tiling.bytes(tiling.wavefrontTile(WorkgroupId{wg}, WavefrontId{wf}));
      write(base + r::expected((lastRow ? 2U : 0U) + (lastColumn ? 1U : 0U), wf),
            static_cast<std::uint32_t>(bytes));
    }
  }
}

void TrackerBench::programRegion(std::uint32_t index, const RegionSetup& setup,
                                 const Tiling& tiling) {
  std::map<std::uint32_t, std::uint32_t> missing;
  for (std::uint32_t wg = setup.firstWorkgroup; wg <= setup.lastWorkgroup; ++wg) {
    missing[setup.firstCommand + ((wg - setup.firstWorkgroup) >> setup.blockLog2)] +=
        tiling.liveWavefronts(WorkgroupId{wg});
  }
  for (const auto& [command, count] : missing) write(r::command(command), count);

  const std::uint32_t base = r::region(index);
  const std::uint64_t first = setup.firstAddress / 4096, last = setup.lastAddress / 4096;
  write(base + r::kRegWgFirst, setup.firstWorkgroup);
  write(base + r::kRegWgLast, setup.lastWorkgroup);
  write(base + r::kRegPageFirst, static_cast<std::uint32_t>(first));
  write(base + r::kRegPageLast, static_cast<std::uint32_t>(last));
  write(base + r::kRegPageHigh,
        static_cast<std::uint32_t>(first >> 32 | last >> 32 << r::kRegPageHighLastShift));
  write(base + r::kRegCmdBase, setup.firstCommand);
  write(base + r::kRegTarget, setup.target);
  write(base + r::kRegRelease, setup.firstRow ? r::kRegReleaseEnable | *setup.firstRow : 0);
  write(base + r::kRegCtrl,
        r::kRegCtrlEnable | (setup.trigger ? r::kRegCtrlTrigger : 0) |
            (setup.notify ? r::kRegCtrlNotify : 0) | (setup.park ? r::kRegCtrlPark : 0) |
            setup.geometry << r::kRegCtrlGeometryShift | setup.updates << r::kRegCtrlUpdatesShift |
            setup.blockLog2 << r::kRegCtrlBlockLog2Shift);
}

void TrackerBench::programAll(const Tiling& tiling, std::uint64_t base, std::uint32_t updates,
                              std::uint32_t blockLog2, bool notify) {
  programGeometry(0, tiling);
  programRegion(0,
                {.lastWorkgroup = tiling.tiles() - 1,
                 .firstAddress = base,
                 .lastAddress = base + tiling.outputBytes() - 1,
                 .updates = updates,
                 .notify = notify,
                 .blockLog2 = blockLog2},
                tiling);
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

// ---- DMA engine, notifications, record memory --------------------------------------------------

tlm::tlm_sync_enum TrackerBench::command(Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time&) {
  EXPECT_EQ(phase, tlm::BEGIN_REQ);
  EXPECT_TRUE(payload.is_write());
  TriggerMessage message;
  EXPECT_EQ(payload.get_data_length(), sizeof message);
  std::memcpy(&message, payload.get_data_ptr(), sizeof message);
  EXPECT_EQ(payload.get_address(), message.command.value);
  EXPECT_TRUE(commandsDone_.empty()) << "a command came while the engine was busy";
  commands.push_back({message, now()});
  const Picoseconds busy = dmaBusy();
  if (busy == 0) return tlm::TLM_COMPLETED;
  commandsDone_.post(now() + busy, &payload);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum TrackerBench::notification(Payload& payload, tlm::tlm_phase&,
                                              sc_core::sc_time&) {
  TriggerMessage message;
  std::memcpy(&message, payload.get_data_ptr(), sizeof message);
  notifications.push_back({message, now()});
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum TrackerBench::release(Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time&) {
  EXPECT_EQ(phase, tlm::BEGIN_REQ);
  EXPECT_TRUE(payload.is_write());
  ReleaseMessage message;
  EXPECT_EQ(payload.get_data_length(), sizeof message);
  std::memcpy(&message, payload.get_data_ptr(), sizeof message);
  EXPECT_EQ(payload.get_address(), message.row);
  EXPECT_TRUE(releasesDone_.empty()) << "a row came while its target was busy";
  releases.push_back({message.row, now()});
  const Picoseconds busy = releaseBusy();
  if (busy == 0) return tlm::TLM_COMPLETED;
  releasesDone_.post(now() + busy, &payload);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum TrackerBench::recordRequest(Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time&) {
  EXPECT_EQ(phase, tlm::BEGIN_REQ);
  EXPECT_EQ(payload.get_data_length(), 32U);
  EXPECT_EQ(payload.get_address() % 32, 0U);
  EXPECT_EQ(traffic(std::as_const(payload)).stream, Stream::Tracker);
  EXPECT_NE(payload.get_data_ptr(), nullptr);
  payload.acquire();
  const Picoseconds stall = recordStall();
  if (stall != 0) {
    recordsTaken_.post(now() + stall, &payload);
    return tlm::TLM_ACCEPTED;
  }
  takeRecord(payload);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

/// Requests act in the order in which they come; answers may overtake one another.
void TrackerBench::takeRecord(Payload& payload) {
  auto& record = records_[payload.get_address()];
  if (payload.is_write()) {
    std::memcpy(record.data(), payload.get_data_ptr(), record.size());
    constexpr std::uint32_t kLive = 83;
    ++((record[kLive / 8] >> (kLive % 8) & 1) != 0 ? recordWrites : recordMarks);
  } else {
    std::memcpy(payload.get_data_ptr(), record.data(), record.size());
    ++recordReads;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  recordsDone_.post(now() + recordLatency(), &payload);
}

// ---- scoreboard -------------------------------------------------------------------------------

Scoreboard::Scoreboard(const Tiling& tiling, const RegionSetup& setup)
    : tiling_(tiling), setup_(setup) {
  for (std::uint32_t wg = setup.firstWorkgroup; wg <= setup.lastWorkgroup; ++wg) {
    missing_[setup.firstCommand + ((wg - setup.firstWorkgroup) >> setup.blockLog2)] +=
        tiling.liveWavefronts(WorkgroupId{wg});
  }
}

void Scoreboard::add(const Report& report) {
  const std::uint64_t lines =
      (report.address + report.bytes - 1) / kLine - report.address / kLine + 1;
  if (report.workgroup < setup_.firstWorkgroup || report.workgroup > setup_.lastWorkgroup ||
      report.address / 4096 < setup_.firstAddress / 4096 ||
      report.address / 4096 > setup_.lastAddress / 4096) {
    untracked += lines;
    return;
  }
  updates += lines;
  const std::uint64_t expected =
      tiling_.bytes(
          tiling_.wavefrontTile(WorkgroupId{report.workgroup}, WavefrontId{report.wavefront})) *
      setup_.updates;
  std::uint64_t& bytes = bytes_[{report.workgroup, report.wavefront}];
  bytes += report.bytes;
  if (bytes < expected) return;
  ASSERT_EQ(bytes, expected) << "the scoreboard is for tiles that get what they expect";
  ++completed;
  --missing_[setup_.firstCommand +
             ((report.workgroup - setup_.firstWorkgroup) >> setup_.blockLog2)];
}

std::vector<std::uint32_t> Scoreboard::commands() const {
  std::vector<std::uint32_t> result;
  for (const auto& [command, missing] : missing_) {
    if (missing == 0) result.push_back(command);
  }
  return result;
}

std::pair<std::uint32_t, std::uint32_t> Scoreboard::tilesOf(std::uint32_t command) const {
  const std::uint32_t first =
      setup_.firstWorkgroup + ((command - setup_.firstCommand) << setup_.blockLog2);
  return {first, std::min(first + (1U << setup_.blockLog2) - 1, setup_.lastWorkgroup)};
}

void expectConserved(TrackerBench& bench, const Scoreboard& expected) {
  std::vector<std::uint32_t> issued;
  for (const TrackerBench::Said& said : bench.commands) {
    issued.push_back(said.message.command.value);
    const auto [first, last] = expected.tilesOf(said.message.command.value);
    EXPECT_EQ(said.message.workgroup.value, first);
    for (auto tile = bench.lastTaken.lower_bound({first, 0});
         tile != bench.lastTaken.end() && tile->first.first <= last; ++tile) {
      EXPECT_GT(said.time, tile->second)
          << "command " << said.message.command.value << " before the last update of workgroup "
          << tile->first.first << " wavefront " << tile->first.second;
    }
  }
  std::sort(issued.begin(), issued.end());
  EXPECT_EQ(issued, expected.commands());

  const TrackerStatistics statistics = bench.tracker().statistics();
  EXPECT_EQ(statistics.updates, expected.updates);
  EXPECT_EQ(statistics.untracked, expected.untracked);
  EXPECT_EQ(statistics.completed, expected.completed);
  EXPECT_EQ(statistics.triggers, issued.size());
  EXPECT_EQ(statistics.overrun, 0U);
  EXPECT_EQ(statistics.stray, 0U);
  EXPECT_EQ(statistics.evictions, bench.recordWrites);
  EXPECT_EQ(statistics.fills, bench.recordReads);
  EXPECT_LE(bench.recordMarks, bench.recordReads);
  EXPECT_EQ(statistics.spill_bytes,
            32 * (bench.recordWrites + bench.recordMarks + bench.recordReads));
}

}  // namespace t3::test
