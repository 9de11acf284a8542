// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/testbench/temporary_directory.h"

namespace t3::test {

/// Headless Chromium without a network, steered by the browser's own protocol over two pipes. Every
/// call waits until the browser has done what it asks for; nothing sleeps.
class Browser {
 public:
  /// Throws std::runtime_error if there is no Chromium.
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Opens a page and waits until it and its images are loaded.
  void open(const std::string& url);
  /// The value of an expression in the page; of a promise, what it becomes. Throws
  /// std::runtime_error with the exception of the page.
  boost::json::value evaluate(const std::string& expression);
  /// Waits until an expression in the page is true.
  void waitFor(const std::string& expression);
  /// Width and height of the window, and what the page is told of the reader: "screen" or "print",
  /// "light" or "dark".
  void show(int width, int height, const std::string& media = "screen",
            const std::string& theme = "light");
  /// The number of pages when printed on paper of the printer's usual size.
  std::size_t printedPages();

  /// Warnings and errors of the page since it was opened: of its scripts, and of the browser about
  /// it.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  boost::json::value call(std::string_view method, const boost::json::object& parameters);
  boost::json::object nextMessage();
  void note(const boost::json::object& event);

  const TemporaryDirectory profile_;
  pid_t process_ = -1;
  int toBrowser_ = -1, fromBrowser_ = -1;
  std::string received_, session_;
  int calls_ = 0;
  bool loaded_ = false;
  std::vector<std::string> complaints_;
};

}  // namespace t3::test
