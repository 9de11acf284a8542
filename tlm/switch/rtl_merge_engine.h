// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tlm/rtl/rtl_tracing.h"
#include "tlm/switch/make_merge_rtl.h"
#include "tlm/switch/merge_engine.h"
#include "tlm/switch/merge_unit.h"

namespace t3 {

/// The RTL, Verilated. An assertion of it that fails ends the run with an error report "t3/rtl".
///
/// A line of which the sender has less than 128 bytes, or sizes only, is filled up with zeros.
class RtlMergeEngine : public MergeEngine {
 public:
  /// `name`: of the port. `config` has the size of the RTL. Its clock edges are at whole `period`s.
  RtlMergeEngine(const char* name, const MergeConfig& config, Picoseconds period,
                 const RtlTracing& tracing);
  ~RtlMergeEngine() override;

  bool ready() const override { return rtl_->pins.updateReady != 0; }
  const MergeFlit* onLink() const override { return rtl_->pins.linkValid != 0 ? &link_ : nullptr; }
  void clock(Picoseconds edge, std::optional<MergeFlit> update, bool credit) override;
  bool empty() const override { return rtl_->pins.empty != 0; }
  std::size_t entries() const override { return rtl_->inside.entries; }
  const MergeTable::Statistics& statistics() const override { return statistics_; }

 private:
  void cycle(Picoseconds edge);
  void count();
  void lookAtLink();

  const std::string name_;
  const RtlTracing tracing_;
  const std::unique_ptr<MergeRtl> rtl_;
  MergeFlit link_;        ///< what is on it in this cycle
  bool values_ = false;   ///< updates have some
  bool timed_ = false;    ///< reset takes no time
  Picoseconds edge_ = 0;  ///< the last one
  MergeTable::Statistics statistics_;
};

}  // namespace t3
