// SPDX-License-Identifier: Apache-2.0
#include "tests/testbench/browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace t3::test {
namespace {

namespace json = boost::json;

std::pair<int, int> pipeEnds() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return {ends[0], ends[1]};
}

/// In the child: the browser reads commands from descriptor 3 and answers on 4.
[[noreturn]] void runBrowser(int commands, int answers, const std::string& profile) {
  constexpr int kAbove = 10;
  const int in = fcntl(commands, F_DUPFD, kAbove), out = fcntl(answers, F_DUPFD, kAbove);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(nothing, standard);
  dup2(in, 3);
  dup2(out, 4);
  setpgid(0, 0);
  const std::string directory = "--user-data-dir=" + profile;
  execlp("chromium", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
         "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
         "--host-resolver-rules=MAP * ~NOTFOUND", directory.c_str(), "about:blank", nullptr);
  _exit(127);
}

/// What a script gave to console.warn and the like, in one line.
std::string consoleText(const json::object& parameters) {
  std::string text;
  for (const json::value& argument : parameters.at("args").as_array()) {
    const json::object& object = argument.as_object();
    for (const char* field : {"value", "description"}) {
      if (const json::value* value = object.if_contains(field)) {
        text += (value->is_string() ? std::string(value->as_string()) : serialize(*value)) + " ";
        break;
      }
    }
  }
  return text;
}

}  // namespace

Browser::Browser() {
  signal(SIGPIPE, SIG_IGN);  // a browser that is gone is an error of `write`
  const auto [commands, toBrowser] = pipeEnds();
  const auto [fromBrowser, answers] = pipeEnds();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) runBrowser(commands, answers, profile_.path());
  close(commands);
  close(answers);
  toBrowser_ = toBrowser;
  fromBrowser_ = fromBrowser;
  const json::value targets = call("Target.getTargets", {});
  for (const json::value& target : targets.at("targetInfos").as_array()) {
    if (target.at("type").as_string() != "page") continue;
    const json::value attached =
        call("Target.attachToTarget",
             {{"targetId", target.at("targetId").as_string()}, {"flatten", true}});
    session_ = attached.at("sessionId").as_string();
  }
  for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable"}) call(domain, {});
}

Browser::~Browser() {
  kill(-process_, SIGKILL);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  close(toBrowser_);
  close(fromBrowser_);
}

void Browser::open(const std::string& url) {
  loaded_ = false;
  complaints_.clear();
  const json::value answer = call("Page.navigate", {{"url", url}});
  if (const json::value* error = answer.as_object().if_contains("errorText")) {
    throw std::runtime_error(url + ": " + std::string(error->as_string()));
  }
  while (!loaded_) note(nextMessage());
}

json::value Browser::evaluate(const std::string& expression) {
  const json::value answer =
      call("Runtime.evaluate",
           {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (const json::value* problem = answer.as_object().if_contains("exceptionDetails")) {
    throw std::runtime_error(serialize(*problem));
  }
  const json::value* value = answer.at("result").as_object().if_contains("value");
  return value != nullptr ? *value : json::value();
}

void Browser::waitFor(const std::string& expression) {
  evaluate("new Promise(done => { const look = () => (" + expression +
           ") ? done(true) : setTimeout(look, 20); look(); })");
}

void Browser::show(int width, int height, const std::string& media, const std::string& theme) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  const json::object scheme = {{"name", "prefers-color-scheme"}, {"value", theme}};
  json::array features;
  features.push_back(scheme);
  call("Emulation.setEmulatedMedia", {{"media", media}, {"features", features}});
}

std::size_t Browser::printedPages() {
  const json::value answer = call("Page.printToPDF", {{"preferCSSPageSize", true}});
  // The browser compresses neither the tree of pages nor the pages' own dictionaries.
  const auto file = evaluate("atob('" + std::string(answer.at("data").as_string()) +
                             R"(').match(/\/Type\s*\/Page\b/g).length)");
  return file.to_number<std::size_t>();
}

json::value Browser::call(std::string_view method, const json::object& parameters) {
  const int number = ++calls_;
  json::object command = {{"id", number}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) command["sessionId"] = session_;
  std::string text = serialize(command);
  text.push_back('\0');
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = write(toBrowser_, rest.data(), rest.size());
    if (count <= 0) throw std::runtime_error("chromium does not listen; is it installed?");
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  while (true) {
    json::object message = nextMessage();
    const json::value* answered = message.if_contains("id");
    if (answered == nullptr || answered->to_number<int>() != number) {
      note(message);
      continue;
    }
    if (const json::value* error = message.if_contains("error")) {
      throw std::runtime_error(std::string(method) + ": " + serialize(*error));
    }
    return message.at("result");
  }
}

json::object Browser::nextMessage() {
  std::size_t end = received_.find('\0');
  while (end == std::string::npos) {
    std::array<char, 65536> block;
    const ssize_t count = read(fromBrowser_, block.data(), block.size());
    if (count <= 0) throw std::runtime_error("chromium ended; is it installed?");
    const std::size_t before = received_.size();
    received_.append(block.data(), static_cast<std::size_t>(count));
    end = received_.find('\0', before);
  }
  json::object message = json::parse(std::string_view(received_).substr(0, end)).as_object();
  received_.erase(0, end + 1);
  return message;
}

void Browser::note(const json::object& event) {
  const json::value* method = event.if_contains("method");
  if (method == nullptr) return;
  const std::string name(method->as_string());
  const json::object& parameters = event.at("params").as_object();
  if (name == "Page.loadEventFired") {
    loaded_ = true;
  } else if (name == "Runtime.exceptionThrown") {
    complaints_.push_back(serialize(parameters.at("exceptionDetails")));
  } else if (name == "Runtime.consoleAPICalled") {
    const std::string kind(parameters.at("type").as_string());
    if (kind == "warning" || kind == "error" || kind == "assert") {
      complaints_.push_back(consoleText(parameters));
    }
  } else if (name == "Log.entryAdded") {
    const json::object& entry = parameters.at("entry").as_object();
    const std::string level(entry.at("level").as_string());
    const bool graphics = entry.at("source").as_string() == "rendering";  // of the machine's driver
    if (!graphics && (level == "warning" || level == "error")) {
      complaints_.emplace_back(entry.at("text").as_string());
    }
  }
}

}  // namespace t3::test
