// SPDX-License-Identifier: Apache-2.0
// Method: locations of addresses, in all geometries. Where channels are a power of two the hashes
// are linear over the field of two elements: what a set of address bits reaches is 2 to the rank of
// the places of the single bits. Where they are not, addresses are counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tlm/hbm/address_mapping.h"
#include "tlm/hbm/hbm_config.h"

namespace t3::test::address_mapping_test {
namespace {

class Mapping : public testing::Test {
 protected:
  static std::vector<HbmConfig> configs() {
    std::vector<HbmConfig> all;
    for (const auto policy :
         {AddressMappingPolicy::BurstOverGroups, AddressMappingPolicy::BlockOverGroups,
          AddressMappingPolicy::PageOverGroups}) {
      for (const bool hash : {false, true}) {
        for (const std::uint32_t channels : {32U, 3U, 12U, 80U}) {
          HbmConfig config;
          config.address_mapping = policy;
          config.channels = channels;
          config.channel_hash = config.bank_hash = hash;
          all.push_back(config);
        }
      }
    }
    return all;
  }
  /// All powers of two of channels, banks and groups, as many rows as fit.
  static std::vector<HbmConfig> geometries() {
    std::vector<HbmConfig> all;
    for (const AddressMappingPolicy policy :
         {AddressMappingPolicy::BurstOverGroups, AddressMappingPolicy::BlockOverGroups,
          AddressMappingPolicy::PageOverGroups}) {
      for (std::uint32_t channels = 1; channels <= 1024; channels *= 2) {
        for (std::uint32_t banks = 1; banks <= 64; banks *= 2) {
          for (std::uint32_t groups = 1; groups <= std::min(banks, 16U); groups *= 2) {
            for (const std::uint32_t gib : {1U, 64U}) {
              HbmConfig config;
              config.address_mapping = policy;
              config.channels = channels;
              config.banks = banks;
              config.bank_groups = groups;
              config.capacity_gib = gib;
              config.channel_interleave_bytes = std::max(256U, 32 * groups);
              if (!config.check()) all.push_back(config);
            }
          }
        }
      }
    }
    return all;
  }
  static std::string describe(const HbmConfig& config) {
    return std::to_string(config.channels) + " channels of " + std::to_string(config.banks) +
           " banks in " + std::to_string(config.bank_groups) + " groups, " +
           std::to_string(config.capacity_gib) + " GiB";
  }
  static unsigned log2(std::uint64_t value) {
    return static_cast<unsigned>(std::bit_width(value)) - 1;
  }
  /// Over the field of two elements.
  static std::size_t rank(const std::vector<std::uint64_t>& vectors) {
    std::vector<std::uint64_t> basis;
    for (std::uint64_t vector : vectors) {
      for (const std::uint64_t other : basis) vector = std::min(vector, vector ^ other);
      if (vector != 0) basis.push_back(vector);
    }
    return basis.size();
  }
};

TEST_F(Mapping, GivesEveryBurstAPlaceOfItsOwn) {
  for (const HbmConfig& config : configs()) {
    const AddressMapping mapping(config);
    std::set<std::array<std::uint32_t, 5>> places;
    // Two row sets of all banks and channels: 2 x 32 x 16 x 2 KiB.
    const std::uint64_t span = 2ull * config.channels * config.banks * config.page_bytes;
    for (std::uint64_t address = 0; address < span; address += 32) {
      const DramLocation at = mapping.locate(address);
      ASSERT_LT(at.channel.value, config.channels);
      ASSERT_LT(at.group, config.bank_groups);
      ASSERT_LT(at.bankInGroup, config.banks / config.bank_groups);
      ASSERT_LT(at.column, config.page_bytes / 32);
      ASSERT_LT(at.row, 2u);
      places.insert({at.channel.value, at.group, at.bankInGroup, at.row, at.column});
      ASSERT_EQ(mapping.locate(address + 31), at);
    }
    EXPECT_EQ(places.size(), span / 32);
    EXPECT_EQ(mapping.locate(config.capacityBytes() - 1).row, mapping.rows() - 1);
  }
}

TEST_F(Mapping, FindsTheAddressOfAPlace) {
  std::mt19937_64 random(seed(2));
  for (const HbmConfig& config : configs()) {
    const AddressMapping mapping(config);
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t burst = random() % config.capacityBytes() / 32 * 32;
      ASSERT_EQ(mapping.addressOf(mapping.locate(burst)), burst);
    }
  }
}

TEST_F(Mapping, FillsWholeRowsWithAnAlignedRunOfTheBytesItSays) {
  for (const HbmConfig& config : configs()) {
    const AddressMapping mapping(config);
    for (const std::uint64_t first : {std::uint64_t{0}, 37 * mapping.rowsBytes()}) {
      std::map<std::array<std::uint32_t, 4>, std::uint32_t> bursts;  // by row
      for (std::uint64_t at = first; at < first + mapping.rowsBytes(); at += 32) {
        const DramLocation place = mapping.locate(at);
        ASSERT_EQ(place.bankInGroup, mapping.locate(first).bankInGroup);
        ++bursts[{place.channel.value, place.group, place.bankInGroup, place.row}];
      }
      EXPECT_EQ(bursts.size(), config.channels * config.bank_groups);
      for (const auto& [row, count] : bursts) ASSERT_EQ(count, config.page_bytes / 32);
    }
  }
}

TEST_F(Mapping, KeepsABlockInOneRowAndWalksItsBankGroupsAsItSays) {
  std::mt19937_64 random(seed(1));
  for (const HbmConfig& config : configs()) {
    const AddressMapping mapping(config);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t block = random() % config.capacityBytes() / 256 * 256;
      const DramLocation first = mapping.locate(block);
      for (std::uint32_t b = 0; b < 8; ++b) {
        const DramLocation at = mapping.locate(block + b * 32);
        ASSERT_EQ(at.channel, first.channel);
        ASSERT_EQ(at.row, first.row);
        ASSERT_EQ(at.bankInGroup, first.bankInGroup);
        ASSERT_EQ(at.group, (first.group + b % mapping.groupStride()) % config.bank_groups);
      }
    }
  }
}

