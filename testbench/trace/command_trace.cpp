// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/command_trace.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace t3 {
namespace {

constexpr std::size_t kCommandsBlock = 1 << 20;

struct Form {
  const char* name;
  bool bank, row, column;
};

/// In the order of DramCommandKind.
constexpr std::array<Form, kDramCommandKinds> kForms = {{{"ACT", true, true, false},
                                                         {"PRE", true, false, false},
                                                         {"PREA", false, false, false},
                                                         {"RD", true, true, true},
                                                         {"WR", true, true, true},
                                                         {"UPD", true, true, true},
                                                         {"REF", false, false, false},
                                                         {"REFpb", true, false, false},
                                                         {"RDCLR", true, true, true},
                                                         {"CLR", true, true, true},
                                                         {"RCLR", true, true, false}}};

void append(std::string& text, std::uint64_t number, char separator) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
  text += separator;
}

void appendIf(bool present, std::string& text, std::uint64_t number, char separator) {
  if (present) {
    append(text, number, separator);
  } else {
    text += separator;
  }
}

}  // namespace

/// Sorts the commands of one memory, then passes them on with the number of their GPU.
class CommandTrace::Memory : public CommandObserver {
 public:
  Memory(CommandTrace& trace, std::uint32_t gpu, const HbmConfig& config)
      : trace_(trace), gpu_(gpu), ordered_(config, *this) {}

  OrderedCommands& ordered() { return ordered_; }
  void command(const DramCommand& command) override { trace_.write(gpu_, command); }

 private:
  CommandTrace& trace_;
  std::uint32_t gpu_;
  OrderedCommands ordered_;
};

CommandTrace::CommandTrace(const std::string& option, const std::string& path)
    : file_(option, path), pending_("gpu,channel,time_ps,command,bank_group,bank,row,column\n") {}

CommandTrace::~CommandTrace() = default;

CommandObserver& CommandTrace::memory(std::uint32_t gpu, const HbmConfig& config) {
  memories_.push_back(std::make_unique<Memory>(*this, gpu, config));
  return memories_.back()->ordered();
}

void CommandTrace::write(std::uint32_t gpu, const DramCommand& command) {
  const Form& form = kForms[indexOf(command.kind)];
  append(pending_, gpu, ',');
  append(pending_, command.channel.value, ',');
  append(pending_, command.when, ',');
  pending_ += form.name;
  pending_ += ',';
  appendIf(form.bank, pending_, command.group.value, ',');
  appendIf(form.bank, pending_, command.bank.value, ',');
  appendIf(form.row, pending_, command.row, ',');
  appendIf(form.column, pending_, command.column, '\n');
  if (pending_.size() < kCommandsBlock) return;
  file_.append(pending_);
  pending_.clear();
}

void CommandTrace::finish() {
  if (abandoned_) return;
  for (const auto& memory : memories_) memory->ordered().finish();
  file_.commit(pending_);
  pending_.clear();
}

}  // namespace t3
