// SPDX-License-Identifier: Apache-2.0
#include "testbench/collective/graph_file.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testbench/config/config_error.h"
#include "testbench/config/json_text.h"
#include "testbench/config/spelling.h"
#include "testbench/output/output_file.h"

namespace t3 {
namespace {

namespace json = boost::json;

/// One file, of which all errors name line and key.
class LinksReader {
 public:
  LinksReader(const std::string& path, const SystemConfig& scenario)
      : file_(path), scenario_(scenario), gpus_(scenario.gpus) {
    if (!file_.value.is_object()) throw ConfigError(path, "", "expected an object");
    const std::vector<std::string> known = {"name",         "gpus_per_node",   "nics_per_node",
                                            "alpha",        "node_betas_list", "node_invbws_list",
                                            "links",        "betas",           "invbws",
                                            "remote_alpha", "remote_beta",     "remote_invbw"};
    for (const auto& [key, value] : object()) {
      const std::string name(key);
      if (std::ranges::find(known, name) == known.end()) {
        fail(name, "is no key of a topology file" + nearestNote(name, known));
      }
    }
  }

  std::shared_ptr<const LinkGraph> read() {
    places_ = whole("gpus_per_node", 2, kMostGpus);
    if (gpus_ % places_ != 0) {
      fail("gpus_per_node", "expected a number that divides the " + std::to_string(gpus_) +
                                " GPUs, got " + std::to_string(places_));
    }
    latency_ = latency("alpha");
    if (object().contains("links")) {
      addMatrix();
    } else {
      const json::array& betas = list("node_betas_list");
      if (betas.size() == 1) {
        addHubs(bandwidth("node_betas_list", betas[0]));
      } else if (betas.size() == 2 && places_ == 8) {
        addCubes(bandwidth("node_betas_list", betas[0]), bandwidth("node_betas_list", betas[1]));
      } else {
        fail("node_betas_list",
             "expected one beta, of a switch between the GPUs of a node, or two, of the double and "
             "the single links of a DGX-1 of 8 GPUs, or \"links\" and \"betas\", got " +
                 std::to_string(betas.size()) + " betas and " + std::to_string(places_) + " GPUs");
      }
    }
    if (gpus_ > places_) addNetwork();
    if (wires_.empty()) fail("links", "expected a link, got none");
    return std::make_shared<const LinkGraph>(gpus_, switches_, std::move(wires_),
                                             LinkGraph::Network{network_, places_});
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& text) const {
    throw ConfigError(file_.placeOf(key), key, text);
  }
  const json::object& object() const { return file_.value.get_object(); }
  const json::value& at(const std::string& key) const {
    const json::value* value = object().if_contains(key);
    if (value == nullptr) throw ConfigError(file_.path, key, "expected a value, got none");
    return *value;
  }
  double number(const std::string& key, const json::value& value) const {
    if (!value.is_number()) fail(key, "expected a number, got " + json::serialize(value));
    const auto result = value.to_number<double>();
    if (result < 0 || !std::isfinite(result)) {
      fail(key, "expected a number of at least 0, got " + json::serialize(value));
    }
    return result;
  }
  std::uint32_t whole(const std::string& key, std::uint32_t least, std::uint32_t most) const {
    const double value = number(key, at(key));
    if (value != std::floor(value) || value < least || value > most) {
      fail(key, "expected a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most) + ", got " + json::serialize(at(key)));
    }
    return static_cast<std::uint32_t>(value);
  }
  const json::array& list(const std::string& key) const {
    if (!at(key).is_array()) fail(key, "expected a list, got " + json::serialize(at(key)));
    return at(key).get_array();
  }
  double latency(const std::string& key) const {
    const double ns = number(key, at(key)) * scenario_.fabric.links_unit_us * 1e3;
    if (ns > 1e6) fail(key, "expected at most 1 ms, got " + formatNumber(ns) + " ns");
    return ns;
  }
  /// Of a link that takes `beta` for `fabric.links_bytes`; several side by side are one.
  double bandwidth(const std::string& key, const json::value& beta, double links = 1) const {
    const double ns = number(key, beta) * scenario_.fabric.links_unit_us * 1e3;
    const double rate = ns > 0 ? links * scenario_.fabric.links_bytes / ns : 0;
    if (rate < 0.001 || rate > 100000) {
      fail(key, "expected times of links of 0.001 to 100000 GB/s for fabric.links_bytes = " +
                    formatNumber(scenario_.fabric.links_bytes) + ", got " + json::serialize(beta));
    }
    return rate;
  }
  /// Row: who receives; column: who sends.
  const json::value& cell(const std::string& key, std::uint32_t to, std::uint32_t from) const {
    const json::array& rows = list(key);
    if (rows.size() != places_ || !rows[to].is_array() || rows[to].get_array().size() != places_) {
      fail(key, "expected " + std::to_string(places_) + " rows of " + std::to_string(places_) +
                    " values");
    }
    return rows[to].get_array()[from];
  }

  void add(std::uint32_t from, std::uint32_t to, double rate, double latency) {
    wires_.push_back({from, to, rate, latency});
  }
  std::uint32_t addSwitch() { return gpus_ + switches_++; }

  void addMatrix() {
    for (std::uint32_t from = 0; from < gpus_; ++from) {
      const std::uint32_t node = from / places_ * places_;
      for (std::uint32_t place = 0; place < places_; ++place) {
        const double links = number("links", cell("links", place, from % places_));
        if (links == 0 || node + place == from) continue;
        add(from, node + place, bandwidth("betas", cell("betas", place, from % places_), links),
            latency_);
      }
    }
  }

  /// Each GPU to a switch and back: the links between GPUs share the ends.
  void addHubs(double rate) {
    for (std::uint32_t first = 0; first < gpus_; first += places_) {
      const std::uint32_t hub = addSwitch();
      for (std::uint32_t g = first; g < first + places_; ++g) {
        add(g, hub, rate, latency_ / 2);
        add(hub, g, rate, latency_ / 2);
      }
    }
  }

  /// Two groups of four with all links, and a link from each GPU to its twin in the other group.
  /// Those along a ring of all eight are double.
  void addCubes(double ofDouble, double ofSingle) {
    constexpr std::uint32_t kRing[] = {0, 1, 3, 2, 6, 7, 5, 4};
    const auto placeOf = [&](std::uint32_t gpu) {
      return static_cast<std::uint32_t>(std::ranges::find(kRing, gpu % 8) - std::begin(kRing));
    };
    for (std::uint32_t from = 0; from < gpus_; ++from) {
      for (std::uint32_t to = from / 8 * 8; to < from / 8 * 8 + 8; ++to) {
        if (from == to || (from / 4 != to / 4 && from % 4 != to % 4)) continue;
        const std::uint32_t apart = (placeOf(from) + 8 - placeOf(to)) % 8;
        add(from, to, apart == 1 || apart == 7 ? ofDouble : ofSingle, latency_);
      }
    }
  }

  /// Network adapters, which neighbouring GPUs share, and a switch between all of them.
  void addNetwork() {
    const std::uint32_t adapters = whole("nics_per_node", 1, places_);
    const double rate = bandwidth("remote_beta", at("remote_beta"));
    const double latencyOfOne = latency("remote_alpha") / 4;
    const std::uint32_t core = network_ = addSwitch();
    std::vector<std::uint32_t> all;
    const auto connect = [&](std::uint32_t one, std::uint32_t other) {
      add(one, other, rate, latencyOfOne);
      add(other, one, rate, latencyOfOne);
    };
    for (std::uint32_t n = 0; n < gpus_ / places_ * adapters; ++n) {
      all.push_back(addSwitch());
      connect(all.back(), core);
    }
    for (std::uint32_t g = 0; g < gpus_; ++g) {
      connect(g, all[g / places_ * adapters + g % places_ * adapters / places_]);
    }
  }

  const JsonFile file_;
  const SystemConfig& scenario_;
  const std::uint32_t gpus_;
  std::uint32_t places_ = 0, switches_ = 0;
  std::uint32_t network_ = ~0U;  ///< its first switch
  double latency_ = 0;
  std::vector<LinkGraph::Wire> wires_;
};

}  // namespace

void readLinksFile(SystemConfig& scenario) {
  const std::string& path = scenario.fabric.links;
  scenario.fabric.graph.reset();
  if (path.empty()) return;
  keepInput("fabric.links", path);
  scenario.fabric.graph = LinksReader(path, scenario).read();
}

}  // namespace t3
