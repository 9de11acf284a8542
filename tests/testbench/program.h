// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <array>
#include <boost/json/parse.hpp>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/testbench/temporary_directory.h"

namespace t3::test {

/// The arguments of a command line. A text is cut at its spaces, so that a command reads as it is
/// typed; one without a space is an argument, also if it is empty.
class Words : public std::vector<std::string> {
 public:
  Words() = default;
  Words(std::vector<std::string> asTheyAre) : vector(std::move(asTheyAre)) {}
  Words(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) add(text);
  }
  Words(const std::string& text) { add(text); }
  Words(const char* text) { add(text); }

  friend Words operator+(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// As they are typed.
  std::string text() const {
    std::string text;
    for (const std::string& word : *this) text += word + " ";
    return text;
  }

 private:
  void add(const std::string& text) {
    if (text.find(' ') == std::string::npos) return push_back(text);
    std::istringstream parts(text);
    for (std::string part; parts >> part;) push_back(part);
  }
};

/// A started t3sim (or another program) whose standard output and error are pipes (or, for the
/// error, a terminal).
class Program {
 public:
  enum class Error { Pipe, Terminal };

  explicit Program(Words arguments, Error kind = Error::Pipe, std::string program = T3SIM) {
    int outEnds[2], errorEnds[2];
    if (pipe2(outEnds, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    if (kind == Error::Pipe) {
      if (pipe2(errorEnds, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    } else {
      errorEnds[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
      if (errorEnds[0] < 0 || grantpt(errorEnds[0]) != 0 || unlockpt(errorEnds[0]) != 0) {
        throw std::runtime_error("posix_openpt");
      }
      errorEnds[1] = open(ptsname(errorEnds[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    std::vector<char*> words{program.data()};
    words.reserve(arguments.size() + 2);
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("fork");
    if (process_ == 0) {
      dup2(outEnds[1], STDOUT_FILENO);
      dup2(errorEnds[1], STDERR_FILENO);
      unsetenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE");  // set for the tests themselves
      execv(program.c_str(), words.data());
      _exit(127);
    }
    close(outEnds[1]);
    close(errorEnds[1]);
    ends_ = {outEnds[0], errorEnds[0]};
  }
  ~Program() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    for (const int end : ends_) close(end);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t process() const { return process_; }
  void signal(int number) const { kill(process_, number); }

  /// Reads to the end and returns the exit code, or 128 + the signal that ended it.
  int wait() {
    std::array<pollfd, 2> waiting = {{{ends_[0], POLLIN, 0}, {ends_[1], POLLIN, 0}}};
    for (int open = 2; open > 0;) {
      poll(waiting.data(), waiting.size(), -1);
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (waiting[i].revents == 0) continue;
        std::array<char, 4096> block;
        const ssize_t count = read(waiting[i].fd, block.data(), block.size());
        if (count > 0) {
          (i == 0 ? output : error).append(block.data(), static_cast<std::size_t>(count));
        } else {
          waiting[i].fd = -1;  // a terminal whose other side is gone answers EIO
          --open;
        }
      }
    }
    int status = 0;
    waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string output, error;  ///< complete after wait()

 private:
  pid_t process_ = -1;
  std::array<int, 2> ends_;
};

struct Outcome {
  int code;
  std::string output, error;
};

inline Outcome t3sim(const Words& arguments) {
  Program program(arguments);
  const int code = program.wait();
  return {code, program.output, program.error};
}

/// The run must succeed.
inline Outcome mustRun(const Words& arguments) {
  Outcome outcome = t3sim(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.error << outcome.output;
  return outcome;
}

inline boost::json::value readJson(const std::string& path) {
  return boost::json::parse(readFile(path));
}

/// The first run of a report.
inline boost::json::object runIn(const std::string& report) {
  return readJson(report).at("runs").at(0).as_object();
}

}  // namespace t3::test
