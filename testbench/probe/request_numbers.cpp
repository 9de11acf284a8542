// SPDX-License-Identifier: Apache-2.0
#include "testbench/probe/request_numbers.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "testbench/config/spelling.h"
#include "tlm/collectives/step_worker.h"

namespace t3 {
namespace {

/// The number after `prefix`: 1 of "gpu0.link_1" after "gpu0.link_", `otherwise` if there is none.
template <typename Number>
Number numberAfter(std::string_view name, std::string_view prefix, Number otherwise) {
  Number number = otherwise;
  if (name.starts_with(prefix)) {
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  }
  return number;
}

}  // namespace

int gpuOfModel(const std::string& name) { return numberAfter(name, "gpu", -1); }

RequestNumbers::RequestNumbers(const std::vector<PublishedModel>& models) {
  const bool switched = std::ranges::any_of(
      models, [](const auto& model) { return model.name.starts_with("switch."); });
  // A merge unit makes new requests of what comes.
  const bool merges = std::ranges::any_of(
      models, [](const auto& model) { return model.name.starts_with("switch.merge"); });
  const bool looped = !merges && std::ranges::none_of(models, [](const auto& model) {
    return gpuOfModel(model.name) > 0;
  });
  for (const PublishedModel& model : models) {
    const std::string& name = model.name;
    const auto isPort = [&](const char* part) { return name.find(part) != std::string::npos; };
    Model& entry = models_.emplace_back();
    entry.gpu = static_cast<std::uint32_t>(std::max(gpuOfModel(name), 0));
    if (isPort(".dma.memory")) entry.port = Port::DmaMemory;
    if (isPort(".dma.egress") || isPort(".dma.gather")) entry.port = Port::DmaEgress;
    if (isPort(".ingress") && name.ends_with(".memory")) entry.port = Port::Ingress;
    if (!looped) continue;
    if (name.starts_with("gpu0.link")) entry.into = &loops_[numberAfter(name, "gpu0.link_", 0U)];
    if (name == "switch.link0") {
      entry.from = &loops_[0];
      entry.fromPhase = RequestPhase::Sent;
    } else if (entry.port == Port::Ingress && !switched) {
      const std::size_t ingress = name.find(".ingress");
      entry.from = &loops_[numberAfter(std::string_view(name).substr(ingress), ".ingress_", 0U)];
    }
  }
}

const RequestName& RequestNumbers::operator()(const RequestStep& step) {
  Model& model = models_[step.source];
  RequestName& name = names_[&step.payload];
  if (step.phase == RequestPhase::Joined) {
    joined_ = {name.number, model.sum, name.ofTile};
    return joined_;
  }
  // At the far end of a link a message becomes a request of another object.
  if (step.phase == RequestPhase::Delivered) {
    name = model.onTheWay.extract(step.message).mapped();
  }
  if (model.into != nullptr && step.phase == RequestPhase::Delivered) {
    model.into->push_back({name, step.bytes});
  }
  if (model.from != nullptr && step.phase == model.fromPhase) {
    Delivered& whole = model.from->front();
    name = whole.name;
    whole.bytes -= step.bytes;
    if (whole.bytes == 0) model.from->pop_front();
  }
  if (step.phase == RequestPhase::Sent) model.onTheWay[step.message] = name;
  // An ingress passes on what a link has delivered.
  if (step.phase != RequestPhase::Created || model.port == Port::Ingress) return name;
  const ReadOfGpu place{model.gpu, traffic(step.payload).step};
  name = {++last_, 0, traffic(step.payload).tracked};
  model.sum = last_;
  if (model.port == Port::Other) return name;
  const bool ofTiles = traffic(step.payload).phase != kCollectivePhase;
  const bool zeroes = ofTiles && model.port == Port::DmaMemory && !step.payload.is_read();
  if (ofTiles) name.ofTile = !zeroes;
  if (model.port == Port::DmaMemory && step.payload.is_read()) {
    reads_[place] = last_;
  } else if (const auto read = reads_.find(place); read != reads_.end() && !zeroes) {
    name.cause = read->second;
    // What is read for a step of a file's collective may be written to two places.
    if (ofTiles) reads_.erase(read);
  }
  return name;
}

const std::string& phaseName(Phase phase) {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = spellings<Phase>();
    names.emplace_back("collective");
    return names;
  }();
  return kNames[std::min(static_cast<std::size_t>(phase), kNames.size() - 1)];
}

}  // namespace t3
