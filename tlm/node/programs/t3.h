// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tlm/gpu/output_map.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/node/programs/repeated.h"

namespace t3 {

/// The reduce-scatter happens while the GEMM runs, driven by the trackers; the all-gather kernels
/// follow.
class Fused : public Repeated {
 public:
  using Repeated::Repeated;

 protected:
  void prepare(std::uint32_t gpu) override;
  void begin(std::uint32_t gpu) override;
  /// The GEMM of a GPU has ended.
  virtual void gemmEnded(std::uint32_t gpu) { gatherWhenReduced(gpu); }

 private:
  bool tracks() const override { return true; }
  void setUpAgain(std::uint32_t gpu) override;
  void renew(std::uint32_t gpu, Picoseconds begins) override;
  InitialValue initialValue() const;
  void prepareZeros(std::uint32_t gpu, Picoseconds start);
  void poisonWithNan(std::uint32_t gpu);
  OutputMap outputMap(std::uint32_t gpu) const;
};

std::unique_ptr<Program> makeFused(Cluster& cluster);

/// What the tracker lacks for it.
std::optional<std::string> checkFused(const SystemConfig& config, std::uint32_t number);

}  // namespace t3
