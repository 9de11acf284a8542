// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace t3 {

/// Things numbered from 0, each of which has one before it or is the first of a chain. Whether a
/// thing is on the chain of another takes a time that grows with the logarithm of its length,
/// because each knows one far before it, too (Myers, "An Applicative Random-Access Stack",
/// Information Processing Letters 1983).
class AncestorChains {
 public:
  /// The next thing. `before` has a lower number; the number of the thing itself: it is a first.
  void add(std::uint32_t before) {
    const auto number = static_cast<std::uint32_t>(links_.size());
    Link link{number, number, 0};
    if (before != number) {
      const Link& next = links_[before];
      const Link& far = links_[next.far];
      const bool joins = next.length - far.length == far.length - links_[far.far].length;
      link = {before, joins ? far.far : before, next.length + 1};
    }
    links_.push_back(link);
  }
  /// Whether `thing` is `from`, or somewhere before it on its chain.
  bool holds(std::uint32_t from, std::uint32_t thing) const {
    const std::uint32_t length = links_[thing].length;
    while (links_[from].length > length) {
      const Link& link = links_[from];
      from = links_[link.far].length >= length ? link.far : link.before;
    }
    return from == thing;
  }

 private:
  struct Link {
    std::uint32_t before = 0, far = 0, length = 0;
  };
  std::vector<Link> links_;
};

}  // namespace t3
