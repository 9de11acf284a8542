// SPDX-License-Identifier: Apache-2.0
#include "tests/tlm/hbm/command_checker.h"

#include <algorithm>
#include <array>
#include <boost/describe/enum_to_string.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <charconv>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/testbench/temporary_directory.h"

namespace t3::test {
namespace {

using enum DramCommandKind;

/// One channel's trace in order of time.
class ChannelCheck {
 public:
  ChannelCheck(const HbmConfig& config, std::vector<std::string>& out)
      : c_(config), t_(config.timing), out_(out), rows_(config.banks, -1) {
    measureReach();
  }

  void run(const std::vector<DramCommand>& commands) {
    for (const DramCommand& raw : commands) {
      const Step step{raw, static_cast<std::int64_t>(raw.when) / period_};
      if (raw.when % static_cast<Picoseconds>(period_) != 0) fail(step, step, "not on a clock");
      protocol(step);
      for (std::size_t kind = 0; kind < past_.size(); ++kind) {
        Past& past = past_[kind];
        while (!past.steps.empty() && past.steps.front().at < step.at - past.reach) {
          past.steps.pop_front();
        }
        const std::int64_t matters = step.at - longest_[kind][static_cast<std::size_t>(raw.kind)];
        auto old = past.steps.end();
        while (old != past.steps.begin() && std::prev(old)->at >= matters) --old;
        for (; old != past.steps.end(); ++old) {
          pair(*old, step, [&](std::int64_t distance, const char* rule) {
            if (step.at - old->at < distance) fail(*old, step, rule);
          });
        }
      }
      window(step);
      past_[static_cast<std::size_t>(raw.kind)].steps.push_back(step);
    }
  }

 private:
  struct Step {
    DramCommand command;
    std::int64_t at;
  };
  using Kinds = boost::describe::describe_enumerators<DramCommandKind>;
  /// The commands of one kind that can still matter: none of the `longest_` from it is longer than
  /// `reach`.
  struct Past {
    std::deque<Step> steps;
    std::int64_t reach = 0;
  };

  std::int64_t clocks(double ns) const {
    const double exact = ns * c_.clock_mhz / 1000.0;
    const double nearest = std::round(exact);
    return std::llround(std::abs(exact - nearest) < 1e-6 ? nearest : std::ceil(exact));
  }

  void fail(const Step& before, const Step& now, const std::string& rule) {
    std::ostringstream line;
    const auto text = [](DramCommandKind kind) {
      return boost::describe::enum_to_string(kind, "?");
    };
    line << rule << ": " << text(before.command.kind) << " bank " << before.command.bank.value
         << " at " << before.at << ", then " << text(now.command.kind) << " bank "
         << now.command.bank.value << " row " << now.command.row << " at " << now.at
         << " on channel " << now.command.channel.value;
    out_.push_back(line.str());
  }

  /// Asks the rules themselves how far from one command to another any of them reaches.
  void measureReach() {
    boost::mp11::mp_for_each<Kinds>([&](auto x) {
      const auto before = static_cast<std::size_t>(x.value);
      boost::mp11::mp_for_each<Kinds>([&](auto y) {
        std::int64_t& longest = longest_[before][static_cast<std::size_t>(y.value)];
        if (!isRow(x.value) && !isRow(y.value)) {  // on the data bus
          longest = dataAfter(x.value) + burst_ + readToWriteGap_ - dataAfter(y.value);
        }
        // The same bank, another one of its group, one of another group.
        for (const auto& [group, bank] : {std::pair{0U, 0U}, {0U, 1U}, {1U, 2U}}) {
          const Step first{{0, ChannelId{}, x.value, BankGroupId{}, BankId{}}, 0};
          const Step second{{0, ChannelId{}, y.value, BankGroupId{group}, BankId{bank}}, 0};
          pair(first, second,
               [&](std::int64_t distance, const char*) { longest = std::max(longest, distance); });
        }
        past_[before].reach = std::max(past_[before].reach, longest);
      });
    });
  }

