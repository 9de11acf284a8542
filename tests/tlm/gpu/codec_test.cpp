// SPDX-License-Identifier: Apache-2.0
// Method: random values of all sizes go through the codec's bits and are held to an oracle of whole
// numbers (tests/support/coded_oracle.h), to the format's size and to its closed bound; the engine
// to cycles worked out by hand.
#include "tlm/gpu/codec.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/coded_oracle.h"
#include "tests/support/seed.h"
#include "tests/support/test_memory.h"

namespace t3::codec_test {
namespace {

using Values = std::vector<std::uint16_t>;

const Codec kBlock8{CodecFormat::Block8}, kBlock6{CodecFormat::Block6},
    kBlock4{CodecFormat::Block4}, kLossless{CodecFormat::Lossless};
const Codec kAll[] = {kBlock8, kBlock6, kBlock4, kLossless};

struct Passed {
  Values values;
  std::uint32_t coded = 0;
};

/// Through the encoder and the decoder. What lies behind the coded bytes means nothing.
Passed pass(const Codec& codec, Values values, DataType type = DataType::Fp16) {
  auto* data = reinterpret_cast<unsigned char*>(values.data());
  const auto bytes = static_cast<std::uint32_t>(values.size() * 2);
  const std::uint32_t coded = encodeValues(codec, type, data, bytes);
  std::fill(data + coded, data + bytes, 0xff);
  decodeValues(codec, type, data, bytes, coded);
  return {values, coded};
}

/// Finite values with exponents that are close together, from subnormal to the largest.
Values randomValues(std::mt19937_64& random, std::size_t count) {
  const std::uint64_t top = random() % 31, spread = random() % 8;
  Values values(count);
  for (auto& value : values) {
    const std::uint64_t exponent = top - std::min(top, random() % (spread + 1));
    value = static_cast<std::uint16_t>(random() % 2 << 15 | exponent << 10 | random() % 1024);
  }
  return values;
}

/// The rest of a random test: `check(random)`, some hundred times.
void repeat(const auto& check) {
  std::mt19937_64 random(test::seed(63));
  for (int round = 0; round < 500 && !testing::Test::HasFailure(); ++round) check(random);
}

TEST(Codec, GivesBackWhatTheOracleSays) {
  repeat([](std::mt19937_64& random) {
    const Values values = randomValues(random, 1 + random() % 128);
    for (const Codec& codec : {kBlock8, kBlock6, kBlock4}) {
      std::vector<std::int64_t> expected;
      for (const std::uint16_t value : values) expected.push_back(test::unitsOf(value));
      const Passed passed = pass(codec, values);
      for (std::size_t at = 0; at < values.size() && passed.coded < values.size() * 2; at += 32) {
        const std::size_t count = std::min<std::size_t>(32, values.size() - at);
        test::passBlock(std::span(expected).subspan(at, count), static_cast<int>(codec.bits()));
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(test::unitsOf(passed.values[i]), expected[i]) << codec.bits() << " bits, " << i;
      }
    }
  });
}

TEST(Codec, CodesWhatItHasDecodedToTheSame) {
  repeat([](std::mt19937_64& random) {
    const Values values = randomValues(random, 64);
    for (const Codec& codec : kAll) {
      for (const DataType type : {DataType::Fp16, DataType::Bf16}) {
        const Values once = pass(codec, values, type).values;
        EXPECT_EQ(pass(codec, once, type).values, once) << codec.bits() << " bits";
      }
    }
  });
}

TEST(Codec, LosesNothingWithoutLoss) {
  repeat([](std::mt19937_64& random) {
    Values values(1 + random() % 100);
    const std::uint64_t range = std::uint64_t{1} << random() % 17;
    for (auto& value : values) value = static_cast<std::uint16_t>(0x3c00 + random() % range);
    EXPECT_EQ(pass(kLossless, values).values, values);
  });
}

TEST(Codec, IsNoMoreWrongThanItsClosedBoundWhichIsTight) {
  double closest = 0;
  repeat([&](std::mt19937_64& random) {
    const Values values = randomValues(random, 32);
    std::int64_t largest = 0;
    for (const std::uint16_t value : values) {
      largest = std::max(largest, std::abs(test::unitsOf(value)));
    }
    for (const Codec& codec : {kBlock8, kBlock6, kBlock4}) {
      const Values passed = pass(codec, values).values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t error = std::abs(test::unitsOf(passed[i]) - test::unitsOf(values[i]))
                                   << (codec.bits() - 1);
        EXPECT_LE(error, largest) << codec.bits() << " bits";
        closest = std::max(closest, static_cast<double>(error) / static_cast<double>(largest));
      }
    }
  });
  EXPECT_GT(closest, 0.95);
}

TEST(Codec, MakesTheFormatsBytes) {
  repeat([](std::mt19937_64& random) {
    const Values values = randomValues(random, 96);
    EXPECT_EQ(pass(kBlock8, values).coded, 3 * 33U);
    EXPECT_EQ(pass(kBlock6, values).coded, 3 * 25U);
    EXPECT_EQ(pass(kBlock4, values).coded, 3 * 17U);
    const auto bytes = static_cast<std::uint32_t>(2 * (1 + random() % 96));
    for (const Codec& codec : {kBlock8, kBlock6, kBlock4}) {
      EXPECT_EQ(pass(codec, Values(values.begin(), values.begin() + bytes / 2)).coded,
                codec.codedBytes(bytes));
    }
  });
}

TEST(Codec, WritesTheBitsOfTheFormat) {
  const auto bytesOf = [](const Codec& codec, std::uint16_t first, std::uint16_t second) {
    Values values(32);
    values[0] = first, values[1] = second;
    auto* data = reinterpret_cast<unsigned char*>(values.data());
    EXPECT_LT(encodeValues(codec, DataType::Fp16, data, 64), 64U);
    return std::vector<int>{data[0], data[1], data[2]};
  };
  EXPECT_EQ(bytesOf(kBlock4, 0x3c00, 0xb800), (std::vector{127, 0xe4, 0})) << "1, -0.5: 4, -2";
  EXPECT_EQ(bytesOf(kBlock8, 0x3c00, 0xb800), (std::vector{127, 0x40, 0xe0}));
  // Steps of fp16 are no smaller than 2^-24, which is 1 here.
  EXPECT_EQ(bytesOf(kBlock8, 0x0001, 0x8003), (std::vector{104, 0x01, 0xfd}));
}

TEST(Codec, LeavesOutPlanesAndSmallValues) {
  Values steps(32);
  for (std::uint32_t i = 0; i < 32; ++i) steps[i] = static_cast<std::uint16_t>(i);
  EXPECT_EQ(pass(kLossless, steps).coded, 2 + 4U) << "differences of 1: one plane";
  const Codec codec{CodecFormat::Threshold, 1, 0.5};
  Values values(32, 0x3400);                // 0.25
  values[3] = 0x3800, values[31] = 0xbc00;  // 0.5, -1
  const Passed passed = pass(codec, values);
  EXPECT_EQ(passed.coded, 4 + 2 * 2U);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(passed.values[i], i == 3 || i == 31 ? values[i] : 0) << i;
  }
}

