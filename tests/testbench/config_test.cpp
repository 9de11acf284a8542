// SPDX-License-Identifier: Apache-2.0
// Settings are read, written and checked from their description alone. Method: a small described
// configuration with one member of each kind shows every rule and every error; then the real one,
// SystemConfig, is walked completely, so that a member added anywhere is covered without a change
// here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "testbench/config/described_json.h"
#include "testbench/config/json_text.h"
#include "testbench/config/mode_spelling.h"
#include "testbench/config/options.h"
#include "testbench/config/quantity.h"
#include "testbench/config/setting.h"
#include "testbench/config/spelling.h"
#include "testbench/presets/presets.h"
#include "testbench/presets/scenario.h"
#include "tests/support/seed.h"
#include "tests/testbench/refused.h"

namespace t3::config_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

enum class Flavour { Plain, RoundRobin, T3Mca, Fp16 };
BOOST_DESCRIBE_ENUM(Flavour, Plain, RoundRobin, T3Mca, Fp16)

/// A policy chosen by name; Gasoline is the default.
struct Fuel {
  const char* name;
  double joules_per_gram;

  static std::span<const Fuel* const> table();
};
constexpr Fuel kGasoline{"gasoline", 43000};
constexpr Fuel kWoodGas{"wood-gas", 5000};
std::span<const Fuel* const> Fuel::table() {
  static constexpr const Fuel* kRows[] = {&kGasoline, &kWoodGas};
  return kRows;
}
constexpr Fuel kHydrogen{"hydrogen", 120000};  // in no table

struct Engine {
  double power_kw = 1.5;
  std::uint32_t cylinders = 4;
  std::int8_t offset = 0;
  Choice<Fuel> fuel;

  static constexpr auto settings() {
    using C = Engine;
    return std::tuple{T3_SETTING(power_kw, "kW", 0.5, 100, ""),
                      T3_SETTING(cylinders, "", 1, 5e9, ""),
                      T3_SETTING(offset, "mm", -1000, 1000, ""), T3_SETTING(fuel, "", 0, 0, "")};
  }
  std::optional<std::string> check() const {
    if (cylinders % 2 == 0) return std::nullopt;
    return "cylinders: expected an even number, got " + std::to_string(cylinders);
  }
};

struct Car {
  std::string label = "car";
  bool fast = false;
  Flavour flavour = Flavour::Plain;
  std::uint64_t number = 7;
  Engine engine;

  static constexpr auto settings() {
    using C = Car;
    return std::tuple{T3_SETTING(label, "", 0, 0, ""), T3_SETTING(fast, "", 0, 0, ""),
                      T3_SETTING(flavour, "", 0, 0, ""), T3_SETTING(number, "", 0, 2e19, ""),
                      T3_SETTING_GROUP(engine)};
  }
};

Car read(const std::string& text) {
  Car car;
  readSettings(bindSettings(car), parseJsonText(text, "car.json"), "car.json");
  return car;
}

Car set(const std::string& assignment) {
  Car car;
  applyAssignment(bindSettings(car), assignment, "--set");
  return car;
}

std::string readError(const std::string& text) {
  return test::refusalOf([&] { read(text); });
}

std::string setError(const std::string& assignment) {
  return test::refusalOf([&] { set(assignment); });
}

// --- spelling -------------------------------------------------------------------------------

TEST(Spelling, EnumeratorsAreKebabCase) {
  EXPECT_EQ(spelling(Flavour::Plain), "plain");
  EXPECT_EQ(spelling(Flavour::RoundRobin), "round-robin");
  EXPECT_EQ(spelling(Flavour::T3Mca), "t3-mca");
  EXPECT_EQ(spelling(Flavour::Fp16), "fp16");
  EXPECT_EQ(fromSpelling<Flavour>("t3-mca"), Flavour::T3Mca);
  EXPECT_EQ(fromSpelling<Flavour>("T3Mca"), std::nullopt);
}

TEST(Spelling, ModesCarryTheirNumber) {
  for (const char* word : {"sequential", "cu-split:1", "cu-split:79", "t3-mca", "ideal-rs-nmc"}) {
    Mode mode;
    ASSERT_TRUE(readSpelling(word, mode)) << word;
    EXPECT_EQ(spelling(mode), word);
    EXPECT_EQ(fromJson<Mode>(toJson(mode)), mode);
  }
  Mode mode;
  ASSERT_TRUE(readSpelling("cu-split:12", mode));
  EXPECT_EQ(mode, Mode::cuSplit(12));
  for (const char* word : {"cu-split", "cu-split:", "cu-split:0", "cu-split:-1", "cu-split:8x",
                           "cu-split:99999999999", "t3:8", "split", ""}) {
    EXPECT_FALSE(readSpelling(word, mode)) << word;
  }
}

