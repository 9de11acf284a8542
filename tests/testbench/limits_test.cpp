// SPDX-License-Identifier: Apache-2.0
// Method: every row of the tables of docs/limits.md has a command here that goes beyond it. It is
// refused with one line that names one of the settings of the row's last column, if that has any.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/testbench/program.h"

namespace t3::limits_test {
namespace {

/// By the row's first column: what follows "t3sim", or where else the limit is tested.
struct Beyond {
  std::string limit, command, elsewhere = {};
};

const std::string kRun = "run --preset tiny-tp4 --data elided --tracker model --quiet ";
/// Rows of 7 tiles, so a block has one tile.
const std::string kPair =
    "run --preset tiny-pair-tp4 --tracker model --quiet --mode t3-ag --set workload.columns=448 ";
const std::string kCollective = "run --quiet --collective ring-all-reduce-4 ";

std::vector<Beyond> beyond() {
  return {
      {"GPUs", kRun + "--set gpus=1025"},
      {"GPUs with a link from each to each other one",
       kRun + "--set gpus=65 --set fabric.topology=fully-connected"},
      {"GPUs whose updates a switch's RTL adds",
       kRun + "--set gpus=129 --set fabric.topology=switch --set switch.merge=rtl"},
      {"GPUs of a collective from a file, and of a trace",
       "run --quiet --collective ring-all-reduce-1025"},
      {"GPUs with the links of a file", "", "links_file_test"},
      {"chunks of a GPU in a schedule", "", "schedule_file_test"},
      {"GPUs with settings of their own (`gpuN`)", kRun + "--set gpu64.clock_mhz=1000"},
      {"processes of `mpirun` in one simulation", "", "processes_test"},
      {"tiles of the output", kRun + "--mode t3 --set workload.rows=65552 --set "
                                     "gpu.gemm.tile_rows=16 --set gpu.gemm.tile_columns=16 --set "
                                     "workload.columns=256 --set tracker.block_log2=5"},
      {"bytes of the chunks, with one GPU for all",
       kRun + "--gpus symmetric --set workload.rows=320 --set workload.columns=192"},
      {"`workload.contributions`", kRun + "--mode t3 --set workload.contributions=3"},
      {"buffers of a GPU", kRun + "--set hbm.capacity_gib=1 --set workload.depth=1000000"},
      {"wavefronts of a tile", kRun + "--mode t3 --set gpu.gemm.wavefronts=16"},
      {"data type with checked data", kRun + "--data checked --set workload.data_type=fp32"},
      {"codecs", kRun + "--set gpu.dma.codec=block8 --set workload.data_type=fp32"},
      {"compute units of `cu-split:K`, `ag-split:K`", kRun + "--mode cu-split:80"},
      {"bytes of a block of tiles, times its updates (with direct collectives one of each GPU)",
       kRun + "--mode t3 --set tracker.block_log2=12"},
      {"blocks of tiles", kPair + "--set tracker.slots=64"},
      {"tiles of a row, with a norm or rows that are released",
       kPair + "--set tracker.block_log2=1"},
      {"rows of tiles with a consumer or a norm",
       kRun + "--mode t3-ag --set tracker.rows=16 --set workload.consumer.columns=16 --set "
              "workload.rows=4096"},
      {"runs of chunks that a GPU treats alike, and their buffers",
       kRun + "--mode t3 --set tracker.regions=1"},
      {"sizes of the tracker other than the default",
       "run --preset tiny-tp4 --quiet --mode t3 --tracker rtl --set tracker.queue=32"},
      {"banks, bank groups, bytes of a page and of a channel block", kRun + "--set hbm.banks=12"},
      {"`hbm.stacks`", kRun + "--set hbm.stacks=5"},
      {"rows of a bank", kRun + "--set hbm.channels=1 --set hbm.banks=1 --set hbm.bank_groups=1 "
                                "--set hbm.page_bytes=256 --set hbm.capacity_gib=1024"},
      {"`nchunksperloop`, `s_chunks`", "", "msccl_file_test"},
      {"chunks in the buffers of all GPUs", "", "msccl_file_test"},
      {"any other number", "", "msccl_file_test"},
      {"bytes", kCollective + "--set collective.bytes=64GiB"},
      {"`request_bytes`, `slice_bytes`, `window_bytes`",
       kCollective + "--set gpu.collective.slice_bytes=1024 --set "
                     "gpu.collective.request_bytes=2048"},
      {"blocks of a collective by trackers", "", "collective_plan_test"},
      {"`workload.repeat` with `hbm.initial_value` = `zero-over-bus`", "", "repeat_test"},
      {"`duration_micros` of a node, or its time by a roofline", "", "workload_test"},
      {"`comm_size`, `tensor_size`", "", "workload_test"},
      {"`num_ops`", "", "workload_test"},
      {"`gemm_m`, `gemm_n`, `gemm_k`", "", "workload_test"},
      {"an iteration", "", "iteration_test"},
      {"kernels of a trace on one machine", "", "trace_graph_test"},
      {"collective that is simulated whole", "", "iteration_test: a line follows"},
      {"requests of `t3sim hbm`: bytes of one, outstanding",
       "hbm --quiet --trace none --outstanding 1000001"},
      {"points of a sweep", "", "inputs_test"},
      {"processes", "compare --preset tiny-tp4 --jobs 1025"},
      {"size of a measured collective in `validate`", "", "validate_test: left out"},
      {"free space for a waveform", "", "wave_test"},
      {"simulated time without progress", "", "run_loop_test"},
      {"an input that several processes read (`compare`, `sweep`, `reproduce`, parts of a trace, "
       "`mpirun`)",
       "", "inputs_test"},
      {"files in the directory of `--out`", "", "inputs_test"},
  };
}

std::vector<std::string> cellsOf(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream text(row.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos
                        ? ""
                        : cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
  }
  return cells;
}

/// What stands between back quotes, to the first star.
std::vector<std::string> settingsOf(const std::string& cell) {
  std::vector<std::string> settings;
  for (std::size_t at = cell.find('`'); at != std::string::npos;) {
    const std::size_t end = cell.find('`', at + 1);
    std::string word = cell.substr(at + 1, end - at - 1);
    word.resize(std::min(word.find('*'), word.size()));
    settings.push_back(word);
    at = cell.find('`', end + 1);
  }
  return settings;
}

TEST(Limits, OfThePageAreRefusedWithASettingThatMovesThem) {
  std::ifstream page(std::string(T3_DOCS) + "/limits.md");
  std::map<std::string, std::vector<std::string>> rows;  // settings by limit
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| limit |") || line.starts_with("| ---")) {
      continue;
    }
    const auto cells = cellsOf(line);
    ASSERT_EQ(cells.size(), 4U) << line;
    auto& settings = rows[cells[0]];  // a limit of all modes and of modes of T3 may have one name
    for (const std::string& setting : settingsOf(cells[3])) settings.push_back(setting);
  }
  ASSERT_GT(rows.size(), 30U);
  for (const auto& [limit, command, elsewhere] : beyond()) {
    ASSERT_TRUE(rows.contains(limit)) << "not on the page: " << limit;
    const auto settings = rows.extract(limit).mapped();
    ASSERT_NE(command.empty(), elsewhere.empty()) << limit;
    if (command.empty()) continue;
    const test::Outcome outcome = test::t3sim(command);
    EXPECT_EQ(outcome.code, 2) << limit << ": " << command << "\n" << outcome.error;
    EXPECT_EQ(std::ranges::count(outcome.error, '\n'), 1) << outcome.error;
    EXPECT_TRUE(settings.empty() || std::ranges::any_of(settings,
                                                        [&](const std::string& setting) {
                                                          return outcome.error.find(setting) !=
                                                                 std::string::npos;
                                                        }))
        << limit << ": " << outcome.error;
  }
  for (const auto& [limit, settings] : rows) ADD_FAILURE() << "without a command: " << limit;
}

}  // namespace
}  // namespace t3::limits_test
