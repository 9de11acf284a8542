// SPDX-License-Identifier: Apache-2.0
// Method: random traffic under the independent checker (random_traffic.h), and the checker itself
// with traces that break one rule each.
#include <gtest/gtest.h>

#include "tests/support/seed.h"
#include "tests/tlm/hbm/random_traffic.h"

namespace t3::test::hbm_rules_test {
namespace {

TEST(HbmRules, NoCommandBreaksARuleUnderRandomTrafficOfManySeeds) {
  checkRandomTraffic(seed(1), 400);
}
TEST(HbmRulesLong, NoCommandBreaksARuleUnderRandomTrafficOfThousandsOfSeeds) {
  checkRandomTraffic(seed(100'000), 5000);
}

TEST(HbmRules, TheCheckerFindsEveryKindOfViolation) {
  const HbmConfig config = oneChannel();
  const auto at = [](double ns, DramCommandKind kind, std::uint32_t bank, std::uint32_t row = 1) {
    return DramCommand{picosecondsFromNs(ns), ChannelId{0}, kind, BankGroupId{bank / 4},
                       BankId{bank},          row,          0};
  };
  using enum DramCommandKind;
  const std::vector<std::pair<std::string, std::vector<DramCommand>>> cases{
      {"tRCDRD", {at(0, Activate, 0), at(14, Read, 0)}},
      {"tRAS", {at(0, Activate, 0), at(32, Precharge, 0)}},
      {"tRP", {at(0, Activate, 0), at(34, Precharge, 0), at(48, Activate, 0)}},
      {"tRC", {at(0, Activate, 0), at(33, Precharge, 0), at(47, Activate, 0)}},
      {"tRRDS", {at(0, Activate, 0), at(3, Activate, 4)}},
      {"tRRDL", {at(0, Activate, 0), at(5, Activate, 1)}},
      {"tFAW",
       {at(0, Activate, 0), at(4, Activate, 4), at(8, Activate, 8), at(12, Activate, 12),
        at(15, Activate, 1)}},
      {"tCCDL", {at(0, Activate, 0), at(20, Read, 0), at(21, Read, 0)}},
      {"op-and-store hold", {at(0, Activate, 0), at(20, Update, 0), at(23, Update, 0)}},
      {"tWTRS", {at(0, Activate, 0), at(6, Activate, 4), at(30, Write, 0), at(37, Read, 4)}},
      {"tWTRL", {at(0, Activate, 0), at(30, Write, 0), at(42, Read, 0)}},
      {"op-and-store write-back before read",
       {at(0, Activate, 0), at(30, Update, 0), at(50, Read, 0)}},
      {"data bus", {at(0, Activate, 0), at(6, Activate, 4), at(30, Read, 0), at(44, Write, 4)}},
      {"tWR", {at(0, Activate, 0), at(30, Write, 0), at(45, Precharge, 0)}},
      {"tRTP", {at(0, Activate, 0), at(40, Read, 0), at(43, Precharge, 0)}},
      {"row bus", {at(0, Activate, 0), at(1, PrechargeAll, 0)}},
      {"tRFC", {at(0, RefreshAll, 0), at(259, Activate, 0)}},
      {"refresh with an open bank", {at(0, Activate, 0), at(100, RefreshAll, 0)}},
      {"column command to a row that is not open", {at(0, Activate, 0, 1), at(20, Read, 0, 2)}},
      {"tRCDRD", {at(0, Activate, 0), at(14, ReadClear, 0)}},
      {"op-and-store hold", {at(0, Activate, 0), at(20, ReadClear, 0), at(23, Read, 0)}},
      {"op-and-store hold", {at(0, Activate, 0), at(20, Clear, 0), at(23, Clear, 0)}},
      {"data bus",
       {at(0, Activate, 0), at(6, Activate, 4), at(30, ReadClear, 0), at(44, Write, 4)}},
      {"op-and-store write-back before precharge",
       {at(0, Activate, 0), at(30, ReadClear, 0), at(53, Precharge, 0)}},
      {"row clear in an open bank", {at(0, Activate, 0), at(100, RowClear, 0)}},
      {"row clear", {at(0, RowClear, 0), at(80, Activate, 0)}},
      {"row clear", {at(0, RowClear, 0), at(80, RefreshAll, 0)}},
      {"tRRDL", {at(0, RowClear, 0), at(5, Activate, 1)}},
      {"tFAW", {at(0, RowClear, 0), at(6, RowClear, 4), at(15, Activate, 8)}},
      {"tRP", {at(0, Activate, 0), at(34, Precharge, 0), at(48, RowClear, 0)}},
      {"tREFI", {at(100, RefreshAll, 0), at(100 + 10 * 3900, RefreshAll, 0)}},
  };
  for (const auto& [rule, commands] : cases) {
    CommandChecker checker(config);
    for (const DramCommand& command : commands) checker.command(command);
    const auto found = checker.violations();
    EXPECT_TRUE(
        std::any_of(found.begin(), found.end(),
                    [&, &name = rule](const auto& line) { return line.rfind(name + ":", 0) == 0; }))
        << rule << " not found, but: " << (found.empty() ? "nothing" : found.front());
  }
}

}  // namespace
}  // namespace t3::test::hbm_rules_test
