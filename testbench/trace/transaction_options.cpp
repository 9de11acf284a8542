// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/transaction_options.h"

#include <charconv>
#include <limits>
#include <string_view>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "tlm/transport/payload.h"

namespace t3 {
namespace {

std::uint64_t numberOf(std::string_view word, const std::string& option, std::uint64_t most) {
  std::uint64_t number = 0;
  const bool hexadecimal = word.starts_with("0x");
  const std::string_view digits = hexadecimal ? word.substr(2) : word;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, number, hexadecimal ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != end || number > most) {
    throw ConfigError(option, "",
                      "expected numbers up to " + std::to_string(most) + ", got " + inQuotes(word));
  }
  return number;
}

std::vector<std::uint32_t> numbersOf(const std::string& list, const std::string& option) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> numbers;
  for (const std::string& word : listOf(list, option)) {
    numbers.push_back(static_cast<std::uint32_t>(numberOf(word, option, kMost)));
  }
  return numbers;
}

std::vector<Stream> streamsOf(const std::string& list, const std::string& option) {
  std::vector<Stream> streams;
  for (const std::string& word : listOf(list, option)) {
    streams.push_back(choiceOf<Stream>(word, option));
  }
  return streams;
}

std::pair<std::uint64_t, std::uint64_t> addressesOf(const std::string& range,
                                                    const std::string& option) {
  const auto ends = split(range, ':');
  if (ends.size() != 2) {
    throw ConfigError(option, "", "expected FROM:TO, got " + inQuotes(range));
  }
  constexpr std::uint64_t kEnd = std::uint64_t{1} << kLocalAddressBits;
  const std::pair addresses(numberOf(ends[0], option, kEnd), numberOf(ends[1], option, kEnd));
  if (addresses.first >= addresses.second) {
    throw ConfigError(option, "", "expected an end after the beginning, got " + inQuotes(range));
  }
  return addresses;
}

}  // namespace

void addTransactionOptions(Options& options) {
  options.add("transactions", "FILE", "write every step of every request, and events, as CSV");
  options.add("transactions-scope", "LIST",
              "only what these places say, e.g. gpu3 or gpu3.link,gpu4.hbm; default all");
  options.add("transactions-window", "FROM:TO",
              "only of this time, e.g. 1.2ms:1.4ms; a number without a unit is ns");
  options.add("transactions-wg", "LIST", "only of these workgroups, with commas");
  options.add("transactions-stream", "LIST", "only of these: " + alternatives(spellings<Stream>()));
  options.add("transactions-channel", "LIST", "only in these memory channels");
  options.add("transactions-address", "FROM:TO",
              "only of these bytes of a GPU, 0x for hexadecimal");
  options.offer("transactions-scope", usualScopes());
  options.offer("transactions-stream", spellings<Stream>());
}

std::optional<TransactionOptions> transactionOptionsOf(const Options& options) {
  if (!options.hasWithItsCompanions("transactions")) return std::nullopt;
  TransactionOptions log;
  log.path = *options.value("transactions");
  log.scopes = options.value("transactions-scope", listOf);
  log.window = options.value("transactions-window", windowOf).value_or(log.window);
  log.workgroups = options.value("transactions-wg", numbersOf).value_or(log.workgroups);
  log.channels = options.value("transactions-channel", numbersOf).value_or(log.channels);
  log.streams = options.value("transactions-stream", streamsOf).value_or(log.streams);
  log.addresses = options.value("transactions-address", addressesOf);
  return log;
}

}  // namespace t3