TEST(Spelling, NearestCountsEditsAndACommonBeginning) {
  EXPECT_EQ(nearest("latncy", {"lane", "latency", "late"}), "latency");
  EXPECT_EQ(nearest("GPUS", {"seed", "gpus"}), "gpus");
  EXPECT_EQ(nearest("gpu.clok", {"gpu.l2", "gpu.clock_mhz"}), "gpu.clock_mhz");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest("foo", {"tiny-tp4", "t-nlg-fc2-tp8"}), "") << "nothing is near";
  EXPECT_EQ(nearest("--wave", {"--data", "--quiet"}), "") << "the dashes do not count";
  EXPECT_EQ(nearest("tiny", {"t-nlg-fc2-tp8", "tiny-edge-tp4"}), "tiny-edge-tp4") << "a beginning";
  EXPECT_EQ(nearestNote("t3mca", {"t3", "t3-mca"}), "; the nearest is 't3-mca'");
  EXPECT_EQ(nearestNote("foo", {"t3", "t3-mca"}), "");
  EXPECT_EQ(unlikeness("kitten", "sitting"), 3);
  EXPECT_EQ(unlikeness("", "abc"), 3);
  EXPECT_EQ(unlikeness("latncy", "latency"), 1 - 3);
}

// --- reading --------------------------------------------------------------------------------

TEST(ReadSettings, TakesEachKindOfValueAndLeavesTheRestAtItsDefault) {
  const Car car = read(R"({ // a comment
    "label": "van", "fast": true, /* another */ "flavour": "round-robin",
    "number": 18446744073709551615,
    "engine": {"power_kw": 3, "offset": -5,},
  })");
  EXPECT_EQ(car.label, "van");
  EXPECT_TRUE(car.fast);
  EXPECT_EQ(car.flavour, Flavour::RoundRobin);
  EXPECT_EQ(car.number, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(car.engine.power_kw, 3.0);
  EXPECT_EQ(car.engine.offset, -5);
  EXPECT_EQ(car.engine.cylinders, 4U);
}

TEST(ReadSettings, AChoiceIsARowOfItsTable) {
  EXPECT_EQ(Car{}.engine.fuel, kGasoline);
  EXPECT_EQ(read(R"({"engine": {"fuel": "wood-gas"}})").engine.fuel, kWoodGas);
  EXPECT_EQ(set("engine.fuel=wood-gas").engine.fuel->joules_per_gram, 5000);
  EXPECT_EQ(readError(R"({"engine": {"fuel": "hydrogen"}})"),
            "car.json: engine.fuel: expected gasoline or wood-gas, got \"hydrogen\"");
  EXPECT_THAT(readError(R"({"engine": {"fuel": 1}})"), HasSubstr("got 1"));
}

TEST(ReadSettings, ARowOfOnesOwnIsWrittenByItsName) {
  Car car;
  car.engine.fuel = kHydrogen;
  EXPECT_EQ(boost::json::serialize(toJson(car.engine)),
            R"({"power_kw":1.5E0,"cylinders":4,"offset":0,"fuel":"hydrogen"})");
  car.engine.fuel = kWoodGas;
  EXPECT_EQ(fromJson<Engine>(toJson(car.engine)).fuel, kWoodGas);
}

TEST(ReadSettings, TakesAWholeNumberInAnyNotation) {
  EXPECT_EQ(read(R"({"number": 1e6})").number, 1000000U);
  EXPECT_EQ(read(R"({"number": 12.0})").number, 12U);
}

TEST(ReadSettings, UnknownKeyNamesFileKeyAndNearestKey) {
  EXPECT_EQ(readError(R"({"engine": {"cylindres": 4}})"),
            "car.json: engine.cylindres: unknown key; the nearest is 'engine.cylinders'");
  EXPECT_EQ(readError(R"({"engin": {}})"), "car.json: engin: unknown key; the nearest is 'engine'");
}

TEST(ReadSettings, AKeyWithALineEndIsShownInOneLine) {
  EXPECT_EQ(readError(R"({"engi\nn": {}})"),
            R"(car.json: engi\nn: unknown key; the nearest is 'engine')");
  EXPECT_EQ(readError(R"({"engine\u001f\u007f": {}})"),
            R"(car.json: engine\x1f\x7f: unknown key; the nearest is 'engine')");
}

TEST(ReadSettings, UnknownKeySuggestsTheSameNameInAnotherGroup) {
  EXPECT_THAT(readError(R"({"power_kw": 4})"), HasSubstr("'engine.power_kw'"));
  EXPECT_THAT(readError(R"({"engine": {"flavor": "plain"}})"), HasSubstr("'flavour'"));
}

TEST(ReadSettings, DuplicateKeyIsAnErrorAtAnyDepth) {
  EXPECT_EQ(readError("{\"fast\": true,\n \"fast\": true}"),
            "car.json: line 2, column 7: fast: key occurs twice");
  EXPECT_THAT(readError(R"({"engine": {"offset": 1, "power_kw": 2, "offset": 1}})"),
              AllOf(HasSubstr("engine.offset"), HasSubstr("twice")));
  EXPECT_THAT(readError(R"({"engine": {}, "engine": {}})"), HasSubstr("twice"));
  // The same letters, escaped.
  EXPECT_THAT(readError(R"({"fast": true, "f\u0061st": true})"), HasSubstr("twice"));
  // The same key in different objects is none.
  EXPECT_NO_THROW(parseJsonText(R"([{"a": 1}, {"a": {"a": 2}}])", "x"));
}

