// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

class VerilatedContext;

namespace t3 {

class RtlWatcher;

/// Who looks into a block of RTL: nobody, if `watcher` is null.
struct RtlTracing {
  /// Shared by all blocks of one simulation (makeRtlContext), made for traced ones if there is a
  /// watcher. Null: the block makes its own.
  std::shared_ptr<VerilatedContext> context;
  RtlWatcher* watcher = nullptr;
};

/// Of the block in the model of that name.
using RtlTracingOf = std::function<RtlTracing(const std::string& model)>;

}  // namespace t3
