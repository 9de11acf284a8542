// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/node/run_result.h"

namespace t3 {

// What schema t3sim/1 makes of the rows of phases: members for the phases of most modes, which are
// there in every run, and a list for all others.

struct DramBytes {
  std::uint64_t gemm_read = 0, gemm_write = 0, rs_read = 0, rs_write = 0, ag_read = 0, ag_write = 0,
                norm_read = 0, norm_write = 0, consumer_read = 0, consumer_write = 0;
};
BOOST_DESCRIBE_STRUCT(DramBytes, (),
                      (gemm_read, gemm_write, rs_read, rs_write, ag_read, ag_write, norm_read,
                       norm_write, consumer_read, consumer_write))

struct PhaseNs {
  double gemm = 0, reduce_scatter = 0, all_gather = 0, norm = 0, consumer = 0;
};
BOOST_DESCRIBE_STRUCT(PhaseNs, (), (gemm, reduce_scatter, all_gather, norm, consumer))

struct BoundNs {
  double gemm = 0, reduce_scatter = 0, all_gather = 0, consumer = 0, total = 0;
};
BOOST_DESCRIBE_STRUCT(BoundNs, (), (gemm, reduce_scatter, all_gather, consumer, total))

struct SublayerForm {
  Picoseconds start_ps = 0, end_ps = 0;
  PhaseNs phase_ns;
};
BOOST_DESCRIBE_STRUCT(SublayerForm, (), (start_ps, end_ps, phase_ns))

struct GpuForm {
  std::uint32_t gpu = 0;
  Picoseconds gemm_end_ps = 0, reduce_scatter_end_ps = 0, all_gather_end_ps = 0,
              consumer_end_ps = 0;
  DramBytes dram_bytes;
  std::uint64_t link_bytes = 0;
  double mca_threshold = 0, row_hit_rate = 0;
  Picoseconds zeroed_ps = 0, store_zero_wait_ps = 0, ingress_zero_wait_ps = 0;
};
BOOST_DESCRIBE_STRUCT(GpuForm, (),
                      (gpu, gemm_end_ps, reduce_scatter_end_ps, all_gather_end_ps, consumer_end_ps,
                       dram_bytes, link_bytes, mca_threshold, row_hit_rate, zeroed_ps,
                       store_zero_wait_ps, ingress_zero_wait_ps))

struct MemoryForm {
  std::vector<MemoryFigure> figures;
  std::vector<std::uint64_t> queue_occupancy;
  double window_ns = 0;
  std::vector<DramBytes> bytes_over_time;
};
BOOST_DESCRIBE_STRUCT(MemoryForm, (), (figures, queue_occupancy, window_ns, bytes_over_time))

/// A phase that has no members above.
struct CollectiveFigures {
  std::string name;
  double exposed_ns = 0, bound_ns = 0;
  std::uint64_t dram_read = 0, dram_write = 0;
};
BOOST_DESCRIBE_STRUCT(CollectiveFigures, (), (name, exposed_ns, bound_ns, dram_read, dram_write))

DramBytes dramBytes(const PhaseRows& phases);
PhaseNs phaseNs(const PhaseRows& phases);
BoundNs boundNs(const RunResult& result);
std::vector<SublayerForm> sublayerForms(const RunResult& result);
std::vector<GpuForm> gpuForms(const RunResult& result);
MemoryForm memoryForm(const RunResult& result);
std::vector<CollectiveFigures> otherCollectives(const PhaseRows& phases);

}  // namespace t3
