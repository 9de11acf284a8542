// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/trace_file.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <cctype>
#include <functional>
#include <google/protobuf/stubs/logging.h>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "chakra.pb.h"
#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "testbench/config/text_file.h"

namespace t3 {
const char* nameOf(CommType type) {
  static constexpr std::array kNames = {
      "all-reduce", "reduce",     "all-gather",     "gather",         "scatter",
      "broadcast",  "all-to-all", "reduce-scatter", "reduce-scatter", "barrier"};
  return kNames.at(static_cast<std::size_t>(type));
}

std::string placeOf(const TraceNode& node) {
  return "node " + std::to_string(node.id) + " " + inQuotes(node.name);
}

namespace {

namespace json = boost::json;

bool isGemmName(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("gemm") != std::string::npos || name.starts_with("aten::mm") ||
         name.starts_with("aten::addmm");
}

/// Both dimensions, if that is what a shape has and they are possible ones of a GEMM.
std::optional<std::pair<std::uint64_t, std::uint64_t>> twoDimensions(const json::value& shape) {
  const json::array* list = shape.if_array();
  if (list == nullptr || list->size() != 2) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const json::value& dimension : *list) {
    const std::int64_t* number = dimension.if_int64();
    if (number == nullptr || *number < 1 || *number > static_cast<std::int64_t>(kMostGemm)) {
      return std::nullopt;
    }
    numbers.push_back(static_cast<std::uint64_t>(*number));
  }
  return std::pair(numbers[0], numbers[1]);
}

}  // namespace

bool isGemmType(const std::string& word) {
  return word == "fp16" || word == "bf16" || word == "fp32";
}

std::optional<GemmShape> gemmOfShapes(const std::string& name, const std::string& shapes) {
  if (!isGemmName(name)) return std::nullopt;
  json::error_code error;
  const json::value all = json::parse(shapes, error);
  if (error || !all.is_array()) return std::nullopt;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> matrices;
  for (const json::value& shape : all.get_array()) {
    if (const auto matrix = twoDimensions(shape)) {
      matrices.push_back(*matrix);
    } else if (shape.is_array() && shape.get_array().size() > 2) {
      return std::nullopt;  // of a convolution, or of many GEMMs
    }
  }
  if (matrices.size() != 2 || matrices[0].second != matrices[1].first) return std::nullopt;
  return GemmShape{matrices[0].first, matrices[1].second, matrices[0].second};
}

std::string gemmTypeOf(const std::string& types) {
  if (types.find("Half") != std::string::npos) return "fp16";
  if (types.find("BFloat16") != std::string::npos) return "bf16";
  if (types.find("Tensor(float)") != std::string::npos) return "fp32";
  return "";
}

namespace {

using chakra::AttributeProto;

/// Largest number of bytes, operations or microseconds of a node. Sums of many of them, in
/// picoseconds, stay whole numbers of 64 bits.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostOperations = std::uint64_t{1} << 60;
constexpr std::uint64_t kMostMicros = 10'000'000'000;
constexpr std::uint64_t kMostGpu = std::numeric_limits<std::uint32_t>::max();

/// The messages of a file.
class Messages {
 public:
  Messages(const std::string& bytes, const std::string& source) : bytes_(bytes), source_(source) {}

  bool atEnd() const { return at_ == bytes_.size(); }

  template <typename Message>
  Message next(const char* what) {
    const std::size_t begin = at_;
    const std::uint64_t length = readLength();
    if (length > bytes_.size() - at_) {
      fail(begin, "expected a " + std::string(what) + " of " + std::to_string(length) +
                      " bytes, but the file has " + std::to_string(bytes_.size() - at_) + " more");
    }
    Message message;
    // ParseFromArray takes an int, which a file of more than 2 GiB would exceed.
    if (length > std::numeric_limits<int>::max() ||
        !message.ParseFromArray(bytes_.data() + at_, static_cast<int>(length))) {
      fail(begin, "expected a " + std::string(what) + " of a Chakra trace (protobuf)");
    }
    at_ += length;
    return message;
  }

  [[noreturn]] void fail(std::size_t at, const std::string& expected) const {
    throw ConfigError(source_, "byte " + std::to_string(at), expected);
  }

 private:
  std::uint64_t readLength() {
    const std::size_t begin = at_;
    std::uint64_t length = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      if (atEnd()) fail(begin, "expected the length of a message, but the file ends");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      length |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return length;
    }
    fail(begin, "expected the length of a message, of at most 9 bytes");
  }

  const std::string& bytes_;
  const std::string& source_;
  std::size_t at_ = 0;
};

