// SPDX-License-Identifier: Apache-2.0
#include <verilated_fst_c.h>

#include "testbench/wave/wave.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <stdexcept>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"
#include "testbench/wave/fst_file.h"
#include "testbench/wave/wave_values.h"
#include "testbench/wave/wave_view.h"
#include "tlm/rtl/rtl_block.h"

namespace t3 {
namespace {

/// The library sorts each block by signal, and is several times faster if a block fits into the
/// processor's cache. Its own default is 128 MB, so blocks are closed after this many dumps.
constexpr std::uint64_t kDumpsPerBlock = 4096;
/// Free bytes that the disk must have: several times a block, which takes some 100 kB of each unit
/// of RTL with the values of its GPU.
constexpr std::uint64_t kRoom = 1 << 20;
constexpr std::size_t kValuesInRoom = 256;
/// Free bytes after the VCD was written: its library does not say when the disk is full.
constexpr std::uint64_t kRest = 1 << 20;

/// What a reader wants to see first: where a difference began, where it is seen, and those before
/// what slows a run, and that before what happens in every run.
constexpr int kMostInterest = 4;
int interestOf(EventKind kind) {
  switch (kind) {
    case EventKind::Difference:
      return 3;
    case EventKind::Stall:
      return 2;
    default:
      return 1;
  }
}

bool insideModel(const std::string& scope) {
  return scope.find(".tracker.") != std::string::npos || scope.starts_with("switch.merge");
}

}  // namespace

struct Wave::File {
  explicit File(const WaveOptions& wanted)
      : options(wanted), target("--wave", wanted.path), view("--wave", viewPath(wanted.path)) {}

  // ---- what Verilator calls ---------------------------------------------------------------------

  static void declare(void* self, VerilatedFst* sink, std::uint32_t code) {
    static_cast<File*>(self)->declare(*sink, code);
  }
  static void drawAll(void* self, VerilatedFst::Buffer* buffer) {
    static_cast<File*>(self)->draw(*buffer, true);
  }
  static void drawChanges(void* self, VerilatedFst::Buffer* buffer) {
    static_cast<File*>(self)->draw(*buffer, false);
  }

  void declare(VerilatedFst& sink, std::uint32_t code) {
    base = code;
    sink.declBit(code, "rtl_clock", -1, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false, -1);
    values.declare(sink, code + 1);
  }

  void draw(VerilatedFst::Buffer& buffer, bool all) {
    if (all) {
      buffer.fullBit(buffer.oldp(base), clockLevel);
    } else {
      buffer.chgBit(buffer.oldp(base), clockLevel);
      if (!valuesChanged) return;
    }
    // Values that were read at a later time are not drawn yet; clock edges before that time are.
    if (!all && drawing < sampledAt) return;
    valuesChanged = false;
    values.draw(buffer, all);
  }

  // ---- time -------------------------------------------------------------------------------------

  void dump(Picoseconds when) {
    if (!begun || when < options.window.first || when >= options.window.last) return;
    if (dumped && when <= lastDump) return;
    if (options.keep && partBegin != kNoPart && when - partBegin >= *options.keep) nextPart();
    if (partBegin == kNoPart) partBegin = when;
    dumped = true;
    lastDump = drawing = when;
    fst.dump(static_cast<std::uint64_t>(when));
    if (++dumps % kDumpsPerBlock != 0) return;
    fst.flush();
    requireRoom(target.path(), room());
  }

  std::uint64_t room() const { return waveRoom(units, values.size()); }

  /// Two files are kept: together they cover at least the time that is asked for.
  void nextPart() {
    fst.close();
    if (parts.size() == 2) parts.erase(parts.begin());
    parts.push_back(std::make_unique<ScratchFile>(target.path()));
    fst.open(parts.back()->path().c_str());
    partBegin = kNoPart;
  }

