// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/collective_file.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "tlm/collectives/promise.h"

namespace t3 {
namespace {

using Attribute = std::pair<const char*, std::string>;

std::string number(std::optional<std::uint32_t> value) {
  return value ? std::to_string(*value) : "-1";
}

/// No value has a character that XML wants escaped.
std::string element(const char* name, std::initializer_list<Attribute> attributes,
                    const char* end = ">\n") {
  std::string text = std::string("<") + name;
  for (const auto& [attribute, value] : attributes) {
    text += std::string(" ") + attribute + "=\"" + value + '"';
  }
  return text + end;
}

std::string stepText(const AlgorithmStep& step, std::uint32_t index) {
  std::optional<std::uint32_t> source = step.source, target = step.target, block, before;
  if (step.count == 0) source = target = std::nullopt;
  if (step.dependency) {
    block = step.dependency->threadBlock;
    before = step.dependency->step;
  }
  // What a step that only waits says of buffers has no meaning.
  const auto buffer = [&](AlgorithmBuffer own, AlgorithmBuffer usual) {
    return kBufferNames[static_cast<std::size_t>(step.count == 0 ? usual : own)];
  };
  return "      " + element("step",
                            {{"s", std::to_string(index)},
                             {"type", step.kind->name},
                             {"srcbuf", buffer(step.sourceBuffer, AlgorithmBuffer::Input)},
                             {"srcoff", number(source)},
                             {"dstbuf", buffer(step.targetBuffer, AlgorithmBuffer::Output)},
                             {"dstoff", number(target)},
                             {"cnt", std::to_string(step.count)},
                             {"depid", number(block)},
                             {"deps", number(before)},
                             {"hasdep", step.hasDependents ? "1" : "0"}},
                            "/>\n");
}

}  // namespace

std::string mscclText(const Algorithm& algorithm) {
  std::string text =
      element("algo", {{"name", algorithm.name},
                       {"proto", kProtocolNames[static_cast<std::size_t>(algorithm.protocol)]},
                       {"nchannels", std::to_string(algorithm.channels)},
                       {"nchunksperloop", std::to_string(algorithm.chunks)},
                       {"ngpus", std::to_string(algorithm.gpuCount())},
                       {"coll", algorithm.promise->name},
                       {"inplace", algorithm.inPlace ? "1" : "0"},
                       {"outofplace", algorithm.inPlace ? "0" : "1"}});
  for (std::uint32_t g = 0; g < algorithm.gpuCount(); ++g) {
    const AlgorithmGpu& gpu = algorithm.gpus[g];
    text += "  " + element("gpu", {{"id", std::to_string(g)},
                                   {"i_chunks", std::to_string(gpu.inputChunks)},
                                   {"o_chunks", std::to_string(gpu.outputChunks)},
                                   {"s_chunks", std::to_string(gpu.scratchChunks)}});
    for (std::uint32_t b = 0; b < gpu.threadBlocks.size(); ++b) {
      const AlgorithmThreadBlock& block = gpu.threadBlocks[b];
      text += "    " + element("tb", {{"id", std::to_string(b)},
                                      {"send", number(block.sendsTo)},
                                      {"recv", number(block.receivesFrom)},
                                      {"chan", std::to_string(block.channel)}});
      for (std::uint32_t s = 0; s < block.steps.size(); ++s) text += stepText(block.steps[s], s);
      text += "    </tb>\n";
    }
    text += "  </gpu>\n";
  }
  return text + "</algo>\n";
}

}  // namespace t3
