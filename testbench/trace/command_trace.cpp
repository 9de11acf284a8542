// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/command_trace.h"

#include <array>
#include <cstdint>

namespace t3 {
namespace {

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

}  // namespace

CommandTrace::CommandTrace(const std::string& option, const std::string& path)
    : file_(option, path),
      sorted_([this](std::uint32_t gpu, const DramCommand& command) { write(gpu, command); }) {
  file_.buffer() = "gpu,channel,time_ps,command,bank_group,bank,row,column\n";
}

void CommandTrace::write(std::uint32_t gpu, const DramCommand& command) {
  const Form& form = kForms[indexOf(command.kind)];
  {
    CsvLine line(file_.buffer());
    line(gpu);
    line(command.channel.value);
    line(command.when);
    line(form.name);
    line.onlyIf(form.bank, command.group.value);
    line.onlyIf(form.bank, command.bank.value);
    line.onlyIf(form.row, command.row);
    line.onlyIf(form.column, command.column);
  }
  file_.writeIfLarge();
}

void CommandTrace::finish() {
  if (abandoned_) return;
  sorted_.finish();
  file_.commit();
}

}  // namespace t3
