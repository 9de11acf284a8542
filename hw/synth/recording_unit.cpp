// SPDX-License-Identifier: Apache-2.0
// Stands in for tlm/tracker/make_rtl_unit.cpp: a unit that writes its pins, one line per clock
// cycle, in the order of tests/rtl/vectors_tb.sv, to <tracker>.vectors in the folder that
// T3_RTL_VECTORS names.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ios>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "Vt3_track_trigger.h"
#include "tlm/tracker/rtl_unit.h"
#include "tlm/tracker/verilated_unit.h"

namespace t3 {
namespace {

class RecordingUnit : public VerilatedUnit<Vt3_track_trigger, false> {
 public:
  RecordingUnit(std::shared_ptr<VerilatedContext> shared, const char* name)
      : VerilatedUnit(std::move(shared), name) {
    const char* folder = std::getenv("T3_RTL_VECTORS");
    if (folder == nullptr) throw std::runtime_error("T3_RTL_VECTORS: expected a folder");
    const std::string path = std::string(folder) + "/" + name + ".vectors";
    file_.open(path);
    if (!file_) throw std::runtime_error(path + ": cannot write");
    file_ << std::hex;
  }

  /// All outputs are functions of registers: before the edge they are what the line has to say.
  bool cycle(std::uint64_t picoseconds) override {
    const RtlPins& p = pins;
    put(p.resetN, p.laneValid);
    wide(p.laneWorkgroup);
    put(p.laneWavefront);
    wide(p.laneAddress);
    put(p.laneWeight, p.doneReady, p.releaseReady, p.awValid, p.awAddress, p.awProtection, p.wValid,
        p.wData, p.wStrobes, p.bReady, p.arValid, p.arAddress, p.arProtection, p.rReady);
    put(p.laneReady, p.doneValid, p.doneSlot, p.doneSpoiled, p.releaseValid, p.releaseRow,
        p.awReady, p.wReady, p.bValid, p.bResponse, p.arReady, p.rValid, p.rData, p.rResponse,
        p.interrupt, p.alert, p.busy);
    file_ << '\n';
    return VerilatedUnit::cycle(picoseconds);
  }

 private:
  template <class... Values>
  void put(Values... values) {
    ((file_ << std::uint64_t{values} << ' '), ...);
  }
  void wide(const SizedPin& pin) {
    constexpr std::size_t kWord = 4;
    constexpr int kDigits = 8;
    for (std::size_t at = pin.size(); at > 0;) {
      at -= kWord;
      std::uint32_t word = 0;
      std::memcpy(&word, pin.bytes() + at, kWord);
      file_.width(kDigits);
      file_.fill('0');
      file_ << word;
    }
    file_ << ' ';
  }

  std::ofstream file_;
};

}  // namespace

std::unique_ptr<RtlUnit> makeRtlUnit(std::shared_ptr<VerilatedContext> context, const char* name,
                                     bool) {
  return std::make_unique<RecordingUnit>(std::move(context), name);
}

}  // namespace t3
