// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "tlm/gpu/tiling.h"
#include "tlm/transport/agenda.h"
#include "tlm/transport/clock.h"

namespace t3 {

/// Says when a row of tiles is complete in a buffer into which other GPUs write: what software does
/// with flags, which are not simulated as traffic. Rows that are complete before `open` are told
/// then.
class RowArrivals : public sc_core::sc_module {
 public:
  using Complete = std::function<void(std::uint32_t tileRow)>;

  /// `base`: address of the buffer, which has the shape of the output.
  RowArrivals(const sc_core::sc_module_name& name, const Tiling& tiling, std::uint64_t base,
              Complete complete)
      : sc_module(name),
        base_(base),
        complete_(std::move(complete)),
        events_("events", [this](std::uint32_t row) { completed(row); }),
        rowBytes_(tiling.tileRows() * tiling.pitchBytes()) {
    for (std::uint64_t at = 0; at < tiling.outputBytes(); at += rowBytes_) {
      rows_.push_back({std::min(rowBytes_, tiling.outputBytes() - at), 0});
    }
  }

  /// [address, address + bytes) is in memory from `when` on. Each byte comes once.
  void add(std::uint64_t address, std::uint64_t bytes, Picoseconds when) {
    for (std::uint64_t at = address - base_; bytes > 0;) {
      const auto number = static_cast<std::uint32_t>(at / rowBytes_);
      const std::uint64_t here = std::min(bytes, (number + 1) * rowBytes_ - at);
      Row& row = rows_[number];
      row.left -= here;
      row.latest = std::max(row.latest, when);
      if (row.left == 0) events_.post(std::max(row.latest, now()), number);
      at += here;
      bytes -= here;
    }
  }

  /// Somebody waits for rows from now on.
  void open() {
    open_ = true;
    for (const std::uint32_t row : std::exchange(early_, {})) complete_(row);
  }

 private:
  struct Row {
    std::uint64_t left = 0;  ///< bytes
    Picoseconds latest = 0;
  };

  void completed(std::uint32_t row) {
    if (open_) return complete_(row);
    early_.push_back(row);
  }

  const std::uint64_t base_;
  const Complete complete_;
  TimedQueue<std::uint32_t> events_;
  bool open_ = false;
  std::vector<std::uint32_t> early_;
  const std::uint64_t rowBytes_;
  std::vector<Row> rows_;
};

}  // namespace t3
