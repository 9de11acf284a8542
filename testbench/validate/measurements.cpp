// SPDX-License-Identifier: Apache-2.0
#include "testbench/validate/measurements.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "silicon_data.h"
#include "testbench/collective/measured_algorithm.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "tlm/collectives/promise.h"

namespace t3 {
namespace {

/// A row: its fields by the names of the first line.
class Row {
 public:
  Row(const std::string& source, std::size_t line, const std::vector<std::string>& names,
      std::vector<std::string> fields)
      : source_(source), line_(line), names_(names), fields_(std::move(fields)) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(source_, "line " + std::to_string(line_), problem);
  }
  const std::string& operator[](std::string_view name) const {
    return fields_[static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin())];
  }
  /// Above 0.
  template <typename T>
  T number(std::string_view name) const {
    const auto value = numberFrom<T>((*this)[name]);
    if (!value || !(*value > 0) || !std::isfinite(static_cast<double>(*value))) {
      fail(std::string(name) + ": expected a " + (std::is_integral_v<T> ? "whole " : "") +
           "number above 0, got " + inQuotes((*this)[name]));
    }
    return *value;
  }
  std::uint32_t count(std::string_view name) const { return number<std::uint32_t>(name); }
  std::uint64_t bytes() const { return number<std::uint64_t>("bytes"); }
  /// One of the words that a field may have.
  const std::string& oneOf(std::string_view name, const std::vector<std::string>& words) const {
    const std::string& word = (*this)[name];
    if (std::ranges::find(words, word) == words.end()) {
      fail(std::string(name) + ": expected " + alternatives(words) + ", got " + inQuotes(word));
    }
    return word;
  }

 private:
  const std::string& source_;
  const std::size_t line_;
  const std::vector<std::string>& names_;
  const std::vector<std::string> fields_;
};

const Promise& promiseOf(const Row& row) {
  constexpr std::pair<const char*, const Promise*> kNames[] = {
      {"all_reduce", &kAllReducePromise},
      {"reduce_scatter", &kReduceScatterPromise},
      {"all_gather", &kAllGatherPromise}};
  std::vector<std::string> names;
  for (const auto& [name, promise] : kNames) names.emplace_back(name);
  const std::string& word = row.oneOf("collective", names);
  return *kNames[std::ranges::find(names, word) - names.begin()].second;
}

/// MSCCL files on eight MI300X.
std::optional<Measurement> ofMscclFile(const Row& row) {
  const std::string& name = row["file"];
  const auto algorithm = MeasuredAlgorithm::named(name);
  const bool known = algorithm && (algorithm->kind == "ring" || algorithm->kind == "allpair");
  if (!known) {
    row.fail(
        "file: expected ag_ring_PROTOCOL_CHANNELS_INSTANCES, ag_allpair_PROTOCOL_x_INSTANCES or "
        "ar_allpair_PROTOCOL_x_INSTANCES, got " +
        inQuotes(name));
  }
  const auto agrees = [&](const char* field, const std::string& expected) {
    if (row[field] == expected) return;
    row.fail(std::string(field) + ": expected " + expected + ", as the file's name says, got " +
             inQuotes(row[field]));
  };
  const bool gathers = algorithm->promise == &kAllGatherPromise;
  agrees("collective", gathers ? "allgather" : "allreduce");
  agrees("algorithm", algorithm->kind);
  return Measurement{.set = gathers ? "all-gather" : "all-reduce",
                     .name = name,
                     .size = row.bytes(),
                     .time_us = row.number<double>("time_us"),
                     .run = CollectiveRun{name}};
}

/// Collectives of NVIDIA's library and of multimem kernels, on eight H100. The kernels were
/// measured with the best number of thread blocks.
std::optional<Measurement> ofMethod(const Row& row) {
  const Promise& promise = promiseOf(row);
  const std::string& method = row.oneOf("method", {"nccl", "multimem"});
  const std::uint64_t bytes = row.bytes();
  const std::string algorithm = method == "nccl" ? ncclAlgorithm(promise, 8, bytes)
                                                 : collectiveWord(promise) + "_multimem_simple_x_" +
                                                       std::to_string(kMultimemBlocks);
  return Measurement{.set = method,
                     .name = method + "_" + row["collective"],
                     .gpus = 8,
                     .size = bytes,
                     .time_us = row.number<double>("time_us"),
                     .run = CollectiveRun{algorithm, DataType::Bf16}};
}

/// The multimem all-reduce by number of thread blocks.
std::optional<Measurement> ofBlocks(const Row& row) {
  const std::string blocks = std::to_string(row.count("thread_blocks"));
  const std::string algorithm = "ar_multimem_simple_x_" + blocks;
  if (!MeasuredAlgorithm::named(algorithm))
    row.fail("thread_blocks: expected 1 to 64, got " + blocks);
  return Measurement{.set = "multimem-blocks",
                     .name = "multimem_blocks_" + blocks,
                     .gpus = 8,
                     .size = row.bytes(),
                     .time_us = row.number<double>("time_us"),
                     .run = CollectiveRun{algorithm, DataType::Bf16}};
}

