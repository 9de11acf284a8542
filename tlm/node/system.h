// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tlm/gpu/gpu_config.h"
#include "tlm/hbm/dram_command.h"
#include "tlm/hbm/hbm_config.h"
#include "tlm/interconnect/fabric_config.h"
#include "tlm/interconnect/link_config.h"
#include "tlm/tracker/tracker_config.h"
#include "tlm/transport/clock.h"
#include "tlm/transport/field_info.h"
#include "tlm/transport/traffic.h"

namespace t3 {

/// The sliced GEMM whose output the GPUs reduce: C[rows x columns] += A[rows x depth] B[depth x
/// columns] on each GPU, `depth` being the already sliced K.
struct WorkloadConfig {
  std::string model = "T-NLG";    ///< for reports only
  std::string sublayer = "FC-2";  ///< for reports only
  std::uint32_t rows = 8192;      ///< outer dimension of the output's layout
  std::uint32_t columns = 4256;   ///< inner dimension
  std::uint32_t depth = 2128;     ///< K of one GPU
  DataType data_type = DataType::Fp16;

  static std::span<const FieldInfo> fields();
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(WorkloadConfig, (), (model, sublayer, rows, columns, depth, data_type))

/// All GPUs, or one whose own traffic is looped back as the others'.
enum class GpuSimulation : std::uint8_t { Explicit, Symmetric };
BOOST_DESCRIBE_ENUM(GpuSimulation, Explicit, Symmetric)

/// What may differ between the links of GPUs, see LinkConfig.
struct LinkOverride {
  std::optional<double> bandwidth_gb_s, latency_ns;
  std::optional<std::uint32_t> lose_write;

  static std::span<const FieldInfo> fields();
  bool operator==(const LinkOverride&) const = default;
};
BOOST_DESCRIBE_STRUCT(LinkOverride, (), (bandwidth_gb_s, latency_ns, lose_write))

/// What may differ between GPUs: these values replace those of `gpu` and `link` in one GPU and in
/// the links that it sends on. All else shapes the work that the GPUs share.
struct GpuOverride {
  static constexpr const char* kKey = "gpu";

  std::optional<double> clock_mhz;
  std::optional<std::uint32_t> compute_units;
  std::optional<double> launch_delay_us;  ///< its first kernel starts that much after time 0
  LinkOverride link;

  static std::span<const FieldInfo> fields();
  bool operator==(const GpuOverride&) const = default;
};
BOOST_DESCRIBE_STRUCT(GpuOverride, (), (clock_mhz, compute_units, launch_delay_us, link))

inline constexpr std::uint32_t kMostGpus = 64;

/// Everything a simulation depends on; the "scenario" of a report.
struct SystemConfig {
  std::uint32_t gpus = 8;  ///< the tensor-parallel degree
  GpuSimulation simulated_gpus = GpuSimulation::Explicit;
  std::uint64_t seed = 1;  ///< of the operand values in checked mode
  DataMode data = DataMode::Elided;
  double watchdog_us = 1000;  ///< simulated time without progress that ends a run
  WorkloadConfig workload;
  GpuConfig gpu;
  HbmConfig hbm;
  FabricConfig fabric;
  LinkConfig link;
  TrackerConfig tracker;
  NumberedGroups<GpuOverride, kMostGpus> overrides;

  /// The same with what is set for one GPU in place.
  SystemConfig ofGpu(std::uint32_t index) const;
  std::uint32_t simulatedGpus() const {
    return simulated_gpus == GpuSimulation::Symmetric ? 1 : gpus;
  }

