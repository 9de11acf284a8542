// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/collectives/algorithm.h"
#include "tlm/collectives/algorithm_form.h"
#include "tlm/collectives/algorithm_meaning.h"
#include "tlm/collectives/promise.h"
#include "tlm/node/system_config.h"

namespace t3 {

/// How a file names buffers and protocols, in the order of their enumerators.
inline constexpr std::array kBufferNames = {"i", "o", "s"};
inline constexpr std::array kProtocolNames = {"Simple", "LL", "LL128"};

/// What of a file says nothing about the algorithm, for a note.
struct MscclNotes {
  std::vector<std::string> unread;  ///< attributes that no runtime reads
  std::uint64_t minBytes = 0;       ///< the runtime takes the algorithm for these sizes …
  std::uint64_t maxBytes = 0;       ///< … up to this one; 0: any
};

/// The algorithm in the text of an MSCCL XML file. Every element and attribute must be one of the
/// format's, with a value of its kind; GPUs, thread blocks and steps must be numbered without gaps.
/// What the attributes mean together is not checked. Throws ConfigError.
Algorithm readMscclText(const std::string& text, const std::string& source, MscclNotes& notes);

/// The algorithm as an MSCCL XML file, as `readMscclText` reads it.
std::string mscclText(const Algorithm& algorithm);

/// Whether a text is a schedule and not an MSCCL file: JSON begins with a brace.
bool isSchedule(const std::string& text);

/// The collective in a schedule of TE-CCL, the JSON that its solver writes: an all-gather or an
/// all-to-all. With `promise`, what an all-gather becomes: a reduce-scatter is its way back, an
/// all-reduce both.
///
/// Of the times of a schedule the order of what each link sends is kept. Throws ConfigError.
Algorithm readSchedule(const std::string& text, const std::string& source,
                       const Promise* promise = nullptr);

/// A collective from an MSCCL file or a schedule of TE-CCL, read and checked.
class CollectiveFile {
 public:
  /// `gathered`: what becomes of a schedule (readSchedule). Throws ConfigError.
  explicit CollectiveFile(const std::string& path, const Promise* gathered = nullptr);
  /// The same of a text; errors name `source`.
  CollectiveFile(const std::string& text, const std::string& source);
  CollectiveFile(const CollectiveFile&) = delete;
  CollectiveFile& operator=(const CollectiveFile&) = delete;

  const std::string& path() const { return path_; }
  const Algorithm& algorithm() const { return algorithm_; }
  const AlgorithmMeaning& meaning() const { return *meaning_; }
  const MscclNotes& notes() const { return notes_; }

 private:
  void check();

  const std::string path_;
  MscclNotes notes_;
  const Algorithm algorithm_;
  std::unique_ptr<const AlgorithmForm> form_;
  std::unique_ptr<const AlgorithmMeaning> meaning_;
};

/// "line N" of the file, for a ConfigError; empty if the whole of it is wrong.
std::string lineOf(const AlgorithmError& error);

/// The algorithm of a collective that runs alone without a file. Reduce-scatter, all-gather and
/// all-reduce take the route of the scenario's sublayers (ring, two rings, direct); a broadcast
/// goes along the ring from GPU 0; in an all-to-all every GPU sends to every other one.
class BuiltInCollective {
 public:
  /// Requires at least two GPUs, and no custom or reduce promise.
  BuiltInCollective(const Promise& promise, const SystemConfig& config);
  BuiltInCollective(const BuiltInCollective&) = delete;
  BuiltInCollective& operator=(const BuiltInCollective&) = delete;

  const AlgorithmForm& form() const { return form_; }
  const AlgorithmMeaning& meaning() const { return meaning_; }

 private:
  const Algorithm algorithm_;
  const AlgorithmForm form_;
  const AlgorithmMeaning meaning_;
};

}  // namespace t3