/// Whether a message, or one inside it, has a field that the schema has not. Such a file is of
/// another schema, whose numbers mean something else.
bool hasUnknownFields(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return true;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (hasUnknownFields(reflection.GetMessage(message, field))) return true;
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      if (hasUnknownFields(reflection.GetRepeatedMessage(message, field, i))) return true;
    }
  }
  return false;
}

/// The value of an attribute that is a whole number from 0 on, whatever type its producer gave it.
std::optional<std::uint64_t> wholeNumber(const AttributeProto& attribute) {
  using Field = google::protobuf::FieldDescriptor;
  static const auto* const kValue = AttributeProto::descriptor()->FindOneofByName("value");
  const google::protobuf::Reflection& reflection = *attribute.GetReflection();
  const Field* field = reflection.GetOneofFieldDescriptor(attribute, kValue);
  std::int64_t value = -1;
  switch (field == nullptr ? Field::CPPTYPE_MESSAGE : field->cpp_type()) {
    case Field::CPPTYPE_INT32:
      value = reflection.GetInt32(attribute, field);
      break;
    case Field::CPPTYPE_INT64:
      value = reflection.GetInt64(attribute, field);
      break;
    case Field::CPPTYPE_UINT32:
      return reflection.GetUInt32(attribute, field);
    case Field::CPPTYPE_UINT64:
      return reflection.GetUInt64(attribute, field);
    case Field::CPPTYPE_BOOL:
      return reflection.GetBool(attribute, field) ? 1 : 0;
    default:
      break;
  }
  return value < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(value));
}

/// The attributes of one node.
class NodeReader {
 public:
  NodeReader(const chakra::Node& message, const std::string& source, TraceFile& file)
      : message_(message), source_(source), file_(file) {}

  TraceNode read() {
    node_.id = message_.id();
    node_.name = message_.name();
    if (message_.type() < chakra::INVALID_NODE || message_.type() > chakra::COMM_COLL_NODE) {
      fail("type", "expected 0 to 7, got " + std::to_string(static_cast<int>(message_.type())));
    }
    node_.type = static_cast<TraceNodeType>(message_.type());
    node_.controlDependencies.assign(message_.ctrl_deps().begin(), message_.ctrl_deps().end());
    node_.dataDependencies.assign(message_.data_deps().begin(), message_.data_deps().end());
    if (message_.duration_micros() > kMostMicros) {
      fail("duration_micros", "expected at most " + std::to_string(kMostMicros) + ", got " +
                                  std::to_string(message_.duration_micros()));
    }
    node_.durationMicros = message_.duration_micros();
    std::set<std::string_view> seen;
    for (const AttributeProto& attribute : message_.attr()) {
      if (!seen.insert(attribute.name()).second) {
        fail(shortened(attribute.name()), "occurs twice among the attributes");
      }
      readAttribute(attribute);
    }
    if (node_.type == TraceNodeType::Metadata) node_.values = message_.inputs().values();
    if (node_.type == TraceNodeType::Compute) readGemm();
    checkNeeds();
    return std::move(node_);
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    throw ConfigError(source_, placeOf(node_) + (key.empty() ? "" : ": " + key), expected);
  }

  std::uint64_t number(const AttributeProto& attribute, std::uint64_t least,
                       std::uint64_t most) const {
    const auto value = wholeNumber(attribute);
    if (!value || *value < least || *value > most) {
      fail(attribute.name(), "expected a whole number from " + std::to_string(least) + " to " +
                                 std::to_string(most) +
                                 (value ? ", got " + std::to_string(*value) : ""));
    }
    return *value;
  }

  std::string text(const AttributeProto& attribute) const {
    // A group is a name, but some producers write its number.
    if (const auto value = wholeNumber(attribute)) return std::to_string(*value);
    if (attribute.value_case() != AttributeProto::kStringVal) {
      fail(attribute.name(), "expected a text");
    }
    return attribute.string_val();
  }

