// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "tlm/switch/merge_engine.h"

namespace t3 {

/// The RTL drives the system, and the twin sees the same in every cycle. Everything that they show
/// must be the same in every cycle: whether an update is taken, what is on the link, entries that
/// are taken, counts. The first difference ends the run with an error report "t3/lockstep".
class LockstepMergeEngine : public MergeEngine {
 public:
  /// `name`: of the port.
  LockstepMergeEngine(const char* name, std::unique_ptr<MergeEngine> rtl,
                      std::unique_ptr<MergeEngine> twin);

  bool ready() const override { return rtl_->ready(); }
  const MergeFlit* onLink() const override { return rtl_->onLink(); }
  void clock(Picoseconds edge, std::optional<MergeFlit> update, bool credit) override;
  bool empty() const override { return rtl_->empty(); }
  std::size_t entries() const override { return rtl_->entries(); }
  const MergeTable::Statistics& statistics() const override { return rtl_->statistics(); }

 private:
  std::string difference() const;

  const std::string name_;
  const std::unique_ptr<MergeEngine> rtl_, twin_;
};

}  // namespace t3
