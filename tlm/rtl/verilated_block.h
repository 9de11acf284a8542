// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the files that name Verilated classes. Before any SystemC header: Verilator's refuse to be
// read after those.
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace t3 {

/// The name of a model as Verilator takes it: where a waveform has its scopes, it has spaces.
inline std::string verilatedScopes(std::string name) {
  std::ranges::replace(name, '.', ' ');
  return name;
}

// Bases in the order in which they are needed: the context, the model in it, references to the
// model's ports.
struct ContextHolder {
  std::shared_ptr<VerilatedContext> context;
};

/// A `Block`, which is an RtlBlock with pins, of one class that Verilator made.
template <typename Model, typename Block, bool kTraced>
class VerilatedBlock : private ContextHolder, private Model, public Block {
 public:
  /// `portsOf(model)`: references to its ports.
  template <typename PortsOf>
  VerilatedBlock(std::shared_ptr<VerilatedContext> shared, const char* name, PortsOf portsOf)
      : ContextHolder{std::move(shared)},
        Model(context.get(), name),
        Block(portsOf(static_cast<Model&>(*this))) {}
  ~VerilatedBlock() override {
    select();
    Model::final();
  }

  bool cycle(std::uint64_t picoseconds) override {
    select();
    context->time(picoseconds);
    Model::clk_i = 0;
    Model::eval();
    if constexpr (kTraced) {
      if (this->low_) this->low_();
    }
    Model::clk_i = 1;
    Model::eval();
    if (!context->gotError()) return true;
    context->gotError(false);
    return false;
  }

  bool traceTo([[maybe_unused]] VerilatedFstC& sink) override {
    constexpr int kAllLevels = 99;
    if constexpr (kTraced) Model::trace(&sink, kAllLevels);
    return kTraced;
  }

 private:
  // Messages, errors and destructors use the thread's current context, not the model's.
  void select() { Verilated::threadContextp(context.get()); }
};

}  // namespace t3
