// SPDX-License-Identifier: Apache-2.0
#include "testbench/presets/machines.h"

#include <algorithm>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"

namespace t3 {
namespace {

constexpr const char* kDatasheet = "AMD Instinct MI300X data sheet";
constexpr const char* kLinkPage =
    "AMD: Understanding RCCL Bandwidth and xGMI Performance on AMD Instinct MI300X (64 GB/s raw, "
    "about 48 GB/s usable)";
constexpr const char* kLibrary = "constants of RCCL's MSCCL runtime and protocols";
constexpr const char* kSimple = "measured: ag_ring_simple_1_1";
constexpr const char* kLl = "measured: ag_ring_ll_1_1";
constexpr const char* kLl128 = "measured: ag_ring_LL128_1_1";

/// How the measured files gave their settings: docs/silicon.md.
Machine mi300x() {
  return {"mi300x-x8",
          "eight AMD Instinct MI300X, fully connected, collectives as RCCL runs MSCCL files",
          {"ag_ring_simple_1_1", "ag_ring_ll_1_1", "ag_ring_LL128_1_1"},
          {
              {"gpus=8", kDatasheet},
              {"gpu.clock_mhz=2100", kDatasheet},
              {"gpu.compute_units=304", kDatasheet},
              {"gpu.gemm.macs_per_cu_per_cycle=1024", kDatasheet},
              {"hbm.clock_mhz=1300", kDatasheet},
              {"hbm.channels=128", kDatasheet},
              {"hbm.channel_bits=64", kDatasheet},
              {"hbm.burst_length=4", kDatasheet},
              {"hbm.beats_per_clock=4", kDatasheet},
              {"hbm.page_bytes=1024", "JESD238"},
              {"hbm.capacity_gib=192", kDatasheet},
              {"fabric.topology=fully-connected", kDatasheet},
              {"fabric.links_share_bandwidth=false", kDatasheet},
              {"link.bandwidth_gb_s=48", kLinkPage},
              {"link.latency_ns=200", "assumption"},
              {"gpu.kernel_launch_us=5", kLl},
              {"gpu.collective.thread_blocks=own", kLibrary},
              {"gpu.collective.simple.block_gb_s=22.4", kSimple},
              {"gpu.collective.simple.window_bytes=8192", kSimple},
              {"gpu.collective.simple.slice_ns=2400", kSimple},
              {"gpu.collective.simple.sync_ns=900", kSimple},
              {"gpu.collective.simple.loop_bytes=2097152", kLibrary},
              {"gpu.collective.simple.slices=2", kLibrary},
              {"gpu.collective.simple.least_slice_bytes=32768", kLibrary},
              {"gpu.collective.ll.block_gb_s=3.514", kLl},
              {"gpu.collective.ll.window_bytes=2048", kLibrary},
              {"gpu.collective.ll.slice_ns=440", kLl},
              {"gpu.collective.ll.loop_bytes=16384", kLibrary},
              {"gpu.collective.ll.slices=2", "assumption"},
              {"gpu.collective.ll.least_slice_bytes=2048", kLibrary},
              {"gpu.collective.ll128.block_gb_s=4.64", kLl128},
              {"gpu.collective.ll128.window_bytes=3840", kLibrary},
              {"gpu.collective.ll128.loop_bytes=53760", kLibrary},
              {"gpu.collective.ll128.slices=2", "assumption"},
              {"gpu.collective.ll128.least_slice_bytes=3840", kLibrary},
              {"gpu.collective.ll128.launch_us=203.8", kLl128},
          }};
}

}  // namespace

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = {mi300x()};
  return all;
}

std::vector<std::string> machineNames() {
  std::vector<std::string> names;
  for (const Machine& machine : machines()) names.emplace_back(machine.name);
  return names;
}

const Machine& machineNamed(const std::string& name, const std::string& option) {
  for (const Machine& machine : machines()) {
    if (machine.name == name) return machine;
  }
  const std::vector<std::string> names = machineNames();
  throw ConfigError(option, "",
                    "unknown machine " + inQuotes(name) + nearestNote(name, names) + "; there is " +
                        alternatives(names));
}

}  // namespace t3