TEST_F(Mapping, WithHashAnyBitsInARowThatAreAsManyAsAChannelHasReachAllChannels) {
  for (const HbmConfig& config : geometries()) {
    const AddressMapping mapping(config);
    const unsigned bits = log2(config.channels);
    const unsigned end = log2(config.capacityBytes());
    for (unsigned first = log2(config.channel_interleave_bytes); first + bits <= end; ++first) {
      std::vector<std::uint64_t> reached;
      for (unsigned bit = first; bit < first + bits; ++bit) {
        reached.push_back(mapping.locate(std::uint64_t{1} << bit).channel.value);
      }
      ASSERT_EQ(rank(reached), bits) << describe(config) << ", bits from " << first;
    }
  }
}

TEST_F(Mapping, WithHashesRowsAloneReachEveryBankOfEveryChannel) {
  for (const HbmConfig& config : geometries()) {
    const AddressMapping mapping(config);
    // A block lies in all groups or in one.
    const std::uint32_t banks = config.banks / mapping.groupStride();
    const unsigned bits = log2(std::uint64_t{config.channels} * banks);
    const unsigned end = log2(config.capacityBytes());
    for (unsigned aligned = end - log2(mapping.rows()); aligned < end; ++aligned) {
      std::vector<std::uint64_t> reached;
      for (unsigned bit = aligned; bit < end; ++bit) {
        const DramLocation at = mapping.locate(std::uint64_t{1} << bit);
        reached.push_back((std::uint64_t{at.channel.value} << 32) + (at.group << 16) +
                          at.bankInGroup);
      }
      // Half of them where there is one polynomial of degree 1 for both, or where no row bit is to
      // spare for the first one, which is different in Gray code.
      const bool half = (config.channels == 2 && banks == 2) || end - aligned <= bits;
      ASSERT_GE(rank(reached) + half, std::min(bits, end - aligned))
          << describe(config) << ", multiples of 2^" << aligned;
    }
  }
}

TEST_F(Mapping, WithHashesIsOneToOne) {
  // Each address bit has a place of its own: the matrix of the mapping has full rank.
  for (HbmConfig config : geometries()) {
    for (const unsigned hashes : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
      config.channel_hash = (hashes & 1) != 0;
      config.bank_hash = (hashes & 2) != 0;
      config.group_hash = (hashes & 4) != 0;
      const AddressMapping mapping(config);
      const unsigned end = log2(config.capacityBytes());
      std::vector<std::uint64_t> places;
      for (unsigned bit = log2(config.burstBytes()); bit < end; ++bit) {
        const std::uint64_t address = std::uint64_t{1} << bit;
        const DramLocation at = mapping.locate(address);
        std::uint64_t place = at.row;
        place = place * (config.page_bytes / config.burstBytes()) + at.column;
        place = place * (config.banks / config.bank_groups) + at.bankInGroup;
        place = place * config.bank_groups + at.group;
        places.push_back(place * config.channels + at.channel.value);
        ASSERT_EQ(mapping.addressOf(at), address) << describe(config);
      }
      ASSERT_EQ(rank(places), places.size()) << describe(config) << ", hashes " << hashes;
    }
  }
}

