// SPDX-License-Identifier: Apache-2.0
// Stands in for tlm/tracker/make_rtl_unit.cpp: the unit in three kinds and two sizes, with public
// memories.
#include "tests/faults/faulty_units.h"

#include <verilated.h>
#include <verilated_sym_props.h>
#include <verilated_syms.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "Vfaults_none_2x1.h"
#include "Vfaults_none_64x4.h"
#include "Vfaults_parity_2x1.h"
#include "Vfaults_parity_64x4.h"
#include "Vfaults_secded_2x1.h"
#include "Vfaults_secded_64x4.h"
#include "tlm/tracker/make_rtl_unit.h"
#include "tlm/tracker/verilated_unit.h"

namespace t3 {
namespace {

constexpr RtlTable kSmall{2, 1};
constexpr std::array kTables = {kSmall, RtlTable{64, 4}};
faults::Protection protection = faults::Protection::None;

std::vector<std::shared_ptr<VerilatedContext>>& contexts() {
  static std::vector<std::shared_ptr<VerilatedContext>> all;
  return all;
}

/// Per unit, the bit to change of the next record that it reads, if any.
std::vector<std::optional<std::uint32_t>>& wrongBits() {
  static std::vector<std::optional<std::uint32_t>> bits;
  return bits;
}

template <class Model>
class FaultyUnit : public VerilatedUnit<Model, false> {
 public:
  FaultyUnit(std::shared_ptr<VerilatedContext> own, const char* name)
      : VerilatedUnit<Model, false>(std::move(own), name), number_(wrongBits().size()) {
    wrongBits().emplace_back();
  }

  bool cycle(std::uint64_t picoseconds) override {
    std::optional<std::uint32_t>& bit = wrongBits()[number_];
    if (bit && this->pins.answerValid != 0) {
      this->pins.answerData[*bit / 32] ^= 1U << *bit % 32;
      bit.reset();
    }
    return VerilatedUnit<Model, false>::cycle(picoseconds);
  }

 private:
  const std::size_t number_;
};

template <class Model>
std::unique_ptr<RtlUnit> make(std::shared_ptr<VerilatedContext> context, const char* name) {
  return std::make_unique<FaultyUnit<Model>>(std::move(context), name);
}

/// The variable of that name in the one module of a unit that has it public.
const VerilatedVar* find(std::size_t unit, const char* name) {
  for (const auto& [path, scope] : *contexts()[unit]->scopeNameMap()) {
    if (const VerilatedVar* found = scope->varFind(name)) return found;
  }
  return nullptr;
}

}  // namespace

std::span<const RtlTable> rtlTables() { return kTables; }

std::shared_ptr<VerilatedContext> makeRtlContext(bool) {
  auto context = std::make_shared<VerilatedContext>();
  context->fatalOnError(false);
  contexts().push_back(context);
  return context;
}

std::unique_ptr<RtlUnit> makeRtlUnit(RtlTable table, std::shared_ptr<VerilatedContext> context,
                                     const char* name, bool) {
  const bool small = table == kSmall;
  switch (protection) {
    case faults::Protection::None:
      return (small ? make<Vfaults_none_2x1> : make<Vfaults_none_64x4>)(std::move(context), name);
    case faults::Protection::Parity:
      return (small ? make<Vfaults_parity_2x1> : make<Vfaults_parity_64x4>)(std::move(context),
                                                                            name);
    case faults::Protection::Secded:
      return (small ? make<Vfaults_secded_2x1> : make<Vfaults_secded_64x4>)(std::move(context),
                                                                            name);
  }
  return nullptr;
}

namespace faults {

void protect(Protection chosen) { protection = chosen; }

void Memory::flip(std::uint32_t word, std::uint32_t bit) const {
  data[word * stride + bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
}

bool Memory::zero(std::uint32_t word) const {
  return std::all_of(data + word * stride, data + (word + 1) * stride,
                     [](unsigned char byte) { return byte == 0; });
}

std::size_t units() { return contexts().size(); }

std::vector<Memory> memories(std::size_t unit) {
  std::vector<Memory> found;
  for (const auto& [path, scope] : *contexts()[unit]->scopeNameMap()) {
    const VerilatedVar* words = scope->varFind("mem_q");
    if (words == nullptr) continue;
    found.push_back({.name = path,
                     .words = static_cast<std::uint32_t>(words->unpacked().elements()),
                     .bits = static_cast<std::uint32_t>(words->packed().elements()),
                     .data = static_cast<unsigned char*>(words->datap()),
                     .stride = words->entSize()});
  }
  return found;
}

void flipNextRecord(std::size_t unit, std::uint32_t bit) { wrongBits()[unit] = bit; }

std::uint32_t errors() {
  std::uint32_t all = 0;
  for (std::size_t unit = 0; unit < units(); ++unit) {
    all |= *static_cast<const std::uint16_t*>(find(unit, "errors_o")->datap());
  }
  return all;
}

std::uint64_t corrected() {
  std::uint64_t all = 0;
  for (std::size_t unit = 0; unit < units(); ++unit) {
    all += *static_cast<const std::uint64_t*>(find(unit, "corrected_o")->datap());
  }
  return all;
}

}  // namespace faults
}  // namespace t3