TEST(ReadSettings, WrongTypeSaysWhatWasExpectedAndFound) {
  EXPECT_EQ(readError(R"({"fast": 1})"), "car.json: fast: expected true or false, got 1");
  EXPECT_EQ(readError(R"({"number": "7"})"),
            "car.json: number: expected a whole number from 0 to 2e+19, got \"7\"");
  EXPECT_EQ(readError(R"({"label": 7})"), "car.json: label: expected a text, got 7");
  EXPECT_EQ(readError(R"({"flavour": "mild"})"),
            "car.json: flavour: expected plain, round-robin, t3-mca or fp16, got \"mild\"");
  EXPECT_EQ(readError(R"({"flavour": 0})"),
            "car.json: flavour: expected plain, round-robin, t3-mca or fp16, got 0");
  EXPECT_EQ(
      readError(R"({"engine": 5})"),
      "car.json: engine: expected an object with any of power_kw, cylinders, offset or fuel, got "
      "5");
  EXPECT_THAT(readError(R"({"engine": null})"), HasSubstr("got null"));
  EXPECT_THAT(readError(R"([])"), HasSubstr("expected an object"));
}

TEST(ReadSettings, OutOfRangeSaysTheRangeAndUnit) {
  EXPECT_EQ(readError(R"({"engine": {"power_kw": 100.5}})"),
            "car.json: engine.power_kw: expected a number from 0.5 to 100 (kW), got 100.5");
  EXPECT_THAT(readError(R"({"engine": {"power_kw": 0}})"), HasSubstr("got 0"));
  EXPECT_THAT(readError(R"({"engine": {"cylinders": 0}})"), HasSubstr("from 1 to"));
  EXPECT_EQ(read(R"({"engine": {"power_kw": 100}})").engine.power_kw, 100.0);
  EXPECT_EQ(read(R"({"engine": {"power_kw": 0.5}})").engine.power_kw, 0.5);
}

TEST(ReadSettings, FractionsAndOverflowOfWholeNumbersAreErrors) {
  EXPECT_THAT(readError(R"({"number": 1.5})"), HasSubstr("expected a whole number"));
  EXPECT_THAT(readError(R"({"number": -1})"), HasSubstr("got -1"));
  EXPECT_THAT(readError(R"({"number": 18446744073709551616})"), HasSubstr("a whole number"));
  // Inside the described range, outside the type.
  EXPECT_THAT(readError(R"({"engine": {"cylinders": 4294967296}})"), HasSubstr("a whole number"));
  EXPECT_THAT(readError(R"({"engine": {"offset": 128}})"), HasSubstr("a whole number"));
  EXPECT_THAT(readError(R"({"engine": {"power_kw": 1e999}})"), HasSubstr("car.json"));
}

TEST(ReadSettings, BrokenJsonNamesLineAndColumnAndWhatWasExpectedThere) {
  EXPECT_EQ(readError("{\n  \"fast\": tru\n}"),
            "car.json: line 2, column 11: expected a value, found 'tru'");
  EXPECT_EQ(readError("{\n  \"fast\": true\n  \"number\": 1\n}"),
            "car.json: line 3, column 3: expected ',' or '}', found '\"'");
  EXPECT_EQ(readError("{// why\n  fast: true}"),
            "car.json: line 2, column 3: expected a key in double quotes or '}', found 'fast'");
  EXPECT_EQ(readError("{\"fast\" = true}"),
            "car.json: line 1, column 9: expected ':' behind the key, found '='");
  EXPECT_EQ(readError("{\"engine\": {\"power_kw\": 1]}"),
            "car.json: line 1, column 26: expected ',' or '}', found ']'");
  EXPECT_EQ(readError("{\"number\": 1us}"),
            "car.json: line 1, column 12: expected a value, found '1us'");
  EXPECT_EQ(readError("[1, ,]"), "car.json: line 1, column 5: expected a value or ']', found ','");
  EXPECT_EQ(readError("{\"label\": \"van\n\"}"),
            "car.json: line 1, column 15: expected a closing double quote, found the end of the "
            "line");
  EXPECT_EQ(readError("{\"label\": \"a\\c\"}"),
            "car.json: line 1, column 13: expected an escape such as \\n, \\\\ or \\u00e4, found "
            "'\\c'");
  EXPECT_EQ(readError(R"({"label": "a\u00g4"})"),
            "car.json: line 1, column 13: expected an escape such as \\n, \\\\ or \\u00e4, found "
            "'\\u00g4'");
  EXPECT_EQ(readError("{\"fast\": true\n"),
            "car.json: line 2, column 1: expected ',' or '}', found the end");
  EXPECT_EQ(readError("{} {}"),
            "car.json: line 1, column 4: expected the end of the file, found '{'");
  EXPECT_EQ(readError("{} /* "),
            "car.json: line 1, column 4: expected '*/' behind this, found the end");
  EXPECT_EQ(readError(" \n"), "car.json: expected JSON, found nothing");
}

TEST(ReadSettings, ALargeFileTakesTimeInProportion) {
  // What searches the rest of the file for each character of it would take many minutes.
  std::string text = "[0";
  for (int i = 1; i < 1'000'000; ++i) text += ",\n" + std::to_string(i);
  EXPECT_EQ(parseJsonText(text + "]", "x").as_array().size(), 1'000'000U);
}

