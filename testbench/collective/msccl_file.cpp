// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/collective_file.h"

#include <tinyxml2.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include "testbench/config/config_error.h"
#include "testbench/config/spelling.h"
#include "tlm/collectives/promise.h"

namespace t3 {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// Beyond that no number of a file has a meaning, but for its bytes.
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

/// One file, of which all errors name the line.
class Reader {
 public:
  Reader(const tinyxml2::XMLDocument& document, std::string source, MscclNotes& notes)
      : document_(document), source_(std::move(source)), notes_(notes) {}

  Algorithm read() {
    const XMLElement* root = nullptr;
    for (const auto* node = document_.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (node->ToComment() != nullptr || node->ToDeclaration() != nullptr) continue;
      if (root != nullptr || node->ToElement() == nullptr) {
        fail(node->GetLineNum(), "expected one element <algo> and nothing else");
      }
      root = node->ToElement();
    }
    if (root == nullptr) throw ConfigError(source_, "", "expected an element <algo>, got nothing");
    if (std::string_view(root->Name()) != "algo") {
      fail(root->GetLineNum(), "expected an element <algo>, got <" + shortened(root->Name()) + ">");
    }
    return readAlgorithm(*root);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& text) const {
    throw ConfigError(source_, "line " + std::to_string(line), text);
  }
  /// In front of an error: where, if that is known yet.
  [[noreturn]] void fail(const XMLElement& element, const std::string& text) const {
    fail(element.GetLineNum(), (place_ ? place_->text() + ": " : "") + text);
  }

  void checkAttributes(const XMLElement& element, std::initializer_list<const char*> known) const {
    for (const XMLAttribute* attribute = element.FirstAttribute(); attribute != nullptr;
         attribute = attribute->Next()) {
      const std::string name = attribute->Name();
      if (std::ranges::find(known, name) == known.end()) {
        fail(element, "<" + std::string(element.Name()) + "> has no attribute " + inQuotes(name) +
                          nearestNote(name, {known.begin(), known.end()}));
      }
    }
  }

  std::string text(const XMLElement& element, const char* key) const {
    const char* value = element.Attribute(key);
    if (value == nullptr) {
      fail(element, "expected an attribute '" + std::string(key) + "' in <" +
                        std::string(element.Name()) + ">");
    }
    return value;
  }

  std::int64_t number(const XMLElement& element, const char* key, std::int64_t least,
                      std::int64_t most = kLargest) const {
    const std::string word = text(element, key);
    const auto value = numberFrom<std::int64_t>(word);
    if (!value || *value < least || *value > most) {
      fail(element, std::string(key) + ": expected a whole number from " + std::to_string(least) +
                        " to " + std::to_string(most) + ", got " + inQuotes(word));
    }
    return *value;
  }
  std::uint32_t count(const XMLElement& element, const char* key,
                      std::int64_t most = kLargest) const {
    return static_cast<std::uint32_t>(number(element, key, 0, most));
  }
  bool flag(const XMLElement& element, const char* key) const {
    return number(element, key, 0, 1) != 0;
  }
  /// -1: nobody.
  std::optional<std::uint32_t> optionalCount(const XMLElement& element, const char* key) const {
    const std::int64_t value = number(element, key, -1);
    if (value < 0) return std::nullopt;
    return static_cast<std::uint32_t>(value);
  }
  template <typename Row>
  const Row& choice(const XMLElement& element, const char* key,
                    const Row* (*find)(const std::string&), const std::string& choices) const {
    const std::string word = text(element, key);
    const Row* row = find(word);
    if (row == nullptr) {
      fail(element, std::string(key) + ": expected " + choices + ", got " + inQuotes(word));
    }
    return *row;
  }

  /// The elements inside one, all of one kind, but for those `beside` them. `key` must number them
  /// 0, 1, … in any order, or in this order. Calls `read` for each with its number.
  template <typename Read>
  void children(const XMLElement& parent, const char* name, const char* key, bool ordered,
                std::uint32_t expected, Read read, std::string_view beside = {}) {
    std::vector<const XMLElement*> elements;
    for (const auto* node = parent.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (node->ToComment() != nullptr) continue;
      const XMLElement* element = node->ToElement();
      if (element != nullptr && element->Name() == beside) continue;
      if (element == nullptr || std::string_view(element->Name()) != name) {
        fail(node->GetLineNum(), (place_ ? place_->text() + ": " : "") + "expected <" + name +
                                     "> and nothing else in <" + parent.Name() + ">");
      }
      elements.push_back(element);
    }
    const auto there = static_cast<std::uint32_t>(elements.size());
    if (expected != kAnyNumber && there != expected) {
      fail(parent, "expected " + std::to_string(expected) + " elements <" + name + ">, got " +
                       std::to_string(there));
    }
    std::vector<bool> seen(there);
    for (std::uint32_t position = 0; position < there; ++position) {
      const XMLElement& element = *elements[position];
      const std::uint32_t id = count(element, key);
      if (ordered ? id != position : id >= there || seen[id]) {
        fail(element,
             std::string(key) + ": expected " +
                 (ordered ? std::to_string(position)
                          : "each number from 0 to " + std::to_string(there - 1) + " once") +
                 ", got " + std::to_string(id));
      }
      seen[id] = true;
    }
    for (const XMLElement* element : elements) {
      const auto before = place_;
      read(*element, count(*element, key), there);
      place_ = before;
    }
  }

