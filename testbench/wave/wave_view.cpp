// SPDX-License-Identifier: Apache-2.0
#include "testbench/wave/wave_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "testbench/config/spelling.h"
#include "testbench/wave/fst_file.h"

namespace t3 {
namespace {

// Bits of GTKWave's save format that say how a line is shown.
constexpr std::uint64_t kHexadecimal = 0x22, kDecimal = 0x24, kBinary = 0x28, kBlank = 0x200,
                        kCollapsed = 0x1000, kSteps = 0x8000, kFullScale = 0x80000,
                        kClosed = 0x400000, kGroupBegin = 0x800000, kGroupEnd = 0x1000000,
                        kStretch = 0x20000;
constexpr std::size_t kMarkers = 26;

/// Scopes whose names end like this come first, in this order.
constexpr std::array<const char*, 15> kFirstScopes = {kTrackerTop,      kStackJoinTop,
                                                      ".lockstep",      kMergeUnitTop,
                                                      ".gpu.gemm",      ".gpu.norm",
                                                      ".gpu.consumer",  ".kernel",
                                                      ".joins",         ".dma",
                                                      ".tracker",       ".hbm",
                                                      ".link",          ".gpu.reduce_scatter",
                                                      ".gpu.all_gather"};
/// Their ports that are shown; the other signals are in GTKWave's tree.
constexpr std::array<const char*, 32> kPorts = {
    "clk_i",         "lane_valid_i",   "lane_ready_o", "done_valid_o", "done_ready_i",
    "done_slot_o",   "done_spoiled_o", "rel_valid_o",  "rel_ready_i",  "rel_row_o",
    "rel_spoiled_o", "irq_o",          "alert_o",      "busy_o",       "upd_valid_i",
    "upd_ready_o",   "upd_line_i",     "upd_count_i",  "link_valid_o", "link_line_o",
    "link_count_o",  "link_data_o",    "credit_upd_i", "expected_i",   "empty_o",
    "share_valid_i", "share_ready_o",  "share_slot_i", "cmd_valid_i",  "cmd_ready_o",
    "cmd_shares_i",  "stray_o"};

/// Where the name of a top of RTL ends in `name`; npos if it has none.
std::size_t endOfTop(const std::string& name) {
  for (const std::string top : {kTrackerTop, kMergeUnitTop, kStackJoinTop}) {
    if (const std::size_t at = name.find(top); at != std::string::npos) return at + top.size();
  }
  return std::string::npos;
}

std::size_t rankOf(const std::string& scope) {
  // Lanes and stacks stand behind their tracker, but for the tops of RTL.
  constexpr std::string_view kModel = ".tracker";
  const std::size_t tracker = scope.find(kModel);
  const bool behind = tracker != std::string::npos && endOfTop(scope) == std::string::npos;
  const std::string place =
      behind && !scope.ends_with(".lockstep") ? scope.substr(0, tracker + kModel.size()) : scope;
  const auto found =
      std::ranges::find_if(kFirstScopes, [&](const char* end) { return place.ends_with(end); });
  return static_cast<std::size_t>(found - kFirstScopes.begin());
}

/// "gpu12.hbm.ch3" after "gpu2.hbm.ch10".
std::vector<std::pair<std::string, unsigned long>> naturalOrder(const std::string& name) {
  std::vector<std::pair<std::string, unsigned long>> key;
  for (const std::string& part : split(name, '.')) {
    const std::size_t digits = part.find_last_not_of("0123456789") + 1;
    const std::string number = part.substr(digits);
    key.emplace_back(part.substr(0, digits), number.empty() ? 0 : std::stoul(number.substr(0, 9)));
  }
  return key;
}

std::uint64_t lookOf(const FstSignal& signal) {
  if (signal.bits == 1) return kBinary;
  if (signal.name.ends_with("_mb_s")) return kDecimal | kSteps | kFullScale;
  if (endOfTop(signal.name) == std::string::npos) return kDecimal;
  const bool number = signal.name.ends_with("_slot_o") || signal.name.ends_with("_row_o") ||
                      signal.name.find("_count_") != std::string::npos ||
                      signal.name.ends_with("expected_i");
  return number ? kDecimal : signal.bits <= 8 ? kBinary : kHexadecimal;
}

/// "gpu3" of "gpu3.hbm.ch1".
std::string gpuOf(const std::string& place) { return place.substr(0, place.find('.')); }

/// "gemm" of "gpu3.gpu.gemm".
std::string partOf(const std::string& place) { return place.substr(place.rfind('.') + 1); }

/// What is shown in a line of the view, and how.
struct Line {
  std::uint64_t look;
  std::string text;  ///< a signal, or bits of one
};

struct Group {
  std::string scope;
  std::vector<Line> lines;
};

/// What a port of all lanes, `lane_wg_i`, has of one of them. GTKWave numbers bits from the left.
Line laneOf(const FstSignal& port, const std::string& name, std::uint32_t lane,
            std::uint32_t lanes) {
  const std::uint32_t width = port.bits / lanes;
  if (lanes == 1) return {lookOf(port), port.name + port.range};
  std::string bits;
  for (std::uint32_t i = port.bits - (lane + 1) * width; i < port.bits - lane * width; ++i) {
    bits += (bits.empty() ? "" : " ") + ("(" + std::to_string(i) + ")") + port.name + port.range;
  }
  const std::string range = width == 1 ? "" : "[" + std::to_string(width - 1) + ":0]";
  return {width == 1         ? kBinary
          : name == "addr_i" ? kHexadecimal
                             : kDecimal,
          "#{" + name + range + "} " + bits};
}

std::vector<Group> groupsOf(const std::string& fst) {
  const std::vector<FstSignal> signals = fstSignals(fst);
  // Scope and name of a port of a unit. The scope around the unit has the same ports again.
  std::set<std::pair<std::string, std::string>> ports;
  std::map<std::string, std::uint32_t> lanes;
  const auto scopeAndName = [](const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return std::pair(name.substr(0, dot), name.substr(dot + 1));
  };
  for (const FstSignal& signal : signals) {
    const auto [scope, name] = scopeAndName(signal.name);
    if (endOfTop(scope) != scope.size()) continue;
    ports.emplace(scopeAndName(scope).first, name);
    if (name == "lane_valid_i") lanes[scope] = signal.bits;
  }
  std::map<std::string, std::vector<Line>> scopes;
  std::vector<Line> top;
  for (const FstSignal& signal : signals) {
    if (signal.constant) continue;  // never changes, and GTKWave knows it by another name
    const Line line{lookOf(signal), signal.name + signal.range};
    if (signal.name.find('.') == std::string::npos) {
      top.push_back(line);
      continue;
    }
    const auto [scope, name] = scopeAndName(signal.name);
    if (ports.contains({scope, name})) continue;
    const std::size_t endOfUnit = endOfTop(scope);
    if (endOfUnit < scope.size()) continue;  // inside the unit
    if (endOfUnit == scope.size()) {
      if (lanes.contains(scope) && name.starts_with("lane_")) {
        for (std::uint32_t lane = 0; lane < lanes[scope]; ++lane) {
          scopes[scopeAndName(scope).first + ".lane" + std::to_string(lane)].push_back(
              laneOf(signal, name.substr(5), lane, lanes[scope]));
        }
      }
      if (std::ranges::find(kPorts, name) == kPorts.end()) continue;
    }
    scopes[scope].push_back(line);
  }
  std::vector<Group> groups;
  if (!top.empty()) groups.push_back({"", top});
  for (auto& [scope, lines] : scopes) groups.push_back({scope, std::move(lines)});
  std::ranges::sort(groups, {}, [](const Group& group) {
    return std::tuple(naturalOrder(gpuOf(group.scope)),
                      group.scope.empty() ? 0 : rankOf(group.scope), naturalOrder(group.scope));
  });
  return groups;
}

// What the window shows, in pixels: the waves, and a character of a marker's label, which is
// centred at the marker.
constexpr double kWaves = 724, kCharacter = 6, kApart = 8;
/// A span up to this is shown as a whole; of a longer one, so much around the event of interest.
constexpr Picoseconds kShort = 5'000'000, kAround = 500'000;
/// A longer list of marks is closed.
constexpr std::size_t kShortList = 8;

/// One marker of GTKWave and what it stands for.
struct Marker {
  Picoseconds when = 0;
  std::vector<const WaveMark*> marks;
  std::string label;  ///< beside the letter there is none
};

/// The first of the most interesting ones; null if nothing is more than the rest.
const WaveMark* focusOf(const std::vector<WaveMark>& marks) {
  const auto most = std::ranges::max_element(marks, {}, &WaveMark::interest);
  return most == marks.end() || most->interest == 0 ? nullptr : &*most;
}

bool ofOneGpu(const std::vector<WaveMark>& marks) {
  return std::ranges::all_of(
      marks, [&](const WaveMark& mark) { return gpuOf(mark.place) == gpuOf(marks.front().place); });
}

/// "gpu1.gpu.gemm ends", "gemm ends" if all is of one GPU or it is the same in several: then with
/// their number. Empty if a marker stands for different things.
std::string labelOf(const Marker& marker, bool oneGpu) {
  const WaveMark& first = *marker.marks.front();
  const auto same = [&](const WaveMark* mark) {
    return partOf(mark->place) == partOf(first.place) && mark->text == first.text;
  };
  if (!std::ranges::all_of(marker.marks, same)) return "";
  const std::size_t count = marker.marks.size();
  return (oneGpu || count > 1 ? partOf(first.place) : first.place) + " " + first.text +
         (count > 1 ? " (" + std::to_string(count) + ")" : "");
}

/// Marks that are too near each other for two letters share a marker. A label is written where it
/// touches neither the labels beside it nor the edge.
std::vector<Marker> markersOf(const std::vector<WaveMark>& marks, const FstSpan& span,
                              const WaveMark* focus) {
  const double pixel = static_cast<double>(span.last - span.first + 4) / kWaves;
  const auto place = [&](Picoseconds when) {
    return static_cast<double>(when - span.first) / pixel;
  };
  std::vector<Marker> markers;
  for (const WaveMark& mark : marks) {
    if (markers.empty() || place(mark.when) - place(markers.back().when) < kApart) {
      if (markers.empty()) markers.push_back({mark.when, {}, ""});
      markers.back().marks.push_back(&mark);
      if (&mark == focus) markers.back().when = mark.when;
    } else if (markers.size() < kMarkers) {
      markers.push_back({mark.when, {&mark}, ""});
    } else if (&mark == focus) {
      markers.back() = {mark.when, {&mark}, ""};
    }
  }
  const bool oneGpu = ofOneGpu(marks);
  double end = 0;  // of the label before
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const double at = place(markers[i].when);
    const double next =
        i + 1 < markers.size() ? place(markers[i + 1].when) - kApart / 2 : 2 * kWaves;
    const std::string text = labelOf(markers[i], oneGpu);
    const double half = kCharacter * static_cast<double>(text.size()) / 2;
    if (!text.empty() && at - half >= end && at + half <= next) {
      markers[i].label = text;
      end = at + half;
    } else {
      end = at + kApart / 2;
    }
  }
  return markers;
}

std::string timeText(Picoseconds when) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << static_cast<double>(when) * 1e-6 << " us";
  return text.str();
}

