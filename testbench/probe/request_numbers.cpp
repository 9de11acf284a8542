// SPDX-License-Identifier: Apache-2.0
#include "testbench/probe/request_numbers.h"

#include <charconv>

namespace t3 {

int gpuOfModel(const std::string& name) {
  constexpr std::size_t kPrefix = 3;
  int gpu = -1;
  if (name.starts_with("gpu")) {
    std::from_chars(name.data() + kPrefix, name.data() + name.size(), gpu);
  }
  return gpu;
}

RequestNumbers::RequestNumbers(const std::vector<PublishedModel>& models) {
  for (const PublishedModel& model : models) {
    const bool memory = model.name.find(".dma.memory") != std::string::npos;
    const bool egress = model.name.find(".dma.egress") != std::string::npos;
    models_.push_back({memory   ? Port::DmaMemory
                       : egress ? Port::DmaEgress
                                : Port::Other,
                       static_cast<std::uint32_t>(std::max(gpuOfModel(model.name), 0))});
  }
}

const RequestName& RequestNumbers::operator()(const RequestStep& step) {
  Known& known = known_[&step.payload];
  if (step.phase == RequestPhase::Delivered) known.delivered = true;
  if (step.phase != RequestPhase::Created) return known.name;
  if (known.delivered) {
    known.delivered = false;
    return known.name;
  }
  const Model& model = models_[step.source];
  const std::uint64_t place = globalAddress(GpuId{model.gpu}, localAddress(step.address));
  known.name = {++last_, 0, traffic(step.payload).tracked || model.port != Port::Other};
  if (model.port == Port::DmaMemory && step.payload.is_read()) reads_[place] = last_;
  if (model.port == Port::DmaMemory && !step.payload.is_read()) known.name.ofTile = false;
  if (model.port == Port::DmaEgress) {
    if (const auto read = reads_.find(place); read != reads_.end()) {
      known.name.cause = read->second;
      reads_.erase(read);
    }
  }
  return known.name;
}

}  // namespace t3
