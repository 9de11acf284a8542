// SPDX-License-Identifier: Apache-2.0
#include "tlm/gpu/norm_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tlm/gpu/elements.h"

namespace t3 {
namespace {

/// Keeps the norm of a row of zeros finite; the usual value (assumption).
constexpr float kEpsilon = 1e-5F;

template <typename Format>
std::vector<std::uint16_t> normRowOf(const std::vector<std::uint16_t>& sum,
                                     std::vector<std::uint16_t>& residual) {
  float squares = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    residual[i] = Format::encode(Format::decode(residual[i]) + Format::decode(sum[i]));
    const float value = Format::decode(residual[i]);
    squares += value * value;
  }
  const float scale = 1 / std::sqrt(squares / static_cast<float>(sum.size()) + kEpsilon);
  std::vector<std::uint16_t> normed;
  for (const std::uint16_t value : residual) {
    normed.push_back(Format::encode(Format::decode(value) * scale));
  }
  return normed;
}

}  // namespace

std::vector<std::uint16_t> normRow(DataType type, const std::vector<std::uint16_t>& sum,
                                   std::vector<std::uint16_t>& residual) {
  return type == DataType::Fp16 ? normRowOf<Fp16Format>(sum, residual)
                                : normRowOf<Bf16Format>(sum, residual);
}

NormKernel::NormKernel(const sc_core::sc_module_name& name, const GpuConfig& config,
                       const Tiling& tiling, const MemoryLayout& layout,
                       const RequestMaker& requests, ComputeArray& array)
    : sc_module(name),
      memory("memory", *this),
      config_(config),
      tiling_(tiling),
      layout_(layout),
      requests_(requests),
      clock_(config.clock_mhz),
      array_(array),
      slots_(array.slots()),
      arrivals_("arrivals", [this](const Arrival& arrival) { arrived(arrival); }),
      passed_("passed", [this](const At& at) { store(at); }),
      ends_("ends", [this](bool) {
        running_ = false;
        announce({.kind = EventKind::KernelEnd});
        if (launch_.done) launch_.done(now());
      }) {
  array.add(*this);
}

void NormKernel::launch(NormLaunch launch) {
  if (running_) {
    SC_REPORT_ERROR("t3/norm", "launch while the kernel is running");
    return;
  }
  launch_ = std::move(launch);
  running_ = true;
  begun_ = false;
  lastPerformed_ = now();
  rowsLeft_ = 0;
  for (const std::uint32_t tileRow : launch_.tileRows) {
    rowsLeft_ += tiling_.tile(WorkgroupId{tileRow * tiling_.tilesAcross()}).rows;
  }
  announce({.kind = EventKind::KernelBegin});
  rowsHeld_ = launch_.rowByRow ? static_cast<std::uint32_t>(launch_.tileRows.size()) : 0;
  if (launch_.tileRows.empty()) return endIfDone();
  if (launch_.rowByRow) {
    for (const std::uint32_t tileRow : std::exchange(early_, {})) release(tileRow);
    return;
  }
  for (const std::uint32_t tileRow : launch_.tileRows) add(tileRow);
  array_.offer();
}

void NormKernel::release(std::uint32_t tileRow) {
  if (!running_) return early_.push_back(tileRow);
  --rowsHeld_;
  add(tileRow);
  array_.offer();
}

void NormKernel::add(std::uint32_t tileRow) {
  const Rectangle tile = tiling_.tile(WorkgroupId{tileRow * tiling_.tilesAcross()});
  const std::uint32_t most = config_.norm.rows_per_workgroup;
  for (std::uint32_t row = 0; row < tile.rows; row += most) {
    waiting_.push_back({tile.row + row, std::min(most, tile.rows - row)});
  }
}

void NormKernel::begin(std::uint32_t index) {
  if (!std::exchange(begun_, true) && launch_.firstBegins) launch_.firstBegins();
  const Rows rows = waiting_.front();
  waiting_.pop_front();
  Slot& slot = slots_[index];
  slot = Slot{};
  slot.rows = rows;
  slot.rowsLeft = rows.count;
  slot.loadedOf.assign(rows.count, 0);
  read(index);
}

Payload& NormKernel::request(tlm::tlm_command command, std::uint64_t address, std::uint32_t bytes,
                             At at) {
  Payload& payload = requests_.make(command, address, bytes, command == tlm::TLM_WRITE_COMMAND);
  TrafficExtension& extension = traffic(payload);
  extension.phase = Phase::Norm;
  extension.node = launch_.node;
  extension.context = std::uint64_t{at.slot} << 32 | at.row;
  return payload;
}

/// Asks for as much as may be outstanding; for one piece at least.
void NormKernel::read(std::uint32_t index) {
  Slot& slot = slots_[index];
  const std::uint64_t perRow = 2 * std::uint64_t{rowBytes()};
  while (slot.asked < slot.rows.count * perRow) {
    const std::uint64_t inRow = slot.asked % rowBytes();
    const auto bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(config_.l2.fetch_bytes, rowBytes() - inRow));
    const std::uint64_t outstanding = slot.asked - slot.loaded;
    if (outstanding != 0 && outstanding + bytes > config_.gemm.outstanding_load_bytes_per_cu) {
      return;
    }
    const auto row = slot.rows.first + static_cast<std::uint32_t>(slot.asked / perRow);
    const std::uint64_t buffer =
        slot.asked % perRow < rowBytes() ? layout_.output : layout_.residual;
    slot.asked += bytes;
    readBytes_ += bytes;
    memory.send(request(tlm::TLM_READ_COMMAND, buffer + offset(row) + inRow, bytes, {index, row}));
  }
}