  /// Which command is legal in which state of its bank.
  void protocol(const Step& step) {
    const DramCommand& command = step.command;
    std::int64_t& row = rows_[command.bank.value];
    switch (command.kind) {
      case Activate:
        if (row >= 0) fail(step, step, "activate of an open bank");
        row = command.row;
        break;
      case Precharge:
        if (row < 0) fail(step, step, "precharge of a closed bank");
        row = -1;
        break;
      case PrechargeAll:
        std::fill(rows_.begin(), rows_.end(), -1);
        break;
      case RowClear:
        if (row >= 0) fail(step, step, "row clear in an open bank");
        break;
      case Read:
      case Write:
      case Update:
      case ReadClear:
      case Clear:
        if (row != command.row) fail(step, step, "column command to a row that is not open");
        if (command.column >= c_.page_bytes / c_.burstBytes()) {
          fail(step, step, "column outside the page");
        }
        break;
      case RefreshAll:
        if (std::any_of(rows_.begin(), rows_.end(), [](auto open) { return open >= 0; })) {
          fail(step, step, "refresh with an open bank");
        }
        break;
      case RefreshBank:
        if (row >= 0) fail(step, step, "refresh of an open bank");
        break;
    }
  }

  static bool isWrite(DramCommandKind kind) {
    return kind == Write || kind == Update || kind == Clear;
  }
  static bool isReading(DramCommandKind kind) { return kind == Read || kind == ReadClear; }
  static bool isRow(DramCommandKind kind) { return !isWrite(kind) && !isReading(kind); }
  std::int64_t dataAfter(DramCommandKind column) const { return isReading(column) ? cl_ : wl_; }
  /// The bank reads, changes and writes back.
  static bool storesBack(DramCommandKind kind) {
    return kind == Update || kind == Clear || kind == ReadClear;
  }
  static bool opens(DramCommandKind kind) { return kind == Activate || kind == RowClear; }

