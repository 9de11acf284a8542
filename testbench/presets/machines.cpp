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
KnownMachine mi300x() {
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
              {"gpu.collective.simple.slice_ns=1400", kSimple},
              {"gpu.collective.simple.sync_ns=900", kSimple},
              {"gpu.collective.simple.loop_bytes=2097152", kLibrary},
              {"gpu.collective.simple.slices=2", kLibrary},
              {"gpu.collective.simple.least_slice_bytes=32768", kLibrary},
              {"gpu.collective.ll.block_gb_s=3.75", kLl},
              {"gpu.collective.ll.window_bytes=2048", kLibrary},
              {"gpu.collective.ll.slice_ns=110", kLl},
              {"gpu.collective.ll.sync_ns=300", kLl},
              {"gpu.collective.ll.loop_bytes=16384", kLibrary},
              {"gpu.collective.ll.slices=8", kLibrary},
              {"gpu.collective.ll.least_slice_bytes=2048", kLibrary},
              {"gpu.collective.ll128.block_gb_s=4.55", kLl128},
              {"gpu.collective.ll128.window_bytes=3840", kLibrary},
              {"gpu.collective.ll128.loop_bytes=53760", kLibrary},
              {"gpu.collective.ll128.slices=14", kLibrary},
              {"gpu.collective.ll128.least_slice_bytes=3840", kLibrary},
              {"gpu.collective.ll128.launch_us=203.8", kLl128},
          }};
}

constexpr const char* kMi355xDatasheet = "AMD Instinct MI355X data sheet";
constexpr const char* kCdnaL2 =
    "AMD CDNA 3 white paper, and CDNA 4 keeps it: 4 MB of L2 in each of 8 dies, 16 channels of 128 "
    "bytes";
constexpr const char* kGemmAr =
    "constants of the measured GEMM: ROCm/mori, python/mori/ops/gemm_ar";
constexpr const char* kCopyEngines =
    "ROCm/mori, benchmark/cco/README.md: about 60 GB/s, copy engine, two GPUs";

/// The machine of a GEMM whose row bands copy engines send beside it: docs/silicon-overlap.md. No
/// measured time of that GEMM gave a setting.
KnownMachine mi355x() {
  return {
      "mi355x-x8",
      "eight AMD Instinct MI355X, fully connected, copy engines as ROCm/mori measures them",
      {},
      {
          {"gpus=8", kMi355xDatasheet},
          {"gpu.clock_mhz=2400", kMi355xDatasheet},
          {"gpu.compute_units=256", kMi355xDatasheet},
          {"gpu.gemm.macs_per_cu_per_cycle=2048",
           "AMD Instinct MI355X data sheet: 2.5 PFLOP/s of bf16, dense; fp8 twice that"},
          {"gpu.gemm.tile_rows=256", kGemmAr},
          {"gpu.gemm.tile_columns=256", kGemmAr},
          {"gpu.gemm.wavefronts=8", kGemmAr},
          {"gpu.gemm.k_step=64", "constants of the measured GEMM: 128 of fp8"},
          {"gpu.gemm.load_stages=2", kGemmAr},
          {"gpu.gemm.outstanding_load_bytes_per_cu=131072", "two stages of that tile"},
          {"gpu.l2.capacity_bytes=33554432", kCdnaL2},
          {"gpu.l2.banks=128", kCdnaL2},
          {"gpu.l2.bank_bytes_per_cycle=128", kCdnaL2},
          {"gpu.kernel_launch_us=1.51",
           "ROCm/mori, python/mori/ops/gemm_ar/README.md: an empty kernel in a graph of 200"},
          {"gpu.dma.command_latency_ns=3000",
           "ROCm/mori, benchmark/cco/README.md: 6 us from a put of 1 KB to its completion, less "
           "the 3 us below"},
          {"gpu.dma.command_overhead_ns=3000",
           "ROCm/mori, benchmark/cco/README.md: 3 us from one put of 1 KB to the next"},
          {"gpu.dma.channels=7", "ROCm/mori pull request 662: a queue for each peer"},
          {"gpu.dma.outstanding_bytes=1048576", "assumption: 2.5 us of all links"},
          {"gpu.dma.outstanding_reads=4096", "assumption: that in 256-byte rows"},
          {"hbm.clock_mhz=2000", kMi355xDatasheet},
          {"hbm.channels=128", kMi355xDatasheet},
          {"hbm.channel_bits=64", kMi355xDatasheet},
          {"hbm.burst_length=4", "JESD238"},
          {"hbm.beats_per_clock=4", "JESD238"},
          {"hbm.page_bytes=1024", "JESD238"},
          {"hbm.capacity_gib=288", kMi355xDatasheet},
          {"fabric.topology=fully-connected", kMi355xDatasheet},
          {"fabric.links_share_bandwidth=false", kMi355xDatasheet},
          {"link.bandwidth_gb_s=60", kCopyEngines},
          {"link.latency_ns=200", "assumption"},
          {"tracker.clock_mhz=8000",
           "assumption: lanes x 128 bytes x clock covers the memory's peak, as by default"},
      }};
}

