// SPDX-License-Identifier: Apache-2.0
#include "rtl_test/wave_view.h"

#include <gtkwave/fstapi.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace t3::rtl_test {
namespace {

// Bits of GTKWave's save format that say how a line is shown.
constexpr int kOpen = 0x800200, kOpenEnd = 0x1000200, kClosed = 0xc00200, kClosedEnd = 0x1401200;
constexpr double kNanosecond = 1e3, kShown = 100;  // what is shown around a failure, in ns

struct Group {
  std::string scope;
  std::vector<std::string> lines;
};

/// The signals of each module below the one that Verilator puts around all of them.
std::vector<Group> groupsOf(void* reader) {
  std::vector<Group> groups;
  std::vector<std::string> scopes;
  std::vector<std::size_t> open;  // group of each scope
  fstReaderIterateHierRewind(reader);
  while (const fstHier* item = fstReaderIterateHier(reader)) {
    if (item->htyp == FST_HT_SCOPE) {
      scopes.push_back((scopes.empty() ? "" : scopes.back() + ".") + item->u.scope.name);
      open.push_back(groups.size());
      groups.push_back({scopes.back(), {}});
    } else if (item->htyp == FST_HT_UPSCOPE) {
      scopes.pop_back();
      open.pop_back();
    } else if (item->htyp == FST_HT_VAR && scopes.size() > 1 &&
               item->u.var.typ != FST_VT_VCD_PARAMETER) {
      std::string name = item->u.var.name;  // "weight_i [10:0]"
      if (const auto space = name.find(' '); space != std::string::npos) name.erase(space, 1);
      groups[open.back()].lines.push_back("@" + std::string(item->u.var.length == 1 ? "28" : "22") +
                                          "\n" + scopes.back() + "." + name);
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.lines.empty(); });
  return groups;
}

}  // namespace

std::string viewPath(const std::string& fst) {
  return std::filesystem::path(fst).replace_extension(".gtkw").string();
}

void writeView(const std::string& fst, const std::optional<std::uint64_t>& failure) {
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(fst.c_str()), fstReaderClose);
  if (reader == nullptr) return;
  const double end = static_cast<double>(fstReaderGetEndTime(reader.get()));
  const double shown = failure ? std::min(end, kShown * kNanosecond) : end;
  const double marker = failure ? static_cast<double>(*failure) : -1;
  std::ofstream view(viewPath(fst));
  view << "[dumpfile] \"" << std::filesystem::absolute(fst).string() << "\"\n"
       << "[timestart] " << static_cast<std::uint64_t>(std::max(0.0, marker - 0.75 * shown))
       << "\n[size] 1600 1000\n[pos] -1 -1\n*" << 2 - std::log2(shown + 4) << " "
       << static_cast<std::int64_t>(marker) << " " << static_cast<std::int64_t>(marker);
  for (int other = 1; other < 26; ++other) view << " -1";
  view << "\n";
  if (failure) view << "[markername] Afailure\n";
  view << "[sst_width] 280\n[signals_width] 320\n[sst_expanded] 1\n[sst_vpaned_height] 400\n";
  // The module under test is open; those inside it are closed.
  bool first = true;
  for (const Group& group : groupsOf(reader.get())) {
    view << std::hex << "@" << (first ? kOpen : kClosed) << "\n-" << group.scope << "\n";
    for (const std::string& line : group.lines) view << line << "\n";
    view << "@" << (first ? kOpenEnd : kClosedEnd) << "\n-" << group.scope << "\n" << std::dec;
    first = false;
  }
}

}  // namespace t3::rtl_test