TEST(Codec, SendsAsItIsWhatDoesNotBecomeShorter) {
  std::mt19937_64 random(test::seed(5));
  Values values(64);
  for (auto& value : values) value = static_cast<std::uint16_t>(random());
  const Passed passed = pass(kLossless, values);
  EXPECT_EQ(passed.coded, 128U);
  EXPECT_EQ(passed.values, values);
}

TEST(Codec, MakesNansOfABlockThatIsNotFinite) {
  for (const std::uint16_t bad : Values{0x7c00, 0xfc00, 0x7e01}) {
    Values values(64, 0x3c00);
    values[40] = bad;
    const Passed passed = pass(kBlock4, values);
    EXPECT_EQ(Values(passed.values.begin(), passed.values.begin() + 32), Values(32, 0x3c00));
    EXPECT_EQ(Values(passed.values.begin() + 32, passed.values.end()), Values(32, 0x7e00));
  }
}

/// Two requests of 256 bytes at once, through an engine of 100 bytes a cycle of 1 ns.
struct EngineBench : MemoryClient {
  PayloadPool pool;
  CodecEngine engine{"engine", kBlock4, {1000, 100, 7'000}};
  MemoryPort port{"port", *this};
  test::TestMemory memory{"memory", 0, 1e6};

  EngineBench() { port.socket.bind(memory.target); }
  void accepted(Payload& /*payload*/) override {}
  void completed(Payload& /*payload*/, Picoseconds /*when*/) override {}
  Payload& write(std::uint64_t address) {
    return pool.allocate(tlm::TLM_WRITE_COMMAND, address, 256, false);
  }
};

TEST(CodecEngine, TakesOneRequestAfterTheOtherAtItsRateAndLatency) {
  EngineBench bench;
  bench.engine.send(bench.write(0), bench.port);
  bench.engine.send(bench.write(256), bench.port);
  sc_core::sc_start();
  const auto& sent = bench.memory.requests();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].time, 2'560U + 7'000);
  EXPECT_EQ(sent[1].time, 2 * 2'560U + 7'000);
  EXPECT_EQ(sent[0].bytes, 256U) << "its length in front of the codec";
  EXPECT_EQ(sent[0].coded, 4 * 17U);
  EXPECT_EQ(bench.engine.statistics().encodedBytes, 512U);
  EXPECT_EQ(bench.engine.statistics().sentBytes, 8 * 17U);
}

TEST(CodecEngine, DecodesBesideEncoding) {
  EngineBench bench;
  Payload& coded = bench.write(0);
  encode(kBlock4, coded);
  bench.engine.send(bench.write(256), bench.port);
  EXPECT_EQ(bench.engine.takesAt(), 0U);
  EXPECT_EQ(bench.engine.take(coded), 2'560U + 7'000);
  EXPECT_EQ(bench.engine.takesAt(), 2'560U);
  coded.release();
  sc_core::sc_start();
}

}  // namespace
}  // namespace t3::codec_test