TEST(ReadSettings, CommentsMayStandAnywhereAndTextsMayLookLikeThem) {
  EXPECT_TRUE(read("{\"fast\": true} // so").fast);
  EXPECT_TRUE(read("/** so **/ {/**/\"fast\"/* */: true} /***/").fast);
  EXPECT_EQ(read(R"({"label": "a // b /* c */", /* "label": "d" */})").label, "a // b /* c */");
  EXPECT_EQ(read(R"({"label": "a\"//b"})").label, "a\"//b");
}

TEST(ReadSettings, EveryBrokenTextIsRefusedWithWhatWasExpectedThere) {
  const std::string whole =
      "{ // note\n \"a\": [1, -2.5e+3, true, {\"b\": null,}, ], /* x */ \"c\\n\": \"d\\u0041\" }";
  ASSERT_NO_THROW(parseJsonText(whole, "x"));
  std::mt19937_64 random(test::seed(1));
  const std::string letters = "{}[]:,\"/*\\ \n\t01-.eatnu";
  std::size_t broken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = whole;
    for (std::size_t change = random() % 3 + 1; change > 0; --change) {
      const std::size_t at = random() % text.size();
      const char letter = letters[random() % letters.size()];
      if (random() % 3 == 0) {
        text.erase(at, 1);
      } else if (random() % 2 == 0) {
        text.insert(at, 1, letter);
      } else {
        text[at] = letter;
      }
    }
    const std::string refusal = test::refusalOf([&] { parseJsonText(text, "x"); });
    if (refusal.find("twice") != std::string::npos) continue;
    broken += refusal.empty() ? 0 : 1;
    const bool vague = refusal.find("expected JSON") != std::string::npos &&
                       refusal.find("found nothing") == std::string::npos;
    EXPECT_FALSE(vague) << text << "\n" << refusal;
  }
  EXPECT_GT(broken, 1000U);
}

TEST(ReadSettings, MissingFileAndDirectoryAreNamed) {
  const test::TemporaryDirectory directory;
  EXPECT_THAT(test::refusalOf([&] { parseJsonFile(directory.path("absent.json")); }),
              AllOf(HasSubstr("absent.json"), HasSubstr("No such file")));
  EXPECT_THAT(test::refusalOf([&] { parseJsonFile(directory.path()); }), HasSubstr("directory"));
}

// --- assignments ----------------------------------------------------------------------------

TEST(Assignment, SetsValuesOfEachKindByPath) {
  EXPECT_EQ(set("engine.power_kw=2.5").engine.power_kw, 2.5);
  EXPECT_EQ(set("number=3").number, 3U);
  EXPECT_TRUE(set("fast=true").fast);
  EXPECT_EQ(set("flavour=t3-mca").flavour, Flavour::T3Mca);
  EXPECT_EQ(set("label=some text = more").label, "some text = more");
  EXPECT_EQ(set("label=7").label, "7");
  EXPECT_EQ(set("label=\"quoted\"").label, "quoted");
  EXPECT_EQ(set("label=").label, "");
  EXPECT_EQ(set("engine={\"offset\": 9, \"cylinders\": 6}").engine.offset, 9);
}

TEST(Assignment, ErrorsAreThoseOfAFileUnderTheNameOfTheOption) {
  EXPECT_EQ(setError("engine.powr_kw=2"),
            "--set: engine.powr_kw: unknown key; the nearest is 'engine.power_kw'");
  EXPECT_EQ(setError("number.x=2"), "--set: number.x: unknown key; 'number' is a single value");
  EXPECT_EQ(setError("fast=yes"), "--set: fast: expected true or false, got \"yes\"");
  EXPECT_EQ(setError("engine.offset=1.5"),
            "--set: engine.offset: expected a whole number from -1000 to 1000 (mm), got 1.5");
  EXPECT_THAT(setError("engine=5"), HasSubstr("expected an object"));
  EXPECT_THAT(setError("engine={\"offset\": 1, \"offset\": 2}"), HasSubstr("twice"));
  EXPECT_THAT(setError("number"), HasSubstr("expected key.path=value"));
  EXPECT_THAT(setError("=3"), HasSubstr("expected key.path=value"));
  EXPECT_THAT(setError("engine.=3"), HasSubstr("unknown key"));
  EXPECT_THAT(setError("number="), HasSubstr("expected a whole number"));
}

// --- units ----------------------------------------------------------------------------------

/// Numbers with a unit of each dimension, with one that is of none, and without any.
struct Clockwork {
  double spring_ns = 5;
  std::uint32_t drum_bytes = 4096;
  double motor_mhz = 1;
  double belt_gb_s = 75;
  double wear_pj_bit = 1;
  std::uint32_t teeth = 12;
  std::uint32_t turns = 3;
  std::optional<double> delay_us;

  static constexpr auto settings() {
    using C = Clockwork;
    return std::tuple{
        T3_SETTING(spring_ns, "ns", 0, 1e6, ""),      T3_SETTING(drum_bytes, "bytes", 1, 1e9, ""),
        T3_SETTING(motor_mhz, "MHz", 0, 1e6, ""),     T3_SETTING(belt_gb_s, "GB/s", 0, 1e6, ""),
        T3_SETTING(wear_pj_bit, "pJ/bit", 0, 10, ""), T3_SETTING(teeth, "", 0, 100, ""),
        T3_SETTING(turns, "turns", 0, 100, ""),       T3_SETTING(delay_us, "us", 0, 1e6, "")};
  }
};