  Algorithm readAlgorithm(const XMLElement& element) {
    checkAttributes(element, {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll",
                              "inplace", "outofplace", "minBytes", "maxBytes", "nthreads", "redop",
                              "maxcount", "nthreadblocks"});
    Algorithm algorithm;
    algorithm.line = lineOf(element);
    algorithm.name = text(element, "name");
    algorithm.protocol = enumerator<Protocol>(element, "proto", kProtocolNames);
    algorithm.channels = count(element, "nchannels");
    algorithm.chunks = count(element, "nchunksperloop");
    algorithm.promise = &choice(element, "coll", Promise::named, Promise::names());
    algorithm.inPlace = flag(element, "inplace");
    if (element.Attribute("outofplace") != nullptr && !flag(element, "outofplace") &&
        !algorithm.inPlace) {
      fail(element,
           "expected inplace or outofplace to be 1, because a runtime never takes an "
           "algorithm for neither, got 0 and 0");
    }
    const auto optionalNumber = [&](const char* key, std::int64_t most) {
      return static_cast<std::uint64_t>(
          element.Attribute(key) == nullptr ? 0 : number(element, key, 0, most));
    };
    notes_.minBytes = optionalNumber("minBytes", kAnyBytes);
    notes_.maxBytes = optionalNumber("maxBytes", kAnyBytes);
    // Threads make a thread block faster in a GPU; here gpu.collective.* says how fast it is.
    for (const char* key : {"nthreads", "maxcount", "nthreadblocks"}) {
      if (element.Attribute(key) == nullptr) continue;
      optionalNumber(key, kLargest);
      notes_.unread.emplace_back(key);
    }
    adds_ = reduces(element);
    inPlaceGather_ = algorithm.inPlace && algorithm.promise == &kAllGatherPromise;
    const std::uint32_t gpus = count(element, "ngpus");
    children(element, "gpu", "id", false, gpus,
             [&](const XMLElement& child, std::uint32_t id, std::uint32_t there) {
               algorithm.gpus.resize(there);
               place_ = {.gpu = id};
               readGpu(child, algorithm.gpus[id]);
             });
    return algorithm;
  }

  /// Whether steps may add. Sums are all that near-memory ALUs make.
  bool reduces(const XMLElement& element) const {
    if (element.Attribute("redop") == nullptr) return true;
    const std::string word = text(element, "redop");
    if (word == "sum") return true;
    if (word == "nop") return false;
    fail(element, "redop: expected sum or nop, got " + inQuotes(word));
  }

  /// The enumerator whose name an attribute is.
  template <typename E>
  E enumerator(const XMLElement& element, const char* key,
               const std::array<const char*, 3>& names) const {
    const std::string word = text(element, key);
    const auto found = std::ranges::find(names, word);
    if (found != names.end()) return static_cast<E>(found - names.begin());
    fail(element, std::string(key) + ": expected " + alternatives({names.begin(), names.end()}) +
                      ", got " + inQuotes(word));
  }

  void readGpu(const XMLElement& element, AlgorithmGpu& gpu) {
    checkAttributes(element, {"id", "i_chunks", "o_chunks", "s_chunks"});
    gpu.line = lineOf(element);
    gpu.inputChunks = count(element, "i_chunks");
    gpu.outputChunks = count(element, "o_chunks");
    gpu.scratchChunks = count(element, "s_chunks");
    checkCopies(element, gpu);
    children(
        element, "tb", "id", false, kAnyNumber,
        [&](const XMLElement& child, std::uint32_t id, std::uint32_t there) {
          gpu.threadBlocks.resize(there);
          place_->threadBlock = id;
          readThreadBlock(child, gpu.threadBlocks[id]);
        },
        kCopyElement);
  }

