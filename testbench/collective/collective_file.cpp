// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/collective_file.h"

#include <cstdint>

#include "testbench/collective/named_algorithms.h"
#include "testbench/config/config_error.h"
#include "tlm/collectives/route.h"

namespace t3 {
namespace {

Algorithm readText(const std::string& text, const std::string& source, const Promise* gathered,
                   MscclNotes& notes) {
  return isSchedule(text) ? readSchedule(text, source, gathered)
                          : readMscclText(text, source, notes);
}

}  // namespace

CollectiveFile::CollectiveFile(const std::string& path, const Promise* gathered)
    : path_(path), algorithm_(readText(mscclTextOf(path), path, gathered, notes_)) {
  check();
}

CollectiveFile::CollectiveFile(const std::string& text, const std::string& source)
    : path_(source), algorithm_(readMscclText(text, source, notes_)) {
  check();
}

void CollectiveFile::check() {
  try {
    form_ = std::make_unique<const AlgorithmForm>(algorithm_);
    meaning_ = std::make_unique<const AlgorithmMeaning>(*form_);
  } catch (const AlgorithmError& error) {
    throw ConfigError(path_, lineOf(error), error.what());
  }
}

std::string lineOf(const AlgorithmError& error) {
  return error.line() == 0 ? "" : "line " + std::to_string(error.line());
}

namespace {

Algorithm algorithmFor(const Promise& promise, const SystemConfig& config) {
  if (&promise == &kAllToAllPromise) return allToAll(config.gpus);
  if (&promise == &kBroadcastPromise) {
    const std::uint32_t places = config.fabric.reach(config.gpus).gpusPerNode;
    return broadcast(config.gpus, places != 0 ? places : config.gpus);
  }
  return algorithmOf(*config.makeRoute(), promise);
}

}  // namespace

BuiltInCollective::BuiltInCollective(const Promise& promise, const SystemConfig& config)
    : algorithm_(algorithmFor(promise, config)), form_(algorithm_), meaning_(form_) {}

}  // namespace t3