  /// Draws the clock edges before `when`, each with the values that the RTL had after it.
  void advance(Picoseconds when) {
    if (period == 0) return;
    // Edges before the window are skipped.
    const Picoseconds hidden = std::min(when, begun ? options.window.first : when);
    if (hidden > 0) clockAt = std::max(clockAt, edgeAtOrBefore(hidden - 1));
    const Picoseconds end = std::min(when, options.window.last);
    for (Picoseconds next = edgeAfter(clockAt); next < end; next = edgeAfter(clockAt)) {
      clockAt = next;
      clockLevel = next % period == 0 ? 1 : 0;
      dump(next);
    }
  }

  /// For a long time nothing happened and the simulation skipped it: from `when` on rates are 0.
  void fallQuiet(Picoseconds when) {
    advance(when);
    values.fallQuiet();
    valuesChanged = true;
    sampledAt = when;
    if (period == 0) dump(when);
  }

  Picoseconds fallBefore(Picoseconds rise) const { return rise - period / 2; }
  /// Rising edges are at whole periods.
  Picoseconds edgeAtOrBefore(Picoseconds when) const {
    const Picoseconds rise = when / period * period;
    const Picoseconds fall = fallBefore(rise + period);
    return when >= fall ? fall : rise;
  }
  Picoseconds edgeAfter(Picoseconds when) const {
    const Picoseconds rise = when / period * period;
    const Picoseconds fall = fallBefore(rise + period);
    return when < fall ? fall : rise + period;
  }

  static constexpr Picoseconds kNoPart = ~Picoseconds{0};

  const WaveOptions options;
  OutputFile target, view;
  std::vector<std::unique_ptr<ScratchFile>> parts;
  VerilatedFstC fst;
  std::shared_ptr<VerilatedContext> context;
  WaveValues values;
  Listeners* listeners = nullptr;
  std::vector<WaveMark> marks;
  std::map<EventKind, bool> marked;

