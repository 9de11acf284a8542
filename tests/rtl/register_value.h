// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "tlm/tracker/register_text.h"

namespace t3::rtl_test {

/// What a register held when a test read it: a number, which a failed comparison prints with the
/// register, the cycle and the fields, and with those of the value it was compared with.
template <std::unsigned_integral Value>
class RegisterValue {
 public:
  RegisterValue(Value value, std::uint32_t address, std::uint64_t cycle)
      : value_(value), address_(address), cycle_(cycle) {}
  operator Value() const { return value_; }

  template <std::integral Other>
  friend bool operator==(const RegisterValue& read, Other expected) {
    read.expected_ = static_cast<Value>(expected);
    return read.value_ == static_cast<Value>(expected);
  }
  template <std::integral Other>
  friend bool operator==(Other expected, const RegisterValue& read) {
    return read == expected;
  }
  friend bool operator==(const RegisterValue& a, const RegisterValue& b) {
    return a.value_ == b.value_;
  }

  friend void PrintTo(const RegisterValue& read, std::ostream* out) {
    *out << registerText(read.address_) << ", read in cycle " << read.cycle_ << ": "
         << text(read.address_, read.value_);
    if (read.expected_) *out << "; expected: " << text(read.address_, *read.expected_);
  }

 private:
  static std::string text(std::uint32_t address, Value value) {
    if (value >> 16 >> 16 != 0) return std::to_string(value);
    return registerValueText(address, static_cast<std::uint32_t>(value));
  }

  Value value_;
  std::uint32_t address_;
  std::uint64_t cycle_;
  mutable std::optional<Value> expected_;
};

/// The response of a register access, which a failed comparison prints with the register.
class AccessResponse {
 public:
  AccessResponse(std::uint32_t response, std::uint32_t address, std::uint64_t cycle)
      : response_(response), address_(address), cycle_(cycle) {}
  operator std::uint32_t() const { return response_; }

  template <std::integral Other>
  friend bool operator==(const AccessResponse& got, Other expected) {
    got.expected_ = static_cast<std::uint32_t>(expected);
    return got.response_ == got.expected_;
  }
  template <std::integral Other>
  friend bool operator==(Other expected, const AccessResponse& got) {
    return got == expected;
  }
  friend void PrintTo(const AccessResponse& got, std::ostream* out) {
    *out << name(got.response_) << " of " << registerText(got.address_) << ", in cycle "
         << got.cycle_;
    if (got.expected_) *out << "; expected: " << name(*got.expected_);
  }

 private:
  static const char* name(std::uint32_t response) {
    return response == 0 ? "OKAY" : response == 2 ? "SLVERR" : "no response";
  }

  std::uint32_t response_, address_;
  std::uint64_t cycle_;
  mutable std::optional<std::uint32_t> expected_;
};

}  // namespace t3::rtl_test
