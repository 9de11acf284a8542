// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tlm/tracker/rtl_options.h"
#include "tlm/tracker/rtl_unit.h"

namespace t3 {

/// The unit of the tracker `name`, traced if `options` has a watcher, out of reset and ready.
/// Throws std::runtime_error if an assertion fails.
std::unique_ptr<RtlUnit> startUnit(const RtlOptions& options, const char* name);

}  // namespace t3
