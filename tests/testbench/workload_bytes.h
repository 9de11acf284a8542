// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbench/workload/trace_file.h"

namespace t3::test {

/// Bytes of protobuf messages, put together by hand: independent of the library that reads them.
class Bytes {
 public:
  Bytes& number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
    return *this;
  }
  Bytes& text(std::uint32_t field, const std::string& value) {
    varint(field << 3 | 2);
    varint(value.size());
    text_ += value;
    return *this;
  }
  /// An attribute of a node with a value in that field of AttributeProto.
  Bytes& attribute(const std::string& name, std::uint32_t field, std::uint64_t value) {
    return text(10, Bytes().text(1, name).number(field, value).str());
  }
  Bytes& attribute(const std::string& name, const std::string& value) {
    return text(10, Bytes().text(1, name).text(29, value).str());
  }
  const std::string& str() const { return text_; }

  /// With its length in front.
  std::string message() const {
    Bytes all;
    all.varint(text_.size());
    return all.text_ + text_;
  }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>((value & 0x7f) | 0x80);
    text_ += static_cast<char>(value);
  }

  std::string text_;
};

inline constexpr std::uint32_t kInt32 = 7, kInt64 = 9, kUint64 = 13, kBool = 27;
inline constexpr std::uint32_t kLoad = 2, kStore = 3, kCompute = 4, kSend = 5, kReceive = 6,
                               kCollective = 7;

/// A node: id, name, type and what it waits for the data of.
inline Bytes node(std::uint64_t id, const std::string& name, std::uint32_t type,
                  const std::vector<std::uint64_t>& dataDependencies = {}) {
  Bytes bytes;
  if (id != 0) bytes.number(1, id);
  bytes.text(2, name).number(3, type);
  for (const std::uint64_t other : dataDependencies) bytes.number(5, other);
  return bytes;
}

inline Bytes gemm(std::uint64_t id, const std::string& name, std::uint64_t m, std::uint64_t n,
                  std::uint64_t k, const std::vector<std::uint64_t>& dataDependencies = {}) {
  return node(id, name, kCompute, dataDependencies)
      .attribute("gemm_m", kUint64, m)
      .attribute("gemm_n", kUint64, n)
      .attribute("gemm_k", kUint64, k);
}

inline Bytes collective(std::uint64_t id, const std::string& name, std::uint64_t type,
                        std::uint64_t bytes,
                        const std::vector<std::uint64_t>& dataDependencies = {}) {
  return node(id, name, kCollective, dataDependencies)
      .attribute("comm_type", kInt64, type)
      .attribute("comm_size", kInt64, bytes);
}

/// A whole trace: metadata, then the nodes.
inline std::string trace(const std::vector<Bytes>& nodes) {
  std::string all = Bytes().text(1, "0.0.4").message();
  for (const Bytes& one : nodes) all += one.message();
  return all;
}

/// Traces as the files "t.0.et", "t.1.et", …
inline std::vector<std::shared_ptr<const TraceFile>> filesOf(
    const std::vector<std::string>& traces) {
  std::vector<std::shared_ptr<const TraceFile>> files;
  for (const std::string& one : traces) {
    const std::string name = "t." + std::to_string(files.size()) + ".et";
    files.push_back(std::make_shared<const TraceFile>(readTraceBytes(one, name)));
  }
  return files;
}

}  // namespace t3::test
