// SPDX-License-Identifier: Apache-2.0
// The memory as people and scripts use it: `t3sim hbm` and `t3sim bench hbm`. Method: the real
// program runs on small traces; exit code, streams and files are what is judged. Times are compared
// with sums of the timing parameters written here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/testbench/refused.h"

namespace t3::hbm_command_test {
namespace {

namespace json = boost::json;

using test::expectRefused;
using test::t3sim;
using test::TemporaryDirectory;
using testing::HasSubstr;

using test::Words;

json::value readJson(const std::string& path) { return test::readJson(path); }

TEST(HbmCommand, PrintsTimeBandwidthRowsLatencyAndHostSpeed) {
  const TemporaryDirectory directory;
  const std::string trace = directory.write("trace", "0x0 READ 0\n0x20 WRITE 3\n");
  const auto outcome = test::mustRun({"hbm --trace", trace});
  for (const char* part : {"2 requests of 32 B", "peak 1024.0 GB/s", "time ", "bandwidth ", "rows ",
                           "latency ", "p50 ", "p99 ", "host ", "requests/s"}) {
    EXPECT_THAT(outcome.output, HasSubstr(part));
  }
}

TEST(HbmCommand, NamesATraceWithALongPathInWhole) {
  const TemporaryDirectory directory;
  const std::string trace = directory.write(std::string(250, 'x'), "0x0 READ 0\n");
  EXPECT_THAT(t3sim({"hbm --trace", trace}).output,
              testing::StartsWith(trace + ": 1 requests of 32 B, at most 64 outstanding\n32 "));
}

TEST(HbmCommand, ReplaysWithTheTimingOfTheMemoryItWasGiven) {
  const TemporaryDirectory directory;
  // Comments, empty lines, Windows line ends and a last line without an end are all fine.
  const std::string trace =
      directory.write("trace", "# one row, twice\n0x0 READ 100\r\n\n  0X40  READ\t100");
  const auto timeOf = [&](const Words& words) {
    const auto outcome = test::mustRun(
        Words{"hbm --trace", trace, "--quiet --json", directory.path("out.json")} + words);
    EXPECT_EQ(outcome.output, "");
    return readJson(directory.path("out.json")).at("time_ps").to_number<std::uint64_t>();
  };
  // Clock 100, ACT, tRCD 15, the second burst tCCDL 2 behind the first; then tCL 15 and a burst.
  // Its answer takes hbm.response_latency_ns more, 20 by default.
  EXPECT_EQ(timeOf({}), 1000U * (100 + 15 + 2 + 15 + 1 + 20));
  EXPECT_EQ(timeOf("--set hbm.timing.cl_ns=20"), 1000U * (100 + 15 + 2 + 20 + 1 + 20));
  EXPECT_EQ(timeOf("--set hbm.response_latency_ns=0"), 1000U * (100 + 15 + 2 + 15 + 1));
  // 1600 MHz, 625 ps: 15 ns are 24 clocks; tCCDL 4, and a burst takes BL8 / 4 = 2.
  EXPECT_EQ(timeOf("--preset hbm3"), 625U * (100 + 24 + 4 + 24 + 2) + 20'000U);
  EXPECT_EQ(timeOf("--preset tiny-tp4"), timeOf({})) << "a scenario's memory";
  const std::string file = directory.write("scenario.json", R"({"$schema": "scenario.schema.json",
      "preset": "tiny-tp4", "hbm": {"timing": {"cl_ns": "0.02us"}}})");
  EXPECT_EQ(timeOf({"--config", file}), timeOf("--set hbm.timing.cl_ns=20"));
  EXPECT_EQ(timeOf("--bytes 0.032kB"), timeOf({}));
}

TEST(HbmCommand, GivesTimesBandwidthAndLatenciesInTheUnitsOfTheirNames) {
  const TemporaryDirectory directory;
  // Alone, the data of a read is there after tRCD 15, tCL 15 and a burst: 31 ns. Its answer takes
  // hbm.response_latency_ns more, 20 by default.
  const std::string trace = directory.write("trace", "0x0 READ 0\n");
  const auto outcome = test::mustRun({"hbm --trace", trace, "--json", directory.path("out.json")});
  const json::value report = readJson(directory.path("out.json"));
  EXPECT_EQ(report.at("time_ps").to_number<int>(), 51'000) << "the only request has been answered";
  for (const char* quantile : {"p50", "p95", "p99", "max"}) {
    EXPECT_EQ(report.at("latency_ns").at(quantile).as_double(), 51.0) << quantile;
  }
  EXPECT_EQ(report.at("bandwidth_gb_s").as_double(), 32.0 / 51) << "bytes per ns";
  EXPECT_EQ(report.at("row_hit_rate").as_double(), 0.0);
  EXPECT_THAT(outcome.output, HasSubstr("time        0.051 us\n"));
  EXPECT_THAT(outcome.output, HasSubstr("bandwidth   0.63 GB/s, 0.1% of peak\n"));
  EXPECT_THAT(outcome.output, HasSubstr("0.00% hits, 100.00% misses, 0.00% conflicts of 1 bursts"));
  EXPECT_THAT(outcome.output,
              HasSubstr("latency     p50 51.0, p95 51.0, p99 51.0, longest 51.0 ns\n"));
  const double seconds = report.at("host").at("processor_s").to_number<double>();
  // Where the kernel counts processor time in ticks, one read may take none.
  EXPECT_NEAR(report.at("host").at("requests_per_s").to_number<double>() * seconds,
              seconds > 0 ? 1 : 0, 1e-9);
}

TEST(HbmCommand, ItsJsonNamesEveryFigureWithItsUnit) {
  const TemporaryDirectory directory;
  const std::string trace =
      directory.write("trace", "0x0 READ 0\n0x0 UPDATE 0\n0x100000 WRITE 0\n");
  test::mustRun({"hbm --trace", trace, "--quiet --json", directory.path("out.json")});
  const json::value report = readJson(directory.path("out.json"));
  EXPECT_EQ(report.at("schema").as_string(), "t3sim-hbm/1");
  EXPECT_EQ(report.at("trace").at("requests").to_number<int>(), 3);
  bool updates = false;
  for (const json::value& row : report.at("statistics").as_array()) {
    EXPECT_NE(row.at("description").as_string(), "");
    EXPECT_TRUE(row.as_object().contains("unit"));
    if (row.at("name") == "commands_Update") {
      updates = row.at("value").to_number<double>() == 1;
    }
  }
  EXPECT_TRUE(updates);
  // The settings it reports are a scenario's and run as such.
  const std::string config = directory.write("config.json", t3sim("hbm --show").output);
  test::mustRun({"hbm --trace", trace, "--config", config});
}

TEST(HbmCommand, AsksNothingOfTheRestOfAScenario) {
  // More wavefronts than a tracker tells apart, and nothing is tracked here.
  const TemporaryDirectory directory;
  const std::string trace = directory.write("trace", "0x0 READ 0\n");
  const std::string config =
      directory.write("config.json", R"({"gpu": {"gemm": {"wavefronts": 16}}})");
  test::mustRun({"hbm --trace", trace, "--config", config});
  expectRefused({"run --config", config}, {"gpu.gemm.wavefronts: expected at most 8"});
  // Rules of the memory still hold, and the error names the file.
  const std::string bad = directory.write("bad.json", R"({"hbm": {"banks": 6}})");
  expectRefused(
      {"hbm --trace", trace, "--config", bad},
      {bad + ": line 1: hbm.banks: expected a power of two, at least bank_groups, got 6"});
}

TEST(HbmCommand, WritesEveryDramCommandInOrder) {
  const TemporaryDirectory directory;
  const std::string trace = directory.write("trace", "0x0 READ 0\n0x0 WRITE 0\n");
  test::mustRun({"hbm --trace", trace, "--quiet --command-trace", directory.path("c.csv")});
  // Read to write: tCL 15 + burst 1 + gap 2 - tWL 3.
  EXPECT_EQ(test::readFile(directory.path("c.csv")),
            "gpu,channel,time_ps,command,bank_group,bank,row,column\n"
            "0,0,0,ACT,0,0,0,\n"
            "0,0,15000,RD,0,0,0,0\n"
            "0,0,30000,WR,0,0,0,0\n");
}

TEST(HbmCommand, NamesFileAndLineOfABadTrace) {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& text, const std::string& line, const char* what) {
    const std::string path = directory.write("bad", text);
    expectRefused({"hbm --trace", path}, {path + line, what});
  };
  refused("0x0 READ 0\n0x20\n", ":2: ", "expected ADDRESS READ|WRITE|UPDATE [CYCLE]");
  refused("0x0 READ 0 0\n", ":1: ", "'0x0 READ 0 0'");
  refused("\n\n0x12 COPY 0\n", ":3: ", "'0x12 COPY 0'");
  refused("12 0x20 0x40\n", ":1: ", "(DRAMSys) or LD|ST ADDRESS (Ramulator 2)");
  refused("5 read 0x40\n", ":1: ", "'5 read 0x40'");
  refused("5: read 0x40 0x1234\n", ":1: ", "'5: read 0x40 0x1234'");
  refused("x: read 0x40\n", ":1: ", "'x: read 0x40'");
  refused("LD 4g\n", ":1: ", "'LD 4g'");
  refused("LD 4 0\n", ":1: ", "'LD 4 0'");
  refused("5: (0) read 0x40\n", ":1: ", "expected 1 to 1048576 bytes in parentheses, got 0");
  refused("5: (1048577) read 0x0\n", ":1: ", "got 1048577");
  refused("0x0 READ -1\n", ":1: ", "'0x0 READ -1'");
  refused("0x0 READ 9223372036854775807\n", ":1: ", "CYCLE up to 1000000000000");
  refused("0x0 READ 1000000000001\n", ":1: ", "CYCLE up to 1000000000000");
  refused("0xg READ 1\n", ":1: ", "'0xg READ 1'");
  refused("0x400000000 READ 1\n", ":1: ", "hbm.capacity_gib");
  refused("0xffffffffffffffff READ 1\n", ":1: ", "hbm.capacity_gib");
  refused("0x3fffffff0 READ 1\n", ":1: ", "hbm.capacity_gib");
  refused("0x3ffffffe1 READ 1\n", ":1: ", "hbm.capacity_gib");
  const std::string last = directory.write("last", "0x3ffffffe0 READ 1\n");
  EXPECT_EQ(t3sim({"hbm --trace", last, "--quiet"}).code, 0) << "the last burst of 16 GiB";
  refused("# nothing\n", ": ", "expected at least one request");
  expectRefused("hbm", {"--trace"});
  expectRefused({"hbm --trace", directory.path("missing")}, {"missing", "cannot be read"});
  expectRefused({"hbm --trace", directory.path()}, {directory.path(), "cannot be read"});
}

// The same three requests in the form of each simulator, with its spelling of addresses and kinds.
TEST(HbmCommand, ReadsTheTracesOfOtherSimulators) {
  const TemporaryDirectory directory;
  const auto replayed = [&](const std::string& text) {
    const std::string trace = directory.write("trace", text);
    test::mustRun({"hbm --trace", trace, "--quiet --command-trace", directory.path("c.csv"),
                   "--json", directory.path("o.json")});
    return test::readFile(directory.path("c.csv"));
  };
  const std::string untimed = replayed("0x1000 READ 0\n0x1040 WRITE 0\n0x2000 READ 0\n");
  EXPECT_NE(untimed, "");
  EXPECT_EQ(replayed("0x1000 R\n0x1040 W\n0x2000 R\n"), untimed) << "Ramulator";
  EXPECT_EQ(replayed("LD 4096\nST 0x1040\nLD 0x2000\n"), untimed) << "Ramulator 2";
  EXPECT_EQ(replayed("1000 read\n1040 write 0\n2000 Read\n"), untimed) << "no 0x, lower case";
  const std::string timed = replayed("0x1000 READ 5\n0x1040 WRITE 900\n0x2000 READ 990\n");
  EXPECT_NE(timed, untimed);
  EXPECT_EQ(replayed("5:\tread\t0x1000\n900:\twrite\t0x1040\n990:\tread\t0x2000\n"), timed)
      << "DRAMSys";
  EXPECT_EQ(replayed("0x1000 P_MEM_RD 5\n0x1040 P_MEM_WR 900\n0x2000 P_FETCH 990\n"), timed)
      << "DRAMSim2";
  EXPECT_EQ(replayed("5: (32) read 0x1000\n900: (32) write 1040\n990: (32) read 0x2000\n"), timed);
  EXPECT_NE(replayed("5: (64) read 0x1000\n900: write 0x1040\n990: read 0x2000\n"), timed);
}

TEST(HbmCommand, SaysOfAFileThatIsNoTraceWhatItIs) {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& name, const std::string& bytes, const char* what) {
    const std::string path = directory.write(name, bytes);
    test::expectRefused({"hbm --trace", path}, {path + ": expected " + what + "\n"});
  };
  refused("t.gz", "\x1f\x8b\x08 and so on", "a request trace, got a compressed file (gunzip it)");
  refused("t.zst", "\x28\xb5\x2f\xfd", "a request trace, got a compressed file (unzstd it)");
  refused("t.xz",
          "\xfd"
          "7zXZ",
          "a request trace, got a compressed file (unxz it)");
  refused("t.bz2", "BZh9", "a request trace, got a compressed file (bunzip2 it)");
  refused("t.bin", std::string("\x01\0\x02", 3), "a request trace in text, got a binary file");
  refused("t.rstl", "1: read 0x0\n",
          "times from the start (a .stl trace of DRAMSys), got times from one request to the next");
}

TEST(HbmCommand, TakesEachOptionUpToItsLimit) {
  const TemporaryDirectory directory;
  const std::string trace = directory.write("trace", "0x0 READ 1000000000000\n");
  const auto code = [&](const char* option, const char* value) {
    return t3sim({"hbm --trace", trace, "--quiet --set hbm.refresh=off", option, value}).code;
  };
  EXPECT_EQ(code("--outstanding", "1000000"), 0);
  EXPECT_EQ(code("--outstanding", "1000001"), 2);
  EXPECT_EQ(code("--outstanding", "0"), 2);
  EXPECT_EQ(code("--bytes", "1MiB"), 0);
  EXPECT_EQ(code("--bytes", "1048577"), 2);
  EXPECT_EQ(code("--bytes", "1"), 0);
}

TEST(HbmCommand, RefusesWhatIsNoMemorySetting) {
  expectRefused("hbm --preset hbm4", {"'hbm4'", "'hbm2'", "hbm2-pseudo"});
  expectRefused("hbm --set gpus=4", {"--set", "gpus"});
  expectRefused("hbm --set hbm.banks=3", {"--set", "banks", "power of two"});
  expectRefused("hbm --trace x --bytes 0", {"--bytes"});
  expectRefused("hbm --trace x --outstanding no", {"--outstanding"});
}

TEST(BenchCommand, ReportsEveryFigureOfTheMemoryWithItsUnit) {
  const TemporaryDirectory directory;
  const auto outcome =
      test::mustRun({"bench hbm --work 0.002 --repeats 1 --json", directory.path("bench.json")});
  for (const char* part : {"stream of reads", "stream of writes", "reads and writes in turn",
                           "random addresses", "stream of updates", "M/s"}) {
    EXPECT_THAT(outcome.output, HasSubstr(part));
  }
  const json::value report = readJson(directory.path("bench.json"));
  EXPECT_EQ(report.at("schema").as_string(), "t3sim-bench/1");
  std::size_t figures = 0;
  for (const json::value& part : report.at("parts").as_array()) {
    EXPECT_EQ(part.at("part").as_string(), "hbm");
    for (const json::value& table : part.at("tables").as_array()) {
      for (const json::value& row : table.at("rows").as_array()) {
        for (const json::value& column : table.at("columns").as_array()) {
          EXPECT_GE(row.at(column.at("name").as_string()).to_number<double>(), 0);
          EXPECT_NE(column.at("description").as_string(), "");
          ++figures;
        }
      }
    }
  }
  EXPECT_GT(figures, 50U);
}

/// The "model name" of the first processor; the architecture where the system does not say.
std::string modelOfProcessor() {
  std::istringstream info(test::readFile("/proc/cpuinfo"));
  const std::string key = "model name\t: ";
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  utsname system{};
  uname(&system);
  return system.machine;
}

TEST(BenchCommand, MeasuresAllPartsUnlessSomeAreNamed) {
  const TemporaryDirectory directory;
  const std::string file = directory.path("bench.json");
  const auto outcome = test::mustRun({"bench --work 0.0001 --repeats 1 --quiet --json", file});
  EXPECT_EQ(outcome.output, "");
  const json::value report = readJson(file);
  EXPECT_EQ(report.at("processor").as_string(), modelOfProcessor());
  ASSERT_EQ(report.at("parts").as_array().size(), 1U);
  const json::array& tables = report.at("parts").at(0).at("tables").as_array();
  ASSERT_EQ(tables.size(), 4U);
  Words rows;
  for (const json::value& row : tables[3].at("rows").as_array()) {
    rows.emplace_back(row.at("name").as_string());
  }
  EXPECT_THAT(rows,
              testing::ElementsAre("stream of reads", "stream of writes", "stream of updates",
                                   "stream, reads and writes in turn", "random addresses, reads"));
}

TEST(BenchCommand, RefusesUnknownPartsAndAmounts) {
  expectRefused("bench gpu-memory", {"'gpu-memory'", "hbm"});
  expectRefused("bench hbm --work 0", {"--work"});
  expectRefused("bench hbm --repeats 0", {"--repeats"});
}

}  // namespace
}  // namespace t3::hbm_command_test