/// A GEMM, and then the reduce-scatter of its output. Other rows have kernels of their own.
std::optional<Measurement> ofGemm(const Row& row) {
  const double time = row.number<double>("time_ms");
  const GemmRun run{row.count("m"), row.count("n"), row.count("k_per_gpu")};
  const bool known =
      row["machine"] == "h100" && row["op"] == "gemm+rs" && row["variant"] == "serial";
  if (!known) return std::nullopt;
  return Measurement{.set = "gemm",
                     .name = "gemm_reduce_scatter",
                     .gpus = row.count("gpus"),
                     .size = run.rows,
                     .time_us = time * 1000,
                     .run = run};
}

/// The prefill of Llama-3-70B. Of the networks that a source knows, those that a schedule says: one
/// with fused kernels is left out.
std::optional<Measurement> ofPrefill(const Row& row) {
  struct Network {
    const char *name, *schedule;
  };
  constexpr Network kNetworks[] = {{"dense", "dense"},
                                   {"ladder", "ladder"},
                                   {"no-communication", "none"},
                                   {"baseline-multimem", "dense"},
                                   {"overlap-fused", "halves"}};
  std::vector<std::string> names;
  for (const Network& one : kNetworks) names.emplace_back(one.name);
  const std::string& network = row.oneOf("network", names);
  const auto* const known = std::ranges::find(kNetworks, network, &Network::name);
  const std::string tokens = std::to_string(row.count("tokens"));
  const std::uint32_t gpus = row.count("gpus"), batch = row.count("batch");
  row.oneOf("model", {"llama-3-70b", "Llama-3.3-70B-Instruct"});  // of the same sizes
  const std::uint32_t sequence = row.count("tokens") / batch;
  if (sequence * batch != row.count("tokens")) {
    row.fail("tokens: expected a multiple of batch, got " + tokens);
  }
  const double time = row.number<double>("prefill_ms");
  return Measurement{.set = row["source"] + "-" + network,
                     .name = row["source"] + "_" + network + "_" + std::to_string(gpus),
                     .gpus = gpus,
                     .size = row.count("tokens"),
                     .time_us = time * 1000,
                     .run = PrefillRun{.graph = std::string("llama-3-70b/") + known->schedule +
                                                "/" + tokens + "/" + std::to_string(sequence),
                                       .multimem = row["source"] == "tokenweave"}};
}

struct Format {
  const char* header;
  std::optional<Measurement> (*read)(const Row& row);
};
constexpr Format kFormats[] = {
    {"collective,algorithm,file,bytes,time_us", ofMscclFile},
    {"collective,method,tokens,bytes,time_us", ofMethod},
    {"tokens,bytes,thread_blocks,time_us", ofBlocks},
    {"source,machine,op,gpus,m,n,k_per_gpu,type,variant,time_ms", ofGemm},
    {"source,model,gpus,batch,tokens,network,prefill_ms,runs", ofPrefill},
};

const Format& formatOf(const std::string& header, const std::string& source) {
  const auto* const format = std::ranges::find(kFormats, header, &Format::header);
  if (format != std::end(kFormats)) return *format;
  std::vector<std::string> headers;
  for (const Format& one : kFormats) headers.push_back(inQuotes(one.header));
  throw ConfigError(source, "line 1", "expected the line " + alternatives(headers));
}

}  // namespace

std::vector<Measurement> readMeasurements(const std::string& text, const std::string& source) {
  std::istringstream lines(text);
  std::vector<std::string> names;
  const Format* format = nullptr;
  std::vector<Measurement> all;
  std::set<std::pair<std::string, std::uint64_t>> seen;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (format == nullptr) {
      format = &formatOf(line, source);
      names = split(line, ',');
      continue;
    }
    const Row row(source, number, names, split(line, ','));
    if (const std::size_t fields = split(line, ',').size(); fields != names.size()) {
      row.fail("expected " + std::to_string(names.size()) + " fields, got " +
               std::to_string(fields));
    }
    const auto one = format->read(row);
    if (!one) continue;
    if (!seen.emplace(one->name, one->size).second) {
      row.fail("expected each name and size once, got " + one->name + " with " +
               std::to_string(one->size) + " again");
    }
    all.push_back(*one);
  }
  if (all.empty()) throw ConfigError(source, "", "expected a line of names and measured times");
  return all;
}

std::vector<Measurement> shippedMeasurements(const KnownMachine& machine) {
  std::vector<Measurement> all;
  for (const std::string& name : machine.data) {
    const auto* const file = std::ranges::find(kSiliconFiles, name, &EmbeddedFile::name);
    const auto some = readMeasurements(std::string(file->text()), "data/silicon/" + name);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace t3
