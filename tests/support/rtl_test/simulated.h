// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "rtl_test/recording.h"

namespace t3::rtl_test {

/// Where the next model is to be drawn: `--wave FILE.fst` for the first one of the program,
/// FILE-2.fst … for those after it; empty without the option.
std::string nextWaveFile();

/// The model that is simulated draws at this time, in ps: where a failure is marked in its view.
void drawingAt(std::uint64_t time);
/// The waveform is complete: writes its view, with the first failure of the test if there was one
/// while it was drawn.
void finishDrawing(const std::string& file);

/// A Verilated model with its context, whose clock is called clk_i. Draws a waveform where the
/// program was asked for one and the model was made for it, with a view of it for GTKWave, and
/// writes what coverage it has counted.
template <class Model>
class Simulated {
  static constexpr bool kDraws = requires(Model & model, VerilatedFstC* wave) {
    model.trace(wave, 99);
  };

 public:
  Simulated() {
    context_.fatalOnError(false);  // an assertion of the RTL fails the test, not the program
    if constexpr (kDraws) {
      file_ = nextWaveFile();
      if (file_.empty()) return;
      drawingAt(0);
      wave_ = std::make_unique<VerilatedFstC>();
      context_.traceEverOn(true);
      model.trace(wave_.get(), 99);
      wave_->open(file_.c_str());
    }
  }
  ~Simulated() {
    // Verilator's clean-up looks at the thread's context, not at the model's.
    Verilated::threadContextp(&context_);
    look();
    if (wave_) {
      wave_->close();
      finishDrawing(file_);
    }
    model.final();
    writeCoverage(context_, model.modelName());
  }
  Simulated(const Simulated&) = delete;
  Simulated& operator=(const Simulated&) = delete;

  /// A rising edge with the inputs as they are, and the falling one.
  void edge() {
    Verilated::threadContextp(&context_);
    look();
    model.clk_i = 1;
    model.eval();
    look();
    model.clk_i = 0;
    model.eval();
    if (context_.gotError()) {
      context_.gotError(false);
      ADD_FAILURE() << "an assertion of the RTL failed, see above";
    }
  }
  /// Draws the signals half a nanosecond after the ones before.
  void look() {
    if (!wave_) return;
    model.eval();
    wave_->dump(time_);
    drawingAt(time_);
    time_ += 500;
  }

 private:
  VerilatedContext context_;

 public:
  Model model{&context_};

 private:
  std::unique_ptr<VerilatedFstC> wave_;
  std::string file_;        ///< of the waveform
  std::uint64_t time_ = 0;  ///< ps
};

/// The same out of reset, which is called rst_ni and low when it resets.
template <class Model>
struct Clocked : Simulated<Model> {
  Clocked() {
    this->model.clk_i = 0;
    this->model.rst_ni = 0;
    this->model.eval();  // Verilator sees no edge in its first evaluation
    this->edge();
    this->model.rst_ni = 1;
    this->model.eval();
  }
};

}  // namespace t3::rtl_test