  static std::span<const FieldInfo> fields();
  /// Rules that span modules, e.g. "workload.rows: 100 tiles do not divide into 8 chunks".
  std::optional<std::string> check() const;
};
BOOST_DESCRIBE_STRUCT(SystemConfig, (),
                      (gpus, simulated_gpus, seed, data, watchdog_us, workload, gpu, hbm, fabric,
                       link, tracker, overrides))

enum class ModeKind : std::uint8_t { Sequential, CuSplit, T3, T3Mca, IdealOverlap, IdealRsNmc };
BOOST_DESCRIBE_ENUM(ModeKind, Sequential, CuSplit, T3, T3Mca, IdealOverlap, IdealRsNmc)

/// What runs.
struct Mode {
  ModeKind kind = ModeKind::Sequential;
  std::uint32_t split_units = 0;  ///< CuSplit: compute units of the reduce-scatter, else 0

  // Named like the kinds they stand for.
  // NOLINTNEXTLINE(readability-identifier-naming)
  static const Mode Sequential, T3, T3Mca, IdealOverlap, IdealRsNmc;
  static constexpr Mode cuSplit(std::uint32_t units) { return {ModeKind::CuSplit, units}; }
  bool operator==(const Mode&) const = default;
};
inline constexpr Mode Mode::Sequential{ModeKind::Sequential, 0};
inline constexpr Mode Mode::T3{ModeKind::T3, 0};
inline constexpr Mode Mode::T3Mca{ModeKind::T3Mca, 0};
inline constexpr Mode Mode::IdealOverlap{ModeKind::IdealOverlap, 0};
inline constexpr Mode Mode::IdealRsNmc{ModeKind::IdealRsNmc, 0};

/// DRAM bytes of one GPU by kind. An op-and-store counts once, as a write; zeroing and spills are
/// writes (and spill fills reads) of their phase.
struct DramBytes {
  std::uint64_t gemm_read = 0, gemm_write = 0, rs_read = 0, rs_write = 0, ag_read = 0, ag_write = 0;
};
BOOST_DESCRIBE_STRUCT(DramBytes, (), (gemm_read, gemm_write, rs_read, rs_write, ag_read, ag_write))

struct PhaseSpan {
  std::string name;
  Picoseconds start_ps = 0, end_ps = 0;
};
BOOST_DESCRIBE_STRUCT(PhaseSpan, (), (name, start_ps, end_ps))

struct PhaseNs {
  double gemm = 0, reduce_scatter = 0, all_gather = 0;
};
BOOST_DESCRIBE_STRUCT(PhaseNs, (), (gemm, reduce_scatter, all_gather))

/// Sums over all N GPUs, except peak_entries (the largest).
struct TrackerTotals {
  std::uint64_t updates = 0, triggers = 0, peak_entries = 0, stall_cycles = 0, overflow_events = 0,
                spill_bytes = 0, rtl_cycles = 0;
};
BOOST_DESCRIBE_STRUCT(TrackerTotals, (),
                      (updates, triggers, peak_entries, stall_cycles, overflow_events, spill_bytes,
                       rtl_cycles))

/// What no machine with these compute units, memory and links can be faster than (bounds.h).
struct BoundNs {
  double gemm = 0, reduce_scatter = 0, all_gather = 0;
  double total = 0;  ///< of the three as the mode arranges them, with the launches between them
};
BOOST_DESCRIBE_STRUCT(BoundNs, (), (gemm, reduce_scatter, all_gather, total))

struct GpuResult {
  std::uint32_t gpu = 0;
  Picoseconds gemm_end_ps = 0, reduce_scatter_end_ps = 0, all_gather_end_ps = 0;
  DramBytes dram_bytes;
  std::uint64_t link_bytes = 0;  ///< payload bytes this GPU sent
  double mca_threshold =
      0;  ///< DRAM queue occupancy limit chosen (bursts); 0 = no limit or not used
  double row_hit_rate = 0;
  Picoseconds zeroed_ps = 0;  ///< when the initial value was in memory; 0 where nothing is zeroed
  /// How long the head of the GEMM's stores, and of the others' updates, waited for it.
  Picoseconds store_zero_wait_ps = 0, ingress_zero_wait_ps = 0;
};
BOOST_DESCRIBE_STRUCT(GpuResult, (),
                      (gpu, gemm_end_ps, reduce_scatter_end_ps, all_gather_end_ps, dram_bytes,
                       link_bytes, mca_threshold, row_hit_rate, zeroed_ps, store_zero_wait_ps,
                       ingress_zero_wait_ps))

struct Verification {
  DataMode data = DataMode::Elided;
  std::uint64_t elements = 0;  ///< output elements compared over all GPUs (checked), else 0
  std::uint64_t mismatches = 0;
};
BOOST_DESCRIBE_STRUCT(Verification, (), (data, elements, mismatches))

/// One statistic of the GPUs' memories.
struct MemoryFigure {
  std::string name, description, unit;
  std::vector<double> per_gpu;  ///< of the simulated GPUs
};
BOOST_DESCRIBE_STRUCT(MemoryFigure, (), (name, description, unit, per_gpu))

/// What the memories did: docs/hbm.md "Statistics".
struct MemoryReport {
  std::vector<MemoryFigure> figures;
  /// Pieces that entered a DRAM queue in which [index] bursts waited; all channels and GPUs.
  std::vector<std::uint64_t> queue_occupancy;
  double window_ns = 0;
  /// Bytes served in window [index], `window_ns` each from time 0; mean of the GPUs.
  std::vector<DramBytes> bytes_over_time;
};
BOOST_DESCRIBE_STRUCT(MemoryReport, (), (figures, queue_occupancy, window_ns, bytes_over_time))

/// Measured outcome of one simulated mode. Host figures are added by the program.
struct RunResult {
  std::string error;  ///< empty when every check of the run held; else a line, and for a run that
                      ///< was stuck a picture of who waits for whom below it
  Picoseconds time_ps = 0;
  PhaseNs phase_ns;
  BoundNs bound_ns;
  std::vector<PhaseSpan> phases;
  DramBytes dram_bytes;            ///< mean per GPU
  std::uint64_t link_bytes = 0;    ///< payload bytes, sum over the links of all N GPUs
  std::vector<GpuResult> per_gpu;  ///< of the simulated GPUs
  TrackerTotals tracker_stats;
  Verification verification;
  std::uint64_t dram_bursts = 0;  ///< of the simulated GPUs: what host speed is measured in
  MemoryReport memory;
};
BOOST_DESCRIBE_STRUCT(RunResult, (),
                      (error, time_ps, phase_ns, bound_ns, phases, dram_bytes, link_bytes, per_gpu,
                       tracker_stats, verification, dram_bursts, memory))

struct RtlOptions;

/// Who watches a run. Nothing of it changes the simulation.
struct RunWatch {
  /// Called every 20 us of simulated time or so, with what is done, 0 … 1 …
  std::function<void(double)> progress;
  /// … and then, if true, the run ends as one that failed.
  std::function<bool()> stop;
  /// Called whenever that much simulated time has passed, and nothing is under way.
  std::function<void()> sample;
  Picoseconds samplePeriod = 0;
};

/// N GPUs, each with its HBM stack and tracker, what connects them, and the software that drives
/// them. One System per process (SystemC's kernel is global).
class System {
 public:
  /// `mode` is a simulated mode: IdealOverlap and IdealRsNmc are allowed, they simulate their
  /// parts.
  /// `rtl(gpu)` says how the tracker's RTL of a GPU is simulated, where there is one.
  System(const SystemConfig& config, Mode mode, TrackerKind tracker,
         const std::function<RtlOptions(std::uint32_t)>& rtl = {});
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  /// `observerFor(gpu, its memory's settings)` names who sees every DRAM command of that GPU. To be
  /// called before `run`, at most once.
  void observeMemory(
      const std::function<CommandObserver&(std::uint32_t, const HbmConfig&)>& observerFor);

  RunResult run(const RunWatch& watch = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// ideal-overlap is max(GEMM, reduce-scatter) + all-gather of a sequential run: what that run's
/// result becomes when its own phases overlap for free.
RunResult idealOverlapOf(const RunResult& sequential);

}  // namespace t3
