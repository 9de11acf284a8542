// SPDX-License-Identifier: Apache-2.0
#include "testbench/wave/fst_file.h"

#include <gtkwave/fstapi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>

namespace t3 {
namespace {

struct CloseReader {
  void operator()(void* reader) const { fstReaderClose(reader); }
};
using Reader = std::unique_ptr<void, CloseReader>;

Reader openFst(const std::string& path) {
  Reader reader(fstReaderOpen(path.c_str()));
  if (reader == nullptr) throw std::runtime_error(path + ": is not an FST file");
  return reader;
}

/// Calls `visit` for each item of the hierarchy. The library requires this before values are read.
template <typename Visit>
void forHierarchy(void* reader, Visit visit) {
  fstReaderIterateHierRewind(reader);
  while (const fstHier* item = fstReaderIterateHier(reader)) visit(*item);
}

using Change = std::function<void(std::uint64_t, std::uint32_t, const char*)>;

void callChange(void* user, std::uint64_t time, fstHandle handle, const unsigned char* value) {
  (*static_cast<Change*>(user))(time, handle, reinterpret_cast<const char*>(value));
}

}  // namespace

std::vector<FstSignal> fstSignals(const std::string& path) {
  const Reader reader = openFst(path);
  std::vector<FstSignal> signals;
  std::vector<std::string> scopes{""};
  forHierarchy(reader.get(), [&](const fstHier& item) {
    switch (item.htyp) {
      case FST_HT_SCOPE:
        scopes.push_back(scopes.back() + item.u.scope.name + ".");
        break;
      case FST_HT_UPSCOPE:
        scopes.pop_back();
        break;
      case FST_HT_VAR: {
        const std::string name = item.u.var.name;
        const std::size_t space = std::min(name.find(' '), name.size());
        signals.push_back({scopes.back() + name.substr(0, space),
                           space < name.size() ? name.substr(space + 1) : "", item.u.var.length,
                           item.u.var.handle, item.u.var.typ == FST_VT_VCD_PARAMETER});
        break;
      }
      default:
        break;
    }
  });
  return signals;
}

FstSpan fstSpan(const std::string& path) {
  const Reader reader = openFst(path);
  return {fstReaderGetStartTime(reader.get()), fstReaderGetEndTime(reader.get())};
}

void forEachChange(const std::string& path, const Change& change) {
  const Reader reader = openFst(path);
  fstReaderSetFacProcessMaskAll(reader.get());
  Change copy = change;
  fstReaderIterBlocks(reader.get(), callChange, &copy, nullptr);
}

void joinFst(const std::vector<std::string>& parts, std::uint64_t first, const std::string& to) {
  void* writer = fstWriterCreate(to.c_str(), 1);
  if (writer == nullptr) throw std::runtime_error(to + ": cannot be written");
  fstWriterSetPackType(writer, FST_WR_PT_LZ4);
  std::vector<std::string> present(1);  // value by handle
  {
    const Reader reader = openFst(parts.front());
    fstWriterSetTimescale(writer, fstReaderGetTimescale(reader.get()));
    // Signals are declared in the same order, so they get the same handles, tables too.
    forHierarchy(reader.get(), [&](const fstHier& item) {
      switch (item.htyp) {
        case FST_HT_SCOPE:
          fstWriterSetScope(writer, static_cast<fstScopeType>(item.u.scope.typ), item.u.scope.name,
                            nullptr);
          break;
        case FST_HT_UPSCOPE:
          fstWriterSetUpscope(writer);
          break;
        case FST_HT_ATTRBEGIN:
          fstWriterSetAttrBegin(writer, static_cast<fstAttrType>(item.u.attr.typ),
                                item.u.attr.subtype, item.u.attr.name, item.u.attr.arg);
          break;
        case FST_HT_ATTREND:
          fstWriterSetAttrEnd(writer);
          break;
        case FST_HT_VAR:
          fstWriterCreateVar(writer, static_cast<fstVarType>(item.u.var.typ),
                             static_cast<fstVarDir>(item.u.var.direction), item.u.var.length,
                             item.u.var.name, item.u.var.is_alias != 0 ? item.u.var.handle : 0);
          if (item.u.var.is_alias == 0) present.emplace_back();
          break;
        default:
          break;
      }
    });
  }
  bool begun = false;
  std::uint64_t lastTime = 0;
  const auto begin = [&] {
    fstWriterEmitTimeChange(writer, first);
    for (std::uint32_t handle = 1; handle < present.size(); ++handle) {
      if (!present[handle].empty()) {
        fstWriterEmitValueChange(writer, handle, present[handle].c_str());
      }
    }
    begun = true;
    lastTime = first;
  };
  for (const std::string& part : parts) {
    forEachChange(part, [&](std::uint64_t time, std::uint32_t handle, const char* value) {
      if (time >= first && !begun) begin();
      if (present[handle] == value) return;  // the first values of a part repeat
      present[handle] = value;
      if (time < first) return;
      if (time > lastTime) fstWriterEmitTimeChange(writer, time);
      lastTime = std::max(lastTime, time);
      fstWriterEmitValueChange(writer, handle, value);
    });
  }
  if (!begun) begin();
  fstWriterClose(writer);
}

void writeVcd(const std::string& fst, const std::string& vcd) {
  const Reader reader = openFst(fst);
  std::FILE* file = std::fopen(vcd.c_str(), "w");
  if (file == nullptr) throw std::runtime_error(vcd + ": cannot be written");
  // Enumerations have no place in the format; the library leaves them out.
  bool good = fstReaderProcessHier(reader.get(), file) != 0;
  fstReaderSetFacProcessMaskAll(reader.get());
  good = fstReaderIterBlocks(reader.get(), nullptr, nullptr, file) != 0 && good;
  good = std::fclose(file) == 0 && good;
  if (!good) throw std::runtime_error(vcd + ": cannot be written");
}

}  // namespace t3