  std::uint32_t base = 0;  ///< code of rtl_clock
  Picoseconds period = 0;  ///< of the units' clock; 0: no RTL
  std::uint32_t units = 0;
  bool begun = false;  ///< the event at which the waveform begins has happened
  bool dumped = false, finished = false;
  Picoseconds endedAt = 0;
  bool removedOld = false;  ///< there was a waveform of an earlier run in its place
  std::uint64_t dumps = 0;
  Picoseconds lastDump = 0, drawing = 0, partBegin = kNoPart;
  Picoseconds clockAt = 0;  ///< the clock is drawn up to here
  unsigned char clockLevel = 1;
  Picoseconds edgeAt = 0;  ///< the last edge that a unit simulated
  std::uint32_t unitsAtEdge = 0;
  bool valuesChanged = false;
  Picoseconds sampledAt = 0;
};

std::string Wave::viewPath(const std::string& wave) {
  std::filesystem::path view(wave);
  // a.vcd may lie beside a.fst.
  return view.extension() == ".fst" ? view.replace_extension(".gtkw").string() : wave + ".gtkw";
}

std::uint64_t waveRoom(std::size_t units, std::size_t values) {
  return kRoom * (1 + units + values / kValuesInRoom);
}

Wave::Wave(const WaveOptions& options) : file_(std::make_unique<File>(options)) {}

Wave::~Wave() {
  if (file_->fst.isOpen()) file_->fst.close();
}

RtlTracing Wave::tracing(const std::string& block) {
  if (std::ranges::none_of(file_->options.scopes,
                           [&](const std::string& scope) { return overlaps(block, scope); })) {
    return {};
  }
  if (file_->context == nullptr) file_->context = makeRtlContext(true);
  return {.context = file_->context, .watcher = this};
}

RtlTracing Wave::tracker(const std::string& name) { return tracing(name + kTrackerTop); }

RtlTracing Wave::stackJoin(const std::string& name) { return tracing(name + kStackJoinTop); }

RtlTracing Wave::mergeUnit(const std::string& port) { return tracing(port + kMergeUnitTop); }

void Wave::attach(RtlBlock& block, Picoseconds period) {
  if (file_->period != 0 && file_->period != period) {
    throw ConfigError("--wave-scope", "",
                      "expected RTL of one clock, but tracker.clock_mhz and switch.merge_clock_mhz "
                      "differ; draw trackers and merge units in two runs");
  }
  block.traceTo(file_->fst);
  file_->period = period;
  ++file_->units;
}

void Wave::begin(Listeners& listeners) {
  File& file = *file_;
  file.listeners = &listeners;
  Scopes wanted(file_->options.scopes);
  for (const std::string& scope : file_->options.scopes) {
    // May be a scope inside the RTL, whose names only Verilator knows.
    if (file.units > 0 && insideModel(scope)) wanted.contain(scope);
    if (file.units > 0) continue;
    const auto none = [&](const char* expected) {
      throw ConfigError("--wave-scope", "",
                        inQuotes(scope) + " is of the RTL, of which none is drawn in this run; " +
                            "expected " + expected);
    };
    if (scope.find(kTrackerTop) != std::string::npos)
      none("--tracker rtl, and a mode and a GPU that have a tracker");
    if (scope.find(kStackJoinTop) != std::string::npos)
      none("--tracker rtl, in one process, and a GPU whose memory has several stacks");
    if (scope.find(kMergeUnitTop) != std::string::npos) none("switch.merge = rtl, in one process");
  }
  std::vector<std::string> names;
  for (std::size_t m = 0; m < listeners.models().size(); ++m) {
    const PublishedModel& model = listeners.models()[m];
    ValueList list;
    model.model->publish(list);
    bool any = wanted.contain(model.name);
    names.push_back(model.name);
    for (std::size_t i = 0; i < list.values().size(); ++i) {
      const PublishedValue& value = list.values()[i];
      const std::string name = model.name + "." + value.name;
      if (!wanted.contain(name)) continue;
      any = true;
      file.values.add(model.name, listeners.watch(m, i, value, Listeners::Watch::AtSamples));
    }
    // If the waveform begins with an event, the event counts in any model; marks only in its scope.
    if (any || file_->options.from) listeners.add(*this, m);
  }
  wanted.checkFound("--wave-scope", names);
  file.values.sort();
  // Verilator selects scopes inside the RTL; those of the models were selected above.
  if (file.units > 0) {
    for (const std::string& scope : file_->options.scopes) {
      if (!insideModel(scope)) continue;
      std::string path = scope;
      std::replace(path.begin(), path.end(), '.', ' ');
      file.fst.dumpvars(0, path);
    }
  }
  file.begun = !file_->options.from.has_value();
  VerilatedFst& trace = *file.fst.spTrace();
  trace.set_time_unit("1ps");
  trace.set_time_resolution("1ps");
  trace.addInitCb(&File::declare, &file);
  trace.addFullCb(&File::drawAll, &file);
  trace.addChgCb(&File::drawChanges, &file);
  try {
    requireRoom(file.target.path(), file.room());
  } catch (const std::runtime_error& problem) {
    throw ConfigError("--wave", "", problem.what());
  }
  file.parts.push_back(std::make_unique<ScratchFile>(file.target.path()));
  file.fst.open(file.parts.back()->path().c_str());
  if (!file.fst.isOpen()) throw std::runtime_error(file_->options.path + ": cannot be written");
  sample();
  file.dump(listeners.time());
}

void Wave::sample() {
  File& file = *file_;
  if (file.finished) return;
  const Picoseconds when = file.listeners->time();
  if (when > file.sampledAt + 2 * WaveValues::kRateWindow)
    file.fallQuiet(file.sampledAt + WaveValues::kRateWindow);
  file.advance(when);
  if (file.values.read(when)) file.valuesChanged = true;
  file.sampledAt = when;
  if (file.period == 0 && (file.valuesChanged || !file.dumped)) file.dump(when);
}

void Wave::edge(Picoseconds when) {
  File& file = *file_;
  if (file.finished || file.edgeAt == when) return;
  file.edgeAt = when;
  file.unitsAtEdge = 0;
  file.advance(file.fallBefore(when));
}

void Wave::low(Picoseconds when) {
  File& file = *file_;
  if (file.finished) return;
  const Picoseconds half = file.period / 2;
  const Picoseconds inTurn = when - half + half * file.unitsAtEdge++ / file.units;
  const Picoseconds at = std::max(inTurn, file.dumped ? file.lastDump + 1 : 0);
  file.clockLevel = 0;
  if (at < when) file.dump(at);
  file.clockAt = std::max(file.clockAt, at);
}

void Wave::happened(const Event& event) {
  File& file = *file_;
  if (file.options.from && !file.begun && event.kind == file_->options.from->kind &&
      (!file_->options.from->number || *file_->options.from->number == event.number)) {
    // Drawing begins with this clock: it shows the effects of the event, not its causes.
    file.begun = true;
  }
  const auto mark = [&](const std::string& text, int interest) {
    file.marks.push_back({event.when, file.listeners->models()[event.source].name, text, interest});
  };
  switch (event.kind) {
    case EventKind::KernelBegin:
      return mark("begins", 0);
    case EventKind::KernelEnd:
      return mark("ends", 0);
    case EventKind::Trigger:
    case EventKind::Release:
    case EventKind::Stall:
      if (!std::exchange(file.marked[event.kind], true)) {
        mark("first " + spelling(event.kind), interestOf(event.kind));
      }
      return;
    case EventKind::Difference: {
      if (std::exchange(file.marked[event.kind], true)) return;
      mark("difference is seen", interestOf(event.kind));
      const std::string& place = file.listeners->models()[event.source].name;
      if (event.since != 0 && event.since < event.when)
        file.marks.push_back({event.since, place, "parts from its twin", kMostInterest});
      return;
    }
    default:
      return;
  }
}

void Wave::finish() {
  File& file = *file_;
  if (file.finished) return;
  const Picoseconds end = file.endedAt = file.listeners->time();
  file.advance(end + 1);
  file.finished = true;
  if (!file.dumped) {
    const bool removedView = file.view.removeOld();
    file.removedOld = file.target.removeOld() || removedView;
    return;
  }
  file.dump(end);
  file.fst.close();
  std::vector<std::string> paths;
  for (const auto& part : file.parts) paths.push_back(part->path());
  const Picoseconds keep = file.options.keep.value_or(end);
  if (keep < end || paths.size() > 1) {
    std::uint64_t bytes = kRoom;
    for (const std::string& path : paths) bytes += std::filesystem::file_size(path);
    requireRoom(file.target.path(), bytes);
    auto joined = std::make_unique<ScratchFile>(file.target.path());
    joinFst(paths, end - std::min(end, keep), joined->path());
    file.parts.push_back(std::move(joined));
  }
  ScratchFile& whole = *file.parts.back();
  const std::string view = viewOf(file.view.path(), file.target.path(), whole.path(), file.marks);
  if (file.options.path.ends_with(".vcd")) {
    ScratchFile text(file.target.path());
    writeVcd(whole.path(), text.path());
    requireRoom(file.target.path(), kRest);
    file.target.replaceWith(text);
  } else {
    file.target.replaceWith(whole);
  }
  file.view.commit(view);
}

Picoseconds Wave::samplePeriod() const { return file_->options.samplePeriod; }

bool Wave::drawn() const { return file_->dumped; }

std::string Wave::summary() const {
  const File& file = *file_;
  if (file.dumped) return "waveform: gtkwave " + viewPath(file.options.path);
  if (!file.finished) return "no waveform: the run failed";
  return "no waveform: the run ended at " + fromPicoseconds(file.endedAt).to_string() +
         (file.begun ? ", before its window" : ", and the event to begin with did not happen") +
         (file.removedOld ? "; that of an earlier run was removed" : "");
}

}  // namespace t3