/// A list of what the markers stand for, as a group of lines without signals.
void writeList(std::ostream& view, const std::vector<Marker>& markers) {
  std::size_t lines = 0;
  for (const Marker& marker : markers) lines += marker.marks.size();
  if (lines == 0) return;
  const std::uint64_t closed = lines > kShortList ? kClosed : 0;
  view << "@" << (kGroupBegin | kBlank | closed) << "\n-marks\n";
  char letter = 'A';
  for (const Marker& marker : markers) {
    for (const WaveMark* mark : marker.marks) {
      view << "@" << kBlank << "\n-" << letter << " " << timeText(mark->when) << ": " << mark->place
           << " " << mark->text << "\n";
    }
    ++letter;
  }
  view << "@" << (kGroupEnd | kBlank | closed | (closed != 0 ? kCollapsed : 0)) << "\n-marks\n";
}

}  // namespace

std::string viewOf(const std::string& viewPath, const std::string& path, const std::string& fst,
                   const std::vector<WaveMark>& marks) {
  std::ostringstream view;
  const FstSpan span = fstSpan(fst);
  std::vector<WaveMark> inside;
  std::ranges::copy_if(marks, std::back_inserter(inside), [&](const WaveMark& mark) {
    return mark.when >= span.first && mark.when <= span.last;
  });
  std::ranges::stable_sort(inside, {}, &WaveMark::when);
  const WaveMark* focus = focusOf(inside);
  const std::vector<Marker> markers = markersOf(inside, span, focus);
  Picoseconds first = span.first, shown = span.last - span.first;
  if (focus != nullptr && shown > kShort) {
    shown = kAround;
    first = std::max(span.first, focus->when - std::min(focus->when, kAround / 4));
  }
  // With both names GTKWave looks for the waveform where the view is.
  const auto nameOf = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  view << "[dumpfile] \"" << nameOf(path) << "\"\n[savefile] \"" << nameOf(viewPath) << "\"\n"
       << "[timestart] " << first << "\n[size] 1600 1000\n[pos] -1 -1\n";
  // A pixel is about 2^(-zoom - 7.5) ps.
  const double zoom = 2 - std::log2(static_cast<double>(shown) + 4);
  view << "*" << zoom << " " << (focus != nullptr ? focus->when : span.first);
  for (std::size_t i = 0; i < kMarkers; ++i) {
    view << " " << (i < markers.size() ? std::to_string(markers[i].when) : "-1");
  }
  view << "\n";
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (markers[i].label.empty()) continue;
    view << "[markername] " << static_cast<char>('A' + i) << markers[i].label << "\n";
  }
  view << "[sst_width] 280\n[signals_width] 320\n[sst_expanded] 1\n[sst_vpaned_height] 400\n";
  view << std::hex;
  writeList(view, markers);
  // The GPU of the event comes first. The first group is open.
  std::vector<Group> groups = groupsOf(fst);
  if (focus != nullptr) {
    std::stable_partition(groups.begin(), groups.end(), [&](const Group& group) {
      return group.scope.empty() || gpuOf(group.scope) == gpuOf(focus->place);
    });
  }
  const auto open =
      std::ranges::find_if(groups, [](const Group& group) { return !group.scope.empty(); });
  for (const Group& group : groups) {
    const bool isOpen = (open != groups.end() && group.scope == open->scope) ||
                        (focus != nullptr && group.scope == focus->place + ".lockstep");
    const std::uint64_t closed = isOpen ? 0 : kClosed;
    if (!group.scope.empty()) {
      view << "@" << (kGroupBegin | kBlank | closed) << "\n-" << group.scope << "\n";
    }
    for (const Line& line : group.lines) {
      view << "@" << line.look << "\n" << line.text << "\n";
      if ((line.look & kSteps) != 0) view << "@" << kStretch << "\n-\n";
    }
    if (!group.scope.empty()) {
      view << "@" << (kGroupEnd | kBlank | closed | (isOpen ? 0 : kCollapsed)) << "\n-"
           << group.scope << "\n";
    }
  }
  return view.str();
}

}  // namespace t3
