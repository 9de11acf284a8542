// SPDX-License-Identifier: Apache-2.0
#include "testbench/wave/wave_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "testbench/wave/fst_file.h"

namespace t3 {
namespace {

// Bits of GTKWave's save format that say how a line is shown.
constexpr std::uint64_t kHexadecimal = 0x22, kDecimal = 0x24, kBinary = 0x28, kBlank = 0x200,
                        kSteps = 0x8000, kFullScale = 0x80000, kClosed = 0x400000,
                        kGroupBegin = 0x800000, kGroupEnd = 0x1000000, kEnum = 0x100000000,
                        kStretch = 0x20000;
constexpr std::size_t kMarkers = 26;

constexpr const char* kUnit = ".t3_track_trigger";

/// Scopes whose names end like this are shown open, in this order; the others follow, closed.
constexpr std::array<const char*, 8> kOpenScopes = {
    kUnit,   ".gpu.gemm",           ".gpu.dma",       ".tracker", ".hbm",
    ".link", ".gpu.reduce_scatter", ".gpu.all_gather"};
/// Ports of the unit that are shown; the other signals are in GTKWave's tree.
constexpr std::array<const char*, 16> kPorts = {
    "clk_i",       "lane_valid_i", "lane_ready_o", "dma_valid_o", "dma_ready_i", "dma_cmd_o",
    "dma_wg_o",    "ntf_valid_o",  "ntf_cmd_o",    "ntf_wg_o",    "mem_valid_o", "mem_ready_i",
    "mem_write_o", "mem_rvalid_i", "irq_o",        "busy_o"};

std::size_t rankOf(const std::string& scope) {
  const auto found =
      std::ranges::find_if(kOpenScopes, [&](const char* end) { return scope.ends_with(end); });
  return static_cast<std::size_t>(found - kOpenScopes.begin());
}

/// "gpu12.hbm.ch3" after "gpu2.hbm.ch10".
std::vector<std::pair<std::string, unsigned long>> naturalOrder(const std::string& name) {
  std::vector<std::pair<std::string, unsigned long>> key;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '.');) {
    const std::size_t digits = part.find_last_not_of("0123456789") + 1;
    const std::string number = part.substr(digits);
    key.emplace_back(part.substr(0, digits), number.empty() ? 0 : std::stoul(number.substr(0, 9)));
  }
  return key;
}

std::uint64_t lookOf(const FstSignal& signal) {
  if (signal.enumeration) return kBinary | kEnum;
  if (signal.bits == 1) return kBinary;
  if (signal.name.ends_with("_mb_s")) return kDecimal | kSteps | kFullScale;
  if (signal.name.find(kUnit) == std::string::npos) return kDecimal;
  const bool number = signal.name.ends_with("_cmd_o") || signal.name.ends_with("_wg_o");
  return number ? kDecimal : signal.bits <= 8 ? kBinary : kHexadecimal;
}

struct Group {
  std::string scope;
  std::vector<FstSignal> signals;
};

std::vector<Group> groupsOf(const std::string& fst) {
  std::map<std::string, std::vector<FstSignal>> scopes;
  std::vector<FstSignal> top;
  for (const FstSignal& signal : fstSignals(fst)) {
    const std::size_t dot = signal.name.rfind('.');
    if (dot == std::string::npos) {
      top.push_back(signal);
      continue;
    }
    const std::string scope = signal.name.substr(0, dot);
    if (scope.find(std::string(kUnit) + ".") != std::string::npos) continue;  // inside the unit
    if (scope.ends_with(kUnit)) {
      const std::string name = signal.name.substr(dot + 1);
      if (std::ranges::find(kPorts, name) == kPorts.end()) continue;
    }
    scopes[scope].push_back(signal);
  }
  std::vector<Group> groups;
  if (!top.empty()) groups.push_back({"", top});
  for (auto& [scope, signals] : scopes) groups.push_back({scope, std::move(signals)});
  std::ranges::sort(groups, {}, [](const Group& group) {
    const std::string gpu = group.scope.substr(0, group.scope.find('.'));
    return std::tuple(naturalOrder(gpu), group.scope.empty() ? 0 : rankOf(group.scope),
                      naturalOrder(group.scope));
  });
  return groups;
}

}  // namespace

std::string viewOf(const std::string& path, const std::string& fst,
                   const std::vector<WaveMark>& marks) {
  std::ostringstream view;
  const FstSpan span = fstSpan(fst);
  view << "[dumpfile] \"" << std::filesystem::absolute(path).string() << "\"\n"
       << "[timestart] " << span.first << "\n[size] 1600 1000\n[pos] -1 -1\n";
  // A pixel is about 2^(-zoom - 7.5) ps; the whole span fits into the window.
  const double zoom = 2 - std::log2(static_cast<double>(span.last - span.first) + 4);
  std::vector<WaveMark> inside;
  for (const WaveMark& mark : marks) {
    if (mark.when >= span.first && mark.when <= span.last && inside.size() < kMarkers) {
      inside.push_back(mark);
    }
  }
  view << "*" << zoom << " " << span.first;
  for (std::size_t i = 0; i < kMarkers; ++i) {
    view << " " << (i < inside.size() ? std::to_string(inside[i].when) : "-1");
  }
  view << "\n";
  for (std::size_t i = 0; i < inside.size(); ++i) {
    view << "[markername] " << static_cast<char>('A' + i) << inside[i].text << "\n";
  }
  view << "[sst_width] 280\n[signals_width] 320\n[sst_expanded] 1\n[sst_vpaned_height] 400\n";
  view << std::hex;
  for (const Group& group : groupsOf(fst)) {
    const std::uint64_t closed =
        !group.scope.empty() && rankOf(group.scope) == kOpenScopes.size() ? kClosed : 0;
    if (!group.scope.empty()) {
      view << "@" << (kGroupBegin | kBlank | closed) << "\n-" << group.scope << "\n";
    }
    for (const FstSignal& signal : group.signals) {
      view << "@" << lookOf(signal) << "\n" << signal.name << signal.range << "\n";
      if ((lookOf(signal) & kSteps) != 0) view << "@" << kStretch << "\n-\n";
    }
    if (!group.scope.empty()) {
      view << "@" << (kGroupEnd | kBlank | closed) << "\n-" << group.scope << "\n";
    }
  }
  return view.str();
}

}  // namespace t3
