// SPDX-License-Identifier: Apache-2.0
#include "tlm/interconnect/cut_links.h"

#include <algorithm>

namespace t3 {
namespace {

enum class Kind : std::uint8_t { Message, Credit, Flag };

}  // namespace

/// Stands for the end of a link that another process has: the far one of a link that this process
/// sends on, the near one of a link that ends here.
class CutLinks::OtherEnd : public LinkMessages, public LinkCredits {
 public:
  OtherEnd(CutLinks& cut, std::uint32_t number, std::uint32_t process)
      : cut_(cut), number_(number), process_(process) {}

  void post(const LinkMessage& message) override {
    Parcel& parcel = begin(Kind::Message, message.arrival);
    parcel.put(message.values.size());
    LinkMessage plain = message;
    plain.values = {};
    parcel.put(plain);
    parcel.putBytes(message.values);
  }

  void post(const LinkCredit& credit) override { begin(Kind::Credit, credit.arrival).put(credit); }

 private:
  Parcel& begin(Kind kind, Picoseconds arrival) {
    Parcel& parcel = cut_.record(process_, arrival);
    parcel.put(kind);
    parcel.put(number_);
    return parcel;
  }

  CutLinks& cut_;
  const std::uint32_t number_, process_;
};

CutLinks::CutLinks(std::uint32_t self, std::uint32_t processes)
    : self_(self), parcels_(processes) {}

CutLinks::~CutLinks() = default;

void CutLinks::add(std::uint32_t number, Link& link, const LinkConfig& config, std::uint32_t from,
                   std::uint32_t to) {
  if (from == to) return;
  lookahead_ = std::min(lookahead_, config.lookahead());
  if (self_ != from && self_ != to) return;
  const bool sends = self_ == from;
  otherEnds_.push_back(std::make_unique<OtherEnd>(*this, number, sends ? to : from));
  if (sends) {
    link.farEndIs(*otherEnds_.back());
  } else {
    link.nearEndIs(*otherEnds_.back());
  }
  links_.emplace(number, &link);
}

void CutLinks::send(std::uint32_t process, const Flag& flag) {
  Parcel& parcel = record(process, flag.arrival);
  parcel.put(Kind::Flag);
  parcel.put(flag);
}

Parcel& CutLinks::record(std::uint32_t process, Picoseconds arrival) {
  firstArrival_ = std::min(firstArrival_, arrival);
  return parcels_[process];
}

void CutLinks::clear() {
  for (Parcel& parcel : parcels_) parcel.clear();
  firstArrival_ = kNever;
}

void CutLinks::deliver(Parcel& parcel) {
  while (!parcel.empty()) {
    const Kind kind = parcel.take<Kind>();
    if (kind == Kind::Flag) {
      flagged_(parcel.take<Flag>());
      continue;
    }
    Link& link = *links_.at(parcel.take<std::uint32_t>());
    if (kind == Kind::Credit) {
      link.nearEnd().post(parcel.take<LinkCredit>());
      continue;
    }
    const auto bytes = parcel.take<std::size_t>();
    auto message = parcel.take<LinkMessage>();
    message.values = parcel.takeBytes(bytes);
    link.farEnd().post(message);
  }
}

}  // namespace t3