/// Controller, DRAM and L2 of the public GPU simulator that the paper's is built on; size, clock
/// and ways of the L2 and the bandwidth are the paper's. Lines: gpgpu-sim_distribution 667834c,
/// SM7_QV100 is configs/tested-cfgs/SM7_QV100/gpgpusim.config (docs/paper-machine.md).
KnownMachine accelSim() {
  return {
      "accel-sim",
      "memory controller, DRAM and L2 of Accel-Sim (GPGPU-Sim 4), in the sizes of the paper",
      {},
      {
          {"hbm.channels=32", "SM7_QV100:66"},
          {"hbm.channel_bits=128", "SM7_QV100:203"},
          {"hbm.burst_length=2", "SM7_QV100:204"},
          {"hbm.beats_per_clock=2", "SM7_QV100:205"},
          {"hbm.clock_mhz=1000", "the paper: 1 TB/s; the clock of the times in SM7_QV100:210-213"},
          {"hbm.banks=16", "SM7_QV100:212"},
          {"hbm.bank_groups=4", "SM7_QV100:213"},
          {"hbm.page_bytes=2048", "SM7_QV100:207: six bits of columns of 32 B"},
          {"hbm.channel_interleave_bytes=256", "SM7_QV100:207: dramid@8"},
          {"hbm.address_mapping=block-over-groups", "SM7_QV100:207, 223"},
          {"hbm.channel_hash=true", "SM7_QV100:169; src/gpgpu-sim/addrdec.cc:144-160"},
          {"hbm.bank_hash=false", "SM7_QV100:222"},
          {"hbm.group_hash=false", "SM7_QV100:223"},
          {"hbm.page_policy=open", "src/gpgpu-sim/dram.cc:664-674"},
          {"hbm.refresh=off", "src/gpgpu-sim/dram.cc has no refresh"},
          {"hbm.stream_queue_requests=32",
           "SM7_QV100:167, 67: 64 sectors of 32 B in each of two halves, as lines of 128 B"},
          {"hbm.dram_queue_bursts=64", "SM7_QV100:198"},
          {"hbm.scheduling=first-ready",
           "SM7_QV100:197, 225 (no write queue); src/gpgpu-sim/dram_sched.cc:109-199"},
          {"hbm.row_hit_cap_bursts=65536", "src/gpgpu-sim/dram_sched.cc:138-158: no limit"},
          {"hbm.age_limit_ns=1e9", "src/gpgpu-sim/dram_sched.cc:138-158: no limit"},
          {"hbm.coalescing=false", "src/gpgpu-sim/dram_sched.cc:72-87: each has its entry"},
          {"hbm.decision_clocks=1", "src/gpgpu-sim/dram.cc:290: each clock decides"},
          {"hbm.response_latency_ns=71.43",
           "SM7_QV100:194; src/gpgpu-sim/l2cache.cc:355-357: 100 clocks of 1.4 GHz"},
          {"hbm.timing.rcd_rd_ns=14", "SM7_QV100:212"},
          {"hbm.timing.rcd_wr_ns=11", "src/gpgpu-sim/gpu-sim.h:245: RCD - (WL + 1)"},
          {"hbm.timing.rp_ns=14", "SM7_QV100:212"},
          {"hbm.timing.ras_ns=33", "SM7_QV100:212"},
          {"hbm.timing.rc_ns=47", "SM7_QV100:212"},
          {"hbm.timing.rrd_s_ns=4", "SM7_QV100:212"},
          {"hbm.timing.rrd_l_ns=4", "SM7_QV100:211: one RRD for all banks"},
          {"hbm.timing.faw_ns=1", "src/gpgpu-sim/dram.cc:643-653: no window of four activates"},
          {"hbm.timing.cl_ns=14", "SM7_QV100:213"},
          {"hbm.timing.wl_ns=2", "SM7_QV100:213"},
          {"hbm.timing.wr_ns=12", "SM7_QV100:213"},
          {"hbm.timing.wtr_s_ns=3", "SM7_QV100:213: CDLR"},
          {"hbm.timing.wtr_l_ns=3", "SM7_QV100:211, 213: one CDLR for all banks"},
          {"hbm.timing.rtp_ns=4", "SM7_QV100:213: RTPL"},
          {"hbm.timing.read_to_write_gap_ns=2", "src/gpgpu-sim/gpu-sim.h:250"},
          {"hbm.timing.ccd_s_clocks=1", "SM7_QV100:212"},
          {"hbm.timing.ccd_l_clocks=2", "SM7_QV100:213"},
          {"hbm.timing.activate_command_clocks=1", "SM7_QV100:220; src/gpgpu-sim/dram.cc:418-422"},
          {"gpu.clock_mhz=1400", "the paper"},
          {"gpu.l2.model=line", "SM7_QV100:165: sets of lines, least recently used leaves"},
          {"gpu.l2.capacity_bytes=16MiB", "the paper"},
          {"gpu.l2.ways=16", "the paper"},
          {"gpu.l2.banks=64", "SM7_QV100:66, 67"},
          {"gpu.l2.line_bytes=128", "SM7_QV100:165"},
          {"gpu.l2.fetch_bytes=128",
           "SM7_QV100:165: a miss brings the sectors that were asked for, here a line"},
          {"gpu.l2.bank_bytes_per_cycle=32", "SM7_QV100:165: port of 32 B"},
          {"gpu.l2.outstanding_fetches_per_bank=48",
           "SM7_QV100:165; src/gpgpu-sim/gpu-cache.h:819: 192 misses of 32 B, as lines"},
          {"gpu.l2.hit_latency_ns=128.6", "SM7_QV100:154, 193: 20 and 160 clocks of 1.4 GHz"},
          {"gpu.gemm.workgroup_order=row-major",
           "src/abstract_hardware_model.h:267: x first; the paper"},
      }};
}

}  // namespace

const std::vector<KnownMachine>& machines() {
  static const std::vector<KnownMachine> all = {mi300x(), mi355x(), accelSim()};
  return all;
}

std::vector<std::string> machineNames() {
  std::vector<std::string> names;
  for (const KnownMachine& machine : machines()) names.emplace_back(machine.name);
  return names;
}

const KnownMachine& machineNamed(const std::string& name, const std::string& option) {
  for (const KnownMachine& machine : machines()) {
    if (machine.name == name) return machine;
  }
  const std::vector<std::string> names = machineNames();
  throw ConfigError(option, "",
                    "unknown machine " + inQuotes(name) + nearestNote(name, names) + "; there is " +
                        alternatives(names));
}

}  // namespace t3
