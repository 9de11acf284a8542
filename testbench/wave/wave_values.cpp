// SPDX-License-Identifier: Apache-2.0
#include "testbench/wave/wave_values.h"

#include <algorithm>
#include <map>

namespace t3 {
namespace {

constexpr std::uint32_t kMegabytesPerSecondBits = 24;
constexpr int kFirstTable = 1 << 20;  // numbers below are for tables of the RTL

}  // namespace

void WaveValues::add(const std::string& model, const PublishedValue& value) {
  Value drawn{value, model + "." + value.name, value.bits};
  if (value.kind == PublishedValue::Kind::Counter && std::string(value.unit) == "bytes") {
    drawn.name += "_mb_s";
    drawn.bits = kMegabytesPerSecondBits;
    drawn.rate = true;
  }
  values_.push_back(std::move(drawn));
}

void WaveValues::sort() { std::ranges::sort(values_, {}, &Value::name); }

void WaveValues::declare(VerilatedFst& sink, std::uint32_t code) {
  first_ = code + code % 2;
  int table = kFirstTable;
  std::map<const void*, int> tables;  // by their choices
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Value& value = values_[i];
    std::string path = value.name;
    std::replace(path.begin(), path.end(), '.', ' ');
    const std::size_t end = path.rfind(' ') + 1;
    sink.pushNamePrefix(path.substr(0, end));
    const std::string name = path.substr(end);
    int used = -1;
    if (!value.value.choices.empty()) {
      const auto [entry, isNew] = tables.emplace(value.value.choices.data(), table);
      if (isNew) declareTable(sink, table++, value);
      used = entry->second;
    }
    const std::uint32_t at = codeOf(i);
    const int high = static_cast<int>(value.bits) - 1;
    if (value.bits == 1) {
      sink.declBit(at, name.c_str(), used, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1);
    } else if (value.bits <= 32) {
      sink.declBus(at, name.c_str(), used, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, high, 0);
    } else {
      sink.declQuad(at, name.c_str(), used, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, high, 0);
    }
    sink.popNamePrefix();
  }
}

void WaveValues::declareTable(VerilatedFst& sink, int number, const Value& value) {
  std::vector<std::string> digits;
  for (std::size_t i = 0; i < value.value.choices.size(); ++i) {
    std::string text;
    for (std::uint32_t bit = value.bits; bit-- > 0;) text += (i >> bit & 1) != 0 ? '1' : '0';
    digits.push_back(text);
  }
  std::vector<const char*> names(value.value.choices.begin(), value.value.choices.end());
  std::vector<const char*> texts;
  for (const std::string& text : digits) texts.push_back(text.c_str());
  const std::string name = value.name.substr(value.name.rfind('.') + 1);
  sink.declDTypeEnum(number, name.c_str(), static_cast<std::uint32_t>(names.size()), value.bits,
                     names.data(), texts.data());
}

/// A code has 32 bits, and 64 are read at an even one.
std::uint32_t WaveValues::codeOf(std::size_t index) const {
  return first_ + 2 * static_cast<std::uint32_t>(index);
}

void WaveValues::draw(VerilatedFst::Buffer& buffer, bool all) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::uint32_t* old = buffer.oldp(codeOf(i));
    const Value& value = values_[i];
    const int bits = static_cast<int>(value.bits);
    if (value.bits <= 32) {
      const auto now = static_cast<std::uint32_t>(value.drawn);
      all ? buffer.fullIData(old, now, bits) : buffer.chgIData(old, now, bits);
    } else {
      all ? buffer.fullQData(old, value.drawn, bits) : buffer.chgQData(old, value.drawn, bits);
    }
  }
}

bool WaveValues::read(Picoseconds when) {
  const bool rates = when >= rateFrom_ + kRateWindow;
  bool changed = false;
  for (Value& value : values_) {
    if (value.rate && !rates) continue;
    std::uint64_t present = value.value.read();
    if (value.rate) {
      const std::uint64_t bytes = present - value.counted;
      value.counted = present;
      present = bytes * 1'000'000 / (when - rateFrom_);  // a byte per ps is 1e6 MB/s
    }
    if (present == value.drawn) continue;
    value.drawn = present;
    changed = true;
  }
  if (rates) rateFrom_ = when;
  return changed;
}

void WaveValues::fallQuiet() {
  for (Value& value : values_) {
    if (value.rate) value.drawn = 0;
  }
}

}  // namespace t3