void NormKernel::completed(Payload& payload, Picoseconds when) {
  if (payload.is_write()) {
    --open_;
    lastPerformed_ = std::max(lastPerformed_, when);
    return endIfDone();
  }
  // The memory says ahead when they come.
  arrivals_.post(std::max(when, now()), {atOf(payload), payload.get_data_length()});
}

void NormKernel::arrived(const Arrival& arrival) {
  const At at = arrival.at;
  Slot& slot = slots_[at.slot];
  slot.loaded += arrival.bytes;
  std::uint64_t& ofRow = slot.loadedOf[at.row - slot.rows.first];
  ofRow += arrival.bytes;
  if (ofRow == 2 * std::uint64_t{rowBytes()}) loaded(at);
  read(at.slot);
}

/// All of a row has left the memory.
void NormKernel::loaded(At at) {
  const auto cycles = [this](std::uint32_t width) {
    return clock_.cycles((2 * rowBytes() + width - 1) / width);
  };
  Picoseconds& fillPathFree = array_.fillPathFree(at.slot);
  fillPathFree = std::max(now(), fillPathFree + cycles(config_.gemm.load_bytes_per_cu_per_cycle));
  Picoseconds& storePathFree = slots_[at.slot].storePathFree;
  storePathFree =
      std::max(fillPathFree, storePathFree) + cycles(config_.gemm.store_bytes_per_cu_per_cycle);
  passed_.post(storePathFree, at);
}

void NormKernel::store(At at) {
  std::vector<std::uint16_t> normed, residual;
  if (requests_.checked()) {
    const auto row = [&](std::uint64_t buffer) {
      std::vector<std::uint16_t> values(tiling_.columns());
      memory.debugAccess(tlm::TLM_READ_COMMAND, buffer + offset(at.row), values.data(), rowBytes());
      return values;
    };
    residual = row(layout_.residual);
    normed = normRow(requests_.dataType, row(layout_.output), residual);
  }
  --slots_[at.slot].rowsLeft;
  --rowsLeft_;
  storeRow(at, layout_.residual, residual, false);
  storeRow(at, layout_.gathered(), normed, launch_.tracked);
}

/// In pieces of one tile. `values` is empty where data is elided.
void NormKernel::storeRow(At at, std::uint64_t buffer, const std::vector<std::uint16_t>& values,
                          bool tracked) {
  const std::uint32_t bandRows =
      (tiling_.tileRows() + tiling_.wavefronts() - 1) / tiling_.wavefronts();
  for (std::uint32_t t = 0; t < tiling_.tilesAcross(); ++t) {
    const WorkgroupId wg{at.row / tiling_.tileRows() * tiling_.tilesAcross() + t};
    const Rectangle tile = tiling_.tile(wg);
    const auto bytes = static_cast<std::uint32_t>(tile.columns * tiling_.elementBytes());
    Payload& payload = request(
        tlm::TLM_WRITE_COMMAND,
        buffer + offset(at.row) + std::uint64_t{tile.column} * tiling_.elementBytes(), bytes, at);
    TrafficExtension& extension = traffic(payload);
    extension.tracked = tracked;
    extension.workgroup = wg;
    extension.wavefront = WavefrontId{at.row % tiling_.tileRows() / bandRows};
    if (!values.empty()) {
      std::copy_n(reinterpret_cast<const unsigned char*>(values.data() + tile.column), bytes,
                  payload.get_data_ptr());
    }
    storedBytes_ += bytes;
    ++slots_[at.slot].storesLeft;
    ++open_;
    memory.send(payload);
  }
}

NormKernel::At NormKernel::atOf(const Payload& payload) {
  const std::uint64_t context = traffic(payload).context;
  return {static_cast<std::uint32_t>(context >> 32), static_cast<std::uint32_t>(context)};
}

void NormKernel::accepted(Payload& payload) {
  if (!payload.is_write()) return;
  const std::uint32_t index = atOf(payload).slot;
  Slot& slot = slots_[index];
  if (--slot.storesLeft == 0 && slot.rowsLeft == 0) array_.giveBack(index);
}

/// All rows are stored and performed. No workgroup waits then: each has rows.
void NormKernel::endIfDone() {
  if (rowsLeft_ == 0 && open_ == 0) ends_.post(std::max(lastPerformed_, now()), true);
}

void NormKernel::publish(ValueList& list) const {
  list.flag("running", [this] { return running_; });
  list.level("waiting", 16, "workgroups", [this] { return waiting_.size(); });
  list.counter("read", "bytes", [this] { return readBytes_; });
  list.counter("stored", "bytes", [this] { return storedBytes_; });
}

}  // namespace t3
