// SPDX-License-Identifier: Apache-2.0
// Method: the block codec against arithmetic in double precision, in which every value of both
// formats, every number and every unit is exact: all values, all numbers and exponents, and random
// blocks under random refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "Vblock_codec.h"
#include "rtl_test/random.h"
#include "rtl_test/simulated.h"

namespace t3::rtl_test::block_codec_test {
namespace {

constexpr unsigned kValues = 32;
constexpr unsigned kEncodeCycles = 5, kDecodeCycles = 2;

struct Form {
  bool bf16;
  unsigned bits;  ///< of a number

  CData size() const { return static_cast<CData>((8 - bits) / 2); }
  unsigned fractionBits() const { return bf16 ? 7 : 10; }
  int leastExponent() const { return bf16 ? -126 : -14; }  ///< of normal values
};

constexpr std::array<Form, 6> kForms{
    {{false, 8}, {false, 6}, {false, 4}, {true, 8}, {true, 6}, {true, 4}}};

using Values = std::array<std::uint16_t, kValues>;

struct Coded {
  std::uint32_t exponent = 0;
  std::array<int, kValues> numbers{};

  bool operator==(const Coded&) const = default;
};

/// Infinite or NaN where the value is.
double magnitudeOf(const Form& form, std::uint16_t value) {
  const unsigned fraction = value & ((1u << form.fractionBits()) - 1);
  const unsigned exponent = (value & 0x7fffu) >> form.fractionBits();
  if (exponent == (form.bf16 ? 255u : 31u)) {
    return fraction == 0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const unsigned significand = exponent == 0 ? fraction : fraction + (1u << form.fractionBits());
  return std::ldexp(significand, static_cast<int>(std::max(exponent, 1u)) - 1 +
                                     form.leastExponent() - static_cast<int>(form.fractionBits()));
}

double unitOf(const Form& form, std::uint32_t exponent) {
  const int unit = static_cast<int>(std::max(exponent, 1u)) - 125 - static_cast<int>(form.bits);
  return std::ldexp(1, form.bf16 ? unit : std::max(unit, -24));
}

/// docs/block-codec.md, "Format".
Coded coded(const Form& form, const Values& values) {
  Coded block;
  double largest = 0;
  bool finite = true;
  for (const std::uint16_t value : values) {
    finite = finite && std::isfinite(magnitudeOf(form, value));
    largest = std::max(largest, magnitudeOf(form, value));
  }
  if (!finite) {
    block.exponent = 255;
    return block;
  }
  if (largest >= std::ldexp(1, -126)) {
    block.exponent = static_cast<std::uint32_t>(std::ilogb(largest) + 127);
  }
  for (unsigned i = 0; i < kValues; ++i) {
    const double exact = magnitudeOf(form, values[i]) / unitOf(form, block.exponent);
    const int number =
        std::min(static_cast<int>(std::nearbyint(exact)), (1 << (form.bits - 1)) - 1);
    block.numbers[i] = values[i] >> 15 != 0 ? -number : number;
  }
  return block;
}

/// The bits of a value of the format; infinity where it is too large.
std::uint16_t bitsOf(const Form& form, double value) {
  const std::uint32_t sign = value < 0 ? 0x8000u : 0u;
  const double magnitude = std::abs(value);
  if (magnitude == 0) return 0;
  const int exponent = std::max(std::ilogb(magnitude), form.leastExponent());
  const int most = form.bf16 ? 127 : 15;
  const auto fraction = static_cast<int>(form.fractionBits());
  const std::uint32_t infinity = form.bf16 ? 0x7f80u : 0x7c00u;
  if (exponent > most) return static_cast<std::uint16_t>(sign | infinity);
  // The hidden bit counts the exponent up by one.
  const auto significand = static_cast<std::uint32_t>(std::ldexp(magnitude, fraction - exponent));
  const auto scale = static_cast<std::uint32_t>(exponent - form.leastExponent());
  return static_cast<std::uint16_t>(sign | ((scale << fraction) + significand));
}

std::uint16_t decoded(const Form& form, std::uint32_t exponent, int number) {
  if (exponent == 255) return form.bf16 ? 0x7fc0 : 0x7e00;
  return bitsOf(form, number * unitOf(form, exponent));
}

class Codec {
 public:
  Clocked<Vblock_codec> unit;
  Vblock_codec& pins = unit.model;

  void read(const Form& form, const Values& values, bool user = false) {
    pins.read_valid_i = 1;
    pins.read_bf16_i = form.bf16;
    pins.read_size_i = form.size();
    pins.read_user_i = user;
    for (unsigned i = 0; i < kValues; i += 2) {
      pins.read_values_i[i / 2] = values[i] | std::uint32_t{values[i + 1]} << 16;
    }
  }
  void arrive(const Form& form, const Coded& block, bool user = false) {
    pins.arrive_valid_i = 1;
    pins.arrive_bf16_i = form.bf16;
    pins.arrive_size_i = form.size();
    pins.arrive_user_i = user;
    pins.arrive_exponent_i = static_cast<CData>(block.exponent);
    std::fill_n(pins.arrive_numbers_i.data(), 8, 0u);
    for (unsigned bit = 0; bit < kValues * form.bits; ++bit) {
      const auto number = static_cast<std::uint32_t>(block.numbers[bit / form.bits]);
      pins.arrive_numbers_i[bit / 32] |= (number >> bit % form.bits & 1u) << bit % 32;
    }
  }
  /// What stands at the link, of this form; nothing may stand above the last number.
  Coded sent(const Form& form) {
    Coded block;
    block.exponent = pins.send_exponent_o;
    for (unsigned bit = 0; bit < kValues * 8; ++bit) {
      const std::uint32_t value = pins.send_numbers_o[bit / 32] >> bit % 32 & 1u;
      if (bit >= kValues * form.bits) {
        EXPECT_EQ(value, 0u) << bit;
      } else {
        block.numbers[bit / form.bits] |= static_cast<int>(value << bit % form.bits);
      }
    }
    const int sign = 1 << (form.bits - 1);
    for (int& number : block.numbers) number = (number ^ sign) - sign;
    return block;
  }
  Values written() {
    Values values;
    for (unsigned i = 0; i < kValues; ++i) {
      values[i] = static_cast<std::uint16_t>(pins.write_values_o[i / 2] >> (i % 2 * 16));
    }
    return values;
  }

  Coded encode(const Form& form, const Values& values) {
    pins.send_ready_i = 1;
    read(form, values);
    unit.edge();
    pins.read_valid_i = 0;
    for (unsigned cycle = 1; cycle < kEncodeCycles; ++cycle) unit.edge();
    EXPECT_TRUE(pins.send_valid_o);
    EXPECT_EQ(pins.send_bf16_o, form.bf16);
    EXPECT_EQ(pins.send_size_o, form.size());
    return sent(form);
  }
  Values decode(const Form& form, const Coded& block) {
    pins.write_ready_i = 1;
    arrive(form, block);
    unit.edge();
    pins.arrive_valid_i = 0;
    for (unsigned cycle = 1; cycle < kDecodeCycles; ++cycle) unit.edge();
    EXPECT_TRUE(pins.write_valid_o);
    return written();
  }
};

/// Values of one magnitude and below, as sums of products have them, and now and then anything.
Values randomValues(Random& random, const Form& form) {
  Values values;
  const std::uint32_t top = random.below(0x8000);
  for (std::uint16_t& value : values) {
    const std::uint32_t spread = random.below(4) << form.fractionBits();
    const std::uint32_t near =
        top - std::min(top, spread + random.below(1u << form.fractionBits()));
    value = static_cast<std::uint16_t>((random.below(50) == 0 ? random.below(0x8000) : near) |
                                       random.below(2) << 15);
  }
  return values;
}

TEST(BlockCodec, EveryValueBecomesTheNearestNumber) {
  Codec codec;
  Random random(testSeed(1));
  for (const Form& form : kForms) {
    for (std::uint32_t first = 0; first < 0x10000; first += kValues) {
      Values values;
      for (unsigned i = 0; i < kValues; ++i) values[i] = static_cast<std::uint16_t>(first + i);
      // All with one exponent or two, and with a larger one beside them.
      ASSERT_EQ(codec.encode(form, values), coded(form, values)) << form.bits << " " << first;
      values[random.below(kValues)] = static_cast<std::uint16_t>(random.below(0x10000));
      ASSERT_EQ(codec.encode(form, values), coded(form, values)) << form.bits << " " << first;
    }
  }
}

TEST(BlockCodec, EveryNumberOfEveryExponentIsItsValue) {
  Codec codec;
  for (const Form& form : kForms) {
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent) {
      for (int first = -(1 << (form.bits - 1)); first < 1 << (form.bits - 1); first += kValues) {
        Coded block{exponent, {}};
        for (unsigned i = 0; i < kValues; ++i) {
          block.numbers[i] = std::min(first + static_cast<int>(i), (1 << (form.bits - 1)) - 1);
        }
        const Values values = codec.decode(form, block);
        for (unsigned i = 0; i < kValues; ++i) {
          ASSERT_EQ(values[i], decoded(form, exponent, block.numbers[i]))
              << form.bits << " bits, exponent " << exponent << ", number " << block.numbers[i];
        }
      }
    }
  }
}

TEST(BlockCodec, WhatComesBackIsWithinHalfAUnitAndStaysSoHoweverOftenItIsSent) {
  Codec codec;
  Random random(testSeed(2));
  for (int round = 0; round < 6000; ++round) {
    const Form& form = kForms[random.below(kForms.size())];
    const Values values = randomValues(random, form);
    const Coded block = codec.encode(form, values);
    if (block.exponent == 255) continue;
    const Values back = codec.decode(form, block);
    const double unit = unitOf(form, block.exponent);
    for (unsigned i = 0; i < kValues; ++i) {
      const double error =
          std::abs(magnitudeOf(form, values[i]) - magnitudeOf(form, back[i])) / unit;
      const bool largest = std::abs(block.numbers[i]) == (1 << (form.bits - 1)) - 1;
      ASSERT_LE(error, largest ? 1 - 1.0 / 2048 : 0.5) << values[i] << " " << back[i];
    }
    ASSERT_EQ(codec.encode(form, back), block);
  }
}

TEST(BlockCodec, ABlockWithOneInfinityOrNanIsAllNans) {
  Codec codec;
  for (const Form& form : kForms) {
    for (const std::uint32_t special :
         {form.bf16 ? 0x7f80u : 0x7c00u, form.bf16 ? 0xff80u : 0xfc00u,
          form.bf16 ? 0x7f81u : 0x7c01u, 0xffffu}) {
      for (unsigned place = 0; place < kValues; ++place) {
        Values values;
        values.fill(0x3c00);
        values[place] = static_cast<std::uint16_t>(special);
        const Coded block = codec.encode(form, values);
        EXPECT_EQ(block, (Coded{255, {}}));
        for (const std::uint16_t value : codec.decode(form, block)) {
          EXPECT_EQ(value, form.bf16 ? 0x7fc0 : 0x7e00);
        }
      }
    }
  }
}

TEST(BlockCodec, BlocksKeepTheirOrderAndWaitUnchangedUntilTheyAreTaken) {
  Codec codec;
  Random random(testSeed(3));
  struct Expected {
    Form form;
    Coded block;
    Values values;
    bool user;
  };
  std::deque<Expected> sent, written;
  std::size_t taken = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const std::uint32_t percent = cycle / 500 % 2 == 0 ? 100 : 60;
    const Form& form = kForms[random.below(kForms.size())];
    const Values values = randomValues(random, form);
    const Coded block = coded(form, values);
    const bool user = random.below(2) != 0;
    codec.pins.read_valid_i = codec.pins.arrive_valid_i = 0;
    if (random.below(100) < percent) codec.read(form, values, user);
    if (random.below(100) < percent) codec.arrive(form, block, user);
    codec.pins.send_ready_i = random.below(100) < percent;
    codec.pins.write_ready_i = random.below(100) < percent;
    codec.pins.eval();
    if (codec.pins.send_valid_o) {
      ASSERT_FALSE(sent.empty());
      const Expected& next = sent.front();
      ASSERT_EQ(codec.sent(next.form), next.block);
      ASSERT_EQ(codec.pins.send_user_o, next.user);
      ASSERT_EQ(codec.pins.send_size_o, next.form.size());
      ASSERT_EQ(codec.pins.send_bf16_o, next.form.bf16);
      if (codec.pins.send_ready_i) sent.pop_front(), ++taken;
    }
    if (codec.pins.write_valid_o) {
      ASSERT_FALSE(written.empty());
      ASSERT_EQ(codec.written(), written.front().values);
      ASSERT_EQ(codec.pins.write_user_o, written.front().user);
      if (codec.pins.write_ready_i) written.pop_front(), ++taken;
    }
    Expected next{form, block, {}, user};
    for (unsigned i = 0; i < kValues; ++i) {
      next.values[i] = decoded(form, block.exponent, block.numbers[i]);
    }
    if (codec.pins.read_valid_i && codec.pins.read_ready_o) sent.push_back(next);
    if (codec.pins.arrive_valid_i && codec.pins.arrive_ready_o) written.push_back(next);
    codec.unit.edge();
  }
  EXPECT_GT(taken, 25000u);
}

TEST(BlockCodec, TakesABlockInEveryCycleAndGivesItBackFiveAndTwoCyclesLater) {
  Codec codec;
  codec.pins.send_ready_i = codec.pins.write_ready_i = 1;
  constexpr unsigned kBlocks = 20;
  for (unsigned cycle = 0; cycle < kBlocks + kEncodeCycles; ++cycle) {
    Values values;
    values.fill(static_cast<std::uint16_t>(0x3c00 + cycle));
    codec.pins.read_valid_i = codec.pins.arrive_valid_i = 0;
    if (cycle < kBlocks) {
      codec.read(kForms[0], values);
      codec.arrive(kForms[0], coded(kForms[0], values));
    }
    codec.pins.eval();
    EXPECT_TRUE(codec.pins.read_ready_o && codec.pins.arrive_ready_o);
    EXPECT_EQ(codec.pins.send_valid_o, cycle >= kEncodeCycles) << cycle;
    EXPECT_EQ(codec.pins.write_valid_o, cycle >= kDecodeCycles && cycle < kBlocks + kDecodeCycles);
    codec.unit.edge();
  }
}

TEST(BlockCodec, ResetForgetsWhatIsInside) {
  Codec codec;
  codec.read(kForms[0], Values{});
  codec.arrive(kForms[0], Coded{});
  for (unsigned cycle = 0; cycle < kEncodeCycles; ++cycle) codec.unit.edge();
  EXPECT_TRUE(codec.pins.send_valid_o && codec.pins.write_valid_o);
  codec.pins.rst_ni = 0;
  codec.pins.eval();
  EXPECT_FALSE(codec.pins.send_valid_o || codec.pins.write_valid_o);
}

}  // namespace
}  // namespace t3::rtl_test::block_codec_test
