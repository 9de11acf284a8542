// SPDX-License-Identifier: Apache-2.0
// The scenario of the preset tiny-tp4, in mode t3 with the tracker's RTL, watched by an RTL block
// of this project: it must see every DMA command that the trackers issue, each exactly once. Prints
// the simulated time, which must be that of `t3sim run`.
#include "Vtrigger_monitor.h"  // before SystemC: Verilator's header takes it for its SystemC mode

#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/node/gpu_node.h"
#include "tlm/node/system.h"

namespace {

constexpr std::uint32_t kGpus = 4;

/// The Verilated block in a SystemC module: commands wait here, one enters per clock cycle, and the
/// clock runs only while one waits.
class TriggerMonitor : public sc_core::sc_module {
 public:
  explicit TriggerMonitor(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(TriggerMonitor);
    SC_METHOD(cycle);
    sensitive << wake_;
    dont_initialize();
    for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
      auto* node = dynamic_cast<t3::GpuNode*>(
          sc_core::sc_find_object(("gpu" + std::to_string(gpu)).c_str()));
      if (node == nullptr) SC_REPORT_FATAL("consumer", "no such GPU");
      taps_.push_back(std::make_unique<Tap>(*this, gpu));
      node->tracker->observe(*taps_.back());
    }
    rtl_.rst_ni = 0;
    clock();
    rtl_.rst_ni = 1;
  }

  ~TriggerMonitor() override {
    Verilated::threadContextp(&context_);
  }  // for the model's destructor

  std::uint32_t count(std::uint32_t gpu) const {
    const std::uint64_t counts = rtl_.count_o;
    return static_cast<std::uint32_t>(counts >> (16 * gpu)) & 0xFFFFU;
  }
  bool sawDuplicate() const { return rtl_.duplicate_o != 0; }
  bool drained() const { return waiting_.empty(); }

 private:
  struct Command {
    std::uint32_t gpu, command;
  };

  class Tap : public t3::TrackerObserver {
   public:
    Tap(TriggerMonitor& monitor, std::uint32_t gpu) : monitor_(monitor), gpu_(gpu) {}
    void pieceTaken(std::uint32_t, const t3::LanePiece&) override {}
    void commandIssued(const t3::TriggerMessage& message) override {
      monitor_.waiting_.push_back({gpu_, message.command.value});
      monitor_.wake_.notify(kPeriod);  // keeps an earlier notification
    }
    void released(const t3::ReleaseMessage&) override {}

   private:
    TriggerMonitor& monitor_;
    std::uint32_t gpu_;
  };

  void cycle() {
    rtl_.valid_i = 1;
    rtl_.gpu_i = static_cast<std::uint8_t>(waiting_.front().gpu);
    rtl_.cmd_i = static_cast<std::uint8_t>(waiting_.front().command);
    waiting_.pop_front();
    clock();
    if (!waiting_.empty()) wake_.notify(kPeriod);
  }
  void clock() {
    rtl_.clk_i = 0;
    rtl_.eval();
    rtl_.clk_i = 1;
    rtl_.eval();
  }

  inline static const sc_core::sc_time kPeriod{1, sc_core::SC_NS};

  VerilatedContext context_;
  Vtrigger_monitor rtl_{&context_};
  std::deque<Command> waiting_;
  sc_core::sc_event wake_;
  std::vector<std::unique_ptr<Tap>> taps_;
};

/// What `t3sim presets --show tiny-tp4` prints: defaults, except for these.
t3::SystemConfig tinyTp4() {
  t3::SystemConfig config;
  config.gpus = kGpus;
  config.data = t3::DataMode::Checked;
  config.workload.rows = 512;
  config.workload.columns = 512;
  config.workload.depth = 128;
  config.gpu.compute_units = 16;
  config.gpu.gemm.tile_rows = 64;
  config.gpu.gemm.tile_columns = 64;
  return config;
}

bool require(bool holds, const std::string& what) {
  if (!holds) std::cerr << "consumer: " << what << '\n';
  return holds;
}

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
  t3::System system(tinyTp4(), t3::Mode::T3, t3::TrackerKind::Rtl);
  TriggerMonitor monitor("monitor");
  const t3::RunResult result = system.run();

  bool good = require(result.error.empty(), result.error);
  good &= require(result.verification.elements > 0 && result.verification.mismatches == 0,
                  "the sums are wrong or were not checked");
  good &= require(monitor.drained(), "commands are left over");
  good &= require(!monitor.sawDuplicate(), "a command was issued twice");
  // 8 x 8 tiles in 4 chunks; each GPU sums all but its first one. It forwards those that are not
  // its own.
  std::uint64_t seen = 0;
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    seen += monitor.count(gpu);
    good &= require(monitor.count(gpu) == 48, "GPU " + std::to_string(gpu) + ": " +
                                                  std::to_string(monitor.count(gpu)) +
                                                  " commands instead of 48");
  }
  good &= require(seen == result.tracker_stats.triggers, "the trackers counted other commands");
  std::cout << "commands " << seen << "\ntime_ps " << result.time_ps << '\n';
  return good ? 0 : 1;
}