  /// A copy of input to output before the first step. In place an all-gather has its input there.
  void checkCopies(const XMLElement& element, const AlgorithmGpu& gpu) const {
    for (const XMLElement* copy = element.FirstChildElement(kCopyElement); copy != nullptr;
         copy = copy->NextSiblingElement(kCopyElement)) {
      checkAttributes(*copy, {"i_off", "o_off"});
      const std::uint32_t from = count(*copy, "i_off"), to = count(*copy, "o_off");
      const std::uint64_t there = std::uint64_t{place_->gpu} * gpu.inputChunks + from;
      if (inPlaceGather_ && from < gpu.inputChunks && to == there) continue;
      fail(*copy,
           "copy: expected only in an all-gather in place, where input chunk i is output "
           "chunk GPU x i_chunks + i, got i_off=" +
               std::to_string(from) + " and o_off=" + std::to_string(to));
    }
  }

  void readThreadBlock(const XMLElement& element, AlgorithmThreadBlock& block) {
    checkAttributes(element, {"id", "send", "recv", "chan"});
    block.line = lineOf(element);
    block.sendsTo = optionalCount(element, "send");
    block.receivesFrom = optionalCount(element, "recv");
    const auto channel = optionalCount(element, "chan");
    if (!channel && (block.sendsTo || block.receivesFrom)) {
      fail(element, "chan: expected a channel, because the thread block has a connection, got -1");
    }
    block.channel = channel.value_or(0);
    children(element, "step", "s", true, kAnyNumber,
             [&](const XMLElement& child, std::uint32_t id, std::uint32_t /*there*/) {
               place_->step = id;
               block.steps.push_back(readStep(child));
             });
  }

  AlgorithmStep readStep(const XMLElement& element) const {
    checkAttributes(element, {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid",
                              "deps", "hasdep"});
    AlgorithmStep step;
    step.line = lineOf(element);
    step.kind = &choice(element, "type", stepKindNamed, stepKindNames());
    step.sourceBuffer = enumerator<AlgorithmBuffer>(element, "srcbuf", kBufferNames);
    step.targetBuffer = enumerator<AlgorithmBuffer>(element, "dstbuf", kBufferNames);
    step.source = offset(element, "srcoff", step.kind->readsSource);
    step.target = offset(element, "dstoff", step.kind->writesTarget);
    step.count = count(element, "cnt");
    if (!adds_ && step.kind->adds()) {
      fail(element, std::string("type: expected no step that adds with redop=\"nop\", got ") +
                        step.kind->name);
    }
    if (step.kind == &kNop) step.count = 0;  // it has no chunks, whatever the file says
    const auto other = optionalCount(element, "depid");
    const auto before = optionalCount(element, "deps");
    if (other.has_value() != before.has_value()) {
      fail(element, "expected depid and deps both -1 or neither, got depid=" +
                        inQuotes(text(element, "depid")) +
                        " and deps=" + inQuotes(text(element, "deps")));
    }
    if (other) step.dependency = {*other, *before};
    step.hasDependents = flag(element, "hasdep");
    return step;
  }

  /// -1 where the step has no use for it.
  std::uint32_t offset(const XMLElement& element, const char* key, bool used) const {
    return static_cast<std::uint32_t>(
        std::max<std::int64_t>(0, number(element, key, used ? 0 : -1)));
  }

  static std::uint32_t lineOf(const XMLElement& element) {
    return static_cast<std::uint32_t>(element.GetLineNum());
  }

  static constexpr std::uint32_t kAnyNumber = ~0U;
  static constexpr const char* kCopyElement = "copy";
  static constexpr std::int64_t kAnyBytes = std::numeric_limits<std::int64_t>::max();

  const tinyxml2::XMLDocument& document_;
  const std::string source_;
  MscclNotes& notes_;
  std::optional<AlgorithmPlace> place_;
  bool adds_ = true, inPlaceGather_ = false;  ///< what the element <algo> says
};

/// What a text has that is no XML.
const char* problemOf(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "nothing";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an element with an attribute that is not NAME=\"VALUE\", or that does not end";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element whose end has another name, or that has no end";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment without its end -->";
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return "'<' without the name of an element, or an element that does not end";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "text that stands in no element";
    case tinyxml2::XML_ERROR_PARSING:
      return "an element without an end, or an end without an element";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
    case tinyxml2::XML_ERROR_PARSING_UNKNOWN:
      return "'<!' or '<?' without its end";
    default:
      return "elements inside one another more than 100 deep";
  }
}

}  // namespace

Algorithm readMscclText(const std::string& text, const std::string& source, MscclNotes& notes) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    throw ConfigError(source, "line " + std::to_string(std::max(1, document.ErrorLineNum())),
                      std::string("expected XML, got ") + problemOf(document.ErrorID()));
  }
  return Reader(document, source, notes).read();
}

}  // namespace t3