  /// Distance rules between two commands, `a` first: `need` gets the clocks and the name of each.
  void pair(const Step& a, const Step& b, const auto& need) {
    const DramCommandKind x = a.command.kind, y = b.command.kind;
    const bool bank = a.command.bank == b.command.bank;
    const bool group = a.command.group == b.command.group;

    // The two command buses.
    if (isRow(x) && isRow(y)) need(opens(x) ? t_.activate_command_clocks : 1, "row bus");
    if (!isRow(x) && !isRow(y)) {
      need(1, "column bus");
      // The data bus: bursts do not overlap, and it turns from read to write with a gap.
      const std::int64_t dataA = a.at + dataAfter(x);
      const std::int64_t dataB = b.at + dataAfter(y);
      const std::int64_t gap = isReading(x) && isWrite(y) ? readToWriteGap_ : 0;
      if (dataA <= dataB ? dataB < dataA + burst_ + gap : dataA < dataB + burst_) {
        need(b.at - a.at + 1, "data bus");  // more than they have
      }
      if (isWrite(x) == isWrite(y)) {
        need(t_.ccd_s_clocks, "tCCDS");
        if (group) {
          const std::int64_t hold = storesBack(x) ? c_.update_ccd_l_factor : 1;
          need(t_.ccd_l_clocks * hold, storesBack(x) ? "op-and-store hold" : "tCCDL");
        }
      } else if (isWrite(x)) {
        need(wl_ + burst_ + wtrS_, "tWTRS");
        if (group) need(wl_ + burst_ + wtrL_, "tWTRL");
        if (group && storesBack(x)) {
          need(t_.ccd_l_clocks * c_.update_ccd_l_factor, "op-and-store hold");
        }
        if (bank && storesBack(x)) {
          need(wl_ + burst_ + updateWriteBack_ + wtrL_, "op-and-store write-back before read");
        }
      } else if (group && storesBack(x)) {
        need(t_.ccd_l_clocks * c_.update_ccd_l_factor, "op-and-store hold");
      }
    }
    if (x == RowClear && (bank || y == PrechargeAll || y == RefreshAll)) {
      need(rowClear_, "row clear");
    }
    if (opens(x) && opens(y)) {
      need(rrdS_, "tRRDS");
      if (group) need(rrdL_, "tRRDL");
      if (bank && x == Activate) need(rc_, "tRC");
    }
    if (bank) {
      if (x == Activate && isReading(y)) need(rcdRd_, "tRCDRD");
      if (x == Activate && y == Write) need(rcdWr_, "tRCDWR");
      if (x == Activate && (y == Update || y == Clear)) {
        need(std::max(rcdRd_, rcdWr_), "tRCD of an update");
      }
      if (x == Precharge && (opens(y) || y == RefreshBank)) need(rp_, "tRP");
      if (x == RefreshBank && (opens(y) || y == RefreshBank)) {
        need(rfcPb_, "tRFCpb");
      }
    }
    if (y == PrechargeAll || (y == Precharge && bank)) {
      if (x == Activate) need(ras_, "tRAS");
      if (x == Read) need(rtp_, "tRTP");
      if (x == Write) need(wl_ + burst_ + wr_, "tWR");
      if (storesBack(x)) {
        need(wl_ + burst_ + updateWriteBack_ + wr_, "op-and-store write-back before precharge");
      }
    }
    if (x == PrechargeAll && (opens(y) || y == RefreshAll || y == RefreshBank)) {
      need(rp_, "tRP after precharge-all");
    }
    if (x == Precharge && y == RefreshAll) need(rp_, "tRP before refresh");
    if (x == RefreshAll && (opens(y) || y == RefreshAll)) {
      need(rfc_, "tRFC");
    }
    if (!bank && x == RefreshBank && (opens(y) || y == RefreshBank)) {
      need(rrefd_, "tRREFD");
    }
    if (!bank && opens(x) && y == RefreshBank) {
      need(group ? rrdL_ : rrdS_, "tRRD before per-bank refresh");
    }
  }

  /// Four activates in tFAW, a row clear counting as two, and refreshes often enough: JEDEC lets
  /// eight be postponed.
  void window(const Step& step) {
    for (int n = step.command.kind == RowClear   ? 2
                 : step.command.kind == Activate ? 1
                                                 : 0;
         n > 0; --n) {
      activates_.push_back(step);
      if (activates_.size() > 5) activates_.pop_front();
      if (activates_.size() == 5 && step.at - activates_.front().at < faw_) {
        fail(activates_.front(), step, "tFAW");
      }
    }
    if (step.command.kind == RefreshAll) {
      if (step.at - lastRefresh_ > 9 * refi_) fail(step, step, "tREFI");
      lastRefresh_ = step.at;
    }
  }

