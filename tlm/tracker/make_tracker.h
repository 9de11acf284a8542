// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>

#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/tracker.h"
#include "tlm/tracker/tracker_config.h"

namespace t3 {

/// Rules of one implementation beyond TrackerConfig::check: one line, or nothing if it can be
/// built.
std::optional<std::string> checkTracker(TrackerKind kind, const TrackerConfig& config);

/// `config` passes TrackerConfig::check and checkTracker (else std::invalid_argument).
/// `options` concern the RTL, where there is one.
std::unique_ptr<Tracker> makeTracker(const sc_core::sc_module_name& name, TrackerKind kind,
                                     const TrackerConfig& config, const RtlOptions& options = {});

}  // namespace t3