TEST_F(Mapping, IsOneToOneWithAnyNumberOfChannels) {
  // All bursts of the smallest memory, which is small if they are large.
  for (std::uint32_t channels = 1; channels <= 24; ++channels) {
    for (const AddressMappingPolicy policy :
         {AddressMappingPolicy::BurstOverGroups, AddressMappingPolicy::BlockOverGroups,
          AddressMappingPolicy::PageOverGroups}) {
      for (const bool hash : {false, true}) {
        HbmConfig config;
        config.channels = channels;
        config.address_mapping = policy;
        config.channel_hash = config.bank_hash = config.group_hash = hash;
        config.capacity_gib = 1;
        config.channel_bits = 1024;
        config.burst_length = 64;
        config.bank_groups = 2;
        config.banks = 8;
        config.page_bytes = 65536;
        config.channel_interleave_bytes = 16384;
        ASSERT_EQ(config.check(), std::nullopt);
        const AddressMapping mapping(config);
        const std::uint32_t columns = config.page_bytes / config.burstBytes();
        const std::uint64_t bursts = config.capacityBytes() / config.burstBytes();
        ASSERT_GT(bursts, 100'000U);
        std::vector<bool> taken(bursts);
        for (std::uint64_t burst = 0; burst < bursts; ++burst) {
          const DramLocation at = mapping.locate(burst * config.burstBytes());
          ASSERT_LT(at.channel.value, channels);
          ASSERT_LT(at.row, mapping.rows());
          ASSERT_LT(at.column, columns);
          ASSERT_LT(at.group, 2U);
          ASSERT_LT(at.bankInGroup, 4U);
          const std::uint64_t bank = (at.channel.value * 2 + at.group) * 4 + at.bankInGroup;
          const std::uint64_t place = (bank * mapping.rows() + at.row) * columns + at.column;
          ASSERT_FALSE(taken[place]) << describe(config) << ", burst " << burst;
          taken[place] = true;
          ASSERT_EQ(mapping.addressOf(at), burst * config.burstBytes());
        }
      }
    }
  }
}

TEST_F(Mapping, SpreadsAlignedAddressesOverBanksWithAnyNumberOfChannels) {
  std::mt19937_64 random(seed(3));
  for (const std::uint32_t channels : {1, 3, 5, 7, 12, 32, 40, 80, 96, 160, 192, 1021, 1023}) {
    HbmConfig config;
    config.channels = channels;
    config.capacity_gib = 96;
    const AddressMapping mapping(config);
    for (const auto& [aligned, least] : {std::pair{65536U, 2U}, std::pair{2U << 20, 4U}}) {
      std::set<std::array<std::uint32_t, 3>> used;
      for (std::uint32_t i = 0; i < 8 * channels * config.banks; ++i) {
        const std::uint64_t address = random() % (config.capacityBytes() / aligned) * aligned;
        const DramLocation at = mapping.locate(address);
        ASSERT_EQ(mapping.addressOf(at), address);
        used.insert({at.channel.value, at.group, at.bankInGroup});
      }
      EXPECT_GE(used.size() * least, std::size_t{channels} * config.banks)
          << describe(config) << ", multiples of " << aligned;
    }
  }
}

TEST_F(Mapping, WithHashNoCommonStrideMeetsAChannelMuchMoreOftenThanOthers) {
  for (const std::uint32_t channels : {3, 5, 7, 12, 40, 80, 96, 160, 192, 1021, 1023}) {
    HbmConfig config;
    config.channels = channels;
    config.capacity_gib = 96;
    const AddressMapping mapping(config);
    for (const std::uint32_t factor : {1U, 3U, 5U, 7U, 9U, channels, 3 * channels, 9 * channels}) {
      for (std::uint64_t stride = std::uint64_t{256} * factor;
           16 * stride * channels <= config.capacityBytes(); stride *= 2) {
        // 16 for each channel; a random mapping brings one of 1,000 channels 32.
        std::vector<std::uint32_t> met(channels);
        for (std::uint64_t i = 0; i < 16ULL * channels; ++i) {
          ++met[mapping.locate(i * stride).channel.value];
        }
        ASSERT_LE(*std::max_element(met.begin(), met.end()), 3 * 16U)
            << describe(config) << ", stride " << stride;
      }
    }
  }
}

TEST_F(Mapping, WithoutHashAStrideOfAllChannelsCampsOnOne) {
  HbmConfig config;
  config.channel_hash = false;
  const AddressMapping mapping(config);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(mapping.locate(i * 256 * config.channels).channel.value, 0u);
  }
}

}  // namespace
}  // namespace t3::test::address_mapping_test