  const HbmConfig& c_;
  const HbmTiming& t_;
  // In clocks, converted once: most time goes into comparing with them.
  const std::int64_t period_ = std::llround(1e6 / c_.clock_mhz);
  const std::int64_t burst_ = c_.burst_length / c_.beats_per_clock;
  const std::int64_t rc_ = clocks(t_.rc_ns);
  const std::int64_t ras_ = clocks(t_.ras_ns);
  const std::int64_t cl_ = clocks(t_.cl_ns);
  const std::int64_t wl_ = clocks(t_.wl_ns);
  const std::int64_t wr_ = clocks(t_.wr_ns);
  const std::int64_t wtrL_ = clocks(t_.wtr_l_ns);
  const std::int64_t updateWriteBack_ = clocks(c_.update_write_back_ns);
  const std::int64_t rowClear_ = clocks(c_.row_clear_ns);
  const std::int64_t readToWriteGap_ = clocks(t_.read_to_write_gap_ns);
  const std::int64_t rfc_ = clocks(t_.rfc_ns);
  const std::int64_t rfcPb_ = clocks(t_.rfc_pb_ns);
  const std::int64_t rrdL_ = clocks(t_.rrd_l_ns);
  const std::int64_t rrdS_ = clocks(t_.rrd_s_ns);
  const std::int64_t wtrS_ = clocks(t_.wtr_s_ns);
  const std::int64_t rcdRd_ = clocks(t_.rcd_rd_ns);
  const std::int64_t rcdWr_ = clocks(t_.rcd_wr_ns);
  const std::int64_t rp_ = clocks(t_.rp_ns);
  const std::int64_t rtp_ = clocks(t_.rtp_ns);
  const std::int64_t rrefd_ = clocks(t_.rrefd_ns);
  const std::int64_t faw_ = clocks(t_.faw_ns);
  const std::int64_t refi_ = clocks(t_.refi_ns);
  std::vector<std::string>& out_;
  std::vector<std::int64_t> rows_;
  std::array<Past, kDramCommandKinds> past_;
  /// [x][y]: no rule asks for more clocks from a command of kind x to one of kind y.
  std::array<std::array<std::int64_t, kDramCommandKinds>, kDramCommandKinds> longest_{};
  std::deque<Step> activates_;
  std::int64_t lastRefresh_ = 0;
};

}  // namespace

std::vector<std::string> CommandChecker::violations(std::size_t limit) const {
  std::map<std::uint32_t, std::vector<DramCommand>> channels;
  for (const DramCommand& command : trace_) channels[command.channel.value].push_back(command);
  std::vector<std::string> found;
  for (auto& [channel, commands] : channels) {
    std::stable_sort(commands.begin(), commands.end(),
                     [](const auto& a, const auto& b) { return a.when < b.when; });
    ChannelCheck(config_, found).run(commands);
  }
  if (found.size() > limit) found.resize(limit);
  return found;
}

std::map<std::uint32_t, std::vector<DramCommand>> readCommandTrace(const std::string& path) {
  static const std::map<std::string_view, DramCommandKind> kinds{
      {"ACT", Activate}, {"PRE", Precharge},   {"PREA", PrechargeAll}, {"RD", Read},
      {"WR", Write},     {"UPD", Update},      {"REF", RefreshAll},    {"REFpb", RefreshBank},
      {"CLR", Clear},    {"RDCLR", ReadClear}, {"RCLR", RowClear}};
  const std::string text = readFile(path);
  const std::string_view header = "gpu,channel,time_ps,command,bank_group,bank,row,column\n";
  if (!text.starts_with(header)) throw std::runtime_error(path + ": not a command trace");
  std::map<std::uint32_t, std::vector<DramCommand>> gpus;
  for (std::size_t at = header.size(); at < text.size();) {
    const std::size_t stop = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, stop - at);
    at = stop + 1;
    // By hand, as lines are many and cells are short.
    std::array<std::string_view, 8> cells;
    std::size_t count = 0, begin = 0;
    for (std::size_t i = 0; i <= line.size() && count < cells.size(); ++i) {
      if (i < line.size() && line[i] != ',') continue;
      cells[count++] = line.substr(begin, i - begin);
      begin = i + 1;
    }
    const auto kind = kinds.find(cells[3]);
    if (count != cells.size() || begin <= line.size() || kind == kinds.end()) {
      throw std::runtime_error(path + ": " + std::string(line));
    }
    const auto number = [&](std::size_t cell) {
      std::uint64_t value = 0;
      const char* end = cells[cell].data() + cells[cell].size();
      if (!cells[cell].empty() && std::from_chars(cells[cell].data(), end, value).ptr != end) {
        throw std::runtime_error(path + ": " + std::string(line));
      }
      return value;
    };
    const auto index = [&](std::size_t cell) { return static_cast<std::uint32_t>(number(cell)); };
    gpus[index(0)].push_back({number(2), ChannelId{index(1)}, kind->second, BankGroupId{index(4)},
                              BankId{index(5)}, index(6), index(7)});
  }
  return gpus;
}

}  // namespace t3::test
