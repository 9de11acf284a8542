// SPDX-License-Identifier: Apache-2.0
#include "tlm/tracker/register_text.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <utility>

#include "tlm/tracker/register_names.h"
#include "tlm/tracker/registers.h"

namespace t3 {
namespace {

const registers::RegisterName* findRegister(std::uint32_t offset) {
  for (const auto& name : registers::kRegisterNames) {
    if (offset < name.offset) continue;
    const std::uint32_t from = offset - name.offset;
    const bool here = name.stride == 0
                          ? from % 4 == 0 && from / 4 < name.words
                          : from % name.stride == 0 && from / name.stride < name.elements;
    if (here) return &name;
  }
  return nullptr;
}

}  // namespace

std::string errorNames(std::uint32_t errors) {
  namespace r = registers;
  static constexpr std::array<std::pair<std::uint32_t, const char*>, 11> kNames = {{
      {r::kErrorsOverrun, "overrun"},
      {r::kErrorsStray, "stray"},
      {r::kErrorsWeight, "weight"},
      {r::kErrorsOutside, "outside"},
      {r::kErrorsRowStray, "row stray"},
      {r::kErrorsRowOutside, "row outside"},
      {r::kErrorsArmedEarly, "armed early"},
      {r::kErrorsRowArmedEarly, "row armed early"},
      {r::kErrorsInUse, "in use"},
      {r::kErrorsLocked, "locked"},
      {r::kErrorsDamaged, "damaged"},
  }};
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if ((errors & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string registerText(std::uint32_t offset) {
  const auto* name = findRegister(offset);
  std::ostringstream text;
  if (name != nullptr) {
    text << name->name;
    if (name->stride > sizeof(std::uint32_t)) text << " of " << name->of;
    if (name->stride != 0) text << " " << (offset - name->offset) / name->stride;
    if (offset - name->offset == 4 && name->words == 2) text << ", high word";
    text << " (";
  }
  text << "0x" << std::hex << std::setfill('0') << std::setw(4) << offset;
  if (name != nullptr) text << ")";
  return text.str();
}

std::string registerValueText(std::uint32_t offset, std::uint32_t value) {
  const auto* reg = findRegister(offset);
  std::ostringstream text;
  std::uint32_t rest = value;
  for (const auto& field : registers::kFieldNames) {
    if (reg == nullptr || std::string_view(field.of) != reg->name) continue;
    const std::uint32_t found = (value & field.mask) >> field.lsb;
    rest &= ~field.mask;
    if (found == 0) continue;
    std::string name = field.name;
    std::ranges::replace(name, '_', ' ');
    text << (text.tellp() == 0 ? "" : ", ") << name;
    if (field.mask >> field.lsb != 1) text << " " << found;
  }
  if (rest != 0 && rest != value) text << ", and 0x" << std::hex << rest;
  if (text.tellp() != 0) return text.str();
  text << value;
  if (value > 9) text << " (0x" << std::hex << value << ")";
  return text.str();
}

}  // namespace t3