  void readAttribute(const AttributeProto& attribute) {
    const std::string& name = attribute.name();
    if (name == "is_cpu_op") {
      node_.onHost = number(attribute, 0, 1) == 1;
    } else if (name == "num_ops") {
      node_.operations = number(attribute, 0, kMostOperations);
    } else if (name == "tensor_size") {
      node_.tensorBytes = number(attribute, 0, kMostBytes);
    } else if (name == "comm_type") {
      node_.commType = static_cast<CommType>(number(attribute, 0, 9));
    } else if (name == "comm_size") {
      node_.commBytes = number(attribute, 0, kMostBytes);
    } else if (name == "comm_src") {
      node_.commFrom = number(attribute, 0, kMostGpu);
    } else if (name == "comm_dst") {
      node_.commTo = number(attribute, 0, kMostGpu);
    } else if (name == "comm_tag") {
      node_.commTag = number(attribute, 0, kMostGpu);
    } else if (name == "pg_name" || name == "comm_group") {
      node_.group = text(attribute);
    } else if (name == kGemmRows) {
      gemm_.rows = number(attribute, 1, kMostGemm);
    } else if (name == kGemmColumns) {
      gemm_.columns = number(attribute, 1, kMostGemm);
    } else if (name == kGemmDepth) {
      gemm_.depth = number(attribute, 1, kMostGemm);
    } else if (name == kGemmType) {
      node_.elementType = text(attribute);
      if (!isGemmType(node_.elementType)) {
        fail(name, "expected fp16, bf16 or fp32, got " + inQuotes(node_.elementType));
      }
    } else {
      if (name == "involved_dim") involvesAll_ = allInvolved(attribute);
      ++file_.ignoredAttributes[shortened(name)];
    }
  }

  /// Of the dimensions of the simulator's network, which a trace does not tell.
  static bool allInvolved(const AttributeProto& attribute) {
    if (attribute.value_case() == AttributeProto::kBoolList) {
      return std::ranges::all_of(attribute.bool_list().values(), std::identity());
    }
    return wholeNumber(attribute) != std::uint64_t{0};
  }

  void readGemm() {
    const int given = (gemm_.rows != 0) + (gemm_.columns != 0) + (gemm_.depth != 0);
    if (given != 0 && given != 3) {
      fail("", std::string("expected all or none of the attributes ") + kGemmRows + ", " +
                   kGemmColumns + " and " + kGemmDepth);
    }
    if (node_.onHost) return;
    if (given == 3) {
      node_.gemm = gemm_;
    } else if (const auto shape = gemmOfShapes(node_.name, message_.inputs().shapes())) {
      node_.gemm = shape;
      if (node_.elementType.empty()) {
        node_.elementType = gemmTypeOf(message_.inputs().types());
      }
    }
  }

  void checkNeeds() const {
    if (node_.onHost) return;
    switch (node_.type) {
      case TraceNodeType::Collective:
        if (!node_.commType) fail("", "expected an attribute 'comm_type' of a collective");
        if (!involvesAll_ && (node_.group.empty() || node_.group == "0")) {
          fail("involved_dim",
               "expected true for all dimensions, because no trace says which GPUs one joins; "
               "pg_name names a group of GPUs (--workload-groups)");
        }
        return;
      case TraceNodeType::Send:
        if (!node_.commTo) fail("", "expected an attribute 'comm_dst' of a send");
        return;
      case TraceNodeType::Receive:
        if (!node_.commFrom) fail("", "expected an attribute 'comm_src' of a receive");
        return;
      case TraceNodeType::MemoryLoad:
      case TraceNodeType::MemoryStore:
        if (!node_.tensorBytes) fail("", "expected an attribute 'tensor_size' of a memory node");
        return;
      default:
        return;
    }
  }

  const chakra::Node& message_;
  const std::string& source_;
  TraceFile& file_;
  TraceNode node_;
  GemmShape gemm_;
  bool involvesAll_ = true;
};

}  // namespace

TraceFile readTraceFile(const std::string& path) { return readTraceBytes(readBytes(path), path); }

TraceFile readTraceBytes(const std::string& bytes, const std::string& source) {
  const google::protobuf::LogSilencer silence;  // errors are ours to tell
  TraceFile file;
  file.path = source;
  if (bytes.starts_with("\x1f\x8b")) {
    throw ConfigError(source, "", "expected a Chakra trace, got a compressed file (gunzip it)");
  }
  Messages messages(bytes, source);
  if (messages.atEnd()) throw ConfigError(source, "", "expected a Chakra trace, got nothing");
  const auto metadata = messages.next<chakra::GlobalMetadata>("GlobalMetadata");
  if (hasUnknownFields(metadata)) {
    messages.fail(0, "expected a GlobalMetadata of schema 0.0.4, got other fields");
  }
  file.version = shortened(metadata.version());
  while (!messages.atEnd()) {
    const auto message = messages.next<chakra::Node>("Node");
    if (hasUnknownFields(message)) {
      throw ConfigError(source,
                        "node " + std::to_string(message.id()) + " " + inQuotes(message.name()),
                        "expected a Node of schema 0.0.4, got other fields");
    }
    file.nodes.push_back(NodeReader(message, source, file).read());
  }
  if (file.nodes.empty()) throw ConfigError(source, "", "expected at least one node");
  return file;
}

}  // namespace t3