Clockwork wound(const std::string& assignment) {
  Clockwork clockwork;
  applyAssignment(bindSettings(clockwork), assignment, "--set");
  return clockwork;
}

TEST(Units, ANumberWithAUnitMeansWhatItSays) {
  EXPECT_EQ(wound("spring_ns=1us").spring_ns, 1000);
  EXPECT_EQ(wound("spring_ns=1 us").spring_ns, 1000);
  EXPECT_EQ(wound("spring_ns=250ps").spring_ns, 0.25);
  EXPECT_EQ(wound("spring_ns=2.5e-4s").spring_ns, 250'000);
  EXPECT_EQ(wound("spring_ns=7").spring_ns, 7) << "the unit of the key";
  EXPECT_EQ(wound("drum_bytes=64KiB").drum_bytes, 65536U);
  EXPECT_EQ(wound("drum_bytes=1.5kB").drum_bytes, 1500U);
  EXPECT_EQ(wound("drum_bytes=12B").drum_bytes, 12U);
  EXPECT_EQ(wound("motor_mhz=1.4GHz").motor_mhz, 1400);
  EXPECT_EQ(wound("belt_gb_s=600Gbit/s").belt_gb_s, 75);
  EXPECT_EQ(wound("belt_gb_s=1TiB/s").belt_gb_s, 1099.511627776);
  EXPECT_EQ(wound("wear_pj_bit=500fJ/bit").wear_pj_bit, 0.5);
  EXPECT_EQ(wound("turns=4 turns").turns, 4U) << "a unit that nothing else is measured in";
  EXPECT_EQ(wound("delay_us=3ms").delay_us, 3000);
}

TEST(Units, AreExact) {
  // Each is the double nearest to the decimal: multiplied as doubles, some would be off by one bit.
  for (const char* digits : {"0.1", "0.3", "0.7", "1.1", "2.3", "4.35", "8.2", "0.57"}) {
    const std::string number = digits;
    EXPECT_EQ(inUnit(number + "us", "ns"), std::stod(number + "e3")) << number;
    EXPECT_EQ(inUnit(number + "ps", "ns"), std::stod(number + "e-3")) << number;
    EXPECT_EQ(inUnit(number + "TB/s", "GB/s"), std::stod(number + "e3")) << number;
    EXPECT_EQ(inUnit(number + "nJ", "pJ"), std::stod(number + "e3")) << number;
    EXPECT_EQ(inUnit(number + "e2KiB", "bytes"), std::stod(number + "e2") * 1024) << number;
  }
}

TEST(Units, OfAnotherDimensionOrOfNoneAreRefused) {
  const auto error = [](const std::string& assignment) {
    return test::refusalOf([&] { wound(assignment); });
  };
  EXPECT_EQ(
      error("spring_ns=1GB"),
      "--set: spring_ns: expected a number from 0 to 1000000 (ns), got \"1GB\"; units are ps, "
      "ns, us, ms or s");
  EXPECT_EQ(error("drum_bytes=0.1KiB"),
            "--set: drum_bytes: expected a whole number from 1 to 1000000000 (bytes), got "
            "\"0.1KiB\"; units are bytes, B, kB, MB, GB, KiB, MiB or GiB");
  EXPECT_THAT(error("spring_ns=2ms"), HasSubstr("from 0 to 1000000 (ns), got \"2ms\""));
  EXPECT_THAT(error("spring_ns=1Us"), HasSubstr("units are ps"));
  EXPECT_THAT(error("spring_ns=us"), HasSubstr("units are ps"));
  EXPECT_THAT(error("spring_ns=1usec"), HasSubstr("units are ps"));
  EXPECT_EQ(error("teeth=1us"), "--set: teeth: expected a whole number from 0 to 100, got \"1us\"");
  EXPECT_EQ(error("turns=1us"),
            "--set: turns: expected a whole number from 0 to 100 (turns), got \"1us\"");
  EXPECT_THAT(error("spring_ns=1e400s"), HasSubstr("expected a number"));
}

TEST(Units, StandInATextInAFile) {
  Clockwork clockwork;
  const auto readFile = [&](const std::string& text) {
    readSettings(bindSettings(clockwork), parseJsonText(text, "c.json"), "c.json");
  };
  readFile(R"({"spring_ns": "1us", "drum_bytes": "8 KiB"})");
  EXPECT_EQ(clockwork.spring_ns, 1000);
  EXPECT_EQ(clockwork.drum_bytes, 8192U);
  EXPECT_THAT(test::refusalOf([&] { readFile(R"({"spring_ns": "1"})"); }),
              HasSubstr("got \"1\"; units are ps, ns"))
      << "a text without a unit is no number";
  EXPECT_THAT(test::refusalOf([&] { readFile(R"({"spring_ns": "1MHz"})"); }),
              HasSubstr("got \"1MHz\""));
}

// --- rules between settings -----------------------------------------------------------------

TEST(CrossCheck, ReportsTheFullPathOfTheKey) {
  Car car;
  const Setting root = bindSettings(car);
  EXPECT_EQ(crossCheckSettings(root), std::nullopt);
  applyAssignment(root, "engine.cylinders=3", "--set");
  EXPECT_EQ(crossCheckSettings(root), "engine.cylinders: expected an even number, got 3");
}

// --- writing --------------------------------------------------------------------------------

TEST(OptionValues, AWholeNumberIsReadFromTheLeastToTheMost) {
  const WholeNumber read{2, 1024};
  EXPECT_EQ(read("2", "--n"), 2U);
  EXPECT_EQ(read("1024", "--n"), 1024U);
  for (const char* word : {"1", "1025", "4294967297", "-2", "+2", " 2", "2 ", "2.0", "0x2", ""}) {
    EXPECT_EQ(test::refusalOf([&] { read(word, "--n"); }),
              std::string("--n: expected a whole number from 2 to 1024, got '") + word + "'");
  }
}

TEST(OptionValues, AWholeNumberOfAUnitMayHaveAnotherOfItsKind) {
  const WholeNumber read{1, 65536, "bytes"};
  EXPECT_EQ(read("256", "--bytes"), 256U);
  EXPECT_EQ(read("4KiB", "--bytes"), 4096U);
  EXPECT_EQ(read("64 KiB", "--bytes"), 65536U);
  for (const char* word : {"0B", "0.1KiB", "65KiB", "-1B", "1us", "KiB"}) {
    EXPECT_EQ(test::refusalOf([&] { read(word, "--bytes"); }),
              "--bytes: expected a whole number from 1 to 65536 (bytes, B, kB, MB, GB, KiB, MiB or "
              "GiB), got '" +
                  std::string(word) + "'");
  }
}

TEST(Messages, AreCutAfterSixtyCharacters) {
  EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(shortened(std::string(61, 'a')), std::string(60, 'a') + "...");
  EXPECT_EQ(inQuotes("a\nb\tc"), "'a b c'");
  EXPECT_EQ(alternatives({}), "");
  EXPECT_EQ(alternatives({"a"}), "a");
  EXPECT_EQ(alternatives({"a", "b"}), "a or b");
  EXPECT_EQ(alternatives({"a", "b", "c"}), "a, b or c");
}

TEST(FormatJson, BreaksALineThatIsLongerThanOneHundredColumns) {
  const auto lines = [](std::size_t length) {
    const std::string text = formatJson({{"key", {std::string(length, 'x')}}});
    return std::count(text.begin(), text.end(), '\n');
  };
  // Two columns of indentation, `"key": ["`, the text and `"]`.
  EXPECT_EQ(lines(100 - 2 - 9 - 2 - 1), 3);
  EXPECT_EQ(lines(100 - 2 - 9 - 2), 5);
}

TEST(WriteSettings, IsReadBackAsTheSameValues) {
  Car car;
  car.label = "quote \" and \n break";
  car.number = std::numeric_limits<std::uint64_t>::max();
  car.engine.power_kw = 0.1 + 0.7;
  car.flavour = Flavour::Fp16;
  const std::string text = formatJson(toJson(car));
  Car copy = read(text);
  EXPECT_EQ(copy.label, car.label);
  EXPECT_EQ(copy.number, car.number);
  EXPECT_EQ(copy.engine.power_kw, car.engine.power_kw);
  EXPECT_EQ(copy.flavour, car.flavour);
  EXPECT_EQ(formatJson(toJson(copy)), text);
}

TEST(WriteSettings, NumbersReadWellAndReadBackExactly) {
  EXPECT_EQ(formatNumber(75), "75.0");
  EXPECT_EQ(formatNumber(0.6), "0.6");
  EXPECT_EQ(formatNumber(0), "0.0");
  EXPECT_EQ(formatNumber(-2.5), "-2.5");
  EXPECT_EQ(formatNumber(1234567890.125), "1234567890.125");
  // Plain decimals from a millionth to below 10^16.
  EXPECT_EQ(formatNumber(1e-6), "0.000001");
  EXPECT_EQ(formatNumber(9.5e-7), "9.5e-07");
  EXPECT_EQ(formatNumber(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(formatNumber(1e16), "1e+16");
  for (const double value : {1e300, 3.0e-12, 0.1, 1.0 / 3.0, 9007199254740993.0}) {
    EXPECT_EQ(std::stod(formatNumber(value)), value);
  }
}

// --- the real configuration -----------------------------------------------------------------

/// Calls `visit(path, setting)` for the group and everything below it.
template <typename Visit>
void walk(const Setting& setting, const std::string& path, Visit visit) {
  visit(path, setting);
  for (const Setting& member : setting.members) {
    walk(member, path.empty() ? member.key : path + "." + member.key, visit);
  }
}

TEST(SystemConfig, EveryDefaultIsLegalAndEveryRowSaysSomething) {
  SystemConfig config;
  std::size_t values = 0;
  walk(bindSettings(config), "", [&](const std::string& path, const Setting& setting) {
    if (setting.kind == Setting::Kind::Group) return;
    ++values;
    const boost::json::value value = setting.get();
    EXPECT_TRUE(value.is_null() || setting.assign(value))  // null: not set
        << path << ": default " << boost::json::serialize(setting.get()) << " is not "
        << setting.expected();
    EXPECT_LE(setting.info->minimum, setting.info->maximum) << path;
    EXPECT_GT(std::string(setting.info->text).size(), 10U) << path;
    const bool number =
        setting.kind == Setting::Kind::Integer || setting.kind == Setting::Kind::Number;
    if (!number) {
      EXPECT_EQ(setting.info->maximum, 0) << path << " has a range but is not a number";
    }
    EXPECT_EQ(setting.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string::npos)
        << path;
  });
  EXPECT_GT(values, 50U);
  EXPECT_EQ(crossCheckSettings(bindSettings(config)), std::nullopt);
}

TEST(SystemConfig, EveryRangeIncludesItsEndsAndNothingBeyond) {
  SystemConfig config;
  std::size_t ranges = 0;
  walk(bindSettings(config), "", [&](const std::string& path, const Setting& setting) {
    const bool whole = setting.kind == Setting::Kind::Integer;
    if (!whole && setting.kind != Setting::Kind::Number) return;
    ++ranges;
    const double least = setting.info->minimum, most = setting.info->maximum;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto beyond = [&](double end, double direction) {
      return whole ? end + (direction > 0 ? 1 : -1) : std::nextafter(end, direction * kInfinity);
    };
    EXPECT_TRUE(setting.assign(least)) << path;
    EXPECT_EQ(setting.get().to_number<double>(), least) << path;
    EXPECT_TRUE(setting.assign(most)) << path;
    EXPECT_EQ(setting.get().to_number<double>(), most) << path;
    EXPECT_FALSE(setting.assign(beyond(least, -1))) << path;
    EXPECT_FALSE(setting.assign(beyond(most, 1))) << path;
    EXPECT_EQ(setting.get().to_number<double>(), most) << path << ": a refused value has no effect";
  });
  EXPECT_GT(ranges, 50U);
}

TEST(SystemConfig, EveryPresetSurvivesBeingWrittenAndReadAsAFile) {
  const test::TemporaryDirectory directory;
  for (const Preset& preset : presets()) {
    SystemConfig original = preset.config;
    const std::string text = formatJson(toJson(original));
    ScenarioSource source;
    source.configFile = directory.write("scenario.json", text);
    SystemConfig copy = loadScenario(source);
    EXPECT_EQ(formatJson(toJson(copy)), text) << preset.name;
  }
}

TEST(Scenario, BlamesTheFileForItsOwnFaultAndTheOptionForTheRest) {
  const test::TemporaryDirectory directory;
  ScenarioSource source;
  source.configFile = directory.write(
      "seven.json", R"({"gpus": 7, "fabric": {"topology": "two-level", "gpus_per_node": 4}})");
  EXPECT_THAT(test::refusalOf([&] { loadScenario(source); }),
              HasSubstr("seven.json: line 1: fabric.gpus_per_node: expected"));
  source.assignments.push_back({"--set", "gpus=8"});
  EXPECT_EQ(loadScenario(source).gpus, 8U);
  source = {};
  source.assignments.push_back({"--config", "fabric.topology=two-level"});
  source.assignments.push_back({"--set", "gpus=7"});
  const auto blamed = [](const std::string& option) {
    return testing::StartsWith(option + ": fabric.gpus_per_node: expected");
  };
  EXPECT_THAT(test::refusalOf([&] { loadScenario(source); }), blamed("--set"));
  source.assignments.push_back({"--seed", "seed=4"});
  EXPECT_THAT(test::refusalOf([&] { loadScenario(source); }), blamed("--set"));
  source.assignments.push_back({"--data", "gpus=8"});
  EXPECT_EQ(loadScenario(source).gpus, 8U) << "mended";
  source.assignments.push_back({"--gpus", "gpus=7"});
  EXPECT_THAT(test::refusalOf([&] { loadScenario(source); }), blamed("--gpus"));
}

TEST(Scenario, LaterAssignmentsWin) {
  ScenarioSource source;
  source.assignments = {{"--set", "seed=3"}, {"--seed", "seed=4"}};
  EXPECT_EQ(loadScenario(source).seed, 4U);
}

TEST(Scenario, OfAFileExtendsThePresetThatTheFileNames) {
  const test::TemporaryDirectory directory;
  const auto load = [&](const std::string& text) {
    ScenarioSource source;
    source.configFile = directory.write("mine.json", text);
    return loadScenario(source);
  };
  SystemConfig expected = findPreset("tiny-tp4")->config;
  expected.link.latency_ns = 700;
  // Wherever the key stands.
  for (const char* text : {R"({"preset": "tiny-tp4", "link": {"latency_ns": 700}})",
                           R"({"link": {"latency_ns": "0.7us"}, "preset": "tiny-tp4"})"}) {
    SystemConfig config = load(text);
    EXPECT_EQ(formatJson(toJson(config)), formatJson(toJson(expected))) << text;
    EXPECT_EQ(formatJson(toJson(load(formatJson(toJson(config))))), formatJson(toJson(expected)))
        << "written out, it is whole";
  }
  EXPECT_THAT(test::refusalOf([&] { load(R"({"preset": "tiny-tp5"})"); }),
              HasSubstr("mine.json: line 1: preset: unknown preset 'tiny-tp5'; the nearest is "
                        "'tiny-tp4'"));
  EXPECT_THAT(test::refusalOf([&] { load(R"({"preset": 5})"); }),
              HasSubstr("mine.json: line 1: preset: expected the name of a preset"));
  EXPECT_THAT(test::refusalOf([&] { load(R"({"link": {"preset": "tiny-tp4"}})"); }),
              HasSubstr("link.preset: unknown key"));
}

TEST(Scenario, WhatIsWrongInAFileIsFoundByItsLine) {
  const test::TemporaryDirectory directory;
  const auto error = [&](const std::string& text) {
    const std::string path = directory.write("mine.json", text);
    ScenarioSource source;
    source.configFile = path;
    return test::refusalOf([&] { loadScenario(source); }).substr(path.size() - 9);
  };
  EXPECT_EQ(error("{\n  // of one direction\n  \"link\": {\n    \"latency_n\": 700\n  }\n}"),
            "mine.json: line 4: link.latency_n: unknown key; the nearest is 'link.latency_ns'");
  // The key inside the group that is meant, not its namesake before it.
  EXPECT_EQ(
      error("{\"hbm\": {\"channels\": 32},\n\"gpus\": 8,\n\"gpu\": {\n\"l2\": {\n\"ways\": 0}}}"),
      "mine.json: line 5: gpu.l2.ways: expected a whole number from 1 to 64, got 0");
  EXPECT_EQ(error("{\n\"link\":\n5}"),
            "mine.json: line 2: link: expected an object of settings, such as 'bandwidth_gb_s' "
            "(t3sim explain lists them), got 5");
  // A rule between settings: the line of the one that it names, if it is in the file.
  EXPECT_EQ(error("{\"preset\": \"tiny-tp4\",\n\"hbm\": {\n\"banks\": 3}}"),
            "mine.json: line 3: hbm.banks: expected a power of two, at least bank_groups, got 3");
  EXPECT_THAT(error("{\"preset\": \"tiny-tp4\",\n\"data\": \"checked\",\n\"workload\": "
                    "{\"data_type\": \"fp32\"}}"),
              HasSubstr("mine.json: line 3: workload.data_type: expected fp16 or bf16 with data = "
                        "checked, got fp32"));
}

TEST(Scenario, EveryRefusalOfAValueSaysWhichValueItGot) {
  for (const char* name : {"tiny-tp4", "t-nlg-fc2-qkv-tp8"}) {
    SystemConfig config = findPreset(name)->config;
    const SystemConfig original = config;
    const Setting root = bindSettings(config);
    std::size_t refused = 0;
    const auto tryAll = [&](const Setting& group, const std::string& path, auto&& self) -> void {
      for (const Setting& member : group.members) {
        const std::string key = path + member.key;
        if (!member.series.empty()) continue;  // the name of a GPU is the value
        if (!member.members.empty()) {
          self(member, key + ".", self);
          continue;
        }
        std::vector<boost::json::value> values;
        for (const std::string& choice : member.choices) values.emplace_back(choice);
        if (member.choices.empty() && member.kind != Setting::Kind::Text) {
          for (const double number : {1.0, 3.0, 7.0, 100.0, 1000.0, 4096.0, 99999.0}) {
            values.emplace_back(number);
          }
        }
        for (const boost::json::value& value : values) {
          if (member.assign(value)) {
            const auto violated = crossCheckSettings(root);
            if (violated) {
              ++refused;
              EXPECT_THAT(*violated, HasSubstr("got ")) << key << "=" << value;
            }
          }
          config = original;
        }
      }
    };
    tryAll(root, "", tryAll);
    EXPECT_GT(refused, 90U);
  }
}

TEST(Scenario, LabelsOfAPresetGoWithItsGemmAndItsGpusOnly) {
  const test::TemporaryDirectory directory;
  const auto labels = [](const ScenarioSource& source) {
    const WorkloadConfig work = loadScenario(source).workload;
    return work.model + "|" + work.sublayer;
  };
  const auto with = [&](const std::string& assignment) {
    ScenarioSource source;
    source.assignments.push_back({"--set", assignment});
    return labels(source);
  };
  EXPECT_EQ(with("link.latency_ns=700"), "T-NLG|FC-2") << "the same GEMM on other links";
  EXPECT_EQ(with("workload.depth=1064"), "|");
  EXPECT_EQ(with("gpus=4"), "|");
  EXPECT_EQ(with("workload.data_type=bf16"), "|");
  EXPECT_EQ(with("workload={\"depth\": 1064, \"sublayer\": \"mine\"}"), "T-NLG|mine");
  const auto file = [&](const std::string& text) {
    ScenarioSource source;
    source.configFile = directory.write("mine.json", text);
    return labels(source);
  };
  EXPECT_EQ(file(R"({"workload": {"rows": 4096}})"), "|");
  EXPECT_EQ(file(R"({"workload": {"rows": 4096, "model": "mine"}})"), "mine|");
  // A preset as it is shown, and then changed.
  SystemConfig shown = findPreset("t-nlg-fc2-tp8")->config;
  EXPECT_EQ(file(formatJson(toJson(shown))), "T-NLG|FC-2");
  shown.workload.rows = 4096;
  EXPECT_EQ(file(formatJson(toJson(shown))), "|");
}

TEST(Wrapped, BreaksBetweenWordsAtTheWidthAndNoLater) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", 6), "one\ntwo\nthree\n");
  EXPECT_EQ(wrapped("one two three", 8, "  "), "  one\n  two\n  three\n");
  EXPECT_EQ(wrapped("one two three", 9, "  "), "  one two\n  three\n");
  EXPECT_EQ(wrapped("one  incomprehensible word", 4), "one\nincomprehensible\nword\n");
}

}  // namespace
}  // namespace t3::config_test
