// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the files that name Verilated classes of the whole unit.
#include <gtest/gtest.h>
#include <verilated_save.h>

#include <memory>
#include <string>
#include <vector>

#include "rtl_test/simulated.h"
#include "tests/rtl/unit_model.h"
#include "tests/support/memories_of.h"

namespace t3::rtl_test {

/// Collects a model's complete state in memory.
class StateImage : public VerilatedSerialize {
 public:
  StateImage() { m_isOpen = true; }
  ~StateImage() override = default;
  template <class Model>
  static std::string of(Model& model) {
    StateImage image;
    image << model;
    image.flush();
    return image.bytes_;
  }
  void close() override {}
  void flush() override {
    bytes_.append(reinterpret_cast<const char*>(m_bufp), static_cast<std::size_t>(m_cp - m_bufp));
    m_cp = m_bufp;
  }

 private:
  std::string bytes_;
};

template <class Model>
UnitPorts portsOf(Model& m) {
#define T3_PORT(name) .name = { &m.name, sizeof m.name }
  return {T3_PORT(clk_i),
          T3_PORT(rst_ni),
          T3_PORT(lane_valid_i),
          T3_PORT(lane_wg_i),
          T3_PORT(lane_wf_i),
          T3_PORT(lane_addr_i),
          T3_PORT(lane_weight_i),
          T3_PORT(lane_ready_o),
          T3_PORT(done_ready_i),
          T3_PORT(done_valid_o),
          T3_PORT(done_slot_o),
          T3_PORT(done_spoiled_o),
          T3_PORT(rel_ready_i),
          T3_PORT(rel_valid_o),
          T3_PORT(rel_row_o),
          T3_PORT(rel_spoiled_o),
          T3_PORT(s_axil_awvalid_i),
          T3_PORT(s_axil_awaddr_i),
          T3_PORT(s_axil_awprot_i),
          T3_PORT(s_axil_awready_o),
          T3_PORT(s_axil_wvalid_i),
          T3_PORT(s_axil_wdata_i),
          T3_PORT(s_axil_wstrb_i),
          T3_PORT(s_axil_wready_o),
          T3_PORT(s_axil_bready_i),
          T3_PORT(s_axil_bvalid_o),
          T3_PORT(s_axil_bresp_o),
          T3_PORT(s_axil_arvalid_i),
          T3_PORT(s_axil_araddr_i),
          T3_PORT(s_axil_arprot_i),
          T3_PORT(s_axil_arready_o),
          T3_PORT(s_axil_rready_i),
          T3_PORT(s_axil_rvalid_o),
          T3_PORT(s_axil_rdata_o),
          T3_PORT(s_axil_rresp_o),
          T3_PORT(irq_o),
          T3_PORT(alert_o),
          T3_PORT(busy_o)};
#undef T3_PORT
}

// Before the base that refers to its ports.
template <class Model>
struct SimulatedHolder {
  Simulated<Model> unit;
};

/// A UnitModel of one class that Verilator made.
template <class Model>
class VerilatedUnit final : private SimulatedHolder<Model>, public UnitModel {
  using SimulatedHolder<Model>::unit;

 public:
  VerilatedUnit() : UnitModel(portsOf(unit.model)) {}
  const char* name() const override { return unit.model.modelName(); }
  void eval() override { unit.model.eval(); }
  void edge() override {
    // A clock gate looks at the inputs before the edge.
    if constexpr (requires { unit.model.clk_en_o; }) unit.model.eval();
    unit.edge();
  }
  std::vector<Memory> memories() override { return test::memoriesOf(*unit.model.contextp()); }
  Memory registerNamed(const char* name) override {
    return test::memoriesOf(*unit.model.contextp(), name).at(0);
  }
  std::string state() override {
    if constexpr (requires(StateImage & image, Model & model) { image << model; }) {
      return StateImage::of(unit.model);
    } else {
      ADD_FAILURE() << name() << " was not made savable";
      return {};
    }
  }
};

template <class Model>
std::unique_ptr<UnitModel> makeUnit() {
  return std::make_unique<VerilatedUnit<Model>>();
}

}  // namespace t3::rtl_test
