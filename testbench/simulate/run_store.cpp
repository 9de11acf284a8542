// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulate/run_store.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "testbench/build_info.h"
#include "testbench/collective/named_algorithms.h"
#include "testbench/config/config_error.h"
#include "testbench/config/described_json.h"
#include "testbench/config/text_file.h"
#include "testbench/output/output_file.h"
#include "testbench/presets/scenario.h"

namespace t3 {
namespace {

namespace json = boost::json;

/// FNV-1a with 64 bits, in hexadecimal.
std::string hashOf(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char byte : text) value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  std::array<char, 17> digits;
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(value));
  return digits.data();
}

}  // namespace

RunStore::RunStore(const std::string& option, const std::string& directory)
    : directory_(directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw ConfigError(option, directory, "cannot be made: " + error.message());
}

std::string RunStore::identityOf(const WorkerJob& job) {
  json::object identity = {{"model", build::kModelSha256}, {"job", toJson(job)}};
  if (!job.scenario.fabric.links.empty()) {
    identity["links"] = readTextFile(job.scenario.fabric.links);
  }
  if (const std::string& graph = job.scenario.workload.graph; !graph.empty()) {
    json::array hashes;  // a trace is no text
    for (const std::string& file : graphFiles(graph)) hashes.emplace_back(hashOf(readBytes(file)));
    identity["graph"] = std::move(hashes);
  }
  for (const std::string& path : {collectiveFileOf(job.scenario), job.collective_file}) {
    if (!path.empty()) identity["collective"] = mscclTextOf(path);
  }
  return json::serialize(identity);
}

std::string RunStore::path(const std::string& identity) const {
  return (std::filesystem::path(directory_) / (hashOf(identity) + ".json")).string();
}

std::optional<RunRecord> RunStore::load(const WorkerJob& job) const {
  const std::string identity = identityOf(job);
  std::ifstream file(path(identity), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // The last line is the hash of what is before it.
  const std::size_t end = text.find('\n') + 1;  // npos + 1 is 0
  if (end == 0 || text.substr(end) != hashOf(text.substr(0, end)) + "\n") return std::nullopt;
  try {
    const json::value stored = json::parse(text.substr(0, end));
    if (json::serialize(stored.at("identity")) != identity) return std::nullopt;
    return fromJson<RunRecord>(stored.at("record"));
  } catch (const std::exception&) {  // not ours: the run is simply made again
    return std::nullopt;
  }
}

void RunStore::save(const WorkerJob& job, const RunRecord& record) const {
  const std::string identity = identityOf(job);
  const std::string text = json::serialize(json::value{{"identity", json::parse(identity)},
                                                       {"record", toJson(record)}}) +
                           "\n";
  OutputFile("--out", path(identity)).commit(text + hashOf(text) + "\n");
}

}  // namespace t3
